"""How far two results are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.errors import UsageError
from sspsim.results.result import Result


@dataclass(frozen=True, slots=True)
class Difference:
    """The largest distance of one variable, and where it is; `within` compares with rtol*|value| + atol."""

    name: str
    largest: float
    time: float
    rms: float
    within: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences of all variables that both results have, and the names that only one of them has."""

    differences: tuple[Difference, ...]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()

    @property
    def within(self) -> bool:
        """Whether both have the same variables and all of them agree within the tolerances."""
        return not self.only_first and not self.only_second and all(d.within for d in self.differences)

    def __str__(self) -> str:
        lines = [
            f"{d.name}: {'equal' if d.largest == 0 else 'within tolerance' if d.within else 'DIFFERENT'}, "
            f"largest difference {d.largest:.6g} at t={d.time:g} s, rms {d.rms:.3g}"
            for d in self.differences
        ]
        lines += [f"{name}: only in the first result" for name in self.only_first]
        lines += [f"{name}: only in the second result" for name in self.only_second]
        return "\n".join(lines)


def compare(first: Result, second: Result, *, rtol: float, atol: float) -> Comparison:
    """At the times of the first result, as far as the second one reaches."""
    if not len(first.time) or not len(second.time):
        raise UsageError("a result without rows cannot be compared")
    common = first.between(second.time[0], second.time[-1])
    if not len(common.time):
        raise UsageError("the two results have no span of time in common")
    same_times = np.array_equal(common.time, second.time)
    other = second if same_times else second.resample(common.time)
    return Comparison(
        tuple(_difference(name, common, other, rtol, atol) for name in common if name in other),
        tuple(name for name in common if name not in other),
        tuple(name for name in other if name not in common),
    )


def _difference(name: str, first: Result, second: Result, rtol: float, atol: float) -> Difference:
    a, b = first[name], second[name]
    distance = _distance(a, b)
    allowed = np.nan_to_num(rtol * np.abs(a) + atol, posinf=0.0) if a.dtype.kind == "f" else np.zeros(len(a))
    worst = int(np.argmax(distance))
    return Difference(
        name,
        float(distance[worst]),
        float(first.time[worst]),
        float(np.sqrt(np.mean(distance**2))),
        bool((distance <= allowed).all()),
    )


def _distance(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """No distance between equal values, also if not finite; what is not a number is 0 or 1 apart."""
    if a.dtype.kind not in "fiub" or b.dtype.kind not in "fiub":
        return np.asarray(a != b, dtype=float)
    x, y = a.astype(float), b.astype(float)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    with np.errstate(invalid="ignore"):
        distance = np.where(same, 0.0, np.abs(x - y))
    return np.where(np.isnan(distance), np.inf, distance)
