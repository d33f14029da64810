"""Numbers in words, the same everywhere."""

from __future__ import annotations


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
