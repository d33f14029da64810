"""The coupling defect: what a single pass assumes, measured by what it computes."""

from __future__ import annotations

import numpy as np
import pytest

import sspsim
from sspsim import GaussSeidel
from sspsim.masters.defect import defect_order

RING = ["a.y -> b.u", "b.y -> a.u"]
START = {"a.x": 1.0, "b.x": 2.0, "b.k": -1.0}


def run(system, step: float, **settings):
    loaded = system({"a": "NoRollback", "b": "NoRollback"}, RING)
    return sspsim.simulate(loaded, step=step, parameters=START, **settings)


def test_the_defect_is_the_change_of_what_was_assumed(system):
    result = run(system, 0.1, record_defects=True)
    assumed = "b.y"  # a comes first
    expected = abs(np.diff(result[assumed])) / (1e-5 * abs(result[assumed][1:]) + 1e-6)
    assert result["defect(a+b)"][1:] == pytest.approx(expected)
    (cycle,) = result.statistics["cycles"]
    assert cycle["defect"]["greatest"] == pytest.approx(expected.max())
    assert cycle["defect"]["mean"] == pytest.approx(expected.mean())
    assert cycle["defect"]["time"] == pytest.approx(result.time[1:][expected.argmax()])


def test_a_sparse_row_holds_the_greatest_defect_since_the_last(system):
    dense = run(system, 0.1, record_defects=True)["defect(a+b)"][1:]
    sparse = run(system, 0.1, record_defects=True, output_step=0.5)["defect(a+b)"][1:]
    assert sparse == pytest.approx([dense[:5].max(), dense[5:].max()])


def test_it_falls_with_the_step_and_the_suggested_one_keeps_the_tolerance(system):
    coarse, fine = run(system, 0.1, rtol=1e-3, atol=1e-3), run(system, 0.05, rtol=1e-3, atol=1e-3)
    first, second = (r.statistics["cycles"][0]["defect"] for r in (coarse, fine))
    assert defect_order(0.1, first["greatest"], 0.05, second["greatest"]) == pytest.approx(1, abs=0.1)
    assert first["suggested_step"] == pytest.approx(0.1 / first["greatest"])
    suggested = run(system, first["suggested_step"], rtol=1e-3, atol=1e-3)
    assert suggested.statistics["cycles"][0]["defect"]["greatest"] == pytest.approx(1, abs=0.1)


def test_nothing_to_watch_without_a_cycle_or_with_iteration(system):
    chain = sspsim.simulate(system({"a": "Lag", "b": "Lag"}, ["a.y -> b.u"]), step=0.1)
    assert all("defect" not in cycle for cycle in chain.statistics["cycles"])
    ring = sspsim.simulate(system({"a": "Lag", "b": "Lag"}, RING), step=0.1, master=GaussSeidel(5))
    assert all("defect" not in cycle for cycle in ring.statistics["cycles"])
