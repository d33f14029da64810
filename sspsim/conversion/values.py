"""Values of parameters as texts, typed by the FMU."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sspsim.formats.lexical import parse_double
from sspsim.structure import Scalar, Type

_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")


def parse_value(text: str, type_: Type, items: Sequence[tuple[str, int]] = ()) -> Scalar:
    """The value of a parameter; ValueError says what is wrong with it.

    >>> parse_value("1", Type.BOOLEAN), parse_value("2", Type.ENUMERATION, [("on", 1), ("off", 2)])
    (True, 'off')
    """
    if type_ is Type.STRING:
        return text
    if type_ is Type.BOOLEAN:
        if text.lower() not in _TRUTH:
            raise ValueError(f"{text!r} is neither true nor false")
        return _TRUTH[text.lower()]
    if type_.is_real:
        return _real(text)
    if type_ is Type.ENUMERATION and text in dict(items):
        return text
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(f"{text!r} is not a whole number")
    number = int(text)
    if type_ is Type.ENUMERATION and items:
        names = {value: name for name, value in items}
        if number not in names:
            raise ValueError(f"{number} is none of {', '.join(f'{v} ({n})' for n, v in items)}")
        return names[number]
    return number


def _real(text: str) -> float:
    if _DECIMAL_COMMA.fullmatch(text):
        raise ValueError(f"{text!r} has a decimal comma; write {text.replace(',', '.')}")
    try:
        return parse_double(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None


def format_value(value: Scalar, items: Sequence[tuple[str, int]] = ()) -> str:
    """The text of a value in a MasterSim project.

    >>> format_value(True), format_value(0.1), format_value("off", [("on", 1), ("off", 2)])
    ('true', '0.1', '2')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(dict(items).get(value, value)) if isinstance(value, str) else str(value)
