"""`sspsim explain`: where a value comes from."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sspsim.cli import shared_options
from sspsim.cli.terminal import print_json


def explain(
    file: Annotated[
        Path,
        typer.Argument(help="System to look at: .ssp, .ssd, a folder with SystemStructure.ssd, or .msim."),
    ],
    name: Annotated[str, typer.Argument(help="component.variable, or a connector of the system.")],
    variant: Annotated[str | None, shared_options.variant()] = None,
    allow_parent: Annotated[bool, shared_options.allow_parent()] = False,
    set_values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Value as in a run; repeatable."),
    ] = None,
    parameters: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Parameter set (.ssv) as in a run; repeatable.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Tell where a value comes from.

    Connections with their conversions, parameter bindings, the start value of the FMU.
    """
    from sspsim.cli.run import given_values
    from sspsim.graph.explain import explain
    from sspsim.loading import load

    system = load(
        file,
        variant,
        parameters=given_values(set_values or ()),
        parameter_files=parameters or (),
        allow_missing=True,
        allow_parent=allow_parent,
    )
    found = explain(system.network, name)
    if json:
        print_json([asdict(explanation) for explanation in found])
        return
    for explanation in found:
        typer.echo(str(explanation))
