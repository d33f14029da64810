"""Makes a case a system: one component with the signals of the reference, driven by a table of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sspsim.crosscheck.cases import Case, Options
from sspsim.crosscheck.tables import Table
from sspsim.errors import InputError
from sspsim.fmi.description import Description, Variable
from sspsim.fmi.unpack import read_description
from sspsim.formats.container import Folder
from sspsim.formats.sources import DEFAULT_DOCUMENT, Sources
from sspsim.formats.ssp import Package
from sspsim.graph.flat import FlatSystem
from sspsim.loading import LoadedSystem
from sspsim.masters import GaussJacobi
from sspsim.simulation import Simulation
from sspsim.structure import Component, Scalar, System, SystemStructure

COMPONENT = "fmu"
IMPLEMENTATIONS = {"cs": "CoSimulation", "me": "ModelExchange"}


class CaseSystem(LoadedSystem):
    """A system of one component whose named variables are recorded, whatever their causality."""

    def __init__(self, package: Package, recorded: Sequence[str]) -> None:
        super().__init__(package)
        self.recorded = tuple(recorded)

    @cached_property
    def flat(self) -> FlatSystem:
        """With the variables to be recorded."""
        flat = super().flat
        return replace(flat, instances=(replace(flat.instances[0], recorded=self.recorded),))


def load_case(case: Case, recorded: Sequence[str]) -> tuple[LoadedSystem, list[str]]:
    """The system of a case and the names of `recorded` that its FMU really has."""
    sources = Sources(lambda: Folder(case.folder))
    package = Package(case.folder, DEFAULT_DOCUMENT, {}, sources=sources)
    with package.open_container(case.fmu.name) as container:
        description, _ = read_description(container)
    there = [name for name in recorded if name in description.by_name]
    for name in there:
        if description.by_name[name].dimensions:
            raise InputError(f"{case.reference}: {name!r} is an array; the cross-check knows scalars only")
    component = Component(name=COMPONENT, source=case.fmu.name, implementation=IMPLEMENTATIONS[case.type])
    system = System(name=case.model, elements=(component,))
    package.documents[DEFAULT_DOCUMENT] = SystemStructure(version="2.0", name=case.model, system=system)
    return CaseSystem(package, there), there


class Inputs:
    """A table as inputs of an FMU: reals are interpolated if they are continuous, everything else is held.

    At a time that stands twice the later row counts.
    """

    def __init__(self, table: Table, description: Description, file: Path) -> None:
        unknown = [name for name in table.columns if name not in description.by_name]
        if unknown:
            raise InputError(f"{file}: the FMU has no input {unknown[0]!r}")
        self.time = table.time
        self.columns = [(description.by_name[name], values) for name, values in table.columns.items()]

    def at(self, t: float) -> list[tuple[Variable, tuple[Scalar, ...]]]:
        """What is to be set before a step from t; fixed parameters are not."""
        return [(variable, values) for variable, values in self.first(t) if variable.variability != "fixed"]

    def first(self, t: float) -> list[tuple[Variable, tuple[Scalar, ...]]]:
        """All values at a time."""
        row = max(0, int(np.searchsorted(self.time, t, side="right")) - 1)
        return [(variable, (self._value(variable, values, row, t),)) for variable, values in self.columns]

    def _value(self, variable: Variable, values: Any, row: int, t: float) -> Scalar:
        if variable.type.is_real:
            if variable.variability == "continuous" and row + 1 < len(self.time) and t > self.time[row]:
                share = (t - self.time[row]) / (self.time[row + 1] - self.time[row])
                return float(values[row] + share * (values[row + 1] - values[row]))
            return float(values[row])
        return bool(values[row]) if variable.type == "Boolean" else int(values[row])


class CaseSimulation(Simulation):
    """A run of a case: before each step the component gets the inputs of that time (Gauss-Jacobi)."""

    def __init__(
        self, system: LoadedSystem, options: Options, inputs: Inputs | None, **settings: Any
    ) -> None:
        super().__init__(
            system,
            start=options.start,
            stop=options.stop,
            step=options.step,
            output_step=options.output_step,
            fmu_tolerance=options.tolerance,
            master=GaussJacobi(),
            **settings,
        )
        self.inputs = inputs

    @property
    def one_pass(self) -> bool:
        """Without inputs the kernel can be left alone."""
        return self.inputs is None

    def initialize(self) -> None:
        """The inputs at the start belong to the initial values."""
        if self.inputs:
            self.components.set_first(0, self.inputs.first(self.start))
        super().initialize()

    def solve(self, t: float, h: float) -> bool:
        """Sets the inputs first."""
        if self.inputs:
            self.components.slaves[0].set(self.inputs.at(t))
        return super().solve(t, h)
