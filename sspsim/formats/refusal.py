"""Files that cannot be used at all: an error that knows its findings, so that each has its code and place."""

from __future__ import annotations

from sspsim.errors import InputError
from sspsim.structure.diagnostic import Diagnostic, Origin, error

UNREADABLE = "V01"


class Refusal(InputError):
    """A file that is refused because of what was found in it."""

    def __init__(self, *findings: Diagnostic) -> None:
        super().__init__("\n".join(map(_sentence, findings)))
        self.findings = findings


def refusal(code: str, message: str, file: str, line: int = 0, hint: str = "") -> Refusal:
    """A file that is refused for one reason.

    >>> print(refusal("V29", "it is empty", "a.ssp", hint="pack it again"))
    a.ssp: it is empty; pack it again
    """
    return Refusal(error(code, message, Origin(file, line), hint))


def findings_of(
    problem: InputError, code: str = UNREADABLE, origin: Origin | None = None
) -> list[Diagnostic]:
    """What an error says as findings; `code` and `origin` are for one that does not know its own."""
    return list(problem.findings) if isinstance(problem, Refusal) else [error(code, str(problem), origin)]


def _sentence(finding: Diagnostic) -> str:
    hint = f"; {finding.hint}" if finding.hint else ""
    return f"{finding.origin}: {finding.message}{hint}"
