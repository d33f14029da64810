"""Consistent initial values before the first step: in order where there is one, loops by iteration.

Only inputs are set and outputs got, no step is made and no state is kept, so it works for every FMI version.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sspsim.errors import SimulationError
from sspsim.fmi.slave import Slave
from sspsim.graph.flat import FlatSystem
from sspsim.graph.initial import initial_graph
from sspsim.masters.initial_exchange import Exchange
from sspsim.masters.initial_links import hand_on
from sspsim.masters.initial_loop import Loop
from sspsim.plan import Plan

ADVICE = (
    "give start values near a solution to the inputs of the loop, or accept the last values with "
    "strict_initial=False (--accept-initial)"
)


def initialize(
    kernel: Any, slaves: Sequence[Slave], system: FlatSystem, plan: Plan, start: float, *, strict: bool = True
) -> list[str]:
    """Makes all values at the start time consistent and leaves the initialisation.

    A loop that does not converge is an error, or one of the returned warnings if not `strict`.
    """
    exchange = Exchange(kernel, slaves, system, plan, start)
    exchange.wake_all_with_initialization_mode()
    hand_on(system, slaves)
    warnings = _solve(exchange, strict)
    exchange.set_all_inputs()
    for slave in slaves:
        slave.exit_initialization()
    for i in range(len(slaves)):
        kernel.get_all_outputs(i, start)
    return warnings


def _solve(exchange: Exchange, strict: bool) -> list[str]:
    """All outputs that feed something, in the order of the initial graph."""
    warnings = []
    graph = initial_graph(exchange.system)
    for block in graph.blocks:
        if not block.loop:
            exchange.compute(block.outputs[0], graph.needs[block.outputs[0]])
            continue
        problem = Loop(exchange, graph, block).solve()
        if problem and strict:
            raise SimulationError(f"{problem}; {ADVICE}", time=exchange.start)
        if problem:
            warnings.append(f"warning: {problem}; the run begins with the last of them")
    return warnings
