"""A run with everything decided that can be decided before a component is brought to life."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sspsim.engine.verify import without_broken_rollback
from sspsim.errors import UsageError
from sspsim.experiment import first_step, master_of, stepping_of, times, tolerances
from sspsim.fmi.codes import Bank
from sspsim.graph.flat import FlatSystem
from sspsim.graph.recording import EVERYTHING, choose_recorded
from sspsim.graph.run_parameters import with_run_parameters
from sspsim.loading import LoadedSystem
from sspsim.masters import Auto, ByConvergence, Every, FixedStep, Master, Stepping
from sspsim.masters.assignment import Assignment, assign
from sspsim.masters.capability import check_stepping, short_last_step
from sspsim.masters.grid import Grid
from sspsim.masters.input_order import check_order, interpolating
from sspsim.plan import Column, Feed, Plan, in_file_order, make_plan
from sspsim.results.block import Layout
from sspsim.structure import Diagnostic, Type


@dataclass(frozen=True, slots=True)
class Setup:
    """What is run, and how."""

    system: LoadedSystem
    flat: FlatSystem
    findings: tuple[Diagnostic, ...]
    master: Master | Auto
    stepping: Stepping
    start: float
    stop: float
    step: float
    output_step: float | None
    record_patterns: tuple[str, ...]
    rtol: float
    atol: float
    fmu_tolerance: float | None
    input_order: int
    plan: Plan
    assignments: tuple[Assignment, ...]
    record_defects: bool

    @property
    def recorded_defects(self) -> list[Assignment]:
        """Cycles whose defect is a signal; it stands behind the reals of the plan, in this order."""
        return [a for a in self.assignments if a.watched] if self.record_defects else []

    def layout(self) -> Layout:
        """All columns that are recorded."""
        first = self.plan.sizes[Bank.REAL]
        defects = [
            Column(f"defect({a.name})", Type.REAL, Feed(Bank.REAL, first + k))
            for k, a in enumerate(self.recorded_defects)
        ]
        return Layout.of((*in_file_order(self.plan.columns, self.flat.instances), *defects))

    def notices(self) -> Iterator[str]:
        """What somebody should know before the run."""
        for a in self.assignments:
            if len(a.stage.components) > 1:
                yield f"cycle {a.name}: {a.master.name}, {a.why}"
        if self.input_order and not interpolating(self.flat):
            yield "no component can interpolate its inputs: they stay as they are during a step"
        if isinstance(self.stepping, ByConvergence) and all(a.once for a in self.assignments):
            yield "nothing is iterated, so no step fails to converge: steps grow to the longest (--max-step)"
        if isinstance(self.stepping, FixedStep):
            short = short_last_step(self.flat.instances, Grid(self.start, self.stop, self.step))
            if short:
                yield short


def prepare(
    system: LoadedSystem,
    *,
    start: float | None,
    stop: float | None,
    step: float | None,
    output_step: float | None,
    master: Master | Auto | None,
    masters: Mapping[str, Master | Auto],
    stepping: Stepping | None,
    record: Every | str | Sequence[str],
    rtol: float | None,
    atol: float | None,
    fmu_tolerance: float | None,
    input_order: int,
    record_defects: bool,
    folder: Path | None,
    reference_time: datetime | None,
    verify_rollback: bool,
    allow_compile: bool,
) -> Setup:
    """As asked for; what is not given is as the system's own settings want it, else the default."""
    check_order(input_order)
    settings = system.settings
    distance = settings.output_step if output_step is None else output_step
    kept = record if isinstance(record, Every) else _every(distance, record)
    everything = (EVERYTHING,) if settings.record_all else ()
    patterns = tuple(kept.variables or settings.record or everything)
    flat = with_run_parameters(choose_recorded(system.require_sound(), patterns), folder, reference_time)
    chosen_master = master or master_of(settings)
    chosen_stepping = stepping or stepping_of(settings)
    for one in (chosen_master, *masters.values()):
        if not isinstance(one, Master | Auto):
            raise UsageError(f"a master is an object such as sspsim.Newton(), not {one!r}")
    if not isinstance(chosen_stepping, Stepping):
        raise UsageError(f"a step control is an object such as sspsim.FixedStep(0.1), not {stepping!r}")
    relative, absolute = tolerances(settings, rtol, atol)
    first, last = times(system, start, stop)
    length = first_step(system, chosen_stepping.step if step is None else step, last - first)
    findings: Sequence[Diagnostic] = ()
    if verify_rollback:
        flat, findings = without_broken_rollback(
            system.open_fmu, flat, start=first, step=length, allow_compile=allow_compile
        )
    plan = make_plan(flat, system.analysis)
    assignments = assign(flat, system.analysis, plan.stages, chosen_master, masters)
    check_stepping(flat.instances, chosen_stepping)
    return Setup(
        system=system,
        flat=flat,
        findings=tuple(findings),
        master=chosen_master,
        stepping=chosen_stepping,
        start=first,
        stop=last,
        step=length,
        output_step=kept.step,
        record_patterns=patterns,
        rtol=relative,
        atol=absolute,
        fmu_tolerance=settings.fmu_tolerance if fmu_tolerance is None else fmu_tolerance,
        input_order=input_order,
        plan=plan,
        assignments=tuple(assignments),
        record_defects=record_defects,
    )


def _every(step: float | None, variables: str | Sequence[str]) -> Every:
    try:
        return Every(step, variables)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
