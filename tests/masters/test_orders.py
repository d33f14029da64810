"""How fast errors fall with the step, and from which step on a coupling is unstable."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

import sspsim
from sspsim import Anderson, ErrorControl, GaussJacobi, GaussSeidel, Newton

VOLTERRA = ["prey.prey -> predator.prey", "predator.predator -> prey.predator"]
MASTERS = [GaussJacobi(), GaussSeidel(), GaussSeidel(50), Newton(), Newton(directional=False), Anderson()]


def name(master) -> str:
    return f"{master.name} {master.max_iterations} {getattr(master, 'directional', '')}"


START = {"prey.x": 30.0}


def volterra_exact(t: float):
    """Runge-Kutta with 20,000 steps: far closer than anything that is compared with it."""
    y, n = np.array([30.0, 10.0]), 20_000
    h = t / n

    def f(y):
        return np.array([1.1 * y[0] - 0.1 * y[0] * y[1], 0.02 * y[0] * y[1] - 0.4 * y[1]])

    for _ in range(n):
        a = f(y)
        b = f(y + h / 2 * a)
        c = f(y + h / 2 * b)
        d = f(y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
    return y


@pytest.fixture(scope="module")
def reference():
    return volterra_exact(2.0)


@pytest.mark.parametrize("master", MASTERS, ids=name)
def test_lotka_volterra_converges_with_order_one(system, reference, master):
    """Inputs are held over a step: order 1, also for the iterated masters."""
    loaded = system({"prey": "Prey", "predator": "Predator"}, VOLTERRA, stop=2.0)
    errors = []
    for h in (0.02, 0.01, 0.005):
        result = sspsim.simulate(loaded, step=h, master=master, rtol=1e-10, atol=1e-10, parameters=START)
        ends = np.array([result["prey.prey"][-1], result["predator.predator"][-1]])
        errors.append(abs(ends - reference).sum())
    assert [log2(errors[0] / errors[1]), log2(errors[1] / errors[2])] == pytest.approx([1, 1], abs=0.1)


def test_extrapolated_rows_are_of_a_higher_order(system):
    """2*y_H - y_F removes the leading error of a step from the row, though not from the state."""
    loaded = system({"prey": "Prey", "predator": "Predator"}, VOLTERRA, stop=2.0)
    one_step = {}
    for extrapolate in (False, True):
        stepping = ErrorControl(1.0, 1.0, step=0.1, max_step=0.1, extrapolate=extrapolate)
        result = sspsim.simulate(loaded, stepping=stepping, master=GaussJacobi(), parameters=START)
        one_step[extrapolate] = abs(result["prey.prey"][1] - volterra_exact(result.time[1])[0])
    assert one_step[True] < 0.05 * one_step[False]


def test_error_control_keeps_the_tolerance_and_the_work_in_bounds(system, reference):
    loaded = system({"prey": "Prey", "predator": "Predator"}, VOLTERRA, stop=2.0)
    errors, steps = [], []
    for rtol in (1e-4, 1e-6):
        stepping = ErrorControl(rtol, rtol, step=0.01, min_step=1e-7)
        result = sspsim.simulate(loaded, master=GaussSeidel(), stepping=stepping, parameters=START)
        errors.append(abs(result["prey.prey"][-1] / reference[0] - 1))
        steps.append(result.statistics["steps"])
        assert errors[-1] < steps[-1] * rtol  # each step adds at most the tolerance
    assert steps[1] / steps[0] == pytest.approx(10, rel=0.1)  # error of a step ~ h**2, so h ~ sqrt(tolerance)
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.1)


def spectral_radius(h: float, order: str, c: float) -> float:
    """Two integrators in a loop, x' = c*y, y' = -c*x with held inputs: one step as a matrix."""
    if order == "jacobi":
        matrix = np.array([[1, c * h], [-c * h, 1]])
    elif order == "seidel":
        matrix = np.array([[1, c * h], [-c * h, 1 - (c * h) ** 2]])
    else:  # iterated: both inputs at the end of the step
        matrix = np.linalg.inv(np.array([[1, -c * h], [c * h, 1]]))
    return max(abs(np.linalg.eigvals(matrix)))


@pytest.mark.parametrize("ch", [0.5, 1.9, 2.1])
@pytest.mark.parametrize(
    ("master", "order"),
    [(GaussJacobi(), "jacobi"), (GaussSeidel(), "seidel"), (Newton(), "iterated"), (Anderson(), "iterated")],
    ids=["jacobi", "seidel", "newton", "anderson"],
)
def test_stability_is_that_of_the_method(system, master, order, ch):
    """Jacobi is explicit Euler: never stable without damping; Seidel up to c*h = 2; iterated always."""
    loaded = system({"x": "Integrator", "y": "Integrator"}, ["y.y -> x.u", "x.y -> y.u"], stop=200 * ch)
    parameters = {"x.k": 1.0, "y.k": -1.0, "x.x": 1.0}
    result = sspsim.simulate(loaded, step=ch, master=master, parameters=parameters, rtol=1e-9, atol=1e-12)
    size = np.hypot(result["x.y"], result["y.y"])
    if order == "seidel":  # the size swings; its bounds do not
        growth = (size[150:].max() / size[100:150].max()) ** (1 / 50)
    else:  # a rotation and a factor
        growth = (size[15] / size[5]) ** (1 / 10)
    radius = spectral_radius(ch, order, 1.0)
    assert result.statistics["convergence_failures"] == 0
    assert growth == pytest.approx(radius, rel=0.02)
    assert (size.max() < 10) == (radius < 1 + 1e-9)


def two_mass(t):
    """The exact solution of the whole oscillator: x' = A x by eigenvalues."""
    c, d, k, e = 10.0, 0.1, 20.0, 0.2
    matrix = np.array(
        [[0, 1, 0, 0], [-(c + k), -(d + e), k, e], [0, 0, 0, 1], [k, e, -(c + k), -(d + e)]], dtype=float
    )
    values, vectors = np.linalg.eig(matrix)
    return (
        vectors @ (np.exp(values * t) * np.linalg.solve(vectors, np.array([1.0, 0, 0, 0], dtype=complex)))
    ).real


@pytest.mark.parametrize("master", [GaussJacobi(), GaussSeidel(), Newton(), Anderson()], ids=name)
def test_the_two_mass_oscillator_converges_with_order_one(system, master):
    connections = ["left.x -> right.x", "left.v -> right.v", "right.F -> left.F"]
    loaded = system({"left": "OscillatorLeft", "right": "OscillatorRight"}, connections, stop=1.0)
    errors = []
    for h in (0.002, 0.001, 0.0005):
        result = sspsim.simulate(loaded, step=h, master=master, rtol=1e-10, atol=1e-10)
        x, _, x2, _ = two_mass(1.0)
        errors.append(abs(result["left.x"][-1] - x) + abs(result["right.x2"][-1] - x2))
    assert [log2(errors[0] / errors[1]), log2(errors[1] / errors[2])] == pytest.approx([1, 1], abs=0.15)
