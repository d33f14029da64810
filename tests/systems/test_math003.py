"""Math003 with one pass per step: the values that follow from the definition, step by step."""

from __future__ import annotations

from pathlib import Path

import pytest

import sspsim


def x1(t: float) -> float:
    return 0.0 if t < 1 or 2 <= t < 5 else 1.0


def x2(t: float) -> float:
    return 0.0 if t < 3 or 4 <= t < 6 else 1.0


def x3(v1: float, v2: float, v4: float) -> float:
    if v1 == 1 and v2 < 0.01 and v4 < 2.5:
        return 3.0
    return -3.0 if v1 < 0.001 and v2 > 0 and v4 > -2.5 else 0.0


def by_hand(seidel: bool) -> list[tuple[float, float, float, float]]:
    """The three parts stepped with pencil and paper: h = 0.1, Part2 before Part3."""
    rows = [(0.0, 0.0, 0.0, 0.0)]
    for k in range(100):
        v1, v2, v3, v4 = rows[-1]
        t = (k * 0.1) + 0.1
        new1, new2 = x1(t), x2(t)
        new3 = x3(new1, new2, v4) if seidel else x3(v1, v2, v4)
        new4 = v4 + 0.1 * 2 * (new3 if seidel else v3)
        rows.append((new1, new2, new3, new4))
    return rows


@pytest.mark.parametrize("master", [sspsim.GaussJacobi(), sspsim.GaussSeidel()], ids=lambda m: m.name)
def test_every_step_is_as_the_definition_says(fmus: Path, master: sspsim.Master) -> None:
    result = sspsim.simulate(fmus / "Math003.ssp", step=0.1, master=master)
    expected = by_hand(seidel=isinstance(master, sspsim.GaussSeidel))
    names = ["part1.x1", "part1.x2", "part2.x3", "part3.x4"]
    for k, row in enumerate(expected):
        assert [result[name][k] for name in names] == pytest.approx(row, abs=1e-12), f"step {k}"


def test_jacobi_hands_the_switch_on_one_step_late_each(fmus: Path) -> None:
    result = sspsim.simulate(fmus / "Math003.ssp", step=0.1, master=sspsim.GaussJacobi())
    switched = {name: result.time[abs(result[name]) > 0][0] for name in ("part1.x1", "part2.x3", "part3.x4")}
    assert switched == pytest.approx({"part1.x1": 1.0, "part2.x3": 1.1, "part3.x4": 1.2})


def test_seidel_reaches_x4_in_the_step_that_switches(fmus: Path) -> None:
    result = sspsim.simulate(fmus / "Math003.ssp", step=0.1, master=sspsim.GaussSeidel())
    assert result["part3.x4"][10] == pytest.approx(0.6)


@pytest.mark.parametrize("step", [0.1, 0.01, 0.001])
def test_steps_are_counted_by_multiplication(fmus: Path, step: float) -> None:
    result = sspsim.simulate(fmus / "Math003.ssp", step=step)
    assert result.statistics["steps"] == round(10 / step)
    assert result.time[-1] == 10.0
    assert len(result.time) == round(10 / step) + 1


def test_the_last_step_ends_at_the_stop_time(fmus: Path) -> None:
    result = sspsim.simulate(fmus / "Math003.ssp", step=0.3, stop=1.0)
    assert result.time.tolist() == pytest.approx([0.0, 0.3, 0.6, 0.9, 1.0])
    assert result.time[-1] == 1.0


def test_output_raster(fmus: Path) -> None:
    whole = sspsim.simulate(fmus / "Math003.ssp", step=0.1, output_step=0.5)
    assert whole.time.tolist() == pytest.approx([0.5 * k for k in range(21)])
    uneven = sspsim.simulate(fmus / "Math003.ssp", step=0.1, output_step=0.25, stop=1.0)
    assert uneven.time.tolist() == pytest.approx([0.0, 0.3, 0.5, 0.8, 1.0])
