"""Communication steps of one fixed length."""

from __future__ import annotations

from time import perf_counter
from typing import ClassVar

from sspsim.masters.stepping import Run, Stepping

REPORT_SECONDS = 0.1  # how long the kernel may be alone: Ctrl-C and the progress bar wait for it


class FixedStep(Stepping):
    """All steps have the same length; only the last one is cut to end exactly at the stop time."""

    name: ClassVar = "fixed"
    adaptive: ClassVar = False

    def advance(self, run: Run) -> None:
        """The next point of the grid."""
        grid, k = run.grid, run.steps - run.before_grid
        t, h = grid.time(k), grid.step if k < grid.steps - 1 else grid.last_step
        converged = run.solve(t, h)
        run.log(t, h, "done" if converged else "not converged")
        run.accept(grid.time(k + 1))

    def march(self, run: Run) -> None:
        """As `advance`, but with as little as possible between two steps."""
        grid = run.grid
        every = 0 if run.before_grid else run.raster.every(run.step_size)  # rows lie on the first grid
        if every and run.one_pass:
            self._in_the_kernel(run, grid.steps - 1, every)
        elif every and run.unobserved:
            self._in_portions(run, grid.steps - 1, every)
        while run.time < run.stop:
            self.advance(run)

    def _in_the_kernel(self, run: Run, last: int, every: int) -> None:
        portion = _Portion()
        while run.steps < last:
            first = run.steps
            with portion:
                try:
                    run.passage.run(run.start, run.step_size, first, min(last, first + portion.size), every)
                finally:
                    k = run.passage.position
                    run.reached(run.start + k * run.step_size, k - first)
                run.flush()
        run.raster.due(run.time)

    def _in_portions(self, run: Run, last: int, every: int) -> None:
        """From row to row."""
        solve, start, h = run.solve, run.start, run.step_size
        portion = _Portion()
        while run.steps < last:
            first = k = run.steps
            end = min(last, first + portion.size, first - first % every + every)
            with portion:
                try:
                    while k < end:
                        solve(start + k * h, h)
                        k += 1
                finally:
                    run.reached(start + k * h, k - first)
            if k % every == 0:
                run.record(run.time)
        run.raster.due(run.time)


class _Portion:
    """How many steps are done at once: as many as the user may wait for the next sign of life."""

    def __init__(self) -> None:
        self.size = 1

    def __enter__(self) -> None:
        self.began = perf_counter()

    def __exit__(self, *_: object) -> None:
        took = perf_counter() - self.began
        if took < REPORT_SECONDS / 2:
            self.size *= 2
        elif took > REPORT_SECONDS and self.size > 1:
            self.size //= 2
