"""Cycles and the order of evaluation."""

from __future__ import annotations

import networkx as nx

from sspsim.graph.flat import FlatSystem


def component_graph(system: FlatSystem) -> nx.DiGraph:
    """One node per instance (its index, with `name`), an edge where an output of one feeds an input of another."""
    graph = nx.DiGraph()
    for index, instance in enumerate(system.instances):
        graph.add_node(index, name=instance.name)
    graph.add_edges_from((link.source.instance, link.target.instance) for link in system.links)
    return graph


def evaluation_order(graph: nx.DiGraph) -> list[list[int]]:
    """The cycles (strongly connected components) in an order in which every other edge points forward.

    >>> evaluation_order(nx.DiGraph([(2, 1), (1, 2), (0, 1)]))
    [[0], [1, 2]]
    """
    condensed = nx.condensation(graph)
    members = {node: sorted(data["members"]) for node, data in condensed.nodes(data=True)}
    order = nx.lexicographical_topological_sort(condensed, key=lambda node: members[node][0])
    return [members[node] for node in order]
