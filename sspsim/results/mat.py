"""values.mat: MATLAB level 4 in the layout of Modelica tools ("dsres": Dymola, OpenModelica, readers).

Six matrices: `Aclass` says how the others are stored, `name` and `description` hold one text per variable,
`dataInfo` the place of its values (matrix 1 or 2 and row), `data_1` what is constant (the time span at
least), `data_2` one column per row of the result. Stored that way, rows can be appended: only the number of
columns in the header of `data_2` has to be kept up to date. A seventh matrix, which others skip, holds the
run as JSON.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.errors import InputError
from sspsim.fmi.codes import Bank
from sspsim.results.block import Block, Layout
from sspsim.results.signal import Signal
from sspsim.structure import Type

HEADER = struct.Struct("<5i")  # kind, rows, columns, imaginary part, length of the name
NUMBER_TYPES = {0: "<f8", 1: "<f4", 2: "<i4", 3: "<i2", 4: "<u2", 5: "u1"}
TEXT = 51  # bytes that are characters
DOUBLE, INTEGER = 0, 20
LINEAR, NOT_OUTSIDE = 0, -1
RUN = "sspsim"


def texts_in(layout: Layout) -> list[str]:
    """The names of texts, which have no place in this format."""
    return [column.name for column in layout.columns if column.bank is Bank.TEXT]


class MatSink:
    """Appends rows; texts are left out."""

    def __init__(self, path: Path, layout: Layout, run: dict[str, Any]) -> None:
        self.layout = layout
        self.run = run
        self.kept = [k for k, column in enumerate(layout.columns) if column.bank is not Bank.TEXT]
        self.rows = 0
        self.file = path.open("wb")
        signals = [Signal("time", Type.REAL, "s", "Time"), *(Signal.of(layout.columns[k]) for k in self.kept)]
        self._texts("Aclass", ["Atrajectory", "1.1", "", "binTrans"], row_by_row=True)
        self._texts("name", [signal.name for signal in signals])
        self._texts("description", [_described(signal) for signal in signals])
        places = [[2 if k else 0, k + 1, LINEAR, NOT_OUTSIDE] for k in range(len(signals))]
        self._matrix("dataInfo", INTEGER, np.array(places, dtype="<i4"))
        self._matrix("data_1", DOUBLE, np.array([[run["start"]], [run["stop"]]]))
        self.header = self.file.tell()
        self._header("data_2", DOUBLE, len(signals), 0)
        self.file.flush()

    def write(self, block: Block) -> None:
        """Appends rows, then counts them."""
        columns = [block.time, *(self.layout.values(block, k) for k in self.kept)]
        self.file.write(np.column_stack(columns).astype("<f8").tobytes())
        self.file.flush()
        self.rows += block.rows
        end = self.file.tell()
        self.file.seek(self.header)
        self._header("data_2", DOUBLE, len(columns), self.rows)
        self.file.seek(end)
        self.file.flush()

    def close(self) -> None:
        """Adds the run and closes the file."""
        self._texts(RUN, [json.dumps(self.run)])
        self.file.close()

    def _header(self, name: str, kind: int, rows: int, columns: int) -> None:
        self.file.write(HEADER.pack(kind, rows, columns, 0, len(name) + 1) + name.encode() + b"\0")

    def _matrix(self, name: str, kind: int, transposed: NDArray[Any]) -> None:
        self._header(name, kind, transposed.shape[1], transposed.shape[0])
        self.file.write(transposed.tobytes())

    def _texts(self, name: str, texts: Sequence[str], *, row_by_row: bool = False) -> None:
        encoded = [text.encode() for text in texts]
        width = max(1, *map(len, encoded), 1)
        cells = np.frombuffer(b"".join(text.ljust(width) for text in encoded), dtype=np.uint8).reshape(
            -1, width
        )
        self._matrix(name, TEXT, np.ascontiguousarray(cells.T) if row_by_row else cells)


def _described(signal: Signal) -> str:
    unit = f"[{signal.unit}]" if signal.unit else ""
    return f"{signal.description} {unit}".strip()


def read_mat(path: Path) -> tuple[dict[str, Any], dict[str, Signal], dict[str, Any]]:
    """Columns (the time first), what is known about them, and the run; also of Modelica tools."""
    try:
        found = _matrices(path.read_bytes())
        transposed = "binTrans" in _as_texts(found["Aclass"], by_column=False)[3]
        names = _as_texts(found["name"], by_column=transposed)
        descriptions = _as_texts(found["description"], by_column=transposed)
        tables = {n: found[f"data_{n}"].T if transposed else found[f"data_{n}"] for n in (1, 2)}
        places = found["dataInfo"].T if transposed else found["dataInfo"]
    except (KeyError, ValueError, IndexError, struct.error) as problem:
        raise InputError(f"{path}: no result of a Modelica tool or of sspsim ({problem})") from None
    run = json.loads(_as_texts(found[RUN], by_column=True)[0]) if RUN in found else {}
    known = {column["name"]: Signal.parse(column) for column in run.get("columns", ())}
    columns, signals = {}, {}
    for name, description, (table, column, *_) in zip(names, descriptions, places.astype(int), strict=True):
        signals[name] = known.get(name) or _signal(name, description)
        values = tables[table or 2][:, abs(column) - 1]
        values = np.full(len(tables[2]), values[0]) if table == 1 else np.array(values, dtype=float)
        columns[name] = _typed(-values if column < 0 else values, signals[name].type)
    time = next((name for name in columns if name.lower() == "time"), names[0])
    return {"time": columns.pop(time), **columns}, signals, run


def _matrices(data: bytes) -> dict[str, NDArray[Any]]:
    found, at = {}, 0
    while at + HEADER.size <= len(data):
        kind, rows, columns, _, length = HEADER.unpack_from(data, at)
        name = data[at + HEADER.size : at + HEADER.size + length - 1].decode()
        at += HEADER.size + length
        type_ = np.dtype(NUMBER_TYPES[kind // 10 % 10])
        found[name] = np.frombuffer(data, type_, rows * columns, at).reshape((rows, columns), order="F")
        at += rows * columns * type_.itemsize
    return found


def _as_texts(cells: NDArray[Any], *, by_column: bool) -> list[str]:
    rows = cells.T if by_column else cells
    return [bytes(row.astype(np.uint8)).rstrip(b"\0 ").decode("utf-8", "replace") for row in rows]


def _signal(name: str, description: str) -> Signal:
    """Modelica tools write the unit in brackets behind the description, with more after a bar.

    >>> _signal("T", "Room temperature [K|degC]")
    Signal(name='T', type=<Type.REAL: 'Real'>, unit='K', description='Room temperature')
    """
    match = re.fullmatch(r"(.*?)\s*\[([^\]|]*)[^\]]*\]", description)
    text, unit = match.groups() if match else (description, "")
    return Signal(name, Type.REAL, unit or None, text)


def _typed(values: NDArray[Any], type_: Type) -> NDArray[Any]:
    if type_.is_real:
        return values
    return values.astype(bool if type_ is Type.BOOLEAN else np.int64)
