"""Counts and times of a run, and the step log."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import sspsim
from sspsim import ErrorControl, GaussSeidel, Newton

RING = ["a.y -> b.u", "b.y -> a.u"]


def test_the_parts_add_up_to_the_whole(system):
    loaded = system({"a": "Lag", "b": "Lag"}, RING, stop=10.0)
    for stepping in (None, ErrorControl(step=0.01)):
        found = sspsim.simulate(loaded, step=0.001, stepping=stepping, master=GaussSeidel()).statistics
        names = ("loading", "initialization", "master", "error_test", "output", "other")
        parts = sum(found[f"{name}_seconds"] for name in names)
        assert parts == pytest.approx(found["wall_clock_seconds"], rel=1e-6)
        assert 0 < found["fmu_seconds"] < found["wall_clock_seconds"]


def test_slow_components_are_measured_to_the_point(system):
    """2 ms of processor time in each of 20 steps."""
    loaded = system({"a": "Busy"})
    found = sspsim.simulate(loaded, step=0.05, parameters={"a.microseconds": 2000.0}).statistics
    seconds = found["components"]["a"]["doStep"]["seconds"]
    assert 0.04 <= seconds <= found["master_seconds"] + 1e-6


def test_the_calls_for_differences_count(system):
    """Two evaluations and one column for each component per step."""
    loaded = system({"a": "LinearA", "b": "LinearB"}, RING)
    parameters = {"a.a": -4.0, "a.slope": 1.0}
    found = sspsim.simulate(
        loaded, step=0.1, master=Newton(directional=False), parameters=parameters
    ).statistics
    for calls in found["components"].values():
        assert calls["doStep"]["calls"] == 10 * 3
        assert calls["set"]["calls"] == calls["get"]["calls"] == 1 + 10 * 3
        assert calls["setState"]["calls"] == 10 * 2


def test_every_attempt_is_in_the_step_log(system, tmp_path: Path):
    loaded = system({"switch": "Math003Part1", "lag": "Lag"}, ["switch.x1 -> lag.u"], stop=2.0)
    stepping = ErrorControl(1e-3, 1e-3, step=0.1, max_step=0.1)
    result = sspsim.simulate(loaded, stepping=stepping, step_log=tmp_path / "log.csv")
    with (tmp_path / "log.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    failed = [row for row in rows if row["outcome"] == "error test failed"]
    done = [row for row in rows if row["outcome"] == "done"]
    assert len(failed) == result.statistics["error_test_failures"] > 0
    assert len(done) == result.statistics["steps"]
    assert all(float(row["error"]) > 1 for row in failed)
    assert [float(row["time"]) for row in done] == result.time[:-1].tolist()
    assert sum(float(row["step"]) for row in done) == pytest.approx(2.0)
