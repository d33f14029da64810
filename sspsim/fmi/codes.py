"""The C types that FMUs exchange values in, and the banks that hold those values between two calls."""

from __future__ import annotations

from enum import IntEnum
from functools import cache

from sspsim.structure import Type


class Bank(IntEnum):
    """Where a value is held between two FMU calls."""

    REAL = 0
    INTEGER = 1
    TEXT = 2


class Code(IntEnum):
    """The C type that an FMU's get or set function works with."""

    FLOAT64 = 0
    FLOAT32 = 1
    INT8 = 2
    UINT8 = 3
    INT16 = 4
    UINT16 = 5
    INT32 = 6
    UINT32 = 7
    INT64 = 8
    UINT64 = 9
    BOOLEAN8 = 10
    BOOLEAN32 = 11
    STRING = 12
    BINARY = 13

    @property
    def bank(self) -> Bank:
        """The bank that holds values of this type."""
        if self <= Code.FLOAT32:
            return Bank.REAL
        return Bank.INTEGER if self <= Code.BOOLEAN32 else Bank.TEXT


@cache
def code_of(type_: Type, fmi: int) -> Code:
    """The C type of a variable: FMI 1 has booleans of one byte, FMI 2 of four, FMI 3 of one again.

    >>> code_of(Type.BOOLEAN, 2).name, code_of(Type.ENUMERATION, 3).name
    ('BOOLEAN32', 'INT64')
    """
    if type_ in (Type.BOOLEAN, Type.CLOCK):
        return Code.BOOLEAN32 if fmi == 2 else Code.BOOLEAN8
    if type_ is Type.ENUMERATION:
        return Code.INT64 if fmi == 3 else Code.INT32
    return Code[{Type.REAL: "FLOAT64", Type.INTEGER: "INT32"}.get(type_, type_.name)]
