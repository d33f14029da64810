"""Rows on their way from the kernel to the files, and signs of life."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from sspsim.results.block import Layout, Sink

REPORT_SECONDS = 0.1  # between two signs of life


class Output:
    """Hands rows on in portions: when the kernel is full, and from time to time, so that a killed run leaves
    them.
    """

    def __init__(self, layout: Layout, progress: Callable[[float], None], rows: int) -> None:
        """`rows`: handed on so far, by a run that this one resumes."""
        self.layout = layout
        self.progress = progress
        self.rows = rows
        self.seconds = 0.0
        self.seen = 0.0  # when the last sign of life was given

    def open(self, recorder: Any, sinks: Sequence[Sink]) -> None:
        """Where the rows come from, and where they go."""
        self.recorder = recorder
        self.sinks = sinks

    def record(self, t: float, extrapolate: int = 0) -> None:
        """Keeps a row."""
        if self.recorder.record(t, extrapolate):
            self.flush()

    def flush(self) -> None:
        """Hands the rows on that are in the kernel."""
        rows, n = self.recorder, len(self.recorder)
        if not n:
            return
        began = perf_counter()
        self.rows += n
        block = self.layout.block(rows.real_rows[:n], rows.integer_rows[:n], rows.text_rows)
        for sink in self.sinks:
            sink.write(block)
        rows.clear()
        self.seconds += perf_counter() - began

    def show_life(self, t: float) -> None:
        """From time to time tells how far the run is and hands rows on."""
        now = perf_counter()
        if now - self.seen > REPORT_SECONDS:
            self.seen = now
            self.progress(t)
            self.flush()

    def close(self) -> None:
        """The last rows; no more will come."""
        self.flush()
        for sink in self.sinks:
            sink.close()
