"""`sspsim compare`: judges a result against a reference."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sspsim.cli.terminal import print_json


def compare(
    result: Annotated[Path, typer.Argument(help="Folder of a run, or a .csv, .parquet or .mat file.")],
    reference: Annotated[Path, typer.Argument(help="Folder or file to compare with.")],
    variables: Annotated[
        list[str] | None, typer.Argument(help="Columns (default: all that both have).")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the deviations: .svg, .png or .pdf.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
) -> None:
    """Compare two results, signal by signal.

    The measure is the epsilon band of the FMI cross-check; the exit code is 1 if a signal leaves it.
    """
    from dataclasses import asdict

    from sspsim.cli.terminal import print_table
    from sspsim.crosscheck.compare import compare as judge_files
    from sspsim.crosscheck.compare import draw_deviation

    verdicts = judge_files(result, reference, variables)
    if plot:
        draw_deviation(result, reference, [verdict.name for verdict in verdicts], plot)
    if json:
        print_json([asdict(verdict) for verdict in verdicts])
    else:
        rows = [["signal", "inside the band", "WRMS", "verdict"]]
        for v in verdicts:
            words = ("passed" if v.passed else "failed") + (f" ({v.remark})" if v.remark else "")
            rows.append([v.name, f"{v.inside:.1%}", f"{v.wrms:.4g}", words])
        print_table(rows)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(1)
