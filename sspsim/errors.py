"""The one small family of exceptions that sspsim raises.

The text of every error says what happened, where (file:line, or component.variable and time) and what to do.
"""

from __future__ import annotations


class SspsimError(Exception):
    """Base of all errors that sspsim raises on purpose."""


class InputError(SspsimError):
    """The input files cannot be used: not found, not readable, or contradictory."""


class UsageError(SspsimError):
    """The request itself makes no sense: an unknown variable, a negative step, an impossible combination."""


class SimulationError(SspsimError):
    """A run failed; the results up to `time` are kept."""

    def __init__(self, message: str, *, component: str = "", time: float | None = None) -> None:
        super().__init__(message)
        self.component = component
        self.time = time


class StepDiscarded(SimulationError):
    """A component refused the step (fmi2Discard, early return): a smaller one may succeed."""
