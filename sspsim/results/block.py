"""A piece of a result: some rows of all recorded variables, and who receives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sspsim.fmi.codes import Bank
from sspsim.plan import NO_SLOT, Column


@dataclass(frozen=True, slots=True)
class Block:
    """Rows as the kernel keeps them: `reals` has the time first."""

    reals: NDArray[np.float64]
    integers: NDArray[np.int64]
    texts: Sequence[Sequence[bytes]]

    @property
    def time(self) -> NDArray[np.float64]:
        """The times of the rows."""
        return self.reals[:, 0]


class Sink(Protocol):
    """Receives the rows of a run in portions."""

    def write(self, block: Block) -> None:
        """Takes rows; the arrays are only lent."""

    def close(self) -> None:
        """No more rows will come."""


@dataclass(frozen=True, slots=True)
class Layout:
    """In which part of a block each column stands."""

    columns: tuple[Column, ...]
    positions: tuple[int, ...]

    @classmethod
    def of(cls, columns: tuple[Column, ...]) -> Layout:
        """Numbers the columns of each bank; the time is the first of the reals."""
        used = {Bank.REAL: 1, Bank.INTEGER: 0, Bank.TEXT: 0}
        positions = []
        for column in columns:
            positions.append(used[column.bank])
            used[column.bank] += column.slot != NO_SLOT
        return cls(columns, tuple(positions))

    def slots(self, bank: Bank) -> list[int]:
        """The slots to be recorded from one bank."""
        return [column.slot for column in self.columns if column.bank is bank and column.slot != NO_SLOT]

    def values(self, block: Block, k: int) -> Any:
        """The values of column k in a block: an array, or a list of bytes."""
        column, position = self.columns[k], self.positions[k]
        if column.slot == NO_SLOT:
            return _constant(column, len(block.time))
        if column.bank is Bank.TEXT:
            return [row[position] for row in block.texts]
        values: Any = block.integers if column.bank is Bank.INTEGER else block.reals
        return _changed(column, values[:, position])


def _constant(column: Column, rows: int) -> Any:
    """The same value in all rows; nothing known is a missing value."""
    if column.bank is Bank.TEXT:
        value = column.value if isinstance(column.value, bytes) else str(column.value).encode()
        return [value] * rows
    if column.value is None:
        return np.full(rows, np.nan)
    return np.full(rows, column.value, np.int64 if column.bank is Bank.INTEGER else np.float64)


def _changed(column: Column, values: NDArray[Any]) -> NDArray[Any]:
    """Through the table, then factor and offset."""
    original = values
    for source, target in column.table:
        values = np.where(original == source, target, values)
    if (column.factor, column.offset) == (1.0, 0.0):
        return values
    changed: NDArray[Any] = column.factor * values + column.offset
    return changed
