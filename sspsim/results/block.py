"""A piece of a result: some rows of all recorded variables, and who receives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sspsim.fmi.codes import Bank
from sspsim.plan import Column, Feed
from sspsim.structure import Type

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Block:
    """Rows as the kernel keeps them: `reals` has the time first.

    In compressed rows `left_out_reals` and `left_out_integers` are True where a value is left out.
    """

    reals: NDArray[np.float64]
    integers: NDArray[np.int64]
    texts: Sequence[Sequence[bytes]]
    left_out_reals: Mask | None = None
    left_out_integers: Mask | None = None

    @property
    def time(self) -> NDArray[np.float64]:
        """The times of the rows."""
        return self.reals[:, 0]

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.reals)


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
            used[column.bank] += 1
        return cls(columns, tuple(positions))

    def feeds(self, bank: Bank) -> list[Feed]:
        """Where the columns of one bank come from."""
        return [column.feed for column in self.columns if column.bank is bank]

    def block(
        self, reals: NDArray[np.float64], integers: NDArray[np.int64], texts: Sequence[Sequence[bytes]]
    ) -> Block:
        """The rows without spare columns."""
        return Block(reals, integers[:, : len(self.feeds(Bank.INTEGER))], texts)

    def values(self, block: Block, k: int) -> Any:
        """The values of column k in a block: an array of its own type, or a list of bytes."""
        column, position = self.columns[k], self.positions[k]
        if column.bank is Bank.TEXT:
            return [row[position] for row in block.texts]
        if column.bank is Bank.REAL:
            return block.reals[:, position]
        values = block.integers[:, position]
        if column.type is Type.BOOLEAN:
            return values != 0
        return values.view(np.uint64) if column.type is Type.UINT64 else values

    def left_out(self, block: Block, k: int) -> Mask | None:
        """Where a number of column k is left out, if any may be."""
        masks = {Bank.REAL: block.left_out_reals, Bank.INTEGER: block.left_out_integers}
        mask = masks.get(self.columns[k].bank)
        return None if mask is None else mask[:, self.positions[k]]
