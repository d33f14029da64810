"""Conversion between units: by their definition, never by their name."""

from __future__ import annotations

from typing import NamedTuple

from sspsim.structure import Unit


class UnitConversion(NamedTuple):
    """Factor and offset, and a complaint if the two units do not go together."""

    factor: float = 1.0
    offset: float = 0.0
    complaint: str = ""


UNCHANGED = UnitConversion()


def convert(source: Unit | None, target: Unit | None, *, relative: bool = False) -> UnitConversion:
    """From a value in one unit to a value in another; without a unit on either side nothing is converted.

    >>> from sspsim.structure import BaseUnit
    >>> convert(Unit(name="degC", base=BaseUnit(K=1, offset=273.15)), Unit(name="K", base=BaseUnit(K=1)))[:2]
    (1.0, 273.15)
    """
    if source is None or target is None or same(source, target):
        return UNCHANGED
    if source.base is None or target.base is None:
        unknown = source if source.base is None else target
        text = (
            f"{source.name} cannot be converted to {target.name}: {unknown.name} is not defined by base units"
        )
        return UnitConversion(complaint=text)
    if source.base.exponents == target.base.exponents:
        return UnitConversion(*source.base.conversion_to(target.base, relative=relative))
    if source.base.exponents[:-1] == target.base.exponents[:-1]:
        text = (
            f"{source.name} and {target.name} differ in the exponent of rad; they are converted all the same"
        )
        return UnitConversion(*source.base.conversion_to(target.base, relative=relative), text)
    return UnitConversion(
        complaint=f"{source.name} and {target.name} measure different things; nothing is converted"
    )


def same(a: Unit, b: Unit) -> bool:
    """Whether two units mean the same; names only count where a definition is missing."""
    return a.base == b.base if a.base and b.base else a.name == b.name


def are_convertible(a: Unit, b: Unit) -> bool:
    """Whether values can be converted between two units."""
    return same(a, b) or bool(a.base and b.base and a.base.exponents[:-1] == b.base.exponents[:-1])
