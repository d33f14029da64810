"""`sspsim new`: makes a system from FMUs and tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sspsim.cli.terminal import print_json
from sspsim.errors import UsageError

if TYPE_CHECKING:
    from sspsim.compose.matching import Matching

SHOWN = 12  # of each kind; --all shows the rest


def new(
    target: Annotated[Path, typer.Argument(help="System to write: an .ssp archive, or a folder.")],
    parts: Annotated[
        list[str], typer.Argument(help="FMUs and csv tables; name=file gives a component another name.")
    ],
    connect: Annotated[
        str, typer.Option(metavar="NAME", help="auto: connect by names; none: only what the mapping says.")
    ] = "auto",
    mapping: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File with lines like 'plant.T -> controller.T_in' or 'plant.T* -> controller.T*'.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the target if it is there.")] = False,
    show_all: Annotated[
        bool, typer.Option("--all", help="List every connection, not only the first ones.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print what was connected as JSON.")] = False,
) -> None:
    """Make a system from FMUs and tables, connected by names.

    Types and units are checked. Outputs and inputs are connected if the mapping file says so; if an input is
    called after its source (plant.T or plant_T) or an output after its target; if names are equal; if they
    differ only in case and punctuation. What is ambiguous is left open and told.
    """
    from sspsim.compose.compose import compose
    from sspsim.compose.mapping import read_mapping
    from sspsim.compose.matching import match, ports
    from sspsim.compose.parts import read_parts
    from sspsim.formats import ssp

    if connect not in ("auto", "none"):
        raise UsageError(f"--connect {connect!r}: choose auto or none")
    if target.suffix in (".ssd", ".msim", ".fmu"):
        raise UsageError(f"{target}: choose a name that ends with .ssp, or that of a folder")
    if target.exists() and not force:
        raise UsageError(f"{target} is there already; --force replaces it")
    found = read_parts(parts)
    names = ([port.name for port in ports(found, kind)] for kind in ("output", "input"))
    wishes = read_mapping(mapping, *names) if mapping else []
    matching = match(found, wishes, by_name=connect == "auto")
    ssp.write(compose(target.stem, found, matching), target)
    if json:
        print_json(_as_json(target, matching))
    else:
        _print(target, len(found), matching, None if show_all else SHOWN)


def _as_json(target: Path, matching: Matching) -> dict[str, Any]:
    return {
        "system": str(target),
        "connections": [
            {"source": m.source.name, "target": m.target.name, "rule": m.rule, "note": m.note}
            for m in matching.matches
        ],
        "ambiguous": {port.name: [other.name for other in others] for port, others in matching.ambiguous},
        "refused": [
            {"source": m.source.name, "target": m.target.name, "reason": m.note} for m in matching.refused
        ],
        "open_inputs": [port.name for port in matching.open_inputs],
        "unused_outputs": [port.name for port in matching.unused_outputs],
    }


def _print(target: Path, components: int, matching: Matching, limit: int | None) -> None:
    typer.echo(f"{target}: components: {components}, connections: {len(matching.matches)}")
    connected = [
        f"{m.source.name} -> {m.target.name}  ({m.rule}{', ' + m.note if m.note else ''})"
        for m in matching.matches
    ]
    ambiguous = [
        f"{port.name}: {' or '.join(other.name for other in others)}" for port, others in matching.ambiguous
    ]
    refused = [f"{m.source.name} -> {m.target.name}: {m.note}" for m in matching.refused]
    doubtful = {port.name for port, _ in matching.ambiguous}
    left_open = [port.name for port in matching.open_inputs if port.name not in doubtful]
    _print_list("connected", connected, limit)
    _print_list("ambiguous, left open (decide with --mapping)", ambiguous, limit)
    _print_list("equal names that do not fit, left open", refused, limit)
    _print_list("inputs without a source, which keep their start values", left_open, limit)
    _print_list("outputs without a target", [port.name for port in matching.unused_outputs], limit)


def _print_list(title: str, lines: list[str], limit: int | None) -> None:
    if lines:
        typer.echo(f"{title}: {len(lines)}")
        for line in lines[:limit]:
            typer.echo(f"  {line}")
        if limit is not None and len(lines) > limit:
            typer.echo(f"  and {len(lines) - limit} more (--all)")
