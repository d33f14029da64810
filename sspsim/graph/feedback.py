"""The order inside a cycle: as little as possible of what flows should flow against it.

This is the minimum feedback arc set. It is solved exactly for small cycles; for large ones a greedy order
(after Eades, Lin and Smyth) is improved by moving single nodes to their best places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

Weights = Sequence[Mapping[int, int]]  # at place i: the weight of the edge to each successor of node i

EXACT = 9  # nodes; the exact solution takes n * 2^n steps
PASSES = 3  # through all nodes of a large cycle


def arrange(members: Sequence[int], weights: Weights) -> list[int]:
    """The members in an order with the least weight of edges that point backwards; ties as the members are
    given.

    >>> arrange([0, 1, 2], [{1: 5}, {2: 1}, {0: 5}])
    [2, 0, 1]
    """
    place = {node: k for k, node in enumerate(members)}
    inner = [{place[s]: w for s, w in weights[node].items() if s in place and s != node} for node in members]
    order = _exact(inner) if len(inner) <= EXACT else _improved(_greedy(inner), inner)
    return [members[k] for k in order]


def backward_weight(order: Sequence[int], weights: Weights) -> int:
    """The weight of the edges that point backwards, to the node itself included."""
    place = {node: k for k, node in enumerate(order)}
    return sum(w for u in order for v, w in weights[u].items() if v in place and place[v] <= place[u])


def _exact(weights: Weights) -> list[int]:
    """Dynamic programming over sets: the cheapest order of a set starts with one of its nodes and goes on
    cheapest.
    """
    n = len(weights)
    into = [[weights[u].get(v, 0) for u in range(n)] for v in range(n)]
    entering = [[0] * (1 << n) for _ in range(n)]  # [v][set]: the weight from the set to v
    cheapest = [0] * (1 << n)
    for nodes in range(1, 1 << n):
        lowest = (nodes & -nodes).bit_length() - 1
        rest = nodes & (nodes - 1)
        best = -1
        for v in range(n):
            weight = entering[v][nodes] = entering[v][rest] + into[v][lowest]
            if nodes >> v & 1 and (best < 0 or weight + cheapest[nodes ^ 1 << v] < best):
                best = weight + cheapest[nodes ^ 1 << v]
        cheapest[nodes] = best
    order, nodes = [], (1 << n) - 1
    while nodes:
        first = next(
            v
            for v in range(n)
            if nodes >> v & 1 and entering[v][nodes] + cheapest[nodes ^ 1 << v] == cheapest[nodes]
        )
        order.append(first)
        nodes ^= 1 << first
    return order


def _predecessors(weights: Weights) -> list[dict[int, int]]:
    found: list[dict[int, int]] = [{} for _ in weights]
    for u, successors in enumerate(weights):
        for v, w in successors.items():
            found[v][u] = w
    return found


def _greedy(weights: Weights) -> list[int]:
    """Takes what nothing enters to the front, what nothing leaves to the back, else what gives most and gets
    least.
    """
    before = _predecessors(weights)
    gives = [sum(out.values()) for out in weights]
    gets = [sum(into.values()) for into in before]
    waiting: list[tuple[int, int, int, int]] = []

    def push(node: int) -> None:
        rank = 0 if gets[node] == 0 else 1 if gives[node] == 0 else 2
        heappush(waiting, (rank, gets[node] - gives[node], node, gives[node]))

    for node in range(len(weights)):
        push(node)
    front: list[int] = []
    back: list[int] = []
    placed = [False] * len(weights)
    while waiting:
        rank, difference, node, given = heappop(waiting)
        if placed[node] or given != gives[node] or difference != gets[node] - gives[node]:
            continue  # outdated: it was pushed again when its neighbours went
        placed[node] = True
        (back if rank == 1 else front).append(node)
        for v, w in weights[node].items():
            gets[v] -= w
            if not placed[v]:
                push(v)
        for u, w in before[node].items():
            gives[u] -= w
            if not placed[u]:
                push(u)
    return front + back[::-1]


def _improved(order: list[int], weights: Weights) -> list[int]:
    """Moves node after node to the place where it breaks least, while that helps."""
    before = _predecessors(weights)
    cost = backward_weight(order, weights)
    for _ in range(PASSES):
        place = {node: float(k) for k, node in enumerate(order)}
        for node in range(len(weights)):
            place[node] = _best_place(node, place, weights[node], before[node])
        moved = sorted(place, key=lambda node: (place[node], node))
        moved_cost = backward_weight(moved, weights)
        if moved_cost >= cost:
            break
        order, cost = moved, moved_cost
    return order


def _best_place(
    node: int, place: dict[int, float], after: Mapping[int, int], before: Mapping[int, int]
) -> float:
    """Where a node breaks least: only its neighbours count, so the middle between two of them will do."""
    neighbours = sorted(after.keys() | before.keys(), key=place.__getitem__)
    points = [place[v] for v in neighbours]
    cost = sum(before.values())
    here, best, gap = cost, cost, 0
    for k, v in enumerate(neighbours, 1):
        cost += after.get(v, 0) - before.get(v, 0)
        if points[k - 1] < place[node]:
            here = cost
        if cost < best:
            best, gap = cost, k
    if best >= here:
        return place[node]
    if gap == 0:
        return points[0] - 1
    if gap == len(points):
        return points[-1] + 1
    return (points[gap - 1] + points[gap]) / 2
