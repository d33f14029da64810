"""Puts it together: from a loaded system to a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any

from sspsim.engine.checkpoint import Checkpoint, write_checkpoint
from sspsim.engine.components import Components
from sspsim.engine.snapshot import Snapshot
from sspsim.errors import SspsimError, UsageError
from sspsim.fmi.codes import Bank
from sspsim.fmi.description import Variable
from sspsim.fmi.isolation.settings import Isolation
from sspsim.fmi.slave import Slave
from sspsim.graph.run_parameters import folders_of
from sspsim.loading import LoadedSystem, load
from sspsim.masters import Auto, Every, Master, Stepping
from sspsim.masters.capability import check_checkpoints, check_saving
from sspsim.masters.grid import Grid, Raster
from sspsim.masters.initial import initialize
from sspsim.masters.step_log import Attempt, AttemptSink, StepLog
from sspsim.masters.stepping import StepErrors
from sspsim.masters.workspace import fitting_workspaces, kept_workspaces
from sspsim.plan import element_count
from sspsim.results.block import Layout, Sink
from sspsim.results.result import MemorySink, Result
from sspsim.results.summary import summarize
from sspsim.running.failures import Explanation, of_master
from sspsim.running.machinery import Machinery
from sspsim.running.output import Output
from sspsim.running.resuming import fitting, grid_from, identity, notices_about
from sspsim.running.setup import prepare
from sspsim.running.statistics import COUNTS, PARTS, summed_up
from sspsim.running.variables import find_variable, require_free, scalars
from sspsim.structure import Diagnostic, Scalar


@dataclass(frozen=True, slots=True)
class Saved:
    """A moment of a simulation that it can go back to."""

    owner: Simulation
    snapshot: Snapshot
    time: float
    steps: int
    next_step: float
    workspaces: Sequence[Any]  # what the masters keep from step to step


class Simulation:
    """A system brought to life; a context manager that gives everything back.

    `run` does everything; or step by step, with `get`, `set`, `save` and `restore` in between:

    >>> with Simulation(load("examples/build/Math003.ssp"), step=0.1, stop=10) as simulation:
    ...     simulation.initialize()
    ...     simulation.step()
    ...     simulation.get("part3.x4")
    0.0
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
        step_log: Path | str | None = None,
        checkpoint: Path | str | None = None,
        checkpoint_every: float | None = None,
        resume: Path | str | None = None,
        sinks: Callable[[Layout], Sequence[Sink]] = lambda _layout: (),
        progress: Callable[[float], None] = lambda _t: None,
        logging: bool = False,
        folder: Path | str | None = None,
        reference_time: datetime | None = None,
        unpack_to: Path | str | None = None,
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
        loaded = system if isinstance(system, LoadedSystem) else load(system)
        self.setup = setup = prepare(
            loaded.with_parameters(parameters) if parameters else loaded,
            start=start,
            stop=stop,
            step=step,
            output_step=output_step,
            master=master,
            masters=masters or {},
            stepping=stepping,
            record=record,
            rtol=rtol,
            atol=atol,
            fmu_tolerance=fmu_tolerance,
            input_order=input_order,
            record_defects=record_defects,
            folder=_path(folder),
            reference_time=reference_time,
            verify_rollback=verify_rollback,
            allow_compile=allow_compile,
        )
        self.system, self.flat, self.plan = setup.system, setup.flat, setup.plan
        self.master, self.stepping = setup.master, setup.stepping
        self.start, self.stop, self.step_size = setup.start, setup.stop, setup.step
        self.rtol, self.atol = setup.rtol, setup.atol
        self.record_patterns = setup.record_patterns
        self.coupled = setup.plan.coupled
        self.order = min(a.master.order for a in setup.assignments)
        self.layout = setup.layout()
        if not (isinstance(threads, int) and threads > 0):
            raise UsageError(f"the number of threads must be 1, 2, 3, ..., not {threads!r}")
        self.threads = threads
        self.strict_initial = strict_initial
        self.make_sinks = sinks
        self.components = Components(
            self.system.package,
            self.flat,
            logging=logging,
            unpack_to=_path(unpack_to),
            skip_unzip=skip_unzip,
            isolation=isolation or Isolation(),
            writable=_path(folder),
            allow_compile=allow_compile,
        )
        self.notices = [*setup.notices(), *self._unguarded()]
        if threads > 1 and not any(a.master.simultaneous for a in setup.assignments):
            self.notices.append(
                "only gauss-jacobi steps components at once: one thread does the work of this run"
            )
        self.step_log_path = _path(step_log)
        self.step_logs: list[AttemptSink] = []
        if checkpoint_every is not None and not checkpoint_every > 0:
            raise UsageError(f"the time between checkpoints must be greater than 0, not {checkpoint_every}")
        self.checkpoint = _path(checkpoint)
        self.checkpoint_every = checkpoint_every
        self.checkpoints = 0
        self.resumed = fitting(Path(resume), setup) if resume else None
        self.output = Output(self.layout, progress, self.resumed.head["rows"] if self.resumed else 0)
        self.grid, self.before_grid = Grid(self.start, self.stop, self.step_size), 0
        self.raster = Raster(self.start, setup.output_step)
        self.time = self.start
        self.steps = 0
        self.next_step = self.step_size
        self.entered = False
        self.alive = False
        self.initialized = False
        self.stuck = False  # within a step that failed
        self.ended = False
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self.counts = dict.fromkeys(COUNTS, 0)

    def _unguarded(self) -> list[str]:
        """What to say about isolated components on a machine that cannot guard its files against them."""
        if not self.components.isolated:
            return []
        from sspsim.fmi.isolation import sandbox  # what few systems need, and Windows lacks

        return [] if sandbox.landlock_version() else [sandbox.UNGUARDED]

    def problems(self) -> list[Diagnostic]:
        """What was noticed in the files, and when components were tried out."""
        return [*self.system.problems(), *self.setup.findings]

    # ---- life ----------------------------------------------------------------------------------------------

    def __enter__(self) -> Simulation:
        if self.entered:
            raise UsageError("a simulation comes to life once; make another one")
        self.entered = True
        self.began = perf_counter()
        for folder in folders_of(self.flat):
            folder.mkdir(parents=True, exist_ok=True)
        self.components.__enter__()
        try:
            self._assemble()
        except BaseException:
            self.components.close()
            raise
        self.alive = True
        self.seconds["loading"] = perf_counter() - self.began
        return self

    def _assemble(self) -> None:
        slaves = self.components.slaves
        explain = Explanation(self.setup, slaves)
        self.machinery = Machinery(self.setup, self.layout, slaves, explain, self.threads)
        self.kernel = explain.kernel = self.machinery.kernel
        self.cycles, self.work = self.machinery.cycles, self.machinery.work
        self.passage, self.passes_once = self.machinery.passage, self.machinery.passes_once
        if self.checkpoint_every or self.resumed:
            check_checkpoints(self.flat.instances, self.machinery.entries)
        self.output.open(self.machinery.recorder, self.make_sinks(self.layout))
        if self.step_log_path:
            until = self.resumed.head["time"] if self.resumed else None
            self.step_logs.append(StepLog(self.step_log_path, until))

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.alive = False
        self.output.close()
        for log in self.step_logs:
            log.close()
        self.machinery.close()
        problem = self.components.close()
        if problem and kind is None:
            raise problem

    @property
    def rows(self) -> int:
        """Handed on so far, those of the run that this one resumes included."""
        return self.output.rows

    @property
    def one_pass(self) -> bool:
        """Whether steps need no decision in between, so that the kernel can do many in one call."""
        return self.passes_once and self.unobserved

    @property
    def unobserved(self) -> bool:
        """Whether nobody wants to know about single steps."""
        return not (self.step_logs or self.checkpoint)

    # ---- a run ---------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Initialises, goes from start to stop and ends the components."""
        if not self.initialized:
            self.initialize()
        with self._going_on():
            self.stepping.march(self)
        self.ended = True
        self.components.terminate(self.time)

    def initialize(self) -> None:
        """Makes the initial values consistent and records them, or goes on from a checkpoint."""
        self._require_life()
        if self.initialized:
            raise UsageError("initialize() has been called already")
        began = perf_counter()
        self.components.setup(self.start, self.stop, self.setup.fmu_tolerance)
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
        self._require_start()
        if self.time >= self.stop:
            raise UsageError(f"the stop time {self.stop} has been reached")
        with self._going_on():
            self.stepping.advance(self)

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        """Around steps: measures their time; components that one of them left somewhere inside go no further."""
        self._require_whole()
        began = perf_counter()
        try:
            yield
        except BaseException:
            self.stuck = True
            raise
        finally:
            self.seconds["run"] += perf_counter() - began

    def _require_life(self) -> None:
        if not self.alive:
            raise UsageError(
                "components live in a with block: with sspsim.Simulation(...) as simulation: ..."
            )

    def _require_start(self) -> None:
        self._require_life()
        if not self.initialized:
            raise UsageError("call initialize() before that")
        if self.ended:
            raise UsageError("the run has ended, and its components with it")

    def _require_whole(self) -> None:
        self._require_start()
        if self.stuck:
            raise UsageError("a step failed half-way: restore() a saved moment before that")

    def solve(self, t: float, h: float) -> bool:
        """One communication step of all cycles; those after one that did not converge are stepped all the
        same.
        """
        if self.passes_once:
            self.passage.step(t, h)
            return True
        limits = 0
        try:
            for once, fallback, solve, cycle in self.work:
                if h < fallback:
                    once(t, h)
                elif not solve(cycle, t, h):
                    limits += 1
        except SspsimError:
            raise
        except Exception as problem:
            raise of_master(problem, solve.__self__, t) from problem
        if limits:
            self.counts["convergence_failures"] += 1
            self.counts["iteration_limits"] += limits
        return limits == 0

    def keep(self) -> None:
        """Keeps states and values at the present time; the masters roll back to there."""
        self.kernel.keep(self.time)

    def go_back(self) -> None:
        """To what `keep` kept."""
        self.kernel.restore(self.kernel.origin, self.time)

    def accept(self, t: float, *, extrapolate: bool = False) -> None:
        """The step that ended at t is done; keeps a row if one is due."""
        self.time = t
        self.steps += 1
        if self.raster.due(t) or t == self.stop:
            self.output.record(t, self.plan.sizes[Bank.REAL] if extrapolate else 0)
        self.output.show_life(t)
        if self.checkpoint and self.checkpoint_every and self._checkpoint_is_due():
            self.write_checkpoint(self.checkpoint)

    def reached(self, t: float, steps: int) -> None:
        """Notes how far the run has come."""
        self.time = t
        self.steps += steps
        self.output.show_life(t)

    def record(self, t: float) -> None:
        """Keeps a row."""
        self.output.record(t)

    def flush(self) -> None:
        """Hands the rows on that are in the kernel."""
        self.output.flush()

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
        slave, _, variable = self._find(name)
        values = slave.get(variable, element_count(variable))
        return values if variable.dimensions else values[0]

    def set(self, name: str, value: Scalar | Sequence[Scalar]) -> None:
        """Sets `component.variable`, an input that is not connected or a parameter that may change."""
        if self.initialized:
            self._require_start()
        slave, i, variable = self._find(name)
        require_free(self.flat, i, variable)
        slave.set([(variable, scalars(variable, value))])

    def _find(self, name: str) -> tuple[Slave, int, Variable]:
        self._require_life()
        i, variable = find_variable(self.flat, name)
        slave = self.components.slaves[i]
        slave.now = self.time
        return slave, i, variable

    def save(self) -> Saved:
        """This moment, to go back to."""
        self._require_whole()
        check_saving(self.flat.instances)
        return Saved(
            self,
            self.kernel.save(None, self.time),
            self.time,
            self.steps,
            self.next_step,
            [deepcopy(cycle.workspace) for cycle in self.cycles],
        )

    def restore(self, saved: Saved) -> None:
        """Goes back to a saved moment; rows that have been recorded since stay."""
        self._require_start()
        if saved.owner is not self:
            raise UsageError("that moment was saved by another simulation")
        self.kernel.restore(saved.snapshot, saved.time)
        self.stuck = False
        self.time, self.steps, self.next_step = saved.time, saved.steps, saved.next_step
        self.raster.go_to(saved.time)
        for cycle, workspace in zip(self.cycles, saved.workspaces, strict=True):
            cycle.workspace = deepcopy(workspace)

    # ---- checkpoints ---------------------------------------------------------------------------------------

    def _checkpoint_is_due(self) -> bool:
        assert self.checkpoint_every
        number = int((self.time - self.start) / self.checkpoint_every * (1 + 1e-9))
        due, self.checkpoints = number > self.checkpoints, number
        return due

    def write_checkpoint(self, path: Path | str) -> None:
        """Puts this moment on disk; rows before it are handed on first."""
        self._require_whole()
        check_checkpoints(self.flat.instances, self.machinery.entries)
        self.flush()
        states, reals, integers, texts = self.kernel.save(None, self.time).serialize()
        head = {
            **identity(self.setup),
            "time": self.time,
            "steps": self.steps,
            "next_step": self.next_step,
            "grid": [self.grid.start, self.before_grid],
            "rows": self.rows,
            "counts": self.counts,
            "workspaces": kept_workspaces(self.cycles, self.setup.assignments),
        }
        write_checkpoint(Path(path), Checkpoint(head, states, reals, integers, texts))

    def _resume(self, found: Checkpoint) -> None:
        snapshot = self.kernel.snapshot()
        snapshot.deserialize(found.states, found.reals, found.integers, found.texts)
        head = found.head
        workspaces = fitting_workspaces(head["workspaces"], self.setup.assignments)
        self.restore(Saved(self, snapshot, head["time"], head["steps"], head["next_step"], workspaces))
        self.grid, self.before_grid = grid_from(head, self.setup)
        self.counts.update(head["counts"])
        self.notices += notices_about(head, self.setup)

    # ---- the end -------------------------------------------------------------------------------------------

    def statistics(self) -> dict[str, Any]:
        """Counts and seconds of everything; loading, initialisation, master, error test, output and other
        seconds add up to the wall clock.
        """
        if not self.entered:
            raise UsageError("there are no statistics of a simulation that has not come to life")
        wall = perf_counter() - self.began
        seconds = {**self.seconds, "output": self.output.seconds}
        return {**summed_up(self.setup, self.machinery, wall, seconds, self.steps), **self.counts}


def _path(path: Path | str | None) -> Path | None:
    return None if path is None else Path(path)


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
