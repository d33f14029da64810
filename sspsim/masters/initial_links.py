"""Links that only count until the end of the initialisation, such as those between parameters."""

from __future__ import annotations

from collections.abc import Sequence

from sspsim.errors import SimulationError
from sspsim.fmi.description import Variable
from sspsim.fmi.slave import Slave
from sspsim.graph.conversion import Conversion
from sspsim.graph.flat import FlatSystem, Link
from sspsim.graph.types import coerce
from sspsim.plan import element_count
from sspsim.structure import Scalar


def hand_on(system: FlatSystem, slaves: Sequence[Slave]) -> None:
    """Takes values along the initial links, again and again until the last one of a chain has arrived.

    The slaves are in initialisation mode, which FMI 1 does not have.
    """
    groups = _by_target(system)
    known: dict[tuple[int, str], tuple[Scalar, ...]] = {}
    for _ in range(len(groups) + 1):
        changed = False
        for key, links in groups.items():
            values = tuple(_value(system, slaves, link) for link in links)
            if known.get(key) != values:
                slaves[key[0]].set([(_variable(system, *key), values)])
                known[key] = values
                changed = True
        if not changed:
            return
    names = ", ".join(f"{system.instances[i].name}.{name}" for i, name in groups)
    raise SimulationError(f"parameters depend on each other in a circle: {names}; remove a connection")


def _by_target(system: FlatSystem) -> dict[tuple[int, str], list[Link]]:
    """The links of each variable in the order of its elements: arrays are set as a whole."""
    groups: dict[tuple[int, str], list[Link]] = {}
    for link in system.initial_links:
        for port in (link.source, link.target):
            if system.instances[port.instance].description.fmi == 1:
                name = f"{system.instances[port.instance].name}.{port.variable}"
                raise SimulationError(f"{name}: FMI 1 cannot hand parameters on; use an FMU of FMI 2 or 3")
        groups.setdefault((link.target.instance, link.target.variable), []).append(link)
    return {key: sorted(links, key=lambda link: link.target.element) for key, links in groups.items()}


def _value(system: FlatSystem, slaves: Sequence[Slave], link: Link) -> Scalar:
    source = _variable(system, link.source.instance, link.source.variable)
    target = _variable(system, link.target.instance, link.target.variable)
    value = slaves[link.source.instance].get(source, element_count(source))[link.source.element]
    if isinstance(value, str | bytes):
        return value
    changed = Conversion(link.table, link.factor, link.offset).of(value)
    try:
        return coerce(changed if target.type.is_real else round(changed), target.type)
    except ValueError as problem:
        name = f"{system.instances[link.target.instance].name}.{target.name}"
        raise SimulationError(f"{name}: {problem}") from None


def _variable(system: FlatSystem, instance: int, name: str) -> Variable:
    return system.instances[instance].description.by_name[name]
