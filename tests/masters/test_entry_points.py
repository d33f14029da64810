"""Masters by name: ours, and those that installed packages offer."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

import sspsim
from sspsim import masters


class Own(sspsim.Master):
    name = "own"

    def solve(self, cycle, t, h):
        cycle.sweep(t, h)
        return True


@pytest.fixture
def offered(monkeypatch):
    points = [
        EntryPoint("own", f"{__name__}:Own", masters.ENTRY_POINTS),
        EntryPoint("odd", f"{__name__}:pytest", masters.ENTRY_POINTS),
        EntryPoint("lost", "no.such.module:Own", masters.ENTRY_POINTS),
    ]
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [p for p in points if p.group == group]
    )


class Failing(sspsim.Master):
    def solve(self, cycle, t, h):
        cycle.sweep(t, h)
        return 1 / (t - 0.5) < 1


def test_names_of_ours(offered):
    assert masters.find_master("newton") is sspsim.Newton
    assert masters.find_master("auto") is sspsim.Auto


def test_a_master_of_another_package(offered, system):
    assert masters.find_master("own") is Own
    loaded = system({"a": "Lag", "b": "Lag"}, ["a.y -> b.u", "b.y -> a.u"])
    own = sspsim.simulate(loaded, step=0.1, master=Own(), parameters={"a.x": 1.0})
    ours = sspsim.simulate(loaded, step=0.1, master=sspsim.GaussSeidel(), parameters={"a.x": 1.0})
    assert own["b.y"].tolist() == ours["b.y"].tolist()


def test_what_is_no_master_is_refused(offered):
    with pytest.raises(sspsim.UsageError, match="no subclass"):
        masters.find_master("odd")
    with pytest.raises(sspsim.UsageError, match=r"'nobody'; choose one of auto.*own"):
        masters.find_master("nobody")
    with pytest.raises(sspsim.UsageError, match=r"'lost' of no\.such\.module:Own cannot be loaded"):
        masters.find_master("lost")


def test_a_master_that_fails_is_named_with_its_source(system):
    loaded = system({"a": "Lag", "b": "Lag"}, ["a.y -> b.u", "b.y -> a.u"])
    words = r"master 'Failing' failed at t=0\.5: ZeroDivisionError: .*test_entry_points\.py:\d+"
    with pytest.raises(sspsim.SimulationError, match=words) as caught:
        sspsim.simulate(loaded, step=0.25, master=Failing())
    assert caught.value.time == 0.5
