"""Units of time and how durations in them become seconds."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Times = TypeVar("Times", float, "NDArray[np.float64]")

TIME_UNITS: dict[str, float] = {
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "a": 31536000.0,
}
"""Seconds per unit; a year has 365 days."""


def known_time_unit(unit: str) -> str:
    """The unit itself, if it is one; ValueError names those that are.

    >>> known_time_unit("min")
    'min'
    """
    if unit not in TIME_UNITS:
        raise ValueError(f"{unit!r} is no unit of time; use one of {', '.join(TIME_UNITS)}")
    return unit


def to_seconds(value: float, unit: str) -> float:
    """A duration in seconds, rounded once.

    >>> to_seconds(9, "ms"), to_seconds(1.5, "h")
    (0.009, 5400.0)
    """
    if unit == "ms":
        return value / 1000.0  # 9 * 1e-3 is not the double next to 0.009
    return value * TIME_UNITS[unit]


def from_seconds(seconds: Times, unit: str) -> Times:
    """Seconds in another unit of time, one number or many.

    >>> from_seconds(5400.0, "h")
    1.5
    """
    return seconds * 1000.0 if unit == "ms" else seconds / TIME_UNITS[unit]


def show_time(seconds: float, unit: str = "s", reference: datetime | None = None) -> str:
    """A point in time for people: with a unit, or as a date if it is known when 0 is.

    >>> show_time(5400.0, "h"), show_time(5400.0, "h", datetime(2024, 2, 28, 23))
    ('1.5 h', '2024-02-29 00:30:00')
    """
    if reference is None:
        return f"{from_seconds(seconds, unit):.6g} {unit}"
    return str(reference + timedelta(seconds=round(seconds)))
