"""values.csv: RFC 4180, full double precision, readable up to the last portion whenever the run ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from sspsim.fmi.codes import Bank
from sspsim.plan import NO_SLOT
from sspsim.results.block import Block, Layout
from sspsim.structure import Type


class CsvSink:
    """Writes rows as they come.

    The numbers are formatted by orjson (shortest text that reads back as the same double), which is several times
    faster than Python's own way.
    """

    def __init__(self, path: Path, layout: Layout) -> None:
        self.layout = layout
        self.plain = all(
            (c.bank, c.factor, c.offset) == (Bank.REAL, 1.0, 0.0) and c.slot != NO_SLOT
            for c in layout.columns
        )
        self.file = path.open("wb")
        names = ["time", *(column.name for column in layout.columns)]
        self.file.write(",".join(map(quoted, names)).encode() + b"\r\n")

    def write(self, block: Block) -> None:
        """Appends rows and hands them to the operating system, so that a killed run leaves readable results."""
        if len(block.time) == 0:
            return
        if self.plain and np.isfinite(block.reals).all():
            text = orjson.dumps(block.reals, option=orjson.OPT_SERIALIZE_NUMPY)
            self.file.write(text[2:-2].replace(b"],[", b"\r\n") + b"\r\n")
        else:
            columns = [_cells(block.time)]
            columns += [self._column(block, k) for k in range(len(self.layout.columns))]
            self.file.write(b"".join(b",".join(row) + b"\r\n" for row in zip(*columns, strict=True)))
        self.file.flush()

    def _column(self, block: Block, k: int) -> Sequence[bytes]:
        values = self.layout.values(block, k)
        column = self.layout.columns[k]
        if column.type is Type.BINARY:
            return [value.hex().encode() for value in values]
        if column.bank is Bank.TEXT:
            return [quoted(value.decode("utf-8", "replace")).encode() for value in values]
        if column.type is Type.UINT64:
            values = values.view(np.uint64)
        return _cells(values)

    def close(self) -> None:
        """Closes the file."""
        self.file.close()


def _cells(values: Any) -> list[bytes]:
    """One text per number."""
    values = np.ascontiguousarray(values)
    cells = orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].split(b",")
    if values.dtype.kind == "f":
        for k in np.flatnonzero(~np.isfinite(values)):
            cells[k] = {"nan": b"NaN", "inf": b"INF", "-inf": b"-INF"}[str(values[k])]
    return cells


def quoted(text: str) -> str:
    """A cell as RFC 4180 wants it.

    >>> quoted('say "hi", twice')
    '"say ""hi"", twice"'
    """
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
