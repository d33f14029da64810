"""`sspsim report`: one page that explains a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sspsim.cli.terminal import print_json

if TYPE_CHECKING:
    from sspsim.loading import LoadedSystem


def report(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="The page (default: report.html in the folder)."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print where the page is as JSON.")] = False,
) -> None:
    """Write a page about a run that works offline.

    It shows the system, curves, steps, defects, statistics, warnings, settings and checksums.
    """
    from sspsim.results.report import write_report

    page = write_report(folder, _picture_of_run(folder), output)
    found = {"report": str(page), "bytes": page.stat().st_size}
    if json:
        print_json(found)
    else:
        typer.echo(f"report: {page}")


def _picture_of_run(folder: Path) -> str:
    """The picture of the system that was run, if its files are still the same."""
    from sspsim.loading import load
    from sspsim.results.read import read_result
    from sspsim.results.summary import checksum

    run = read_result(folder).run
    inputs = {Path(entry["file"]): entry["sha256"] for entry in run.get("inputs", ())}
    same = inputs and all(path.is_file() and checksum(path) == known for path, known in inputs.items())
    return picture_of(load(run["file"]), run) if same else ""


def picture_of(system: LoadedSystem, run: Mapping[str, Any]) -> str:
    """The picture of a system as SVG, with the masters that its cycles had in a run."""
    from sspsim.drawing.gather import gather
    from sspsim.drawing.place import place
    from sspsim.drawing.svg import write_svg

    cycles = run["statistics"]["cycles"]
    masters = {name: cycle["master"] for cycle in cycles for name in cycle["components"]}
    return write_svg(place(gather(system, masters)))
