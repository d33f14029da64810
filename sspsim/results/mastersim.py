"""MasterSim's working directory: results/values.csv and the other files that post-processing knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from sspsim.fmi.codes import Bank, code_of
from sspsim.graph.flat import Instance
from sspsim.plan import Column
from sspsim.results.block import Block, Layout
from sspsim.results.digits import format_double, format_progress, format_rows
from sspsim.structure import Type
from sspsim.structure.time import from_seconds

ROW_BREAKERS = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t"})
LABELS = {0: "Progress", 1: "Warning"}
ORIGIN_WIDTH = 40


@dataclass(frozen=True, slots=True)
class Synonym:
    """A variable that is not written, since another one has the same value reference."""

    fmu: str
    written: str
    dropped: str


def synonyms(instances: Iterable[Instance]) -> tuple[set[str], list[Synonym]]:
    """The names of the columns to be left out, and why; each FMU is listed once. Outputs go before others."""
    dropped: set[str] = set()
    listed: dict[tuple[str, str], Synonym] = {}
    for instance in instances:
        known: dict[tuple[int, int], str] = {}
        variables = [instance.description.by_name[name] for name in instance.recorded]
        for variable in sorted(variables, key=lambda v: v.causality != "output"):
            key = (code_of(variable.type, instance.description.fmi), variable.reference)
            written = known.setdefault(key, variable.name)
            if written != variable.name:
                dropped.add(f"{instance.name}.{variable.name}")
                synonym = Synonym(Path(instance.location).name, written, variable.name)
                listed[instance.location, variable.name] = synonym
    return dropped, list(listed.values())


def in_order(
    layout: Layout, instances: Iterable[Instance], components: Sequence[str], dropped: set[str]
) -> tuple[list[int], list[int]]:
    """The numbers of the columns of values.csv and of strings.csv.

    Booleans, then integers, then reals, each in the order of the components in their project, outputs first.
    """
    places = {
        f"{instance.name}.{name}": (
            components.index(instance.path[0]),
            instance.description.by_name[name].causality != "output",
        )
        for instance in instances
        for name in instance.recorded
    }

    def rank(k: int) -> tuple[int, tuple[int, bool]]:
        column = layout.columns[k]
        kind = 2 if column.bank is Bank.REAL else int(column.type is not Type.BOOLEAN)
        return kind, places.get(column.name, (-1, False))

    wanted = sorted((k for k, c in enumerate(layout.columns) if c.name not in dropped), key=rank)
    texts = [k for k in wanted if layout.columns[k].bank is Bank.TEXT]
    return [k for k in wanted if k not in texts], texts


class ValuesSink:
    """results/values.csv: tab separated, 14 significant digits."""

    def __init__(self, path: Path, layout: Layout, columns: Sequence[int], time_unit: str) -> None:
        self.time_unit = time_unit
        cells = [(0, 0)]
        cells += [(int(layout.columns[k].bank is Bank.INTEGER), layout.positions[k]) for k in columns]
        self.cells = np.array(cells, dtype=np.int32)
        self.file = path.open("wb")
        titles = [f"{c.name} [{_unit(c)}]" for c in (layout.columns[k] for k in columns)]
        self.file.write(" \t".join([f"Time [{time_unit}]", *titles]).encode() + b"\n")

    def write(self, block: Block) -> None:
        """Appends rows and hands them to the operating system: a killed run leaves readable results."""
        reals = block.reals
        if self.time_unit != "s":
            reals = reals.copy()
            reals[:, 0] = from_seconds(block.time, self.time_unit)
        self.file.write(format_rows(reals, block.integers, self.cells))
        self.file.flush()

    def close(self) -> None:
        """Closes the file."""
        self.file.close()


class StringsSink:
    """results/strings.csv: the same for texts; what would break rows is written as an escape."""

    def __init__(self, path: Path, layout: Layout, columns: Sequence[int], time_unit: str) -> None:
        self.time_unit = time_unit
        self.positions = [layout.positions[k] for k in columns]
        self.file = path.open("w", encoding="utf-8", newline="\n")
        names = [layout.columns[k].name for k in columns]
        self.file.write(" \t".join([f"Time [{time_unit}]", *names]) + "\n")

    def write(self, block: Block) -> None:
        """Appends rows."""
        for t, row in zip(block.time.tolist(), block.texts, strict=True):
            cells = [row[p].decode("utf-8", "replace").translate(ROW_BREAKERS) for p in self.positions]
            self.file.write("\t".join([format_double(from_seconds(t, self.time_unit)), *cells]) + "\n")
        self.file.flush()

    def close(self) -> None:
        """Closes the file."""
        self.file.close()


class ProgressSink:
    """log/progress.txt: a line for each row but the first, with the time that it took to get there."""

    def __init__(self, path: Path, start: float, stop: float) -> None:
        self.start, self.stop = start, stop
        self.began = perf_counter()
        self.last = 0.0
        self.file = path.open("wb")
        titles = ("Simtime [s] ", "Realtime [s]", "Percentage [%]")
        self.file.write("\t".join(f"{title:>15}" for title in titles).encode() + b"\n")

    def write(self, block: Block) -> None:
        """Appends lines; rows come in portions, over which the time is spread evenly."""
        now = perf_counter() - self.began
        seconds = np.linspace(self.last, now, len(block.time) + 1)[1:]
        later = block.time != self.start
        times = block.time[later]
        percentages = (times - self.start) * 100.0 / (self.stop - self.start)
        self.file.write(format_progress(times, seconds[later], percentages))
        self.file.flush()
        self.last = now

    def close(self) -> None:
        """Closes the file."""
        self.file.close()


def _unit(column: Column) -> str:
    return (column.unit or "-") if column.bank is Bank.REAL else "-"


def failed_error_tests(counts: Mapping[str, Any]) -> int:
    """As MasterSim counts them: also those after which a step of the shortest length goes on."""
    return int(counts["error_test_failures"] + counts["error_limits"])


def write_summary(path: Path, statistics: dict[str, Any]) -> None:
    """log/summary.txt: counts, and seconds with 6 significant digits.

    A failure to converge counts where it makes the step shorter; with fixed steps only the limit is exceeded.
    """
    lines = {
        "WallClockTime": statistics["wall_clock_seconds"],
        "FrameworkTimeWriteOutputs": statistics["output_seconds"],
        "MasterAlgorithmSteps": statistics["steps"],
        "MasterAlgorithmTime": statistics["master_seconds"],
        "ConvergenceFails": statistics["shortened_steps"],
        "ConvergenceIterLimitExceeded": statistics["iteration_limits"],
        "ErrorTestFails": failed_error_tests(statistics),
        "ErrorTestTime": statistics["error_test_seconds"],
    }
    for k, calls in enumerate(statistics["components"].values(), 1):
        spent = (calls[function]["seconds"] for function in ("doStep", "getState", "setState"))
        lines[f"Slave[{k}]Time"] = sum(spent)
    text = "".join(
        f"{key}={value:.6g}\n" if isinstance(value, float) else f"{key}={value}\n"
        for key, value in lines.items()
    )
    path.write_text(text, encoding="utf-8")


def write_screenlog(path: Path, messages: Iterable[tuple[int, str, str]]) -> None:
    """log/screenlog.txt: (severity, origin, text) in MasterSim's columns."""
    now = datetime.now(UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for severity, origin, text in messages:
            label, place = LABELS.get(severity, "Error"), f"[{origin}]"
            file.writelines(
                f"{now}\t[{label}]\t{place:{ORIGIN_WIDTH}}\t{line}\n" for line in text.splitlines() or [""]
            )
