"""A year at 5 minute steps with 127 coupling variables, all recorded: seconds, memory, size of the files.

python benchmarks/year.py

Limits: 10 s beyond the FMUs' own time, 300 MB, parquet under a third of the csv file. Half a year is run
too, to see whether memory grows with the length of a run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

SSPSIM = Path(sys.executable).with_name("sspsim")
FMUS = Path(__file__).resolve().parents[1] / "examples" / "build" / "fmi2"
YEAR = 31_536_000
STEP = 300


@dataclass(frozen=True)
class Measured:
    steps: int
    columns: int
    wall: float
    own: float  # seconds in the FMUs
    output: float
    megabytes: float  # at the most in memory
    sizes: dict[str, int]


def sspsim(*words: object) -> float:
    """Runs the program; the greatest size of its process in MB."""
    process = subprocess.Popen([SSPSIM, *map(str, words)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"sspsim {words[0]} failed")
    return usage.ru_maxrss * 1024 / 1e6


def measure(system: Path, stop: float, formats: tuple[str, ...]) -> Measured:
    folder = system.with_suffix(".results")
    chosen = [word for name in formats for word in ("--format", name)]
    megabytes = sspsim("run", system, "--stop", stop, "--step", STEP, "-o", folder, *chosen)
    summary = json.loads((folder / "summary.json").read_text())
    statistics = summary["statistics"]
    own = sum(call["seconds"] for calls in statistics["components"].values() for call in calls.values())
    return Measured(
        statistics["steps"],
        len(summary["columns"]),
        statistics["wall_clock_seconds"],
        own,
        statistics["output_seconds"],
        megabytes,
        {name: (folder / f"values.{name}").stat().st_size for name in formats},
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        system = Path(folder) / "school.ssp"
        parts = (f"{name.lower()}={FMUS / f'School{name}.fmu'}" for name in ("Controller", "Plant"))
        sspsim("new", system, *parts)
        sizes: dict[str, int] = {}
        for formats in (("csv",), ("parquet",), ("csv", "parquet")):
            half, year = (measure(system, stop, formats) for stop in (YEAR // 2, YEAR))
            sizes |= year.sizes
            print(
                f"{' + '.join(formats):13}: {year.steps} steps, {year.columns} columns: {year.wall:.2f} s, "
                f"{year.wall - year.own:.2f} s beyond the FMUs' {year.own:.2f} s, writing {year.output:.2f} s; "
                f"{year.megabytes:.0f} MB of memory, {year.megabytes / half.megabytes:.2f} times that of half a year"
            )
        print(
            f"csv {sizes['csv'] / 1e6:.1f} MB, parquet {sizes['parquet'] / 1e6:.1f} MB: "
            f"{sizes['parquet'] / sizes['csv']:.3f} of the csv file"
        )


if __name__ == "__main__":
    main()
