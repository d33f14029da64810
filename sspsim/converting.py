"""Converts a system from one file format to another; the endings of the names say which."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sspsim.conversion import from_msim, to_msim
from sspsim.errors import InputError
from sspsim.experiment import first_step, times
from sspsim.formats import bm, msim, settings, ssp
from sspsim.formats.msim_project import Edge, Project, Settings, Simulator
from sspsim.formats.package import Package
from sspsim.formats.sources import is_msim_project
from sspsim.loading import load
from sspsim.structure import Severity
from sspsim.structure.settings import MasterSettings


def convert(source: Path, target: Path, variant: str | None = None) -> list[str]:
    """Writes `target` and lists everything of `source` that has no counterpart there.

    .msim, .ssp and .ssd are known by their endings; anything else is a folder.
    """
    if is_msim_project(target):
        return _to_project(source, target, variant)
    lost: list[str] = []
    if is_msim_project(source):
        converted = from_msim.convert(source)
        package = with_settings(_sound(converted.package), converted.settings)
        lost = lost_from_project(converted.project)
    else:
        package = ssp.read(source, variant)
    write_package(package, target)
    return lost


def with_settings(package: Package, wanted: MasterSettings) -> Package:
    """The package with master settings in its default experiment."""
    changed = settings.with_settings(package.structure, wanted)
    return replace(package, documents={**package.documents, package.root: changed})


def write_package(package: Package, target: Path) -> None:
    """An archive, a folder, or a single .ssd file with what it refers to beside it."""
    if target.suffix.lower() != ".ssd":
        ssp.write(package, target)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=target.parent) as temporary:
        folder = Path(temporary) / "package"
        ssp.write(package, folder)
        (folder / package.root).replace(target)
        shutil.copytree(folder, target.parent, dirs_exist_ok=True)


def _to_project(source: Path, target: Path, variant: str | None) -> list[str]:
    """A project with its FMUs and tables in folders beside it."""
    system = load(source, variant)
    flat = system.require_sound()
    start, stop = times(system, None, None)
    step = first_step(system, None, stop - start)
    result = to_msim.convert(
        system.package, flat, system.analysis.order, system.settings, (start, stop), step
    )
    folder = target.parent
    for name, data in result.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    target.write_bytes(msim.write(result.project))
    target.with_suffix(".bm").write_bytes(bm.write(result.network))
    return result.lost


def _sound(package: Package) -> Package:
    errors = [d for d in package.diagnostics if d.severity is Severity.ERROR]
    if errors:
        raise InputError("\n".join(map(str, errors)))
    return package


def lost_from_project(project: Project) -> list[str]:
    """What a project says that a system structure has no place for."""
    lost = []
    if project.created or project.last_modified:
        lost.append("header: the dates of creation and of the last change")
    lost += [f"comment of {keyword}: {' '.join(c)}" for keyword, c in project.setting_comments.items()]
    lost += [f"comment at the end: {comment}" for comment in project.last_comments]
    lost += [f"outputOnly {name}: has no effect in MasterSim either" for name in project.output_only]
    if not project.settings.prevent_overstepping:
        lost.append("preventOversteppingOfEndTime no: sspsim always ends exactly at the stop time")
    if project.settings.error_control == "CHECK":
        lost.append("ErrorControlMode CHECK: has no effect on the steps")
    if project.settings.write_unconnected != Settings().write_unconnected:
        lost.append("writeUnconnectedFileReaderVars: all columns are connectors of their tables instead")
    for simulator in project.simulators:
        lost.append(f"{simulator.name}: colour {simulator.colour}, {_place(simulator)}")
    lost += [f"{edge.source} -> {edge.target}: {how}" for edge in project.edges if (how := _drawn(edge))]
    return lost


def _place(simulator: Simulator) -> str:
    return f"cycle {simulator.cycle} and priority {simulator.priority} (sspsim computes cycles and order)"


def _drawn(edge: Edge) -> str:
    plain = Edge(edge.source, edge.target)
    if (edge.line_width, edge.colour) == (plain.line_width, plain.colour):
        return ""
    return f"line width {edge.line_width:g} and colour {edge.colour}"
