"""How far a run has come, shown where somebody is looking, and how to end it early."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any, Protocol

PATIENCE = 1.0  # seconds without a word
PAUSE = 0.1


class Run(Protocol):
    """What is watched."""

    start: float
    stop: float
    next_step: float


class Progress:
    """A bar with simulated time, speed, step size and remaining time; silent when it is not a terminal.

    What draws it is loaded when it is shown for the first time: a short run does not pay for it. Ctrl-C, or the
    SIGTERM of batch systems, ends the run at its next communication point, so that no file is left half written;
    a second one ends it at once.
    """

    def __init__(self, show: Callable[[float], str], *, enabled: bool = True) -> None:
        """`show` writes points in time for people."""
        self.show = show
        self.enabled = enabled and sys.stderr.isatty()
        self.began = perf_counter()
        self.next = self.began + PATIENCE
        self.run: Run | None = None
        self.bar: Any = None
        self.task: Any = None
        self.interrupted = 0  # the number of the signal that ends the run
        self.handlers: dict[int, Any] = {}

    def watch(self, run: Run) -> None:
        """Whose times stand for 0 and 100 %; from now on Ctrl-C is for this run."""
        self.run = run
        for number in (signal.SIGINT, signal.SIGTERM):
            self.handlers[number] = signal.signal(number, self._interrupt)

    def _interrupt(self, number: int, _frame: object) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = number

    def at(self, t: float) -> None:
        """The run has come to t."""
        if self.interrupted:
            raise KeyboardInterrupt
        now = perf_counter()
        if not self.enabled or now < self.next or self.run is None:
            return
        self.next = now + PAUSE
        if self.bar is None:
            self._show()
        self.bar.update(self.task, completed=t - self.run.start, **self._words(t, now - self.began))

    def _words(self, t: float, wall: float) -> dict[str, str]:
        assert self.run is not None
        speed = (t - self.run.start) / wall
        return {
            "time": f"t = {self.show(t)}",
            "speed": f"{speed:,.0f} x real time" if speed >= 10 else f"{speed:.2g} x real time",
            "step": f"step {self.run.next_step:.3g} s",
        }

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        assert self.run is not None
        fields = [TextColumn(f"{{task.fields[{name}]}}") for name in ("time", "speed", "step")]
        columns = (BarColumn(), TaskProgressColumn(), *fields, TimeRemainingColumn(), TextColumn("left"))
        self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
        words = self._words(self.run.start, 1.0)
        self.task = self.bar.add_task("", total=self.run.stop - self.run.start, **words)
        self.bar.start()

    def close(self) -> None:
        """Clears the line, and lets Ctrl-C do what it did before."""
        for number, handler in self.handlers.items():
            signal.signal(number, handler)
        self.handlers = {}
        if self.bar is not None:
            self.bar.stop()
            self.bar = None
