"""`sspsim convert`: from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sspsim.cli import shared_options
from sspsim.cli.terminal import print_json


def convert(
    source: Annotated[Path, typer.Argument(help="System to read: .msim, .ssp, .ssd or a folder.")],
    target: Annotated[
        Path, typer.Argument(help="File to write: .msim, .ssp, .ssd; anything else is a folder.")
    ],
    variant: Annotated[str | None, shared_options.variant()] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Do not list what is lost.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print what is lost as JSON.")] = False,
) -> None:
    """Convert between MasterSim projects and SSP.

    What has no counterpart in the other format is listed.
    """
    from sspsim.converting import convert as convert_file

    lost = convert_file(source, target, variant)
    if json:
        found = {"source": str(source), "target": str(target), "lost": [str(item) for item in lost]}
        print_json(found)
        return
    if quiet:
        return
    typer.echo(f"{source} -> {target}")
    if lost:
        typer.echo("without a counterpart:")
    for item in lost:
        typer.echo(f"  {item}")
