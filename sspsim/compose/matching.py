"""Finds the output for each input: by a mapping, by names with a component, by equal or similar names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sspsim.compose.mapping import Wish
from sspsim.compose.parts import Part
from sspsim.errors import InputError
from sspsim.fmi.description import Variable
from sspsim.graph.quantity import Quantity
from sspsim.graph.types import Policy, needed_policy
from sspsim.graph.units import are_convertible, same

MAPPING, COMPONENT, EQUAL, SIMILAR = "mapping", "component.variable", "equal names", "similar names"


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output of a part."""

    part: str
    variable: Variable
    quantity: Quantity
    sizes: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """As people write it."""
        return f"{self.part}.{self.variable.name}"


@dataclass(frozen=True, slots=True)
class Match:
    """An output for an input, which rule found it, and what happens on the way."""

    source: Port
    target: Port
    rule: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Matching:
    """What was found and what was not."""

    matches: tuple[Match, ...]
    ambiguous: tuple[tuple[Port, tuple[Port, ...]], ...] = ()
    refused: tuple[Match, ...] = ()
    open_inputs: tuple[Port, ...] = ()
    unused_outputs: tuple[Port, ...] = ()


def ports(parts: Iterable[Part], causality: str) -> list[Port]:
    """All inputs or outputs."""
    return [
        Port(part.name, v, part.quantity(v), part.sizes(v))
        for part in parts
        for v in part.variables(causality)
    ]


def match(parts: Sequence[Part], wishes: Iterable[Wish] = (), *, by_name: bool = True) -> Matching:
    """Connects what goes together. An input with several equally good outputs is left open and told."""
    outputs, inputs = ports(parts, "output"), ports(parts, "input")
    matches = _wished(wishes, outputs, inputs)
    fed = {found.target.name for found in matches}
    ambiguous: list[tuple[Port, tuple[Port, ...]]] = []
    refused: list[Match] = []
    finders = _finders(outputs) if by_name else {}
    for target in inputs:
        if target.name in fed:
            continue
        for rule, by_key in finders.items():
            others = [
                port
                for key in _keys(rule, target)
                for port in by_key.get(key, ())
                if port.part != target.part
            ]
            fitting = [port for port in others if not obstacle(port, target)]
            if len(fitting) == 1:
                matches.append(Match(fitting[0], target, rule, _note(fitting[0], target)))
                fed.add(target.name)
            elif fitting:
                ambiguous.append((target, tuple(fitting)))
            else:
                refused += [Match(port, target, rule, obstacle(port, target)) for port in others]
            if fitting:
                break
    used = {found.source.name for found in matches}
    doubtful = {port.name for port, _ in ambiguous}
    return Matching(
        tuple(matches),
        tuple(ambiguous),
        tuple(found for found in refused if found.target.name not in fed | doubtful),
        tuple(port for port in inputs if port.name not in fed),
        tuple(port for port in outputs if port.name not in used),
    )


def _wished(wishes: Iterable[Wish], outputs: Iterable[Port], inputs: Iterable[Port]) -> list[Match]:
    sources, targets = ({port.name: port for port in side} for side in (outputs, inputs))
    places: dict[str, str] = {}
    found = []
    for wish in wishes:
        source, target = sources[wish.source], targets[wish.target]
        if wish.target in places:
            raise InputError(f"{wish.place}: {wish.target} is already fed by {places[wish.target]}")
        if problem := obstacle(source, target):
            raise InputError(f"{wish.place}: {wish.source} cannot feed {wish.target}: {problem}")
        places[wish.target] = wish.place
        found.append(Match(source, target, MAPPING, _note(source, target)))
    return found


def _finders(outputs: Iterable[Port]) -> dict[str, dict[str, list[Port]]]:
    """For each rule, the outputs by what an input is looked up with; the best rule first."""
    found: dict[str, dict[str, list[Port]]] = {
        rule: defaultdict(list) for rule in (COMPONENT, EQUAL, SIMILAR)
    }
    for port in outputs:
        name = port.variable.name
        found[COMPONENT][f"from {_flat(port.name)}"].append(port)
        found[COMPONENT][f"to {_flat(name)}"].append(port)
        found[EQUAL][name].append(port)
        found[SIMILAR][simplified(name)].append(port)
    return found


def _keys(rule: str, target: Port) -> Sequence[str]:
    """An input may be called after its source (`plant.T`), or an output after its target (`controller.T`)."""
    name = target.variable.name
    if rule == COMPONENT:
        return (f"from {_flat(name)}", f"to {_flat(target.name)}")
    return (name,) if rule == EQUAL else (simplified(name),)


def _flat(name: str) -> str:
    """`plant.T` and `plant_T` mean the same."""
    return name.replace(".", "_")


def simplified(name: str) -> str:
    """Without case and punctuation.

    >>> simplified("T_Room[1]"), simplified("tRoom1")
    ('troom1', 'troom1')
    """
    return re.sub(r"[^0-9a-z]", "", name.lower())


def obstacle(source: Port, target: Port) -> str:
    """Why an output cannot feed an input; empty if it can."""
    a, b = source.quantity, target.quantity
    if a.type and b.type and needed_policy(a.type, b.type) > Policy.SAFE:
        return f"{a.type} does not fit {b.type}"
    if source.sizes != target.sizes:
        return f"{_size(source)} values do not fit {_size(target)}"
    if a.unit and b.unit and not are_convertible(a.unit, b.unit):
        return f"unit {a.unit.name} cannot be converted to {b.unit.name}"
    return ""


def _size(port: Port) -> str:
    return " x ".join(map(str, port.sizes)) or "1"


def _note(source: Port, target: Port) -> str:
    a, b = source.quantity.unit, target.quantity.unit
    if a and b:
        return "" if same(a, b) else f"{a.name} to {b.name}"
    return f"only one side has a unit ({(a or b).name})" if (a or b) else ""  # type: ignore[union-attr]
