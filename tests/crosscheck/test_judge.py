"""The epsilon band and the norm against numbers worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from shared import Cli

from sspsim.crosscheck.judge import epsilon_band, judge, judge_all, wrms

TIME = np.linspace(0.0, 1.0, 1000)


def test_band_of_a_ramp_is_ten_neighbours_and_ten_percent_away() -> None:
    band = epsilon_band(np.array([0.0, 999.0]), np.array([0.0, 999.0]))
    assert band.upper[500] == pytest.approx(510 + 99.9)
    assert band.lower[500] == pytest.approx(490 - 99.9)
    assert band.upper[-1] == pytest.approx(999 + 99.9)


def test_band_of_zero_is_a_half() -> None:
    band = epsilon_band(np.array([0.0, 1.0]), np.zeros(2))
    assert (band.lower == -0.5).all()
    assert (band.upper == 0.5).all()


def test_band_follows_a_jump_within_ten_samples() -> None:
    reference = np.where(np.arange(1000) < 500, 0.0, 1.0)
    band = epsilon_band(TIME, reference)
    assert band.upper[489] == pytest.approx(0.1)
    assert band.upper[490] == pytest.approx(1.1)
    assert band.lower[509] == pytest.approx(-0.1)
    assert band.lower[510] == pytest.approx(0.9)


@pytest.mark.parametrize(("outside", "passed"), [(100, True), (101, False)])
def test_nine_of_ten_samples_must_be_inside(outside: int, passed: bool) -> None:
    values = np.ones(1000)
    values[:outside] = 2.0
    verdict = judge("x", TIME, values, TIME, np.ones(1000))
    assert verdict.passed is passed
    assert verdict.inside == pytest.approx(1 - outside / 1000)


def test_samples_beside_the_reference_do_not_count() -> None:
    values = np.where((TIME < 0.25) | (TIME > 0.75), 99.0, 1.0)
    assert judge("x", TIME, values, np.array([0.25, 0.75]), np.ones(2)).inside == 1.0


def test_a_result_that_ends_early_fails_unless_it_was_asked_to() -> None:
    early = TIME[:500]
    assert not judge("x", early, np.ones(500), TIME, np.ones(1000)).passed
    assert judge("x", early, np.ones(500), TIME, np.ones(1000), stop=early[-1]).passed


def test_nan_is_outside() -> None:
    assert judge("x", TIME, np.full(1000, np.nan), TIME, np.ones(1000)).inside == 0.0


def test_wrms_weighs_by_the_reference() -> None:
    # differences of twice the weight everywhere: 2 * (1e-5*|b| + 1e-6)
    reference = np.array([0.0, 1.0, -100.0])
    values = reference + 2 * (1e-5 * np.abs(reference) + 1e-6)
    assert wrms(values, reference) == pytest.approx(2.0)


def test_a_missing_signal_fails() -> None:
    verdicts = judge_all(TIME, {"a": TIME}, TIME, {"a": TIME, "b": TIME})
    assert [(v.name, v.passed) for v in verdicts] == [("a", True), ("b", False)]


def test_whole_runs_are_compared_whatever_their_format(fmus: Path, tmp_path: Path, cli: Cli) -> None:
    for name, options in {"fine": [], "coarse": ["--step", "600", "--format", "parquet"]}.items():
        assert cli("run", fmus / "House.ssp", "-q", "-o", name, *options).returncode == 0
    done = cli("compare", "coarse", "fine", "--json")
    assert done.returncode == 0, done.stderr
    assert {v["name"]: v["passed"] for v in json.loads(done.stdout)} == dict.fromkeys(
        ("heater.P", "house.T_ambient", "house.T_room", "house.radiation"), True
    )
    assert cli("compare", "nothing-there", "fine").returncode == 3
