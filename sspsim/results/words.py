"""Numbers in words, the same everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TROUBLES = {
    "convergence_failures": "steps did not converge",
    "iteration_limits": "times a cycle reached the limit of iterations",
    "smallest_steps": "steps were accepted as they are, being as short as allowed",
    "error_limits": "steps missed the tolerance at the shortest step",
    "discarded_steps": "steps were refused by a component and tried again",
}


def duration(seconds: float) -> str:
    """A duration with a unit that suits it.

    >>> duration(0.00213), duration(75.0), duration(5400.0)
    ('2.13 ms', '75 s', '90 min')
    """
    if seconds == 0:
        return "0 s"
    for factor, unit in ((1e-6, "us"), (1e-3, "ms"), (1.0, "s"), (60.0, "min")):
        if seconds < 600 * factor or (factor < 1 and seconds < 1000 * factor):
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds / 3600:.3g} h"


def troubles(statistics: Mapping[str, Any]) -> list[str]:
    """What did not go as smoothly as wished.

    >>> troubles({"steps": 10, "iteration_limits": 2})
    ['2 times a cycle reached the limit of iterations']
    """
    return [f"{count} {words}" for name, words in TROUBLES.items() if (count := statistics.get(name, 0))]


def great_defects(statistics: Mapping[str, Any]) -> list[str]:
    """Cycles that were passed once with steps too long for it."""
    found = []
    for cycle in statistics.get("cycles", ()):
        defect = cycle.get("defect")
        if defect and defect["greatest"] > 1:
            found.append(
                f"coupling defect of {', '.join(cycle['components'])}: up to {defect['greatest']:.3g} times "
                f"the tolerance, at t={defect['time']:g} s in {defect['variable']}; "
                f"a step of {defect['suggested_step']:.3g} s would keep it"
            )
    return found
