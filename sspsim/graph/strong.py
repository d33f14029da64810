"""Strongly connected components and topological order on plain lists.

networkx has both, but its import costs a third of a small run; the tests compare these with networkx.
A graph is a sequence: at place i are the successors of node i.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

Graph = Sequence[Collection[int]]


def strong_components(graph: Graph) -> list[list[int]]:
    """Sets of nodes that reach each other, each sorted; Tarjan's algorithm without recursion.

    >>> strong_components([[1], [0, 2], []])
    [[2], [0, 1]]
    """
    unseen, done = -1, len(graph)
    low = [unseen] * len(
        graph
    )  # the earliest visit that a node reaches; `done` once its component is complete
    count = 0
    path: list[int] = []
    found = []
    for root in range(len(graph)):
        if low[root] != unseen:
            continue
        low[root] = count
        work = [(root, count, len(path), iter(graph[root]))]
        path.append(root)
        count += 1
        while work:
            node, visit, depth, successors = work[-1]
            for successor in successors:
                if low[successor] == unseen:
                    low[successor] = count
                    work.append((successor, count, len(path), iter(graph[successor])))
                    path.append(successor)
                    count += 1
                    break
                if low[successor] < low[node]:
                    low[node] = low[successor]
            else:
                work.pop()
                if low[node] == visit:
                    members = path[depth:]
                    del path[depth:]
                    found.append(sorted(members) if len(members) > 1 else members)
                    for member in members:
                        low[member] = done
                elif low[node] < low[work[-1][0]]:
                    low[work[-1][0]] = low[node]
    return found


def topological_order(graph: Graph, key: Callable[[int], Any]) -> list[int]:
    """The nodes of an acyclic graph, successors later; of those that could come next, the one with the
    smallest key.

    >>> topological_order([[2], [2], []], key=lambda node: -node)
    [1, 0, 2]
    """
    waiting = [0] * len(graph)
    for successors in graph:
        for successor in successors:
            waiting[successor] += 1
    ready = [(key(node), node) for node, count in enumerate(waiting) if count == 0]
    heapify(ready)
    order = []
    while ready:
        _, node = heappop(ready)
        order.append(node)
        for successor in graph[node]:
            waiting[successor] -= 1
            if waiting[successor] == 0:
                heappush(ready, (key(successor), successor))
    return order


def condensed(graph: Graph, groups: Sequence[Sequence[int]]) -> list[set[int]]:
    """The graph of groups of nodes, without edges from a group to itself."""
    group_of = {node: g for g, members in enumerate(groups) for node in members}
    return [{group_of[s] for node in members for s in graph[node]} - {g} for g, members in enumerate(groups)]
