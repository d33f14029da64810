"""Runs a simulation with files behind it, and keeps what is left when it fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sspsim.errors import SspsimError
from sspsim.results.block import Layout, Sink
from sspsim.results.summary import Run


@dataclass
class Outcome:
    """How a run ended: statistics, (component, status, category, text) of messages, and what stopped it.

    `summary`: all that and what was run, for the files.
    """

    began: datetime
    statistics: dict[str, Any] = field(default_factory=dict)
    messages: list[tuple[str, int, str, str]] = field(default_factory=list)
    problem: BaseException | None = None
    summary: dict[str, Any] = field(default_factory=dict)

    @property
    def has_results(self) -> bool:
        """Whether the run came far enough to have any."""
        return bool(self.statistics)

    @property
    def interrupted(self) -> bool:
        """Whether somebody ended the run on its way: it has a result all the same."""
        return isinstance(self.problem, KeyboardInterrupt) and self.has_results

    @property
    def failure(self) -> BaseException | None:
        """What the caller has to be told."""
        return None if self.interrupted else self.problem


def execute(
    simulation: Run, sinks: Callable[[Layout], Sequence[Sink]], began: datetime | None = None
) -> Outcome:
    """From start to stop, or as far as it comes; errors and interruptions are part of the outcome."""
    outcome = Outcome(began or datetime.now(UTC))
    simulation.make_sinks = sinks
    try:
        with simulation:
            try:
                simulation.run()
            finally:
                outcome.statistics = simulation.statistics()
                outcome.messages = list(simulation.components.messages())
    except (SspsimError, KeyboardInterrupt) as stopped:
        outcome.problem = stopped
    return outcome
