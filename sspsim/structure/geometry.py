"""Where things are drawn; y points up, one unit is about a millimetre."""

from __future__ import annotations

from dataclasses import dataclass

from sspsim.structure.base import Entity


@dataclass(frozen=True, slots=True)
class ConnectorGeometry:
    """A place on the border of an element: 0,0 is its lower left, 1,1 its upper right corner."""

    x: float
    y: float
    system_inner_x: float | None = None
    system_inner_y: float | None = None


@dataclass(frozen=True, slots=True)
class ElementGeometry:
    """The extent of an element in its parent; swapped corners flip it."""

    x1: float
    y1: float
    x2: float
    y2: float
    rotation: float = 0.0
    icon_source: str | None = None
    icon_rotation: float = 0.0
    icon_flip: bool = False
    icon_fixed_aspect_ratio: bool = False


@dataclass(frozen=True, slots=True)
class ConnectionGeometry:
    """Way points between the two ends."""

    points_x: tuple[float, ...]
    points_y: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SystemGeometry:
    """The canvas of a system."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Entity):
    """A text box in a diagram."""

    x1: float
    y1: float
    x2: float
    y2: float
    text: str
