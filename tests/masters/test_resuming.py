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


def test_another_step_begins_where_the_checkpoint_stands(volterra, tmp_path):
    """Not where that many steps of the new length would have led."""
    interrupt(volterra, tmp_path / "c", {"step": 0.1})
    result = sspsim.simulate(volterra, step=0.05, resume=tmp_path / "c")
    assert result.time == pytest.approx(np.arange(0.75, 2.01, 0.05))
    assert result.statistics["steps"] == 7 + 26


@pytest.mark.parametrize("before", [ErrorControl(1e-3, 1e-3, step=0.01), ByConvergence(0.01)], ids=["e", "c"])
def test_fixed_steps_may_follow_on_controlled_ones(volterra, tmp_path, before):
    interrupt(volterra, tmp_path / "c", {"stepping": before})
    result = sspsim.simulate(volterra, step=0.01, resume=tmp_path / "c")
    assert np.diff(result.time)[:-1] == pytest.approx(0.01)
    assert result.time[-1] == 2.0
    fine = sspsim.simulate(volterra, step=0.001)
    assert result["prey.prey"][-1] == pytest.approx(fine["prey.prey"][-1], rel=0.02)


def test_a_run_that_ended_between_two_points_can_be_prolonged(volterra, tmp_path):
    """Its last step was shorter; the next one begins where that ended. So it does after a second resumption."""
    for stop in (1.0, 1.5, 2.0):
        resume = {"resume": tmp_path / "c"} if stop > 1.0 else {}
        with Simulation(volterra, step=0.3, stop=stop, **resume) as simulation:
            simulation.initialize()
            while simulation.time < stop:
                simulation.step()
            simulation.write_checkpoint(tmp_path / "c")
            prey = simulation.get("prey.prey")
    assert simulation.steps == 4 + 2 + 2
    assert simulation.time == 2.0
    assert prey == pytest.approx(sspsim.simulate(volterra, step=0.3)["prey.prey"][-1], rel=0.1)


def test_rows_follow_the_raster_that_is_asked_for_now(volterra, tmp_path):
    interrupt(volterra, tmp_path / "c", {"step": 0.1, "output_step": 0.1})
    result = sspsim.simulate(volterra, step=0.1, output_step=0.5, resume=tmp_path / "c")
    assert result.time == pytest.approx([1.0, 1.5, 2.0])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"stop": 0.5}, "beyond the stop time"),
        ({"start": 0.1}, "began at t=0.0, not at 0.1"),
        ({"record": "prey.prey"}, "recorded other variables"),
    ],
)
def test_what_does_not_fit_the_checkpoint_is_refused(volterra, tmp_path, settings, words):
    interrupt(volterra, tmp_path / "c", {"step": 0.1})
    with pytest.raises(sspsim.UsageError, match=words):
        sspsim.simulate(volterra, step=0.1, resume=tmp_path / "c", **settings)


def test_values_that_do_not_count_are_told(volterra, tmp_path):
    interrupt(volterra, tmp_path / "c", {"step": 0.1})
    with Simulation(volterra, step=0.1, resume=tmp_path / "c", parameters={"prey.x": 1.0}) as simulation:
        simulation.run()
    assert any("those of the checkpoint" in notice for notice in simulation.notices)


def test_the_step_log_goes_on_too(volterra, tmp_path):
    interrupt(volterra, tmp_path / "c", {"step": 0.1, "step_log": tmp_path / "parts.csv"})
    sspsim.simulate(volterra, step=0.1, resume=tmp_path / "c", step_log=tmp_path / "parts.csv")
    sspsim.simulate(volterra, step=0.1, step_log=tmp_path / "whole.csv")
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
