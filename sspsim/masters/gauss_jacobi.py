"""Gauss-Jacobi: every component gets its inputs from the beginning of the step."""

from __future__ import annotations

from typing import ClassVar

from sspsim.masters.base import Cycle, Master


class GaussJacobi(Master):
    """Never iterates. The components are independent of each other within a step."""

    name: ClassVar = "gauss-jacobi"
    simultaneous: ClassVar = True
    plain: ClassVar = True

    def __init__(self) -> None:
        super().__init__(max_iterations=1)

    def solve(self, cycle: Cycle, t: float, h: float) -> bool:
        """One evaluation with the values at t."""
        cycle.evaluate(t, h)
        return True
