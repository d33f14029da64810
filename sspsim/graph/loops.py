"""The graph of variables and its algebraic loops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set

from sspsim.graph.dependencies import Dependencies, feedthrough, initial_feedthrough
from sspsim.graph.flat import FlatSystem, Link, Port
from sspsim.graph.strong import strong_components
from sspsim.graph.time_only import per_description

Loops = tuple[tuple[Port, ...], ...]
Joint = tuple[list[str], list[int]]  # outputs of an instance that depend on the same inputs of it


def algebraic_loops(system: FlatSystem, time_only: Set[Port]) -> tuple[Loops, Loops]:
    """Values that depend on themselves without a step in between: at communication points, and initially.

    Time-only outputs close no loops, except in the initialisation, where they may depend on other things.
    """
    stepping, starting = per_description(system, feedthrough), per_description(system, initial_feedthrough)
    initial = _loops(system, (*system.links, *system.initial_links), starting, frozenset())
    told_alike = not system.initial_links and stepping == starting
    if told_alike and all(port not in time_only for loop in initial for port in loop):
        return initial, initial
    return _loops(system, system.links, stepping, time_only), initial


def dependent_inputs(inputs: Iterable[str], names: frozenset[str] | None) -> list[str]:
    """Those of the inputs that are among the names; all if nobody told the names."""
    return list(inputs) if names is None else [name for name in inputs if name in names]


def _loops(
    system: FlatSystem, links: Iterable[Link], dependencies: list[Dependencies], time_only: Set[Port]
) -> Loops:
    """A loop of variables lies inside a cycle of components: only those are looked at."""
    graph = VariableGraph(system, _inside_cycles(system, links), dependencies, time_only)
    return tuple(map(tuple, graph.loops()))


def _inside_cycles(system: FlatSystem, links: Iterable[Link]) -> list[Link]:
    links = list(links)
    successors: list[set[int]] = [set() for _ in system.instances]
    for link in links:
        successors[link.source.instance].add(link.target.instance)
    cycle_of = {i: k for k, members in enumerate(strong_components(successors)) for i in members}
    return [link for link in links if cycle_of[link.source.instance] == cycle_of[link.target.instance]]


class VariableGraph:
    """What linked outputs do to each other at once: an output acts on all that depend on the inputs it feeds.

    Outputs are numbers. Where many act on many, a node is put in between, so that n inputs and m outputs
    need n + m edges instead of n * m.
    """

    def __init__(
        self,
        system: FlatSystem,
        links: Iterable[Link],
        dependencies: list[Dependencies],
        time_only: Set[Port],
    ) -> None:
        by_path = sorted(range(len(system.instances)), key=lambda i: system.instances[i].path)
        self.rank = {i: rank for rank, i in enumerate(by_path)}
        self.nodes: list[tuple[int, str]] = []
        self.inputs: dict[int, dict[str, list[int]]] = defaultdict(dict)  # and what feeds them
        self.outputs: dict[int, dict[str, int]] = defaultdict(dict)
        for link in links:
            (i, given, _), (j, taken, _) = link.source, link.target
            number = self.outputs[i].setdefault(given, len(self.nodes))
            if number == len(self.nodes):
                self.nodes.append((i, given))
            self.inputs[j].setdefault(taken, []).append(number)
        self.successors: list[list[int]] = [[] for _ in self.nodes]
        self.joints: dict[int, list[Joint]] = {}
        for i in self.outputs:
            self.joints[i] = self._joints(i, dependencies[i], time_only)
            self._connect(i)

    def _joints(self, instance: int, dependencies: Dependencies, time_only: Set[Port]) -> list[Joint]:
        alike: dict[frozenset[str] | None, list[int]] = {}
        for name, number in self.outputs[instance].items():
            if (instance, name, 0) not in time_only:
                alike.setdefault(dependencies.get(name), []).append(number)
        inputs = self.inputs[instance]
        return [(dependent_inputs(inputs, names), numbers) for names, numbers in alike.items()]

    def _connect(self, instance: int) -> None:
        feeds, successors = self.inputs[instance], self.successors
        for inputs, outputs in self.joints[instance]:
            feeding = [number for name in inputs for number in feeds[name]]
            following = outputs
            if len(feeding) > 1 and len(outputs) > 1:
                successors.append(outputs)
                following = [len(successors) - 1]
            for number in feeding:
                successors[number] += following

    def key(self, number: int) -> tuple[int, str]:
        """What an order of nodes with equal rights goes by: the path of the component, then the variable."""
        if number >= len(self.nodes):
            return -1, ""
        instance, variable = self.nodes[number]
        return self.rank[instance], variable

    def is_loop(self, group: list[int]) -> bool:
        """Whether the nodes of a strong component depend on themselves."""
        return len(group) > 1 or group[0] in self.successors[group[0]]

    def loops(self) -> list[list[Port]]:
        """Inputs and outputs that depend on themselves; sorted, as are the variables of each loop."""
        groups = [group for group in strong_components(self.successors) if self.is_loop(group)]
        loop_of = {number: k for k, group in enumerate(groups) for number in group}
        found: dict[int, list[Port]] = defaultdict(list)
        for instance in sorted(self.outputs, key=self.rank.__getitem__):
            own = {name: loop_of[n] for name, n in self.outputs[instance].items() if n in loop_of}
            for inputs, outputs in self.joints[instance] if own else ():
                loops = {loop_of[number] for number in outputs if number in loop_of}
                for name in inputs if loops else ():
                    for number in self.inputs[instance][name]:
                        if (loop := loop_of.get(number)) in loops:
                            own[name] = loop
            for name in sorted(own):
                found[own[name]].append(Port(instance, name))
        return list(found.values())
