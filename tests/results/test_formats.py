"""csv, parquet and mat: what was written is read back, to the last bit, also by other programs."""

from __future__ import annotations

import csv
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.io
from result_rows import column, cut, rows

from sspsim.errors import InputError
from sspsim.results.csv import CsvSink
from sspsim.results.mat import MatSink
from sspsim.results.parquet import ParquetSink, parts_of
from sspsim.results.read import read_result
from sspsim.structure import Type

RUN: dict[str, Any] = {"sspsim": "test", "system": "S", "start": 0.0, "stop": 1.0}
TIME = np.array([0.0, 0.1, 0.30000000000000004, 1.0])
VALUES = np.array([1 / 3, -1e-300, 1.7976931348623157e308, 0.0])
COLUMNS = {
    column("a.real", unit="K", description="Room temperature"): VALUES,
    column("a.whole", Type.INT32): [-(2**31), 0, 1, 2**31 - 1],
    column("a.big", Type.INT64): [-(2**63), 2**53 + 1, 1, 2**63 - 1],
    column("a.flag", Type.BOOLEAN): [1, 0, 0, 1],
}
TEXTS = {column("a.word", Type.STRING): [b"plain", b'say "hi", twice', b"two\r\nlines", "grün".encode()]}


def sinks(path: Path, layout: Any, columns: Any) -> Any:
    run = {**RUN, "columns": [{"name": c.name, "type": str(c.type), "unit": c.unit} for c in columns]}
    makers = {
        ".csv": lambda: CsvSink(path, layout),
        ".parquet": lambda: ParquetSink(path, layout, run),
        ".mat": lambda: MatSink(path, layout, run),
    }
    (path.parent / "summary.json").write_text(json.dumps(run))
    return makers[path.suffix]()


def write(path: Path, columns: Any, *cuts: int) -> None:
    layout, block = rows(TIME, columns)
    sink = sinks(path, layout, columns)
    for portion in cut(block, *cuts):
        sink.write(portion)
    sink.close()


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".mat"])
@pytest.mark.parametrize("cuts", [(), (1, 2)])
def test_numbers_come_back_to_the_last_bit(tmp_path: Path, suffix: str, cuts: tuple[int, ...]) -> None:
    path = tmp_path / f"values{suffix}"
    numbers = {c: v for c, v in COLUMNS.items() if not (suffix == ".mat" and c.name == "a.big")}
    write(path, numbers, *cuts)
    result = read_result(path)
    assert list(result) == [c.name for c in numbers]
    assert result.time.tolist() == TIME.tolist()
    for c, expected in numbers.items():
        assert result[c.name].tolist() == list(map(bool, expected) if c.type is Type.BOOLEAN else expected)
        assert result.signals[c.name].type is c.type
    assert result.signals["a.real"].unit == "K"
    assert result["a.flag"].dtype == bool


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_texts_come_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"values{suffix}"
    write(path, {**COLUMNS, **TEXTS}, 2)
    assert read_result(path)["a.word"].tolist() == ["plain", 'say "hi", twice', "two\r\nlines", "grün"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".mat"])
def test_what_is_not_finite_comes_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"values{suffix}"
    values = np.array([np.nan, np.inf, -np.inf, 1.0])
    write(path, {column("x"): values}, 2)
    assert np.array_equal(read_result(path)["x"], values, equal_nan=True)


