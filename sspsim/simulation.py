"""Puts it together: from a loaded system to a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any

from sspsim.engine.components import Components
from sspsim.engine.kernel import Kernel
from sspsim.errors import SimulationError, StepDiscarded
from sspsim.experiment import first_step, master_of, times
from sspsim.fmi.codes import Bank
from sspsim.fmi.slave import STATUS
from sspsim.graph.recording import EVERYTHING, choose_recorded
from sspsim.graph.run_parameters import folders_of, with_run_parameters
from sspsim.loading import LoadedSystem, load
from sspsim.masters import Master
from sspsim.masters.fixed_step import FixedStep
from sspsim.masters.grid import Raster
from sspsim.masters.initial import initialize
from sspsim.plan import Stage, make_plan
from sspsim.results.block import Layout, Sink
from sspsim.results.result import MemorySink, Result
from sspsim.results.summary import summarize

ROWS = 4096  # kept in memory before they are handed on


class Simulation:
    """A system brought to life; a context manager that gives everything back.

    >>> with Simulation(load("examples/build/Math003.ssp"), step=0.1) as simulation:    # doctest: +SKIP
    ...     simulation.run()
    """

    def __init__(
        self,
        system: LoadedSystem,
        *,
        start: float | None = None,
        stop: float | None = None,
        step: float | None = None,
        output_step: float | None = None,
        record: str | Sequence[str] = (),
        master: Master | None = None,
        sinks: Callable[[Layout], Sequence[Sink]] = lambda _layout: (),
        progress: Callable[[float], None] = lambda _t: None,
        logging: bool = False,
        folder: Path | None = None,
        reference_time: datetime | None = None,
        unpack_to: Path | None = None,
        skip_unzip: bool = False,
    ) -> None:
        """`folder`: where components may write; `reference_time`: what the time 0 means to them."""
        self.system = system
        self.record_patterns = (record,) if isinstance(record, str) else tuple(record)
        if not self.record_patterns and system.settings.record_all:
            self.record_patterns = (EVERYTHING,)
        sound = with_run_parameters(system.require_sound(), folder, reference_time)
        self.flat = choose_recorded(sound, self.record_patterns)
        self.master = master or master_of(system.settings)
        self.start, self.stop = times(system, start, stop)
        self.step = first_step(system, step, self.stop - self.start)
        self.raster = Raster(self.start, output_step or system.settings.output_step)
        self.progress = progress
        self.plan = make_plan(self.flat, system.analysis)
        self.layout = Layout.of(self.plan.columns)
        self.make_sinks = sinks
        self.sinks: Sequence[Sink] = ()
        self.components = Components(
            system.package, self.flat, logging=logging, unpack_to=unpack_to, skip_unzip=skip_unzip
        )
        self.time = self.start
        self.steps = 0
        self.rows = 0
        self.seconds = {"output": 0.0, "initialization": 0.0, "run": 0.0}

    # ---- life ----------------------------------------------------------------------------------------------

    def __enter__(self) -> Simulation:
        self.began = perf_counter()
        for folder in folders_of(self.flat):
            folder.mkdir(parents=True, exist_ok=True)
        self.components.__enter__()
        try:
            entries = [slave.entry() for slave in self.components.slaves]
            self.kernel = Kernel(entries, list(self.plan.wirings), self.plan.sizes, self._explain)
            self.cycles = [self._cycle(stage) for stage in self._stages()]
            slots = [self.layout.slots(bank) for bank in Bank]
            self.kernel.open_rows(*slots, 1 if slots[Bank.TEXT] else ROWS)
            self.sinks = self.make_sinks(self.layout)
        except BaseException:
            self.components.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.flush()
        for sink in self.sinks:
            sink.close()
        self.kernel.release_states()
        self.components.close()

    def _stages(self) -> Sequence[Stage]:
        if self.master.simultaneous:
            return [Stage(tuple(i for stage in self.plan.stages for i in stage.components))]
        return self.plan.stages

    def _cycle(self, stage: Stage) -> Any:
        cycle = self.kernel.cycle(stage.components, stage.first, stage.count)
        cycle.simultaneous = self.master.simultaneous
        return cycle

    @property
    def one_pass(self) -> bool:
        """Whether steps need no decision in between, so that the kernel can do many in one call."""
        return not self.master.iterates

    # ---- a run ---------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Initialises, goes from start to stop and ends the components."""
        self.initialize()
        began = perf_counter()
        try:
            FixedStep(self.step).march(self)
        finally:
            self.seconds["run"] = perf_counter() - began
        self.components.terminate()

    def initialize(self) -> None:
        """Makes the initial values consistent and records them."""
        began = perf_counter()
        self.components.setup(self.start, self.stop, None)
        initialize(self.kernel, self.components.slaves, self.plan, self.start)
        self.seconds["initialization"] = perf_counter() - began
        self.record(self.start)

    def solve(self, t: float, h: float) -> bool:
        """One communication step of all cycles; those after one that did not converge are stepped all the same."""
        converged = [self.master.solve(cycle, t, h) for cycle in self.cycles]
        return all(converged)

    def record(self, t: float) -> None:
        """Keeps a row."""
        if self.kernel.record(t):
            self.flush()

    def flush(self) -> None:
        """Hands the rows on that are in the kernel."""
        if not self.kernel.rows:
            return
        began = perf_counter()
        n = self.kernel.rows
        kernel = self.kernel
        block = self.layout.block(kernel.real_rows[:n], kernel.integer_rows[:n], kernel.text_rows)
        for sink in self.sinks:
            sink.write(block)
        self.kernel.clear_rows()
        self.rows += n
        self.seconds["output"] += perf_counter() - began

    def reached(self, t: float, steps: int) -> None:
        """Notes how far the run has come."""
        self.time = t
        self.steps += steps
        self.progress(t)

    # ---- words ---------------------------------------------------------------------------------------------

    def statistics(self) -> dict[str, Any]:
        """Counts and seconds of everything."""
        return {
            "wall_clock_seconds": perf_counter() - self.began,
            "initialization_seconds": self.seconds["initialization"],
            "output_seconds": self.seconds["output"],
            "master_seconds": max(0.0, self.seconds["run"] - self.seconds["output"]),
            "steps": self.steps,
            "components": {
                name: {
                    function: {"calls": calls, "seconds": seconds}
                    for function, (calls, seconds) in self.kernel.statistics(i).items()
                }
                for i, name in enumerate(self.plan.names)
            },
        }

    def _explain(
        self, component: int, function: str, status: int, slot: int, t: float, h: float
    ) -> SimulationError:
        """The exception for a failed call in the kernel."""
        name = self.plan.names[component]
        slave = self.components.slaves[component]
        where = f"{name} at t={t!r}"
        if function == "value":
            message = f"{self.plan.slot_names[slot]} is {self.kernel.reals[slot]} at t={t!r}; nothing can go on from there"
        elif function == "range":
            message = f"{where}: the value {self.kernel.reals[slot]} of {self.plan.slot_names[slot]} does not fit its input"
        else:
            slave.broken = STATUS[status] == "fatal"
            step = f" (h={h!r})" if h else ""
            message = f"{where}: {function}{step} returned {STATUS[status]}{slave.last_words()}"
        kind = StepDiscarded if STATUS[status] == "discard" else SimulationError
        return kind(message, component=name, time=t)


def simulate(system: LoadedSystem | str | Path, **settings: Any) -> Result:
    """Runs a system and keeps the result in memory; the settings are those of `Simulation`."""
    if not isinstance(system, LoadedSystem):
        system = load(system)
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
