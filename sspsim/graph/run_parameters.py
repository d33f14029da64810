"""Parameters that a run knows best: where a component may write, and what the time 0 means.

They are set for components that have string parameters of these names, unless the system gives them values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from sspsim.fmi.description import Variable
from sspsim.graph.flat import FlatSystem, Instance, Start
from sspsim.structure import Type

RESULTS_FOLDER = "ResultsRootDir"
REFERENCE_TIME = "ReferenceTimeStamp"


def with_run_parameters(
    system: FlatSystem, folder: Path | None = None, reference: datetime | None = None
) -> FlatSystem:
    """The system with `folder/slaves/<component>` and the reference time (ISO 8601) where asked for."""

    def values(instance: Instance) -> Mapping[str, str | None]:
        own = (folder.resolve() / "slaves" / instance.name).as_posix() if folder else None
        return {RESULTS_FOLDER: own, REFERENCE_TIME: reference.isoformat() if reference else None}

    return replace(
        system,
        instances=tuple(
            replace(instance, starts=(*instance.starts, *_asked_for(instance, values(instance))))
            for instance in system.instances
        ),
    )


def _asked_for(instance: Instance, values: Mapping[str, str | None]) -> Iterator[Start]:
    given = {start.variable.name for start in instance.starts}
    for name, value in values.items():
        variable = instance.description.by_name.get(name)
        if value is not None and variable and name not in given and _is_text_parameter(variable):
            yield Start(variable, (value,))


def _is_text_parameter(variable: Variable) -> bool:
    return variable.type is Type.STRING and variable.causality == "parameter"


def folders_of(system: FlatSystem) -> list[Path]:
    """The folders that components have been told to write to."""
    return [
        Path(str(start.values[0]))
        for instance in system.instances
        for start in instance.starts
        if start.variable.name == RESULTS_FOLDER
    ]
