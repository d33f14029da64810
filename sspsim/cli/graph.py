"""`sspsim graph`: a picture of a system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sspsim.cli import shared_options
from sspsim.cli.terminal import print_json


def graph(
    file: Annotated[
        Path, typer.Argument(help="System to draw: .ssp, .ssd, a folder with SystemStructure.ssd, or .msim.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Picture to write: .svg, .png, .html, or the graph as .dot, .graphml.",
        ),
    ],
    columns: Annotated[
        bool,
        typer.Option(
            "--columns", help="In columns by the order of evaluation, even if the file gives places."
        ),
    ] = False,
    time_only: Annotated[list[str] | None, shared_options.time_only()] = None,
    order: Annotated[str | None, shared_options.order()] = None,
    variant: Annotated[str | None, shared_options.variant()] = None,
    allow_parent: Annotated[bool, shared_options.allow_parent()] = False,
    json: Annotated[bool, typer.Option("--json", help="Print what was drawn as JSON.")] = False,
) -> None:
    """Draw a system with its connections and cycles.

    Assumed values and outputs that depend on time alone have line styles of their own.
    """
    from sspsim.cli.terminal import names_in
    from sspsim.drawing.draw import draw
    from sspsim.loading import load

    system = load(file, variant, time_only=time_only or (), order=names_in(order), allow_parent=allow_parent)
    draw(system, output, as_told=not columns)
    names = [instance.name for instance in system.flat.instances]
    if json:
        print_json({"picture": str(output), "components": names})
    else:
        typer.echo(f"{output}: {len(names)} components")
