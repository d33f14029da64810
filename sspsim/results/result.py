"""The result of a run in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.results.block import Block, Layout


class Result(Mapping[str, Any]):
    """Recorded variables by name: `result["component.variable"]`, `result.time`."""

    def __init__(self, time: NDArray[np.float64], values: dict[str, Any], statistics: dict[str, Any]) -> None:
        self.time = time
        self.values_by_name = values
        self.statistics = statistics

    def __getitem__(self, name: str) -> Any:
        return self.values_by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)


class MemorySink:
    """Keeps all rows."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.times: list[NDArray[np.float64]] = []
        self.columns: list[list[Any]] = [[] for _ in layout.columns]

    def write(self, block: Block) -> None:
        """Copies rows."""
        self.times.append(block.time.copy())
        for k, column in enumerate(self.columns):
            column.append(np.array(self.layout.values(block, k)))

    def close(self) -> None:
        """Nothing to do."""

    def result(self, statistics: dict[str, Any]) -> Result:
        """All rows as arrays."""
        if not self.times:
            return Result(np.empty(0), {c.name: np.empty(0) for c in self.layout.columns}, statistics)
        values = {c.name: np.concatenate(v) for c, v in zip(self.layout.columns, self.columns, strict=True)}
        return Result(np.concatenate(self.times), values, statistics)
