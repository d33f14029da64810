"""The overview of a cross-check: counts per exporting tool, and one line per case, as csv and html."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from sspsim.crosscheck.outcome import MARKERS, Outcome
from sspsim.version import __version__

FIELDS = ("case", "status", "inside", "wrms", "steps", "seconds", "reason")

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; }
td, th { padding: .25rem .7rem; border-bottom: 1px solid #ddd; }
td.number { text-align: right; font-variant-numeric: tabular-nums; } th { text-align: left; }
.passed { color: #176b2c; } .failed { color: #b3261e; } .rejected { color: #7a6000; }
"""


def counts_by_tool(outcomes: Sequence[Outcome]) -> list[tuple[str, Counter[str]]]:
    """How many cases of each tool (with FMI version and type) passed, failed and were rejected."""
    found: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.case.rpartition("/")[0], Counter())[outcome.status] += 1
    return sorted(found.items())


def write_overview(outcomes: Sequence[Outcome], out: Path) -> None:
    """overview.csv and overview.html in the folder of the results."""
    out.mkdir(parents=True, exist_ok=True)
    with (out / "overview.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        writer.writerows([getattr(outcome, field) for field in FIELDS] for outcome in outcomes)
    (out / "overview.html").write_text(_html(outcomes), encoding="utf-8")


def _html(outcomes: Sequence[Outcome]) -> str:
    total = Counter(outcome.status for outcome in outcomes)
    summary = ", ".join(f'<span class="{m}">{total[m]} {m}</span>' for m in MARKERS)
    tools = "".join(
        f"<tr><td>{escape(tool)}</td>{''.join(_number(str(counts[m] or '')) for m in MARKERS)}</tr>"
        for tool, counts in counts_by_tool(outcomes)
    )
    heads = "".join(f"<th>{marker}</th>" for marker in MARKERS)
    cases = "".join(_row(outcome) for outcome in outcomes)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>FMI cross-check</title><style>{STYLE}</style>"
        f"<h1>FMI cross-check with sspsim {__version__}</h1><p>{len(outcomes)} cases: {summary}</p>"
        f"<table><tr><th>FMI / type / tool</th>{heads}</tr>{tools}</table>"
        "<table><tr><th>case</th><th>outcome</th><th>inside the band</th><th>WRMS</th><th>steps</th>"
        f"<th>s</th><th>reason</th></tr>{cases}</table></html>\n"
    )


def _row(outcome: Outcome) -> str:
    numbers = (f"{outcome.inside:.1%}", f"{outcome.wrms:.3g}", str(outcome.steps), f"{outcome.seconds:.1f}")
    return (
        f'<tr><td>{escape(outcome.case)}</td><td class="{outcome.status}">{outcome.status}</td>'
        f"{''.join(map(_number, numbers))}<td>{escape(outcome.reason)}</td></tr>"
    )


def _number(text: str) -> str:
    return f'<td class="number">{text}</td>'
