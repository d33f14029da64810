"""Overhead per communication step on rings of lags, beside a bare C loop that makes the same calls, in one run.

python benchmarks/overhead.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import fmpy

import sspsim
from sspsim.fmi.unpack import read_description, unpack
from sspsim.formats.container import open_container
from sspsim.results.csv import CsvSink

ROOT = Path(__file__).resolve().parents[1]
LAG = ROOT / "examples" / "build" / "fmi2" / "Lag.fmu"
STEPS = 100_000
ROUNDS = 5
sys.path.insert(0, str(ROOT / "tests"))

from small_ssp import write_ssp  # noqa: E402


def ring(folder: Path, n: int) -> Path:
    names = [f"lag{i:02}" for i in range(n)]
    connections = [f"{names[i - 1]}.y -> {names[i]}.u" for i in range(n)]
    return write_ssp(folder / f"ring{n}.ssp", dict.fromkeys(names, LAG), connections, stop=STEPS * 1e-3)


def bare_loop(folder: Path, n: int) -> float:
    program = folder / "bare_loop"
    if not program.exists():
        headers = Path(fmpy.__file__).parent / "c-code"
        source = Path(__file__).with_name("bare_loop.c")
        subprocess.run(["cc", "-O2", f"-I{headers}", source, "-o", program, "-ldl"], check=True)
    with open_container(LAG) as container:
        description, _ = read_description(container)
        assert description.co_simulation
        library = unpack(container, description.co_simulation, folder / "lag")
    u, y = (str(description.by_name[name].reference) for name in "uy")
    command = [program, library, description.guid, str(n), str(STEPS), u, y]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def without_output(ssp: Path) -> float:
    best = 1e9
    for _ in range(ROUNDS):
        with sspsim.Simulation(
            sspsim.load(ssp), step=1e-3, master=sspsim.GaussSeidel(), output_step=STEPS * 1e-3
        ) as simulation:
            simulation.run()
            assert simulation.steps == STEPS
            best = min(best, simulation.seconds["run"])
    return best / STEPS * 1e6


def with_csv(ssp: Path, folder: Path) -> float:
    """Three recorded variables, each step a row of values.csv."""
    best = 1e9
    for _ in range(ROUNDS):
        with sspsim.Simulation(
            sspsim.load(ssp),
            step=1e-3,
            master=sspsim.GaussSeidel(),
            sinks=lambda layout: [CsvSink(folder / "values.csv", layout)],
        ) as simulation:
            assert len(simulation.layout.columns) == 3
            simulation.run()
            simulation.flush()
            best = min(best, simulation.seconds["run"])
    return best / STEPS * 1e6


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        print(f"{STEPS} steps, one Gauss-Seidel pass, best of {ROUNDS}; microseconds per communication step")
        print(f"{'':10}{'bare C':>10}{'sspsim':>10}{'ratio':>8}")
        for n in (3, 20):
            bare, own = bare_loop(folder, n), without_output(ring(folder, n))
            print(f"ring {n:<5}{bare:10.4f}{own:10.4f}{own / bare:8.2f}")
        print(
            f"ring 3 with 3 recorded variables and csv: {with_csv(ring(folder, 3), folder):.3f} us per step"
        )


if __name__ == "__main__":
    main()
