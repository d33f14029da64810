"""Puts it together: from a loaded system to a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from math import inf
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any

from sspsim.engine.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from sspsim.engine.components import Components
from sspsim.engine.cycle import Cycle
from sspsim.engine.kernel import Kernel
from sspsim.engine.passage import Passage
from sspsim.engine.recorder import Recorder
from sspsim.engine.snapshot import Snapshot
from sspsim.engine.team import Workers
from sspsim.engine.verify import without_broken_rollback
from sspsim.errors import InputError, SimulationError, StepDiscarded, UsageError
from sspsim.experiment import first_step, master_of, stepping_of, times
from sspsim.fmi.codes import Bank
from sspsim.fmi.description import Variable
from sspsim.fmi.isolation.settings import Isolation
from sspsim.fmi.slave import DISCARD, ENDS, FATAL, STATUS
from sspsim.graph.flat import FlatSystem
from sspsim.graph.recording import EVERYTHING, choose_recorded
from sspsim.graph.run_parameters import folders_of, with_run_parameters
from sspsim.loading import LoadedSystem, load
from sspsim.masters import Auto, Every, FixedStep, Master, Stepping
from sspsim.masters.assignment import Assignment, assign
from sspsim.masters.capability import check_stepping, short_last_step
from sspsim.masters.defect import suggested_step
from sspsim.masters.grid import Grid, Raster
from sspsim.masters.initial import initialize
from sspsim.masters.input_order import check_order, driven_inputs, interpolating
from sspsim.masters.step_log import Attempt, AttemptSink, StepLog
from sspsim.masters.stepping import StepErrors
from sspsim.masters.workspace import fitting_workspaces, kept_workspaces
from sspsim.plan import Column, Feed, element_count, make_plan
from sspsim.results.block import Layout, Sink
from sspsim.results.result import MemorySink, Result
from sspsim.results.summary import summarize
from sspsim.structure import Diagnostic, Scalar, Type

ROWS = 4096  # kept in memory before they are handed on
REPORT_SECONDS = 0.1  # between two signs of life


@dataclass(frozen=True, slots=True)
class Saved:
    """A moment of a simulation that it can go back to."""

    snapshot: Snapshot
    time: float
    steps: int
    next_step: float
    next_row: int
    workspaces: Sequence[Any]  # what the masters keep from step to step


class Simulation:
    """A system brought to life; a context manager that gives everything back.

    `run` does everything; or step by step, with `get`, `set`, `save` and `restore` in between:

    >>> with Simulation(load("examples/build/Math003.ssp"), step=0.1) as simulation:    # doctest: +SKIP
    ...     simulation.initialize()
    ...     simulation.step()
    ...     simulation.get("part3.x4")
    """

    def __init__(
        self,
        system: LoadedSystem | str | Path,
        *,
        start: float | None = None,
        stop: float | None = None,
        step: float | None = None,
        output_step: float | None = None,
        master: Master | Auto | None = None,
        masters: Mapping[str, Master | Auto] | None = None,
        stepping: Stepping | None = None,
        record: Every | str | Sequence[str] = (),
        parameters: Mapping[str, Scalar | Sequence[Scalar]] | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        fmu_tolerance: float | None = None,
        input_order: int = 0,
        threads: int = 1,
        record_defects: bool = False,
        strict_initial: bool = True,
        step_log: Path | None = None,
        checkpoint: Path | None = None,
        checkpoint_every: float | None = None,
        resume: Path | None = None,
        sinks: Callable[[Layout], Sequence[Sink]] = lambda _layout: (),
        progress: Callable[[float], None] = lambda _t: None,
        logging: bool = False,
        folder: Path | None = None,
        reference_time: datetime | None = None,
        unpack_to: Path | None = None,
        skip_unzip: bool = False,
        isolation: Isolation | None = None,
        verify_rollback: bool = False,
        allow_compile: bool = False,
    ) -> None:
        """`masters`: for the cycles of the components named; `rtol`, `atol`: of the convergence test;
        `fmu_tolerance`: what the FMUs' own solvers and CVODE are told; `input_order`: of the polynomials that inputs
        follow during a step, where FMUs can interpolate (0: they stay as they are).

        What is not given is as the system's own settings want it. `folder`: where components may write;
        `reference_time`: what the time 0 means to them. `isolation`: which components get processes of their own;
        `verify_rollback`: try the declared rollback of all components out first;
        `allow_compile`: build FMUs that bring only sources.
        """
        self.system = system if isinstance(system, LoadedSystem) else load(system)
        if parameters:
            self.system = self.system.with_parameters(parameters)
        settings = self.system.settings
        kept = record if isinstance(record, Every) else Every(output_step or settings.output_step, record)
        everything = (EVERYTHING,) if settings.record_all else ()
        self.record_patterns = kept.variables or settings.record or everything
        sound = choose_recorded(self.system.require_sound(), self.record_patterns)
        self.flat = with_run_parameters(sound, folder, reference_time)
        self.master = master or master_of(settings)
        self.stepping = stepping or stepping_of(settings)
        self.start, self.stop = times(self.system, start, stop)
        self.step_size = first_step(
            self.system, self.stepping.step if step is None else step, self.stop - self.start
        )
        self.next_step = self.step_size
        self.findings: list[Diagnostic] = []
        if verify_rollback:
            self.flat, self.findings = without_broken_rollback(
                self.system.open_fmu,
                self.flat,
                start=self.start,
                step=self.step_size,
                allow_compile=allow_compile,
            )
        self.raster = Raster(self.start, kept.step)
        self.rtol = next(value for value in (rtol, settings.rtol, 1e-5) if value is not None)
        self.atol = next(value for value in (atol, settings.atol, 1e-6) if value is not None)
        self.fmu_tolerance = settings.fmu_tolerance if fmu_tolerance is None else fmu_tolerance
        check_order(input_order)
        self.input_order = input_order
        self.threads = threads
        self.strict_initial = strict_initial
        self.progress = progress
        self.plan = make_plan(self.flat, self.system.analysis)
        self.coupled = self.plan.coupled
        self.assignments = assign(
            self.flat, self.system.analysis, self.plan.stages, self.master, masters or {}
        )
        check_stepping(self.flat.instances, self.stepping)
        self.order = min(a.master.order for a in self.assignments)
        self.watched = [a for a in self.assignments if a.once and a.stage.count]
        self.recorded_defects = self.watched if record_defects else []
        self.layout = Layout.of((*self.plan.columns, *self._defect_columns()))
        self.make_sinks = sinks
        self.sinks: Sequence[Sink] = ()
        self.components = Components(
            self.system.package,
            self.flat,
            logging=logging,
            unpack_to=unpack_to,
            skip_unzip=skip_unzip,
            isolation=isolation or Isolation(),
            writable=folder,
            allow_compile=allow_compile,
        )
        self.step_log_path = step_log
        self.step_logs: list[AttemptSink] = []
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.checkpoints = 0
        self.resumed = self._fitting(resume) if resume else None
        self.time = self.start
        self.steps = 0
        self.rows = self.resumed.head["rows"] if self.resumed else 0
        self.initialized = False
        self.seen = 0.0  # when the last sign of life was given
        self.notices = self._first_notices()
        self.seconds = dict.fromkeys(("loading", "initialization", "run", "output", "error_test"), 0.0)
        self.counts = dict.fromkeys(
            (
                "convergence_failures",
                "iteration_limits",
                "error_test_failures",
                "error_limits",
                "discarded_steps",
                "shortened_steps",
                "smallest_steps",
            ),
            0,
        )

    def _defect_columns(self) -> list[Column]:
        first = self.plan.sizes[Bank.REAL]
        return [
            Column(f"defect({a.name})", Type.REAL, Feed(Bank.REAL, first + k))
            for k, a in enumerate(self.recorded_defects)
        ]

    def problems(self) -> list[Diagnostic]:
        """What was noticed in the files, and when components were tried out."""
        return [*self.system.problems(), *self.findings]

    def _first_notices(self) -> list[str]:
        notices = [
            f"cycle {a.name}: {a.master.name}, {a.why}"
            for a in self.assignments
            if len(a.stage.components) > 1
        ]
        if self.input_order and not interpolating(self.flat):
            notices.append("no component can interpolate its inputs: they stay as they are during a step")
        if isinstance(self.stepping, FixedStep):
            short = short_last_step(self.flat.instances, Grid(self.start, self.stop, self.step_size))
            notices += [short] if short else []
        if self.components.isolated:
            from sspsim.fmi.isolation import sandbox  # what few systems need, and Windows lacks

            notices += [] if sandbox.landlock_version() else [sandbox.UNGUARDED]
        return notices

    # ---- life ----------------------------------------------------------------------------------------------

    def __enter__(self) -> Simulation:
        self.began = perf_counter()
        for folder in folders_of(self.flat):
            folder.mkdir(parents=True, exist_ok=True)
        self.components.__enter__()
        try:
            self._build_kernel()
            self.sinks = self.make_sinks(self.layout)
            if self.step_log_path:
                self.step_logs.append(StepLog(self.step_log_path))
        except BaseException:
            self.components.close()
            raise
        self.seconds["loading"] = perf_counter() - self.began
        return self

    def _build_kernel(self) -> None:
        if self.input_order:
            self._drive_inputs()
        entries = [slave.entry() for slave in self.components.slaves]
        reals, integers, texts = self.plan.sizes
        sizes = (reals + len(self.recorded_defects), integers, texts)
        self.kernel = Kernel(entries, list(self.plan.wirings), sizes, self._explain)
        self.kernel.rtol, self.kernel.atol = self.rtol, self.atol
        self.cycles = [self._cycle(assignment) for assignment in self.assignments]
        for cycle, assignment in zip(self.cycles, self.assignments, strict=True):
            if assignment in self.recorded_defects:
                cycle.watch_defect(reals + self.recorded_defects.index(assignment))
            elif assignment in self.watched:
                cycle.watch_defect()
        feeds = [self.layout.feeds(bank) for bank in Bank]
        self.recorder = Recorder(self.kernel, *feeds, 1 if feeds[Bank.TEXT] else ROWS, reals)
        for bank, slot, value in self.plan.constants:
            self.kernel.place(bank, slot, value)
        self.workers = self._workers()
        self.passage = Passage(self.kernel, self.cycles, self.recorder)
        self.work = self._work()

    def _drive_inputs(self) -> None:
        """Lets the inputs of those components that can interpolate go on during a step."""
        slaves = self.components.slaves
        for i in interpolating(self.flat):
            inputs = [
                (
                    d.reference,
                    d.ahead,
                    None if d.ahead else slaves[d.source].derivatives_of(d.source_reference, d.factor),
                )
                for d in driven_inputs(self.plan, self.assignments, i)
            ]
            if inputs:
                slaves[i].interpolate(self.input_order, inputs)

    def _workers(self) -> Workers | None:
        """Threads for the cycles that step at once, if there may be any and there is work for them."""
        simultaneous = [cycle for cycle in self.cycles if cycle.simultaneous]
        if self.threads == 1 or not simultaneous:
            return None
        workers = Workers(self.kernel, self.threads - 1)
        for cycle in simultaneous:
            cycle.share(workers)
        return workers

    def _work(self) -> list[tuple[Any, float, Any, Any]]:
        """What a step does: pass once over cycles in a row that need no more, let a master solve the others."""
        work: list[tuple[Any, float, Any, Any]] = []
        row: list[Any] = []
        for cycle, a in zip(self.cycles, self.assignments, strict=True):
            if a.once and (len(cycle.components) == 1 or a.master.passes_once):
                row.append(cycle)
                continue
            if row:
                work.append((Passage(self.kernel, row, self.recorder).step, inf, None, None))
            row = []
            fallback = a.master.fallback_step
            limit = self.stepping.min_step if fallback is None else fallback
            work.append((cycle.sweep, limit, a.master.solve, cycle))
        return [*work, (Passage(self.kernel, row, self.recorder).step, inf, None, None)] if row else work

    def _cycle(self, assignment: Assignment) -> Any:
        stage = assignment.stage
        cycle = Cycle(
            self.kernel,
            stage.components,
            stage.first,
            stage.count,
            simultaneous=assignment.master.simultaneous,
            keeps=not assignment.once,
        )
        cycle.directional = all(
            self.flat.instances[i].interface.directional_derivatives for i in stage.components
        )
        return cycle

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.flush()
        for sink in self.sinks:
            sink.close()
        for log in self.step_logs:
            log.close()
        if self.workers:
            self.workers.stop()
        self.kernel.release_states()
        problem = self.components.close()
        if problem and kind is None:
            raise problem

    @property
    def one_pass(self) -> bool:
        """Whether steps need no decision in between, so that the kernel can do many in one call."""
        return self.work[0][2] is None and len(self.work) == 1 and self.unobserved

    @property
    def unobserved(self) -> bool:
        """Whether nobody wants to know about single steps."""
        return not (self.step_logs or self.checkpoint)

    # ---- a run ---------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Initialises, goes from start to stop and ends the components."""
        self.initialize()
        began = perf_counter()
        try:
            self.stepping.march(self)
        finally:
            self.seconds["run"] += perf_counter() - began
        self.components.terminate(self.time)

    def initialize(self) -> None:
        """Makes the initial values consistent and records them, or goes on from a checkpoint."""
        began = perf_counter()
        self.components.setup(self.start, self.stop, self.fmu_tolerance)
        self.notices += initialize(
            self.kernel, self.components.slaves, self.flat, self.plan, self.start, strict=self.strict_initial
        )
        self.initialized = True
        if self.resumed:
            self._resume(self.resumed)
        self.seconds["initialization"] = perf_counter() - began
        if not self.resumed:
            self.record(self.start)

    def step(self) -> None:
        """One communication step."""
        if not self.initialized:
            raise UsageError("call initialize() before the first step")
        if self.time >= self.stop:
            raise UsageError(f"the stop time {self.stop} has been reached")
        began = perf_counter()
        self.stepping.advance(self)
        self.seconds["run"] += perf_counter() - began

    def solve(self, t: float, h: float) -> bool:
        """One communication step of all cycles; those after one that did not converge are stepped all the
        same.
        """
        limits = 0
        for once, fallback, solve, cycle in self.work:
            if h < fallback:
                once(t, h)
            elif not solve(cycle, t, h):
                limits += 1
        if limits:
            self.counts["convergence_failures"] += 1
            self.counts["iteration_limits"] += limits
        return limits == 0

    def keep(self) -> None:
        """Keeps states and values at the present time; the masters roll back to there."""
        self.kernel.origin = self.kernel.save(self.kernel.origin, self.time)

    def go_back(self) -> None:
        """To what `keep` kept."""
        self.kernel.restore(self.kernel.origin, self.time)

    def accept(self, t: float, *, extrapolate: bool = False) -> None:
        """The step that ended at t is done; keeps a row if one is due."""
        self.time = t
        self.steps += 1
        if self.raster.due(t) or t == self.stop:
            self.record(t, self.plan.sizes[Bank.REAL] if extrapolate else 0)
        self._show_life(t)
        if self.checkpoint and self.checkpoint_every and self._checkpoint_is_due():
            self.write_checkpoint(self.checkpoint)

    def reached(self, t: float, steps: int) -> None:
        """Notes how far the run has come."""
        self.time = t
        self.steps += steps
        self._show_life(t)

    def _show_life(self, t: float) -> None:
        """From time to time tells how far it is and hands rows on, so that a killed run leaves them."""
        now = perf_counter()
        if now - self.seen > REPORT_SECONDS:
            self.seen = now
            self.progress(t)
            self.flush()

    def record(self, t: float, extrapolate: int = 0) -> None:
        """Keeps a row."""
        if self.recorder.record(t, extrapolate):
            self.flush()

    def flush(self) -> None:
        """Hands the rows on that are in the kernel."""
        rows, n = self.recorder, len(self.recorder)
        if not n:
            return
        began = perf_counter()
        self.rows += n
        block = self.layout.block(rows.real_rows[:n], rows.integer_rows[:n], rows.text_rows)
        for sink in self.sinks:
            sink.write(block)
        rows.clear()
        self.seconds["output"] += perf_counter() - began

    def log(self, t: float, h: float, outcome: str, errors: StepErrors | None = None) -> None:
        """Notes an attempted step in the step logs."""
        if self.step_logs:
            iterations = max(cycle.passes_since_asked() for cycle in self.cycles)
            norm = max(cycle.last_norm for cycle in self.cycles)
            attempt = Attempt(t, h, iterations, norm, errors, outcome)
            for log in self.step_logs:
                log.write(attempt)

    # ---- looking in and acting -----------------------------------------------------------------------------

    def get(self, name: str) -> Any:
        """The present value of `component.variable`; a list for an array."""
        i, variable = find_variable(self.flat, name)
        count = element_count(variable)
        values = self.components.slaves[i].get(variable, count)
        return values if variable.dimensions else values[0]

    def set(self, name: str, value: Scalar | Sequence[Scalar]) -> None:
        """Sets `component.variable`, an input that is not connected or a parameter that may change."""
        i, variable = find_variable(self.flat, name)
        for link in self.flat.links:
            if (link.target.instance, link.target.variable) == (i, variable.name):
                source = f"{self.plan.names[link.source.instance]}.{link.source.variable}"
                raise UsageError(f"{name} is connected: it gets its value from {source}")
        self.components.slaves[i].set([(variable, _scalars(variable, value))])

    def save(self) -> Saved:
        """This moment, to go back to."""
        return Saved(
            self.kernel.save(None, self.time),
            self.time,
            self.steps,
            self.next_step,
            self.raster.next,
            [deepcopy(cycle.workspace) for cycle in self.cycles],
        )

    def restore(self, saved: Saved) -> None:
        """Goes back to a saved moment; rows that have been recorded since stay."""
        self.kernel.restore(saved.snapshot, saved.time)
        self.time, self.steps, self.next_step = saved.time, saved.steps, saved.next_step
        self.raster.next = saved.next_row
        for cycle, workspace in zip(self.cycles, saved.workspaces, strict=True):
            cycle.workspace = deepcopy(workspace)

    # ---- checkpoints ---------------------------------------------------------------------------------------

    def _checkpoint_is_due(self) -> bool:
        assert self.checkpoint_every
        number = int((self.time - self.start) / self.checkpoint_every * (1 + 1e-9))
        due, self.checkpoints = number > self.checkpoints, number
        return due

    def write_checkpoint(self, path: Path) -> None:
        """Puts this moment on disk; rows before it are handed on first."""
        self.flush()
        states, reals, integers, texts = self.kernel.save(None, self.time).serialize()
        head = {
            "components": self._fingerprint(),
            "start": self.start,
            "time": self.time,
            "steps": self.steps,
            "next_step": self.next_step,
            "next_row": self.raster.next,
            "rows": self.rows,
            "counts": self.counts,
            "workspaces": kept_workspaces(self.cycles, self.assignments),
        }
        write_checkpoint(path, Checkpoint(head, states, reals, integers, texts))

    def _fitting(self, path: Path) -> Checkpoint:
        found = read_checkpoint(path)
        if found.head["components"] != self._fingerprint():
            raise InputError(f"{path}: the checkpoint belongs to another system or other FMUs")
        return found

    def _resume(self, found: Checkpoint) -> None:
        snapshot = self.kernel.snapshot()
        snapshot.deserialize(found.states, found.reals, found.integers, found.texts)
        head = found.head
        workspaces = fitting_workspaces(head["workspaces"], self.assignments)
        self.restore(
            Saved(snapshot, head["time"], head["steps"], head["next_step"], head["next_row"], workspaces)
        )
        self.counts.update(head["counts"])

    def _fingerprint(self) -> list[list[str]]:
        return [[instance.name, instance.description.guid] for instance in self.flat.instances]

    # ---- words ---------------------------------------------------------------------------------------------

    def statistics(self) -> dict[str, Any]:
        """Counts and seconds of everything; loading, initialisation, master, error test, output and other
        seconds add up to the wall clock.
        """
        wall = perf_counter() - self.began
        seconds = self.seconds
        master = max(0.0, seconds["run"] - seconds["output"] - seconds["error_test"])
        parts = seconds["loading"] + seconds["initialization"] + seconds["run"]
        components = {
            name: {
                function: {"calls": calls, "seconds": took}
                for function, (calls, took) in self.kernel.statistics(i).items()
            }
            for i, name in enumerate(self.plan.names)
        }
        return {
            "wall_clock_seconds": wall,
            "loading_seconds": seconds["loading"],
            "initialization_seconds": seconds["initialization"],
            "output_seconds": seconds["output"],
            "master_seconds": master,
            "error_test_seconds": seconds["error_test"],
            "other_seconds": max(0.0, wall - parts),
            "fmu_seconds": sum(call["seconds"] for calls in components.values() for call in calls.values()),
            "steps": self.steps,
            **self.counts,
            "cycles": [
                self._cycle_statistics(c, a) for c, a in zip(self.cycles, self.assignments, strict=True)
            ],
            "components": components,
        }

    def _cycle_statistics(self, cycle: Any, assignment: Assignment) -> dict[str, Any]:
        found: dict[str, Any] = {
            "components": [self.plan.names[i] for i in assignment.stage.components],
            "master": assignment.master.name,
            "why": assignment.why,
            "iterations": cycle.passes,
            "iteration_variables": assignment.stage.count,
        }
        greatest, time, mean, steps = cycle.defects()
        if assignment in self.watched and steps:
            found["defect"] = {
                "greatest": greatest,
                "time": time,
                "mean": mean,
                "suggested_step": suggested_step(self.step_size, greatest),
            }
        return found

    def _value_in(self, slot: int) -> str:
        """A number and whose it is; the kernel counts whole numbers from -1 downwards."""
        if slot < 0:
            return f"the value {self.kernel.integers[-1 - slot]} of {self.plan.integer_names[-1 - slot]}"
        return f"the value {self.kernel.reals[slot]} of {self.plan.slot_names[slot]}"

    def _explain(
        self, component: int, function: str, status: int, slot: int, t: float, h: float
    ) -> SimulationError:
        """The exception for a failed call in the kernel."""
        name = self.plan.names[component]
        slave = self.components.slaves[component]
        where = f"{name} at t={t!r}"
        if function == "value":
            value = f"{self.plan.slot_names[slot]} is {self.kernel.reals[slot]}"
            message = f"{value} at t={t!r}; nothing can go on from there"
        elif function == "range":
            message = f"{where}: {self._value_in(slot)} does not fit its input"
        else:
            slave.broken = status == FATAL
            ends = status == ENDS or (status == DISCARD and slave.asks_to_end())
            step = f" (h={h!r})" if h else ""
            what = "wants to end the simulation" if ends else f"returned {STATUS[status]}"
            message = f"{where}: {function}{step} {what}{slave.last_words()}"
            status = ENDS if ends else status
        if status == DISCARD:
            return StepDiscarded(f"{message}{self._advice_on_discard()}", component=name, time=t)
        return SimulationError(message, component=name, time=t)

    def _advice_on_discard(self) -> str:
        if not self.stepping.adaptive and all(i.interface.rollback for i in self.flat.instances):
            return (
                "; step-size control (--stepping convergence or error) would go back and try a shorter step"
            )
        return "; try a shorter step"


