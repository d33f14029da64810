"""How MasterSim projects spell things: words, numbers, durations, switches, colours, references, texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

from sspsim.formats.msim_project import ERROR_CONTROLS, MASTER_MODES, Quantity, Reference
from sspsim.structure.time import TIME_UNITS

NUMBER, UNIT, SWITCH, WORD, TOKENS, NAME, RANGE = "M03", "M04", "M05", "M06", "M07", "M08", "M09"

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?")
_COMMENT_BEHIND = re.compile(r"\s#")
_COLOUR = re.compile(r"#(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})|[0-9]+")
_ESCAPE = re.compile(r"\\\\|\\n")
_SWITCHES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


class MalformedError(Exception):
    """A part of a line that cannot be understood."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


def words(text: str) -> list[str]:
    """The words of a line; double quotes keep blanks together.

    >>> words('a  "b c"	d')
    ['a', 'b c', 'd']
    """
    if text.count('"') % 2:
        raise MalformedError(TOKENS, "a double quote is not closed", "put one before and one behind the text")
    found = re.findall(r'(?:"[^"]*"|[^\s"])+', text)
    return [word.replace('"', "") for word in found]


def parse_number(text: str) -> float:
    """A number and nothing else.

    >>> parse_number("1e-3")
    0.001
    """
    if _NUMBER.fullmatch(text):
        return _finite(float(text), text)
    if _DECIMAL_COMMA.fullmatch(text):
        raise MalformedError(
            NUMBER, f"{text!r} has a decimal comma", f"write a decimal point: {text.replace(',', '.')}"
        )
    begin = _NUMBER.match(text)
    if begin:
        raise MalformedError(NUMBER, f"unexpected text {text[begin.end() :]!r} behind the number {begin[0]}")
    raise MalformedError(NUMBER, f"{text!r} is not a number")


def _finite(value: float, text: str) -> float:
    if not isfinite(value):
        raise MalformedError(RANGE, f"{text} is too large", "the largest number is about 1.8e308")
    return value


def cut_comment(text: str) -> tuple[str, str]:
    """A value and the comment behind it, which MasterSim overlooks behind numbers.

    >>> cut_comment("30 min # half an hour")
    ('30 min', 'half an hour')
    """
    match = _COMMENT_BEHIND.search(text)
    return (text[: match.start()].rstrip(), text[match.end() :].strip()) if match else (text, "")


def _alone(text: str) -> str:
    parts = text.split()
    if len(parts) > 1:
        raise MalformedError(NUMBER, f"unexpected text {' '.join(parts[1:])!r} behind {parts[0]!r}")
    return text


def parse_quantity(text: str) -> Quantity:
    """A number with a unit of time.

    >>> parse_quantity("30 min")
    Quantity(value=30.0, unit='min')
    """
    parts = text.split()
    if len(parts) == 1:
        begin = _NUMBER.match(text)
        if begin and text[begin.end() :] in TIME_UNITS:
            raise MalformedError(UNIT, f"no blank between number and unit in {text!r}")
        parse_number(text)
        raise MalformedError(
            UNIT, f"the unit behind {text} is missing", f"use one of {', '.join(TIME_UNITS)}"
        )
    value, unit = parse_number(parts[0]), parse_time_unit(parts[1])
    if len(parts) > 2:
        raise MalformedError(NUMBER, f"unexpected text {' '.join(parts[2:])!r} behind {parts[0]} {unit}")
    quantity = Quantity(value, unit)
    _finite(quantity.seconds, text)
    return quantity


def format_quantity(quantity: Quantity) -> str:
    """Number and unit, such that reading gives the same value."""
    return f"{format_number(quantity.value)} {quantity.unit}"


def format_number(value: float) -> str:
    """The shortest text that reads back as the same double.

    >>> format_number(30.0), format_number(1e-5)
    ('30', '1e-05')
    """
    return repr(value).removesuffix(".0")


def parse_time_unit(text: str) -> str:
    """One of the units of time."""
    if text not in TIME_UNITS:
        raise MalformedError(UNIT, f"{text!r} is no unit of time", f"use one of {', '.join(TIME_UNITS)}")
    return text


def parse_switch(text: str) -> bool:
    """Yes or no, in the spellings of MasterSim, in upper or lower case."""
    if text.lower() not in _SWITCHES:
        hint = "a comment needs a line of its own" if "#" in text else "write yes or no"
        raise MalformedError(SWITCH, f"{text!r} is neither yes nor no", hint)
    return _SWITCHES[text.lower()]


