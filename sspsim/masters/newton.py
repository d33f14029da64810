"""Newton: solves 0 = y - S(y), S being one evaluation of the cycle with all inputs from y."""

from __future__ import annotations

from math import inf
from typing import ClassVar

from sspsim.masters.base import Cycle, Master


class Newton(Master):
    """Modified Newton: I - dS/dy is built once per step, in the first iteration.

    dS/dy comes from the FMUs' directional derivatives if all of the cycle have them: that costs no steps and
    is exact for algebraic loops, but leaves out what inputs do to states during the step. Since the residual
    is exact, so is a converged result; where it does not converge, forward differences take over, from then
    on for this cycle. Differences use y_j + e_j, e_j = increment * (rtol * |y_j| + 0.01 * atol); e_j must
    stay well above the noise of the FMUs' own solvers.
    """

    name: ClassVar = "newton"

    def __init__(
        self,
        max_iterations: int = 10,
        *,
        fallback_step: float | None = None,
        increment: float = 1.0,
        directional: bool = True,
    ) -> None:
        super().__init__(max_iterations, fallback_step=fallback_step)
        if not 0 < increment < inf:
            raise ValueError(f"the increment of differences must be greater than 0, not {increment}")
        self.increment = increment
        self.directional = directional

    @property
    def iterates(self) -> bool:
        """Even one iteration evaluates twice: at the old and at the corrected values."""
        return True

    def solve(self, cycle: Cycle, t: float, h: float) -> bool:
        """By directional derivatives as long as that pays, else by differences."""
        if not (self.directional and cycle.directional and cycle.workspace is None):
            return self.iterate(cycle, t, h, directional=False) is not None
        y = cycle.values.copy()
        corrections = self.iterate(cycle, t, h, directional=True)
        if corrections is None or (corrections - 1) * len(cycle.components) > cycle.difference_steps:
            cycle.workspace = "differences"
        if corrections is not None:
            return True
        cycle.values[:] = y
        cycle.rollback()
        return self.iterate(cycle, t, h, directional=False) is not None

    def iterate(self, cycle: Cycle, t: float, h: float, *, directional: bool) -> int | None:
        """How many corrections it took, None if it did not converge.

        The last evaluation is at the accepted y, so that states, outputs and y agree.
        """
        cycle.evaluate(t, h)
        if cycle.changed:  # something that is not in y; the differences must not see that change
            cycle.values[:] = cycle.before
            cycle.rollback()
            cycle.evaluate(t, h)
        if cycle.change() == 0.0:
            return 0
        regular = (
            cycle.differentiate_directionally(t + h)
            if directional
            else cycle.differentiate(t, h, self.increment)
        )
        if not regular:  # there is no correction: the values stay as they are
            cycle.rollback()
            cycle.evaluate(t, h)
            return None
        cycle.correction()
        for k in range(self.max_iterations):
            cycle.correct()
            cycle.rollback()
            cycle.evaluate(t, h)
            if cycle.correction() <= 1.0:
                return k + 1
        return None
