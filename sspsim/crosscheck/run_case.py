"""Runs one case in a process of its own: `python -m sspsim.crosscheck.run_case FOLDER MODEL RESULTS`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.crosscheck.cases import Case, find_cases, read_options
from sspsim.crosscheck.judge import Verdict, judge_all
from sspsim.crosscheck.outcome import Outcome, write_outcome
from sspsim.crosscheck.system import CaseSimulation, Inputs, load_case
from sspsim.crosscheck.tables import read_table
from sspsim.errors import InputError, SspsimError
from sspsim.results.block import Layout
from sspsim.results.csv import CsvSink
from sspsim.results.result import MemorySink, Result


def run_case(case: Case, results: Path) -> Outcome:
    """Simulates, writes `<model>_out.csv` and judges it."""
    try:
        verdicts, steps = _simulate(case, results / f"{case.model}_out.csv")
    except InputError as problem:
        return Outcome(case.name, "rejected", str(problem))
    except SspsimError as problem:
        return Outcome(case.name, "failed", str(problem))
    bad = [verdict for verdict in verdicts if not verdict.passed]
    reason = "" if not bad else f"{bad[0].name}: {bad[0].remark or f'{bad[0].inside:.0%} inside the band'}"
    return Outcome(case.name, "failed" if bad else "passed", reason, tuple(verdicts), steps)


def _simulate(case: Case, target: Path) -> tuple[list[Verdict], int]:
    options = read_options(case)
    reference = read_table(case.reference)
    system, there = load_case(case, list(reference.columns))
    table = read_table(case.inputs) if case.inputs else None
    description = system.flat.instances[0].description
    inputs = Inputs(table, description, case.inputs) if table and case.inputs else None
    memory: list[MemorySink] = []

    def sinks(layout: Layout) -> list[MemorySink | CsvSink]:
        memory.append(MemorySink(layout))
        return [memory[0], CsvSink(target, _named(layout, there))]

    with CaseSimulation(system, options, inputs, sinks=sinks) as simulation:
        simulation.run()
        steps = simulation.steps
    result: Result = memory[0].result({})
    values = {name: _numbers(result[f"fmu.{name}"]) for name in there}
    return judge_all(result.time, values, reference.time, reference.columns, options.stop), steps


def _numbers(values: NDArray[Any]) -> NDArray[np.float64]:
    """Texts are no numbers: they are written, not judged."""
    return values.astype(float) if values.dtype.kind in "biuf" else np.full(len(values), np.nan)


def _named(layout: Layout, names: list[str]) -> Layout:
    """The columns under the names of the reference."""
    from dataclasses import replace

    columns = tuple(replace(c, name=name) for c, name in zip(layout.columns, names, strict=True))
    return replace(layout, columns=columns)


if __name__ == "__main__":
    folder, model, results = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    platform = folder.resolve().parts[-4]
    case = next(c for c in find_cases(folder, platform) if c.model == model)
    write_outcome(case, run_case(case, results), results)
