"""values.parquet: small and quick to read.

A parquet file cannot be read before its end has been written. So each portion becomes a small file of its own
in `values.parquet.parts`, which any parquet reader takes as one table, and the end of the run puts them
together.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sspsim.errors import InputError
from sspsim.fmi.codes import Bank
from sspsim.plan import Column
from sspsim.results.block import Block, Layout
from sspsim.results.signal import Signal
from sspsim.structure import Type

GROUP_ROWS = 8192
KEY = b"sspsim"
SETTINGS: dict[str, Any] = {"compression": "zstd"}


def parts_of(path: Path) -> Path:
    """Where the portions of a run are kept until it ends."""
    return path.with_name(f"{path.name}.parts")


class ParquetSink:
    """Writes each portion of rows as a file, and puts them together at the end."""

    def __init__(self, path: Path, layout: Layout, run: dict[str, Any]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as parquet

        self.parquet = parquet
        self.path = path
        self.layout = layout
        self.parts = parts_of(path)
        self.count = 0
        reals = ["time", *(c.name for c in layout.columns if c.bank is Bank.REAL)]
        others = [c.name for c in layout.columns if c.bank is not Bank.REAL]
        # The bytes of doubles, sorted by significance, compress far better than doubles in a row.
        self.settings = {**SETTINGS, "use_dictionary": others, "use_byte_stream_split": reals}
        fields = [pa.field("time", pa.float64(), metadata={"unit": "s"})]
        fields += [pa.field(c.name, _arrow_type(pa, c), metadata=_described(c)) for c in layout.columns]
        self.schema = pa.schema(fields, metadata={KEY: json.dumps(run).encode()})
        path.unlink(missing_ok=True)
        self._begin()

    def _begin(self) -> None:
        """There is a folder with a table, even if an empty one, or there is none."""
        shutil.rmtree(self.parts, ignore_errors=True)
        finished, self.parts = self.parts, self.parts.with_name(f"{self.parts.name}.unfinished")
        shutil.rmtree(self.parts, ignore_errors=True)
        self.parts.mkdir(parents=True)
        self._add(self.schema.empty_table())
        self.parts = self.parts.rename(finished)

    def write(self, block: Block) -> None:
        """Takes a portion."""
        import pyarrow as pa

        columns = [pa.array(block.time)]
        columns += [self._column(pa, block, k) for k in range(len(self.layout.columns))]
        self._add(pa.Table.from_arrays(columns, schema=self.schema))

    def _add(self, table: Any) -> None:
        """A file is complete or not there: it gets its name when it is finished."""
        unfinished = self.parts / "unfinished"
        self.parquet.write_table(table, unfinished, **self.settings)
        unfinished.rename(self.parts / f"{self.count:06}.parquet")
        self.count += 1

    def _column(self, pa: Any, block: Block, k: int) -> Any:
        column = self.layout.columns[k]
        values = self.layout.values(block, k)
        if column.bank is Bank.TEXT and column.type is not Type.BINARY:
            values = [value.decode("utf-8", "replace") for value in values]
        return pa.array(values, type=self.schema.field(k + 1).type, mask=self.layout.left_out(block, k))

    def close(self) -> None:
        """One file for all portions; they are removed when it is complete."""
        import pyarrow as pa

        unfinished = self.parts / "unfinished"
        with self.parquet.ParquetWriter(unfinished, self.schema, **self.settings) as writer:
            for table in self._groups():
                writer.write_table(table, row_group_size=GROUP_ROWS)
                pa.default_memory_pool().release_unused()  # else memory grows with the length of the run
        unfinished.rename(self.path)
        shutil.rmtree(self.parts, ignore_errors=True)

    def _groups(self) -> Iterator[Any]:
        """The portions, a few at a time."""
        import pyarrow as pa

        waiting: list[Any] = []
        for part in _part_files(self.parts):
            waiting.append(self.parquet.read_table(part, schema=self.schema))
            if sum(table.num_rows for table in waiting) >= GROUP_ROWS:
                yield pa.concat_tables(waiting)
                waiting = []
        if waiting:
            yield pa.concat_tables(waiting)


def _part_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))


def _arrow_type(pa: Any, column: Column) -> Any:
    if column.bank is Bank.REAL:
        return pa.float64()
    if column.bank is Bank.TEXT:
        return pa.binary() if column.type is Type.BINARY else pa.string()
    exact = {Type.BOOLEAN: pa.bool_(), Type.UINT64: pa.uint64()}
    return exact.get(column.type, pa.int64())


def _described(column: Column) -> dict[str, str]:
    return {"type": str(column.type), "unit": column.unit or "", "description": column.description}


def read_parquet(path: Path) -> tuple[dict[str, Any], dict[str, Signal], dict[str, Any]]:
    """Columns (the time first), what is known about them, and the run; of a file or a killed run's parts.

    Values that were left out are masked.
    """
    import pyarrow as pa
    import pyarrow.parquet as parquet

    files = _part_files(path) if path.is_dir() else [path]
    try:
        table = pa.concat_tables([parquet.read_table(file) for file in files])
    except (OSError, pa.ArrowException) as problem:
        raise InputError(f"{path}: no readable parquet file: {problem}") from None
    columns = {name: _numpy(table.column(name)) for name in table.column_names}
    signals = {field.name: _signal(field) for field in table.schema}
    run = json.loads((table.schema.metadata or {}).get(KEY, b"{}"))
    return columns, signals, run


def _numpy(column: Any) -> Any:
    if str(column.type) in ("string", "large_string"):
        return np.array(column.fill_null("").to_pylist(), dtype=str)
    if not column.null_count:
        return column.to_numpy()
    mask = column.is_null().to_numpy()
    filler = False if str(column.type) == "bool" else 0
    return np.ma.MaskedArray(column.fill_null(filler).to_numpy(), mask)


def _signal(field: Any) -> Signal:
    known = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
    type_ = Type(known["type"]) if known.get("type") else Type.REAL
    return Signal(field.name, type_, known.get("unit") or None, known.get("description", ""))
