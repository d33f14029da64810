"""Math003 in the settings of the 2018 report on MasterSim, beside the exact solution and the report's counts."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import sspsim
from sspsim import Anderson, Auto, ByConvergence, ErrorControl, GaussJacobi, GaussSeidel, Master, Newton

TOLERANCES = {"rtol": 1e-5, "atol": 1e-5}
CORNERS = [0, 1, 1 + 2.5 / 6, 3, 3 + 5 / 6, 5, 5 + 5 / 6, 10]
HEIGHTS = [0, 0, 2.5, 2.5, -2.5, -2.5, 2.5, 2.5]
STATE_EVENTS = np.array([CORNERS[2], CORNERS[4], CORNERS[6]])


def exact_x4(t):
    return np.interp(t, CORNERS, HEIGHTS)


def calls(result, component: str) -> tuple[int, int, int]:
    found = result.statistics["components"][component]
    return tuple(found[name]["calls"] for name in ("doStep", "getState", "setState"))


def switches(result, name: str):
    return result.time[1:][np.diff(result[name]) != 0]


def steps(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("master", "late"), [(GaussJacobi(), 2), (GaussSeidel(), 0)], ids=["jacobi", "seidel"]
)
def test_one_pass_is_late_by_whole_steps(fmus: Path, master: sspsim.Master, late: int) -> None:
    """x4 starts to rise `late` steps after 1 (seen at the end of a step); it overshoots by at most a step
    more.
    """
    for h in (0.1, 0.001):
        result = sspsim.simulate(fmus / "Math003.ssp", step=h, master=master)
        rising = result.time[result["part3.x4"] > 0][0]
        assert rising == pytest.approx(1 + late * h, abs=1e-9)
        assert abs(result["part3.x4"] - exact_x4(result.time)).max() <= 6 * h * (late + 2) + 1e-9


def test_two_iterations_with_fixed_steps(fmus: Path, tmp_path: Path) -> None:
    """The report's norms in the step that crosses 2.5, with 1/n under the root: sqrt(2) times the printed
    ones.
    """
    log = tmp_path / "steps.csv"
    result = sspsim.simulate(
        fmus / "Math003.ssp", step=0.1, master=GaussSeidel(2), step_log=log, **TOLERANCES
    )
    assert calls(result, "part1")[0] == 100
    assert calls(result, "part2")[0] == 130
    crossing = next(row for row in steps(log) if row["time"].startswith("1.4"))
    assert crossing["outcome"] == "not converged"
    assert int(crossing["iterations"]) == 2
    a, b = 3.0 / 1e-5, 0.6 / (1e-5 * 2.4 + 1e-5)  # x3: 3 then 0, x4: 3.0 then 2.4
    assert float(crossing["norm"]) == pytest.approx(((a * a + b * b) / 2) ** 0.5, rel=1e-9)
    assert result["part3.x4"][15] == pytest.approx(2.4)


def test_by_convergence_as_in_the_report(fmus: Path, tmp_path: Path) -> None:
    """All counts of the report, and its sequence of steps around the first state event: like there, steps
    shorter than the shortest are not iterated.
    """
    log = tmp_path / "steps.csv"
    result = sspsim.simulate(
        fmus / "Math003.ssp",
        master=GaussSeidel(2),
        stepping=ByConvergence(step=0.14, min_step=0.005, max_step=0.14),
        step_log=log,
        **TOLERANCES,
    )
    assert result.statistics["steps"] == 101
    assert result.statistics["convergence_failures"] == 15
    assert result.statistics["smallest_steps"] == 3 * 2  # the one that takes each event, and its double
    assert calls(result, "part1") == (116, 101, 15)
    assert calls(result, "part2") == (159, 101, 58)
    assert calls(result, "part3") == (159, 101, 58)
    rows = steps(log)
    begin = next(k for k, row in enumerate(rows) if float(row["time"]) > 1.34)
    sizes = [0.112, 0.0224, 0.0448, 0.00896, 0.01792, 0.03584, 0.007168, 0.0014336, 0.0028672]
    assert [float(row["step"]) for row in rows[begin : begin + 9]] == pytest.approx(sizes)
    failures = np.array([float(row["time"]) for row in rows if row["outcome"] == "not converged"])
    assert len(failures) == 15
    distance = STATE_EVENTS[:, None] - failures  # x1 is seen up to one step late, and x4 with it
    assert ((distance >= -0.14) & (distance <= 0.28)).any(axis=0).all()
    assert (np.abs(distance) < 0.28).sum(axis=1).tolist() == [5, 5, 5]


@pytest.mark.parametrize("master", [GaussSeidel(2), Newton(), Anderson(), Auto()], ids=lambda m: m.name)
def test_no_master_is_stuck_at_a_jump(fmus: Path, master: Master) -> None:
    """Nothing converges where x3 switches; a single pass gets over it."""
    control = ByConvergence(step=0.14, min_step=0.005, max_step=0.14)
    result = sspsim.simulate(fmus / "Math003.ssp", master=master, stepping=control, **TOLERANCES)
    assert result.statistics["steps"] == 101
    assert result.statistics["convergence_failures"] == 15


@pytest.mark.parametrize("master", [Newton(), Anderson(), Auto()], ids=lambda m: m.name)
def test_no_master_takes_a_jump_for_a_solution(fmus: Path, master: Master) -> None:
    """Between x3 = 3 with x4 below 2.5 and x3 = 0 above it there is nothing, however close x4 comes to 2.5."""
    result, seidel = (
        sspsim.simulate(fmus / "Math003.ssp", step=0.1, master=m, stepping=ByConvergence())
        for m in (master, GaussSeidel(2))
    )
    assert result.time.tolist() == seidel.time.tolist()
    assert result["part3.x4"].tolist() == pytest.approx(seidel["part3.x4"].tolist())


def test_iterating_at_any_step_is_an_option(fmus: Path) -> None:
    control = ByConvergence(step=0.14, min_step=0.005, max_step=0.14)
    result = sspsim.simulate(
        fmus / "Math003.ssp", master=GaussSeidel(2, fallback_step=0.0), stepping=control, **TOLERANCES
    )
    assert result.statistics["convergence_failures"] > 100


@pytest.mark.parametrize("master", [GaussSeidel(2), Newton(), Anderson(), Auto()], ids=lambda m: m.name)
def test_error_control_finds_all_nine_events(fmus: Path, master: Master) -> None:
    result = sspsim.simulate(
        fmus / "Math003.ssp",
        master=master,
        stepping=ErrorControl(1e-5, 1e-5, step=0.14, min_step=1e-5, max_step=0.14),
        **TOLERANCES,
    )
    assert switches(result, "part1.x1") == pytest.approx([1, 2, 5], abs=1e-5)
    assert switches(result, "part1.x2") == pytest.approx([3, 4, 6], abs=1e-5)
    assert switches(result, "part2.x3") == pytest.approx(CORNERS[1:-1], abs=2e-5)
    assert result.statistics["error_limits"] == 9  # at the shortest step exactly where something jumps
    assert abs(result["part3.x4"] - exact_x4(result.time)).max() < 6 * 2 * 1e-5
    assert result.statistics["steps"] < 400
