"""Types of values, and the units and enumerations that they refer to by name (per file)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sspsim.structure.base import Entity


class Type(StrEnum):
    """The type of a connector, parameter or dictionary entry, spelled as its element in the files."""

    REAL = "Real"
    FLOAT64 = "Float64"
    FLOAT32 = "Float32"
    INTEGER = "Integer"
    INT8 = "Int8"
    UINT8 = "UInt8"
    INT16 = "Int16"
    UINT16 = "UInt16"
    INT32 = "Int32"
    UINT32 = "UInt32"
    INT64 = "Int64"
    UINT64 = "UInt64"
    BOOLEAN = "Boolean"
    STRING = "String"
    ENUMERATION = "Enumeration"
    BINARY = "Binary"
    CLOCK = "Clock"

    @property
    def is_real(self) -> bool:
        """Floating point, so that units and linear transformations apply."""
        return self in (Type.REAL, Type.FLOAT64, Type.FLOAT32)

    @property
    def is_integer(self) -> bool:
        """Whole numbers without names."""
        return self in INTEGER_RANGES and self is not Type.ENUMERATION

    @property
    def is_numeric(self) -> bool:
        """Anything that sspsim holds as a number, booleans included."""
        return self.is_real or self in INTEGER_RANGES or self is Type.BOOLEAN


INTEGER_RANGES: dict[Type, tuple[int, int]] = {
    Type.INTEGER: (-(2**31), 2**31 - 1),
    Type.INT8: (-(2**7), 2**7 - 1),
    Type.UINT8: (0, 2**8 - 1),
    Type.INT16: (-(2**15), 2**15 - 1),
    Type.UINT16: (0, 2**16 - 1),
    Type.INT32: (-(2**31), 2**31 - 1),
    Type.UINT32: (0, 2**32 - 1),
    Type.INT64: (-(2**63), 2**63 - 1),
    Type.UINT64: (0, 2**64 - 1),
    Type.ENUMERATION: (-(2**63), 2**63 - 1),
}

OCTET_STREAM = "application/octet-stream"

Scalar = float | int | bool | str | bytes
"""One value of any type; enumerations are held as their item's name where they come from a file."""


@dataclass(frozen=True, slots=True)
class ClockInterval:
    """How a clock ticks."""

    interval_variability: str | None = None
    interval_decimal: float | None = None
    shift_decimal: float = 0.0
    supports_fraction: bool = False
    resolution: int | None = None
    interval_counter: int | None = None
    shift_counter: int = 0
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class TypeSpec:
    """A type with what qualifies it: the unit of reals, the name of an enumeration, a MIME type, a clock's interval."""

    type: Type
    unit: str | None = None
    enumeration: str | None = None
    mime_type: str | None = None
    clock: ClockInterval | None = None


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of an array: a number, the name of a connector that holds it, or unknown."""

    size: int | None = None
    size_connector: str | None = None


@dataclass(frozen=True, slots=True)
class BaseUnit:
    """A unit in terms of SI: value_base = factor * value + offset.

    >>> celsius, kelvin = BaseUnit(K=1, offset=273.15), BaseUnit(K=1)
    >>> celsius.conversion_to(kelvin)
    (1.0, 273.15)
    """

    kg: int = 0
    m: int = 0
    s: int = 0
    A: int = 0
    K: int = 0
    mol: int = 0
    cd: int = 0
    rad: int = 0
    factor: float = 1.0
    offset: float = 0.0

    @property
    def exponents(self) -> tuple[int, ...]:
        """The exponents of the SI base units, rad last."""
        return (self.kg, self.m, self.s, self.A, self.K, self.mol, self.cd, self.rad)

    def conversion_to(self, other: BaseUnit, *, relative: bool = False) -> tuple[float, float]:
        """Factor and offset that turn a value in this unit into one in `other`; differences need no offsets."""
        if relative:
            return self.factor / other.factor, 0.0
        return self.factor / other.factor, (self.offset - other.offset) / other.factor


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit(Entity):
    """A named unit; without a base unit only its name is known."""

    name: str
    base: BaseUnit | None = None


@dataclass(frozen=True, slots=True)
class EnumerationItem:
    """One named value of an enumeration."""

    name: str
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Enumeration(Entity):
    """A named enumeration."""

    name: str
    items: tuple[EnumerationItem, ...]
