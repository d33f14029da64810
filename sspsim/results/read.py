"""Reads a result back: from a run's folder or from one of its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.errors import InputError
from sspsim.results.mat import read_mat
from sspsim.results.parquet import parts_of, read_parquet
from sspsim.results.read_csv import read_csv
from sspsim.results.read_tsv import is_tsv, read_tsv
from sspsim.results.result import Result
from sspsim.results.signal import Signal

NAMES = ("values.parquet", "values.parquet.parts", "values.csv", "values.mat", "results/values.csv")


def read_result(path: str | Path) -> Result:
    """The result in a folder of a run (also one of MasterSim), or in a .csv, .parquet or .mat file.

    Values that compressed output left out are put back: on straight lines for reals, the last value for
    everything else. After a killed run the result reaches as far as was written.
    """
    path = _file(Path(path))
    summary = _summary(path.parent) or _summary(path.parent.parent)
    known = {column["name"]: Signal.parse(column) for column in summary.get("columns", ())}
    if path.suffix in (".csv", ".tsv"):
        columns, signals = read_tsv(path, known) if is_tsv(path) else (read_csv(path, known), known)
        run: dict[str, Any] = {}
    elif path.suffix == ".mat":
        columns, signals, run = read_mat(path)
    else:
        columns, signals, run = read_parquet(path)
    time = columns.pop(next(iter(columns)))
    if time.dtype.kind != "f":
        raise InputError(f"{path}: the first column holds no times; this is no result of a run")
    values = {name: put_back(time, v, signals.get(name)) for name, v in columns.items()}
    return Result(time, values, signals, summary or run)


def _file(path: Path) -> Path:
    candidates = [path / name for name in NAMES] if path.is_dir() and path.suffix != ".parts" else [path]
    if path.suffix == ".parquet":
        candidates.append(parts_of(path))
    for candidate in candidates:
        if candidate.exists():
            return candidate
    if path.is_dir():
        raise InputError(f"{path}: the folder holds no result ({', '.join(NAMES)}); run the system first")
    raise InputError(f"{path}: there is no such result; run the system first")


def _summary(folder: Path) -> dict[str, Any]:
    """What the run told about itself; a foreign file has no such neighbour."""
    try:
        found = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and "sspsim" in found else {}


def put_back(time: NDArray[np.float64], values: NDArray[Any], signal: Signal | None) -> NDArray[Any]:
    """The whole column: what was left out (masked) lies on straight lines, or keeps the last value."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    there = np.flatnonzero(~np.ma.getmaskarray(values))
    if not len(there):
        return np.full(len(values), np.nan)
    rows = np.arange(len(values))
    before = there[np.maximum(np.searchsorted(there, rows, "right") - 1, 0)]
    held: NDArray[Any] = values.data[before]
    if values.dtype.kind != "f" or not (signal is None or signal.continuous):
        return held
    # By rows, not by times: a time stands twice where the values jump.
    after = there[np.minimum(np.searchsorted(there, rows, "left"), len(there) - 1)]
    gap = time[after] > time[before]
    share = (time[gap] - time[before[gap]]) / (time[after[gap]] - time[before[gap]])
    held[gap] += share * (values.data[after[gap]] - held[gap])
    return held
