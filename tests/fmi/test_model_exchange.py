"""Model-exchange FMUs against exact solutions, in all FMI versions."""

from __future__ import annotations

from math import exp, sqrt
from pathlib import Path

import numpy as np
import pytest

from sspsim import simulate
from sspsim.simulation import Simulation

from .flat_systems import Unit, make_system

VERSIONS = pytest.mark.parametrize("fmi", [2, 3])
G, E = 9.81, 0.7


def impacts(until: float) -> list[float]:
    """When the ball that falls from 1 m hits the ground: each flight is E times as long as the one before."""
    times, flight = [sqrt(2 / G)], 2 * E * sqrt(2 / G)
    while times[-1] + flight < until:
        times.append(times[-1] + flight)
        flight *= E
    return times


def height(t: float) -> float:
    """The exact height at t."""
    speed, start = E * sqrt(2 * G), sqrt(2 / G)
    if t <= start:
        return 1 - G * t * t / 2
    while t - start > 2 * speed / G:
        start += 2 * speed / G
        speed *= E
    return speed * (t - start) - G * (t - start) ** 2 / 2


@VERSIONS
def test_bouncing_ball_follows_the_exact_flight(fmus: Path, fmi: int) -> None:
    system = make_system(fmus, {"ball": Unit(f"fmi{fmi}/BouncingBall", "ModelExchange")}, stop=2.0)
    result = simulate(system, step=0.05, fmu_tolerance=1e-8)
    exact = np.array([height(t) for t in result.time])
    assert np.abs(result["ball.h"] - exact).max() < 1e-6


@VERSIONS
def test_impacts_are_found_at_their_exact_times(fmus: Path, fmi: int) -> None:
    """The speed jumps at an impact: between two close points around it, but not before or after."""
    for impact in impacts(2.0)[:4]:
        system = make_system(
            fmus, {"ball": Unit(f"fmi{fmi}/BouncingBall", "ModelExchange")}, stop=impact + 1e-6
        )
        result = simulate(system, step=(impact - 1e-6) / 10, fmu_tolerance=1e-9)
        before, after = result["ball.v"][-2], result["ball.v"][-1]
        assert before < 0 < after
        assert after == pytest.approx(-E * before, abs=1e-4)


@VERSIONS
def test_number_of_events_is_the_number_of_impacts(fmus: Path, fmi: int) -> None:
    system = make_system(fmus, {"ball": Unit(f"fmi{fmi}/BouncingBall", "ModelExchange")}, stop=2.0)
    with Simulation(system, step=0.25, fmu_tolerance=1e-8) as simulation:
        simulation.run()
        events = simulation.components.slaves[0].integrator.events  # type: ignore[attr-defined]
    assert events == 1 + len(impacts(2.0))  # and the one that ends the initialisation


@VERSIONS
def test_a_stiff_system_keeps_its_accuracy_with_long_steps(fmus: Path, fmi: int) -> None:
    rate = 1000.0
    starts = {"u": 1.0, "lambda": rate}
    system = make_system(fmus, {"stiff": Unit(f"fmi{fmi}/StiffLinear", "ModelExchange", starts)}, stop=2.0)
    result = simulate(system, step=0.1, fmu_tolerance=1e-8)
    share = rate / (rate - 1)
    exact = np.array([1 - share * exp(-t) + (share - 1) * exp(-rate * t) for t in result.time])
    assert np.abs(result["stiff.y"] - exact).max() < 1e-6


@VERSIONS
@pytest.mark.parametrize("model", ["Lag", "StiffLinear", "BouncingBall", "VanDerPol"])
def test_co_simulation_and_model_exchange_agree(fmus: Path, fmi: int, model: str) -> None:
    units = {kind: Unit(f"fmi{fmi}/{model}", kind) for kind in ("CoSimulation", "ModelExchange")}
    result = simulate(make_system(fmus, units, stop=2.0), step=0.01, fmu_tolerance=1e-9)
    output = "h" if model == "BouncingBall" else "y"
    difference = result[f"CoSimulation.{output}"] - result[f"ModelExchange.{output}"]
    assert np.abs(difference).max() < 1e-5


@VERSIONS
def test_inputs_that_jump_are_seen_from_their_step_on(fmus: Path, fmi: int) -> None:
    """A ring of a ramp and a lag, held inputs: the same as the exact co-simulation FMU, step by step."""
    units = {
        "source": Unit(f"fmi{fmi}/Integrator", starts={"u": 1.0}),
        "exact": Unit(f"fmi{fmi}/Lag"),
        "wrapped": Unit(f"fmi{fmi}/Lag", "ModelExchange"),
    }
    links = ("source.y -> exact.u", "source.y -> wrapped.u")
    result = simulate(make_system(fmus, units, links), step=0.05, fmu_tolerance=1e-10)
    assert result["exact.y"][-1] > 0.3
    assert np.abs(result["exact.y"] - result["wrapped.y"]).max() < 1e-8


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_repeated_step_gives_the_same_bits(fmus: Path, fmi: int) -> None:
    system = make_system(fmus, {"ball": Unit(f"fmi{fmi}/BouncingBall", "ModelExchange")}, stop=2.0)
    with Simulation(system, step=0.1) as simulation:
        simulation.initialize()
        for _ in range(20):
            rows = []
            moment = simulation.save()
            for repeat in range(3):
                if repeat:
                    simulation.restore(moment)
                simulation.step()
                rows.append([simulation.get("ball.h"), simulation.get("ball.v")])
            assert rows[0] == rows[1] == rows[2]
        assert rows[0][0] == pytest.approx(height(2.0), abs=1e-4)
