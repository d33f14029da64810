"""Flattening: from the network of nested systems to component instances and links between their variables."""

from __future__ import annotations

from collections.abc import Iterable

from sspsim.fmi.description import Description, Variable
from sspsim.formats.ssp import Package
from sspsim.garbage import no_collection
from sspsim.graph.arrays import count, has_open_sizes, shape, with_sizes
from sspsim.graph.direction import TAKING
from sspsim.graph.flat import (
    ENVIRONMENT,
    FixedOutput,
    FlatSystem,
    Input,
    Instance,
    Link,
    Output,
    Port,
    Start,
)
from sspsim.graph.fold import Folding
from sspsim.graph.network import Choices, Network, build_network
from sspsim.graph.signal import Hop, Signal
from sspsim.graph.targets import Arrivals, Target
from sspsim.graph.trace import InPieces, Route
from sspsim.graph.tree import Describe, Node
from sspsim.structure import Experiment, Kind, Origin, Scalar, Type

RECORDED = (Kind.OUTPUT, Kind.LOCAL)


def flatten(package: Package, describe: Describe, choices: Choices | None = None) -> FlatSystem:
    """The flat system of a package; `describe` gives the description of the FMU at a location."""
    return flatten_network(build_network(package, describe, choices), package)


@no_collection()
def flatten_network(network: Network, package: Package) -> FlatSystem:
    """The flat system of a network."""
    structure = package.structure
    flattener = _Flattener(network)
    flattener.run()
    return FlatSystem(
        name=structure.name,
        instances=tuple(flattener.instances),
        links=tuple(flattener.links),
        outputs=tuple(flattener.outputs),
        experiment=structure.experiment or Experiment(),
        diagnostics=network.report.diagnostics,
        inputs=tuple(flattener.inputs()),
        initial_links=tuple(flattener.initial_links),
        fixed_outputs=tuple(flattener.fixed_outputs),
    )


