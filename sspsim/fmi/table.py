"""Tables as components: csv files whose columns are outputs over time.

The first column is the time. The first line has the captions, `name [unit]`. Cells are separated by tabs,
semicolons or commas, and may be quoted. An empty cell says nothing: reals are interpolated over it, integers
and booleans are held; for a text it is the empty text.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.fmi.description import Description, Interface, Unknown, Variable
from sspsim.structure import Diagnostic, Origin, Type
from sspsim.structure.diagnostic import error, warning
from sspsim.structure.time import TIME_UNITS, to_seconds

NO_TABLE, CELLS, NUMBER, TIME, TIME_UNIT, CAPTION, TYPE = "T01", "T02", "T03", "T04", "T05", "T06", "T07"
SEPARATORS = "\t;,"
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # spreadsheets write it as "Unicode text"
MAX_FINDINGS = 10
"""Of one kind in one column; a table that is wrong everywhere is not worth a million lines."""

_CAPTION = re.compile(r"(.*)\[([^\[\]]*)\][^\[\]]*", re.DOTALL)
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?\s*")
_TRUTH = {"true": "1", "false": "0"}
_NUMERIC = {Type.REAL, Type.FLOAT64, Type.INTEGER, Type.INT32, Type.BOOLEAN, Type.ENUMERATION}


@dataclass(frozen=True, slots=True)
class Column:
    """A caption and the cells below it."""

    name: str
    unit: str | None
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """What a file says; `lines` tells where each row comes from."""

    file: str
    times: NDArray[np.float64]
    columns: tuple[Column, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """A column as values of one type over time: float64, int32 or a list of bytes."""

    times: NDArray[np.float64]
    values: Any


_NOTHING = Series(np.zeros(1), np.zeros(1))  # for columns that forbid a run anyway


@dataclass(frozen=True)
class TableDescription(Description):
    """A table as if it were an FMU without inputs; `series[k]` belongs to value reference k."""

    series: tuple[Series, ...] = ()


def read(data: bytes, file: str) -> tuple[Table, list[Diagnostic]]:
    """The table in `data`; `file` only serves the messages."""
    findings: list[Diagnostic] = []
    text = data.decode("utf-16" if data.startswith(UTF_16) else "utf-8-sig", errors="replace")
    if "\ufffd" in text:
        findings.append(
            warning(NO_TABLE, "the table is not UTF-8; odd characters are replaced", Origin(file))
        )
    rows = _rows(text, file, findings)
    if len(rows) < 2:
        if not findings:
            findings.append(
                error(NO_TABLE, "no table: a line of captions and a row are needed", Origin(file))
            )
        return Table(file, np.empty(0), (), ()), findings
    captions = [_caption(caption) for caption in rows[0][1]]
    lines = tuple(line for line, _ in rows[1:])
    cells = list(zip(*(row for _, row in rows[1:]), strict=True))
    times = _times(cells[0], lines, captions[0][1], file, findings)
    columns = tuple(_columns(captions[1:], cells[1:], rows[0][0], file, findings))
    return Table(file, times, columns, lines), findings


def _rows(text: str, file: str, findings: list[Diagnostic]) -> list[tuple[int, list[str]]]:
    """The lines that are not empty, as cells, each with its number; those of a wrong length are left out."""
    separator = _separator(text)
    if not separator:
        message = "no table: the first line has no captions separated by tabs, semicolons or commas"
        findings.append(error(NO_TABLE, message, Origin(file, 1)))
        return []
    reader = _reader(_lines(text), separator, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as problem:
        message = f"no table: {problem}"
        findings.append(error(NO_TABLE, message, Origin(file, reader.line_num), "is a quote not closed?"))
        return []
    width = len(rows[0][1])
    wrong = [(line, len(row)) for line, row in rows if len(row) != width]
    for line, count in wrong[:MAX_FINDINGS]:
        hint = "is there a decimal comma? write a point" if separator == "," else ""
        findings.append(error(CELLS, f"{count} cells instead of {width}", Origin(file, line), hint))
    return [(line, row) for line, row in rows if len(row) == width]


def _lines(text: str) -> StringIO:
    """The lines as editors number them; str.splitlines would also cut at odd characters inside of texts."""
    return StringIO(text, newline="")


def _separator(text: str) -> str:
    """What cuts the first two lines into equally many cells; else what cuts the first one at all."""
    first = [line for line in islice(_lines(text), 20) if line.strip()][:2]
    if not first:
        return ""
    counts = {s: [_count(line, s) for line in first] for s in SEPARATORS}
    for separator, (captions, *cells) in counts.items():
        if captions > 1 and cells == [captions]:
            return separator
    return next((s for s, count in counts.items() if count[0] > 1), "")


def _count(line: str, separator: str) -> int:
    try:
        return len(next(_reader([line], separator)))
    except csv.Error:
        return 0  # which will be said when the line is read


def _reader(lines: Iterable[str], separator: str, *, strict: bool = False) -> Any:
    return csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=strict)


def _caption(caption: str) -> tuple[str, str | None]:
    """Name and unit.

    >>> _caption(" wind speed [m/s] "), _caption("v")
    (('wind speed', 'm/s'), ('v', None))
    """
    match = _CAPTION.fullmatch(caption)
    return (match[1].strip(), match[2].strip() or None) if match else (caption.strip(), None)


def _times(
    cells: Sequence[str], lines: Sequence[int], unit: str | None, file: str, findings: list[Diagnostic]
) -> NDArray[np.float64]:
    if unit is not None and unit not in TIME_UNITS:
        message = f"{unit!r} is no unit of time"
        findings.append(error(TIME_UNIT, message, Origin(file, 1), f"use one of {', '.join(TIME_UNITS)}"))
        unit = "s"
    values = _numbers(cells, lines, "the time", file, findings)
    times = np.array([to_seconds(value, unit or "s") for value in values])
    gaps = np.flatnonzero(np.isnan(times))
    back = np.flatnonzero(np.diff(times) < 0) + 1
    for k in [*gaps[: MAX_FINDINGS * (not findings)], *back[:MAX_FINDINGS]]:
        message = (
            "a row without a time" if np.isnan(times[k]) else f"the time goes back to {cells[k].strip()}"
        )
        findings.append(error(TIME, message, Origin(file, lines[k]), "sort the rows by time"))
    return times


def _columns(
    captions: Sequence[tuple[str, str | None]],
    cells: Sequence[tuple[str, ...]],
    line: int,
    file: str,
    findings: list[Diagnostic],
) -> Iterator[Column]:
    seen: set[str] = set()
    for (name, unit), column in zip(captions, cells, strict=True):
        if not name and not any(cell.strip() for cell in column):
            continue  # a separator at the end of every line
        if not name or name in seen:
            message = f"the caption {name!r} occurs twice" if name else "a column without a caption"
            findings.append(
                error(CAPTION, message, Origin(file, line), "give every column a name of its own")
            )
            continue
        seen.add(name)
        yield Column(name, unit, column)


def _numbers(
    cells: Sequence[str], lines: Sequence[int], what: str, file: str, findings: list[Diagnostic]
) -> NDArray[np.float64]:
    """The numbers of a column, NaN for empty cells."""
    try:
        values = np.array(cells, dtype=np.float64)
        if np.isfinite(values).all() and not any("_" in cell for cell in cells):
            return values
    except ValueError:
        pass  # something is empty or wrong: now cell by cell
    values = np.full(len(cells), np.nan)
    wrong = 0
    for k, cell in enumerate(cells):
        if _NUMBER.fullmatch(cell):
            values[k] = float(cell)
        elif cell.strip() and (wrong := wrong + 1) <= MAX_FINDINGS:
            findings.append(_not_a_number(cell, what, Origin(file, lines[k])))
    return values


def _not_a_number(cell: str, what: str, place: Origin) -> Diagnostic:
    if _DECIMAL_COMMA.fullmatch(cell):
        hint = f"write a decimal point: {cell.strip().replace(',', '.')}"
        return error(NUMBER, f"{what}: {cell.strip()!r} has a decimal comma", place, hint)
    return error(NUMBER, f"{what}: {cell.strip()!r} is not a number", place)


# ---- as a component


def describe(table: Table, types: Mapping[str, Type | None]) -> tuple[TableDescription, list[Diagnostic]]:
    """The table as a component with the named columns as outputs, or all; None: Real, or String for texts."""
    findings: list[Diagnostic] = []
    there = {column.name: column for column in table.columns}
    there = there or {name: Column(name, None, ()) for name in types}  # no table: that has been said
    columns = [there[name] for name in types or there if name in there]
    chosen = [types.get(column.name) or natural_type(column) for column in columns]
    variables = tuple(
        Variable(
            column.name,
            k,
            type_,
            causality="output",
            variability="continuous" if type_.is_real else "discrete",
            unit=column.unit if type_.is_real else None,
        )
        for k, (column, type_) in enumerate(zip(columns, chosen, strict=True))
    )
    series = tuple(_series(table, c, t, findings) for c, t in zip(columns, chosen, strict=True))
    description = TableDescription(
        fmi=2,
        name=table.file,
        guid="",
        variables=variables,
        co_simulation=Interface("table", rollback=True, serialize=True, variable_step=True),
        outputs=tuple(Unknown(variable.name, ()) for variable in variables),
        series=series,
    )
    return description, findings


def natural_type(column: Column) -> Type:
    """Real, or String if there is any text."""
    numbers = all(not cell.strip() or _NUMBER.fullmatch(cell) for cell in column.cells)
    return Type.REAL if numbers else Type.STRING


def _series(table: Table, column: Column, type_: Type, findings: list[Diagnostic]) -> Series:
    what = f"column {column.name!r}"
    if not column.cells:
        return _NOTHING
    if type_ is Type.STRING:
        return Series(table.times, [cell.encode() for cell in column.cells])
    if type_ not in _NUMERIC:
        findings.append(error(TYPE, f"{what}: a table has no values of type {type_}", Origin(table.file)))
        return _NOTHING
    if not any(cell.strip() for cell in column.cells):
        findings.append(error(NUMBER, f"{what} has no values", Origin(table.file)))
        return _NOTHING
    cells: Sequence[str] = column.cells
    if type_ is Type.BOOLEAN:
        cells = with_truth_as_numbers(column).cells
    numbers = _numbers(cells, table.lines, what, table.file, findings)
    rows = np.flatnonzero(~np.isnan(numbers))
    if not len(rows):
        return _NOTHING
    if not type_.is_real:
        numbers = _whole(numbers, table, what, type_, findings)
    return Series(table.times[rows], numbers[rows] if type_.is_real else numbers[rows].astype(np.int32))


def with_truth_as_numbers(column: Column) -> Column:
    """The column with 1 and 0 for true and false."""
    return replace(column, cells=tuple(_TRUTH.get(cell.strip().lower(), cell) for cell in column.cells))


def _whole(
    numbers: NDArray[np.float64], table: Table, what: str, type_: Type, findings: list[Diagnostic]
) -> NDArray[np.float64]:
    """Truncated to whole numbers, or to 0 and 1; what that changes is reported."""
    kept = np.sign(np.abs(numbers)) if type_ is Type.BOOLEAN else np.trunc(numbers)
    kept = np.clip(kept, -(2**31), 2**31 - 1)
    changed = np.flatnonzero((kept != numbers) & ~np.isnan(numbers))
    if len(changed):
        k = changed[0]
        message = f"{what}: {numbers[k]:g} is taken as {type_} {kept[k]:g}"
        place = Origin(table.file, table.lines[k])
        findings.append(warning(TYPE, message, place, f"{len(changed)} such cells"))
    return kept
