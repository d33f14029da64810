"""Auto: for each cycle the master that its FMUs allow."""

from __future__ import annotations

from typing import ClassVar

from sspsim.graph.choice import Choice
from sspsim.masters.anderson import Anderson
from sspsim.masters.base import Master, check_limits
from sspsim.masters.gauss_seidel import GaussSeidel
from sspsim.masters.newton import Newton


class Auto:
    """Turns what the structural analysis recommends into masters; `sspsim info` shows it with the reasons."""

    name: ClassVar = "auto"
    simultaneous: ClassVar = False

    def __init__(self, max_iterations: int = 20, *, fallback_step: float | None = None) -> None:
        check_limits(max_iterations, fallback_step)
        self.max_iterations = max_iterations
        self.fallback_step = fallback_step

    def master(self, choice: Choice) -> tuple[Master, str]:
        """The master for one stage, and why."""
        if not choice.iterates:
            return GaussSeidel(), choice.why
        kinds: dict[str, type[Master]] = {"anderson": Anderson, "newton": Newton}
        kind = kinds.get(choice.master, GaussSeidel)
        if self.max_iterations == 1 and kind.plain:
            return GaussSeidel(), "one iteration is all that is allowed"
        return kind(self.max_iterations, fallback_step=self.fallback_step), choice.why
