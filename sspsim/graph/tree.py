"""Expansion: the tree of all elements, with the systems that components refer to put in their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sspsim.errors import InputError
from sspsim.fmi.description import Description, Interface
from sspsim.formats.package_rules import expanded_size
from sspsim.formats.refusal import Refusal, refusal
from sspsim.formats.sources import Session, media_type
from sspsim.formats.ssp import Package
from sspsim.graph.quantity import Scope
from sspsim.graph.report import Report
from sspsim.graph.signal import Signal
from sspsim.structure import Component, Connector, DictionaryReference, Element, Origin, System
from sspsim.structure.system import CSV, FMU, SSD, SSP

Path = tuple[str, ...]
Describe = Callable[[str, Component], Description]
MAX_ELEMENTS = 100_000  # files that refer to each other can stand for more elements than any computer holds
MAX_DEPTH = 100
RUNNABLE = {"CoSimulation": "co_simulation", "ModelExchange": "model_exchange"}  # by preference


@dataclass(eq=False, slots=True)
class Node:
    """One element of the expanded tree.

    A system has `children`; a component that refers to a system has that as its `inner`, at the same path;
    a component with an FMU has a `description`. A component with none of them has no implementation.
    """

    path: Path
    element: Element
    scope: Scope
    parent: Node | None = None
    children: dict[str, Node] = field(default_factory=dict)
    inner: Node | None = None
    description: Description | None = None
    interface: Interface | None = None
    location: str = ""
    connectors: dict[str, Signal] = field(default_factory=dict)
    variables: dict[str, Signal] = field(default_factory=dict)
    unknown: dict[str, Connector] = field(default_factory=dict)  # not there in the implementation
    refused: set[str] = field(default_factory=set)  # not there, although connected

    @property
    def name(self) -> str:
        """The path as people write it."""
        return ".".join(self.path)

    @property
    def is_empty(self) -> bool:
        """A component without an implementation."""
        return isinstance(self.element, Component) and self.inner is None and self.description is None

    def walk(self) -> Iterator[Node]:
        """All nodes, inner ones before outer ones."""
        if self.inner:
            yield from self.inner.walk()
        for child in self.children.values():
            yield from child.walk()
        yield self


def expand(
    package: Package,
    session: Session,
    describe: Describe,
    report: Report,
    *,
    allow_missing: bool = False,
) -> Node:
    """The tree of a package; `describe` gives the description of the FMU at a location."""
    if expanded_size(package) > MAX_ELEMENTS:
        raise _too_many(package)
    expansion = _Expansion(package, session, describe, report, allow_missing)
    return expansion.system((), package.structure.system, expansion.scope(package.root), None, ())


class _Expansion:
    def __init__(
        self,
        package: Package,
        session: Session,
        describe: Describe,
        report: Report,
        allow_missing: bool,
    ) -> None:
        self.package = package
        self.session = session
        self.describe = describe
        self.report = report
        self.allow_missing = allow_missing
        self.missing = report.warning if allow_missing else report.error
        self.scopes: dict[str, Scope] = {}
        self.identified: dict[str, dict[str, System]] = {}
        self.count = 0

    def scope(self, location: str) -> Scope:
        """The scope of a document."""
        if location not in self.scopes:
            document = self.package.documents[location]
            self.scopes[location] = Scope(location, document.version, document.units, document.enumerations)
        return self.scopes[location]

    def system(
        self, path: Path, system: System, scope: Scope, parent: Node | None, around: tuple[System, ...]
    ) -> Node:
        """A system and everything in it; `around` are the systems that contain it."""
        node = Node(path, system, scope, parent)
        for element in system.elements:
            if element.name not in node.children:  # else V03 has been reported
                node.children[element.name] = self.element(
                    (*path, element.name), element, node, (*around, system)
                )
        return node

    def element(self, path: Path, element: Element, parent: Node, around: tuple[System, ...]) -> Node:
        """One element of a system."""
        self.count += 1
        if isinstance(element, System):
            return self.system(path, element, parent.scope, parent, around)
        node = Node(path, element, parent.scope, parent)
        if isinstance(element, Component):
            self.component(node, element, around)
        else:
            assert isinstance(element, DictionaryReference)
        return node

    def component(self, node: Node, component: Component, around: tuple[System, ...]) -> None:
        """Finds out what a component stands for."""
        if not component.source:
            self.absent("V30", f"component {node.name!r} has no source", component.origin)
            return
        media = media_type(component.type, component.source)
        try:
            node.location = self.session.resolve(node.scope.location, component.source, component.type)
        except InputError as problem:
            self.absent("V26", f"component {node.name!r}: {problem}", component.origin)
            return
        try:
            if media in (FMU, CSV):
                self.fmu(node, component)
            elif media in (SSD, SSP):
                self.reference(node, component, around)
            else:
                message = f"component {node.name!r}: type {component.type!r} cannot be simulated"
                self.absent("V26", message, component.origin, "export it as an FMU, or --allow-missing")
        except InputError as problem:
            self.missing("V26", f"component {node.name!r}: {problem}", component.origin)
        if self.count > MAX_ELEMENTS:
            raise _too_many(self.package)  # only now, since files refer to each other in a circle, too

    def absent(self, code: str, message: str, origin: Origin | None, hint: str = "") -> None:
        """A component that the files themselves are enough to know about: they have been warned about it."""
        if not self.allow_missing:
            self.report.error(code, message, origin, hint)

    def fmu(self, node: Node, component: Component) -> None:
        """A component that can be stepped."""
        node.description = description = self.describe(node.location, component)
        wanted = list(RUNNABLE) if component.implementation == "any" else [component.implementation]
        offered = {
            "CoSimulation": description.co_simulation,
            "ModelExchange": description.model_exchange,
            "ScheduledExecution": description.scheduled_execution,
        }
        node.interface = next((offered[w] for w in wanted if w in RUNNABLE and offered[w]), None)
        if node.interface is None:
            there = " and ".join(name for name, interface in offered.items() if interface) or "nothing"
            wish = f"{component.implementation} is wanted, " if component.implementation != "any" else ""
            able = " and ".join(RUNNABLE)
            message = f"component {node.name!r}: {wish}its FMU offers {there}; {able} can be simulated"
            self.report.error("V25", message, component.origin, "export the FMU for co-simulation")

    def reference(self, node: Node, component: Component, around: tuple[System, ...]) -> None:
        """A component that is a system of its own: in another file, or another one of this file."""
        location, _, identifier = node.location.partition("#")
        if location not in self.package.documents:
            return  # could not be read, which has been reported
        system = self.identified_system(location, identifier)
        if reason := self.reason_to_stop(system, around):
            self.report.error(
                "V27", f"component {node.name!r} {reason}", component.origin, "break the circle"
            )
            return
        # Dictionaries are looked up outwards, but not beyond the file.
        parent = node.parent if location == node.scope.location else None
        node.inner = self.system(node.path, system, self.scope(location), parent, around)

    def reason_to_stop(self, system: System, around: tuple[System, ...]) -> str:
        """Why a system must not be put in here."""
        if any(system is outer for outer in around):
            return "makes a system contain itself"
        return f"is nested more than {MAX_DEPTH} deep" if len(around) >= MAX_DEPTH else ""

    def identified_system(self, location: str, identifier: str) -> System:
        """A system of a document by its id, or the outermost one."""
        root = self.package.documents[location].system
        if not identifier:
            return root
        if location not in self.identified:
            self.identified[location] = dict(_with_id(root))
        if identifier not in self.identified[location]:
            raise InputError(f"there is no system with the id {identifier!r} in {location}")
        return self.identified[location][identifier]


def _too_many(package: Package) -> Refusal:
    message = f"the system stands for more than {MAX_ELEMENTS} elements: its files multiply each other"
    return refusal("V27", message, str(package.path), hint="do not trust this file")


def _with_id(system: System) -> Iterator[tuple[str, System]]:
    if system.id:
        yield system.id, system
    for element in system.elements:
        if isinstance(element, System):
            yield from _with_id(element)
