"""Compares a signal with its reference: the epsilon band of the FMI cross-check, and a weighted norm.

The band is made for "is this the same model at all": the reference is resampled at 1000 equally spaced
points, its upper limit is the maximum of 21 neighbours plus 10 % of the largest absolute value (0.5 if that is
0), the lower limit likewise, and 90 % of the samples must lie inside. The norm sees what the band forgives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

SAMPLES = 1000
NEIGHBOURS = 10  # to either side
MARGIN = 0.1
MARGIN_OF_ZERO = 0.5
SHARE_INSIDE = 0.9
RTOL, ATOL = 1e-5, 1e-6
END_TOLERANCE = 1e-6  # of the reference's duration


@dataclass(frozen=True, slots=True)
class Verdict:
    """How well one signal agrees with its reference."""

    name: str
    inside: float
    wrms: float
    passed: bool
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """The epsilon band of a reference signal."""

    time: Vector
    lower: Vector
    upper: Vector

    def contains(self, time: Vector, values: Vector) -> NDArray[np.bool_]:
        """Which samples lie inside; NaN never does."""
        lower, upper = np.interp(time, self.time, self.lower), np.interp(time, self.time, self.upper)
        return np.asarray((lower <= values) & (values <= upper))


def epsilon_band(time: Vector, reference: Vector) -> Band:
    """The band around a reference signal.

    >>> band = epsilon_band(np.array([0.0, 1.0]), np.array([2.0, 2.0]))
    >>> float(band.lower[0]), float(band.upper[0])
    (1.8, 2.2)
    """
    grid = np.linspace(time[0], time[-1], SAMPLES)
    values = np.interp(grid, time, reference)
    largest = float(np.abs(reference).max())
    margin = MARGIN * largest if largest > 0 else MARGIN_OF_ZERO
    padded = np.pad(values, NEIGHBOURS, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * NEIGHBOURS + 1)
    return Band(grid, windows.min(axis=1) - margin, windows.max(axis=1) + margin)


def wrms(values: Vector, reference: Vector) -> float:
    """The weighted root mean square of the difference; 1 means "equal within the tolerances".

    >>> wrms(np.array([1.0, 1.0]), np.array([1.0, 1.0]))
    0.0
    """
    weighted = (values - reference) / (RTOL * np.abs(reference) + ATOL)
    return float(np.sqrt(np.mean(weighted**2)))


def judge(
    name: str, time: Vector, values: Vector, reference_time: Vector, reference: Vector, stop: float = np.inf
) -> Verdict:
    """Judges one signal; samples before and after the reference do not count.

    A signal that ends before both the reference and `stop` has failed.
    """
    known = np.isfinite(reference)
    if not known.any():
        return Verdict(name, 1.0, 0.0, True, "the reference has no numbers")
    reference_time, reference = reference_time[known], reference[known]
    inside = (time >= reference_time[0]) & (time <= reference_time[-1])
    if not inside.any():
        return Verdict(name, 0.0, float("inf"), False, "no sample within the times of the reference")
    end = min(stop, float(reference_time[-1]))
    short = bool(time[-1] < end - END_TOLERANCE * (end - reference_time[0]))
    share = float(epsilon_band(reference_time, reference).contains(time[inside], values[inside]).mean())
    distance = wrms(values[inside], np.interp(time[inside], reference_time, reference))
    remark = f"ends at {time[-1]:g} before the reference ({end:g})" if short else ""
    return Verdict(name, share, distance, share >= SHARE_INSIDE and not short, remark)


def judge_all(
    time: Vector,
    values: Mapping[str, Vector],
    reference_time: Vector,
    references: Mapping[str, Vector],
    stop: float = np.inf,
) -> list[Verdict]:
    """Judges every signal of the reference; one that was not computed has failed."""
    return [
        judge(name, time, values[name], reference_time, reference, stop)
        if name in values
        else Verdict(name, 0.0, float("inf"), False, "not in the result")
        for name, reference in references.items()
    ]
