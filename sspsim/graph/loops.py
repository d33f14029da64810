"""The graph of variables and its algebraic loops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set

from sspsim.graph.dependencies import Dependencies, feedthrough, initial_feedthrough
from sspsim.graph.flat import FlatSystem, Link, Port
from sspsim.graph.strong import strong_components
from sspsim.graph.time_only import per_description

Loops = tuple[tuple[Port, ...], ...]


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
    links = _inside_cycles(system, links)
    graph = VariableGraph(system, links, dependencies, time_only)
    found = [graph.ports_of(group) for group in strong_components(graph.successors) if graph.is_loop(group)]
    # No variable is in two loops, so the first one tells them apart.
    return tuple(
        sorted(found, key=lambda ports: (system.instances[ports[0].instance].path, ports[0].variable))
    )


def _inside_cycles(system: FlatSystem, links: Iterable[Link]) -> list[Link]:
    links = list(links)
    successors: list[set[int]] = [set() for _ in system.instances]
    for link in links:
        successors[link.source.instance].add(link.target.instance)
    cycle_of = {i: k for k, members in enumerate(strong_components(successors)) for i in members}
    return [link for link in links if cycle_of[link.source.instance] == cycle_of[link.target.instance]]


class VariableGraph:
    """Linked variables as numbers: links from output to input, feedthrough from input to output.

    Outputs of one component with the same dependencies share a node between them and the inputs, so that n
    inputs and m outputs need n + m edges instead of n * m.
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
        self.successors: list[list[int]] = []
        self.inputs: dict[int, dict[str, int]] = defaultdict(dict)
        self.outputs: dict[int, dict[str, int]] = defaultdict(dict)
        for link in links:
            source = self._number(link.source, self.outputs)
            self.successors[source].append(self._number(link.target, self.inputs))
        for instance, own in self.outputs.items():
            inputs = self.inputs.get(instance, {})
            shared: dict[frozenset[str] | None, list[int]] = {}
            for name, number in own.items():
                if Port(instance, name) not in time_only:
                    shared.setdefault(dependencies[instance].get(name), []).append(number)
            for names, numbers in shared.items():
                self._join(dependent_inputs(inputs, names), inputs, numbers)

    def _number(self, port: Port, known: dict[int, dict[str, int]]) -> int:
        numbers = known[port.instance]
        number = numbers.get(port.variable)
        if number is None:
            number = numbers[port.variable] = len(self.nodes)
            self.nodes.append((port.instance, port.variable))
            self.successors.append([])
        return number

    def _join(self, names: list[str], inputs: dict[str, int], outputs: list[int]) -> None:
        if not names:
            return
        between = len(self.successors)
        self.successors.append(outputs)
        for name in names:
            self.successors[inputs[name]].append(between)

    def key(self, number: int) -> tuple[int, str]:
        """What an order of nodes with equal rights goes by: the path of the component, then the variable."""
        if number >= len(self.nodes):
            return -1, ""
        instance, variable = self.nodes[number]
        return self.rank[instance], variable

    def is_loop(self, group: list[int]) -> bool:
        """Whether the nodes of a strong component depend on themselves."""
        return len(group) > 1

    def ports_of(self, group: list[int]) -> tuple[Port, ...]:
        """The variables of a group in the order of their names."""
        variables = [n for n in group if n < len(self.nodes)]
        return tuple(Port(*self.nodes[n]) for n in sorted(variables, key=self.key))
