"""What a run cost, and what did not go smoothly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sspsim.masters.assignment import Assignment
from sspsim.masters.defect import suggested_step
from sspsim.running.machinery import Machinery
from sspsim.running.setup import Setup

COUNTS = (
    "convergence_failures",
    "iteration_limits",
    "error_test_failures",
    "error_limits",
    "discarded_steps",
    "shortened_steps",
    "smallest_steps",
)
PARTS = ("loading", "initialization", "run", "error_test")


def summed_up(
    setup: Setup, machinery: Machinery, wall: float, seconds: Mapping[str, float], steps: int
) -> dict[str, Any]:
    """Seconds of everything: loading, initialisation, master, error test, output and other seconds add up to
    the wall clock, which is `wall`; calls and seconds of each component and cycle.
    """
    parts = seconds["loading"] + seconds["initialization"] + seconds["run"]
    components = {
        name: {
            function: {"calls": calls, "seconds": took}
            for function, (calls, took) in machinery.kernel.statistics(i).items()
        }
        for i, name in enumerate(setup.plan.names)
    }
    return {
        "wall_clock_seconds": wall,
        "loading_seconds": seconds["loading"],
        "initialization_seconds": seconds["initialization"],
        "output_seconds": seconds["output"],
        "master_seconds": max(0.0, seconds["run"] - seconds["output"] - seconds["error_test"]),
        "error_test_seconds": seconds["error_test"],
        "other_seconds": max(0.0, wall - parts),
        "fmu_seconds": sum(call["seconds"] for calls in components.values() for call in calls.values()),
        "steps": steps,
        "cycles": [
            _of_cycle(cycle, assignment, setup)
            for cycle, assignment in zip(machinery.cycles, setup.assignments, strict=True)
        ],
        "components": components,
    }


def _of_cycle(cycle: Any, assignment: Assignment, setup: Setup) -> dict[str, Any]:
    found: dict[str, Any] = {
        "components": [setup.plan.names[i] for i in assignment.stage.components],
        "master": assignment.master.name,
        "why": assignment.why,
        "iterations": cycle.passes,
        "iteration_variables": assignment.stage.count,
    }
    greatest, time, step, slot, mean, steps = cycle.defects()
    if assignment.watched and steps:
        found["defect"] = {
            "greatest": greatest,
            "time": time,
            "variable": setup.plan.slot_names[slot],
            "mean": mean,
            "suggested_step": suggested_step(step or setup.step, greatest),
        }
    return found
