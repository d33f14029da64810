"""The flat system: all component instances and the links between their variables, whatever the nesting was."""

from __future__ import annotations

from dataclasses import dataclass

from sspsim.fmi.description import Description, Interface, Variable
from sspsim.structure import Diagnostic, Experiment, Origin, Scalar


@dataclass(frozen=True, slots=True, order=True)
class Port:
    """One scalar of a variable of an instance; `index` counts the elements of an array in row-major order."""

    instance: int
    variable: str
    index: int = 0


@dataclass(frozen=True, slots=True)
class Link:
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

    @property
    def name(self) -> str:
        """The path as people write it."""
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class Output:
    """A connector of the root system and what feeds it."""

    name: str
    source: Port
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class FlatSystem:
    """What is simulated."""

    name: str
    instances: tuple[Instance, ...]
    links: tuple[Link, ...]
    outputs: tuple[Output, ...] = ()
    experiment: Experiment = Experiment()
    diagnostics: tuple[Diagnostic, ...] = ()
