"""Reads values.csv as MasterSim writes it: separated by tabs, units in brackets, time in a unit of its own."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from sspsim.errors import InputError
from sspsim.results.read_csv import typed_column
from sspsim.results.signal import Signal
from sspsim.structure import Type
from sspsim.structure.time import TIME_UNITS

NO_UNIT = ("", "-")


def is_tsv(path: Path) -> bool:
    """Whether the columns are separated by tabs."""
    with path.open("rb") as file:
        return b"\t" in file.readline()


def read_tsv(path: Path, known: Mapping[str, Signal]) -> tuple[dict[str, NDArray[Any]], dict[str, Signal]]:
    """Columns by name, the time first and in seconds; `known` says more than the header does.

    A row that a killed run left unfinished is dropped.
    """
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    rows = list(csv.reader(text.splitlines(keepends=True), delimiter="\t"))
    if not text.endswith("\n"):
        rows.pop()
    if not rows:
        raise InputError(f"{path}: no header line; this is no result of a run")
    header = [_signal(cell) for cell in rows[0]]
    signals = {signal.name: known.get(signal.name, signal) for signal in header}
    complete = [row for row in rows[1:] if len(row) == len(header)]
    cells = list(zip(*complete, strict=True)) or [()] * len(header)
    columns = {name: typed_column(c, signals[name]) for name, c in zip(signals, cells, strict=True)}
    time = header[0]
    columns[time.name] = columns[time.name] * TIME_UNITS.get(time.unit or "s", 1.0)
    return columns, signals


def _signal(cell: str) -> Signal:
    """A cell of the header.

    >>> _signal("house.T_room [K] ")
    Signal(name='house.T_room', type=<Type.REAL: 'Real'>, unit='K', description='')
    """
    match = re.fullmatch(r"(.*?)\s+\[([^\[\]]*)\]", cell.strip())
    name, unit = match.groups() if match else (cell.strip(), "")
    return Signal(name, Type.REAL, None if unit in NO_UNIT else unit)
