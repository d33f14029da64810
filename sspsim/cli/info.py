"""`sspsim info`: what is in a system, and what its structure means for a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from sspsim.cli import shared_options
from sspsim.cli.terminal import print_json

FEW = 8  # variables of a loop
MANY = 20  # more of a kind are not listed, only counted; --json has them all


def info(
    file: Annotated[
        Path,
        typer.Argument(help="System to look at: .ssp, .ssd, a folder with SystemStructure.ssd, or .msim."),
    ],
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    time_only: Annotated[list[str] | None, shared_options.time_only()] = None,
    order: Annotated[str | None, shared_options.order()] = None,
    variant: Annotated[str | None, shared_options.variant()] = None,
    allow_parent: Annotated[bool, shared_options.allow_parent()] = False,
) -> None:
    """Show components, cycles, order, which master fits and why.

    Also variants of the archive, time-only outputs and algebraic loops.
    """
    from sspsim.cli.terminal import names_in, print_table
    from sspsim.formats.traceability import traceability
    from sspsim.loading import load
    from sspsim.structure import Severity

    system = load(file, variant, time_only=time_only or (), order=names_in(order), allow_parent=allow_parent)
    package = system.package
    variants = [{**v._asdict(), "chosen": v.file == package.root} for v in package.variants]
    files = traceability(package)
    found = {
        **system.facts(),
        "variants": variants,
        "traceability": [
            {key: value for key, value in asdict(file).items() if key != "findings"} for file in files
        ],
    }
    for diagnostic in system.problems():
        if diagnostic.severity > Severity.INFO:
            typer.echo(str(diagnostic), err=True)
    if json:
        print_json(found)
        return
    sizes = f"{_count(found['components'], 'component')}, {_count(found['cycles'], 'cycle')}"
    typer.echo(f"{found['system']}: {sizes}")
    if found["components"]:
        print_table(list(_component_rows(found)))
    for line in _lines(found):
        typer.echo(line)


def _component_rows(found: dict[str, Any]) -> Iterator[list[str]]:
    flags = {
        "rollback": "rollback",
        "variable_step": "variable step",
        "directional_derivatives": "derivatives",
    }
    yield ["component", "FMI", "kind", "model", *flags.values()]
    for c in found["components"]:
        yield [
            c["name"],
            str(c["fmi"]),
            c["kind"],
            c["model"],
            *("yes" if c[flag] else "no" for flag in flags),
        ]


def _lines(found: dict[str, Any]) -> Iterator[str]:
    if len(found["variants"]) > 1:
        yield from _listed("variants (--variant)", map(_variant, found["variants"]))
    if found["masters"]:
        yield "order of evaluation:"
    for number, stage in enumerate(found["masters"], 1):
        yield f"  {number}. {_stage_name(stage)}{', '.join(stage['components'])}"
        if stage["cycle"]:
            yield f"     {stage['master']}: {stage['why']}"
        if stage["advice"]:
            yield f"     better: {stage['advice']}"
    if any(not stage["cycle"] for stage in found["masters"]):
        yield "  what is in no cycle: gauss-seidel, one pass in order is exact"
    yield from _listed("assumed values (broken edges)", map(_arrow, found["broken_edges"]))
    yield from _listed(
        "values of the step's beginning (time-only, against the order)", map(_arrow, found["held_edges"])
    )
    yield from _listed("time-only outputs", found["time_only"])
    yield from _listed("traceability", map(_traced, found["traceability"]))
    yield from _listed("algebraic loops in steps", map(_loop, found["loops"]["stepping"]))
    yield from _listed("algebraic loops in the initialisation", map(_loop, found["loops"]["initialization"]))


def _stage_name(stage: dict[str, Any]) -> str:
    return f"cycle {stage['cycle']}: " if stage["cycle"] else ""


def _variant(variant: dict[str, Any]) -> str:
    return f"{variant['file']}: {variant['name']}{' (this one)' if variant['chosen'] else ''}"


def _traced(file: dict[str, Any]) -> str:
    of = f" of {file['resource']}" if file["resource"] else ""
    checksum = {None: "", True: ", its checksum is right", False: ", its checksum is wrong"}[file["verified"]]
    return f"{file['location']}: {file['kind']} {file['name']!r}{of}{checksum}"


def _loop(variables: list[str]) -> str:
    more = f" and {len(variables) - FEW} more variables" if len(variables) > FEW else ""
    return f"{', '.join(variables[:FEW])}{more}"


def _arrow(edge: dict[str, str]) -> str:
    return f"{edge['source']} -> {edge['target']}"


def _listed(title: str, items: Iterator[str] | list[str]) -> Iterator[str]:
    texts = list(items)
    if not texts:
        return
    yield f"{title}:"
    yield from (f"  {text}" for text in texts[:MANY])
    if len(texts) > MANY:
        yield f"  and {len(texts) - MANY} more (--json lists all)"


def _count(things: list[Any], name: str) -> str:
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"
