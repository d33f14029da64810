"""The folder of a run: its values, summary.json and run.log."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sspsim.errors import UsageError
from sspsim.results.block import Layout, Sink
from sspsim.results.compress import Compressed, Compression
from sspsim.results.csv import CsvSink
from sspsim.results.execute import Outcome, execute
from sspsim.results.gather import Gather
from sspsim.results.mat import MatSink, texts_in
from sspsim.results.parquet import ParquetSink, parts_of
from sspsim.results.steps import STEP_LOG
from sspsim.results.summary import RUNNING, Run, summarize
from sspsim.structure import Diagnostic

STATUS_WORDS = ("ok", "warning", "discard", "error", "fatal", "pending")
PART_ROWS = 8192
FORMATS = ("parquet", "mat", "csv")  # made in this order: the slow one first, so that no file waits for it


def run_into(
    folder: Path, simulation: Run, formats: Sequence[str] = ("csv",), compression: Compression | None = None
) -> Outcome:
    """Runs a simulation with its results in a folder; after a failure the files say how far it came.

    An interruption (Ctrl-C) ends the run early, but is no error: the summary's status says so.
    """
    _check(formats, compression)
    folder.mkdir(parents=True, exist_ok=True)
    began = datetime.now(UTC)
    output = {"formats": list(formats), "compress": asdict(compression) if compression else None}

    def sinks(layout: Layout) -> Sequence[Sink]:
        if not simulation.rows:  # else a run is resumed
            _clear(folder)
        if "mat" in formats and (texts := texts_in(layout)):
            simulation.notices.append(f"values.mat holds numbers only and lacks {', '.join(texts)}")
        planned = summarize(simulation, began, {}, status=RUNNING, output=output)
        write_summary(folder, planned)
        wanted = [format for format in FORMATS if format in formats]
        return [_sink(format, folder, layout, planned, compression, simulation.rows) for format in wanted]

    simulation.components.crash_log = folder.resolve() / "run.log"
    outcome = execute(simulation, sinks, began)
    outcome.summary = summarize(simulation, began, outcome.statistics, outcome.problem, output=output)
    write_summary(folder, outcome.summary)
    _write_log(folder / "run.log", simulation.problems(), outcome.messages, outcome.summary)
    return outcome


def _check(formats: Sequence[str], compression: Compression | None) -> None:
    """Before the run, not at its end."""
    if "parquet" in formats:
        import pyarrow.parquet  # noqa: F401 - takes a second, in which a killed run would leave half a folder
    for format in formats:
        if format not in FORMATS:
            raise UsageError(f"there is no format {format!r}; choose some of {', '.join(sorted(FORMATS))}")
    if "mat" in formats and compression:
        raise UsageError("mat files have no empty cells; compressed output goes with csv and parquet")


def _clear(folder: Path) -> None:
    """The results of an earlier run must not be taken for those of this one."""
    for format in FORMATS:
        (folder / f"values.{format}").unlink(missing_ok=True)
    (folder / STEP_LOG).unlink(missing_ok=True)
    shutil.rmtree(parts_of(folder / "values.parquet"), ignore_errors=True)


def _sink(
    format: str, folder: Path, layout: Layout, run: dict[str, Any], compression: Compression | None, rows: int
) -> Sink:
    path = folder / f"values.{format}"
    makers: dict[str, Callable[[], Sink]] = {
        "csv": lambda: CsvSink(path, layout, rows),
        "parquet": lambda: Gather(ParquetSink(path, layout, run), PART_ROWS),
        "mat": lambda: MatSink(path, layout, run),
    }
    sink = makers[format]()
    return Gather(Compressed(sink, compression)) if compression else sink


def write_summary(folder: Path, summary: dict[str, Any]) -> None:
    """Complete or as before, whenever the process ends."""
    unfinished = folder / "summary.json.unfinished"
    unfinished.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    unfinished.replace(folder / "summary.json")


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
