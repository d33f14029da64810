"""Error control by step doubling: one step of h beside two of h/2 over the same interval."""

from __future__ import annotations

from math import nextafter
from time import perf_counter
from typing import ClassVar

from sspsim.errors import StepDiscarded
from sspsim.masters.stepping import Adaptive, Run, StepErrors, check_tolerances

NOT_CONVERGED = (25.0, 0.0)  # counts as an error that asks for the strongest reduction


class ErrorControl(Adaptive):
    """Keeps the estimated error of a step within rtol * |y| + atol, for all real coupling variables.

    Richardson error: the end values of both ways differ. Slope error: the middle is not where a straight line
    has it, which shows jumps that leave the end values equal. `safety`, `shrink` and `growth` bound how h
    follows the error. `extrapolate`: rows hold 2*y_H - y_F, in which the leading error cancels, instead of
    y_H.
    """

    name: ClassVar = "error"

    def __init__(
        self,
        rtol: float = 1e-5,
        atol: float = 1e-6,
        *,
        step: float | None = None,
        min_step: float = 1e-5,
        max_step: float | None = None,
        reduction: float = 5.0,
        growth: float = 2.0,
        shrink: float = 0.2,
        safety: float = 0.9,
        extrapolate: bool = False,
    ) -> None:
        super().__init__(step, min_step=min_step, max_step=max_step, reduction=reduction, growth=growth)
        check_tolerances(rtol, atol)
        if not (0 < shrink < 1 and 0 < safety <= 1):
            raise ValueError(
                f"0 < shrink < 1 and 0 < safety <= 1 must hold, or no failed step gets shorter: {shrink}, {safety}"
            )
        self.rtol = rtol
        self.atol = atol
        self.shrink = shrink
        self.safety = safety
        self.extrapolate = extrapolate

    def advance(self, run: Run) -> None:
        """One accepted step, made of two halves."""
        t, h = run.time, self.first_try(run)
        run.keep()
        while True:
            smallest = h <= self.min_step
            half = _half(t, h, run.stop)
            h = 2 * half
            if not self.attempt(run, t, h, last_chance=smallest) and not smallest:
                run.log(t, h, "not converged")
                h = self.shortened(run, h)
                continue
            errors = self.errors(run, t, half, smallest)
            error = max(errors)
            factor = self.factor(error, run.order)
            if error <= 1.0 or smallest:
                break
            run.counts["error_test_failures"] += 1
            run.log(t, h, "error test failed", errors)
            run.go_back()
            h = max(h * factor, self.min_step)
        run.counts["error_limits"] += error > 1.0
        run.next_step = min(max(h * factor, self.min_step), self.greatest(run))
        run.log(t, h, "done", errors)
        run.accept(self.end(run, t + half + half), extrapolate=self.extrapolate)

    def factor(self, error: float, order: int) -> float:
        """How the step follows the error."""
        if not error:
            return self.growth
        factor: float = self.safety * error ** (-1 / (order + 1))
        return self.shrink if factor < self.shrink else self.growth if factor > self.growth else factor

    def errors(self, run: Run, t: float, half: float, last_chance: bool) -> StepErrors:
        """Both errors, with the components at the end of the second half step."""
        began = perf_counter()
        kernel = run.kernel
        kernel.end_full_step(t, t + 2 * half if self.extrapolate else None)
        try:
            converged = run.solve(t, half)
            kernel.end_half_step()
            converged = run.solve(t + half, half) and converged
        except StepDiscarded:
            run.counts["discarded_steps"] += 1
            if last_chance:
                raise
            converged = False
        richardson: float
        slope: float
        richardson, slope = kernel.step_errors(run.coupled, self.rtol, self.atol)
        run.seconds["error_test"] += perf_counter() - began
        if not converged:
            return NOT_CONVERGED
        if run.order > 1:
            richardson /= 2**run.order - 1
        return richardson, slope


def _half(t: float, h: float, stop: float) -> float:
    """Half of h, so that t + half + half and t + 2*half are the same number, and not beyond stop.

    >>> half = _half(0.3, 0.1, 1.0)
    >>> 0.3 + half + half == 0.3 + 2 * half
    True
    """
    half = (t + h / 2) - t
    return half if t + 2 * half <= stop else nextafter(t + half, t) - t
