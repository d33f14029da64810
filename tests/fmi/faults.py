"""Systems with one component that misbehaves on demand, and what must come of each fault."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sspsim import SspsimError
from sspsim.loading import LoadedSystem
from sspsim.masters import GaussSeidel
from sspsim.results.result import MemorySink
from sspsim.simulation import Simulation

from .flat_systems import Unit, make_system

ALONE, CHAIN, LOOP = "alone", "chain", "loop"
POSITIONS = (ALONE, CHAIN, LOOP, "iterated")


@dataclass(frozen=True)
class Outcome:
    """Words that the error must contain; none: the run succeeds. `deadly`: it would take our process along."""

    isolated: str
    inside: str = ""
    deadly: bool = False


OUTCOMES = {
    0: Outcome("", ""),
    1: Outcome("error", "error"),
    2: Outcome("discard", "discard"),
    3: Outcome("nan", "nan"),
    4: Outcome("SIGSEGV", deadly=True),
    5: Outcome("no answer", deadly=True),
    6: Outcome("exit code 3", deadly=True),
    7: Outcome("SIGABRT", deadly=True),
    8: Outcome("fatal", "fatal"),
    9: Outcome("error", deadly=True),
    10: Outcome("", ""),
    11: Outcome("no answer", deadly=True),
}
HANGS = (5, 11)


def fault_system(fmus: Path, mode: int, phase: int, position: str, from_time: float = 0.5) -> LoadedSystem:
    """`bad` alone, or between two lags in a chain, or as part of a cycle."""
    starts = {"mode": mode, "phase": phase, "from_time": from_time, "delay": 5.0, "memory": 1000}
    if position == ALONE:
        return make_system(fmus, {"bad": Unit("fmi2/Misbehave", starts=starts)}, stop=1.0)
    units = {
        "first": Unit("fmi2/Lag", starts={"u": 1.0}),
        "bad": Unit("fmi2/Misbehave", starts=starts),
        "last": Unit("fmi2/Lag", starts={"k": 0.5, "x": 1.0}),
    }
    links = (
        ("first.y -> bad.u", "bad.y -> last.u")
        if position == CHAIN
        else ("last.y -> bad.u", "bad.y -> last.u")
    )
    return make_system(fmus, units, links, stop=1.0)


def run_fault(
    fmus: Path, mode: int, phase: int, position: str, isolation: Any, from_time: float = 0.5
) -> tuple[str, int]:
    """The words of the error, or none, and the number of rows that were kept."""
    memory: list[MemorySink] = []
    master = GaussSeidel(max_iterations=3 if position == "iterated" else 1)
    words = ""
    try:
        with Simulation(
            fault_system(fmus, mode, phase, position, from_time),
            step=0.1,
            master=master,
            isolation=isolation,
            sinks=lambda layout: memory.append(MemorySink(layout)) or memory,  # type: ignore[func-returns-value]
        ) as simulation:
            simulation.run()
    except SspsimError as problem:
        words = str(problem)
    return words, len(memory[0].result({}).time) if memory else 0


def children() -> set[int]:
    """The processes that this one has started and that still exist, dead or alive."""
    tasks = Path("/proc/self/task")
    found: set[int] = set()
    for task in tasks.iterdir() if tasks.exists() else ():
        found |= {int(pid) for pid in (task / "children").read_text().split()}
    return found
