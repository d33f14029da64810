"""Accelerated fixed point (Anderson, IQN-ILS): learns the Jacobian from the iterates."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sspsim.masters.base import Cycle, Master, Vector

INDEPENDENT = 1e-8  # a column that adds less than this part of itself to the others is noise
LENGTHS = 2  # of steps, for which what was learnt is kept: error control takes whole and half steps

Differences = list[tuple[Vector, Vector]]  # of residuals and of the sweeps they belong to, newest first


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
        kept: list[_Learnt] = cycle.workspace or []
        learnt = next((known for known in kept if known.h == h), None)
        now: Differences = []
        last: tuple[Vector, Vector] | None = None
        answer: _Answer | None = None
        change = inf
        for k in range(self.max_iterations):
            if k:
                cycle.rollback()
            cycle.sweep(t, h)
            before, change = change, cycle.change()
            if change <= 1.0 or k == self.max_iterations - 1:
                break
            image = cycle.values.copy()
            found = image[assumed]
            residual = found - cycle.before[assumed]
            if cycle.changed:  # a switch: what was learnt before belongs to another map
                now, last, learnt = [], None, None
            elif change >= before:  # earlier steps mislead
                learnt = None
            if last is not None:
                now.insert(0, (residual - last[0], image - last[1]))
            last = residual, image
            answer = learnt.answer if learnt else None
            if now:
                weights = cycle.rtol * np.abs(found) + cycle.atol
                answer = _Answer.of([now, *(learnt.steps if learnt else [])], weights)
            if answer:  # else the next sweep starts from the image, which is already there
                cycle.values[:] = image + answer.towards_zero(residual)
        converged = change <= 1.0
        if self.reuse and not converged:
            cycle.workspace = None
        elif self.reuse and now and answer:
            steps = [now, *(learnt.steps if learnt else [])][: self.reuse]
            others = [known for known in kept if known.h != h][: LENGTHS - 1]
            cycle.workspace = [_Learnt.of(h, steps, answer.weights), *others]
        return converged

    def to_plain(self, workspace: list[_Learnt]) -> Any:
        """Numbers and lists."""
        return [
            [
                known.h,
                [[[v.tolist(), w.tolist()] for v, w in step] for step in known.steps],
                known.weights.tolist(),
            ]
            for known in workspace
        ]

    def from_plain(self, plain: Any) -> list[_Learnt]:
        """What `to_plain` was given."""
        found = []
        for h, listed, numbers in plain:
            steps = [[(np.array(v), np.array(w)) for v, w in step] for step in listed]
            found.append(_Learnt.of(h, steps, np.array(numbers)))
        return found


@dataclass(frozen=True, slots=True)
class _Answer:
    """How the residual answers: orthonormal combinations of its differences in the weighted norm, one per row,
    and what the sweep changes with each.
    """

    weights: Vector
    residuals: NDArray[np.float64]
    images: NDArray[np.float64]

    @classmethod
    def of(cls, steps: list[Differences], weights: Vector) -> _Answer | None:
        """Newer differences count first; columns that hardly differ from newer ones are left out."""
        residuals: list[Vector] = []
        images: list[Vector] = []
        for v, w in (pair for step in steps for pair in step):
            if len(residuals) == len(weights):
                break
            column, image = v / weights, w
            size = np.sqrt(column @ column)
            for q, d in zip(residuals, images, strict=True):
                share = q @ column
                column = column - share * q
                image = image - share * d
            rest = np.sqrt(column @ column)
            if rest > INDEPENDENT * size:
                residuals.append(column / rest)
                images.append(image / rest)
        return cls(weights, np.array(residuals), np.array(images)) if residuals else None

    def towards_zero(self, residual: Vector) -> Vector:
        """What to add to the sweep, so that the residual gets smallest."""
        change: Vector = (self.residuals @ (residual / self.weights)) @ self.images
        return -change


@dataclass(frozen=True, slots=True)
class _Learnt:
    """The differences of the last steps of one length, with what follows from them prepared for the next step."""

    h: float
    steps: list[Differences]
    weights: Vector
    answer: _Answer | None

    @classmethod
    def of(cls, h: float, steps: list[Differences], weights: Vector) -> _Learnt:
        return cls(h, steps, weights, _Answer.of(steps, weights))
