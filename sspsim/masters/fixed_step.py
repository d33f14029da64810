"""Communication steps of one fixed length."""

from __future__ import annotations

from time import perf_counter
from typing import Any, Protocol

from sspsim.masters.grid import Grid, Raster

REPORT_SECONDS = 0.1  # how long the kernel may be alone: Ctrl-C and the progress bar wait for it


class Run(Protocol):
    """What a step-size control drives."""

    start: float
    stop: float
    raster: Raster
    kernel: Any
    cycles: list[Any]
    one_pass: bool

    def solve(self, t: float, h: float) -> bool:
        """Takes all cycles from t to t + h."""

    def record(self, t: float) -> None:
        """Keeps a row."""

    def flush(self) -> None:
        """Hands full rows on."""

    def reached(self, t: float, steps: int) -> None:
        """Tells that t has been reached with `steps` more steps."""


class FixedStep:
    """All steps have the same length; only the last one is cut to end exactly at the stop time."""

    def __init__(self, step: float) -> None:
        self.step = step

    def march(self, run: Run) -> None:
        """From start to stop."""
        grid = Grid(run.start, run.stop, self.step)
        if grid.steps == 0:
            return
        last = grid.steps - 1
        every = run.raster.every(self.step)
        if run.one_pass and every:
            self._in_the_kernel(run, last, every)
        else:
            self._one_by_one(run, grid, last)
        run.solve(grid.time(last), grid.last_step)
        run.reached(run.stop, 1)
        run.record(run.stop)

    def _in_the_kernel(self, run: Run, last: int, every: int) -> None:
        k, portion = 0, 64
        while k < last:
            began, first = perf_counter(), k
            k = run.kernel.run(run.cycles, run.start, self.step, k, min(last, k + portion), every)
            run.reached(run.start + k * self.step, k - first)
            run.flush()
            if perf_counter() - began < REPORT_SECONDS / 2:
                portion *= 2
            elif portion > 1:
                portion //= 2

    def _one_by_one(self, run: Run, grid: Grid, last: int) -> None:
        for k in range(last):
            run.solve(grid.time(k), self.step)
            run.reached(grid.time(k + 1), 1)
            if run.raster.due(grid.time(k + 1)):
                run.record(grid.time(k + 1))
