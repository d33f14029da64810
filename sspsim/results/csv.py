"""values.csv: RFC 4180, full double precision, readable up to the last portion whenever the run ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import orjson

from sspsim.errors import InputError
from sspsim.fmi.codes import Bank
from sspsim.results.block import Block, Layout
from sspsim.structure import Type

NOT_FINITE = {"nan": b"NaN", "inf": b"INF", "-inf": b"-INF"}
NUMPY = orjson.OPT_SERIALIZE_NUMPY


class CsvSink:
    """Writes rows as they come; a value that was left out is an empty cell.

    The numbers are formatted by orjson (shortest text that reads back as the same double), which is several
    times faster than Python's own way.
    """

    def __init__(self, path: Path, layout: Layout, rows: int = 0) -> None:
        """`rows`: so many are in the file already and stay, those behind them go."""
        self.layout = layout
        self.numbers = all(column.bank is not Bank.TEXT for column in layout.columns)
        self.reals = all(column.bank is Bank.REAL for column in layout.columns)
        names = ["time", *(column.name for column in layout.columns)]
        header = ",".join(map(quoted, names)).encode() + b"\r\n"
        self.file = path.open("r+b" if rows else "wb")
        if rows:
            _keep(self.file, path, header, rows)
        else:
            self.file.write(header)
        self.file.flush()

    def write(self, block: Block) -> None:
        """Appends rows and hands them to the operating system: a killed run leaves readable results."""
        if not block.rows:
            return
        if self.numbers and np.isfinite(block.reals).all():
            self.file.write(self._numbers(block))
        else:
            columns = [
                _cells(block.time, None),
                *(self._column(block, k) for k in range(len(self.layout.columns))),
            ]
            self.file.write(b"".join(b",".join(row) + b"\r\n" for row in zip(*columns, strict=True)))
        self.file.flush()

    def _numbers(self, block: Block) -> bytes:
        """All rows in one go: a list of lists has nearly the right shape."""
        if self.reals and block.left_out_reals is None:
            text = orjson.dumps(np.ascontiguousarray(block.reals), option=NUMPY)
        else:
            columns = [block.time.tolist()]
            for k in range(len(self.layout.columns)):
                values = _whole(self.layout.values(block, k))
                mask = self.layout.left_out(block, k)
                columns.append((values if mask is None else _without(values, mask)).tolist())
            text = orjson.dumps(list(zip(*columns, strict=True)))
        return text[2:-2].replace(b"],[", b"\r\n").replace(b"null", b"") + b"\r\n"

    def _column(self, block: Block, k: int) -> Sequence[bytes]:
        values = self.layout.values(block, k)
        column = self.layout.columns[k]
        if column.type is Type.BINARY:
            return [value.hex().encode() for value in values]
        if column.bank is Bank.TEXT:
            return [quoted(value.decode("utf-8", "replace")).encode() for value in values]
        return _cells(_whole(values), self.layout.left_out(block, k))

    def close(self) -> None:
        """Closes the file."""
        self.file.close()


def _whole(values: Any) -> Any:
    """Booleans as 0 and 1."""
    return values.view(np.int8) if values.dtype == bool else values


def _without(values: Any, left_out: Any) -> Any:
    """Nothing where a value is left out."""
    cells = values.astype(object)
    cells[left_out] = None
    return cells


def _keep(file: BinaryIO, path: Path, header: bytes, rows: int) -> None:
    """Cuts a file behind so many rows; a text with line breaks is one cell, and so one row."""
    if file.readline() != header:
        raise InputError(f"{path} holds other columns than this run; record the same variables as before")
    quotes = 0
    while rows:
        line = file.readline()
        if not line:
            raise InputError(f"{path} has lost rows since the checkpoint was written; start the run anew")
        quotes += line.count(b'"')
        rows -= quotes % 2 == 0
    file.truncate()


def _cells(values: Any, left_out: Any) -> list[bytes]:
    """One text per number."""
    values = np.ascontiguousarray(values)
    cells = orjson.dumps(values, option=NUMPY)[1:-1].split(b",")
    if values.dtype.kind == "f":
        for k in np.flatnonzero(~np.isfinite(values)):
            cells[k] = NOT_FINITE[str(values[k])]
    if left_out is not None:
        for k in np.flatnonzero(left_out):
            cells[k] = b""
    return cells


def quoted(text: str) -> str:
    """A cell as RFC 4180 wants it.

    >>> quoted('say "hi", twice')
    '"say ""hi"", twice"'
    """
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
