"""Step-size control: rollback, refused steps, what components have to be able to do."""

from __future__ import annotations

import pytest

import sspsim
from sspsim import Anderson, ByConvergence, ErrorControl, GaussJacobi, GaussSeidel, Newton

RING = ["a.y -> b.u", "b.y -> a.u"]


def test_rollback_puts_every_component_back_to_t(system):
    """The recorder refuses steps that do not start where it stands; the switch makes error tests fail."""
    loaded = system({"switch": "Math003Part1", "r": "Recorder"}, ["switch.x1 -> r.u"], stop=10.0)
    stepping = ErrorControl(1e-6, 1e-6, step=0.1, min_step=1e-6, max_step=0.1)
    result = sspsim.simulate(loaded, master=GaussSeidel(), stepping=stepping)
    assert result.statistics["error_test_failures"] > 10
    assert result["r.n_restores"][-1] > result.statistics["steps"]
    assert result["r.y"][-1] == pytest.approx(6.0, abs=1e-5)  # x1 is 1 in [1, 2] and from 5 on
    ends = result["r.last_t"][1:] + result["r.last_h"][1:]
    assert ends.tolist()[:-1] == result.time[1:-1].tolist()  # to the bit
    assert result.time[-1] == 10.0


@pytest.mark.parametrize("master", [GaussSeidel(3), Newton(), Anderson()], ids=lambda m: m.name)
@pytest.mark.parametrize("control", ["convergence", "error"])
def test_iterations_within_controlled_steps_start_at_t_too(system, master, control):
    loaded = system({"a": "Recorder", "b": "Integrator"}, RING, stop=2.0)
    stepping = {
        "convergence": ByConvergence(step=0.1, max_step=0.4),
        "error": ErrorControl(1e-3, 1e-3, step=0.1),
    }[control]
    result = sspsim.simulate(loaded, master=master, stepping=stepping, parameters={"b.k": -1.0, "a.x": 1.0})
    assert result.time[-1] == 2.0
    assert result["a.n_restores"][-1] > 0
    ends = result["a.last_t"][1:] + result["a.last_h"][1:]
    assert ends == pytest.approx(result.time[1:], abs=1e-15, rel=1e-15)


def test_a_refused_step_is_repeated_smaller_until_it_cannot_be(system):
    """All steps that end after 0.5 are refused: the run comes to 0.5 up to the smallest step."""
    loaded = system({"a": "Misbehave", "b": "Recorder"}, ["a.y -> b.u"])
    for stepping in (
        ByConvergence(step=0.2, min_step=1e-3, max_step=0.2),
        ErrorControl(1.0, 1.0, step=0.2, min_step=1e-3, max_step=0.2),
    ):
        with (
            pytest.raises(sspsim.StepDiscarded) as caught,
            sspsim.Simulation(
                loaded, stepping=stepping, parameters={"a.mode": 2, "a.from_time": 0.5}
            ) as simulation,
        ):
            simulation.run()
        assert simulation.time == pytest.approx(0.5, abs=1.1e-3)
        assert simulation.counts["discarded_steps"] > 2
        assert caught.value.component == "a"
        assert caught.value.time == simulation.time


def test_a_refused_fixed_step_ends_the_run_with_advice(system):
    loaded = system({"a": "Misbehave"})
    simulation = sspsim.Simulation(loaded, step=0.1, parameters={"a.mode": 2, "a.from_time": 0.5})
    with pytest.raises(sspsim.StepDiscarded, match="shorter step") as caught, simulation:
        simulation.run()
    assert simulation.time == pytest.approx(0.5)
    assert simulation.rows == 6
    assert "--stepping convergence or error" in str(caught.value)


def test_values_that_are_no_numbers_end_the_run(system):
    loaded = system({"a": "Misbehave", "b": "Lag"}, ["a.y -> b.u"])
    with pytest.raises(sspsim.SimulationError, match=r"a\.y is nan at t=0\.6"):
        sspsim.simulate(loaded, step=0.1, parameters={"a.mode": 3, "a.from_time": 0.5})


@pytest.mark.parametrize("master", [GaussSeidel(2), Newton(), Anderson()], ids=lambda m: m.name)
def test_iterating_what_cannot_go_back_is_refused_before_the_run(system, master):
    loaded = system({"a": "Lag", "b": "NoRollback"}, RING)
    with pytest.raises(sspsim.UsageError, match=r"b cannot save and restore its state.*gauss-seidel"):
        sspsim.Simulation(loaded, master=master)


def test_only_cycles_need_rollback_for_iteration(system):
    """`c` is in no cycle, so it is never repeated."""
    loaded = system({"a": "Lag", "b": "Lag", "c": "NoRollback"}, [*RING, "a.y -> c.u"])
    result = sspsim.simulate(loaded, step=0.1, master=GaussSeidel(5))
    assert result.statistics["components"]["c"]["doStep"]["calls"] == 10


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("NoRollback", "x cannot save and restore its state"),
        ("NoVariableStep", "x needs steps of equal length"),
    ],
)
def test_adaptive_steps_are_refused_before_the_run(system, model, words):
    loaded = system({"x": model})
    for stepping in (ByConvergence(), ErrorControl()):
        with pytest.raises(sspsim.UsageError, match=f"{words}.*--stepping fixed"):
            sspsim.Simulation(loaded, stepping=stepping)


def test_fmi_1_is_never_rolled_back(system):
    with pytest.raises(sspsim.UsageError, match="a, b cannot save and restore their state"):
        sspsim.Simulation(system({"a": "Lag", "b": "Lag"}, RING, fmi=1), master=Newton())


def test_a_short_last_step_is_announced(system):
    with sspsim.Simulation(system({"x": "NoVariableStep"}), step=0.3) as simulation:
        assert any("the last step is" in notice and "x may accept" in notice for notice in simulation.notices)
    with sspsim.Simulation(system({"x": "NoVariableStep"}), step=0.25) as simulation:
        assert simulation.notices == []


def test_convergence_says_nothing_about_steps_that_are_passed_once(system):
    told = {}
    for master in (GaussSeidel(), GaussSeidel(2)):
        simulation = sspsim.Simulation(
            system({"a": "Lag", "b": "Lag"}, RING), stepping=ByConvergence(), master=master
        )
        told[master.max_iterations] = any("nothing is iterated" in notice for notice in simulation.notices)
    assert told == {1: True, 2: False}


def test_auto_passes_once_over_what_cannot_go_back_and_says_why(system):
    with sspsim.Simulation(system({"a": "Lag", "b": "NoRollback"}, RING), step=0.1) as simulation:
        assert any("b cannot be rolled back" in notice for notice in simulation.notices)
        simulation.run()
        assert simulation.statistics()["components"]["a"]["doStep"]["calls"] == 10


def test_a_step_of_zero_is_a_thousandth_of_the_run(system):
    assert sspsim.Simulation(system({"x": "Lag"}, stop=5.0), step=0.0).step_size == 0.005


def test_jacobi_with_error_control(system):
    loaded = system({"a": "Lag", "b": "Lag"}, RING)
    stepping = ErrorControl(1e-4, 1e-4, step=0.01)
    result = sspsim.simulate(loaded, master=GaussJacobi(), stepping=stepping, parameters={"a.x": 1.0})
    # x' = y - x, y' = x - y: the sum stays, the difference falls like exp(-2t)
    assert result["a.y"][-1] == pytest.approx(0.5 + 0.5 * 0.1353352832, abs=3e-3)
