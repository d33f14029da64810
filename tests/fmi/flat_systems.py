"""Flat systems made by hand: FMUs with start values and links, without any file in between."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sspsim.fmi.unpack import read_description
from sspsim.formats.container import Memory, open_container
from sspsim.formats.sources import DEFAULT_DOCUMENT, Sources
from sspsim.formats.ssp import Package
from sspsim.graph.flat import FlatSystem, Instance, Link, Port, Start
from sspsim.loading import LoadedSystem
from sspsim.structure import Experiment, System, SystemStructure


@dataclass(frozen=True)
class Unit:
    """A component: an FMU such as `fmi2/Lag`, how it is used, its start values and what is recorded."""

    fmu: str
    kind: str = "CoSimulation"
    starts: dict[str, Any] = field(default_factory=dict)
    recorded: tuple[str, ...] | None = None


def make_system(
    folder: Path, units: dict[str, Unit], links: tuple[str, ...] = (), stop: float = 1.0
) -> LoadedSystem:
    """`links` are like `"a.y -> b.u"`."""
    document = SystemStructure(version="2.0", name="test", system=System(name="test"))
    files: dict[str, bytes | Path] = {
        f"{unit.fmu}.fmu": folder / f"{unit.fmu}.fmu" for unit in units.values()
    }
    files[DEFAULT_DOCUMENT] = b"made by hand"
    sources = Sources(lambda: Memory(files))
    package = Package(folder, DEFAULT_DOCUMENT, {DEFAULT_DOCUMENT: document}, sources=sources)
    instances = [_instance(folder, name, unit) for name, unit in units.items()]
    names = list(units)

    def port(text: str) -> Port:
        name, variable = text.strip().split(".")
        return Port(names.index(name), variable)

    flat = FlatSystem(
        name="test",
        instances=tuple(instances),
        links=tuple(Link(*map(port, link.split("->"))) for link in links),
        experiment=Experiment(0.0, stop),
    )
    system = LoadedSystem(package)
    system.__dict__["flat"] = flat
    return system


def _instance(folder: Path, name: str, unit: Unit) -> Instance:
    path = folder / f"{unit.fmu}.fmu"
    with open_container(path) as container:
        description, _ = read_description(container)
    interface = description.co_simulation if unit.kind == "CoSimulation" else description.model_exchange
    assert interface is not None
    starts = [
        Start(description.by_name[variable], tuple(value) if isinstance(value, list) else (value,))
        for variable, value in unit.starts.items()
    ]
    recorded = unit.recorded
    if recorded is None:
        recorded = tuple(v.name for v in description.variables if v.causality == "output")
    return Instance((name,), f"{unit.fmu}.fmu", description, interface, tuple(starts), recorded)
