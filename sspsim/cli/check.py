"""`sspsim check`: everything that is wrong or remarkable in a system."""

from __future__ import annotations

import json as json_module
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sspsim.structure import Diagnostic

INVALID = 3


def check(
    file: Annotated[
        Path, typer.Argument(help="System to check: .ssp, .ssd, or a folder with SystemStructure.ssd.")
    ],
    variant: Annotated[
        str | None, typer.Option(help="Which system structure of the archive (file or name).")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Violations of the schema and doubtful units are errors.")
    ] = False,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Components without an implementation are no errors.")
    ] = False,
    allow_parent: Annotated[
        bool, typer.Option("--allow-parent", help="References may lead out of the folder of the system.")
    ] = False,
    conversions: Annotated[
        str, typer.Option(help="Which conversions between types are allowed: safe or all.")
    ] = "safe",
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Report everything that is wrong or remarkable in a system, its files and FMUs.

    The exit code is 3 if there are errors, that is, if the system cannot be simulated.
    """
    from sspsim.errors import InputError
    from sspsim.loading import load
    from sspsim.structure.diagnostic import Severity, error

    try:
        system = load(
            file,
            variant,
            conversions=conversions,
            allow_missing=allow_missing,
            allow_parent=allow_parent,
            strict=strict,
        )
        found = system.check()
    except InputError as problem:
        found = [error("V01", str(problem))]
    if json:
        typer.echo(json_module.dumps(_as_json(file, found), indent=2))
    else:
        for finding in found:
            typer.echo(str(finding))
        typer.echo(f"{file}: {_summary(found)}")
    if any(finding.severity is Severity.ERROR for finding in found):
        raise typer.Exit(INVALID)


def _as_json(file: Path, found: Sequence[Diagnostic]) -> dict[str, object]:
    return {
        "file": str(file),
        "findings": [
            {
                "code": finding.code,
                "severity": str(finding.severity),
                "file": finding.origin.file if finding.origin else None,
                "line": finding.origin.line if finding.origin and finding.origin.line else None,
                "message": finding.message,
                "hint": finding.hint,
            }
            for finding in found
        ],
    }


def _summary(found: Sequence[Diagnostic]) -> str:
    counts = Counter(str(finding.severity) for finding in found)
    words = (("error", "error"), ("warning", "warning"), ("info", "note"))
    parts = [f"{counts[s]} {word}{'s' if counts[s] > 1 else ''}" for s, word in words if counts[s]]
    return ", ".join(parts) or "nothing to complain about"
