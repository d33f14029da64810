"""The contract of a master algorithm."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray


class Cycle(Protocol):
    """What a master works with: components that are stepped together and the values that they exchange.

    `values` are the real coupling variables of the cycle, a live view: what is written there is handed on.
    Integers, booleans and texts follow the components' outputs by themselves.
    """

    values: NDArray[np.float64]

    def sweep(self, t: float, h: float) -> None:
        """Steps the components one after the other from t to t + h, each with the newest values."""

    def evaluate(self, t: float, h: float) -> None:
        """Steps all components from t to t + h with the values as they are now."""

    def rollback(self) -> None:
        """Puts all components back to t."""

    def norm(self, before: NDArray[np.float64]) -> float:
        """Weighted distance between `before` and `values`, 1 or less when converged; infinite while others change."""


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
    """

    name: ClassVar[str] = ""
    order: ClassVar[int] = 1
    simultaneous: ClassVar[bool] = False  # True: all components of the system are stepped as one group

    def __init__(self, max_iterations: int = 1) -> None:
        if max_iterations < 1:
            raise ValueError("max_iterations must be at least 1")
        self.max_iterations = max_iterations

    @property
    def iterates(self) -> bool:
        """Whether components are rolled back; if not, a step is one pass and many can be done in one call."""
        return self.max_iterations > 1

    @abstractmethod
    def solve(self, cycle: Cycle, t: float, h: float) -> bool:
        """Takes the cycle from t to t + h; True if converged. The states at t have been saved if this iterates."""
