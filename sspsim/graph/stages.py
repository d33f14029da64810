"""The order of evaluation: cycles of components, what comes first, and who goes first inside a cycle."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush

from sspsim.graph.feedback import arrange
from sspsim.graph.strong import condensed, strong_components, topological_order

Flow = list[dict[int, int]]  # at place i: how many scalars component i hands to each other one


class Stages:
    """Cycles and single components, sorted."""

    def __init__(self, paths: Sequence[tuple[str, ...]], live: Flow, timed: Flow) -> None:
        self.paths = paths
        self.live = live
        self.timed = timed
        self.entered = {target for successors in live for target in successors}
        self.groups = [sorted(members, key=paths.__getitem__) for members in strong_components(live)]

    def in_order(self, wish: Callable[[Sequence[int]], list[int]]) -> tuple[tuple[int, ...], ...]:
        """The groups so that every live link between two of them points forward, and if possible every timed
        one.

        `wish` gives the order that the user wants inside a cycle, or nothing.
        """
        live = condensed(self.live, self.groups)
        timed = condensed(self.timed, self.groups)
        both = [a | b for a, b in zip(live, timed, strict=True)]
        blocks = strong_components(both)
        sequence = topological_order(
            condensed(both, blocks), key=lambda b: min(self.rank(group) for group in blocks[b])
        )
        groups = [g for b in sequence for g in self._inside_block(blocks[b], live)]
        weights = self._weights()
        return tuple(tuple(wish(self.groups[g]) or arrange(self.groups[g], weights)) for g in groups)

    def rank(self, group: int) -> tuple[bool, tuple[str, ...]]:
        """What nothing enters comes first, then goes the name."""
        members = self.groups[group]
        return members[0] in self.entered, self.paths[members[0]]

    def _weights(self) -> Flow:
        """Breaking a live link is worse than breaking any number of timed ones."""
        much = 1 + sum(sum(successors.values()) for successors in self.timed)
        return [
            {target: much * a.get(target, 0) + b.get(target, 0) for target in a | b}
            for a, b in zip(self.live, self.timed, strict=True)
        ]

    def _inside_block(self, block: Sequence[int], live: Sequence[Collection[int]]) -> list[int]:
        """Groups that only timed links hold together: in the order of the live ones, the fewest timed ones
        broken.
        """
        if len(block) == 1:
            return list(block)
        group_of = {i: g for g in block for i in self.groups[g]}
        waiting = dict.fromkeys(block, 0)
        pending = dict.fromkeys(block, 0)
        for g in block:
            for successor in live[g]:
                if successor in waiting:
                    waiting[successor] += 1
            for target, count in self._timed_from(g, group_of):
                pending[target] += count
        ready = [(pending[g], self.rank(g), g) for g in block if waiting[g] == 0]
        heapify(ready)
        order: list[int] = []
        done: set[int] = set()
        while ready:
            count, _, g = heappop(ready)
            if g in done or count != pending[g]:
                continue  # outdated: it was pushed again when less was missing
            done.add(g)
            order.append(g)
            for target, count in self._timed_from(g, group_of):
                pending[target] -= count
                if waiting[target] == 0:
                    heappush(ready, (pending[target], self.rank(target), target))
            for successor in live[g]:
                if successor in waiting:
                    waiting[successor] -= 1
                    if waiting[successor] == 0:
                        heappush(ready, (pending[successor], self.rank(successor), successor))
        return order

    def _timed_from(self, group: int, group_of: Mapping[int, int]) -> Iterable[tuple[int, int]]:
        for i in self.groups[group]:
            for target, count in self.timed[i].items():
                if group_of.get(target, group) != group:
                    yield group_of[target], count
