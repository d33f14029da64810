"""The step log: one line per attempted communication step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sspsim.masters.stepping import StepErrors


@dataclass(frozen=True, slots=True)
class Attempt:
    """A communication step that was tried from `time` on; `norm` is the greatest last one of any cycle."""

    time: float
    step: float
    iterations: int  # most of any cycle
    norm: float
    errors: StepErrors | None
    outcome: str


class AttemptSink(Protocol):
    """Wants to know about attempted steps."""

    def write(self, attempt: Attempt) -> None:
        """Takes one."""

    def close(self) -> None:
        """No more steps will come."""


class StepLog:
    """A csv file: time, step, iterations, norm, error, outcome."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("w", encoding="utf-8", newline="")
        self.file.write("time,step,iterations,norm,error,outcome\r\n")

    def write(self, attempt: Attempt) -> None:
        """Appends a line."""
        a = attempt
        error = "" if a.errors is None else repr(max(a.errors))
        self.file.write(f"{a.time!r},{a.step!r},{a.iterations},{a.norm!r},{error},{a.outcome}\r\n")

    def close(self) -> None:
        """No more steps will come."""
        self.file.close()
