"""Conversion between types: which pairs go together, and single values."""

from __future__ import annotations

from enum import IntEnum

from sspsim.structure import Scalar, Type
from sspsim.structure.types import INTEGER_RANGES

Items = tuple[tuple[str, int], ...]
"""The items of an enumeration: names and numbers."""


class Policy(IntEnum):
    """Which conversions between types the user accepts."""

    SAFE = 1
    ALL = 2


NEVER = 3
SYNONYMS = {Type.REAL: Type.FLOAT64, Type.INTEGER: Type.INT32}
MANTISSA_BITS = {Type.FLOAT64: 53, Type.FLOAT32: 24}
NOT_NUMERIC = (Type.STRING, Type.BINARY, Type.CLOCK)


def same(a: Type, b: Type) -> bool:
    """Whether two types are one, such as Real and Float64."""
    return SYNONYMS.get(a, a) is SYNONYMS.get(b, b)


def needed_policy(source: Type, target: Type) -> int:
    """0 for the same type, else the policy that allows a conversion, or NEVER.

    >>> needed_policy(Type.INTEGER, Type.REAL) == Policy.SAFE
    True
    >>> needed_policy(Type.INT64, Type.REAL) == Policy.ALL
    True
    """
    source, target = SYNONYMS.get(source, source), SYNONYMS.get(target, target)
    if source is target:
        return 0
    if source in NOT_NUMERIC or target in NOT_NUMERIC:
        return NEVER
    return Policy.SAFE if _is_lossless(source, target) else Policy.ALL


def _is_lossless(source: Type, target: Type) -> bool:
    if source.is_integer and target.is_integer:
        low, high = INTEGER_RANGES[source]
        return INTEGER_RANGES[target][0] <= low and high <= INTEGER_RANGES[target][1]
    if source.is_integer and target.is_real:
        return bool(INTEGER_RANGES[source][1] <= 2 ** MANTISSA_BITS[target])
    if source.is_integer or target.is_integer:
        return not {source, target}.isdisjoint((Type.BOOLEAN, Type.ENUMERATION))
    return (source, target) == (Type.FLOAT32, Type.FLOAT64)


def coerce(value: Scalar, type: Type, items: Items = ()) -> Scalar:
    """A value as one of a type; raises ValueError if that would change it.

    >>> coerce(2.0, Type.INTEGER), coerce("green", Type.ENUMERATION, (("red", 1), ("green", 2)))
    (2, 2)
    """
    if type is Type.STRING:
        if isinstance(value, str):
            return value
    elif type is Type.BINARY:
        if isinstance(value, bytes):
            return value
    elif isinstance(value, str):
        return parse(value, type, items)
    elif not isinstance(value, bytes):
        return _number(value, type)
    raise ValueError(f"{value!r} is not a {type}")


def _number(value: float, type: Type) -> Scalar:
    if type.is_real:
        return float(value)
    if value != int(value):
        raise ValueError(f"{value!r} is not a whole number, which {type} needs")
    low, high = INTEGER_RANGES.get(type, (0, 1))
    if not low <= value <= high:
        raise ValueError(f"{value!r} is outside of the range of {type}, {low} to {high}")
    return bool(value) if type in (Type.BOOLEAN, Type.CLOCK) else int(value)


def parse(text: str, type: Type, items: Items = ()) -> Scalar:
    """A value from what people type.

    >>> parse("1e3", Type.REAL), parse("true", Type.BOOLEAN), parse("2", Type.ENUMERATION, (("green", 2),))
    (1000.0, True, 2)
    """
    if type is Type.STRING:
        return text
    if type is Type.BINARY:
        return bytes.fromhex(text)
    word = text.strip()
    if type is Type.ENUMERATION:
        return item_number(word, items)
    if type in (Type.BOOLEAN, Type.CLOCK) and word.lower() in ("true", "false"):
        return word.lower() == "true"
    try:
        return _number(float(word) if type.is_real else int(word), type)
    except ValueError as problem:
        reason = str(problem) if "range" in str(problem) else f"{text!r} is not a {type}"
        raise ValueError(reason) from None


def item_number(name: str, items: Items) -> int:
    """The number of an enumeration's item; a number in digits is taken too."""
    for item, number in items:
        if item == name:
            return number
    if name.lstrip("-").isdigit() and (not items or int(name) in {number for _, number in items}):
        return int(name)
    known = ", ".join(item for item, _ in items) or "not known"
    raise ValueError(f"there is no item {name!r}; the items are {known}")
