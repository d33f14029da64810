"""What a value means at one place, and the file scope that the names of units and enumerations belong to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sspsim.fmi.description import Description, Variable
from sspsim.graph.types import Items, same
from sspsim.graph.units import are_convertible
from sspsim.graph.units import same as same_unit
from sspsim.structure import Enumeration, Type, TypeSpec, Unit


@dataclass(frozen=True, slots=True)
class Quantity:
    """Type, unit and items of an enumeration, as far as known; `relative`: a difference, so no offsets."""

    type: Type | None = None
    unit: Unit | None = None
    items: Items = ()
    relative: bool = False

    def __str__(self) -> str:
        unit = f" [{self.unit.name}]" if self.unit else ""
        return f"{self.type or 'any type'}{unit}"


ANYTHING = Quantity()


class Scope:
    """A file, as far as the meaning of names in it is concerned."""

    def __init__(
        self, location: str, version: str, units: Iterable[Unit], enumerations: Iterable[Enumeration]
    ) -> None:
        self.location = location
        self.version = version
        self.units = {unit.name: unit for unit in units}
        self.enumerations = {e.name: tuple((i.name, i.value) for i in e.items) for e in enumerations}
        self._known: dict[TypeSpec, Quantity] = {}

    def quantity(self, spec: TypeSpec | None) -> Quantity:
        """What a type says in this file; a unit that is not defined here is known by its name only."""
        if spec is None:
            return ANYTHING
        if spec not in self._known:
            unit = None if spec.unit is None else self.units.get(spec.unit, Unit(name=spec.unit))
            items = self.enumerations.get(spec.enumeration or "", ())
            self._known[spec] = Quantity(spec.type, unit, items)
        return self._known[spec]


def of_variable(variable: Variable, description: Description) -> Quantity:
    """What the FMU says."""
    unit = (
        None if variable.unit is None else Unit(name=variable.unit, base=description.units.get(variable.unit))
    )
    items = description.enumerations.get(variable.enumeration or "", ())
    return Quantity(variable.type, unit, items, variable.relative)


def at_component(declared: Quantity, actual: Quantity) -> Quantity:
    """What a connector of an FMU stands for: the FMU knows best, only a unit may be declared otherwise."""
    unit = actual.unit
    if declared.unit and (
        unit is None
        or (unit.base is None and same_unit(declared.unit, unit))  # the file defines what the FMU only names
        or (are_convertible(declared.unit, unit) and not same_unit(declared.unit, unit))
    ):
        unit = declared.unit
    items = actual.items or declared.items
    if unit is actual.unit and items is actual.items:
        return actual
    return replace(actual, unit=unit, items=items)


def differs_in_type(declared: Quantity, actual: Quantity) -> bool:
    """Whether a connector and its variable have different types."""
    return bool(declared.type and actual.type) and not same(declared.type, actual.type)  # type: ignore[arg-type]


def defaulting(declared: Quantity, other: Quantity) -> Quantity:
    """What is declared, completed by what is known elsewhere."""
    return Quantity(
        declared.type or other.type,
        declared.unit or other.unit,
        declared.items or other.items,
        declared.relative,
    )
