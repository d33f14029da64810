"""What the coupling defect of a cycle that is passed once says about the step size."""

from __future__ import annotations

from math import log


def suggested_step(step: float, defect: float, order: float = 1.0) -> float:
    """The step at which the defect would be within the tolerance: defect ~ h**order.

    >>> suggested_step(0.1, 4.0), suggested_step(0.1, 4.0, order=2), suggested_step(0.1, 0.5)
    (0.025, 0.05, 0.1)
    """
    return step if defect <= 1.0 else step * defect ** (-1.0 / order)


def defect_order(step: float, defect: float, other_step: float, other_defect: float) -> float:
    """The order from runs with two step sizes.

    >>> defect_order(0.1, 4.0, 0.05, 1.0)
    2.0
    """
    return log(defect / other_defect) / log(step / other_step)
