"""Algebraic loops in steps: who converges, in how many iterations, with how many doSteps."""

from __future__ import annotations

import pytest

import sspsim
from sspsim import Anderson, Auto, ErrorControl, GaussSeidel, Newton

LOOP = ["a.y -> b.u", "b.y -> a.u"]


def linear(system, a: float, b: float, master, **settings):
    """y1 = a*y2 + 1 + t, y2 = b*y1 + 1."""
    parameters = {"a.a": a, "b.a": b, "a.slope": 1.0}
    return sspsim.simulate(
        system({"a": "LinearA", "b": "LinearB"}, LOOP),
        step=0.5,
        stop=1.0,
        master=master,
        parameters=parameters,
        **settings,
    )


def exact(a: float, b: float, t: float) -> tuple[float, float]:
    return (a + 1 + t) / (1 - a * b), (b * (1 + t) + 1) / (1 - a * b)


@pytest.mark.parametrize(
    ("master", "iterations"),
    [(Newton(), 2), (Newton(directional=False), 2), (Newton(1), 2), (Anderson(), 3)],
    ids=["directional", "differences", "one correction", "anderson"],
)
def test_a_loop_with_gain_minus_4_converges(system, master, iterations):
    result = linear(system, -4.0, 1.0, master)
    assert [result["a.y"][-1], result["b.y"][-1]] == pytest.approx(exact(-4.0, 1.0, 1.0), rel=1e-5)
    assert result.statistics["convergence_failures"] == 0
    assert result.statistics["cycles"][0]["iterations"] <= 2 * iterations


def test_the_fixed_point_diverges_there_and_is_counted(system):
    result = linear(system, -4.0, 1.0, GaussSeidel(8))
    assert result.statistics["convergence_failures"] == 2
    assert result.statistics["iteration_limits"] == 2
    assert result.statistics["cycles"][0]["iterations"] == 2 * 8


@pytest.mark.parametrize("gain", [0.25, -0.5])
def test_the_fixed_point_converges_for_small_gains(system, gain):
    result = linear(system, gain, 1.0, GaussSeidel(50))
    assert result["a.y"][-1] == pytest.approx(exact(gain, 1.0, 1.0)[0], rel=1e-4)
    assert result.statistics["convergence_failures"] == 0


def test_a_singular_loop_is_no_convergence_but_the_run_goes_on(system):
    """ab = 1: no solution while the offsets grow."""
    result = linear(system, 2.0, 0.5, Newton(), strict_initial=False)
    assert result.statistics["steps"] == 2
    assert result.statistics["convergence_failures"] == 2


def do_steps_of_twenty(system, master) -> int:
    """A step from values that are wrong by a different amount in each of the 20 variables."""
    connections = [f"{x}.y{k} -> {y}.u{k}" for k in range(1, 11) for x, y in ("ab", "ba")]
    loaded = system({"a": "LinearN", "b": "LinearN"}, connections)
    parameters = {"a.scale": 3.0, "b.scale": 3.0}
    with sspsim.Simulation(loaded, master=master, step=0.1, parameters=parameters) as simulation:
        simulation.initialize()
        solution = simulation.kernel.reals[:20].copy()
        simulation.kernel.reals[:20] += [1 + 0.1 * k * k for k in range(20)]
        simulation.step()
        assert simulation.counts["convergence_failures"] == 0
        assert simulation.kernel.reals[:20] == pytest.approx(solution, rel=1e-4, abs=1e-4)
        found = simulation.statistics()["components"]
        return sum(found[name]["doStep"]["calls"] for name in "ab")


def test_twenty_variables_cost_few_steps(system):
    directional = do_steps_of_twenty(system, Newton())
    differences = do_steps_of_twenty(system, Newton(directional=False))
    accelerated = do_steps_of_twenty(system, Anderson())
    assert directional == 4  # two evaluations of both
    assert differences == 24  # and twenty columns, each stepping the one component that it feeds
    assert directional < accelerated < differences