def simulate(system: LoadedSystem | str | Path, **settings: Any) -> Result:
    """Runs a system and keeps the result in memory; the settings are those of `Simulation`."""
    memory: list[MemorySink] = []
    began = datetime.now(UTC)

    def sinks(layout: Layout) -> Sequence[Sink]:
        memory.append(MemorySink(layout))
        return memory

    with Simulation(system, sinks=sinks, **settings) as simulation:
        simulation.run()
        simulation.flush()
        summary = summarize(simulation, began, simulation.statistics())
    return memory[0].result(summary)


def find_variable(system: FlatSystem, name: str) -> tuple[int, Variable]:
    """The instance and the variable that `component.variable` names; both names may contain dots."""
    for i, instance in enumerate(system.instances):
        prefix = f"{instance.name}."
        if name.startswith(prefix) and name.removeprefix(prefix) in instance.description.by_name:
            return i, instance.description.by_name[name.removeprefix(prefix)]
    names = [f"{i.name}.{v.name}" for i in system.instances for v in i.description.variables]
    close = get_close_matches(name, names, 3)
    raise UsageError(
        f"there is no variable {name!r}{'; do you mean ' + ' or '.join(close) + '?' if close else ''}"
    )


def _scalars(variable: Variable, value: Scalar | Sequence[Scalar]) -> tuple[Scalar, ...]:
    values = tuple(value) if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) else (value,)
    if len(values) != element_count(variable):
        raise UsageError(f"{variable.name} has {element_count(variable)} values, not {len(values)}")
    return values
