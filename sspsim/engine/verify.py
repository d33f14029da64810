"""Tries out whether components that declare rollback can do it, before a run relies on that."""

from __future__ import annotations

from dataclasses import replace

from sspsim.fmi.probing import Finding, probe
from sspsim.fmi.table import TableDescription
from sspsim.formats.ssp import Package
from sspsim.graph.flat import FlatSystem, Instance


def without_broken_rollback(
    package: Package, system: FlatSystem, step: float
) -> tuple[FlatSystem, list[str]]:
    """The system in which components whose rollback fails the test count as unable, and a warning for each."""
    known: dict[tuple[str, str], Finding] = {}
    instances: list[Instance] = []
    warnings = []
    for instance in system.instances:
        if not instance.interface.rollback or isinstance(instance.description, TableDescription):
            instances.append(instance)
            continue
        key = (instance.location, instance.interface.kind)
        if key not in known:
            known[key] = _try(package, instance, step)
        if known[key].outcome == "failed":
            instance = replace(instance, interface=replace(instance.interface, rollback=False))
            warnings.append(
                f"{instance.name}: rollback is declared, but does not work ({known[key].detail}); "
                "it is treated as unable to roll back"
            )
        instances.append(instance)
    return replace(system, instances=tuple(instances)), warnings


def _try(package: Package, instance: Instance, step: float) -> Finding:
    starts = {start.variable.name: start.values for start in instance.starts}
    with package.open_container(instance.location) as container:
        return probe(
            container, instance.name, instance.interface, starts=starts, step=step, checks=["rollback"]
        )[0]
