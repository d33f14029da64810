"""What iterating masters, step doubling and threads cost and save.

    python benchmarks/masters.py

Three light FMUs in a ring, beside a bare C loop with the same FMU calls; doSteps of a cycle with 20
variables; four slow FMUs stepped by two threads.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from time import process_time

import fmpy
from overhead import LAG, ROOT, ROUNDS, ring, write_ssp

import sspsim
from sspsim import Anderson, ErrorControl, GaussJacobi, GaussSeidel, Master, Newton, Stepping
from sspsim.fmi.unpack import read_description, unpack
from sspsim.formats.container import open_container

STEPS = 50_000
H = 1e-3
TARGETS = {"seidel": 1.0, "newton": 2.0, "doubling": 4.0}


class Twice(GaussSeidel):
    """Two sweeps whatever the norm says, so that the bare loop and this one make the same calls."""

    def solve(self, cycle, t, h):
        cycle.sweep(t, h)
        cycle.change()
        cycle.rollback()
        cycle.sweep(t, h)
        return cycle.change() <= 1e9


def bare(folder: Path, mode: str) -> float:
    program = folder / "bare_masters"
    if not program.exists():
        headers = Path(fmpy.__file__).parent / "c-code"
        source = Path(__file__).with_name("bare_masters.c")
        subprocess.run(["cc", "-O2", f"-I{headers}", source, "-o", program, "-ldl"], check=True)
    with open_container(LAG) as container:
        description, _ = read_description(container)
        assert description.co_simulation
        library = unpack(container, description.co_simulation, folder / "lag")
    u, y = (str(description.by_name[name].reference) for name in "uy")
    command = [program, library, description.guid, str(STEPS), u, y, mode]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def own(ssp: Path, master: Master, stepping: Stepping | None = None) -> float:
    best = 1e9
    settings = {
        "step": H,
        "stop": STEPS * H,
        "output_step": STEPS * H,
        "parameters": {"lag00.x": 1.0, "lag00.k": -1.0},
    }
    for _ in range(ROUNDS):
        with sspsim.Simulation(
            ssp, master=master, stepping=stepping, rtol=1e-9, atol=1e-12, **settings
        ) as run:
            run.initialize()
            began = process_time()
            run.stepping.march(run)
            best = min(best, (process_time() - began) / run.steps)
    return best * 1e6


def overheads(folder: Path) -> None:
    ssp = ring(folder, 3)
    constant = ErrorControl(1.0, 1.0, step=H, min_step=H, max_step=H)
    runs = {
        "seidel": (Twice(2), None),
        "newton": (Newton(1, directional=False), None),
        "doubling": (GaussSeidel(), constant),
    }
    print(f"{STEPS} steps of three light FMUs, best of {ROUNDS}; processor us per communication step")
    print(f"{'':10}{'bare C':>10}{'sspsim':>10}{'ratio':>8}{'target':>8}")
    for mode, (master, stepping) in runs.items():
        least, ours = bare(folder, mode), own(ssp, master, stepping)
        print(f"{mode:10}{least:10.3f}{ours:10.3f}{ours / least:8.2f}{TARGETS[mode]:8.1f}")
    print(f"{'anderson':10}{'':10}{own(ssp, Anderson()):10.3f}")


def do_steps(folder: Path) -> None:
    """One step from values that are wrong by a different amount in each of the 20 variables."""
    fmu = ROOT / "examples" / "build" / "fmi2" / "LinearN.fmu"
    connections = [f"{x}.y{k} -> {y}.u{k}" for k in range(1, 11) for x, y in ("ab", "ba")]
    ssp = write_ssp(folder / "twenty.ssp", {"a": fmu, "b": fmu}, connections)
    masters = {
        "gauss-seidel, iterated": GaussSeidel(1000),
        "newton, differences": Newton(directional=False),
        "anderson": Anderson(),
        "newton, directional derivatives": Newton(),
    }
    print(
        "\ndoSteps of one communication step, two FMUs, 20 iteration variables; of a step in a run of two masses"
    )
    print(f"{'':34}{'weak (0.5)':>12}{'strong (3)':>12}{'two masses':>12}")
    for name, master in masters.items():
        counts = []
        for scale in (0.5, 3.0):
            parameters = {"a.scale": scale, "b.scale": scale}
            with sspsim.Simulation(ssp, master=master, step=0.1, parameters=parameters) as run:
                run.initialize()
                run.kernel.reals[:20] += [1 + 0.1 * k * k for k in range(20)]
                run.step()
                calls = run.statistics()["components"]
                count = sum(calls[c]["doStep"]["calls"] for c in "ab")
                counts.append("diverges" if run.counts["convergence_failures"] else count)
        found = sspsim.simulate(
            ROOT / "examples" / "build" / "TwoMass.ssp", master=master, step=0.01
        ).statistics
        mean = sum(calls["doStep"]["calls"] for calls in found["components"].values()) / found["steps"]
        print(f"{name:34}{counts[0]:>12}{counts[1]:>12}{mean:>12.1f}")


def threads(folder: Path) -> None:
    """2 ms of waiting per step, which shows on a busy machine too; 2 ms of work; light ones."""
    names = [f"c{i}" for i in range(4)]
    connections = [f"{names[i - 1]}.y -> {names[i]}.u" for i in range(4)]
    waiting = {f"{n}.{k}": v for n in names for k, v in (("mode", 11), ("delay", 0.002), ("from_time", -1.0))}
    working = {f"{n}.microseconds": 2000.0 for n in names}
    cases = {
        "waiting 2 ms": ("Misbehave", waiting, 0.01),
        "working 2 ms": ("Busy", working, 0.01),
        "light": ("Lag", {}, 5e-6),
    }
    print("\nGauss-Jacobi, four FMUs in a ring: seconds with one thread, with two, gain")
    for name, (model, parameters, step) in cases.items():
        fmu = ROOT / "examples" / "build" / "fmi2" / f"{model}.fmu"
        ssp = write_ssp(folder / f"{model}.ssp", dict.fromkeys(names, fmu), connections)
        took = {1: 1e9, 2: 1e9}
        for _ in range(ROUNDS):
            for n in took:  # in turn, since others may be at work on this machine for a while
                with sspsim.Simulation(
                    ssp, master=GaussJacobi(), threads=n, step=step, output_step=1.0, parameters=parameters
                ) as run:
                    run.run()
                    took[n] = min(took[n], run.seconds["run"])
        print(f"{name:14}{took[1]:10.3f}{took[2]:10.3f}{took[1] / took[2]:8.2f}")


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        overheads(folder)
        do_steps(folder)
        threads(folder)


if __name__ == "__main__":
    main()
