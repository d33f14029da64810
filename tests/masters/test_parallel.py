"""Gauss-Jacobi in several threads: the same bits, the same failures."""

from __future__ import annotations

import pytest

import sspsim
from sspsim import GaussJacobi

NAMES = [f"c{i}" for i in range(5)]
RING = [f"{NAMES[i - 1]}.y -> {NAMES[i]}.u" for i in range(5)]
SLEEPING = {
    key: value
    for n in NAMES
    for key, value in {f"{n}.mode": 11, f"{n}.delay": 1e-4, f"{n}.from_time": -1.0}.items()
}


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_do_not_change_a_bit(system, threads):
    loaded = system(dict.fromkeys(NAMES, "Misbehave"), RING)
    settings = {"step": 0.02, "master": GaussJacobi(), "parameters": {**SLEEPING, "c0.x": 1.0, "c3.x": -2.0}}
    serial = sspsim.simulate(loaded, **settings)
    parallel = sspsim.simulate(loaded, threads=threads, **settings)
    for name in serial:
        assert parallel[name].tolist() == serial[name].tolist()


@pytest.mark.parametrize("threads", [0, -1, 1.5])
def test_a_number_of_threads_that_is_none(system, threads):
    with pytest.raises(sspsim.UsageError, match="number of threads"):
        sspsim.Simulation(system({"a": "Lag"}), threads=threads)


def test_the_first_component_that_fails_is_reported(system):
    """c1 and c3 fail in the same step, in whatever order the threads come to them."""
    loaded = system({**dict.fromkeys(NAMES, "Misbehave")}, RING)
    parameters = {**SLEEPING, "c1.mode": 1, "c3.mode": 1, "c1.from_time": 0.5, "c3.from_time": 0.5}
    for _ in range(5):
        with pytest.raises(sspsim.SimulationError) as caught:
            sspsim.simulate(loaded, step=0.02, master=GaussJacobi(), threads=3, parameters=parameters)
        assert caught.value.component == "c1"
        assert caught.value.time == pytest.approx(0.5)


def test_threads_without_work_are_told(system):
    loaded = system(dict.fromkeys(NAMES, "Lag"), RING)
    told = [
        any(
            "only gauss-jacobi" in notice for notice in sspsim.Simulation(loaded, threads=2, master=m).notices
        )
        for m in (GaussJacobi(), sspsim.GaussSeidel())
    ]
    assert told == [False, True]
