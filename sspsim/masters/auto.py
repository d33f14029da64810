"""Auto: a master for each cycle, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sspsim.graph.flat import Instance
from sspsim.masters.anderson import Anderson
from sspsim.masters.base import Master
from sspsim.masters.gauss_seidel import GaussSeidel
from sspsim.masters.newton import Newton


class Auto:
    """Looks at what the FMUs of a cycle can do."""

    name: ClassVar = "auto"
    simultaneous: ClassVar = False

    def __init__(self, max_iterations: int = 20, *, fallback_step: float = 0.0) -> None:
        self.max_iterations = max_iterations
        self.fallback_step = fallback_step

    def choose(self, members: Sequence[Instance], *, algebraic: bool) -> tuple[Master, str]:
        """A master and the reason; `algebraic`: outputs follow inputs without delay all around the cycle."""
        if len(members) == 1:
            return GaussSeidel(), "no cycle: one pass in order is exact"
        stiff = [m.name for m in members if not m.interface.rollback]
        if stiff:
            return GaussSeidel(), (
                f"{', '.join(stiff)} cannot restore {'its' if len(stiff) == 1 else 'their'} state: "
                "one pass, watched by the defect monitor"
            )
        if algebraic and all(m.interface.directional_derivatives for m in members):
            return (
                Newton(self.max_iterations, fallback_step=self.fallback_step),
                "an algebraic loop, and all its FMUs give directional derivatives",
            )
        return (
            Anderson(self.max_iterations, fallback_step=self.fallback_step),
            "a cycle whose FMUs can all be rolled back: fewest steps",
        )
