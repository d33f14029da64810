"""Writing rows in MasterSim's layout: 10 variables, 10,000 to 1,000,000 rows, and how the cost grows.

python benchmarks/output.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from sspsim.fmi.codes import Bank
from sspsim.plan import Column, Feed
from sspsim.results.block import Block, Layout
from sspsim.results.mastersim import ProgressSink, ValuesSink
from sspsim.structure import Type

VARIABLES = 10
PORTION = 4096


def seconds(rows: int, folder: Path) -> float:
    columns = tuple(Column(f"c.v{k}", Type.REAL, Feed(Bank.REAL, k)) for k in range(VARIABLES))
    layout = Layout.of(columns)
    reals = np.random.default_rng(1).normal(size=(PORTION, VARIABLES + 1)) * 100
    integers = np.zeros((PORTION, 0), dtype=np.int64)
    began = perf_counter()
    sinks = [
        ValuesSink(folder / "values.csv", layout, range(VARIABLES), "s"),
        ProgressSink(folder / "progress.txt", 0.0, rows * 0.1),
    ]
    for first in range(0, rows, PORTION):
        n = min(PORTION, rows - first)
        reals[:n, 0] = np.arange(first, first + n) * 0.1
        for sink in sinks:
            sink.write(Block(reals[:n], integers[:n], []))
    for sink in sinks:
        sink.close()
    return perf_counter() - began


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        seconds(PORTION, Path(folder))
        last = None
        for rows in (10_000, 100_000, 1_000_000):
            spent = seconds(rows, Path(folder))
            growth = f", {spent / last:.1f} times as long for 10 times the rows" if last else ""
            print(f"{rows:9} rows: {spent:.3f} s, {spent / rows * 1e6:.2f} us a row{growth}")
            last = spent


if __name__ == "__main__":
    main()
