"""The contract of a master algorithm."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class Cycle(Protocol):
    """What a master works with: components that are stepped together and the values that they exchange.

    `values` are the real coupling variables of the cycle, a live view: what is written there is handed on;
    `before` are those that the last pass started from. Integers, booleans and texts follow the components'
    outputs by themselves; `changed` says whether the last pass changed any of them. `assumed` are the
    positions in `values` that a sweep uses before it computes them. `workspace` is free for what a master
    wants to keep from step to step: numbers, texts, lists and dicts with texts as keys, so that a checkpoint
    can hold it, or anything else that its `to_plain` turns into these.
    """

    values: Vector
    before: Vector
    assumed: NDArray[np.intp]
    components: tuple[int, ...]
    changed: bool
    directional: bool  # whether all FMUs give directional derivatives
    difference_steps: int  # how many doSteps `differentiate` costs
    rtol: float
    atol: float
    workspace: Any

    def sweep(self, t: float, h: float) -> None:
        """Steps the components one after the other from t to t + h, each with the newest values."""

    def evaluate(self, t: float, h: float) -> None:
        """Steps all components from t to t + h with the values as they are now."""

    def rollback(self) -> None:
        """Puts all components back to t."""

    def norm(self, before: Vector) -> float:
        """Weighted distance between `before` and `values`, 1 or less when converged; infinite while others
        change.
        """

    def change(self) -> float:
        """How far the last pass moved the values: `norm(before)`."""

    def differentiate(self, t: float, h: float, increment: float) -> bool:
        """Prepares I - dS/dy for `correction` by differences, S as last evaluated; False if singular."""

    def differentiate_directionally(self, t: float) -> bool:
        """The same from the directional derivatives of the FMUs."""

    def correction(self) -> float:
        """Solves (I - dS/dy) d = S(y) - y at y = `before`; the norm of d."""

    def correct(self) -> None:
        """Sets `values` to y + d."""


class Master(ABC):
    """One communication step of one cycle.

    A master of your own is a subclass with one method:

    >>> class Relaxed(Master):
    ...     def solve(self, cycle, t, h):
    ...         for k in range(self.max_iterations):
    ...             if k:
    ...                 cycle.rollback()
    ...             before = cycle.values.copy()
    ...             cycle.sweep(t, h)
    ...             if cycle.norm(before) <= 1:
    ...                 return True
    ...             cycle.values[:] = 0.7 * cycle.values + 0.3 * before
    ...         return False

    `solve` is called for cycles of two or more components, with their states at t kept if this iterates. It
    returns whether it converged and leaves the components at t + h.
    """

    name: ClassVar[str] = ""
    order: ClassVar[int] = 1
    simultaneous: ClassVar[bool] = False  # True: all components of the system are stepped as one group
    plain: ClassVar[bool] = False  # True: `solve` is just one pass when this does not iterate

    def __init_subclass__(cls) -> None:
        """One without a name is called as its class."""
        cls.name = cls.name or cls.__name__

    def __init__(self, max_iterations: int = 1, *, fallback_step: float | None = None) -> None:
        """`fallback_step`: shorter steps are one pass, accepted as it is, to get past discontinuities; if not
        given, those shorter than the shortest of the step control.
        """
        check_limits(max_iterations, fallback_step)
        self.max_iterations = max_iterations
        self.fallback_step = fallback_step

    @property
    def passes_once(self) -> bool:
        """Whether `solve` is just one pass: then many steps can be done in one call."""
        return self.plain and not self.iterates

    @property
    def iterates(self) -> bool:
        """Whether components are rolled back."""
        return self.max_iterations > 1

    def to_plain(self, workspace: Any) -> Any:
        """A workspace as a checkpoint holds it: numbers, texts, lists and dicts with texts as keys."""
        return workspace

    def from_plain(self, plain: Any) -> Any:
        """The workspace that `to_plain` was given."""
        return plain

    @abstractmethod
    def solve(self, cycle: Cycle, t: float, h: float) -> bool:
        """Takes the cycle from t to t + h; True if converged."""


def check_limits(max_iterations: int, fallback_step: float | None) -> None:
    """Whether these settings of a master make sense."""
    if max_iterations < 1:
        raise ValueError(f"max_iterations must be at least 1, not {max_iterations}")
    if fallback_step is not None and not fallback_step >= 0:
        raise ValueError("fallback_step must not be negative")
