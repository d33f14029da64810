"""Rows as a run would hand them on, made from plain columns."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from sspsim.fmi.codes import Bank
from sspsim.plan import Column, Feed
from sspsim.results.block import Block, Layout
from sspsim.structure import Type

BANKS = {Type.STRING: Bank.TEXT, Type.BINARY: Bank.TEXT, Type.REAL: Bank.REAL}


def column(name: str, type_: Type = Type.REAL, **more: Any) -> Column:
    return Column(name, type_, Feed(BANKS.get(type_, Bank.INTEGER), 0), **more)


def rows(time: Any, columns: Mapping[Column, Any]) -> tuple[Layout, Block]:
    """The layout and one block with everything in it."""
    layout = Layout.of(tuple(columns))
    n = len(time)
    by_bank: dict[Bank, list[Any]] = {
        bank: [v for c, v in columns.items() if c.bank is bank] for bank in Bank
    }
    reals = np.column_stack([np.asarray(time, dtype=float), *by_bank[Bank.REAL]])
    integers = np.column_stack([np.empty((n, 0), np.int64), *by_bank[Bank.INTEGER]]).astype(np.int64)
    texts = [list(row) for row in zip(*by_bank[Bank.TEXT], strict=True)]
    return layout, Block(reals, integers, texts)


def cut(block: Block, *places: int) -> list[Block]:
    """The same rows in portions."""
    edges = [0, *places, block.rows]
    return [Block(block.reals[a:b], block.integers[a:b], block.texts[a:b]) for a, b in pairwise(edges)]
