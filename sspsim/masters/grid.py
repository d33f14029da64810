"""The time grid of a fixed step, and the raster of the output: by multiplication, never by summation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, ulp

from sspsim.errors import UsageError

RELATIVE = 1e-9


@dataclass(frozen=True, slots=True)
class Grid:
    """Steps of equal length from start; the last one ends exactly at stop and may be shorter.

    >>> Grid(0.0, 10.0, 0.1).steps, Grid(0.0, 10.0, 0.1).time(100), Grid(0.0, 1.0, 0.3).last_step
    (100, 10.0, 0.10000000000000009)
    """

    start: float
    stop: float
    step: float

    @property
    def steps(self) -> int:
        """How many there are."""
        return max(0, ceil((self.stop - self.start) / self.step * (1 - RELATIVE)))

    @property
    def even(self) -> bool:
        """Whether the last step is as long as the others, but for rounding."""
        return abs(self.start + self.steps * self.step - self.stop) <= RELATIVE * self.step * max(
            1, self.steps
        )

    @property
    def last_step(self) -> float:
        """The length of the last step: that of the others unless it would not end at stop, or beyond it by
        rounding, which some FMUs refuse.

        >>> Grid(0.0, 10.0, 0.1).last_step, 0.2 + 0.1, 0.2 + Grid(0.0, 0.3, 0.1).last_step
        (0.1, 0.30000000000000004, 0.3)
        """
        begin = self.time(self.steps - 1)
        missing = self.stop - (begin + self.step)
        return self.step if 0 <= missing <= ulp(self.stop) else self.stop - begin

    def time(self, k: int) -> float:
        """The k-th communication point."""
        return self.start + k * self.step if k < self.steps else self.stop


class Raster:
    """Which communication points are output: the first one at or behind each multiple of `step` from the
    start.
    """

    def __init__(self, start: float, step: float | None) -> None:
        self.start = start
        self.step = step
        self.next = -inf  # the earliest time of a row
        self.go_to(start)

    def due(self, t: float) -> bool:
        """Whether a row belongs at t; to be asked once per point, in order."""
        if t < self.next:
            return False
        self.go_to(t)
        return True

    def go_to(self, t: float) -> None:
        """As if all points up to t had been asked about."""
        if self.step:
            k = floor((t - self.start) / self.step * (1 + RELATIVE)) + 1
            self.next = self.start + k * self.step * (1 - RELATIVE)

    def every(self, h: float) -> int:
        """After how many steps of length h a row is due; 0 if that is no whole number."""
        if not self.step:
            return 1
        ratio = self.step / h
        if ratio <= 1:
            return 1
        return round(ratio) if abs(ratio - round(ratio)) <= RELATIVE * ratio else 0


@dataclass(frozen=True, slots=True)
class Every:
    """What is kept: rows at multiples of `step` from the start time (none: every step), besides the first and
    the last; and which variables, by patterns such as `"plant.*"` (none: all outputs).

    >>> Every(60, "plant.*").variables
    ('plant.*',)
    """

    step: float | None = None
    variables: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.step is not None and not self.step > 0:
            raise UsageError(f"the distance of rows must be greater than 0, not {self.step}")
        names = (self.variables,) if isinstance(self.variables, str) else tuple(self.variables)
        object.__setattr__(self, "variables", names)