class _Flattener:
    def __init__(self, network: Network) -> None:
        self.network = network
        self.report = network.report
        self.folding = Folding(network.report, network.choices.conversions)
        self.nodes = [node for node in network.root.walk() if node.description and node.interface]
        numbers = {node: i for i, node in enumerate(self.nodes)}
        self.descriptions: list[Description] = []
        self.arrivals = Arrivals(network.root, numbers, self.descriptions, self.folding, self.report)
        self.instances: list[Instance] = []
        self.links: list[Link] = []
        self.initial_links: list[Link] = []
        self.outputs: list[Output] = []
        self.fixed_outputs: list[FixedOutput] = []

    def run(self) -> None:
        """Sizes of arrays first, then links and start values, then the outputs of the root system."""
        self.descriptions += map(self.sized, self.nodes)
        for number, node in enumerate(self.nodes):
            self.instances.append(self.instance(number, node))
        for signal in self.network.root.connectors.values():
            if signal.kind not in TAKING:
                self.root_output(signal)
        for hop in self.network.hops:
            if id(hop) not in self.folding.checked:
                self.folding.stream((hop,))

    # ---- components ----------------------------------------------------------------------------------------

    def sized(self, node: Node) -> Description:
        """The description of a component with the sizes of its arrays known."""
        description = node.description
        assert description
        if not has_open_sizes(description):
            return description
        structural = [v for v in description.variables if v.causality == "structuralParameter"]
        return with_sizes(description, {v.name: self.structural_value(node, v) for v in structural})

    def structural_value(self, node: Node, variable: Variable) -> int:
        """The value of a structural parameter: bound, else the FMU's own."""
        signal = node.variables.get(variable.name)
        route = self.arrivals.route(signal) if signal else None
        values = (self.folding.values(route) if route and route.bound else ()) or variable.start or (1,)
        return int(values[0])

    def instance(self, number: int, node: Node) -> Instance:
        """A component with its start values; the links that lead to it are noted."""
        description = self.descriptions[number]
        starts: list[Start] = []
        for signal in node.variables.values():
            if signal.behind or signal.bound:
                starts += self.taken_in(number, signal, description.by_name[signal.name])
        for connector in node.connectors.values():
            if connector.bound and connector.behind:
                starts += self.guess(connector, connector.behind[0], description)
        starts.sort(key=lambda start: start.variable.causality != "structuralParameter")
        assert node.interface
        return Instance(
            node.path, node.location, description, node.interface, tuple(starts), tuple(_recorded(node))
        )

    def taken_in(self, number: int, signal: Signal, variable: Variable) -> Iterable[Start]:
        """Links and start value of a variable that is fed through its connector, or bound without one."""
        target = self.arrivals.target(signal, Port(number, variable.name), shape(variable))
        connector = signal.behind[0] if signal.behind else signal
        if target.links:
            self.add_links(target, variable)
        if connector.bound and connector not in target.entries and (target.links or target.entries):
            # The value is of some use all the same: as a first guess for the initialisation.
            bound = connector.bound[-1]
            message = f"{connector} is connected, which wins over the value that is bound to it"
            self.report.warning("V20", message, bound.origin, "remove the connection or the value")
            if not target.values:
                return self.guess(connector, signal, self.descriptions[number])
        if not target.values:
            return ()
        return self.settable(variable, target.start_values(variable), target.origin, signal)

    def guess(self, connector: Signal, signal: Signal, description: Description) -> Iterable[Start]:
        """The start value of a variable that is computed or connected, such as an output to begin with."""
        bound = connector.bound[-1]
        values = self.folding.carried(bound, connector, (Hop(connector, signal),))
        return self.settable(description.by_name[signal.name], values, bound.origin, connector)

    def settable(
        self, variable: Variable, values: tuple[Scalar, ...], origin: Origin | None, signal: Signal
    ) -> Iterable[Start]:
        """A start value, if there is one and the FMU lets it be set."""
        if not values:
            return ()
        if not variable.settable_before_run:
            why = f"{variable.causality}, {variable.variability}, initial {variable.initial or 'not given'}"
            message = f"{signal} cannot be set ({why}); its bound value has no effect"
            tell = (
                self.report.warning if origin else self.report.error
            )  # only the user gives values without one
            tell("V20", message, origin, "remove it from the parameter set" if origin else "")
            return ()
        if len(values) != count(variable):
            message = f"{signal} has {count(variable)} elements, {len(values)} values are bound to it"
            self.report.error("V21", message, origin)
            return ()
        return (Start(variable, values, origin),)

    def add_links(self, target: Target, variable: Variable) -> None:
        """Hands links on; elements that nobody feeds keep their value, since FMI sets whole arrays."""
        if len(target.links) < count(variable) and not self.complete(target, variable):
            return
        during_run = variable.causality == "input" or variable.variability == "tunable"
        links = self.links if during_run else self.initial_links
        links.extend(target.links[k] for k in sorted(target.links))

    def complete(self, target: Target, variable: Variable) -> bool:
        """Links for the elements that nobody feeds, which bring their start values; False if there is no way."""
        some = next(iter(target.links.values()))
        start = target.start_values(variable)
        for k in range(count(variable)):
            if k not in target.links:
                value = start[k] if k < len(start) else 0.0
                if isinstance(value, str | bytes):
                    message = f"{variable.name}: all elements of an array of texts must be connected"
                    self.report.error("V21", message, some.via[0] if some.via else None)
                    return False
                target.links[k] = Link(some.source, some.target._replace(element=k), 0.0, float(value))
        return True

    # ---- the root ------------------------------------------------------------------------------------------

    def root_output(self, signal: Signal) -> None:
        """A connector of the root system, element by element if they come from different places."""
        try:
            self.output(signal, self.arrivals.route(signal), signal.name)
        except InPieces:
            for index in sorted(signal.inbound):
                brackets = f"[{','.join(map(str, index))}]"
                self.output(signal, self.arrivals.route(signal, index), signal.name + brackets)

    def output(self, signal: Signal, route: Route | None, name: str) -> None:
        """What one route brings to a connector of the root system; nothing is a missing value."""
        if route and route.hops and not route.bound and route.source.variable:
            self.outputs += self.fed_outputs(signal, route, name)
            return
        if route and route.hops and self.arrivals.is_open(route):
            self.arrivals.feed(route, Port(ENVIRONMENT, name), ())
        values: tuple[Scalar | None, ...] = ()
        if route and route.bound:
            values = self.folding.values(route)
        for k, value in enumerate(values or (None,)):
            element = _element_name(name, k, len(values))
            kind = signal.quantity.type or _type_of(value)
            self.fixed_outputs.append(FixedOutput(element, value, kind, _unit_name(signal)))

    def fed_outputs(self, signal: Signal, route: Route, name: str) -> Iterable[Output]:
        """A connector of the root system that a variable feeds."""
        node, variable = route.source.owner, route.source.variable
        assert variable
        if node not in self.arrivals.numbers:
            return
        description = self.descriptions[self.arrivals.numbers[node]]
        sizes = () if route.index else shape(description.by_name[variable.name])
        stream = self.folding.stream(route.hops)
        links = list(self.arrivals.links(route, Port(ENVIRONMENT, signal.name), sizes))
        for k, link in enumerate(links):
            yield Output(
                _element_name(name, k, len(links)),
                link.source,
                link.factor,
                link.offset,
                link.table,
                stream.type or Type.REAL,
                stream.unit.name if stream.unit else None,
            )

    def inputs(self) -> Iterable[Input]:
        """The connectors of the root system that take their value from outside."""
        for signal in self.network.root.connectors.values():
            if signal.kind in TAKING:
                links = tuple(self.arrivals.fed.get(signal, ()))
                kind = signal.quantity.type or (self.type_of(links[0].target) if links else Type.REAL)
                values = self.folding.carried(signal.bound[-1], signal) if signal.bound else ()
                yield Input(signal.name, signal.kind, kind, _unit_name(signal), values, links)

    def type_of(self, port: Port) -> Type:
        """The type of a variable."""
        return self.descriptions[port.instance].by_name[port.variable].type


def _recorded(node: Node) -> Iterable[str]:
    """The variables whose values are kept: declared outputs, or all outputs if nothing is declared."""
    assert node.description
    if not node.element.connectors:
        return [v.name for v in node.description.variables if v.causality == "output"]
    names = (s.behind[0].name for s in node.connectors.values() if s.kind in RECORDED and s.behind)
    return dict.fromkeys(names)


def _element_name(name: str, k: int, n: int) -> str:
    return name if n <= 1 else f"{name}[{k + 1}]"


def _type_of(value: Scalar | None) -> Type:
    """The type of a value at a connector that does not say."""
    types = {bool: Type.BOOLEAN, int: Type.INTEGER, str: Type.STRING, bytes: Type.BINARY}
    return types.get(type(value), Type.REAL)


def _unit_name(signal: Signal) -> str | None:
    return signal.quantity.unit.name if signal.quantity.unit else None
