"""What must hold between the lines of a MasterSim project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sspsim.formats.msim_project import Project, Reference
from sspsim.formats.msim_text import RANGE
from sspsim.structure.diagnostic import Diagnostic, Origin, error, info, warning

DUPLICATE, TWICE_FED, UNKNOWN_SIMULATOR, CONTRADICTION = "M10", "M11", "M12", "M13"
TABLE_TARGET, REPEATED, WITHOUT_EFFECT = "M18", "M17", "M15"


def check(project: Project, file: str, lines: Mapping[str, int]) -> Iterator[Diagnostic]:
    """Findings about lines that do not fit to each other; `lines` says where the settings stand."""
    yield from _times(project, file, lines)
    yield from _algorithm(project, file, lines)
    yield from _names(project)
    yield from _edges(project)
    yield from _parameters(project)


def _place(file: str, lines: Mapping[str, int], *keywords: str) -> Origin:
    return Origin(file, max((lines.get(keyword, 0) for keyword in keywords), default=0))


def _times(project: Project, file: str, lines: Mapping[str, int]) -> Iterator[Diagnostic]:
    s = project.settings
    if s.stop.seconds <= s.start.seconds:
        yield error(RANGE, "tEnd must be greater than tStart", _place(file, lines, "tStart", "tEnd"))
    for keyword, value in (("hMax", s.h_max), ("hMin", s.h_min), ("hOutputMin", s.h_output)):
        if value.seconds <= 0:
            yield error(RANGE, f"{keyword} must be greater than 0", _place(file, lines, keyword))
    for keyword, value in (("hStart", s.h_start), ("hFallBackLimit", s.h_fallback)):
        if value.seconds < 0:
            yield error(RANGE, f"{keyword} must not be negative", _place(file, lines, keyword))
    if 0 < s.h_max.seconds < s.h_min.seconds and s.adjust_step:
        yield error(RANGE, "hMax must not be smaller than hMin", _place(file, lines, "hMin", "hMax"))
    if s.abs_tol <= 0:
        yield error(RANGE, "absTol must be greater than 0", _place(file, lines, "absTol"))
    if s.rel_tol < 0:
        yield error(RANGE, "relTol must not be negative", _place(file, lines, "relTol"))
    if s.max_iterations < 1:
        yield error(RANGE, "maxIterations must be at least 1", _place(file, lines, "maxIterations"))


def _algorithm(project: Project, file: str, lines: Mapping[str, int]) -> Iterator[Diagnostic]:
    s = project.settings
    place = _place(file, lines, "MasterMode", "ErrorControlMode", "maxIterations", "adjustStepSize")
    if s.master_mode == "GAUSS_JACOBI" and s.max_iterations > 1:
        yield error(CONTRADICTION, "GAUSS_JACOBI never iterates", place, "set maxIterations to 1")
    if s.error_control == "STEP_DOUBLING" and not s.adjust_step:
        yield error(CONTRADICTION, "STEP_DOUBLING needs adjustStepSize yes", place)
    if s.adjust_step and s.error_control != "STEP_DOUBLING" and s.max_iterations <= 1:
        hint = "set maxIterations greater than 1, or ErrorControlMode STEP_DOUBLING"
        yield error(CONTRADICTION, "adjustStepSize yes has nothing to go by", place, hint)
    if not s.prevent_overstepping:
        yield info(
            WITHOUT_EFFECT,
            "preventOversteppingOfEndTime no has no effect: the last step always ends at tEnd",
            _place(file, lines, "preventOversteppingOfEndTime"),
        )
    if s.error_control == "CHECK":
        yield warning(
            CONTRADICTION,
            "CHECK has no effect on the steps; it is not carried out",
            _place(file, lines, "ErrorControlMode"),
            "use NONE or STEP_DOUBLING",
        )


def _names(project: Project) -> Iterator[Diagnostic]:
    seen: dict[str, Origin | None] = {}
    for simulator in project.simulators:
        if simulator.name in seen:
            first = seen[simulator.name]
            where = f" in line {first.line}" if first else ""
            yield error(DUPLICATE, f"{simulator.name!r} is the name of a simulator{where}", simulator.origin)
        seen.setdefault(simulator.name, simulator.origin)


def _edges(project: Project) -> Iterator[Diagnostic]:
    simulators = {simulator.name: simulator for simulator in project.simulators}
    fed: dict[Reference, Origin | None] = {}
    for edge in project.edges:
        for end in (edge.source, edge.target):
            if end.simulator not in simulators:
                yield error(UNKNOWN_SIMULATOR, f"there is no simulator {end.simulator!r}", edge.origin)
        target = simulators.get(edge.target.simulator)
        if target and target.is_table:
            yield error(TABLE_TARGET, f"{target.name!r} is a table; it has no inputs", edge.origin)
        if edge.target in fed:
            first = fed[edge.target]
            where = f" in line {first.line}" if first else ""
            yield error(TWICE_FED, f"{edge.target} is connected{where} already", edge.origin)
        fed.setdefault(edge.target, edge.origin)


def _parameters(project: Project) -> Iterator[Diagnostic]:
    simulators = {simulator.name: simulator for simulator in project.simulators}
    seen: set[Reference] = set()
    for parameter in project.parameters:
        owner = simulators.get(parameter.target.simulator)
        if owner is None:
            name = parameter.target.simulator
            yield error(UNKNOWN_SIMULATOR, f"there is no simulator {name!r}", parameter.origin)
        elif owner.is_table:
            message = f"{owner.name!r} is a table; the parameter has no effect"
            yield warning(TABLE_TARGET, message, parameter.origin)
        if parameter.target in seen:
            yield warning(
                REPEATED, f"{parameter.target} has a value already; this one counts", parameter.origin
            )
        seen.add(parameter.target)
