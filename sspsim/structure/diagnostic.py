"""What is found wrong or remarkable in input files; reading never stops at the first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Severity(IntEnum):
    """How much a finding matters; they compare by weight."""

    INFO = 0
    WARNING = 1
    ERROR = 2

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """A place in an input file."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: `file:line: severity[code]: message`, with a hint at what to do.

    >>> print(Diagnostic("V05", Severity.ERROR, "unknown element 'b'", Origin("a.ssd", 7), "did you mean 'B'?"))
    a.ssd:7: error[V05]: unknown element 'b' (did you mean 'B'?)
    """

    code: str
    severity: Severity
    message: str
    origin: Origin | None = None
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.origin}: " if self.origin else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.severity}[{self.code}]: {self.message}{hint}"


def error(code: str, message: str, origin: Origin | None = None, hint: str = "") -> Diagnostic:
    """A finding that forbids a simulation."""
    return Diagnostic(code, Severity.ERROR, message, origin, hint)


def warning(code: str, message: str, origin: Origin | None = None, hint: str = "") -> Diagnostic:
    """A finding that the user should know about."""
    return Diagnostic(code, Severity.WARNING, message, origin, hint)


def info(code: str, message: str, origin: Origin | None = None, hint: str = "") -> Diagnostic:
    """A finding that is no reason to worry."""
    return Diagnostic(code, Severity.INFO, message, origin, hint)
