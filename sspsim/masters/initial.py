"""Consistent initial values before the first step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sspsim.errors import SimulationError
from sspsim.fmi.slave import Slave
from sspsim.plan import Plan

MAX_PASSES = 100


def initialize(kernel: Any, slaves: Sequence[Slave], plan: Plan, start: float) -> None:
    """Sets inputs and gets outputs in order until nothing changes, then leaves the initialisation."""
    order = [i for stage in plan.stages for i in stage.components]
    for slave in slaves:
        slave.enter_initialization()
    for i in order:
        kernel.get_all_outputs(i, start)
    for _ in range(MAX_PASSES):
        before = kernel.reals.copy(), kernel.integers.copy()
        for i in order:
            kernel.set_all_inputs(i, start)
            kernel.get_all_outputs(i, start)
        if (before[0] == kernel.reals).all() and (before[1] == kernel.integers).all():
            break
    else:
        names = [name for name, a, b in zip(plan.slot_names, before[0], kernel.reals, strict=False) if a != b]
        raise SimulationError(
            f"the initial values do not settle: {', '.join(names[:5])} still change after {MAX_PASSES} passes",
            time=start,
        )
    for slave in slaves:
        slave.exit_initialization()
    for i in order:
        kernel.get_all_outputs(i, start)
