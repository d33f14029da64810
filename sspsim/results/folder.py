"""The folder of a run: values.csv, summary.json and run.log."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from sspsim.errors import SspsimError
from sspsim.results.block import Layout, Sink
from sspsim.results.csv import CsvSink
from sspsim.structure import Diagnostic
from sspsim.version import __version__

STATUS_WORDS = ("ok", "warning", "discard", "error", "fatal", "pending")


class Run(Protocol):
    """What is run: a `Simulation`."""

    make_sinks: Any
    layout: Layout
    start: float
    stop: float
    step_size: float
    time: float
    rows: int
    master: Any
    system: Any
    components: Any

    def __enter__(self) -> Run: ...
    def __exit__(self, *exception: Any) -> None: ...

    def run(self) -> None:
        """From start to stop."""

    def statistics(self) -> dict[str, Any]:
        """Counts and seconds."""


def run_into(folder: Path, simulation: Run) -> dict[str, Any]:
    """Runs a simulation with its results in a folder; after a failure the files say how far it came."""
    folder.mkdir(parents=True, exist_ok=True)

    def sinks(layout: Layout) -> Sequence[Sink]:
        return [CsvSink(folder / "values.csv", layout)]

    simulation.make_sinks = sinks
    problem: BaseException | None = None
    statistics: dict[str, Any] = {}
    messages: list[tuple[str, int, str, str]] = []
    began = datetime.now(UTC)
    try:
        with simulation:
            try:
                simulation.run()
            finally:
                statistics = simulation.statistics()
                messages = list(simulation.components.messages())
    except (SspsimError, KeyboardInterrupt) as stopped:
        problem = stopped
    summary = _summary(simulation, statistics, problem, began)
    (folder / "summary.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    _write_log(folder / "run.log", simulation.system.check(), messages, summary)
    if problem:
        raise problem
    return summary


def _summary(
    simulation: Run, statistics: dict[str, Any], problem: BaseException | None, began: datetime
) -> dict[str, Any]:
    """After schemas/summary.schema.json."""
    status = "done" if problem is None else "interrupted" if isinstance(problem, KeyboardInterrupt) else "failed"
    return {
        "sspsim": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "date": began.isoformat(timespec="seconds"),
        "system": simulation.system.name,
        "file": str(simulation.system.package.path),
        "status": status,
        "error": None if problem is None else str(problem) or status,
        "start": simulation.start,
        "stop": simulation.stop,
        "reached": simulation.time,
        "step": simulation.step_size,
        "master": simulation.master.name,
        "rows": simulation.rows,
        "columns": [
            {"name": column.name, "type": str(column.type), "unit": column.unit} for column in simulation.layout.columns
        ],
        "statistics": statistics,
    }


def _write_log(
    path: Path,
    diagnostics: Iterable[Diagnostic],
    messages: Iterable[tuple[str, int, str, str]],
    summary: dict[str, Any],
) -> None:
    lines = [f"{summary['date']} sspsim {summary['sspsim']}: {summary['system']} ({summary['file']})"]
    lines += [str(diagnostic) for diagnostic in diagnostics]
    lines += [f"{name}: {STATUS_WORDS[min(status, 5)]}: {text}" for name, status, _, text in messages]
    lines.append(f"{summary['status']} at t={summary['reached']!r}")
    if summary["error"]:
        lines.append(f"error: {summary['error']}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
