"""Everything that arrives at one variable: links from other variables, values, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from sspsim.fmi.description import Description, Variable
from sspsim.graph.arrays import all_indices, count, flat_index, in_words, shape
from sspsim.graph.direction import TAKING
from sspsim.graph.flat import ENVIRONMENT, Link, Port
from sspsim.graph.fold import Folding
from sspsim.graph.report import Report
from sspsim.graph.signal import WHOLE, Index, Signal
from sspsim.graph.trace import Circular, InPieces, Route, trace
from sspsim.graph.tree import Node
from sspsim.structure import Origin, Scalar


@dataclass(slots=True)
class Target:
    """What is known about a variable, by element: which link feeds it, or which value it starts with."""

    links: dict[int, Link] = field(default_factory=dict)
    values: dict[int, Scalar] = field(default_factory=dict)
    origin: Origin | None = None
    entries: list[Signal] = field(default_factory=list)

    def start_values(self, variable: Variable) -> tuple[Scalar, ...]:
        """All elements of a start value, those that are not given as the FMU has them."""
        own = variable.start or ()
        n = max(count(variable), len(self.values))
        if any(k not in self.values and k >= len(own) for k in range(n)):
            return tuple(self.values.values())
        return tuple(self.values[k] if k in self.values else own[k] for k in range(n))


class Arrivals:
    """Follows the routes to variables; `numbers` and `descriptions` are those of the components."""

    def __init__(
        self,
        root: Node,
        numbers: Mapping[Node, int],
        descriptions: Sequence[Description],
        folding: Folding,
        report: Report,
    ) -> None:
        self.root = root
        self.numbers = numbers
        self.descriptions = descriptions
        self.folding = folding
        self.report = report
        self.fed: dict[Signal, list[Link]] = {}  # connectors of the root system and what they would feed

    def route(self, signal: Signal, index: Index = WHOLE) -> Route | None:
        """The route to a signal; None where connectors only feed each other."""
        try:
            return trace(signal, index)
        except Circular as problem:
            self.report.error("V08", str(problem), problem.hop.origin, "remove a connection of the circle")
            return None

    def target(self, signal: Signal, port: Port, sizes: tuple[int, ...]) -> Target:
        """Everything that arrives at a variable, element by element if they come from different places."""
        target = Target()
        try:
            if route := self.route(signal):
                self._add(target, route, port, sizes)
        except InPieces:
            for k, index in enumerate(all_indices(sizes)):
                if route := self.route(signal, index):
                    self._add(target, route, port._replace(element=k), ())
            self._report_foreign_elements(signal, sizes)
        return target

    def _add(self, target: Target, route: Route, port: Port, sizes: tuple[int, ...]) -> None:
        if route.bound:
            values = self.folding.values(route)
            if values and len(values) != prod(sizes):
                message = f"{route.entry}: {len(values)} values are bound to {prod(sizes)} elements"
                self.report.error("V21", message, route.bound.origin)
                values = ()
            target.values.update(enumerate(values, port.element))
            target.origin = route.bound.origin
            assert route.entry
            target.entries.append(route.entry)
        elif route.hops and route.source.variable is not None:
            for link in self.links(route, port, sizes):
                target.links[link.target.element] = link
        if self.is_open(route):
            self.feed(route, port, sizes)

    def is_open(self, route: Route) -> bool:
        """Whether a route begins where somebody outside of the system may give a value."""
        return route.source.owner is self.root and route.source.kind in TAKING

    def feed(self, route: Route, port: Port, sizes: tuple[int, ...]) -> None:
        """Notes what a connector of the root system would feed."""
        feeds = self._links(Port(ENVIRONMENT, route.source.name), port, sizes, route)
        self.fed.setdefault(route.source, []).extend(feeds)

    def links(self, route: Route, port: Port, sizes: tuple[int, ...]) -> Iterable[Link]:
        """The links from a variable of an FMU, element by element; none if the shapes differ."""
        node, variable = route.source.owner, route.source.variable
        if variable is None or node not in self.numbers:
            return ()
        number = self.numbers[node]
        offered = shape(self.descriptions[number].by_name[variable.name])
        try:
            first = flat_index(route.index, offered) if route.index else 0
            if not route.index and offered != sizes:
                raise ValueError(f"{in_words(offered)} cannot feed {in_words(sizes)}")
        except ValueError as problem:
            hop = next((h for h in route.hops if h.origin), route.hops[0])
            self.report.error("V21", f"{hop}: {problem}", hop.origin)
            return ()
        return self._links(Port(number, variable.name, first), port, sizes, route)

    def _links(self, source: Port, target: Port, sizes: tuple[int, ...], route: Route) -> Iterable[Link]:
        change = self.folding.stream(route.hops).conversion
        via = tuple(hop.origin for hop in route.hops if hop.origin)
        for k in range(prod(sizes)):
            yield Link(
                Port(source.instance, source.variable, source.element + k),
                Port(target.instance, target.variable, target.element + k),
                change.factor,
                change.offset,
                change.table,
                via,
            )

    def _report_foreign_elements(self, signal: Signal, sizes: tuple[int, ...]) -> None:
        """Connections to elements that an array does not have."""
        for here in (signal, *signal.behind):
            for index, hop in here.inbound.items():
                try:
                    flat_index(index, sizes)
                except ValueError as problem:
                    self.report.error("V21", f"{hop}: {problem}", hop.origin)
