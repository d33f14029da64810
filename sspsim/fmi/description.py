"""What an FMU says about itself: modelDescription.xml of FMI 1, 2 and 3 as plain data.

FMPy has a reader too; this one is tolerant (many FMUs in use are not schema-valid), frozen and typed, keeps
unknown dependencies apart from empty ones, and is quick for FMUs with 100,000 variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sspsim.structure import BaseUnit, Scalar, Type


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable. `dimensions` are numbers, or names of the structural parameters that hold them."""

    name: str
    reference: int
    type: Type
    causality: str = "local"
    variability: str = "continuous"
    initial: str | None = None
    start: tuple[Scalar, ...] | None = None
    unit: str | None = None
    relative: bool = False
    enumeration: str | None = None
    description: str = ""
    dimensions: tuple[int | str, ...] = ()
    derivative_of: str | None = None
    negated: bool = False
    clocks: tuple[str, ...] = ()
    interval_variability: str | None = None
    mime_type: str | None = None
    interval: float | None = None  # of a clock
    shift: float = 0.0
    intermediate_update: bool = False

    @property
    def follows(self) -> bool:
        """Whether it is an input that can go on during a step of FMI 3."""
        continuous = self.variability == "continuous" and self.causality == "input"
        return continuous and self.intermediate_update and self.type is Type.FLOAT64 and not self.dimensions

    @property
    def settable_before_run(self) -> bool:
        """Whether FMI allows to set it between instantiation and initialisation."""
        if self.variability == "constant":
            return False
        return self.causality == "input" or self.initial in ("exact", "approx") or self.start is not None


@dataclass(frozen=True, slots=True)
class Unknown:
    """An output, derivative or initial unknown with what it depends on; None: not told, so on everything."""

    variable: str
    dependencies: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Interface:
    """What an FMU can do as co-simulation or model-exchange component."""

    identifier: str
    kind: str = "CoSimulation"
    rollback: bool = False
    serialize: bool = False
    variable_step: bool = False
    directional_derivatives: bool = False
    once_per_process: bool = False
    needs_tool: bool = False
    interpolates_inputs: bool = False
    output_derivative_order: int = 0
    asynchronous: bool = False
    event_mode: bool = False
    early_return: bool = False
    intermediate_update: bool = False
    fixed_step: float | None = None
    sources: tuple[str, ...] = ()
    completed_step_not_needed: bool = False
    only_continuous_states: bool = False  # of model exchange: nothing else is remembered between two moments


@dataclass(frozen=True)
class Description:
    """The content of a modelDescription.xml."""

    fmi: int
    name: str
    guid: str
    variables: tuple[Variable, ...]
    co_simulation: Interface | None = None
    model_exchange: Interface | None = None
    scheduled_execution: Interface | None = None
    outputs: tuple[Unknown, ...] = ()
    derivatives: tuple[Unknown, ...] = ()
    initial_unknowns: tuple[Unknown, ...] = ()
    continuous_states: int = 0
    event_indicators: int = 0
    units: Mapping[str, BaseUnit | None] = field(default_factory=dict)
    enumerations: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    start_time: float | None = None
    stop_time: float | None = None
    step_size: float | None = None
    tolerance: float | None = None
    generation_tool: str = ""
    description: str = ""
    log_categories: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> Mapping[str, Variable]:
        """Variables by name, FMI 3 alias names included."""
        found = {variable.name: variable for variable in self.variables}
        for alias, name in self.aliases.items():
            found.setdefault(alias, found[name])
        return found

    @cached_property
    def inputs(self) -> tuple[Variable, ...]:
        """Variables that are inputs."""
        return tuple(v for v in self.variables if v.causality == "input")
