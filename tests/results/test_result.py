"""`Result`: parts, other times, comparison, other packages."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import sspsim
from sspsim.errors import UsageError
from sspsim.results.result import Result
from sspsim.results.signal import Signal
from sspsim.structure import Type


def example() -> Result:
    time = np.array([0.0, 1.0, 2.0, 4.0])
    values = {"a.x": np.array([0.0, 10.0, 20.0, 0.0]), "a.on": np.array([False, True, True, False])}
    signals = {"a.x": Signal("a.x", Type.REAL, "m", "Way"), "a.on": Signal("a.on", Type.BOOLEAN)}
    return Result(time, values, signals, {"system": "S", "statistics": {"steps": 3}})


def test_a_mapping_from_names_to_arrays() -> None:
    result = example()
    assert list(result) == ["a.x", "a.on"]
    assert len(result) == 2
    assert result["a.x"][2] == 20.0
    assert result.statistics == {"steps": 3}
    with pytest.raises(KeyError, match=r"a\.y; did you mean a\.x"):
        result["a.y"]
    assert "a.y" not in result
    with pytest.raises(UsageError, match="resample"):
        result[0:4:2]
    assert repr(result) == "<Result S: 2 variables, 4 rows, t=0 to 4 s>"


def test_a_slice_is_a_span_of_time_with_both_ends() -> None:
    result = example()
    assert result[1:2].time.tolist() == [1.0, 2.0]
    assert result[1:2]["a.on"].tolist() == [True, True]
    assert result[:1.5].time.tolist() == [0.0, 1.0]
    assert result[0.5:].time.tolist() == [1.0, 2.0, 4.0]
    assert len(result[2.5:3.5].time) == 0
    assert result[1:2].signals["a.x"].unit == "m"
    assert list(result.select(["a.on"])) == ["a.on"]


def test_resampling_joins_reals_and_holds_the_rest() -> None:
    result = example().resample([0.5, 1.0, 3.0, 4.0])
    assert result["a.x"].tolist() == [5.0, 10.0, 10.0, 0.0]
    assert result["a.on"].tolist() == [False, True, True, False]
    raster = example().resample(0.5)
    assert raster.time.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]
    assert raster["a.x"].tolist() == [0.0, 5.0, 10.0, 15.0, 20.0, 15.0, 10.0, 5.0, 0.0]


def test_a_raster_of_tenths_reaches_the_end() -> None:
    result = Result(np.array([0.0, 10.0]), {"x": np.array([0.0, 10.0])})
    assert len(result.resample(0.1).time) == 101
    assert result.resample(0.1).time[-1] == 10.0


@pytest.mark.parametrize("at", [[-1.0], [5.0], 0.0, -1.0])
def test_there_is_nothing_outside(at: object) -> None:
    with pytest.raises(UsageError):
        example().resample(at)  # type: ignore[arg-type]


def test_comparison_says_how_much_and_where() -> None:
    first = example()
    second = Result(first.time, {"a.x": first["a.x"] + [0, 0, 0.5, 0], "b.z": first["a.x"]}, first.signals)
    comparison = first.compare(second)
    (difference,) = comparison.differences
    assert (difference.largest, difference.time, difference.rms) == (0.5, 2.0, 0.25)
    assert not difference.within
    assert comparison.only_first == ("a.on",)
    assert comparison.only_second == ("b.z",)
    assert "a.x: DIFFERENT, largest difference 0.5 at t=2 s" in str(comparison)
    assert first.compare(first).within
    assert first.select(["a.x"]).compare(second.select(["a.x"]), atol=0.5).within


def test_comparison_interpolates_other_times() -> None:
    fine = example().resample(0.25)
    assert fine.compare(example()).differences[0].largest == 0.0
    assert example()[:2].compare(fine).within


def test_not_finite_values_are_equal_to_themselves_only() -> None:
    time = np.arange(3.0)
    first = Result(time, {"x": np.array([np.nan, np.inf, 1.0])})
    assert first.compare(first).within
    assert not first.compare(Result(time, {"x": np.array([0.0, np.inf, 1.0])})).within
    assert not first.compare(Result(time, {"x": np.array([np.nan, -np.inf, 1.0])})).within


def test_pickling_keeps_everything() -> None:
    again = pickle.loads(pickle.dumps(example()))
    assert again.compare(example()).within
    assert again.signals == example().signals
    assert again.run == example().run


def test_pandas_and_xarray() -> None:
    frame = example().to_pandas()
    assert frame.loc[2.0, "a.x"] == 20.0
    assert frame["a.on"].dtype == bool
    assert frame.attrs["units"] == {"a.x": "m", "a.on": None}
    data = example().to_xarray()
    assert float(data["a.x"].sel(time=1.0)) == 10.0
    assert data["a.x"].attrs == {"units": "m", "type": "Real", "description": "Way"}


def test_the_notebook_table_shows_each_variable_once_and_escapes_names() -> None:
    result = Result(np.arange(2.0), {"<b>": np.array([1.0, 2.0])}, run={"system": "<S>"})
    html = result._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html.replace("<p><b>", "")
    assert html.count("<polyline") == 1
    assert "&lt;S&gt;" in html or "<S>" not in html


def test_a_run_explains_itself(fmus: Path) -> None:
    result = sspsim.simulate(fmus / "House.ssp", step=600.0, stop=3600.0)
    assert result.signals["house.T_room"].unit == "K"
    assert result.run["step"] == 600.0
    assert [c["model"] for c in result.run["components"]] == ["Heater", "House"]
    assert [entry["file"] for entry in result.run["inputs"]] == [str(fmus / "House.ssp")]
    assert result.statistics["steps"] == 6


def test_results_are_equal_if_everything_is() -> None:
    assert pickle.loads(pickle.dumps(example())) == example()
    assert example()[1:] != example()
    assert example().select(["a.x"]) != example()
    missing = [Result(np.arange(2.0), {"x": np.array([1.0, np.nan])}) for _ in range(2)]
    assert missing[0] == missing[1]


def test_other_packages_get_everything_that_explains_a_result() -> None:
    frame, dataset = example().to_pandas(), example().to_xarray()
    assert frame.attrs["units"]["a.x"] == dataset["a.x"].attrs["units"] == "m"
    assert frame.attrs["types"]["a.on"] == dataset["a.on"].attrs["type"] == "Boolean"
    assert frame.attrs["run"] == json.loads(dataset.attrs["run"]) == example().run
