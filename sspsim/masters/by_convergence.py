"""Step size by convergence: shorter after a failure to converge, longer after each success."""

from __future__ import annotations

from typing import ClassVar

from sspsim.masters.stepping import Adaptive, Run


class ByConvergence(Adaptive):
    """Not converged: back, h / reduction, accepted and counted at min_step; converged: h * growth, up to max_step."""

    name: ClassVar = "convergence"

    def advance(self, run: Run) -> None:
        """One accepted step."""
        t, h = run.time, self.first_try(run)
        run.keep()
        while not self.attempt(run, t, h, last_chance=h <= self.min_step):
            run.log(t, h, "not converged")
            if h <= self.min_step:
                break
            h = self.shortened(run, h)
        else:
            run.log(t, h, "done")
        run.counts["smallest_steps"] += h <= self.min_step
        run.next_step = min(h * self.growth, self.greatest(run))
        run.accept(self.end(run, t + h))
