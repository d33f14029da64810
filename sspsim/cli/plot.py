"""`sspsim plot`: a picture of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def plot(
    source: Annotated[Path, typer.Argument(help="Result: a folder with values.csv, or a csv file.")],
    variables: Annotated[list[str] | None, typer.Argument(help="Names to be drawn (default: all).")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Picture: .svg, .png or .pdf.")
    ] = None,
) -> None:
    """Draw recorded variables over time."""
    from sspsim.results.picture import draw
    from sspsim.results.read import read_csv

    table = source / "values.csv" if source.is_dir() else source
    target = output or table.with_suffix(".svg")
    draw(read_csv(table), target, variables or [])
    typer.echo(f"plot: {target}")
