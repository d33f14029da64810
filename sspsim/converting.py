"""Converts a system from one file format to another; the endings of the names say which."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sspsim.conversion import from_msim, to_msim
from sspsim.conversion.settings import MODES, NEAREST_MASTER
from sspsim.errors import InputError
from sspsim.experiment import first_step, master_of, times
from sspsim.formats import bm, msim, settings, ssp
from sspsim.formats.msim_project import Edge, Project, Settings, Simulator
from sspsim.formats.package import Package
from sspsim.formats.sources import is_msim_project
from sspsim.loading import LoadedSystem, load
from sspsim.masters import Auto
from sspsim.masters.assignment import assign
from sspsim.plan import make_plan
from sspsim.structure import Severity
from sspsim.structure.settings import MasterSettings


def convert(source: Path, target: Path, variant: str | None = None) -> list[str]:
    """Writes `target` and lists everything of `source` that has no counterpart there.

    .msim, .ssp and .ssd are known by their endings; anything else is a folder.
    """
    if source.resolve() == target.resolve():
        raise InputError(f"{target} would be overwritten by its own conversion; choose another target")
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
    settings, lost = as_run(system)
    result = to_msim.convert(system.package, flat, system.analysis.order, settings, (start, stop), step)
    folder = target.parent
    for name, data in result.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    target.write_bytes(msim.write(result.project))
    target.with_suffix(".bm").write_bytes(bm.write(result.network))
    return [*lost, *result.lost]


def as_run(system: LoadedSystem) -> tuple[MasterSettings, list[str]]:
    """Settings with what is chosen where nothing is said, as far as MasterSim has it, and what it has not."""
    own, master = system.settings, master_of(system.settings)
    stages = make_plan(system.flat, system.analysis).stages
    assigned = assign(system.flat, system.analysis, stages, master, {})
    if isinstance(master, Auto):
        iterated = {a.master.name: a.master.max_iterations for a in assigned if not a.once}
        name = next(iter(iterated)) if len(iterated) == 1 else NEAREST_MASTER if iterated else "gauss-seidel"
        iterations = max(iterated.values(), default=1)
    else:
        name, iterations = master.name, master.max_iterations
    name = name if name in MODES else NEAREST_MASTER
    lost = [
        f"cycle {a.name}: {a.master.name}; {MODES[name]} is written, which agrees within the tolerances"
        for a in assigned
        if len(a.stage.components) > 1 and a.master.name != name
    ]
    return replace(own, master=name, max_iterations=iterations), [*lost, *_lost_settings(own)]


def _lost_settings(settings: MasterSettings) -> Iterator[str]:
    if settings.fmu_tolerance != (Settings().rel_tol if settings.rtol is None else settings.rtol):
        told = "none" if settings.fmu_tolerance is None else f"{settings.fmu_tolerance:g}"
        yield f"tolerance of the FMUs ({told}): MasterSim tells them relTol"
    if settings.record:
        yield f"recorded variables {' '.join(settings.record)}: MasterSim writes all outputs, or everything"
    if settings.time_only:
        yield f"outputs that depend on time alone, {' '.join(settings.time_only)}: not written"


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
