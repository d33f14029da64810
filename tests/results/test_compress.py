"""Compressed output: what is left out can be put back within the tolerance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from result_rows import column, cut, rows
from sspsim.results.thinning import needed_points

from sspsim.errors import UsageError
from sspsim.results.block import Block
from sspsim.results.compress import Compressed, Compression
from sspsim.results.csv import CsvSink
from sspsim.results.parquet import ParquetSink
from sspsim.results.read import put_back, read_result
from sspsim.structure import Type

magnitudes = st.floats(min_value=-1e12, max_value=1e12)
signals = st.integers(2, 60).flatmap(
    lambda n: st.tuples(
        arrays(float, n - 1, elements=st.one_of(st.just(0.0), st.floats(min_value=1e-6, max_value=1e4))),
        st.one_of(
            arrays(float, (n, 2), elements=magnitudes),
            arrays(float, (n, 2), elements=st.floats(min_value=-1.0, max_value=1.0)),
            arrays(float, (n, 2), elements=st.sampled_from([0.0, 1.0, 1.0000001])),
        ),
    )
)


@settings(max_examples=400, deadline=None)
@given(signals, st.sampled_from([(1e-2, 1e-30), (1e-4, 1e-6), (0.0, 1e-3), (1e-9, 1e-12)]))
def test_straight_lines_stay_within_the_tolerance(signal: Any, tolerance: tuple[float, float]) -> None:
    steps, values = signal
    time = np.concatenate([[0.0], np.cumsum(steps)])
    rtol, atol = tolerance
    kept = needed_points(np.column_stack([time, values]), rtol, atol)
    assert kept[[0, -1]].all()
    for k in range(values.shape[1]):
        there = kept[:, 1 + k]
        back = put_back(time, np.ma.MaskedArray(values[:, k], ~there), None)
        assert (np.abs(back - values[:, k]) <= rtol * np.abs(values[:, k]) + atol).all()
        assert (back[there] == values[there, k]).all()


def test_lines_need_their_ends_only_and_corners_are_kept() -> None:
    time = np.arange(1001.0)
    tent = np.minimum(time, 1000 - time)
    kept = needed_points(np.column_stack([time, 3 * time + 7, tent, np.full(1001, 5.0)]), 1e-9, 1e-9)
    assert np.flatnonzero(kept[:, 1]).tolist() == [0, 1000]
    assert np.flatnonzero(kept[:, 2]).tolist() == [0, 500, 1000]
    assert np.flatnonzero(kept[:, 3]).tolist() == [0, 1000]


def test_a_slow_drift_does_not_slip_through() -> None:
    """Comparing neighbours only would drop every point of a circle, one small bend after the other."""
    time = np.linspace(0.0, 1.0, 10_001)
    circle = np.sqrt(1 - time**2)
    kept = needed_points(np.column_stack([time, circle]), 0.0, 1e-4)[:, 1]
    back = np.interp(time, time[kept], circle[kept])
    assert np.abs(back - circle).max() <= 1e-4
    assert 10 < kept.sum() < 200


def test_what_is_not_finite_is_kept() -> None:
    values = np.array([0.0, 0.0, np.nan, 0.0, np.inf, 0.0, 0.0, 0.0])
    kept = needed_points(np.column_stack([np.arange(8.0), values]), 1e-3, 1e-3)[:, 1]
    assert kept[[2, 4]].all()
    back = put_back(np.arange(8.0), np.ma.MaskedArray(values, ~kept), None)
    assert np.array_equal(back, values, equal_nan=True)


def test_both_sides_of_a_jump_come_back() -> None:
    time = np.array([0.0, 1.0, 2.0, 2.0, 3.0, 4.0])
    values = np.array([0.0, 1.0, 2.0, 7.0, 7.0, 7.0])
    kept = needed_points(np.column_stack([time, values]), 1e-9, 1e-9)[:, 1]
    assert kept.tolist() == [True, False, True, True, False, True]
    assert put_back(time, np.ma.MaskedArray(values, ~kept), None).tolist() == values.tolist()


class Keep:
    def __init__(self) -> None:
        self.blocks: list[Block] = []

    def write(self, block: Block) -> None:
        self.blocks.append(block)

    def close(self) -> None:
        pass


def test_rows_without_news_are_dropped() -> None:
    n = 100
    _, block = rows(
        np.arange(n),
        {column("line"): np.arange(n), column("flag", Type.BOOLEAN): [k >= 40 for k in range(n)]},
    )
    sink = Keep()
    Compressed(sink, Compression()).write(block)
    (kept,) = sink.blocks
    assert kept.time.tolist() == [0.0, 40.0, 99.0]
    assert kept.left_out_reals is not None
    assert kept.left_out_reals[:, 1].tolist() == [False, True, False]


COLUMNS = {
    column("a.wave"): np.sin(np.linspace(0, 20, 2000)),
    column("a.line"): np.linspace(-1, 1, 2000),
    column("a.count", Type.INT32): np.arange(2000) // 300,
    column("a.flag", Type.BOOLEAN): np.arange(2000) // 77 % 2,
}
WORDS = {column("a.word", Type.STRING): [b"off" if k < 500 else b"on" for k in range(2000)]}


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("columns", [COLUMNS, {**COLUMNS, **WORDS}], ids=["numbers", "texts"])
def test_files_are_complete_again_when_read(tmp_path: Path, suffix: str, columns: dict[Any, Any]) -> None:
    time = np.linspace(0.0, 20.0, 2000)
    layout, block = rows(time, columns)
    run = {"sspsim": "", "columns": [{"name": c.name, "type": str(c.type), "unit": None} for c in columns]}
    (tmp_path / "summary.json").write_text(json.dumps(run))
    path = tmp_path / f"values{suffix}"
    inner = CsvSink(path, layout) if suffix == ".csv" else ParquetSink(path, layout, run)
    sink = Compressed(inner, Compression(1e-3, 1e-3))
    for portion in cut(block, 700, 1500):
        sink.write(portion)
    sink.close()
    stored = read_result(path)
    assert 50 < len(stored.time) < 500
    result = stored.resample(time)
    for c, expected in columns.items():
        if c.type is Type.REAL:
            assert np.abs(result[c.name] - expected).max() <= 1e-3 * np.abs(expected).max() + 1e-3
        else:
            texts = [w.decode() for w in expected] if c.type is Type.STRING else list(expected)
            assert result[c.name].tolist() == texts


@pytest.mark.parametrize(("rtol", "atol"), [(0.1, 0.0), (-1.0, 1.0), (float("nan"), 1.0)])
def test_a_tolerance_must_allow_something(rtol: float, atol: float) -> None:
    with pytest.raises(UsageError, match="above 0"):
        Compression(rtol, atol)
