"""The compiled kernel, put together for one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from sspsim.engine.cycle import Cycle
from sspsim.engine.kernel import Kernel
from sspsim.engine.passage import Passage
from sspsim.engine.recorder import Recorder
from sspsim.engine.team import Workers
from sspsim.errors import SimulationError
from sspsim.fmi.codes import Bank
from sspsim.fmi.slave import Slave
from sspsim.masters.assignment import Assignment
from sspsim.masters.input_order import driven_inputs, interpolating
from sspsim.results.block import Layout
from sspsim.running.setup import Setup

ROWS = 4096  # kept in memory before they are handed on

Explain = Callable[[int, str, int, int, float, float], SimulationError]
Work = tuple[Any, float, Any, Any]


class Machinery:
    """Kernel, cycles, recorder and threads; `work` is what a communication step does.

    Each part of the work is (pass once, the step below which that is enough, the master's solve, cycle).
    """

    def __init__(
        self, setup: Setup, layout: Layout, slaves: Sequence[Slave], explain: Explain, threads: int
    ) -> None:
        self.setup = setup
        reals, integers, texts = setup.plan.sizes
        if setup.input_order:
            self._drive_inputs(slaves)
        self.entries = [slave.entry() for slave in slaves]
        self.kernel = Kernel(
            self.entries,
            list(setup.plan.wirings),
            (reals + len(setup.recorded_defects), integers, texts),
            explain,
        )
        self.kernel.rtol, self.kernel.atol = setup.rtol, setup.atol
        self.cycles = [self._cycle(assignment) for assignment in setup.assignments]
        self._watch(reals)
        feeds = [layout.feeds(bank) for bank in Bank]
        self.recorder = Recorder(self.kernel, *feeds, 1 if feeds[Bank.TEXT] else ROWS, reals)
        for bank, slot, value in setup.plan.constants:
            self.kernel.place(bank, slot, value)
        self.workers = self._workers(threads)
        self.passage = Passage(self.kernel, self.cycles, self.recorder)
        self.work = self._work()

    def _drive_inputs(self, slaves: Sequence[Slave]) -> None:
        """Lets the inputs of those components that can interpolate go on during a step."""
        for i in interpolating(self.setup.flat):
            inputs = [
                (
                    d.reference,
                    d.ahead,
                    None if d.ahead else slaves[d.source].derivatives_of(d.source_reference, d.factor),
                )
                for d in driven_inputs(self.setup.plan, self.setup.assignments, i)
            ]
            if inputs:
                slaves[i].interpolate(self.setup.input_order, inputs)

    def _cycle(self, assignment: Assignment) -> Any:
        stage, instances = assignment.stage, self.setup.flat.instances
        cycle = Cycle(
            self.kernel,
            stage.components,
            stage.first,
            stage.count,
            simultaneous=assignment.master.simultaneous,
            keeps=not assignment.once,
        )
        cycle.directional = all(instances[i].interface.directional_derivatives for i in stage.components)
        return cycle

    def _watch(self, slot: int) -> None:
        """Lets cycles note their defects, in slots from `slot` on if they are recorded."""
        for cycle, assignment in zip(self.cycles, self.setup.assignments, strict=True):
            if assignment.watched:
                cycle.watch_defect(slot if self.setup.record_defects else -1)
                slot += 1

    def _workers(self, threads: int) -> Workers | None:
        """Threads for the cycles that step at once, if there may be any and there is work for them."""
        simultaneous = [cycle for cycle in self.cycles if cycle.simultaneous]
        if threads == 1 or not simultaneous:
            return None
        workers = Workers(self.kernel, threads - 1)
        for cycle in simultaneous:
            cycle.share(workers)
        return workers

    def _work(self) -> list[Work]:
        """Passes once over cycles in a row that need no more, lets a master solve the others."""
        work: list[Work] = []
        row: list[Any] = []
        for cycle, a in zip(self.cycles, self.setup.assignments, strict=True):
            if a.once and (len(cycle.components) == 1 or a.master.passes_once):
                row.append(cycle)
                continue
            if row:
                work.append(self._pass_over(row))
            row = []
            fallback = a.master.fallback_step
            limit = self.setup.stepping.min_step if fallback is None else fallback
            work.append((cycle.sweep, limit, a.master.solve, cycle))
        return [*work, self._pass_over(row)] if row else work

    def _pass_over(self, cycles: list[Any]) -> Work:
        return Passage(self.kernel, cycles, self.recorder).step, inf, None, None

    @property
    def passes_once(self) -> bool:
        """Whether a step is one pass over everything."""
        return len(self.work) == 1 and self.work[0][2] is None

    def close(self) -> None:
        """Ends the threads and gives the kept states back, while the components still live."""
        if self.workers:
            self.workers.stop()
        self.kernel.release_states()
