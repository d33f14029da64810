"""What commands print for people."""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sspsim.results.words import duration, great_defects, troubles

if TYPE_CHECKING:
    from sspsim.structure import Diagnostic

FILES = (".csv", ".parquet", ".mat", ".html")
PARTS = {  # of the wall clock time
    "loading_seconds": "loading",
    "initialization_seconds": "initialisation",
    "master_seconds": "master",
    "error_test_seconds": "error tests",
    "output_seconds": "output",
    "other_seconds": "other",
}
COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


def names_in(text: str | None) -> list[str]:
    """Names that a user has typed with commas between them.

    >>> names_in("heater, house")
    ['heater', 'house']
    """
    return [name.strip() for name in text.split(",")] if text else []


def complain(severity: str, text: str) -> None:
    """A line on standard error that begins with `error:`, `warning:` or `info:`, coloured for people."""
    colour = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    head = typer.style(f"{severity}:", fg=COLOURS[severity], bold=True) if colour else f"{severity}:"
    typer.echo(f"{head} {text}", err=True, color=colour)


def print_findings(found: Iterable[Diagnostic]) -> None:
    """What was noticed in the files, by code and counted: one line for each kind of finding."""
    groups: dict[tuple[str, str], list[Diagnostic]] = defaultdict(list)
    for finding in found:
        groups[str(finding.severity), finding.code].append(finding)
    for (severity, code), members in groups.items():
        first = members[0]
        place = f"{first.origin}: " if first.origin else ""
        more = (
            f" (and {len(members) - 1} more of {code}; 'sspsim check' lists them)" if len(members) > 1 else ""
        )
        if severity != "info":
            complain(severity, f"{place}{first.message} [{code}]{more}")


def print_json(data: Any) -> None:
    """For programs."""
    typer.echo(json.dumps(data, indent=2))


def print_summary(summary: dict[str, Any], folder: Path, show: Callable[[float], str]) -> None:
    """The statistics of a run and where its files are."""
    statistics = summary["statistics"]
    span = f"t = {show(summary['start'])} to {show(summary['reached'])}"
    typer.echo(
        f"{summary['system']}: {statistics['steps']} steps from {span} "
        f"with {summary['master']}, {duration(statistics['wall_clock_seconds'])}"
    )
    parts = ", ".join(f"{word} {duration(statistics[key])}" for key, word in PARTS.items() if statistics[key])
    typer.echo(f"  {parts}")
    if failed := statistics.get("error_test_failures", 0):
        typer.echo(f"  {failed} failed error tests")
    for line in great_defects(statistics):
        typer.echo(f"  {line}")
    functions = ("doStep", "set", "get", "getState", "setState")
    rows = [["component", *functions]]
    for name, calls in statistics["components"].items():
        cells = (calls[f] for f in functions)
        rows.append(
            [name, *(f"{c['calls']} / {duration(c['seconds'])}" if c["calls"] else "-" for c in cells)]
        )
    print_table(rows)
    for notice in summary.get("notices", ()):
        typer.echo(f"  {notice}")
    for text in troubles(statistics):
        complain("warning", text)
    names = sorted(path for path in folder.glob("*") if path.suffix in FILES and path.name != "steps.csv")
    files = ", ".join(map(str, names))
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