def test_what_earlier_steps_taught_saves_sweeps(system):
    """Two masses, three iteration variables of which one sweep assumes two: the second step knows the map."""
    connections = ["left.x -> right.x", "left.v -> right.v", "right.F -> left.F"]
    loaded = system({"left": "OscillatorLeft", "right": "OscillatorRight"}, connections)
    passes = {}
    for reuse in (0, 1, 4):
        result = sspsim.simulate(loaded, step=0.01, master=Anderson(reuse=reuse))
        assert result.statistics["convergence_failures"] == 0
        passes[reuse] = result.statistics["cycles"][0]["iterations"]
    assert passes[1] == passes[4] <= 2 * 100 + 2
    assert passes[0] > 2.5 * 100


def test_what_did_not_converge_taught_nothing(system):
    loaded = system({"a": "LinearA", "b": "LinearB"}, LOOP)
    parameters = {"a.a": -4.0, "b.a": 1.0, "a.slope": 1.0}
    for limit, learnt in ((2, False), (3, True)):
        with sspsim.Simulation(loaded, step=0.5, master=Anderson(limit), parameters=parameters) as simulation:
            simulation.initialize()
            simulation.step()
            assert (simulation.cycles[0].workspace is not None) == learnt


def test_auto_takes_directional_derivatives_for_algebraic_loops(system):
    result = linear(system, -4.0, 1.0, Auto())
    assert result.statistics["cycles"][0]["master"] == "newton"
    assert "directional" in result.statistics["cycles"][0]["why"]


def test_time_only_outputs_are_no_iteration_variables(system):
    """The house's weather feeds the heater, but only its room temperature and the heat are iterated."""
    connections = ["house.T_room -> heater.T", "house.T_ambient -> heater.T_ambient", "heater.P -> house.Q"]
    loaded = system({"house": "House", "heater": "Heater"}, connections, stop=3600.0)
    result = sspsim.simulate(
        loaded, step=60.0, master=Newton(directional=False), parameters={"heater.gain": 500.0}
    )
    (cycle,) = result.statistics["cycles"]
    assert cycle["iteration_variables"] == 2
    house, heater = (result.statistics["components"][n]["doStep"]["calls"] for n in ("house", "heater"))
    assert result.statistics["convergence_failures"] == 0
    assert house == heater == cycle["iterations"] + 60  # one column for each of both per step


def test_a_cycle_that_never_converges_does_not_stop_the_later_ones(system):
    """The loop diverges; the integrator behind it is stepped all the same."""
    loaded = system(
        {"a": "LinearA", "b": "LinearB", "z": "Recorder", "w": "Lag", "x": "Lag"},
        [*LOOP, "a.y -> z.u", "z.y -> w.u", "w.y -> x.u"],
    )
    parameters = {"a.a": -4.0, "b.a": 1.0, "a.slope": 1.0}
    result = sspsim.simulate(loaded, step=0.25, master=GaussSeidel(4), parameters=parameters)
    assert result.statistics["convergence_failures"] == 4
    assert result["z.n_steps"].tolist() == [0, 1, 2, 3, 4]
    assert result.statistics["components"]["x"]["doStep"]["calls"] == 4


def test_a_master_for_each_cycle(system):
    names = {"a": "LinearA", "b": "LinearB", "c": "LinearA", "d": "LinearB"}
    connections = [*LOOP, "c.y -> d.u", "d.y -> c.u"]
    result = sspsim.simulate(system(names, connections), step=0.5, master=Anderson(), masters={"d": Newton()})
    assert [c["master"] for c in result.statistics["cycles"]] == ["anderson", "newton"]
    with pytest.raises(sspsim.UsageError, match="no component 'e'"):
        sspsim.simulate(system(names, connections), masters={"e": Newton()})


def test_a_master_of_ones_own(system):
    class Relaxed(sspsim.Master):
        def solve(self, cycle, t, h):
            for k in range(self.max_iterations):
                if k:
                    cycle.rollback()
                before = cycle.values.copy()
                cycle.sweep(t, h)
                if cycle.norm(before) <= 1:
                    return True
                cycle.values[:] = 0.2 * cycle.values + 0.8 * before
            return False

    result = linear(system, -4.0, 1.0, Relaxed(200))
    assert result.statistics["convergence_failures"] == 0
    assert result.statistics["cycles"][0]["master"] == "Relaxed"
    assert result["a.y"][-1] == pytest.approx(exact(-4.0, 1.0, 1.0)[0], rel=1e-3)


