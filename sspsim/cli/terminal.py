"""What commands print for people."""

from __future__ import annotations

import json as json_module
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from sspsim.results.words import duration

FORMATS = ("csv", "parquet", "mat")


def print_summary(summary: dict[str, Any], folder: Path, *, json: bool) -> None:
    """The statistics of a run and where its files are."""
    if json:
        typer.echo(json_module.dumps(summary, indent=2))
        return
    statistics = summary["statistics"]
    span = f"t={summary['start']:g} to t={summary['reached']:g} s"
    typer.echo(
        f"{summary['system']}: {statistics['steps']} steps from {span} "
        f"with {summary['master']}, {duration(statistics['wall_clock_seconds'])}"
    )
    typer.echo(
        f"  initialisation {duration(statistics['initialization_seconds'])}, "
        f"master {duration(statistics['master_seconds'])}, output {duration(statistics['output_seconds'])}"
    )
    functions = ("doStep", "set", "get", "getState", "setState")
    rows = [["component", *functions]]
    for name, calls in statistics["components"].items():
        cells = (calls[f] for f in functions)
        rows.append(
            [name, *(f"{c['calls']} / {duration(c['seconds'])}" if c["calls"] else "-" for c in cells)]
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
