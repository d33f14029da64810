"""MasterSim's log/stepstats.tsv: a line per communication step, with counts since the start."""

from __future__ import annotations

from pathlib import Path

from sspsim.masters.step_log import Attempt
from sspsim.results.mastersim import failed_error_tests
from sspsim.results.summary import Run

COLUMNS = {
    "Time [s]": 14,
    "Steps": 10,
    "StepSize [s]": 14,
    "AlgorithmCalls": 18,
    "ErrorTestFails": 18,
    "ConvergenceFails": 18,
    "Iterations": 12,
    "IterLimitExceeded": 18,
    "FMUErrors": 12,
    "ErrorNormRichardson": 18,
    "ErrorNormSlopeCheck": 18,
}
UNTESTED = (1.0, 1.0)
"""What MasterSim writes where there is no error test."""


class StepStatistics:
    """An attempt waits for the next one: only the last one from the same time led on."""

    def __init__(self, path: Path, run: Run) -> None:
        self.run = run
        self.calls = 0
        self.waiting: tuple[float, str] | None = None
        self.file = path.open("w", encoding="utf-8", newline="\n")
        self.file.write("\t".join(f"{title:{width}}" for title, width in COLUMNS.items()) + "\n")

    def write(self, attempt: Attempt) -> None:
        """Takes an attempt; one with an error test consists of a full step and two half steps."""
        self._pass_on(attempt.time)
        self.calls += 1 if attempt.errors is None else 3
        self.waiting = attempt.time, self._line(attempt)

    def close(self) -> None:
        """No more steps will come."""
        self._pass_on(self.run.time)
        self.file.close()

    def _pass_on(self, time: float) -> None:
        if self.waiting and self.waiting[0] < time:
            self.file.write(self.waiting[1])

    def _line(self, attempt: Attempt) -> str:
        run, counts = self.run, self.run.counts
        errors = attempt.errors or UNTESTED
        values = (
            attempt.time + attempt.step,
            run.steps + 1,
            attempt.step,
            self.calls,
            failed_error_tests(counts),
            counts["shortened_steps"],
            sum(cycle.passes for cycle in run.cycles),
            counts["iteration_limits"],
            counts["discarded_steps"],
            *errors,
        )
        cells = (f"{_digits(value):{width}}" for value, width in zip(values, COLUMNS.values(), strict=True))
        return "".join(f"{cell}\t" for cell in cells) + "\n"


def _digits(value: float) -> str:
    """Counts in full, everything else with 6 significant digits."""
    return str(value) if isinstance(value, int) else f"{value:g}"
