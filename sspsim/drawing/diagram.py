"""What a picture shows, before anything has a place: boxes, their ports, the wires between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sspsim.structure import ConnectorGeometry, ElementGeometry, Note, SystemGeometry

BORDER = -1  # the "box" of the connectors of the system that a diagram is the inside of


class Style(StrEnum):
    """What flows through a wire."""

    LIVE = "live"
    BROKEN = "broken"
    TIME_ONLY = "time-only"


@dataclass(frozen=True, slots=True)
class Port:
    """A connector of a box; `facts` are words about it: type, unit, value."""

    name: str
    is_input: bool
    facts: str = ""
    geometry: ConnectorGeometry | None = None


@dataclass(frozen=True, slots=True)
class Icon:
    """A picture in a box."""

    media: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Box:
    """An element: a component, or a system with a diagram inside."""

    path: tuple[str, ...]
    words: str  # what kind of thing it is
    ports: tuple[Port, ...] = ()
    inner: Diagram | None = None
    cycle: int = 0  # from 1; 0: in none
    place: int = 0  # in the order of evaluation
    geometry: ElementGeometry | None = None
    icon: Icon | None = None
    facts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The path as people write it."""
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class Wire:
    """A connection between two boxes of a diagram, or between a box and the border."""

    source: int
    source_port: str
    target: int
    target_port: str
    style: Style = Style.LIVE
    points: tuple[tuple[float, float], ...] = ()  # way points of the file, from source to target


@dataclass(frozen=True, slots=True)
class Diagram:
    """One system; `masters` has a word for each cycle of the whole."""

    name: str
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    ports: tuple[Port, ...] = ()
    notes: tuple[Note, ...] = ()
    geometry: SystemGeometry | None = None
    masters: tuple[str, ...] = ()

    @property
    def has_places(self) -> bool:
        """Whether the file says where everything is."""
        return bool(self.boxes) and all(box.geometry for box in self.boxes)

    def walk(self) -> Iterator[Diagram]:
        """This diagram and all inside it."""
        yield self
        for box in self.boxes:
            if box.inner:
                yield from box.inner.walk()
