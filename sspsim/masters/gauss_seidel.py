"""Gauss-Seidel: one component after the other, each with the newest values."""

from __future__ import annotations

from typing import ClassVar

from sspsim.masters.base import Cycle, Master


class GaussSeidel(Master):
    """One pass, or iterated until the values agree with those of the pass before."""

    name: ClassVar = "gauss-seidel"
    plain: ClassVar = True

    def solve(self, cycle: Cycle, t: float, h: float) -> bool:
        """Sweeps until converged or the limit is reached."""
        cycle.sweep(t, h)
        for _ in range(1, self.max_iterations):
            if cycle.change() <= 1.0:
                return True
            cycle.rollback()
            cycle.sweep(t, h)
        return cycle.change() <= 1.0
