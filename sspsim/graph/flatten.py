"""Flattening: from nested systems to component instances and links between their variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sspsim.errors import InputError
from sspsim.fmi.description import Description, Interface
from sspsim.formats.ssp import Package
from sspsim.graph.flat import FlatSystem, Instance, Link, Output, Port
from sspsim.structure import Component, Connection, Diagnostic, Experiment, Kind, LinearTransformation, Origin, System
from sspsim.structure.diagnostic import error

Path = tuple[str, ...]
Node = tuple[Path, str]  # a connector: the path of its owner and its name

FROM_ELEMENT = {Kind.OUTPUT, Kind.CALCULATED_PARAMETER, Kind.CONSTANT, Kind.LOCAL}
FROM_SYSTEM = {Kind.INPUT, Kind.PARAMETER, Kind.STRUCTURAL_PARAMETER}


@dataclass(frozen=True, slots=True)
class _Hop:
    source: Node
    factor: float
    offset: float
    origin: Origin | None


def flatten(package: Package, describe: Callable[[str, Component], Description]) -> FlatSystem:
    """The flat system of a package; `describe` gives the description of the FMU at a location."""
    flattener = _Flattener(package, describe)
    structure = package.structure
    flattener.system((), structure.system, package.root)
    flattener.links()
    return FlatSystem(
        name=structure.name,
        instances=tuple(flattener.instances),
        links=tuple(flattener.found),
        outputs=tuple(flattener.root_outputs(structure.system)),
        experiment=structure.experiment or Experiment(),
        diagnostics=(*package.diagnostics, *flattener.diagnostics),
    )


class _Flattener:
    def __init__(self, package: Package, describe: Callable[[str, Component], Description]) -> None:
        self.package = package
        self.describe = describe
        self.instances: list[Instance] = []
        self.index: dict[Path, int] = {}
        self.hops: dict[Node, _Hop] = {}
        self.found: list[Link] = []
        self.diagnostics: list[Diagnostic] = []

    def system(self, path: Path, system: System, document: str) -> None:
        """Takes a system's elements and connections in, those of inner systems too."""
        kinds: dict[tuple[str | None, str], Kind] = {(None, c.name): c.kind for c in system.connectors}
        for element in system.elements:
            kinds.update({(element.name, c.name): c.kind for c in element.connectors})
            if isinstance(element, System):
                self.system((*path, element.name), element, document)
            elif isinstance(element, Component):
                self.component((*path, element.name), element, document)
        names = {element.name for element in system.elements}
        for connection in system.connections:
            self.connection(path, connection, kinds, names)

    def component(self, path: Path, component: Component, document: str) -> None:
        """Adds an FMU."""
        if not component.source:
            self.report("V30", f"component {'.'.join(path)!r} has no source", component.origin)
            return
        location = self.package.resolve(document, component.source, component.type)
        description = self.describe(location, component)
        interface = _interface(description, component, path)
        outputs = [c.name for c in component.connectors if c.kind is Kind.OUTPUT and c.name in description.by_name]
        self.index[path] = len(self.instances)
        self.instances.append(Instance(path, location, description, interface, recorded=tuple(outputs)))

    def connection(
        self, path: Path, connection: Connection, kinds: Mapping[tuple[str | None, str], Kind], names: set[str]
    ) -> None:
        """Adds a hop, in the direction that owners and kinds give."""
        ends = [
            (connection.start_element, connection.start_connector),
            (connection.end_element, connection.end_connector),
        ]
        for element, connector in ends:
            if element is not None and element not in names:
                self.report("V05", f"the connection refers to an unknown element {element!r}", connection.origin)
                return
            if (element, connector) not in kinds:
                owner = f"element {element!r}" if element else "the system"
                self.report("V06", f"{owner} has no connector {connector!r}", connection.origin)
                return
        if not _is_source(ends[0], kinds):
            ends.reverse()
        if not _is_source(ends[0], kinds) or _is_source(ends[1], kinds):
            self.report("V07", "the kinds of the two connectors do not allow a connection", connection.origin)
            return
        source, target = (((*path, e) if e is not None else path, c) for e, c in ends)
        factor, offset = 1.0, 0.0
        if isinstance(connection.transformation, LinearTransformation):
            factor, offset = connection.transformation.factor, connection.transformation.offset
        if target in self.hops:
            self.report("V08", f"{'.'.join(target[0])}.{target[1]} is connected twice", connection.origin)
            return
        self.hops[target] = _Hop(source, factor, offset, connection.origin)

    def links(self) -> None:
        """Follows each input of an FMU back to the output that feeds it."""
        for (path, variable), _ in self.hops.items():
            if path in self.index and (traced := self.trace((path, variable))):
                source, factor, offset, via = traced
                target = Port(self.index[path], variable)
                self.found.append(Link(source, target, factor, offset, via=via))

    def trace(self, node: Node) -> tuple[Port, float, float, tuple[Origin, ...]] | None:
        """The output behind a connector, with everything that happens on the way."""
        factor, offset, via = 1.0, 0.0, []
        while (hop := self.hops.get(node)) is not None:
            factor, offset = factor * hop.factor, factor * hop.offset + offset
            if hop.origin:
                via.append(hop.origin)
            node = hop.source
            if node[0] in self.index:
                return Port(self.index[node[0]], node[1]), factor, offset, tuple(via)
        return None

    def root_outputs(self, system: System) -> list[Output]:
        """The connectors of the root system that have a value."""
        traced = ((c.name, self.trace(((), c.name))) for c in system.connectors)
        return [Output(name, found[0], found[1], found[2]) for name, found in traced if found]

    def report(self, code: str, message: str, origin: Origin | None) -> None:
        self.diagnostics.append(error(code, message, origin))


def _is_source(end: tuple[str | None, str], kinds: Mapping[tuple[str | None, str], Kind]) -> bool:
    return kinds[end] in (FROM_SYSTEM if end[0] is None else FROM_ELEMENT)


def _interface(description: Description, component: Component, path: Path) -> Interface:
    if component.implementation in ("any", "CoSimulation") and description.co_simulation:
        return description.co_simulation
    raise InputError(f"{component.origin}: component {'.'.join(path)!r}: its FMU offers no co-simulation")
