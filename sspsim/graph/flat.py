"""The flat system: all component instances and the links between their variables, without any nesting."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from sspsim.fmi.description import Description, Interface, Variable
from sspsim.structure import Diagnostic, Experiment, Kind, Origin, Scalar, Type

ENVIRONMENT = -1  # the "instance" of the ports that somebody outside of the system feeds


class Port(NamedTuple):
    """One scalar of a variable of an instance; `element` counts those of an array in row-major order.

    A tuple, as is a link: there are many of them, and tuples are made, compared and looked up quickest.
    """

    instance: int
    variable: str
    element: int = 0

    @property
    def whole(self) -> Port:
        """The variable, whichever of its elements this is."""
        return Port(self.instance, self.variable) if self.element else self


class Link(NamedTuple):
    """Hands a value on: through `table` (whole numbers), then factor * value + offset."""

    source: Port
    target: Port
    factor: float = 1.0
    offset: float = 0.0
    table: tuple[tuple[int, int], ...] = ()
    via: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """A value to be set before the initialisation, and where it comes from."""

    variable: Variable
    values: tuple[Scalar, ...]
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Instance:
    """A component of the flat system."""

    path: tuple[str, ...]
    location: str
    description: Description
    interface: Interface
    starts: tuple[Start, ...] = ()
    recorded: tuple[str, ...] = ()
    position: int = field(default=0, compare=False)  # among the components of the file

    @property
    def name(self) -> str:
        """The path as people write it."""
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class Output:
    """A connector of the root system, or one element of it, and the variable that feeds it."""

    name: str
    source: Port
    factor: float = 1.0
    offset: float = 0.0
    table: tuple[tuple[int, int], ...] = ()
    type: Type = Type.REAL
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class FixedOutput:
    """A connector of the root system that no variable feeds: its value is known beforehand, or missing."""

    name: str
    value: Scalar | None = None
    type: Type = Type.REAL
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Input:
    """A connector of the root system that takes its value from outside, and where a value would go to.

    The sources of its links are ports of the `ENVIRONMENT`. `values` are those that parameters bind to it.
    """

    name: str
    kind: Kind
    type: Type = Type.REAL
    unit: str | None = None
    values: tuple[Scalar, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class FlatSystem:
    """What is simulated.

    `initial_links` lead to variables that can only be set until the end of the initialisation, such as from a
    calculated parameter to a parameter.
    """

    name: str
    instances: tuple[Instance, ...]
    links: tuple[Link, ...]
    outputs: tuple[Output, ...] = ()
    experiment: Experiment = field(default_factory=Experiment)
    diagnostics: tuple[Diagnostic, ...] = ()
    inputs: tuple[Input, ...] = ()
    initial_links: tuple[Link, ...] = ()
    fixed_outputs: tuple[FixedOutput, ...] = ()
