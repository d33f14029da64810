"""Time-only outputs: those that nothing can change that enters their component during a step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TypeVar

from sspsim.errors import UsageError
from sspsim.fmi.description import Description
from sspsim.graph.dependencies import Dependencies, influences
from sspsim.graph.flat import FlatSystem, Port

T = TypeVar("T")


def per_description(system: FlatSystem, function: Callable[[Description], T]) -> list[T]:
    """A function of the description for each instance, computed once for instances of the same FMU."""
    known: dict[int, T] = {}
    for instance in system.instances:
        if id(instance.description) not in known:
            known[id(instance.description)] = function(instance.description)
    return [known[id(instance.description)] for instance in system.instances]


def time_only_outputs(system: FlatSystem, marked: Iterable[Port] = ()) -> frozenset[Port]:
    """Outputs that are functions of time alone, arrays as a whole (`Port.element` is 0).

    Such are all outputs of a component without connected inputs, those whose model structure proves that
    nothing that enters can change them, and those marked by the user.
    """
    outputs = per_description(system, lambda about: {u.variable for u in about.outputs})
    proofs: list[Dependencies] = per_description(system, influences)
    entering: list[set[str]] = [set() for _ in system.instances]
    found = set(marked)
    for link in system.links:
        entering[link.target.instance].add(link.target.variable)

    def is_time_only(port: Port) -> bool:
        inputs = entering[port.instance]
        names = proofs[port.instance].get(port.variable)
        return not inputs or (names is not None and names.isdisjoint(inputs))

    for i, names in enumerate(outputs):
        if proofs[i] or not entering[i]:
            found.update(filter(is_time_only, (Port(i, name) for name in names)))
    # What is no output may be connected like one.
    found.update(filter(is_time_only, {link.source.whole for link in system.links}))
    return frozenset(found)


def marked_outputs(system: FlatSystem, names: Iterable[str]) -> list[Port]:
    """The outputs that a user names as "component.output", or all of a component as "component.*"."""
    wanted = list(names)
    known = _outputs_by_name(system) if wanted else {}
    for name in wanted:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else "write it as component.output"
            raise UsageError(f"there is no output {name!r} that could be marked as time-only; {hint}")
    return [port for name in wanted for port in known[name]]


def _outputs_by_name(system: FlatSystem) -> dict[str, list[Port]]:
    """What can be marked: outputs, and other variables that are connected like outputs."""
    ports = dict.fromkeys(
        Port(i, unknown.variable)
        for i, instance in enumerate(system.instances)
        for unknown in instance.description.outputs
    )
    ports.update(dict.fromkeys(k.source.whole for k in system.links))
    found: dict[str, list[Port]] = {}
    for port in ports:
        component = system.instances[port.instance].name
        found.setdefault(f"{component}.*", []).append(port)
        found[f"{component}.{port.variable}"] = [port]
    return found
