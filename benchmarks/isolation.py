"""What a process of its own costs a component: microseconds per component step, beside a component in ours.

Light FMUs, so that the exchange is all there is; with one isolated component and with three, and while other
programs want the processors too.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from small_ssp import write_ssp  # noqa: E402

from sspsim.fmi.isolation.settings import Isolation  # noqa: E402
from sspsim.simulation import Simulation  # noqa: E402

STEPS = 20_000
LIMIT = 15.0  # microseconds


def measure(system: Path, components: tuple[str, ...]) -> float:
    """Microseconds per step."""
    with Simulation(
        system, stop=1.0, step=1.0 / STEPS, output_step=0.5, isolation=Isolation(components)
    ) as simulation:
        simulation.initialize()
        began = perf_counter()
        simulation.stepping.march(simulation)
        return (perf_counter() - began) / STEPS * 1e6


def best(system: Path, components: tuple[str, ...]) -> float:
    return min(measure(system, components) for _ in range(5))


def main() -> None:
    lag = ROOT / "examples" / "build" / "fmi2" / "Lag.fmu"
    system = write_ssp(
        ROOT / "examples" / "build" / "isolation.ssp",
        {"a": lag, "b": lag, "c": lag},
        ["a.y -> b.u", "b.y -> c.u"],
    )
    together = best(system, ())
    rows = [("none", 0, together)]
    for label, components in (("one", ("b",)), ("all three", ("a", "b", "c"))):
        rows.append((label, len(components), best(system, components)))
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        rows.append(("one, a busy program beside", 1, best(system, ("b",))))
    finally:
        busy.kill()
        busy.wait()
    print(f"{'isolated':28} {'us/step':>9} {'us per isolated component step':>32}")
    for label, count, us in rows:
        each = f"{(us - together) / count:.2f}" if count else "-"
        print(f"{label:28} {us:9.2f} {each:>32}")
    one = rows[1][2] - together
    print(f"one isolated component: {one / LIMIT:.2f} of the {LIMIT:g} us allowed")


if __name__ == "__main__":
    main()
