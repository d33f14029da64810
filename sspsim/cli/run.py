"""`sspsim run`: simulates a system and writes the results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sspsim.errors import UsageError

if TYPE_CHECKING:
    from sspsim.masters import Master


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
    master: Annotated[str, typer.Option(help="gauss-jacobi or gauss-seidel.")] = "gauss-seidel",
    output_step: Annotated[
        float | None,
        typer.Option("--output-step", help="Distance of output rows in s (default: every step)."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder for the results (default: <name>.results).")
    ] = None,
    variant: Annotated[
        str | None, typer.Option(help="Which system structure of the archive (file or name).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON instead of text.")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing but errors.")] = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Let the FMUs log everything into run.log.")
    ] = False,
) -> None:
    """Simulate a system; write values.csv, summary.json and run.log into a folder."""
    from sspsim.cli.progress import Progress
    from sspsim.cli.terminal import print_summary
    from sspsim.loading import load
    from sspsim.results.folder import run_into
    from sspsim.simulation import Simulation

    system = load(file, variant)
    folder = output or Path(f"{file.resolve().stem}.results")
    progress = Progress(enabled=not quiet and not json)
    simulation = Simulation(
        system,
        start=start,
        stop=stop,
        step=step,
        output_step=output_step,
        master=_master(master),
        progress=progress.at,
        logging=verbose,
    )
    progress.span(simulation.start, simulation.stop)
    try:
        summary = run_into(folder, simulation)
    finally:
        progress.close()
    if not quiet:
        print_summary(summary, folder, json=json)


def _master(name: str) -> Master:
    from sspsim.masters import MASTERS

    if name not in MASTERS:
        raise UsageError(f"there is no master {name!r}; choose one of {', '.join(MASTERS)}")
    return MASTERS[name]()
