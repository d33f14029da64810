"""Which variables a run records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from sspsim.errors import UsageError
from sspsim.graph.flat import FlatSystem, Instance
from sspsim.structure import Type
from sspsim.structure.pattern import matcher

EVERYTHING = "*"


def choose_recorded(system: FlatSystem, patterns: Sequence[str]) -> FlatSystem:
    """The same system, recording what the patterns match: `plant.*`, `*.T`; as it is without any.

    Any variable of a component can be recorded, connected or not; connectors of the root system have names of
    their own. A pattern that matches nothing is an error, since it was meant to match something.
    """
    if not patterns:
        return system
    matchers = {pattern: matcher(pattern) for pattern in patterns}
    times = EVERYTHING in patterns
    used: set[str] = set()

    def wanted(name: str) -> bool:
        matching = [pattern for pattern, matches in matchers.items() if matches(name)]
        used.update(matching)
        return bool(matching)

    outputs = tuple(output for output in system.outputs if wanted(output.name))
    fixed_outputs = tuple(output for output in system.fixed_outputs if wanted(output.name))
    instances = tuple(
        replace(
            instance,
            recorded=tuple(
                name for name in _recordable(instance, times) if wanted(f"{instance.name}.{name}")
            ),
        )
        for instance in system.instances
    )
    for pattern in patterns:
        if pattern not in used:
            raise UsageError(f"--record {pattern!r} matches no variable{_suggestion(system, pattern)}")
    return replace(system, outputs=outputs, fixed_outputs=fixed_outputs, instances=instances)


def _recordable(instance: Instance, times: bool = False) -> list[str]:
    """Everything that has a value; a clock ticks instead, and the time has a column already.

    `times`: those of the components too, for who wants everything.
    """
    return [
        variable.name
        for variable in instance.description.variables
        if (times or variable.causality != "independent") and variable.type is not Type.CLOCK
    ]


def _suggestion(system: FlatSystem, pattern: str) -> str:
    names = [f"{instance.name}.{name}" for instance in system.instances for name in _recordable(instance)]
    close = get_close_matches(pattern, [*(output.name for output in system.outputs), *names], n=3)
    return f"; did you mean {' or '.join(close)}?" if close else "; 'sspsim info' lists the components"
