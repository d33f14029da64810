"""The step log: one line per attempted communication step."""

from __future__ import annotations

from pathlib import Path


class StepLog:
    """A csv file: time, step, iterations (most of any cycle), norm (greatest last one), error, outcome."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("w", encoding="utf-8", newline="")
        self.file.write("time,step,iterations,norm,error,outcome\r\n")

    def write(
        self, t: float, h: float, iterations: int, norm: float, error: float | None, outcome: str
    ) -> None:
        """Appends a line."""
        estimate = "" if error is None else repr(error)
        self.file.write(f"{t!r},{h!r},{iterations},{norm!r},{estimate},{outcome}\r\n")

    def close(self) -> None:
        """No more steps will come."""
        self.file.close()
