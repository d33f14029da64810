"""Signals: every place that has a value, and how values get from one to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sspsim.fmi.description import Variable
from sspsim.graph.quantity import ANYTHING, Quantity
from sspsim.structure import Kind, Origin, Scalar, Transformation

if TYPE_CHECKING:
    from sspsim.graph.tree import Node

Index = tuple[int, ...]
"""An element of an array, counted from 1 in each dimension; () is the whole."""

WHOLE: Index = ()

Sizes = tuple[int | str | None, ...]
"""The dimensions of an array: numbers, names of what decides on them, or unknown; () is a scalar."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A value that a parameter binding (or the user) gives to a signal, and where that was written."""

    values: tuple[Scalar, ...]
    quantity: Quantity
    shape: tuple[int, ...] = ()
    transformation: Transformation | None = None
    suppress_unit_conversion: bool = False
    origin: Origin | None = None
    level: str = ""
    mapped: Origin | None = None  # the entry of the mapping that led it here


@dataclass(eq=False, slots=True)
class Signal:
    """A connector, a variable of an FMU, or an entry of a signal dictionary.

    `inbound` are the connections that lead here, by element; `behind` is where the value is taken from if
    there is none: the other side of a component's border, or of a window on a dictionary. Of the values in
    `bound` the last counts.
    """

    owner: Node
    name: str
    kind: Kind
    quantity: Quantity = ANYTHING
    origin: Origin | None = None
    variable: Variable | None = None
    sizes: Sizes = ()
    inbound: dict[Index, Hop] = field(default_factory=dict)
    behind: list[Signal] = field(default_factory=list)
    bound: list[Bound] = field(default_factory=list)

    def __str__(self) -> str:
        return ".".join((*self.owner.path, self.name))


@dataclass(frozen=True, eq=False, slots=True)
class Hop:
    """A way from one signal to the next: a connection, or the border of a component (no origin)."""

    source: Signal
    target: Signal
    source_index: Index = WHOLE
    target_index: Index = WHOLE
    transformation: Transformation | None = None
    suppress_unit_conversion: bool = False
    origin: Origin | None = None

    def __str__(self) -> str:
        return f"{self.source}{_brackets(self.source_index)} -> {self.target}{_brackets(self.target_index)}"


def _brackets(index: Index) -> str:
    return f"[{','.join(map(str, index))}]" if index else ""