def one_of(*allowed: str, synonyms: tuple[tuple[str, str], ...] = ()) -> Callable[[str], str]:
    """A reader of one of a few words; synonyms are older spellings."""
    known = {**{word: word for word in allowed}, **dict(synonyms)}

    def parse(text: str) -> str:
        if text not in known:
            hint = f"use one of {', '.join(allowed)}"
            raise MalformedError(WORD, f"{text!r} is not allowed here", hint)
        return known[text]

    return parse


def parse_count(text: str) -> int:
    """A whole number from 0 on.

    >>> parse_count("5")
    5
    """
    _alone(text)
    if not re.fullmatch("[0-9]+", text):
        raise MalformedError(NUMBER, f"{text!r} is not a whole number from 0 on")
    return int(text)


def parse_colour(text: str) -> str:
    """A colour; it is kept as it is."""
    if not _COLOUR.fullmatch(text):
        raise MalformedError(WORD, f"{text!r} is no colour", "write it as #rrggbb")
    return text


def parse_reference(text: str) -> Reference:
    """`simulator.variable`, split at the first dot.

    >>> parse_reference("zones.T.room")
    Reference(simulator='zones', variable='T.room')
    """
    simulator, _, variable = (part.strip() for part in text.partition("."))
    if not (simulator and variable):
        raise MalformedError(
            NAME, f"{text!r} is no variable of a simulator", "write it as simulator.variable"
        )
    return Reference(simulator, variable)


def unescape(text: str) -> str:
    r"""The value of a parameter: one pair of quotes taken off, `\\` and `\n` replaced in one go.

    >>> unescape(r'"C:\\new"')
    'C:\\new'
    """
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    return _ESCAPE.sub(lambda match: "\n" if match[0] == r"\n" else "\\", text)


def escape(text: str) -> str:
    r"""The text that `unescape` turns back into a value.

    >>> escape(" a\nb")
    '" a\\nb"'
    """
    written = text.replace("\\", "\\\\").replace("\n", "\\n")
    needs_quotes = not written or written != written.strip() or (written[0] == written[-1] == '"')
    return f'"{written}"' if needs_quotes else written


def quoted(text: str) -> str:
    """A word, with quotes where blanks ask for them."""
    return f'"{text}"' if re.search(r"\s", text) or not text else text


@dataclass(frozen=True, slots=True)
class Keyword:
    """A setting: its name in the file, its field, and how its value is read and written."""

    name: str
    field: str
    parse: Callable[[str], Any]
    format: Callable[[Any], str]
    comment_behind: bool = False  # whether MasterSim overlooks text behind the value


def _quantity(name: str, field: str) -> Keyword:
    return Keyword(name, field, parse_quantity, format_quantity, comment_behind=True)


def _switch(name: str, field: str) -> Keyword:
    return Keyword(name, field, parse_switch, lambda value: "yes" if value else "no")


def _number(name: str, field: str) -> Keyword:
    return Keyword(name, field, lambda text: parse_number(_alone(text)), format_number, comment_behind=True)


KEYWORDS: dict[str, Keyword] = {
    keyword.name: keyword
    for keyword in (
        _quantity("tStart", "start"),
        _quantity("tEnd", "stop"),
        _quantity("hMax", "h_max"),
        _quantity("hMin", "h_min"),
        _quantity("hFallBackLimit", "h_fallback"),
        _quantity("hStart", "h_start"),
        _quantity("hOutputMin", "h_output"),
        Keyword("outputTimeUnit", "output_time_unit", parse_time_unit, str),
        _switch("adjustStepSize", "adjust_step"),
        _switch("preventOversteppingOfEndTime", "prevent_overstepping"),
        _number("absTol", "abs_tol"),
        _number("relTol", "rel_tol"),
        Keyword("MasterMode", "master_mode", one_of(*MASTER_MODES), str),
        Keyword(
            "ErrorControlMode",
            "error_control",
            one_of(*ERROR_CONTROLS, synonyms=(("ADAPT_STEP", "STEP_DOUBLING"),)),
            str,
        ),
        Keyword("maxIterations", "max_iterations", parse_count, str, comment_behind=True),
        _switch("writeInternalVariables", "write_internal"),
        _switch("writeUnconnectedFileReaderVars", "write_unconnected"),
    )
}
"""In the order in which MasterSim writes them."""
