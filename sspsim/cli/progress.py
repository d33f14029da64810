"""How far a run has come, shown where somebody is looking."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter

PATIENCE = 1.0  # seconds without a word
PAUSE = 0.2


class Progress:
    """One line on the terminal that is overwritten; silent when it is not a terminal."""

    def __init__(self, show: Callable[[float], str], *, enabled: bool = True) -> None:
        """`show` writes points in time for people."""
        self.show = show
        self.enabled = enabled and sys.stderr.isatty()
        self.began = perf_counter()
        self.next = self.began + PATIENCE
        self.start, self.stop = 0.0, 1.0
        self.shown = False

    def span(self, start: float, stop: float) -> None:
        """Which times stand for 0 and 100 %."""
        self.start, self.stop = start, stop

    def at(self, t: float) -> None:
        """The run has come to t."""
        now = perf_counter()
        if not self.enabled or now < self.next:
            return
        self.next = now + PAUSE
        share = (t - self.start) / (self.stop - self.start)
        left = (now - self.began) * (1 - share) / share if share > 0 else 0.0
        print(
            f"\r{100 * share:5.1f} %  {self.show(t)}  {left:.0f} s left \x1b[K",
            end="",
            file=sys.stderr,
            flush=True,
        )
        self.shown = True

    def close(self) -> None:
        """Clears the line."""
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
