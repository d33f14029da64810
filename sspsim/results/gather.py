"""Gathers small portions of rows into pieces that are worth a file or a compression."""

from __future__ import annotations

from time import monotonic

import numpy as np

from sspsim.results.block import Block, Sink

ROWS = 4096
SECONDS = 10.0  # what a killed run may lose


class Gather:
    """Hands rows on when there are many of them, or when the first of them has waited long enough."""

    def __init__(self, sink: Sink, rows: int = ROWS, seconds: float = SECONDS) -> None:
        self.sink = sink
        self.rows = rows
        self.seconds = seconds
        self.waiting: list[Block] = []
        self.since = 0.0

    def write(self, block: Block) -> None:
        """Takes rows and hands them on if it is time."""
        if not self.waiting:
            self.since = monotonic()
        self.waiting.append(
            Block(
                block.reals.copy(),
                block.integers.copy(),
                list(block.texts),
                block.left_out_reals,
                block.left_out_integers,
            )
        )
        full = sum(b.rows for b in self.waiting) >= self.rows
        if full or monotonic() - self.since >= self.seconds:
            self.flush()

    def flush(self) -> None:
        """Hands on what there is."""
        if self.waiting:
            self.sink.write(joined(self.waiting))
            self.waiting = []

    def close(self) -> None:
        """Hands the rest on."""
        self.flush()
        self.sink.close()


def joined(blocks: list[Block]) -> Block:
    """Several blocks, either all of them compressed or none, as one."""
    if len(blocks) == 1:
        return blocks[0]
    reals = [b.left_out_reals for b in blocks if b.left_out_reals is not None]
    integers = [b.left_out_integers for b in blocks if b.left_out_integers is not None]
    return Block(
        np.concatenate([b.reals for b in blocks]),
        np.concatenate([b.integers for b in blocks]),
        [row for b in blocks for row in b.texts],
        np.concatenate(reals) if reals else None,
        np.concatenate(integers) if integers else None,
    )
