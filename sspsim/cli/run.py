"""`sspsim run`: simulates a system and writes the results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sspsim.masters import Auto, Master


def run(
    file: Annotated[
        Path, typer.Argument(help="System to run: .ssp, .ssd, or a folder with SystemStructure.ssd.")
    ],
    start: Annotated[
        float | None, typer.Option(help="Start time in s (default: the system's, else 0).")
    ] = None,
    stop: Annotated[
        float | None, typer.Option(help="Stop time in s (default: the system's or its FMUs').")
    ] = None,
    step: Annotated[
        float | None,
        typer.Option(help="Communication step in s (default: the FMUs', else a thousandth of the run)."),
    ] = None,
    master: Annotated[
        str, typer.Option(help="auto, gauss-jacobi, gauss-seidel, newton or anderson.")
    ] = "auto",
    output_step: Annotated[
        float | None,
        typer.Option("--output-step", help="Distance of output rows in s (default: every step)."),
    ] = None,
    record: Annotated[
        list[str] | None,
        typer.Option(help="Variables to record, such as 'plant.*'; repeatable (default: all outputs)."),
    ] = None,
    record_all: Annotated[
        bool, typer.Option("--record-all", help="Record every variable of every component.")
    ] = False,
    format: Annotated[
        list[str] | None, typer.Option(help="csv, parquet or mat; repeatable (default: csv).")
    ] = None,
    compress: Annotated[
        float | None,
        typer.Option(help="Leave out values that straight lines reproduce within this relative tolerance."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder for the results (default: <name>.results).")
    ] = None,
    report: Annotated[
        bool,
        typer.Option("--report", help="Write report.html too: picture, curves, steps, defects, statistics."),
    ] = False,
    variant: Annotated[
        str | None, typer.Option(help="Which system structure of the archive (file or name).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON instead of text.")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing but errors.")] = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Let the FMUs log everything into run.log.")
    ] = False,
) -> None:
    """Simulate a system; write its values, summary.json and run.log into a folder."""
    from sspsim.cli.progress import Progress
    from sspsim.cli.report import picture_of
    from sspsim.cli.terminal import print_summary
    from sspsim.graph.recording import EVERYTHING
    from sspsim.loading import load
    from sspsim.results.compress import Compression
    from sspsim.results.folder import run_into
    from sspsim.results.report import write_report
    from sspsim.results.steps import STEP_LOG
    from sspsim.simulation import Simulation

    compression = Compression(compress) if compress is not None else None
    system = load(file, variant)
    folder = output or Path(f"{file.resolve().stem}.results")
    progress = Progress(enabled=not quiet and not json)
    simulation = Simulation(
        system,
        start=start,
        stop=stop,
        step=step,
        output_step=output_step,
        record=[EVERYTHING] if record_all else record or (),
        master=_master(master),
        record_defects=report,
        step_log=folder / STEP_LOG if report else None,
        progress=progress.at,
        logging=verbose,
    )
    progress.span(simulation.start, simulation.stop)
    try:
        summary = run_into(folder, simulation, format or ("csv",), compression)
    finally:
        progress.close()
    if report:
        write_report(folder, picture_of(system))
    if not quiet:
        print_summary(summary, folder, json=json)


def _master(name: str) -> Master | Auto:
    from sspsim.masters import find_master

    return find_master(name)()
