"""How values are spelled in attributes: one codec per lexical type of XML Schema, for both directions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

_DOUBLE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch
_INTEGER = re.compile(r"[+-]?[0-9]+").fullmatch
_SPECIAL_DOUBLES = {"INF": math.inf, "+INF": math.inf, "-INF": -math.inf, "NaN": math.nan}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Codec:
    """Turns text into a value and back; `parse` raises ValueError with a reason."""

    parse: Callable[[str], Any]
    format: Callable[[Any], str]


def parse_double(text: str) -> float:
    """A double as XML Schema spells it.

    >>> parse_double(" 1e3 "), parse_double("-INF")
    (1000.0, -inf)
    """
    text = text.strip(" \t\r\n")
    if _DOUBLE(text):
        return float(text)
    if text in _SPECIAL_DOUBLES:
        return _SPECIAL_DOUBLES[text]
    raise ValueError("not a number" + (f" (write {_suggestion(text)})" if _suggestion(text) else ""))


def _suggestion(text: str) -> str:
    return {"inf": "INF", "-inf": "-INF", "+inf": "INF", "nan": "NaN", "infinity": "INF"}.get(
        text.lower(), ""
    )


def format_double(value: float) -> str:
    """The shortest text that gives the same double."""
    if math.isfinite(value):
        return repr(float(value))
    return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"


def parse_boolean(text: str) -> bool:
    """true, false, 1 or 0."""
    try:
        return _BOOLEANS[text.strip(" \t\r\n")]
    except KeyError:
        raise ValueError("neither true nor false") from None


def format_boolean(value: bool) -> str:
    """True and false in lower case."""
    return "true" if value else "false"


def integer(low: int, high: int) -> Codec:
    """Whole numbers within limits."""

    def parse(text: str) -> int:
        if not _INTEGER(text.strip(" \t\r\n")):
            raise ValueError("not a whole number")
        value = int(text)
        if not low <= value <= high:
            raise ValueError(f"not between {low} and {high}")
        return value

    return Codec(parse, str)


def parse_hex(text: str) -> bytes:
    """Bytes as pairs of hexadecimal digits."""
    text = text.strip(" \t\r\n")
    if not re.fullmatch("[0-9A-Fa-f]*", text) or len(text) % 2:
        raise ValueError("not an even number of hexadecimal digits")
    return bytes.fromhex(text)


def listed(item: Codec) -> Codec:
    """Values with white space between them, as a tuple."""
    return Codec(
        lambda text: tuple(item.parse(part) for part in text.split()),
        lambda values: " ".join(item.format(value) for value in values),
    )


def single(item: Codec) -> Codec:
    """One value, held as a tuple of one."""
    return Codec(lambda text: (item.parse(text),), lambda values: item.format(values[0]))


def enumerated(kind: type[StrEnum]) -> Codec:
    """A member of an enumeration, spelled as its value."""
    members = {member.value: member for member in kind}
    return Codec(_lookup(members), lambda member: str(member.value))


def one_of(*words: str) -> Codec:
    """One of a few words."""
    return Codec(_lookup({word: word for word in words}), str)


def _lookup(members: dict[str, Any]) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        try:
            return members[text]
        except KeyError:
            raise ValueError(f"not one of {', '.join(members)}") from None

    return parse


STRING = Codec(str, str)
DOUBLE = Codec(parse_double, format_double)
BOOLEAN = Codec(parse_boolean, format_boolean)
HEX = Codec(parse_hex, lambda value: value.hex().upper())
INT = integer(-(2**31), 2**31 - 1)
LONG = integer(-(2**63), 2**63 - 1)
UNSIGNED_INT = integer(0, 2**32 - 1)
UNSIGNED_LONG = integer(0, 2**64 - 1)
GENERIC_INTEGER = integer(-(2**63), 2**64 - 1)
