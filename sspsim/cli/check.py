"""`sspsim check`: everything that is wrong or remarkable in a system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sspsim.cli import shared_options
from sspsim.cli.terminal import print_json

if TYPE_CHECKING:
    from sspsim.fmi.probing import Finding
    from sspsim.loading import LoadedSystem
    from sspsim.structure import Diagnostic

INVALID = 3


def check(
    file: Annotated[
        Path, typer.Argument(help="System to check: .ssp, .ssd, a folder with SystemStructure.ssd, or .msim.")
    ],
    variant: Annotated[str | None, shared_options.variant()] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Violations of schemas and doubtful units are errors.")
    ] = False,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Components without an implementation are no errors.")
    ] = False,
    allow_parent: Annotated[bool, shared_options.allow_parent()] = False,
    conversions: Annotated[str, shared_options.conversions()] = "safe",
    probe: Annotated[
        bool, typer.Option("--probe", help="Run every component alone and try out what it declares.")
    ] = False,
    allow_compile: Annotated[
        bool,
        typer.Option("--allow-compile", help="FMUs that bring only sources are no errors; compile them."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Report what is wrong or remarkable in a system.

    Its files and its FMUs are looked at. The exit code is 3 if there are errors, that is, if the system
    cannot be simulated.
    """
    from sspsim.cli.terminal import print_table
    from sspsim.errors import InputError
    from sspsim.formats.refusal import findings_of
    from sspsim.loading import load
    from sspsim.structure.diagnostic import Severity
    from sspsim.structure.hints import with_hint

    try:
        system = load(
            file,
            variant,
            conversions=conversions,
            allow_missing=allow_missing,
            allow_parent=allow_parent,
            strict=strict,
        )
        found = system.check(allow_compile=allow_compile)
    except InputError as problem:
        found, probe = findings_of(problem), False
    probes = _probe(system, allow_compile) if probe else []
    found += [_as_finding(made, strict) for made in probes if made.outcome == "failed"]
    found = [with_hint(finding) for finding in found]
    if json:
        print_json(_as_json(file, found, probes if probe else None))
    else:
        if probes:
            print_table(_table(probes))
        for finding in found:
            typer.echo(str(finding))
        typer.echo(f"{file}: {_summary(found)}")
    if any(finding.severity is Severity.ERROR for finding in found):
        raise typer.Exit(INVALID)


def _probe(system: LoadedSystem, allow_compile: bool) -> list[Finding]:
    """Tries all components out with the start and step that a run would have."""
    from sspsim.engine.verify import probe_components
    from sspsim.errors import UsageError
    from sspsim.experiment import first_step, times

    try:
        start, stop = times(system, None, None)
    except UsageError:
        start, stop = 0.0, 1.0  # nobody says when to stop; a few steps are enough here
    step = first_step(system, None, stop - start)
    return list(
        probe_components(
            system.open_fmu, system.flat.instances, start=start, step=step, allow_compile=allow_compile
        )
    )


def _as_finding(made: Finding, strict: bool) -> Diagnostic:
    from sspsim.engine.verify import PROMISE
    from sspsim.structure.diagnostic import error, warning

    message = f"component {made.component!r} fails the check of its {made.check}: {made.detail}"
    return (error if strict else warning)(PROMISE, message)


def _table(probes: Sequence[Finding]) -> list[list[str]]:
    """A line for each component, a column for each check."""
    checks = list(dict.fromkeys(made.check for made in probes))
    outcomes = {(made.component, made.check): made.outcome for made in probes}
    components = dict.fromkeys(made.component for made in probes)
    return [["component", *checks], *([name, *(outcomes[name, c] for c in checks)] for name in components)]


def _as_json(file: Path, found: Sequence[Diagnostic], probes: Sequence[Finding] | None) -> dict[str, object]:
    tried = {} if probes is None else {"probes": [asdict(made) for made in probes]}
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
        **tried,
    }


def _summary(found: Sequence[Diagnostic]) -> str:
    counts = Counter(str(finding.severity) for finding in found)
    words = (("error", "error"), ("warning", "warning"), ("info", "note"))
    parts = [f"{counts[s]} {word}{'s' if counts[s] > 1 else ''}" for s, word in words if counts[s]]
    return ", ".join(parts) or "nothing to complain about"
