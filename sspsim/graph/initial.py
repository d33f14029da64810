"""The initial variable graph: in which order outputs can be computed before the first step, and where they cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import networkx as nx

from sspsim.fmi.description import Description
from sspsim.graph.flat import FlatSystem

Node = tuple[int, str]  # an instance and the name of its variable
EVERYTHING = ""  # stands for all inputs of an instance, so that unknown dependencies need no edge per pair


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
    sources = {(link.target.instance, link.target.variable): link for link in system.links}
    outputs = dict.fromkeys((link.source.instance, link.source.variable) for link in system.links)
    connected: dict[int, list[str]] = {}
    for instance, variable in sources:
        connected.setdefault(instance, []).append(variable)
    dependencies = [_dependencies(instance.description) for instance in system.instances]
    graph = nx.DiGraph()
    graph.add_nodes_from(("output", *node) for node in outputs)
    for link in system.links:
        graph.add_edge(
            ("output", link.source.instance, link.source.variable),
            ("input", link.target.instance, link.target.variable),
        )
    needs: dict[Node, tuple[str, ...]] = {}
    for instance, name in outputs:
        inputs = connected.get(instance, [])
        told = dependencies[instance].get(name)
        needs[instance, name] = tuple(inputs if told is None else (i for i in inputs if i in told))
        if told is None:
            graph.add_edge(("input", instance, EVERYTHING), ("output", instance, name))
            graph.add_edges_from((("input", instance, i), ("input", instance, EVERYTHING)) for i in inputs)
        else:
            graph.add_edges_from(
                (("input", instance, i), ("output", instance, name)) for i in needs[instance, name]
            )
    return InitialGraph(tuple(_blocks(graph)), needs)


def _dependencies(description: Description) -> dict[str, frozenset[str] | None]:
    """What each output depends on before the first step; None or missing: on everything."""
    found: dict[str, frozenset[str] | None] = {}
    for unknown in (*description.outputs, *description.initial_unknowns):
        found[unknown.variable] = None if unknown.dependencies is None else frozenset(unknown.dependencies)
    return found


def _blocks(graph: nx.DiGraph) -> list[Block]:
    position = {node: k for k, node in enumerate(graph)}
    condensed = nx.condensation(graph)
    members = {n: sorted(data["members"], key=position.__getitem__) for n, data in condensed.nodes(data=True)}
    order = nx.lexicographical_topological_sort(condensed, key=lambda n: position[members[n][0]])
    blocks = []
    for n in order:
        outputs = tuple((instance, name) for kind, instance, name in members[n] if kind == "output")
        if outputs:
            blocks.append(Block(outputs, loop=len(members[n]) > 1))
    return blocks
