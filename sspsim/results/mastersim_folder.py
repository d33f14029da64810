"""Runs a simulation into MasterSim's working directory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from sspsim.results.block import Layout, Sink
from sspsim.results.execute import Outcome, execute
from sspsim.results.folder import write_summary as write_json
from sspsim.results.mastersim import (
    ProgressSink,
    StringsSink,
    ValuesSink,
    in_order,
    synonyms,
    write_screenlog,
    write_summary,
)
from sspsim.results.mastersim_steps import StepStatistics
from sspsim.results.summary import Run, summarize

STEPS = "log/stepstats.tsv"


def run_into(folder: Path, simulation: Run, *, step_statistics: bool = False) -> Outcome:
    """Runs a simulation; `folder` then looks as if MasterSim had worked there, with a summary.json besides.

    `step_statistics`: log/stepstats.tsv too, which makes light FMUs slower.
    """
    results, log = folder / "results", folder / "log"
    for directory in (results, log):
        directory.mkdir(parents=True, exist_ok=True)
    for leftover in ("results/strings.csv", "results/synonymous_variables.txt", "log/summary.txt", STEPS):
        (folder / leftover).unlink(missing_ok=True)

    def sinks(layout: Layout) -> Sequence[Sink]:
        if step_statistics:
            simulation.step_logs.append(StepStatistics(folder / STEPS, simulation))
        components = [element.name for element in simulation.system.package.structure.system.elements]
        dropped, listed = synonyms(simulation.flat.instances)
        if listed:
            lines = [f"{s.fmu}\t{s.written}\t{s.dropped}\n" for s in listed]
            (results / "synonymous_variables.txt").write_text("".join(lines), encoding="utf-8")
        unit = simulation.system.settings.time_unit or "s"
        numbers, texts = in_order(layout, simulation.flat.instances, components, dropped)
        found: list[Sink] = [
            ValuesSink(results / "values.csv", layout, numbers, unit),
            ProgressSink(log / "progress.txt", simulation.start, simulation.stop),
        ]
        return [*found, StringsSink(results / "strings.csv", layout, texts, unit)] if texts else found

    outcome = execute(simulation, sinks)
    outcome.summary = summarize(simulation, outcome.began, outcome.statistics, outcome.problem)
    write_json(folder, outcome.summary)
    write_screenlog(log / "screenlog.txt", _messages(simulation, outcome))
    if not outcome.failure:
        write_summary(log / "summary.txt", outcome.statistics)
    return outcome


def _messages(simulation: Run, outcome: Outcome) -> Iterator[tuple[int, str, str]]:
    summary = outcome.summary
    yield 0, "sspsim", f"sspsim {summary['sspsim']}: {summary['system']} ({summary['file']})"
    for diagnostic in simulation.problems():
        yield int(diagnostic.severity), "check", str(diagnostic)
    for name, status, _, text in outcome.messages:
        yield min(status, 2), name, text
    if outcome.problem:
        yield 2, "run", str(outcome.problem) or summary["status"]
    yield 0, "run", f"{summary['status']} at t={summary['reached']!r}"