def test_integers_booleans_and_texts_take_part(system):
    """A ring of switches: nothing real travels, and yet two successive passes have to agree."""
    kinds = ["integer", "boolean", "string"]
    connections = [f"{x}.{k}_out -> {y}.{k}_in" for k in kinds for x, y in ("ab", "ba")]
    connections += ["a.real_out -> b.real_in", "b.real_out -> a.real_in"]
    loaded = system({"a": "Feedthrough", "b": "Feedthrough"}, connections)
    for master in (GaussSeidel(5), Newton(), Anderson()):
        with sspsim.Simulation(loaded, master=master, step=0.5) as simulation:
            simulation.initialize()
            simulation.step()
            assert simulation.counts["convergence_failures"] == 0
            assert simulation.get("a.string_out") == ""


@pytest.mark.parametrize("master", [Anderson(1), Auto(1)], ids=lambda m: m.name)
def test_one_iteration_is_one_watched_pass(system, master):
    loaded = system({"a": "Lag", "b": "Lag"}, LOOP)
    settings = {"step": 0.1, "parameters": {"a.x": 1.0, "b.k": -1.0}}
    result, seidel = (sspsim.simulate(loaded, master=m, **settings) for m in (master, GaussSeidel()))
    assert result["b.y"].tolist() == seidel["b.y"].tolist()
    assert result.statistics["convergence_failures"] == 0
    assert result.statistics["cycles"][0]["defect"] == seidel.statistics["cycles"][0]["defect"]


@pytest.mark.parametrize("master", [GaussSeidel(20), Newton(), Anderson()], ids=lambda m: m.name)
def test_integers_that_only_leave_the_cycle_need_not_settle(system, master):
    """The recorder counts its steps, those rolled back included: the count differs in each pass."""
    loaded = system(
        {"a": "Recorder", "b": "Lag", "c": "Feedthrough"}, [*LOOP, "a.n_steps -> c.integer_in"], stop=1.0
    )
    result = sspsim.simulate(loaded, master=master, step=0.25, parameters={"a.x": 1.0})
    assert result.statistics["convergence_failures"] == 0
    assert result["c.integer_out"].tolist() == result["a.n_steps"].tolist()


def test_differences_are_never_lost_in_rounding(system):
    """0.01 * atol is less than the distance of doubles near the solution."""
    settings = {"rtol": 0.0, "atol": 1e-14, "strict_initial": False}
    loaded = system({"a": "LinearA", "b": "LinearB"}, LOOP)
    parameters = {"a.a": -4.0, "b.a": 1.0, "a.slope": 1.0, "b.offset": 3000.0}
    result = sspsim.simulate(
        loaded, step=0.5, master=Newton(directional=False), parameters=parameters, **settings
    )
    assert result["a.y"][-1] == pytest.approx(-11998 / 5, rel=1e-12)


def test_a_master_has_to_say_that_it_rolls_back(system):
    class Forgetful(sspsim.Master):
        def solve(self, cycle, t, h):
            cycle.sweep(t, h)
            cycle.rollback()
            cycle.sweep(t, h)
            return True

    linear(system, 0.5, 0.5, Forgetful(2))
    with pytest.raises(sspsim.UsageError, match="max_iterations must be greater than 1"):
        linear(system, 0.5, 0.5, Forgetful())


def test_the_norm_is_that_of_all_values(system):
    class Careless(sspsim.Master):
        def solve(self, cycle, t, h):
            before = cycle.values[:1].copy()
            cycle.sweep(t, h)
            return cycle.norm(before) <= 1

    with pytest.raises(sspsim.UsageError, match="all 2 values of the cycle, not 1"):
        linear(system, 0.5, 0.5, Careless(2))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Newton(increment=0.0),
        lambda: Anderson(reuse=-1),
        lambda: ErrorControl(shrink=1.0),  # would never end
        lambda: ErrorControl(safety=2.0),
        lambda: ErrorControl(safety=0.0),
    ],
)
def test_settings_without_sense_are_refused(make):
    with pytest.raises(ValueError, match="must"):
        make()
