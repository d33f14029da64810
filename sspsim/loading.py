"""A system that has been read: files and FMU descriptions, ready to be checked, looked at and run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sspsim.errors import InputError, UsageError
from sspsim.fmi import table
from sspsim.fmi.description import Description
from sspsim.fmi.unpack import description_file, find_code, folder_name, read_description
from sspsim.formats import package_rules, ssp, ssv
from sspsim.formats.container import Container, Folder
from sspsim.formats.rules import check_parameters
from sspsim.formats.settings import of_structure
from sspsim.formats.sources import is_msim_project, media_type
from sspsim.garbage import no_collection
from sspsim.graph.analysis import Analysis, analyse
from sspsim.graph.bindings import GivenValue
from sspsim.graph.canonical import canonical
from sspsim.graph.flat import FlatSystem
from sspsim.graph.flatten import flatten_network
from sspsim.graph.network import Choices, Network, build_network
from sspsim.graph.table_inputs import with_table
from sspsim.graph.types import Policy
from sspsim.plan import Plan, make_plan
from sspsim.structure import Component, Diagnostic, Origin, ParameterSet, Severity, Type
from sspsim.structure.diagnostic import error
from sspsim.structure.hints import with_hint
from sspsim.structure.settings import MasterSettings
from sspsim.structure.system import CSV

if TYPE_CHECKING:
    import networkx as nx

VIOLATIONS = ("V01", "F01", "F02")  # warnings that are errors for the strict


class LoadedSystem:
    """What `load` gives: the package on disk, its flat system and everything that was noticed on the way."""

    def __init__(
        self,
        package: ssp.Package,
        choices: Choices | None = None,
        *,
        settings: MasterSettings | None = None,
        time_only: Collection[str] = (),
        order: Sequence[str] = (),
        cycles: Sequence[Sequence[str]] = (),
        unpacked: Path | None = None,
        input_tables: Sequence[Path] = (),
        parameter_files: Sequence[Path] = (),
    ) -> None:
        """As `load`; `cycles` are taken as they are instead of computed."""
        self.package = package
        self.choices = choices or Choices()
        self.settings = settings or MasterSettings()
        self.given_time_only = time_only
        self.marked_time_only = (*time_only, *(self.settings.time_only or ()))
        self.wanted_order = order or self.settings.order or ()
        self.wanted_cycles = cycles
        self.unpacked = unpacked
        self.input_tables = input_tables
        self.parameter_files = parameter_files
        self.descriptions: dict[str, Description] = {}
        self.tables: dict[tuple[str, tuple[tuple[str, Type | None], ...]], Description] = {}
        self._noticed: list[Diagnostic] = []

    @property
    def name(self) -> str:
        """The name that the system gives itself."""
        return self.package.structure.name

    def describe(self, location: str, component: Component) -> Description:
        """The description of the FMU or table at a location, read once."""
        if media_type(component.type, component.source or "") == CSV:
            return self.describe_table(location, component)
        if location not in self.descriptions:
            with self.open_fmu(location) as container:
                self.descriptions[location], noticed = read_description(container)
            self._noticed += noticed
        return self.descriptions[location]

    def open_fmu(self, location: str) -> Container:
        """The files of an FMU."""
        folder = self.unpacked / folder_name(location) if self.unpacked else None
        return Folder(folder) if folder and folder.is_dir() else self.package.open_container(location)

    def describe_table(self, location: str, component: Component) -> Description:
        """A table with columns of the types that the component's connectors have."""
        types = tuple((c.name, c.type.type if c.type else None) for c in component.connectors)
        if (location, types) not in self.tables:
            read, noticed = table.read(self.package.read_bytes(location), self.package.place(location))
            self.tables[location, types], mistyped = table.describe(read, dict(types))
            self._noticed += [*noticed, *mistyped]
        return self.tables[location, types]

    def with_parameters(self, values: Mapping[str, GivenValue]) -> LoadedSystem:
        """The same system with other values, which win over all that are in its files.

        Names are those of connectors of the system, or `component.variable`.
        """
        choices = replace(self.choices, values={**self.choices.values, **values})
        other = LoadedSystem(
            self.package,
            choices,
            settings=self.settings,
            time_only=self.given_time_only,
            order=self.wanted_order,
            cycles=self.wanted_cycles,
            unpacked=self.unpacked,
            input_tables=self.input_tables,
            parameter_files=self.parameter_files,
        )
        other.descriptions = self.descriptions
        other.tables = self.tables
        other._noticed = self._noticed
        return other

    @cached_property
    def network(self) -> Network:
        """All elements and signals, with everything that leads from one to the next."""
        return build_network(self.package, self.describe, self.choices)

    @cached_property
    def flat(self) -> FlatSystem:
        """All component instances and the links between their variables."""
        system = flatten_network(self.network, self.package)
        for path in self.input_tables:
            content, noticed = table.read(_file(path), path.name)
            self._noticed += noticed
            system = with_table(system, content, self.network.root.scope.units)
        return canonical(system)

    @cached_property
    def analysis(self) -> Analysis:
        """Time-only outputs, cycles, order of evaluation, algebraic loops."""
        return analyse(
            self.flat,
            time_only=self.marked_time_only,
            order=self.wanted_order,
            cycles=self.wanted_cycles,
        )

    def facts(self) -> dict[str, Any]:
        """The analysis in plain words and lists, with the masters that fit: `sspsim info --json`."""
        from sspsim.graph.facts import facts

        return facts(self.flat, self.analysis)

    @cached_property
    def plan(self) -> Plan:
        """What is stepped when and which number goes where: `print` shows it, `==` compares it."""
        return make_plan(self.flat, self.analysis)

    def graph(self) -> nx.DiGraph:
        """The component graph; `sspsim.graph.networks` says what its nodes and edges carry.

        >>> import networkx as nx
        >>> graph = load("examples/build/House.ssp").graph()
        >>> sorted(graph.nodes)
        ['heater', 'house']
        >>> graph.nodes["house"]["stage"], graph.nodes["house"]["cycle"], graph.nodes["house"]["rollback"]
        (1, 1, True)
        >>> graph.edges["heater", "house"]
        {'variables': 1, 'live': 1, 'broken': True, 'time_only': False, 'connections': 'P -> Q'}
        >>> list(nx.simple_cycles(nx.subgraph_view(graph, filter_edge=lambda *e: not graph.edges[e]["broken"])))
        []
        """
        from sspsim.graph.networks import component_graph

        graph = component_graph(self.flat, self.analysis)
        from sspsim.formats.traceability import traceability

        described = {file.resource: file for file in traceability(self.package)}
        for instance in self.flat.instances:
            if (file := described.get(instance.location)) and file.classifications:
                words = "; ".join(f"{keyword} = {value}" for _, keyword, value in file.classifications)
                graph.nodes[instance.name]["classifications"] = words
        return graph

    def variable_graph(self, *, initial: bool = False) -> nx.DiGraph:
        """The graph of connected variables, with the dependencies of steps or of the initialisation.

        >>> graph = load("examples/build/House.ssp").variable_graph()
        >>> list(graph.successors("heater.P")), graph.edges["heater.P", "house.Q"]["kind"]
        (['house.Q'], 'connection')
        >>> graph.nodes["house.T_ambient"]["time_only"], graph.nodes["house.T_room"]["time_only"]
        (True, False)
        """
        from sspsim.graph.networks import variable_graph

        return variable_graph(self.flat, self.analysis, initial=initial)

    @no_collection()
    def check(self, *, allow_compile: bool = False) -> list[Diagnostic]:
        """Everything that is wrong or remarkable in the files and FMUs, by place.

        `allow_compile`: it is no error that an FMU brings only sources.
        """
        return in_order([*self._violations(), *self.missing_binaries(allow_compile)])

    def _violations(self) -> list[Diagnostic]:
        """Everything that is against the rules, with that which only a validation shows."""
        from sspsim.formats.traceability import check as check_traceability

        found = [*package_rules.check(self.package), *self.flat.diagnostics, *self._noticed]
        found += check_traceability(self.package)
        found += self.invalid_descriptions()
        return [_strictly(finding) for finding in found] if self.choices.strict else found

    def invalid_descriptions(self) -> Iterable[Diagnostic]:
        """What in the descriptions of FMUs violates the schema, beside that which reading has noticed."""
        from sspsim.fmi import validity

        noticed = {finding.origin for finding in self._noticed}
        for location in self.descriptions:
            with self.open_fmu(location) as container:
                found = validity.validate(*description_file(container))
            yield from (finding for finding in found if finding.origin not in noticed)

    def missing_binaries(self, allow_compile: bool = False) -> Iterable[Diagnostic]:
        """FMUs that cannot run on this machine."""
        instances = {i.location: i for i in self.flat.instances if i.location in self.descriptions}
        places = {node.path: node.element.origin for node in self.network.root.walk()}
        for location, instance in instances.items():
            try:
                with self.open_fmu(location) as container:
                    find_code(container, instance.interface, allow_compile=allow_compile)
            except InputError as problem:
                yield error("V25", f"component {instance.name!r}: {problem}", places.get(instance.path))

    @no_collection()
    def problems(self) -> list[Diagnostic]:
        """What is known without a validation of all files; enough to decide whether the system can run.

        Who is strict wants the validation too.
        """
        if self.choices.strict:
            return in_order(self._violations())
        return in_order([*package_rules.check_rules(self.package), *self.flat.diagnostics, *self._noticed])

    def require_sound(self) -> FlatSystem:
        """The flat system, if nothing forbids to run it."""
        errors = [d for d in self.problems() if d.severity is Severity.ERROR]
        if errors:
            more = f" (and {len(errors) - 1} more; see 'sspsim check')" if len(errors) > 1 else ""
            raise InputError(f"{errors[0]}{more}")
        if not self.flat.instances:
            raise InputError(
                f"{self.package.path}: the system has no components; there is nothing to simulate"
            )
        return self.flat


