"""A MasterSim project as plain data, with everything that its text says, comments included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sspsim.structure.diagnostic import Origin
from sspsim.structure.time import to_seconds

MASTER_MODES = ("GAUSS_JACOBI", "GAUSS_SEIDEL", "NEWTON")
ERROR_CONTROLS = ("NONE", "CHECK", "STEP_DOUBLING")
TABLE_SUFFIXES = (".csv", ".tsv")
SUFFIXES = (".fmu", *TABLE_SUFFIXES)
Comments = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A duration or a point in time, in the unit in which it was written."""

    value: float
    unit: str = "s"

    @property
    def seconds(self) -> float:
        """The same in seconds."""
        return to_seconds(self.value, self.unit)


class Reference(NamedTuple):
    """A variable of a simulator; the file writes it with a dot between the two."""

    simulator: str
    variable: str

    def __str__(self) -> str:
        return f"{self.simulator}.{self.variable}"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is said with a keyword and one value; the defaults are MasterSim's."""

    start: Quantity = Quantity(0.0, "a")
    stop: Quantity = Quantity(1.0, "a")
    h_max: Quantity = Quantity(30.0, "min")
    h_min: Quantity = Quantity(1e-5, "s")
    h_fallback: Quantity = Quantity(1e-3, "s")
    h_start: Quantity = Quantity(10.0, "min")
    h_output: Quantity = Quantity(10.0, "min")
    output_time_unit: str = "s"
    adjust_step: bool = False
    prevent_overstepping: bool = True
    abs_tol: float = 1e-6
    rel_tol: float = 1e-5
    master_mode: str = "GAUSS_SEIDEL"
    error_control: str = "NONE"
    max_iterations: int = 1
    write_internal: bool = False
    write_unconnected: bool = False


@dataclass(frozen=True, slots=True)
class Simulator:
    """An instance of an FMU or a table; `priority` has no meaning, `cycle` groups what MasterSim iterates."""

    name: str
    path: str
    cycle: int = 0
    priority: str = "0"
    colour: str = "#808080"
    comments: Comments = ()
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @property
    def is_table(self) -> bool:
        """Whether it reads a table instead of running an FMU."""
        return self.path.lower().endswith(TABLE_SUFFIXES)


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection: target = offset + scale * source, for reals; the rest is how it is drawn."""

    source: Reference
    target: Reference
    offset: float = 0.0
    scale: float = 1.0
    line_width: float = 0.8
    colour: str = "#000000"
    comments: Comments = ()
    origin: Origin | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ParameterValue:
    """A value to be set before the initialisation; its type is known to the FMU alone."""

    target: Reference
    value: str
    comments: Comments = ()
    origin: Origin | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Project:
    """The content of an .msim file."""

    settings: Settings = Settings()
    simulators: tuple[Simulator, ...] = ()
    edges: tuple[Edge, ...] = ()
    parameters: tuple[ParameterValue, ...] = ()
    created: str = ""
    last_modified: str = ""
    description: Comments = ()
    output_only: tuple[str, ...] = ()
    setting_comments: Mapping[str, Comments] = field(default_factory=dict)  # by keyword
    last_comments: Comments = ()
