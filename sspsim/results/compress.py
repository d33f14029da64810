"""Compressed output: leaves out what a reader gets back by straight lines, or by holding the last value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sspsim.errors import UsageError
from sspsim.results.block import Block, Mask, Sink
from sspsim.results.thinning import needed_points


@dataclass(frozen=True, slots=True)
class Compression:
    """How far a value may be from the straight line that stands for it: rtol*|value| + atol."""

    rtol: float = 1e-4
    atol: float = 1e-6

    def __post_init__(self) -> None:
        if not (self.rtol >= 0 and self.atol > 0):
            raise UsageError(
                "compressed output needs a relative tolerance of at least 0 and an absolute one above 0, "
                f"not {self.rtol} and {self.atol}"
            )


class Compressed:
    """Hands rows on without the values that are not needed, and drops rows in which none is needed.

    Every signal is treated on its own. Whole numbers and booleans are kept where they change; a text stands
    in every row, since an empty cell could be one. The last row of each portion is complete, so that what has
    been written can be read without what follows.
    """

    def __init__(self, sink: Sink, compression: Compression) -> None:
        self.sink = sink
        self.compression = compression

    def write(self, block: Block) -> None:
        """Takes a portion of rows; the more, the better the compression."""
        needed = needed_points(
            np.ascontiguousarray(block.reals), self.compression.rtol, self.compression.atol
        )
        needed_integers = changes(block.integers)
        rows = needed[:, 1:].any(axis=1) | needed_integers.any(axis=1)
        if block.texts:
            rows |= [k == 0 or row != block.texts[k - 1] for k, row in enumerate(block.texts)]
        self.sink.write(
            Block(
                block.reals[rows],
                block.integers[rows],
                [block.texts[k] for k in np.flatnonzero(rows).tolist()] if block.texts else [],
                ~needed[rows],
                ~needed_integers[rows],
            )
        )

    def close(self) -> None:
        """Nothing is held back."""
        self.sink.close()


def changes(values: np.ndarray) -> Mask:
    """True where a value differs from the one above it, and in the first and last row."""
    changed = np.ones(values.shape, dtype=bool)
    changed[1:-1] = values[1:-1] != values[:-2]
    return changed
