"""Compares two results or csv files, and draws where they differ."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

import numpy as np

from sspsim.crosscheck.judge import Verdict, epsilon_band, judge_all
from sspsim.crosscheck.tables import Table, read_table
from sspsim.errors import InputError, UsageError
from sspsim.results.picture import PICTURES
from sspsim.results.read import read_result

COLUMNS = 2  # of plots on a page


def compare(result: Path, reference: Path, variables: list[str] | None = None) -> list[Verdict]:
    """Judges the signals of a result that the reference has too, or the named ones."""
    ours, theirs = _read(result), _read(reference)
    chosen = _chosen(ours, theirs, variables, result, reference)
    return judge_all(ours.time, ours.columns, theirs.time, {name: theirs.columns[name] for name in chosen})


def _read(path: Path) -> Table:
    """A csv file of any origin, or a result: the folder of a run, a parquet or mat file."""
    if not path.is_dir() and path.suffix not in (".parquet", ".mat"):
        return read_table(path)
    found = read_result(path)
    numbers = {name: v.astype(float) for name, v in found.items() if v.dtype.kind in "fbiu"}
    return Table(found.time, numbers)


def _chosen(
    ours: Table, theirs: Table, variables: list[str] | None, result: Path, reference: Path
) -> list[str]:
    for name in variables or []:
        for path, table in ((result, ours), (reference, theirs)):
            if name not in table.columns:
                close = get_close_matches(name, table.columns)
                advice = f"; did you mean {' or '.join(close)}?" if close else ""
                raise UsageError(f"{path}: there is no column {name!r}{advice}")
    chosen = variables or [name for name in theirs.columns if name in ours.columns]
    if not chosen:
        raise InputError(f"{result} and {reference} have no column in common beside the time")
    return chosen


def draw_deviation(result: Path, reference: Path, names: list[str], target: Path) -> None:
    """One picture per signal: result, reference, its band, and the deviation below."""
    from matplotlib.figure import Figure

    if target.suffix not in PICTURES:
        raise UsageError(f"{target}: choose a name that ends with {', '.join(PICTURES)}")
    ours, theirs = _read(result), _read(reference)
    names = [name for name in names if name in ours.columns]
    rows = -(-len(names) // COLUMNS)
    figure = Figure(figsize=(6 * COLUMNS, 3.6 * max(1, rows)), layout="constrained")
    axes = figure.subplots(2 * max(1, rows), COLUMNS, squeeze=False, height_ratios=[3, 1] * max(1, rows))
    for k, name in enumerate(names):
        upper, lower = axes[2 * (k // COLUMNS)][k % COLUMNS], axes[2 * (k // COLUMNS) + 1][k % COLUMNS]
        band = epsilon_band(theirs.time, theirs.columns[name])
        upper.fill_between(band.time, band.lower, band.upper, alpha=0.15, label="band")
        upper.plot(theirs.time, theirs.columns[name], linewidth=1, label="reference")
        upper.plot(ours.time, ours.columns[name], linewidth=1, label="result")
        upper.set_title(name)
        upper.legend(frameon=False)
        expected = np.interp(ours.time, theirs.time, theirs.columns[name])
        lower.plot(ours.time, ours.columns[name] - expected, linewidth=1)
        lower.set_ylabel("deviation")
        lower.set_xlabel("time [s]")
    for unused in range(len(names), COLUMNS * max(1, rows)):
        axes[2 * (unused // COLUMNS)][unused % COLUMNS].axis("off")
        axes[2 * (unused // COLUMNS) + 1][unused % COLUMNS].axis("off")
    figure.savefig(target)
