"""`sspsim plot`: a picture of one or several results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sspsim.cli.terminal import print_json


def plot(
    source: Annotated[
        Path, typer.Argument(help="Result: the folder of a run, or a .csv, .parquet or .mat file.")
    ],
    variables: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names or patterns such as 'plant.*'; further results are overlaid (default: all)."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Picture: .svg, .png, .pdf or .html (default: values.svg in DIR).",
        ),
    ] = None,
    steps: Annotated[
        bool, typer.Option("--steps", help="Add a panel with the step sizes and the instants of events.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print what was drawn as JSON.")] = False,
) -> None:
    """Draw recorded variables over time.

    There is a panel for each unit; further results are laid over the first one.
    """
    from sspsim.results.panels import chosen_names
    from sspsim.results.picture import draw
    from sspsim.results.read import read_result
    from sspsim.results.steps import read_steps

    others = [Path(word) for word in variables or () if Path(word).exists()]
    names = [word for word in variables or () if not Path(word).exists()]
    paths = _labelled([source, *others])
    runs = {label: read_result(path) for label, path in paths.items()}
    logs = {label: read_steps(path) for label, path in paths.items()}
    target = output or (source / "values.svg" if source.is_dir() else source.with_suffix(".svg"))
    draw(runs, target, names, steps=steps, step_logs=logs)
    if json:
        drawn = {"picture": str(target), "results": list(runs), "variables": chosen_names(runs, names)}
        print_json(drawn)
    else:
        typer.echo(f"plot: {target}")


def _labelled(paths: list[Path]) -> dict[str, Path]:
    """Results by what tells them apart: the name of the folder, or all of the path if names are equal."""
    names = [path.resolve().name.removesuffix(".results") if path.is_dir() else str(path) for path in paths]
    return {
        name if names.count(name) == 1 else str(path): path for name, path in zip(names, paths, strict=True)
    }