def test_csv_is_what_the_standard_says(tmp_path: Path) -> None:
    write(tmp_path / "values.csv", {**COLUMNS, **TEXTS})
    with (tmp_path / "values.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.reader(file))
    assert table[0] == ["time", "a.real", "a.whole", "a.big", "a.flag", "a.word"]
    assert table[2] == ["0.1", "-1e-300", "0", "9007199254740993", "0", 'say "hi", twice']
    assert table[3][5] == "two\r\nlines"


def test_parquet_explains_itself_without_its_folder(tmp_path: Path) -> None:
    write(tmp_path / "values.parquet", {**COLUMNS, **TEXTS}, 1)
    (tmp_path / "summary.json").unlink()
    table = pq.read_table(tmp_path / "values.parquet")
    assert table.schema.field("a.real").metadata == {
        b"type": b"Real",
        b"unit": b"K",
        b"description": b"Room temperature",
    }
    assert str(table.schema.field("a.flag").type) == "bool"
    assert read_result(tmp_path / "values.parquet").run["system"] == "S"
    assert not parts_of(tmp_path / "values.parquet").exists()


def test_parquet_portions_of_a_killed_run_are_a_table(tmp_path: Path) -> None:
    layout, block = rows(TIME, COLUMNS)
    sink = sinks(tmp_path / "values.parquet", layout, COLUMNS)
    portions = cut(block, 1, 3)
    sink.write(portions[0])
    sink.write(portions[1])
    (tmp_path / "values.parquet.parts" / "unfinished").write_bytes(b"PAR1 half a file")
    for path in (tmp_path, tmp_path / "values.parquet", tmp_path / "values.parquet.parts"):
        assert read_result(path).time.tolist() == TIME[:3].tolist()


def test_mat_has_the_layout_of_modelica_tools(tmp_path: Path) -> None:
    write(tmp_path / "values.mat", {c: v for c, v in COLUMNS.items() if c.name != "a.big"}, 3)
    found = scipy.io.loadmat(tmp_path / "values.mat", chars_as_strings=False)
    order = [name for name in found if not name.startswith("__")]
    assert order == ["Aclass", "name", "description", "dataInfo", "data_1", "data_2", "sspsim"]
    assert ["".join(row).strip() for row in found["Aclass"]] == ["Atrajectory", "1.1", "", "binTrans"]
    names = ["".join(row).strip() for row in found["name"].T]
    assert names == ["time", "a.real", "a.whole", "a.flag"]
    assert "".join(found["description"].T[1]).strip() == "Room temperature [K]"
    assert found["dataInfo"].T.tolist() == [[0, 1, 0, -1], [2, 2, 0, -1], [2, 3, 0, -1], [2, 4, 0, -1]]
    assert found["data_1"].tolist() == [[0.0, 1.0]]
    assert found["data_2"].shape == (4, 4)
    assert found["data_2"][0].tolist() == TIME.tolist()
    assert found["data_2"][1].tolist() == VALUES.tolist()


def test_mat_of_an_unfinished_run_is_readable(tmp_path: Path) -> None:
    layout, block = rows(TIME, {column("x"): VALUES})
    sink = sinks(tmp_path / "values.mat", layout, [column("x")])
    sink.write(cut(block, 2)[0])
    assert read_result(tmp_path / "values.mat")["x"].tolist() == VALUES[:2].tolist()
    sink.close()


def modelica_matrix(name: str, kind: int, array: np.ndarray) -> bytes:
    head = struct.pack("<5i", kind, *array.shape, 0, len(name) + 1) + name.encode() + b"\0"
    return head + array.tobytes(order="F")


def letters(*texts: str) -> np.ndarray:
    return np.array([list(text.ljust(24).encode()) for text in texts], dtype=np.uint8)


def test_results_of_modelica_tools_are_read(tmp_path: Path) -> None:
    """Constants in data_1, a negated alias, single precision, not transposed: as in binNormal files."""
    info = np.array([[0, 1, 0, -1], [2, 2, 0, -1], [2, -2, 0, -1], [1, 2, 0, -1]], dtype="<i4")
    data_2 = np.array([[0.0, 1.0], [0.5, 2.0], [1.0, 4.0]], dtype="<f4")
    parts = [
        modelica_matrix("Aclass", 51, letters("Atrajectory", "1.1", "", "binNormal")),
        modelica_matrix("name", 51, letters("Time", "m.v", "m.minus", "m.mass")),
        modelica_matrix("description", 51, letters("Time in [s]", "Speed [m/s|km/h]", "", "[kg]")),
        modelica_matrix("dataInfo", 20, info),
        modelica_matrix("data_1", 0, np.array([[0.0, 7.0], [1.0, 7.0]])),
        modelica_matrix("data_2", 10, data_2),
    ]
    (tmp_path / "dsres.mat").write_bytes(b"".join(parts))
    result = read_result(tmp_path / "dsres.mat")
    assert result.time.tolist() == [0.0, 0.5, 1.0]
    assert result["m.v"].tolist() == [1.0, 2.0, 4.0]
    assert result["m.minus"].tolist() == [-1.0, -2.0, -4.0]
    assert result["m.mass"].tolist() == [7.0, 7.0, 7.0]
    assert (result.signals["m.v"].unit, result.signals["m.v"].description) == ("m/s", "Speed")


@pytest.mark.parametrize("ending", [b"", b",1", b",1.5\r"])
def test_a_csv_row_that_was_cut_off_is_dropped(tmp_path: Path, ending: bytes) -> None:
    (tmp_path / "values.csv").write_bytes(b"time,x\r\n0.0,1.5\r\n1.0,2.5\r\n2.0" + ending)
    result = read_result(tmp_path / "values.csv")
    assert result.time.tolist() == [0.0, 1.0]
    assert result["x"].tolist() == [1.5, 2.5]


@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_csv_files_of_other_programs_are_read(tmp_path: Path, ending: bytes) -> None:
    (tmp_path / "other.csv").write_bytes(b"t,x,word\n0,+1,a\n1,2e0,b" + ending)
    result = read_result(tmp_path / "other.csv")
    assert result.time.tolist() == [0.0, 1.0]
    assert result["x"].tolist() == [1.0, 2.0]
    assert result["word"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("x.csv", b""), ("x.mat", b"no matrix"), ("x.parquet", b"PAR1"), ("x.csv", b"\xff\xfe\x00")],
)
def test_what_is_no_result_is_said_to_be_none(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=name):
        read_result(tmp_path / name)


def test_a_folder_without_a_result(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no result"):
        read_result(tmp_path)
    with pytest.raises(InputError, match="no such result"):
        read_result(tmp_path / "nothing.csv")
