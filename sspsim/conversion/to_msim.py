"""A system as a MasterSim project, flattened since projects know no nesting; what is lost is listed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from sspsim.conversion.layout import to_network
from sspsim.conversion.settings import from_master_settings
from sspsim.conversion.values import format_value
from sspsim.fmi import table
from sspsim.fmi.table import TableDescription
from sspsim.formats.bm import Network
from sspsim.formats.msim_project import Edge, ParameterValue, Project, Reference, Simulator
from sspsim.formats.package import Package
from sspsim.graph.flat import FlatSystem, Instance, Link, Start
from sspsim.structure import Component, Connection, Connector, Element, Kind, System, Type
from sspsim.structure.settings import MasterSettings

COLOURS = ("#6a5acd", "#9400d3", "#008000", "#ff8c00", "#1e90ff", "#b22222", "#008b8b", "#808000")
_NOT_IN_NAMES = re.compile(r'[.\s"#]')


@dataclass
class ProjectFiles:
    """A project, its layout, the files that it refers to by relative path, and what is lost."""

    project: Project
    network: Network
    files: dict[str, bytes] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)


def convert(
    package: Package,
    flat: FlatSystem,
    order: Sequence[Sequence[int]],
    settings: MasterSettings,
    span: tuple[float, float],
    step: float,
) -> ProjectFiles:
    """The project of a flat system; stages of `order` become cycles, numbered in the order of their evaluation."""
    converter = _Converter(package, flat)
    simulators = [converter.simulator(i, cycle) for i, cycle in converter.lines(order)]
    edges = tuple(edge for link in flat.links if (edge := converter.edge(link)))
    parameters = tuple(converter.parameters(order))
    converter.others()
    description = package.structure.description
    general = from_master_settings(settings, *span, step)
    project = Project(
        replace(
            general,
            write_internal=general.write_internal or converter.has_inner_sources(edges),
            write_unconnected=converter.has_unconnected_columns(),
        ),
        tuple(simulators),
        edges,
        parameters,
        description=tuple(description.splitlines()) if description else (),
    )
    return ProjectFiles(project, converter.network(order, edges), converter.files, converter.lost)


class _Converter:
    def __init__(self, package: Package, flat: FlatSystem) -> None:
        self.package = package
        self.flat = flat
        self.files: dict[str, bytes] = {}
        self.lost: list[str] = []
        self.names = self.simulator_names()
        self.places: dict[str, str] = {}  # location in the package -> relative path

    def simulator_names(self) -> list[str]:
        """Names without dots and blanks, one for each instance."""
        names: list[str] = []
        for instance in self.flat.instances:
            wanted = name = _NOT_IN_NAMES.sub("_", "_".join(instance.path))
            k = 1
            while name in names:
                k += 1
                name = f"{wanted}_{k}"
            if name != instance.name:
                self.lost.append(f"name {instance.name!r}: written as {name!r}")
            names.append(name)
        return names

    def lines(self, order: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
        """Instances with their cycles, in the order of the system: that of the columns of the results.

        Those of one cycle share their places in the order in which they are evaluated.
        """
        elements = [element.name for element in self.package.structure.system.elements]
        places = [(elements.index(instance.path[0]), i) for i, instance in enumerate(self.flat.instances)]
        slots = (
            (place, i, cycle)
            for cycle, members in enumerate(order)
            for place, i in zip(sorted(places[i] for i in members), members, strict=True)
        )
        return [(i, cycle) for _, i, cycle in sorted(slots)]

    def simulator(self, i: int, cycle: int) -> Simulator:
        """The line of an instance."""
        instance = self.flat.instances[i]
        if instance.description.fmi > 2:
            self.lost.append(f"{instance.name}: MasterSim cannot run FMI {instance.description.fmi}")
        comment = element.description if (element := self.element(instance.path)) else None
        return Simulator(
            self.names[i],
            self.file(instance),
            cycle,
            str(i),
            COLOURS[i % len(COLOURS)],
            comments=tuple(comment.splitlines()) if comment else (),
        )

    def file(self, instance: Instance) -> str:
        """Where the FMU or table of an instance is written to."""
        if instance.location in self.places:
            return self.places[instance.location]
        is_table = isinstance(instance.description, TableDescription)
        original = PurePosixPath(instance.location.replace("!", "/"))
        suffix = ".tsv" if is_table else ".fmu"
        folder = "tables" if is_table else "fmus"
        name, k = f"{folder}/{original.stem}{suffix}", 1
        while name in self.files:
            k += 1
            name = f"{folder}/{original.stem}_{k}{suffix}"
        data = self.package.read_bytes(instance.location)
        self.files[name] = self.table_text(instance, data) if is_table else data
        self.places[instance.location] = name
        return name

    def table_text(self, instance: Instance, data: bytes) -> bytes:
        """A table as MasterSim reads it: tabs, no quotes, units in all captions, time in seconds."""
        content, _ = table.read(data, instance.location)
        types = {variable.name: variable.type for variable in instance.description.variables}
        columns = [
            table.with_truth_as_numbers(c) if types.get(c.name) is Type.BOOLEAN else c
            for c in content.columns
        ]
        self.lost += [f"{instance.name}: {item}" for item in _unreadable(content, columns)]
        captions = ["Time [s]", *(f"{c.name} [{c.unit or '-'}]" for c in columns)]
        rows = zip(content.times.tolist(), *(column.cells for column in columns), strict=True)
        lines = ["\t".join(captions)]
        lines += ["\t".join([format_value(t), *(cell.strip() for cell in cells)]) for t, *cells in rows]
        return ("\n".join(lines) + "\n").encode()

    def has_unconnected_columns(self) -> bool:
        """Whether tables have outputs that feed nothing, which MasterSim only writes when told to."""
        fed = {(link.source.instance, link.source.variable) for link in self.flat.links}
        return any(
            isinstance(instance.description, TableDescription) and (i, name) not in fed
            for i, instance in enumerate(self.flat.instances)
            for name in instance.recorded
        )

    def has_inner_sources(self, edges: Sequence[Edge]) -> bool:
        """Whether an edge comes from a variable that is no output; MasterSim only reads those to write them."""
        descriptions = {name: i.description for name, i in zip(self.names, self.flat.instances, strict=True)}
        inner = [
            str(edge.source)
            for edge in edges
            if descriptions[edge.source.simulator].by_name[edge.source.variable].causality != "output"
        ]
        if inner:
            self.lost.append(f"{', '.join(inner)}: no output; MasterSim needs writeInternalVariables yes")
        return bool(inner)

    def edge(self, link: Link) -> Edge | None:
        """A connection, if MasterSim has one of that kind."""
        source, target = (self.flat.instances[port.instance] for port in (link.source, link.target))
        a = source.description.by_name[link.source.variable]
        b = target.description.by_name[link.target.variable]
        what = f"connection {source.name}.{a.name} -> {target.name}.{b.name}"
        real = a.type.is_real and b.type.is_real
        if a.dimensions or b.dimensions:
            self.lost.append(f"{what}: MasterSim has no arrays")
            return None
        if not real and _kind(a.type) != _kind(b.type):
            self.lost.append(f"{what}: MasterSim does not turn {a.type} into {b.type}")
            return None
        if not real and (link.table or (link.factor, link.offset) != (1.0, 0.0)):
            self.lost.append(f"{what}: MasterSim has transformations of Real alone")
            return None
        return Edge(
            Reference(self.names[link.source.instance], a.name),
            Reference(self.names[link.target.instance], b.name),
            link.offset,
            link.factor,
        )

    def parameters(self, order: Sequence[Sequence[int]]) -> Iterator[ParameterValue]:
        """All values that are set before the initialisation."""
        for i in (i for members in order for i in members):
            instance = self.flat.instances[i]
            for start in instance.starts:
                if line := self.parameter(i, instance, start):
                    yield line

    def parameter(self, i: int, instance: Instance, start: Start) -> ParameterValue | None:
        """One of them."""
        variable = start.variable
        what = f"parameter {instance.name}.{variable.name}"
        if len(start.values) != 1 or isinstance(start.values[0], bytes):
            self.lost.append(f"{what}: MasterSim has no arrays and no binaries")
            return None
        if re.search(r"\s", variable.name):
            self.lost.append(f"{what}: MasterSim takes no parameters with blanks in their names")
            return None
        items = instance.description.enumerations.get(variable.enumeration or "", ())
        text = format_value(start.values[0], items)
        if "\\n" in text:
            self.lost.append(f"{what}: MasterSim takes the backslash and n in {text!r} as a line break")
        return ParameterValue(Reference(self.names[i], variable.name), text)

    # ---- what else is in the system

    def others(self) -> None:
        """Lists what projects have no place for."""
        structure = self.package.structure
        self.lost += [f"root connector {c.name!r}: not written" for c in structure.system.connectors]
        for system in _systems(structure.system):
            if system is not structure.system:
                self.lost.append(f"system {system.name!r}: flattened")
            self.lost += [f"note {note.text!r}: not written" for note in system.notes]
        for element in _elements(structure.system):
            self.lost += [
                f"annotation {a.type!r} of {element.name!r}: not written" for a in element.annotations
            ]
            self.lost += [f"meta data of {element.name!r}: not written" for _ in element.meta_data]
            self.lost += [f"signature of {element.name!r}: not written" for _ in element.signatures]

    # ---- layout

    def element(self, path: Sequence[str]) -> Component | None:
        """The component at a path, if it stands in the outermost file."""
        system: Element = self.package.structure.system
        for name in path:
            if not isinstance(system, System):
                return None
            system = next((e for e in system.elements if e.name == name), system)
        return system if isinstance(system, Component) else None

    def network(self, order: Sequence[Sequence[int]], edges: Sequence[Edge]) -> Network:
        """Blocks at the places of their components."""
        components = []
        for i in (i for members in order for i in members):
            instance = self.flat.instances[i]
            original = self.element(instance.path)
            connectors = original.connectors if original else _connectors(instance)
            bare = Component(name=self.names[i], connectors=connectors)
            geometry = original.geometry if original and len(instance.path) == 1 else None
            components.append((self.names[i], replace(bare, geometry=geometry)))
        return to_network(components, self.drawn(edges))

    def drawn(self, edges: Sequence[Edge]) -> Iterator[tuple[Reference, Reference, Connection]]:
        """Edges with the connections of the outermost system, which know their way points."""
        known = {_ends(c): c for c in self.package.structure.system.connections}
        for edge in edges:
            bare = Connection(
                start_element=edge.source.simulator,
                start_connector=edge.source.variable,
                end_element=edge.target.simulator,
                end_connector=edge.target.variable,
            )
            yield edge.source, edge.target, known.get(_ends(bare), bare)


def _unreadable(content: table.Table, columns: Sequence[table.Column]) -> Iterator[str]:
    """What MasterSim's reader of tables does otherwise."""
    if any(not cell.strip() for column in columns for cell in column.cells):
        yield "MasterSim reads no tables with empty cells"
    for column in columns:
        if table.natural_type(column) is Type.STRING:
            yield f"MasterSim reads no tables with texts, as in column {column.name!r}"
    if any(a == b for a, b in zip(content.times, content.times[1:], strict=False)):
        yield "MasterSim knows no jumps: of rows at the same time it takes the last"


def _ends(connection: Connection) -> tuple[str | None, str, str | None, str]:
    return (
        connection.start_element,
        connection.start_connector,
        connection.end_element,
        connection.end_connector,
    )


def _kind(type_: Type) -> str:
    return "Integer" if type_.is_integer or type_ is Type.ENUMERATION else str(type_)


def _connectors(instance: Instance) -> tuple[Connector, ...]:
    kinds = {"input": Kind.INPUT, "output": Kind.OUTPUT}
    variables = instance.description.variables
    return tuple(Connector(name=v.name, kind=kinds[v.causality]) for v in variables if v.causality in kinds)


def _systems(system: System) -> Iterator[System]:
    yield system
    for element in system.elements:
        if isinstance(element, System):
            yield from _systems(element)


def _elements(system: System) -> Iterator[Element]:
    for inner in _systems(system):
        yield inner
        yield from (element for element in inner.elements if not isinstance(element, System))
