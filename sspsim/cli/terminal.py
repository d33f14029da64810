"""What commands print for people."""

from __future__ import annotations

import json as json_module
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

FORMATS = ("csv", "parquet", "mat")


def print_summary(summary: dict[str, Any], folder: Path, *, json: bool) -> None:
    """The statistics of a run and where its files are."""
    if json:
        typer.echo(json_module.dumps(summary, indent=2))
        return
    statistics = summary["statistics"]
    typer.echo(
        f"{summary['system']}: {statistics['steps']} steps from t={summary['start']:g} to t={summary['reached']:g} s "
        f"with {summary['master']}, {seconds(statistics['wall_clock_seconds'])}"
    )
    typer.echo(
        f"  initialisation {seconds(statistics['initialization_seconds'])}, "
        f"master {seconds(statistics['master_seconds'])}, output {seconds(statistics['output_seconds'])}"
    )
    functions = ("doStep", "set", "get", "getState", "setState")
    rows = [["component", *functions]]
    for name, calls in statistics["components"].items():
        cells = (calls[f] for f in functions)
        rows.append(
            [name, *(f"{c['calls']} / {seconds(c['seconds'])}" if c["calls"] else "-" for c in cells)]
        )
    print_table(rows)
    files = ", ".join(str(path) for path in sorted(folder.glob("values.*")) if path.suffix[1:] in FORMATS)
    typer.echo(f"results: {files} ({summary['rows']} rows, {len(summary['columns'])} columns)")


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Columns under their headings, the first one to the left, the others to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        cells = (
            text.ljust(w) if k == 0 else text.rjust(w)
            for k, (text, w) in enumerate(zip(row, widths, strict=True))
        )
        typer.echo("  " + "  ".join(cells).rstrip())


def seconds(value: float) -> str:
    """A duration with a unit that suits it.

    >>> seconds(0.00213), seconds(75.0)
    ('2.13 ms', '75 s')
    """
    for factor, unit in ((1e-6, "us"), (1e-3, "ms")):
        if value < 1000 * factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value:.3g} s"
