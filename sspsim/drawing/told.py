"""A diagram at the places that its file gives: there y points up and a unit is about a millimetre."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, hypot, radians, sin

from sspsim.drawing.diagram import BORDER, Box, Diagram, Port
from sspsim.drawing.font import shortened, text_width
from sspsim.drawing.picture import (
    LABEL,
    LETTERS,
    TITLE,
    WORDS,
    Inners,
    Label,
    Picture,
    PlacedBox,
    PlacedNote,
    PlacedWire,
    Point,
    Strand,
    fitted,
    number,
    strand_wire,
    strands,
)
from sspsim.structure import ElementGeometry

SMALLEST = 70.0, 40.0  # pixels of a box
LARGEST = 5000.0  # pixels of the whole
NEAR = 0.05  # of an element: so close to its connector a way point is the connector itself
REACH = 40.0
ROW, MANY = 15.0, 20  # for the names of ports


def place_as_told(diagram: Diagram, inners: Inners) -> Picture:
    """The picture of a diagram whose inner ones have theirs already."""
    return _Told(diagram, inners).picture()


class _Told:
    def __init__(self, diagram: Diagram, inners: Inners) -> None:
        self.diagram = diagram
        self.inners = inners
        self.places = [box.geometry or ElementGeometry(0, 0, 1, 1) for box in diagram.boxes]
        self.canvas = self._canvas()
        self.scale = self._scale()

    def _canvas(self) -> tuple[float, float, float, float]:
        """That of the file, else what the elements need."""
        if (told := self.diagram.geometry) and told.x1 != told.x2 and told.y1 != told.y2:
            return min(told.x1, told.x2), min(told.y1, told.y2), max(told.x1, told.x2), max(told.y1, told.y2)
        xs = [x for g in self.places for x in (g.x1, g.x2)]
        ys = [y for g in self.places for y in (g.y1, g.y2)]
        return min(xs), min(ys), max(xs), max(ys)

    def _scale(self) -> float:
        """Pixels per unit: large enough to read the names, small enough for a screen.

        What is inside a system is made as small as its place demands; the whole is enlarged for it later.
        """
        wanted = 1.0
        for box, g in zip(self.diagram.boxes, self.places, strict=True):
            wide = sum(_widths(box)) + _title_width(box)
            need = max(SMALLEST[0], wide), max(SMALLEST[1], ROW * _rows(box))
            for pixels, units in zip(need, (abs(g.x2 - g.x1), abs(g.y2 - g.y1)), strict=True):
                wanted = max(wanted, pixels / units if units else 0.0)
        extent = max(self.canvas[2] - self.canvas[0], self.canvas[3] - self.canvas[1], 1e-9)
        return min(wanted, LARGEST / extent)

    def picture(self) -> Picture:
        boxes = [self._box(k) for k in range(len(self.diagram.boxes))]
        x1, y1, x2, y2 = self.canvas
        notes = [
            PlacedNote(*self._at(min(n.x1, n.x2), max(n.y1, n.y2)), *self._extent(n), n.text)
            for n in self.diagram.notes
        ]
        return fitted(
            boxes,
            [self._wire(strand) for strand in strands(self.diagram.wires)],
            list(self._border()),
            self.diagram,
            notes,
            (self._at(x1, y1), self._at(x2, y2)),
        )

    def _at(self, x: float, y: float) -> Point:
        return (x - self.canvas[0]) * self.scale, (self.canvas[3] - y) * self.scale

    def _extent(self, area: object) -> Point:
        x1, y1, x2, y2 = (getattr(area, name) for name in ("x1", "y1", "x2", "y2"))
        return abs(x2 - x1) * self.scale, abs(y2 - y1) * self.scale

    def _box(self, k: int) -> PlacedBox:
        box, g, inner = self.diagram.boxes[k], self.places[k], self.inners[k]
        x, y = self._at(min(g.x1, g.x2), max(g.y1, g.y2))
        width, height = self._extent(g)
        used = {w.source_port for w in self.diagram.wires if w.source == k}
        used |= {w.target_port for w in self.diagram.wires if w.target == k}
        left, right = _widths(box)
        fits = not inner and not g.rotation and left + right + _title_width(box) <= width + 1
        labels = tuple(
            Label(p.name, point, _side(point, x, width) if fits else "none", p.facts)
            for p in box.ports
            if p.name in used or p.geometry
            for point in [self._port(k, p.name)]
        )
        at = (x, y, 1.0)
        if inner:
            free = width - 8, height - 26
            factor = min(free[0] / max(inner.width, 1.0), free[1] / max(inner.height, 1.0))
            aside = (width - inner.width * factor) / 2, 22 + (free[1] - inner.height * factor) / 2
            at = (x + aside[0], y + aside[1], factor)
        flips = g.x1 > g.x2, g.y1 > g.y2
        room = width - (left + right if fits else 0.0)
        title_at = x + (left if fits else 0.0) + room / 2, y + height / 2 - 2
        return PlacedBox(box, x, y, width, height, title_at, room, labels, inner, at, g.rotation, flips)

    def _port(self, k: int, name: str) -> Point:
        """The place of a connector: on the border of its element, turned with it."""
        box, g = self.diagram.boxes[k], self.places[k]
        x, y = _share(box.ports, name)
        px, py = g.x1 + x * (g.x2 - g.x1), g.y1 + y * (g.y2 - g.y1)
        cx, cy = (g.x1 + g.x2) / 2, (g.y1 + g.y2) / 2
        a = radians(g.rotation)
        dx, dy = px - cx, py - cy
        return self._at(cx + dx * cos(a) - dy * sin(a), cy + dx * sin(a) + dy * cos(a))

    def _border_port(self, name: str) -> Point:
        geometry = next((p.geometry for p in self.diagram.ports if p.name == name), None)
        x, y = _share(self.diagram.ports, name)
        if geometry and geometry.system_inner_x is not None:
            x = geometry.system_inner_x
        if geometry and geometry.system_inner_y is not None:
            y = geometry.system_inner_y
        x1, y1, x2, y2 = self.canvas
        return self._at(x1 + x * (x2 - x1), y1 + y * (y2 - y1))

    def _border(self) -> Iterable[Label]:
        used = {w.source_port: "left" for w in self.diagram.wires if w.source == BORDER}
        used |= {w.target_port: "right" for w in self.diagram.wires if w.target == BORDER}
        for name, side in used.items():
            yield Label(name, self._border_port(name), side)

    # ---- lines -------------------------------------------------------------------------------------------

    def _wire(self, strand: Strand) -> PlacedWire:
        ends = [self._end(strand, side) for side in (0, 1)]
        points = [self._at(x, y) for x, y in strand.wires[0].points]
        points = self._without_ends(points, strand, ends)
        if points:
            line = [ends[0], *points, ends[1]]
            path = "M" + " L".join(f"{number(x)} {number(y)}" for x, y in line)
            return strand_wire(self.diagram, strand, path, line[len(line) // 2])
        (x1, y1), (x2, y2) = ends
        away = [self._outwards(strand, side, ends[side]) for side in (0, 1)]
        reach = max(REACH, hypot(x2 - x1, y2 - y1) / 3)
        (a, b), (c, d) = away
        curve = [x1 + a * reach, y1 + b * reach, x2 + c * reach, y2 + d * reach, x2, y2]
        path = f"M{number(x1)} {number(y1)} C{' '.join(map(number, curve))}"
        return strand_wire(self.diagram, strand, path, _halfway(ends, away, reach))

    def _end(self, strand: Strand, side: int) -> Point:
        k = strand.ends[side]
        found = [
            self._border_port(name) if k == BORDER else self._port(k, name)
            for wire in strand.wires
            for name in [wire.target_port if side else wire.source_port]
        ]
        return sum(x for x, _ in found) / len(found), sum(y for _, y in found) / len(found)

    def _without_ends(self, points: list[Point], strand: Strand, ends: Sequence[Point]) -> list[Point]:
        """Some tools repeat the two connectors among the way points."""
        for side, index in ((0, 0), (1, -1)):
            k = strand.ends[side]
            extent = max(self._extent(self.places[k])) if k != BORDER else 0.0
            if (
                points
                and hypot(points[index][0] - ends[side][0], points[index][1] - ends[side][1]) <= NEAR * extent
            ):
                points = points[1:] if side == 0 else points[:-1]
        return points

    def _outwards(self, strand: Strand, side: int, point: Point) -> Point:
        """The direction in which a line leaves its box: away from the nearest border."""
        k = strand.ends[side]
        if k == BORDER:
            return (1.0, 0.0) if side == 0 else (-1.0, 0.0)
        g = self.places[k]
        (x, y), (width, height) = self._at(min(g.x1, g.x2), max(g.y1, g.y2)), self._extent(g)
        distances = {
            (-1.0, 0.0): abs(point[0] - x),
            (1.0, 0.0): abs(point[0] - x - width),
            (0.0, -1.0): abs(point[1] - y),
            (0.0, 1.0): abs(point[1] - y - height),
        }
        return min(distances, key=distances.__getitem__)


def _side(point: Point, x: float, width: float) -> str:
    """Names stand inside, at the side where the port is."""
    if abs(point[0] - x) < 0.1 * width:
        return "left"
    return "right" if abs(point[0] - x - width) < 0.1 * width else "none"


def _title_width(box: Box) -> float:
    return max(text_width(box.path[-1], TITLE, bold=True), text_width(box.words, WORDS)) + 20


def _widths(box: Box) -> tuple[float, float]:
    """What the names of inputs and outputs need, at the left and the right side."""
    widths = [(p.is_input, text_width(shortened(p.name, LETTERS), LABEL)) for p in box.ports]
    left = max((width for is_input, width in widths if is_input), default=0.0)
    return left, max((width for is_input, width in widths if not is_input), default=0.0)


def _rows(box: Box) -> int:
    inputs = sum(p.is_input for p in box.ports)
    return min(MANY, max(inputs, len(box.ports) - inputs)) + 1


def _share(ports: Sequence[Port], name: str) -> Point:
    """The place of a connector in its element, from 0 to 1; without one inputs are left and outputs right."""
    port = next((p for p in ports if p.name == name), None)
    if port is None:
        return 0.5, 0.0
    if port.geometry:
        return port.geometry.x, port.geometry.y
    beside = [p.name for p in ports if p.is_input == port.is_input and not p.geometry]
    return (0.0 if port.is_input else 1.0), 1 - (beside.index(name) + 0.5) / len(beside)


def _halfway(ends: Sequence[Point], away: Sequence[Point], reach: float) -> Point:
    """The middle of the curve."""
    (x1, y1), (x2, y2) = ends
    (a, b), (c, d) = away
    x = (x1 + 3 * (x1 + a * reach) + 3 * (x2 + c * reach) + x2) / 8
    return x, (y1 + 3 * (y1 + b * reach) + 3 * (y2 + d * reach) + y2) / 8
