"""Reads csv files: those of a run quickly and in portions, those of other programs as well as they allow."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from sspsim.errors import InputError
from sspsim.results.signal import Signal
from sspsim.structure import Type

PORTION = 4_000_000  # bytes
LINE_END = b"\r\n"
SPECIAL = (b"NaN", b"INF", b'"')
Cells = Sequence[Any]


def read_csv(path: Path, signals: Mapping[str, Signal]) -> dict[str, NDArray[Any]]:
    """Columns by name, the time first; what was left out is masked.

    A row that a killed run left unfinished is dropped: rows of a run end with CR LF.
    """
    portions: list[list[NDArray[Any]]] = []
    try:
        with path.open("rb") as file:
            header = next(csv.reader([file.readline().decode("utf-8-sig")]), [])
            if not header:
                raise InputError(f"{path}: no header line; this is no result of a run")
            columns = [signals.get(name) for name in header]
            portions += [_columns(rows, columns) for rows in _portions(file, header)]
    except (UnicodeDecodeError, csv.Error) as problem:
        raise InputError(f"{path}: no readable csv file: {problem}") from None
    if not portions:
        portions = [[np.empty(0)] * len(header)]
    return {name: _joined([p[k] for p in portions]) for k, name in enumerate(header)}


def _portions(file: Any, header: Sequence[str]) -> Iterator[list[Cells]]:
    """Lists of rows, each a few megabytes of text."""
    rest = b""
    quoted = False
    while piece := file.read(PORTION):
        rest += piece
        quoted = quoted or b'"' in piece
        if quoted:  # a cell may hold line ends, so the text cannot be cut at one
            continue
        end = rest.rfind(LINE_END) + len(LINE_END)
        if end >= len(LINE_END):
            yield _rows(rest[:end], header)
            rest = rest[end:]
    if quoted or (rest.strip() and LINE_END not in rest and b"\n" in rest):
        yield _rows(rest, header)


def _rows(text: bytes, header: Sequence[str]) -> list[Cells]:
    if not any(mark in text for mark in SPECIAL):
        try:
            return _number_rows(text)
        except orjson.JSONDecodeError:
            pass  # texts without quotation marks, or another program's idea of numbers
    rows = csv.reader(io.StringIO(text.decode("utf-8"), newline=""))
    complete = text.endswith((b"\n", b"\r")) or LINE_END not in text
    found = list(rows)
    return [row for row in (found if complete else found[:-1]) if len(row) == len(header)]


def _number_rows(text: bytes) -> list[Cells]:
    """Rows of numbers are nearly JSON, which is read several times faster than csv."""
    body = text.strip().replace(LINE_END, b"],[").replace(b"\n", b"],[")
    while b",," in body:
        body = body.replace(b",,", b",null,")
    body = body.replace(b",]", b",null]").replace(b"[,", b"[null,")
    rows: list[Cells] = orjson.loads(b"[[" + body + (b"null]]" if body.endswith(b",") else b"]]"))
    return rows


def _columns(rows: Sequence[Cells], signals: Sequence[Signal | None]) -> list[NDArray[Any]]:
    width = len(signals)
    columns = zip(*(row for row in rows if len(row) == width), strict=True)
    return [typed_column(cells, signal) for cells, signal in zip(columns, signals, strict=False)]


def typed_column(cells: Cells, signal: Signal | None) -> NDArray[Any]:
    """Cells, texts or numbers, as an array of the right type; empty ones are masked."""
    there = [k for k, cell in enumerate(cells) if cell is not None and cell != ""]
    if len(there) == len(cells) or (signal is not None and not signal.type.is_numeric):
        return _typed(cells, signal)
    values = _typed([cells[k] for k in there], signal)
    mask = np.ones(len(cells), dtype=bool)
    mask[there] = False
    whole = np.zeros(len(cells), dtype=values.dtype)
    whole[there] = values
    return np.ma.MaskedArray(whole, mask)


def _typed(cells: Cells, signal: Signal | None) -> NDArray[Any]:
    if signal is None:
        return _guessed(cells)
    if signal.type is Type.STRING:
        return np.array(cells, dtype=str)
    if signal.type is Type.BINARY:
        return np.array([bytes.fromhex(cell) for cell in cells], dtype=object)
    make: Callable[[Any], Any] = float if signal.type.is_real else int
    if cells and isinstance(cells[0], str):
        cells = [make(cell) for cell in cells]
    if signal.type is Type.BOOLEAN:
        return np.array(cells, dtype=bool)
    whole = np.uint64 if signal.type is Type.UINT64 else np.int64
    return np.array(cells, dtype=float if signal.type.is_real else whole)


def _guessed(cells: Cells) -> NDArray[Any]:
    """Numbers if all of them are."""
    try:
        return np.array(cells, dtype=float)
    except ValueError:
        return np.array(cells, dtype=str)


def _joined(pieces: Sequence[NDArray[Any]]) -> NDArray[Any]:
    masked = any(isinstance(piece, np.ma.MaskedArray) for piece in pieces)
    values = np.concatenate([np.ma.getdata(piece) for piece in pieces])
    if not masked:
        return values
    return np.ma.MaskedArray(values, np.concatenate([np.ma.getmaskarray(piece) for piece in pieces]))
