"""`sspsim plot`: which curve is where, and files that can be opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

import sspsim
from sspsim.errors import UsageError
from sspsim.results.panels import COLOURS, chosen_names, event_times, make_panels, step_panel, time_scale
from sspsim.results.picture import figure, page
from sspsim.results.result import Result
from sspsim.results.signal import Signal
from sspsim.results.steps import Steps
from sspsim.structure import Type


def example() -> Result:
    time = np.linspace(0.0, 10.0, 11)
    values = {
        "a.on": time > 4.5,
        "a.T": time + 290,
        "a.P": time * 100,
        "b.T": 300 - time,
        "b.word": np.array(["x"] * 11),
    }
    units = {"a.T": "K", "b.T": "K", "a.P": "W"}
    signals = {name: Signal(name, Type.REAL, units.get(name)) for name in values}
    signals["a.on"] = Signal("a.on", Type.BOOLEAN)
    signals["b.word"] = Signal("b.word", Type.STRING)
    return Result(time, values, signals, {"system": "S"})


def test_one_panel_per_unit_and_states_at_the_end() -> None:
    panels = make_panels({"": example()})
    assert [(panel.title, [curve.label for curve in panel.curves]) for panel in panels] == [
        ("K", ["a.T", "b.T"]),
        ("W", ["a.P"]),
        ("true or false", ["a.on"]),
    ]
    assert panels[-1].curves[0].held


def test_runs_are_laid_over_each_other_with_the_same_colour() -> None:
    (panel,) = make_panels({"one": example(), "two": example()}, ["*.T"])
    labels = [(curve.label, COLOURS.index(curve.colour), curve.run) for curve in panel.curves]
    assert labels == [("a.T (one)", 0, 0), ("a.T (two)", 0, 1), ("b.T (one)", 1, 0), ("b.T (two)", 1, 1)]


def test_many_curves_of_a_panel_have_colours_of_their_own() -> None:
    many = Result(np.arange(3.0), {f"x{k}": np.arange(3.0) for k in range(30)})
    (panel,) = make_panels({"": many})
    assert len({curve.colour for curve in panel.curves}) == 30


def test_files_of_long_runs_stay_small_and_keep_their_peaks() -> None:
    time = np.arange(100_000.0)
    values = {f"x{k}": np.where(time == 77_777, 9.0, np.sin(time / 50)) for k in range(20)}
    long = Result(time, values)
    (line, *_) = figure({"": long}).axes[0].lines
    assert len(line.get_xdata()) <= 8000
    assert max(line.get_ydata()) == 9.0
    assert len(page({"": long})) < 15_000_000


def test_names_are_texts_and_no_markup_in_a_page() -> None:
    text = page({"": Result(np.arange(3.0), {"a<b>.x": np.arange(3.0)}, None, {"system": "<i>S</i>"})})
    assert "a<b>.x" not in text
    assert "a\\u003cb" not in text


def test_names_are_patterns_in_the_given_order() -> None:
    assert chosen_names({"": example()}, ["b.T", "a.*"]) == ["b.T", "a.on", "a.T", "a.P"]
    with pytest.raises(UsageError, match=r"'c\.\*'; there are a\.on, a\.T"):
        chosen_names({"": example()}, ["c.*"])


def test_defects_do_not_hide_the_variables() -> None:
    both = Result(np.arange(2.0), {"defect(a+b)": np.array([0.0, 1e5]), "a.x": np.array([0.0, 1.0])})
    assert [panel.title for panel in make_panels({"": both})] == [
        "without unit",
        "coupling defect / tolerance",
    ]


def test_events_are_changes_of_states_and_jumps() -> None:
    assert event_times(example()).tolist() == [5.0]
    jump = Result(np.array([0.0, 2.0, 2.0, 3.0]), {"x": np.array([0.0, 1.0, 5.0, 6.0])})
    assert event_times(jump).tolist() == [2.0]


def test_the_panel_of_steps_names_the_events() -> None:
    legend = figure({"": example()}, ["a.T"], steps=True).axes[-1].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["distance of rows", "events"]
    assert '"name":"events"' in page({"": example()}, ["a.T"], steps=True)


@pytest.mark.parametrize(
    ("stop", "unit"), [(10.0, "s"), (3600.0, "min"), (86400.0, "h"), (365 * 86400.0, "d")]
)
def test_the_time_axis_suits_the_span(stop: float, unit: str) -> None:
    assert time_scale({"": Result(np.array([0.0, stop]), {})})[1] == unit


def test_the_figure_shows_the_numbers() -> None:
    drawn = figure({"": example()}, ["a.T"], steps=True)
    curves, steps = drawn.axes
    assert curves.get_ylabel() == "K"
    assert curves.lines[0].get_ydata().tolist() == example()["a.T"].tolist()
    assert steps.get_ylabel() == "step / s"
    assert steps.lines[0].get_ydata().tolist() == [1.0] * 10


def test_step_sizes_come_from_the_step_log() -> None:
    log = Steps(np.array([0.0, 4.0]), np.array([4.0, 6.0]), np.array([1, 1]))
    panel = step_panel({"one": example(), "two": example()}, {"one": log, "two": None})
    assert [curve.label for curve in panel.curves] == ["step (one)", "distance of rows (two)"]
    assert panel.curves[0].values.tolist() == [4.0, 6.0]


def test_rounding_of_equal_steps_is_not_magnified() -> None:
    steps = figure({"": Result(0.1 * np.arange(20), {"x": np.arange(20.0)})}, steps=True).axes[-1]
    low, high = steps.get_ylim()
    assert low < 0.06 and high > 0.19


def test_legends_of_very_many_curves_leave_room_for_them() -> None:
    many = Result(np.arange(3.0), {f"x{k}": np.arange(3.0) for k in range(200)})
    drawn = figure({"": many})
    drawn.draw_without_rendering()
    (axes,) = drawn.axes
    assert [text.get_text() for text in axes.get_legend().get_texts()][-1] == "and 145 more"
    assert axes.get_position().width > 0.4


def test_equal_names_of_folders_are_told_apart(cli: Callable[..., Any], tmp_path: Path) -> None:
    for folder in ("a/out", "b/out"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "values.csv").write_text("time,x\n0,1\n1,2\n")
    drawn = json.loads(cli("plot", "a/out", "b/out", "-o", "x.svg", "--json").stdout)
    assert drawn["results"] == ["a/out", "b/out"]


def test_files_of_all_kinds(cli: Callable[..., Any], fmus: Path, tmp_path: Path) -> None:
    for step, name in ((60, "fine"), (600, "coarse")):
        assert cli("run", fmus / "House.ssp", "--step", step, "-q", "-o", name).returncode == 0
    done = cli("plot", "fine", "coarse", "house.T*", "-o", "both.png", "--json")
    assert json.loads(done.stdout) == {
        "picture": "both.png",
        "results": ["fine", "coarse"],
        "variables": ["house.T_ambient", "house.T_room"],
    }
    picture = imread(tmp_path / "both.png")
    assert len(np.unique(picture.reshape(-1, picture.shape[-1]), axis=0)) > 50
    assert cli("plot", "fine").returncode == 0
    assert "<svg" in (tmp_path / "fine" / "values.svg").read_text()
    wrong = cli("plot", "fine", "-o", "x.doc")
    assert wrong.returncode == 2
    assert ".png" in wrong.stderr


def test_the_html_page_brings_its_own_program(fmus: Path, tmp_path: Path) -> None:
    sspsim.simulate(fmus / "House.ssp", step=600.0).save_plot(tmp_path / "house.html", "house.*")
    text = (tmp_path / "house.html").read_text()
    assert "house.T_room" in text
    assert "<script src=" not in text
    assert len(text) > 1_000_000
