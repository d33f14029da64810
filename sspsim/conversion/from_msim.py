"""A MasterSim project as a package: structure in memory, FMUs and tables where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from sspsim.conversion.layout import ways, with_geometry
from sspsim.conversion.settings import to_master_settings
from sspsim.conversion.values import parse_value
from sspsim.errors import InputError
from sspsim.fmi import table
from sspsim.fmi.description import Description, Variable
from sspsim.fmi.unpack import read_description
from sspsim.formats import bm, msim
from sspsim.formats.container import open_container
from sspsim.formats.msim_project import Edge, ParameterValue, Project, Reference, Simulator
from sspsim.formats.package import Package, new_package
from sspsim.structure import (
    Component,
    Connection,
    Connector,
    Diagnostic,
    Enumeration,
    EnumerationItem,
    Experiment,
    Kind,
    LinearTransformation,
    Origin,
    Parameter,
    ParameterBinding,
    ParameterSet,
    System,
    SystemStructure,
    Type,
    TypeSpec,
)
from sspsim.structure.diagnostic import error, warning
from sspsim.structure.settings import MasterSettings
from sspsim.structure.system import CSV, FMU

NO_FILE, NO_VARIABLE, TWO_TYPES, NOT_REAL, BAD_VALUE = "M19", "M21", "M22", "M23", "M24"
DIRECTION = "M25"
VERSION, VERSION_WITH_LOCALS = "1.0", "2.0"
Describe = Callable[[Path], Description]


@dataclass(frozen=True)
class Converted:
    """A project as a package, with what a package has no place for."""

    package: Package
    project: Project
    settings: MasterSettings

    @property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """The simulators by their cycle numbers, as MasterSim steps them."""
        numbers = sorted({s.cycle for s in self.project.simulators})
        return tuple(tuple(s.name for s in self.project.simulators if s.cycle == n) for n in numbers)


def read_project(path: Path) -> tuple[Project, list[Diagnostic]]:
    """The project in a file."""
    try:
        return msim.read(path.read_bytes(), str(path))
    except OSError as problem:
        raise InputError(f"{path}: the project cannot be read: {problem.strerror}") from None


def convert(path: Path) -> Converted:
    """The package that a project file stands for."""
    project, diagnostics = read_project(path)
    network, found = _layout(path.with_suffix(".bm"))
    converter = _Converter(project, path.parent, network)
    structure = converter.structure(path.stem)
    package = new_package(structure, converter.files)
    # The structure as it was made knows the lines of the project; what was read back from memory does not.
    package = replace(
        package,
        path=path,
        documents={package.root: structure},
        diagnostics=(*diagnostics, *found, *converter.diagnostics),
    )
    order = sorted(project.simulators, key=lambda simulator: simulator.cycle)
    settings = to_master_settings(project.settings)
    return Converted(package, project, replace(settings, order=tuple(s.name for s in order)))


def _layout(path: Path) -> tuple[bm.Network, list[Diagnostic]]:
    """The layout beside a project; one that cannot be read is no reason to stop."""
    try:
        return bm.read(path.read_bytes(), str(path))
    except OSError:
        return bm.Network(), []
    except InputError as problem:
        return bm.Network(), [warning(bm.LAYOUT, str(problem), Origin(str(path)))]


@dataclass
class _Member:
    """A simulator with what is known about its variables, and those that become connectors."""

    simulator: Simulator
    description: Description | None = None
    table: table.Table | None = None
    source: str = ""
    connectors: dict[str, Connector] = field(default_factory=dict)


class _Converter:
    def __init__(self, project: Project, folder: Path, network: bm.Network) -> None:
        self.project = project
        self.folder = folder
        self.blocks = {block.name: block for block in network.blocks}
        self.ways = ways(network)
        self.files: dict[str, Path] = {}
        self.diagnostics: list[Diagnostic] = []
        self.enumerations: dict[str, Enumeration] = {}
        self.members: dict[str, _Member] = {}
        for simulator in project.simulators:
            self.members.setdefault(simulator.name, self.member(simulator))

    def report(self, code: str, message: str, origin: Origin | None, hint: str = "") -> None:
        """Notes an error."""
        self.diagnostics.append(error(code, message, origin, hint))

    # ---- simulators

    def member(self, simulator: Simulator) -> _Member:
        """What stands behind a simulator."""
        member = _Member(simulator)
        path = self.folder / simulator.path.replace("\\", "/")
        if not path.is_file():
            self.report(NO_FILE, f"{simulator.name}: there is no file {str(path)!r}", simulator.origin)
            return member
        member.source = self.packed(path)
        try:
            if simulator.is_table:
                member.table, _ = table.read(path.read_bytes(), str(path))  # findings come when it is loaded
            else:
                with open_container(path) as container:
                    member.description, _ = read_description(container)
                member.connectors = {
                    v.name: _connector(v)
                    for v in member.description.variables
                    if v.causality in ("input", "output")
                }
        except (InputError, OSError) as problem:
            self.report(NO_FILE, f"{simulator.name}: {problem}", simulator.origin)
        return member

    def packed(self, path: Path) -> str:
        """The name of a file in the package; files of equal name get a number."""
        for name, known in self.files.items():
            if known.samefile(path):
                return name
        name, k = f"resources/{path.name}", 1
        while name in self.files:
            k += 1
            name = f"resources/{path.stem}_{k}{path.suffix}"
        self.files[name] = path.absolute()
        return name

    # ---- the structure

    def structure(self, name: str) -> SystemStructure:
        """The whole."""
        project = self.project
        connections = tuple(self.connections())
        self.unconnected_columns()
        bindings = {member: self.binding(member) for member in self.members}
        settings = project.settings
        return SystemStructure(
            version=VERSION_WITH_LOCALS if self.has_local_sources() else VERSION,
            name=name,
            description="\n".join(project.description) or None,
            system=System(
                name=name,
                elements=tuple(self.component(m, bindings[m]) for m in self.members),
                connections=connections,
            ),
            enumerations=tuple(self.enumerations.values()),
            experiment=Experiment(settings.start.seconds, settings.stop.seconds),
        )

    def component(self, name: str, binding: ParameterBinding | None) -> Component:
        """The element of a simulator."""
        member = self.members[name]
        component = Component(
            name=name,
            type=CSV if member.simulator.is_table else FMU,
            source=member.source or None,
            implementation="any" if member.simulator.is_table else "CoSimulation",
            connectors=tuple(member.connectors.values()),
            bindings=(binding,) if binding else (),
            description="\n".join(member.simulator.comments) or None,
            origin=member.simulator.origin,
        )
        return with_geometry(component, self.blocks[name]) if name in self.blocks else component

    # ---- connections

    def connections(self) -> Iterator[Connection]:
        """One for each edge whose ends exist."""
        fed: set[Reference] = set()
        for edge in self.project.edges:
            target = self.target(edge)
            if target is None or edge.target in fed:
                continue
            fed.add(edge.target)
            source_type = self.source_type(edge, target)
            if source_type is not None:
                yield self.connection(edge, source_type)

    def connection(self, edge: Edge, source_type: Type) -> Connection:
        """An edge; MasterSim converts no units."""
        transformation = None
        if (edge.offset, edge.scale) != (0.0, 1.0):
            if source_type.is_real:
                transformation = LinearTransformation(edge.scale, edge.offset)
            else:
                message = f"offset and scale have no effect on {source_type}, as in MasterSim"
                self.diagnostics.append(warning(NOT_REAL, message, edge.origin, "remove them"))
        return Connection(
            start_element=edge.source.simulator,
            start_connector=edge.source.variable,
            end_element=edge.target.simulator,
            end_connector=edge.target.variable,
            suppress_unit_conversion=source_type.is_real,
            transformation=transformation,
            geometry=self.ways.get((str(edge.source), str(edge.target))),
            description="\n".join(edge.comments) or None,
            origin=edge.origin,
        )

    def source_type(self, edge: Edge, target: Variable) -> Type | None:
        """The type of what an edge comes from; a table's column takes that of its first target."""
        member = self.members.get(edge.source.simulator)
        if member and member.simulator.is_table:
            return self.column_type(member, edge, target)
        source = self.source(edge)
        return source.type if source else None

    def target(self, edge: Edge) -> Variable | None:
        """The input that an edge feeds."""
        variable = self.variable(edge.target, edge)
        if variable and variable.causality != "input":
            message = f"{edge.target} is no input, its causality is {variable.causality}"
            self.report(DIRECTION, message, edge.origin, "a graph goes from an output to an input")
            return None
        if variable:
            self.connect(edge.target, variable)
        return variable

    def source(self, edge: Edge) -> Variable | None:
        """The variable that an edge comes from: an output; inner ones too if the project writes them."""
        variable = self.variable(edge.source, edge)
        if variable is None:
            return None
        inner = variable.causality in ("local", "calculatedParameter")
        if variable.causality != "output" and not (inner and self.project.settings.write_internal):
            hint = "set writeInternalVariables yes" if inner else "a graph goes from an output to an input"
            message = f"{edge.source} is no output, its causality is {variable.causality}"
            self.report(DIRECTION, message, edge.origin, hint)
            return None
        self.connect(edge.source, variable)
        return variable

    def connect(self, reference: Reference, variable: Variable) -> None:
        """Makes a connector of a variable."""
        connectors = self.members[reference.simulator].connectors
        connectors.setdefault(reference.variable, _connector(variable, reference.variable))

    def has_local_sources(self) -> bool:
        """Whether an edge comes from inside of an FMU, which system structures know since 2.0."""
        return any(c.kind is Kind.LOCAL for m in self.members.values() for c in m.connectors.values())

    def column_type(self, member: _Member, edge: Edge, target: Variable) -> Type | None:
        """Makes a connector of a table's column."""
        name = edge.source.variable
        column = next((c for c in member.table.columns if c.name == name), None) if member.table else None
        if column is None:
            if member.table:
                self.unknown(edge.source, [c.name for c in member.table.columns], edge.origin)
            return None
        wanted = _plain(target.type)
        known = member.connectors.setdefault(name, _column_connector(name, wanted))
        assert known.type
        if known.type.type is not wanted:
            message = f"column {edge.source} feeds {known.type.type} already, but {edge.target} is {wanted}"
            self.report(TWO_TYPES, message, edge.origin, "copy the column, one for each type")
            return None
        return wanted

    def unconnected_columns(self) -> None:
        """With writeUnconnectedFileReaderVars the other columns are outputs too."""
        if self.project.settings.write_unconnected:
            for member in self.members.values():
                for column in member.table.columns if member.table else ():
                    connector = _column_connector(column.name, Type.REAL)
                    member.connectors.setdefault(column.name, connector)

    def variable(self, reference: Reference, line: Edge | ParameterValue) -> Variable | None:
        """A variable of an FMU."""
        member = self.members.get(reference.simulator)
        if member is None or member.description is None:
            return None  # has been reported
        variable = member.description.by_name.get(reference.variable)
        if variable is None:
            self.unknown(reference, list(member.description.by_name), line.origin)
            return None
        return variable

    def unknown(self, reference: Reference, names: list[str], origin: Origin | None) -> None:
        """Notes a name that does not exist."""
        close = get_close_matches(reference.variable, names, 1)
        hint = f"did you mean {close[0]!r}?" if close else ""
        self.report(
            NO_VARIABLE, f"{reference.simulator} has no variable {reference.variable!r}", origin, hint
        )

    # ---- parameters

    def binding(self, name: str) -> ParameterBinding | None:
        """The parameter values of a simulator; the last line for a variable counts."""
        lines = {p.target.variable: p for p in self.project.parameters if p.target.simulator == name}
        if self.members[name].simulator.is_table:
            return None
        parameters = tuple(p for line in lines.values() if (p := self.parameter(line)))
        if not parameters:
            return None
        values = ParameterSet(version=VERSION, name=name, parameters=parameters)
        return ParameterBinding(inline=replace(values, enumerations=self.used(parameters)))

    def used(self, parameters: tuple[Parameter, ...]) -> tuple[Enumeration, ...]:
        """The enumerations that parameters refer to."""
        names = dict.fromkeys(p.type.enumeration for p in parameters if p.type.enumeration)
        return tuple(self.enumerations[name] for name in names)

    def parameter(self, line: ParameterValue) -> Parameter | None:
        """A value, typed by the FMU."""
        variable = self.variable(line.target, line)
        if variable is None:
            return None
        description = self.members[line.target.simulator].description
        assert description
        items = description.enumerations.get(variable.enumeration or "", ())
        try:
            value = parse_value(line.value, variable.type, items)
        except ValueError as problem:
            self.report(BAD_VALUE, f"{line.target}: {problem}", line.origin)
            return None
        if variable.enumeration and items:
            entries = tuple(EnumerationItem(name, number) for name, number in items)
            self.enumerations[variable.enumeration] = Enumeration(name=variable.enumeration, items=entries)
        return Parameter(
            name=line.target.variable,
            type=TypeSpec(variable.type, enumeration=variable.enumeration if items else None),
            values=(value,),
            description="\n".join(line.comments) or None,
            origin=line.origin,
        )


def _plain(type_: Type) -> Type:
    """The type of a table's column for an input."""
    if type_.is_real:
        return Type.REAL
    return Type.INTEGER if type_ is Type.ENUMERATION or type_.is_integer else type_


def _connector(variable: Variable, name: str = "") -> Connector:
    kinds = {kind.value: kind for kind in Kind}
    kind = kinds.get(variable.causality, Kind.LOCAL)
    return Connector(name=name or variable.name, kind=kind)


def _column_connector(name: str, type_: Type) -> Connector:
    """Without a unit: nothing is converted, so that no definition of the unit is needed."""
    return Connector(name=name, kind=Kind.OUTPUT, type=TypeSpec(type_))
