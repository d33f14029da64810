"""The order inside a cycle: as little as possible of what flows should flow against it.

This is the minimum feedback arc set. It is solved exactly for small cycles; for large ones a greedy order
(after Eades, Lin and Smyth) is improved by moving single nodes to their best places.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from itertools import accumulate

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
    order = _exact(inner) if len(inner) <= EXACT else _heuristic(inner)
    return [members[k] for k in order]


def backward_weight(order: Sequence[int], weights: Weights) -> int:
    """The weight of the edges that point backwards, to the node itself included."""
    place = [0] * len(order)
    for k, node in enumerate(order):
        place[node] = k
    return sum(
        [w for own, out in zip(place, weights, strict=True) for v, w in out.items() if place[v] <= own]
    )


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


def _heuristic(weights: Weights) -> list[int]:
    before = _predecessors(weights)
    return _improved(_greedy(weights, before), weights, before)


def _predecessors(weights: Weights) -> list[dict[int, int]]:
    found: list[dict[int, int]] = [{} for _ in weights]
    for u, successors in enumerate(weights):
        for v, w in successors.items():
            found[v][u] = w
    return found


def _greedy(weights: Weights, before: Weights) -> list[int]:
    """Takes what nothing enters to the front, what nothing leaves to the back, else what gives most and gets
    least.
    """
    gives = [sum(out.values()) for out in weights]
    gets = [sum(into.values()) for into in before]
    count, span = len(weights), 2 * sum(gives) + 1

    def urgency(node: int) -> int:
        """First its kind, then what it gets beyond what it gives, then its place: one number, for speed."""
        kind = 0 if gets[node] == 0 else 1 if gives[node] == 0 else 2
        return (kind * span + gets[node] - gives[node]) * count + node

    waiting = sorted(map(urgency, range(count)))
    front: list[int] = []
    back: list[int] = []
    placed = [False] * count
    while waiting:
        first = heappop(waiting)
        node = first % count
        if placed[node]:
            continue
        if first != (now := urgency(node)):  # less urgent since something that it feeds has gone
            heappush(waiting, now)
            continue
        placed[node] = True
        (front if gives[node] or not gets[node] else back).append(node)
        for v, w in weights[node].items():
            gets[v] -= w
            if not placed[v]:
                heappush(waiting, urgency(v))
        for u, w in before[node].items():
            gives[u] -= w
            if not gives[u] and not placed[u]:
                heappush(waiting, urgency(u))
    return front + back[::-1]


def _improved(order: list[int], weights: Weights, before: Weights) -> list[int]:
    """Moves node after node to the place where it breaks least, while that helps."""
    entering = [sum(into.values()) for into in before]
    changes = [
        {v: after.get(v, 0) - into.get(v, 0) for v in after.keys() | into.keys()}
        for after, into in zip(weights, before, strict=True)
    ]
    cost = backward_weight(order, weights)
    for _ in range(PASSES):
        place = [0.0] * len(order)
        for k, node in enumerate(order):
            place[node] = float(k)
        for node, change in enumerate(changes):
            place[node] = _best_place(place[node], place, entering[node], change)
        moved = sorted(range(len(order)), key=place.__getitem__)
        moved_cost = backward_weight(moved, weights)
        if moved_cost >= cost:
            break
        order, cost = moved, moved_cost
    return order


def _best_place(own: float, place: Sequence[float], entering: int, change: Mapping[int, int]) -> float:
    """Where a node breaks least: only its neighbours count, so the middle between two of them will do.

    In front of all of them it breaks what enters; each one that it passes makes a `change`.
    """
    neighbours = sorted(change, key=place.__getitem__)
    costs = list(accumulate(map(change.__getitem__, neighbours), initial=entering))
    best = min(costs)
    if best == costs[bisect_left(neighbours, own, key=place.__getitem__)]:
        return own
    gap = costs.index(best)
    if gap == 0:
        return place[neighbours[0]] - 1
    if gap == len(neighbours):
        return place[neighbours[-1]] + 1
    return (place[neighbours[gap - 1]] + place[neighbours[gap]]) / 2
