"""Checkpoints: a run that goes on from one gives the bits of a run that was never interrupted."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import sspsim
from sspsim import (
    Anderson,
    Auto,
    ByConvergence,
    ErrorControl,
    FixedStep,
    GaussJacobi,
    GaussSeidel,
    Newton,
    Simulation,
)

VOLTERRA = ["prey.prey -> predator.prey", "predator.predator -> prey.predator"]
MASTERS = {
    "auto": Auto(),
    "jacobi": GaussJacobi(),
    "seidel": GaussSeidel(),
    "seidel iterated": GaussSeidel(20),
    "newton directional": Newton(),
    "newton differences": Newton(directional=False),
    "anderson": Anderson(),
    "anderson reuse": Anderson(reuse=3),
}
STEPPINGS = {
    "fixed": FixedStep(0.03),
    "convergence": ByConvergence(step=0.01, max_step=0.05),
    "error": ErrorControl(1e-3, 1e-3, step=0.01),
    "error extrapolated": ErrorControl(1e-3, 1e-3, step=0.01, extrapolate=True),
}
TIGHT = {"rtol": 1e-9, "atol": 1e-9, "parameters": {"prey.x": 30.0}}  # several passes in each step


class Mean(sspsim.Master):
    """Keeps in the workspace what `kept` makes of the mean of the values."""

    name = "mean"

    def __init__(self, kept) -> None:
        super().__init__()
        self.kept = kept

    def solve(self, cycle, t, h):
        cycle.sweep(t, h)
        cycle.workspace = self.kept(float(cycle.values.mean()))
        return True


@pytest.fixture
def volterra(system):
    return system({"prey": "Prey", "predator": "Predator"}, VOLTERRA, stop=2.0)


def interrupt(loaded, path: Path, settings) -> None:
    """Leaves a checkpoint of t = 0.7 (or just behind) and goes on a while."""
    with Simulation(loaded, checkpoint=path, checkpoint_every=0.7, **settings) as simulation:
        simulation.initialize()
        while simulation.time < 1.2:
            simulation.step()


@pytest.mark.parametrize(("master", "stepping"), list(product(MASTERS, STEPPINGS)))
def test_resuming_gives_the_bits_of_an_uninterrupted_run(volterra, tmp_path, master, stepping):
    settings = {"master": MASTERS[master], "stepping": STEPPINGS[stepping], **TIGHT}
    whole = sspsim.simulate(volterra, **settings)
    interrupt(volterra, tmp_path / "c", settings)
    rest = sspsim.simulate(volterra, resume=tmp_path / "c", **settings)
    n = len(rest.time)
    assert 0.7 < rest.time[0] < 0.9
    assert rest.time.tolist() == whole.time[-n:].tolist()
    for name in whole:
        assert rest[name].tolist() == whole[name][-n:].tolist()
    counts = [name for name, value in whole.statistics.items() if isinstance(value, int)]
    assert {name: rest.statistics[name] for name in counts} == {
        name: whole.statistics[name] for name in counts
    }


@pytest.mark.parametrize("master", MASTERS)
def test_going_back_forgets_what_was_learnt_since(volterra, master):
    with Simulation(volterra, step=0.03, master=MASTERS[master], **TIGHT) as run:
        run.initialize()
        saved = run.save()
        ways = []
        for _ in range(3):
            run.restore(saved)
            way = []
            for _ in range(8):
                run.step()
                way.append((run.time, run.get("prey.prey"), run.get("predator.predator")))
            ways.append(way)
    assert ways[0] == ways[1] == ways[2]


def test_the_workspace_of_a_master_of_ones_own_is_kept(volterra, tmp_path):
    interrupt(volterra, tmp_path / "c", {"master": Mean(lambda mean: {"mean": [mean, None]}), "step": 0.1})
    with Simulation(volterra, step=0.1, master=Mean(float), resume=tmp_path / "c") as simulation:
        simulation.initialize()
        values = [simulation.get("prey.prey"), simulation.get("predator.predator")]
        assert simulation.cycles[0].workspace == {"mean": [np.mean(values), None]}


def test_another_master_starts_without_a_workspace(volterra, tmp_path):
    interrupt(volterra, tmp_path / "c", {"master": Mean(float), "step": 0.1})
    with Simulation(volterra, step=0.1, master=Newton(), resume=tmp_path / "c") as simulation:
        simulation.initialize()
        assert simulation.cycles[0].workspace is None


@pytest.mark.parametrize(
    "kept", [np.array, lambda mean: (mean, 1), lambda mean: {1: mean}, lambda _mean: object()]
)
def test_a_workspace_that_no_checkpoint_can_hold_is_named(volterra, tmp_path, kept):
    with pytest.raises(sspsim.UsageError, match=r"master mean .* cycle .*prey.*cycle\.workspace"):
        interrupt(volterra, tmp_path / "c", {"master": Mean(kept), "step": 0.1})
    assert not list(tmp_path.glob("c*"))
