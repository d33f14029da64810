"""Seconds of the processor for the structural analysis of 5,000 components with 50,000 connections."""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Iterable
from time import process_time

from sspsim.fmi.description import Description, Interface, Unknown, Variable
from sspsim.graph.analysis import analyse
from sspsim.graph.canonical import canonical
from sspsim.graph.facts import facts
from sspsim.graph.flat import FlatSystem, Instance, Link, Port
from sspsim.graph.networks import component_graph
from sspsim.plan import make_plan
from sspsim.structure import Type

COMPONENTS, CONNECTIONS, PORTS = 5_000, 50_000, 10
BUDGET = 2.0

Pair = tuple[int, int]


def fmu(told: bool) -> Description:
    """Ten inputs, ten outputs; the outputs depend on everything, or each on one input."""
    inputs = [Variable(f"u{k}", k, Type.REAL, "input") for k in range(PORTS)]
    outputs = [Variable(f"y{k}", 100 + k, Type.REAL, "output") for k in range(PORTS)]
    unknowns = [Unknown(f"y{k}", (f"u{k}",) if told else None) for k in range(PORTS)]
    return Description(2, "model", "", (*inputs, *outputs), outputs=tuple(unknowns))


def connected(pairs: Iterable[Pair], told: bool, generator: random.Random) -> FlatSystem:
    """One connection per pair of components, each into an input that is still free."""
    description = fmu(told)
    free = [list(range(PORTS)) for _ in range(COMPONENTS)]
    links = []
    for a, b in pairs:
        if free[b]:
            source = Port(a, f"y{generator.randrange(PORTS)}")
            links.append(Link(source, Port(b, f"u{free[b].pop()}")))
    instances = [
        Instance((f"c{i}",), "model.fmu", description, Interface("model")) for i in range(COMPONENTS)
    ]
    return FlatSystem("large", tuple(instances), tuple(links))


def random_pairs(generator: random.Random, reach: int) -> Iterable[Pair]:
    """Every component is fed by ten others, at most `reach` places away."""
    for b in range(COMPONENTS):
        for _ in range(PORTS):
            yield (b + generator.randint(-reach, reach)) % COMPONENTS, b


def chain_pairs(generator: random.Random) -> Iterable[Pair]:
    """No cycles."""
    for b in range(1, COMPONENTS):
        for _ in range(PORTS):
            yield generator.randrange(max(0, b - 50), b), b


def ring_pairs(generator: random.Random, size: int) -> Iterable[Pair]:
    """Many small cycles, each fed by the one before."""
    for b in range(COMPONENTS):
        first = b - b % size
        for k in range(PORTS):
            before = generator.randrange(max(0, first - size), first) if first and k < 2 else None
            yield first + generator.randrange(size) if before is None else before, b


def main() -> int:
    """Prints the times; the exit code tells whether all are in the budget."""
    generator = random.Random(1)
    cases = {
        "no cycle": lambda: chain_pairs(generator),
        "cycles of 10": lambda: ring_pairs(generator, 10),
        "cycles of 50": lambda: ring_pairs(generator, 50),
        "one large cycle": lambda: random_pairs(generator, 2500),
        "one large cycle, near": lambda: random_pairs(generator, 3),
    }
    slowest = 0.0
    for name, pairs in cases.items():
        for told in (False, True):
            flat = connected(pairs(), told, generator)
            gc.collect()
            began = process_time()
            flat = canonical(flat)
            sorted_ = process_time()
            analysis = analyse(flat)
            analysed = process_time()
            make_plan(flat, analysis)
            planned = process_time()
            facts(flat, analysis)
            told_ = process_time()
            component_graph(flat, analysis)
            as_graph = process_time()
            slowest = max(slowest, analysed - began)
            print(
                f"{name + (', feedthrough told' if told else ''):42} {len(flat.links):6} links: "
                f"sorted {sorted_ - began:.2f} s, analysed {analysed - sorted_:.2f} s, "
                f"planned {planned - analysed:.2f} s, told {told_ - planned:.2f} s, "
                f"as networkx graph {as_graph - told_:.2f} s; {len(analysis.cycles)} cycles, "
                f"{len(analysis.broken)} broken, {len(analysis.loops)} loops"
            )
    print(f"slowest, sorted and analysed: {slowest:.2f} s, {slowest / BUDGET:.2f} of the {BUDGET:g} s budget")
    return slowest > BUDGET


if __name__ == "__main__":
    sys.exit(main())
