"""Reads the csv files of the cross-check, whatever their quotes, separators and line ends."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sspsim.errors import InputError

WORDS = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True)
class Table:
    """Columns over time."""

    time: NDArray[np.float64]
    columns: dict[str, NDArray[np.float64]]


def read_table(path: Path) -> Table:
    """A csv file whose first column is the time; cells that are no numbers become NaN."""
    try:
        lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {problem.strerror}") from None
    if not lines:
        raise InputError(f"{path}: the file is empty")
    rows = list(csv.reader(lines, delimiter=_delimiter(lines[0]), skipinitialspace=True))
    header = [name.strip().strip('"') for name in rows[0]]
    while header and not header[-1]:
        header.pop()  # a separator at the end of the line
    cells = [row[: len(header)] for row in rows[1:] if len(row) >= len(header)]
    if len(header) < 2 or not cells:
        raise InputError(f"{path}: there is no column beside the time, or no row")
    numbers = np.array([[_number(cell) for cell in row] for row in cells])
    if np.isnan(numbers[:, 0]).any():
        row = int(np.isnan(numbers[:, 0]).argmax())
        raise InputError(
            f"{path}: {cells[row][0]!r} in row {row + 1} is no time; the first column must hold numbers"
        )
    return Table(numbers[:, 0], {name: numbers[:, k] for k, name in enumerate(header) if k})


def _delimiter(header: str) -> str:
    return max(",;\t", key=header.count)


def _number(cell: str) -> float:
    text = cell.strip().strip('"')
    try:
        return float(text)
    except ValueError:
        return WORDS.get(text.lower(), np.nan)
