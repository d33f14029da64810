"""What is drawn, with places for everything: only writing it down is left to do.

Coordinates are those of SVG, pixels with y pointing down.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sspsim.drawing.diagram import BORDER, Box, Diagram, Style, Wire
from sspsim.drawing.font import text_width

TITLE, WORDS, LABEL = 13.0, 10.0, 10.0  # font sizes
APART = 4  # as many parallel connections are drawn one by one; more become one line with their number
MARGIN = 10.0
LETTERS = 22  # of the name of a port; longer ones are shortened

Point = tuple[float, float]
Inners = Sequence["Picture | None"]  # what is inside the boxes of a diagram


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a port inside a box, at its left or right side; `dot` is where wires end."""

    text: str
    dot: Point
    side: str  # left, right, or none: only the dot
    facts: str = ""


@dataclass(frozen=True, slots=True)
class PlacedBox:
    """A box with its corner and size. A rotation in degrees, clockwise, turns what is in it."""

    box: Box
    x: float
    y: float
    width: float
    height: float
    title_at: Point  # the middle of its line
    title_width: float
    labels: tuple[Label, ...] = ()
    inner: Picture | None = None
    inner_at: tuple[float, float, float] = (0.0, 0.0, 1.0)  # x, y, scale
    rotation: float = 0.0
    flips: tuple[bool, bool] = (False, False)


@dataclass(frozen=True, slots=True)
class PlacedWire:
    """A path of SVG with what flows there; `count` connections in one line."""

    path: str
    style: Style
    count: int
    label_at: Point
    ends: tuple[str, str]  # names of the two boxes
    connections: tuple[str, ...]

    @property
    def points(self) -> list[Point]:
        """The points of the path; the line stays within them."""
        numbers = [float(n) for n in re.findall(r"-?[0-9.]+", self.path)]
        return list(zip(numbers[::2], numbers[1::2], strict=True))


@dataclass(frozen=True, slots=True)
class Group:
    """The area of a cycle."""

    cycle: int
    x: float
    y: float
    width: float
    height: float
    title: str = ""


@dataclass(frozen=True, slots=True)
class PlacedNote:
    """A text of the file."""

    x: float
    y: float
    width: float
    height: float
    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A diagram with places for everything; x and y are the upper left corner of all that is drawn."""

    x: float
    y: float
    width: float
    height: float
    boxes: tuple[PlacedBox, ...]
    wires: tuple[PlacedWire, ...]
    groups: tuple[Group, ...] = ()
    notes: tuple[PlacedNote, ...] = ()
    border: tuple[Label, ...] = ()


@dataclass(frozen=True)
class Strand:
    """Connections that are drawn as one line."""

    wires: tuple[Wire, ...]

    @property
    def ends(self) -> tuple[int, int]:
        """The two boxes."""
        return self.wires[0].source, self.wires[0].target

    @property
    def style(self) -> Style:
        """The same for all."""
        return self.wires[0].style

    def port(self, side: int) -> str:
        """What is written at the source (0) or the target (1)."""
        if len(self.wires) > 1:
            names = {wire.target_port if side else wire.source_port for wire in self.wires}
            return f"{len(names)} values" if len(names) > 1 else names.pop()
        return self.wires[0].target_port if side else self.wires[0].source_port


def strands(wires: Iterable[Wire]) -> list[Strand]:
    """Single connections where there are few between two boxes, else one line per kind."""
    pairs: dict[tuple[int, int], list[Wire]] = defaultdict(list)
    for wire in wires:
        pairs[wire.source, wire.target].append(wire)
    found = []
    for (source, target), bundle in pairs.items():
        if len(bundle) <= APART or BORDER in (source, target):
            found += [Strand((wire,)) for wire in bundle]
            continue
        kinds: dict[Style, list[Wire]] = defaultdict(list)
        for wire in bundle:
            kinds[wire.style].append(wire)
        found += [Strand(tuple(kinds[style])) for style in Style if style in kinds]
    return found


def strand_wire(diagram: Diagram, strand: Strand, path: str, label_at: Point) -> PlacedWire:
    """The line of a strand, with the words about it."""
    names = ["" if end == BORDER else diagram.boxes[end].name for end in strand.ends]
    connections = tuple(f"{w.source_port} → {w.target_port}" for w in strand.wires)
    return PlacedWire(path, strand.style, len(strand.wires), label_at, (names[0], names[1]), connections)


def fitted(
    boxes: Sequence[PlacedBox],
    wires: Sequence[PlacedWire],
    border: Sequence[Label],
    diagram: Diagram,
    notes: Sequence[PlacedNote] = (),
    canvas: Sequence[Point] = (),
) -> Picture:
    """All of it with the smallest frame around it."""
    groups = tuple(_groups(boxes, wires, diagram.masters))
    corners: list[Point] = [*canvas, *(label.dot for label in border)]
    areas: list[PlacedBox | Group | PlacedNote] = [*boxes, *groups, *notes]
    for area in areas:
        corners += [(area.x, area.y), (area.x + area.width, area.y + area.height)]
    for group in groups:
        corners.append((group.x + 10 + text_width(group.title, WORDS), group.y))
    for wire in wires:
        corners += wire.points
    xs, ys = [x for x, _ in corners] or [0.0], [y for _, y in corners] or [0.0]
    size = max(xs) - min(xs), max(ys) - min(ys)
    return Picture(min(xs), min(ys), *size, tuple(boxes), tuple(wires), groups, tuple(notes), tuple(border))


def _groups(
    boxes: Sequence[PlacedBox], wires: Sequence[PlacedWire], masters: Sequence[str]
) -> Iterable[Group]:
    """One area around a cycle and its wires; around each of its boxes if others are in between."""
    members: dict[int, list[PlacedBox]] = defaultdict(list)
    for placed in boxes:
        if placed.box.cycle:
            members[placed.box.cycle].append(placed)
    for cycle, own in sorted(members.items()):
        title = f"cycle {cycle}" + (f": {masters[cycle - 1]}" if cycle <= len(masters) else "")
        names = {placed.box.name for placed in own}
        inside = [point for wire in wires if names.issuperset(wire.ends) for point in wire.points]
        for points in (inside, []):
            whole = _around(cycle, own, points, title)
            if not any(_touches(whole, other) for other in boxes if other.box.cycle != cycle):
                yield whole
                break
        else:
            yield from (_around(cycle, [one], [], f"cycle {cycle}") for one in own)


def _around(cycle: int, boxes: Sequence[PlacedBox], points: Sequence[Point], title: str) -> Group:
    corners = [*points, *((b.x, b.y) for b in boxes), *((b.x + b.width, b.y + b.height) for b in boxes)]
    x, y = min(x for x, _ in corners) - MARGIN, min(y for _, y in corners) - MARGIN - 10
    right, bottom = max(x for x, _ in corners) + MARGIN, max(y for _, y in corners) + MARGIN
    return Group(cycle, x, y, right - x, bottom - y, title)


def _touches(group: Group, box: PlacedBox) -> bool:
    return (
        group.x < box.x + box.width
        and box.x < group.x + group.width
        and group.y < box.y + box.height
        and box.y < group.y + group.height
    )


def number(value: float) -> str:
    """A coordinate, as short as a tenth of a pixel allows."""
    return f"{value:.1f}".removesuffix(".0")
