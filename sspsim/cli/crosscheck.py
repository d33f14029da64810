"""`sspsim crosscheck`: runs a folder in the layout of the FMI cross-check."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from sspsim.cli.terminal import print_json
from sspsim.errors import InputError, UsageError


def crosscheck(
    folder: Annotated[
        Path,
        typer.Argument(
            help="Folder with <fmi>/<cs|me>/<platform>/<tool>/<version>/<model>/ somewhere below it."
        ),
    ],
    platform: Annotated[
        str, typer.Option(metavar="NAME", help="Which binaries: linux64, win64, darwin64, ...")
    ] = "linux64",
    type: Annotated[str | None, typer.Option(metavar="NAME", help="cs or me (default: both).")] = None,
    only: Annotated[str, typer.Option(metavar="TEXT", help="Only cases whose name contains this text.")] = "",
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FOLDER", help="Folder for the results.")
    ] = Path("crosscheck.results"),
    jobs: Annotated[
        int, typer.Option("-j", "--jobs", min=1, metavar="NUMBER", help="How many cases side by side.")
    ] = os.cpu_count() or 1,
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=1, metavar="SECONDS", help="Seconds that a case may take.")
    ] = 600,
    again: Annotated[
        bool, typer.Option("--again", help="Run cases anew that have a result already.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the outcomes as JSON.")] = False,
) -> None:
    """Run FMUs with reference results and judge them.

    The results are written in the layout of the FMI cross-check.
    """
    from dataclasses import asdict

    from sspsim.cli.terminal import print_table
    from sspsim.crosscheck.cases import find_cases
    from sspsim.crosscheck.outcome import MARKERS, Outcome
    from sspsim.crosscheck.overview import counts_by_tool, write_overview
    from sspsim.crosscheck.runner import run_all

    if type not in (None, "cs", "me"):
        raise UsageError(f"--type is cs or me, not {type!r}")
    cases = [case for case in find_cases(folder, platform, type) if only in case.name]
    if not cases:
        raise InputError(
            f"{folder}: no cases for {platform}; expected <fmi>/<cs|me>/{platform}/<tool>/<version>/<model>/"
        )

    def show(outcome: Outcome) -> None:
        if not json:
            typer.echo(
                f"{outcome.status:8}  {outcome.case}" + (f": {outcome.reason}" if outcome.reason else "")
            )

    outcomes = run_all(cases, output, jobs=jobs, time_limit=time_limit, again=again, done=show)
    write_overview(outcomes, output)
    if json:
        print_json([asdict(outcome) for outcome in outcomes])
        return
    rows = [["FMI/type/tool/version", *MARKERS]]
    rows += [[tool, *(str(counts[m] or "-") for m in MARKERS)] for tool, counts in counts_by_tool(outcomes)]
    rows.append(["all", *(str(sum(o.status == m for o in outcomes)) for m in MARKERS)])
    print_table(rows)
    typer.echo(f"results: {output / 'overview.html'}")
