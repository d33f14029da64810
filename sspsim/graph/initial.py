"""In which order outputs can be computed before the first step, and where they cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sspsim.graph.dependencies import initial_feedthrough
from sspsim.graph.flat import FlatSystem
from sspsim.graph.loops import VariableGraph, dependent_inputs
from sspsim.graph.strong import condensed, strong_components, topological_order
from sspsim.graph.time_only import per_description

Node = tuple[int, str]  # an instance and the name of its variable


@dataclass(frozen=True, slots=True)
class Block:
    """Outputs that are computed together: one, or those of an algebraic loop."""

    outputs: tuple[Node, ...]
    loop: bool


@dataclass(frozen=True, slots=True)
class InitialGraph:
    """Blocks in their order of evaluation; `needs` are the connected inputs that an output depends on."""

    blocks: tuple[Block, ...]
    needs: Mapping[Node, tuple[str, ...]]


def initial_graph(system: FlatSystem) -> InitialGraph:
    """The coupled outputs of a system in an order in which every other one is known when it is needed."""
    dependencies = per_description(system, initial_feedthrough)
    graph = VariableGraph(system, system.links, dependencies, frozenset())
    groups = strong_components(graph.successors)
    order = topological_order(condensed(graph.successors, groups), key=lambda g: graph.key(groups[g][0]))
    outputs = {number for numbers in graph.outputs.values() for number in numbers.values()}
    blocks = []
    for g in order:
        members = sorted(outputs.intersection(groups[g]), key=graph.key)
        if members:
            blocks.append(Block(tuple(graph.nodes[n] for n in members), graph.is_loop(groups[g])))
    needs = {
        (i, name): tuple(dependent_inputs(graph.inputs.get(i, ()), dependencies[i].get(name)))
        for i, names in graph.outputs.items()
        for name in names
    }
    return InitialGraph(tuple(blocks), needs)
