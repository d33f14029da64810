"""Collects what is found while a system is put together."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from sspsim.structure import Diagnostic, Origin, Severity

MOST_NAMES = 5_000  # among more, looking for a similar one takes longer than people want to wait


class Report:
    """Findings in the order of their discovery, each once."""

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self._found: dict[Diagnostic, None] = {}

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything found so far."""
        return tuple(self._found)

    def add(self, severity: Severity, code: str, message: str, origin: Origin | None, hint: str = "") -> None:
        """Takes a finding in."""
        self._found[Diagnostic(code, severity, message, origin, hint)] = None

    def error(self, code: str, message: str, origin: Origin | None, hint: str = "") -> None:
        """A finding that forbids a simulation."""
        self.add(Severity.ERROR, code, message, origin, hint)

    def warning(self, code: str, message: str, origin: Origin | None, hint: str = "") -> None:
        """A finding that the user should know about."""
        self.add(Severity.WARNING, code, message, origin, hint)

    def info(self, code: str, message: str, origin: Origin | None, hint: str = "") -> None:
        """A finding that is no reason to worry."""
        self.add(Severity.INFO, code, message, origin, hint)

    def doubt(self, code: str, message: str, origin: Origin | None, hint: str = "") -> None:
        """A warning, or an error if the user wants to be strict."""
        self.add(Severity.ERROR if self.strict else Severity.WARNING, code, message, origin, hint)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint at the most similar known name, if there is one.

    >>> did_you_mean("heatr", ["heater", "room"])
    "did you mean 'heater'?"
    """
    names = list(known)
    if len(names) > MOST_NAMES:
        return ""
    by_lower_case = {n.lower(): n for n in reversed(names)}
    close = get_close_matches(name.lower(), by_lower_case, 1)
    return f"did you mean {by_lower_case[close[0]]!r}?" if close else ""


def listed(names: Iterable[str], most: int = 5) -> str:
    """Names for a message, not too many of them.

    >>> listed("abc", 2)
    "'a', 'b' and 1 more"
    """
    quoted = [repr(name) for name in names]
    more = f" and {len(quoted) - most} more" if len(quoted) > most else ""
    return ", ".join(quoted[:most]) + more
