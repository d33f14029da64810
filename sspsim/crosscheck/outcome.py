"""What came out of one case, and the files that the cross-check wants to see of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from sspsim.crosscheck.cases import Case
from sspsim.crosscheck.judge import Verdict
from sspsim.version import __version__

MARKERS = ("passed", "failed", "rejected")
RECORD = "outcome.json"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`rejected`: the FMU cannot be used on this machine at all; `failed`: it ran and was wrong, or broke."""

    case: str
    status: str
    reason: str = ""
    verdicts: tuple[Verdict, ...] = ()
    steps: int = 0
    seconds: float = 0.0

    @property
    def inside(self) -> float:
        """The worst share of samples inside the band."""
        return min((v.inside for v in self.verdicts), default=0.0)

    @property
    def wrms(self) -> float:
        """The worst norm."""
        return max((v.wrms for v in self.verdicts), default=float("inf"))


def result_folder(out: Path, case: Case) -> Path:
    """Where the results of a case belong in the layout of the cross-check."""
    importer = Path(case.fmi, case.type, case.platform, "sspsim", __version__)
    return out / importer / case.tool / case.tool_version / case.model


def write_outcome(case: Case, outcome: Outcome, folder: Path) -> None:
    """The marker file, a README with the numbers, and the same for programs."""
    folder.mkdir(parents=True, exist_ok=True)
    for marker in MARKERS:
        (folder / marker).unlink(missing_ok=True)
    (folder / "README.md").write_text(_readme(case, outcome), encoding="utf-8")
    (folder / RECORD).write_text(json.dumps(asdict(outcome)) + "\n", encoding="utf-8")
    (folder / outcome.status).write_text(f"sspsim {__version__}\n", encoding="utf-8")


def read_outcome(folder: Path) -> Outcome | None:
    """What an earlier run found, if it got to an end."""
    try:
        found = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not (folder / found["status"]).exists():
        return None
    return Outcome(**{**found, "verdicts": tuple(Verdict(**v) for v in found["verdicts"])})


def _readme(case: Case, outcome: Outcome) -> str:
    lines = [
        f"# {case.name}: {outcome.status}",
        "",
        f"Simulated with sspsim {__version__}, {outcome.steps} steps.",
    ]
    if outcome.reason:
        lines += ["", outcome.reason]
    if outcome.verdicts:
        lines += ["", "| signal | inside the band | WRMS | |", "|---|---|---|---|"]
        lines += [f"| {v.name} | {v.inside:.1%} | {v.wrms:.4g} | {v.remark} |" for v in outcome.verdicts]
    return "\n".join(lines) + "\n"