@no_collection()
def load(
    path: str | Path,
    variant: str | None = None,
    *,
    parameters: Mapping[str, GivenValue] | None = None,
    parameter_files: Iterable[str | Path] = (),
    settings: MasterSettings | None = None,
    time_only: Collection[str] = (),
    order: Sequence[str] = (),
    conversions: str = "safe",
    allow_missing: bool = False,
    allow_parent: bool = False,
    strict: bool = False,
    keep_cycles: bool = False,
    unpacked: Path | None = None,
    input_tables: Sequence[str | Path] = (),
) -> LoadedSystem:
    """Reads an .ssp archive, an .ssd file, a folder with a SystemStructure.ssd, or a MasterSim project.

    `parameters` (by name) win over `parameter_files` (.ssv), and those over everything in the system's files;
    `settings` win over those that the system brings along. `time_only` marks outputs ("component.output")
    that depend on time alone; `order` names the components of cycles in the order in which they are to be
    evaluated. `conversions` between types are "safe", or "all": lossy ones too. `allow_missing` takes
    components without an implementation, `allow_parent` references out of the folder; `strict` makes errors
    of violated schemas, those of FMUs too, and of doubtful units. `keep_cycles` steps a MasterSim project in
    the cycles that it names instead of those that follow from its connections. `unpacked` is a folder whose
    FMUs, as far as they are there, count instead of the package's; `input_tables` are csv files whose columns
    feed the inputs.
    """
    parameter_paths = [Path(file) for file in parameter_files]
    given = [_read_parameters(path) for path in parameter_paths]
    choices = Choices(
        values=parameters or {},
        parameter_sets=tuple(parameters for parameters, _ in given),
        conversions=_policy(conversions),
        allow_missing=allow_missing,
        strict=strict,
    )
    cycles: tuple[tuple[str, ...], ...] = ()
    noticed: list[Diagnostic] = []
    if is_msim_project(Path(path)):
        from sspsim.conversion.from_msim import convert

        converted = convert(Path(path))
        package, own, cycles = converted.package, converted.settings, converted.cycles
    else:
        package = ssp.read(path, variant, allow_parent=allow_parent)
        own, noticed = of_structure(package.structure)
    if keep_cycles and not cycles:
        raise UsageError(f"{path}: only MasterSim projects name cycles to be kept")
    system = LoadedSystem(
        package,
        choices,
        settings=(settings or MasterSettings()).over(own),
        time_only=time_only,
        order=order,
        cycles=cycles if keep_cycles else (),
        unpacked=unpacked,
        input_tables=[Path(file) for file in input_tables],
        parameter_files=parameter_paths,
    )
    system._noticed += [*noticed, *(finding for _, findings in given for finding in findings)]
    return system


def in_order(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Findings by file and line, each once; an error says more than a warning of the same kind there."""
    errors = {(d.code, d.origin) for d in found if d.severity is Severity.ERROR}
    kept = (
        d for d in dict.fromkeys(found) if d.severity is Severity.ERROR or (d.code, d.origin) not in errors
    )
    return sorted(map(with_hint, kept), key=lambda d: (d.origin or Origin(""), -d.severity))


def _strictly(finding: Diagnostic) -> Diagnostic:
    is_violation = finding.code in VIOLATIONS and finding.severity is Severity.WARNING
    return replace(finding, severity=Severity.ERROR) if is_violation else finding


def _policy(name: str) -> Policy:
    try:
        return Policy[name.upper()]
    except KeyError:
        raise UsageError(f"conversions are 'safe' or 'all', not {name!r}") from None


def _read_parameters(path: Path) -> tuple[ParameterSet, list[Diagnostic]]:
    """The parameters in a file, and what is wrong with them."""
    parameters, noticed = ssv.read(_file(path), str(path))
    return parameters, [*noticed, *check_parameters(parameters)]


def _file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise InputError(f"{path}: {problem.strerror}") from None
