"""Reads values.csv back."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from sspsim.errors import InputError
from sspsim.results.result import Result


def read_csv(path: Path) -> Result:
    """A result from a csv file whose first column is the time; a last row that was cut off is left out."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such result; run the system first") from None
    if not rows or len(rows[0]) < 1:
        raise InputError(f"{path}: no header line; this is no result of a run")
    header, cells = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    columns = list(zip(*cells, strict=True)) if cells else [()] * len(header)
    values = {name: _numbers(column) for name, column in zip(header, columns, strict=True)}
    return Result(values.pop(header[0]), values, {})


def _numbers(cells: tuple[str, ...]) -> Any:
    try:
        return np.array(cells, dtype=float)
    except ValueError:
        return np.array(cells)
