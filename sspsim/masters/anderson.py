"""Accelerated fixed point (Anderson, IQN-ILS): learns the Jacobian from the iterates."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar

import numpy as np

from sspsim.masters.base import Cycle, Master, Vector

INDEPENDENT = 1e-8  # a column that adds less than this part of itself to the others is noise


class Anderson(Master):
    """Gauss-Seidel sweeps over x, the values that a sweep assumes; r(x) = sweep(x) - x must vanish.

    Differences of earlier residuals and sweeps in the same step show how r answers to x: the combination of
    them that makes the residual smallest gives the next x, and what the sweep from there should find for all
    values. Converged when it does find that. No step is made for that alone. `reuse`: from how
    many earlier steps of the same length differences are kept; a cycle that answers in much the same way for
    many steps then needs two sweeps in most of them.
    """

    name: ClassVar = "anderson"
    plain: ClassVar = True

    def __init__(
        self, max_iterations: int = 20, *, fallback_step: float | None = None, reuse: int = 4
    ) -> None:
        super().__init__(max_iterations, fallback_step=fallback_step)
        if reuse < 0:
            raise ValueError(f"reuse must not be negative, not {reuse}")
        self.reuse = reuse

    def solve(self, cycle: Cycle, t: float, h: float) -> bool:
        """Sweeps from the best x that the differences give."""
        assumed = cycle.assumed
        earlier = [_Differences.from_plain(*kept) for kept in cycle.workspace or ()]
        now = _Differences(h)
        last: tuple[Vector, Vector] | None = None
        change = inf
        for k in range(self.max_iterations):
            if k:
                cycle.rollback()
            cycle.sweep(t, h)
            before, change = change, cycle.change()
            if change <= 1.0 or k == self.max_iterations - 1:
                break
            image = cycle.values.copy()
            residual = image[assumed] - cycle.before[assumed]
            if cycle.changed:  # a switch: what was learnt before belongs to another map
                now, last, earlier = _Differences(h), None, []
            elif change >= before:  # earlier steps mislead
                earlier = []
            if last is not None:
                now.add(residual - last[0], image - last[1])
            last = residual, image
            known = [d for d in (now, *earlier) if d.h == h and d.residuals]
            if known:  # else the next sweep starts from the image, which is already there
                cycle.values[:] = image + _towards_zero(residual, image, known, cycle)
        converged = change <= 1.0
        if self.reuse and not converged:
            cycle.workspace = None
        elif self.reuse and now.residuals:
            cycle.workspace = [differences.plain() for differences in [now, *earlier][: self.reuse]]
        return converged


@dataclass(frozen=True, slots=True)
class _Differences:
    """Of residuals and sweeps within one step, newest first."""

    h: float
    residuals: list[Vector] = field(default_factory=list)
    images: list[Vector] = field(default_factory=list)

    @classmethod
    def from_plain(cls, h: float, residuals: list[list[float]], images: list[list[float]]) -> _Differences:
        return cls(h, [np.array(v) for v in residuals], [np.array(w) for w in images])

    def plain(self) -> list[Any]:
        return [self.h, [v.tolist() for v in self.residuals], [w.tolist() for w in self.images]]

    def add(self, residual: Vector, image: Vector) -> None:
        self.residuals.insert(0, residual)
        self.images.insert(0, image)


def _towards_zero(residual: Vector, image: Vector, known: list[_Differences], cycle: Cycle) -> Vector:
    """What to add to the image: W c, with the c that makes residual + V c smallest in the weighted norm.

    V and W are the differences of residuals and images. Columns that hardly differ from newer ones are left
    out.
    """
    weights = cycle.rtol * np.abs(image[cycle.assumed]) + cycle.atol
    basis: list[Vector] = []
    change = np.zeros_like(image)
    directions: list[Vector] = []
    left = -residual / weights
    for differences in known:
        for v, w in zip(differences.residuals, differences.images, strict=True):
            if len(basis) == len(residual):
                return change
            column, direction = v / weights, w
            size = np.sqrt(column @ column)
            for q, d in zip(basis, directions, strict=True):
                share = q @ column
                column = column - share * q
                direction = direction - share * d
            rest = np.sqrt(column @ column)
            if not rest > INDEPENDENT * size:
                continue
            basis.append(column / rest)
            directions.append(direction / rest)
            share = basis[-1] @ left
            left = left - share * basis[-1]
            change = change + share * directions[-1]
    return change
