"""The step log: one line per attempted communication step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sspsim.masters.stepping import StepErrors

HEADING = "time,step,iterations,norm,error,outcome\r\n"


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

    def __init__(self, path: Path, resumed_at: float | None = None) -> None:
        """`resumed_at`: the lines of steps before that time stay, others will be written anew."""
        kept = [] if resumed_at is None else list(_lines_before(path, resumed_at))
        self.file = path.open("w", encoding="utf-8", newline="")
        self.file.writelines([HEADING, *kept])

    def write(self, attempt: Attempt) -> None:
        """Appends a line."""
        a = attempt
        error = "" if a.errors is None else repr(max(a.errors))
        self.file.write(f"{a.time!r},{a.step!r},{a.iterations},{a.norm!r},{error},{a.outcome}\r\n")

    def close(self) -> None:
        """No more steps will come."""
        self.file.close()


def _lines_before(path: Path, time: float) -> Iterator[str]:
    """None if there is no such file: the run before may have had no log."""
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            if line.count(",") == HEADING.count(",") and float(line.split(",")[0]) < time:
                yield f"{line}\r\n"
