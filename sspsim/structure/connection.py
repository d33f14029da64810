"""Connectors, connections and what happens to a value on its way."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sspsim.structure.base import Entity
from sspsim.structure.geometry import ConnectionGeometry, ConnectorGeometry
from sspsim.structure.types import Dimension, TypeSpec


class Kind(StrEnum):
    """The role of a connector."""

    INPUT = "input"
    OUTPUT = "output"
    PARAMETER = "parameter"
    CALCULATED_PARAMETER = "calculatedParameter"
    STRUCTURAL_PARAMETER = "structuralParameter"
    CONSTANT = "constant"
    LOCAL = "local"
    INOUT = "inout"
    UNSPECIFIED = "unspecified"


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector(Entity):
    """A named value at the border of a system, component or dictionary reference."""

    name: str
    kind: Kind
    type: TypeSpec | None = None
    dimensions: tuple[Dimension, ...] = ()
    clocks: tuple[str, ...] = ()
    geometry: ConnectorGeometry | None = None


@dataclass(frozen=True, slots=True)
class LinearTransformation:
    """target = factor * source + offset"""

    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class BooleanMapping:
    """A table for booleans; what is not in it stays as it is."""

    entries: tuple[tuple[bool, bool], ...]


@dataclass(frozen=True, slots=True)
class IntegerMapping:
    """A table for whole numbers; what is not in it stays as it is."""

    entries: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class EnumerationMapping:
    """A table for names of enumeration items; what is not in it keeps its name."""

    entries: tuple[tuple[str, str], ...]


Transformation = LinearTransformation | BooleanMapping | IntegerMapping | EnumerationMapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection(Entity):
    """A connection as written; its direction follows from the owners and kinds of its ends, not from start and end.

    An element of None is the system that contains the connection.
    """

    start_element: str | None
    start_connector: str
    end_element: str | None
    end_connector: str
    start_indices: tuple[int, ...] = ()
    end_indices: tuple[int, ...] = ()
    suppress_unit_conversion: bool = False
    transformation: Transformation | None = None
    geometry: ConnectionGeometry | None = None
