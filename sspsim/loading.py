"""A system that has been read: files and FMU descriptions, ready to be checked, looked at and run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sspsim.errors import InputError
from sspsim.fmi.description import Description
from sspsim.fmi.unpack import read_description
from sspsim.formats import ssp, ssv
from sspsim.graph.analysis import Analysis, analyse
from sspsim.graph.bindings import GivenValue
from sspsim.graph.canonical import canonical
from sspsim.graph.flat import FlatSystem
from sspsim.graph.flatten import flatten_network
from sspsim.graph.network import Choices, Network, build_network
from sspsim.graph.types import Policy
from sspsim.structure import Diagnostic, ParameterSet, Severity

if TYPE_CHECKING:
    import networkx as nx


class LoadedSystem:
    """What `load` gives: the package on disk, its flat system and everything that was noticed on the way."""

    def __init__(
        self,
        package: ssp.Package,
        choices: Choices | None = None,
        *,
        time_only: Collection[str] = (),
        order: Sequence[str] = (),
    ) -> None:
        self.package = package
        self.choices = choices or Choices()
        self.marked_time_only = time_only
        self.wanted_order = order
        self.descriptions: dict[str, Description] = {}
        self._noticed: list[Diagnostic] = []

    @property
    def name(self) -> str:
        """The name that the system gives itself."""
        return self.package.structure.name

    def describe(self, location: str) -> Description:
        """The description of the FMU at a location, read once."""
        if location not in self.descriptions:
            with self.package.open_container(location) as container:
                self.descriptions[location], noticed = read_description(container)
            self._noticed += noticed
        return self.descriptions[location]

    def with_parameters(self, values: Mapping[str, GivenValue]) -> LoadedSystem:
        """The same system with other values, which win over all that are in its files.

        Names are those of connectors of the system, or `component.variable`.
        """
        choices = replace(self.choices, values={**self.choices.values, **values})
        other = LoadedSystem(self.package, choices, time_only=self.marked_time_only, order=self.wanted_order)
        other.descriptions = self.descriptions
        other._noticed = self._noticed
        return other

    @cached_property
    def network(self) -> Network:
        """All elements and signals, with everything that leads from one to the next."""
        return build_network(self.package, self.describe, self.choices)

    @cached_property
    def flat(self) -> FlatSystem:
        """All component instances and the links between their variables."""
        return canonical(flatten_network(self.network, self.package))

    @cached_property
    def analysis(self) -> Analysis:
        """Time-only outputs, cycles, order of evaluation, algebraic loops."""
        return analyse(self.flat, time_only=self.marked_time_only, order=self.wanted_order)

    def facts(self) -> dict[str, Any]:
        """The analysis in plain words and lists, with the masters that fit: `sspsim info --json`."""
        from sspsim.graph.facts import facts

        return facts(self.flat, self.analysis)

    def graph(self) -> nx.DiGraph:
        """The component graph; `sspsim.graph.networks` says what its nodes and edges carry."""
        from sspsim.graph.networks import component_graph

        return component_graph(self.flat, self.analysis)

    def variable_graph(self, *, initial: bool = False) -> nx.DiGraph:
        """The graph of connected variables, with the dependencies of steps or of the initialisation."""
        from sspsim.graph.networks import variable_graph

        return variable_graph(self.flat, initial=initial)

    def check(self) -> list[Diagnostic]:
        """Everything that was found in the files and FMUs."""
        return [*self.flat.diagnostics, *self._noticed]

    def require_sound(self) -> FlatSystem:
        """The flat system, if nothing forbids to run it."""
        errors = [d for d in self.check() if d.severity is Severity.ERROR]
        if errors:
            more = f" (and {len(errors) - 1} more; see 'sspsim check')" if len(errors) > 1 else ""
            raise InputError(f"{errors[0]}{more}")
        if not self.flat.instances:
            raise InputError(
                f"{self.package.path}: the system has no components; there is nothing to simulate"
            )
        return self.flat


def load(
    path: str | Path,
    variant: str | None = None,
    *,
    parameters: Mapping[str, GivenValue] | None = None,
    parameter_files: Iterable[str | Path] = (),
    time_only: Collection[str] = (),
    order: Sequence[str] = (),
    conversions: str = "safe",
    allow_missing: bool = False,
    allow_parent: bool = False,
    strict: bool = False,
) -> LoadedSystem:
    """Reads an .ssp archive, an .ssd file or a folder with a SystemStructure.ssd.

    `parameters` (by name) win over `parameter_files` (.ssv), and those over everything in the system's files.
    `time_only` marks outputs ("component.output") that depend on time alone; `order` names the components of
    cycles in the order in which they are to be evaluated. `conversions` between types are "safe", or "all": lossy
    ones too. `allow_missing` takes components without an implementation, `allow_parent` references out of the
    folder; `strict` makes errors of doubtful units.
    """
    choices = Choices(
        values=parameters or {},
        parameter_sets=tuple(_read_parameters(Path(file)) for file in parameter_files),
        conversions=Policy[conversions.upper()],
        allow_missing=allow_missing,
        strict=strict,
    )
    package = ssp.read(path, variant, allow_parent=allow_parent)
    return LoadedSystem(package, choices, time_only=time_only, order=order)


def _read_parameters(path: Path) -> ParameterSet:
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise InputError(f"{path}: {problem.strerror}") from None
    return ssv.read(data, str(path))[0]
