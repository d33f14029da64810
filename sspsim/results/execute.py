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
    """How a run ended: statistics, (component, status, category, text) of messages, and what stopped it."""

    began: datetime
    statistics: dict[str, Any] = field(default_factory=dict)
    messages: list[tuple[str, int, str, str]] = field(default_factory=list)
    problem: BaseException | None = None

    @property
    def failure(self) -> BaseException | None:
        """What the caller has to be told; a run that was interrupted on its way has a result all the same."""
        on_its_way = isinstance(self.problem, KeyboardInterrupt) and self.statistics
        return None if on_its_way else self.problem


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
