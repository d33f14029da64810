"""Mapping files: which output feeds which input, one line each, with patterns for many at once.

    # comments and empty lines are skipped
    plant.T_out -> controller.T_measured
    plant.T_*   -> controller.Temp_*

Instead of the arrow a comma, a semicolon or a tab will do. A star stands for the same text on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from sspsim.errors import InputError

SEPARATORS = ("->", "\t", ";", ",")  # the first one in a line counts: names such as x[1,2] hold commas


@dataclass(frozen=True, slots=True)
class Wish:
    """One output for one input, both as `component.variable`, and where this is written."""

    source: str
    target: str
    place: str


def read_mapping(path: Path, outputs: Iterable[str], inputs: Iterable[str]) -> list[Wish]:
    """All pairs that a file asks for; each line must lead to one at least."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as problem:
        raise InputError(f"{path}: no readable mapping: {problem}") from None
    except OSError as problem:
        raise InputError(f"{path}: no readable mapping: {problem.strerror}") from None
    known_outputs, known_inputs = dict.fromkeys(outputs), dict.fromkeys(inputs)
    found: list[Wish] = []
    for number, line in enumerate(lines, 1):
        text = line.split("#", 1)[0].strip()
        if text:
            found += _wishes(text, f"{path}:{number}", known_outputs, known_inputs)
    return found


def _wishes(text: str, place: str, outputs: dict[str, None], inputs: dict[str, None]) -> Iterator[Wish]:
    separator = next((mark for mark in SEPARATORS if mark in text), SEPARATORS[0])
    ends = [end.strip() for end in text.split(separator)]
    if len(ends) != 2 or not all(ends):
        raise InputError(f"{place}: write a line like 'plant.T -> controller.T', not {text!r}")
    source, target = ends
    if source.count("*") != target.count("*"):
        raise InputError(f"{place}: both sides need the same number of stars")
    pattern = re.compile("(.*)".join(map(re.escape, source.split("*"))))
    pairs = [
        (name, _filled(target, match.groups())) for name in outputs if (match := pattern.fullmatch(name))
    ]
    if not pairs:
        raise InputError(f"{place}: no output is called {source!r}{_close(source, outputs)}")
    there = [(name, goal) for name, goal in pairs if goal in inputs]
    if not there:
        raise InputError(f"{place}: no input is called {pairs[0][1]!r}{_close(pairs[0][1], inputs)}")
    for name, goal in there:
        yield Wish(name, goal, place)


def _filled(pattern: str, texts: Iterable[str]) -> str:
    for text in texts:
        pattern = pattern.replace("*", text, 1)
    return pattern


def _close(name: str, names: Iterable[str]) -> str:
    close = get_close_matches(name, list(names), n=2)
    return f"; did you mean {' or '.join(close)}?" if close else ""
