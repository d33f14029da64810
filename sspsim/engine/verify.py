"""Tries out what components declare, before a run relies on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sspsim.fmi.probing import CHECKS, Finding, probe
from sspsim.fmi.table import TableDescription
from sspsim.formats.container import Container
from sspsim.graph.flat import FlatSystem, Instance
from sspsim.structure.diagnostic import Diagnostic, warning

PROMISE = "F03"  # the code of findings about what was declared and is not so
Open = Callable[[str], Container]


def probe_components(
    open_fmu: Open,
    instances: Sequence[Instance],
    *,
    start: float,
    step: float,
    checks: Sequence[str] = CHECKS,
    allow_compile: bool = False,
) -> Iterator[Finding]:
    """What comes of the checks of each component; those of one FMU with the same values are tried once."""
    known: dict[Any, list[Finding]] = {}
    for instance in instances:
        if isinstance(instance.description, TableDescription):
            continue
        starts = {given.variable.name: given.values for given in instance.starts}
        key = (instance.location, instance.interface.kind, tuple(starts.items()))
        if key not in known:
            with open_fmu(instance.location) as container:
                known[key] = probe(
                    container,
                    instance.name,
                    instance.interface,
                    starts=starts,
                    start=start,
                    step=step,
                    checks=checks,
                    allow_compile=allow_compile,
                )
        yield from (replace(finding, component=instance.name) for finding in known[key])


def without_broken_rollback(
    open_fmu: Open, system: FlatSystem, *, start: float, step: float, allow_compile: bool = False
) -> tuple[FlatSystem, list[Diagnostic]]:
    """The system in which components whose rollback fails the test count as unable, and a warning for each."""
    declared = [instance for instance in system.instances if instance.interface.rollback]
    findings = probe_components(
        open_fmu, declared, start=start, step=step, checks=["rollback"], allow_compile=allow_compile
    )
    broken = {finding.component: finding.detail for finding in findings if finding.outcome == "failed"}
    instances = tuple(
        replace(i, interface=replace(i.interface, rollback=False)) if i.name in broken else i
        for i in system.instances
    )
    warnings = [
        warning(
            PROMISE,
            f"component {name!r}: rollback is declared, but does not work ({detail})",
            hint="it is treated as unable to roll back",
        )
        for name, detail in broken.items()
    ]
    return replace(system, instances=instances), warnings
