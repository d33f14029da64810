"""Auto: for each cycle the master that its FMUs allow."""

from __future__ import annotations

from typing import ClassVar

from sspsim.graph.choice import Choice
from sspsim.masters.anderson import Anderson
from sspsim.masters.base import Master
from sspsim.masters.gauss_seidel import GaussSeidel
from sspsim.masters.newton import Newton


class Auto:
    """Turns what the structural analysis recommends into masters; `sspsim info` shows it with the reasons."""

    name: ClassVar = "auto"
    simultaneous: ClassVar = False

    def __init__(self, max_iterations: int = 20, *, fallback_step: float | None = None) -> None:
        self.max_iterations = max_iterations
        self.fallback_step = fallback_step

    def master(self, choice: Choice) -> Master:
        """The master for one stage."""
        if not choice.iterates:
            return GaussSeidel()
        kinds: dict[str, type[Master]] = {"anderson": Anderson, "newton": Newton}
        kind = kinds.get(choice.master, GaussSeidel)
        return kind(self.max_iterations, fallback_step=self.fallback_step)
