"""A diagram in columns from left to right, by the order of evaluation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sspsim.drawing.diagram import BORDER, Diagram, Style
from sspsim.drawing.font import shortened, text_width
from sspsim.drawing.layered import LANE, Edge, Lane, Layout, layered
from sspsim.drawing.picture import (
    LABEL,
    LETTERS,
    MARGIN,
    TITLE,
    WORDS,
    Inners,
    Label,
    Picture,
    PlacedBox,
    PlacedWire,
    Point,
    Strand,
    fitted,
    number,
    strand_wire,
    strands,
)

HEADER, ROW = 38.0, 15.0
FRAME_TOP, FRAME_SIDE = 36.0, 18.0
TURN = 34.0  # how far a line that leads back goes beside its box


def place_in_columns(diagram: Diagram, inners: Inners) -> Picture:
    """The picture of a diagram whose inner ones have theirs already."""
    return _Columns(diagram, inners).picture()


@dataclass
class _Side:
    """The ports of a box at its left or right side, from top to bottom."""

    names: list[str] = field(default_factory=list)
    at: dict[str, float] = field(default_factory=dict)

    def add(self, name: str) -> None:
        if name not in self.names:
            self.names.append(name)


class _Columns:
    """A diagram in columns."""

    def __init__(self, diagram: Diagram, inners: Inners) -> None:
        self.diagram = diagram
        self.strands = strands(diagram.wires)
        self.inner = inners
        self.sides = [(_Side(), _Side()) for _ in diagram.boxes]
        for strand in self.strands:
            source, target = strand.ends
            if source != BORDER:
                self.sides[source][1].add(strand.port(0))
            if target != BORDER:
                self.sides[target][0].add(strand.port(1))
        self.sizes = [self._size(k) for k in range(len(diagram.boxes))]
        self._number_border()

    def _number_border(self) -> None:
        """Connectors of the system itself count as boxes: the inputs first, the outputs last."""
        self.entries: dict[tuple[int, str], int] = {}
        for strand in self.strands:
            for side, end in enumerate(strand.ends):
                name = strand.port(side)
                if end == BORDER and (side, name) not in self.entries:
                    self.entries[side, name] = len(self.sizes)
                    self.sizes.append((text_width(shortened(name, LETTERS), LABEL) + 10, LABEL + 4))

    def _node(self, strand: Strand, side: int) -> int:
        end = strand.ends[side]
        return self.entries[side, strand.port(side)] if end == BORDER else end

    def _size(self, k: int) -> tuple[float, float]:
        box, inner = self.diagram.boxes[k], self.inner[k]
        title = max(text_width(box.path[-1], TITLE, bold=True), text_width(box.words, WORDS)) + 24
        rows = max(len(side.names) for side in self.sides[k])
        if inner:
            labels = sum(self._widest(side) for side in self.sides[k])
            return max(inner.width + 2 * FRAME_SIDE, title, labels), max(
                inner.height + FRAME_TOP + FRAME_SIDE, FRAME_TOP + rows * ROW + MARGIN
            )
        widths = [self._widest(side) for side in self.sides[k]]
        return max(sum(widths) + 18, title, 90.0), HEADER + rows * ROW + (MARGIN if rows else 2)

    def _widest(self, side: _Side) -> float:
        return max((text_width(shortened(name, LETTERS), LABEL) + 12 for name in side.names), default=0.0)

    # ---- places ------------------------------------------------------------------------------------------

    def picture(self) -> Picture:
        pairs: dict[tuple[int, int], list[Strand]] = defaultdict(list)
        for strand in self.strands:
            pairs[self._node(strand, 0), self._node(strand, 1)].append(strand)
        edges = [Edge(*ends, tuple(strand.port(0) for strand in lines)) for ends, lines in pairs.items()]
        boxes = self.diagram.boxes
        order = sorted(range(len(boxes)), key=lambda k: (boxes[k].place, boxes[k].path))
        first = [n for (side, _), n in self.entries.items() if side == 0]
        last = [n for (side, _), n in self.entries.items() if side == 1]
        layout = layered(self.sizes, edges, [*first, *order, *last], first, last)
        self._arrange_ports(pairs, layout)
        wires = [
            wire
            for k, lines in enumerate(pairs.values())
            for wire in self._routed(lines, layout, layout.lanes[k])
        ]
        placed = [self._placed(k, layout.corners[k]) for k in range(len(boxes))]
        border = [
            Label(name, self._border_point(layout, side, n), "left" if side == 0 else "right")
            for (side, name), n in self.entries.items()
        ]
        return fitted(placed, [*wires, *self._stubs(layout)], border, self.diagram)

    def _border_point(self, layout: Layout, side: int, n: int) -> Point:
        """The outer end of a connector of the system; its name stands on the line between this and its inner
        end.
        """
        (x, y), (width, height) = layout.corners[n], self.sizes[n]
        return (x if side == 0 else x + width), y + height / 2

    def _stubs(self, layout: Layout) -> Iterable[PlacedWire]:
        """From the border of a box with something inside to where the inside begins."""
        for k, inner in enumerate(self.inner):
            if inner:
                x, y, _ = self._inner_at(k, layout.corners[k])
                for label in inner.border:
                    px, py = label.dot[0] + x - inner.x, label.dot[1] + y - inner.y
                    edge = layout.corners[k][0] + (0.0 if label.side == "left" else self.sizes[k][0])
                    if label.text in self.sides[k][0 if label.side == "left" else 1].names:
                        path = f"M{number(edge)} {number(py)} L{number(px)} {number(py)}"
                        yield PlacedWire(path, self._style(k, label), 1, (px, py), ("", ""), ())

    def _style(self, k: int, label: Label) -> Style:
        """That of a line that comes from outside."""
        side = 1 if label.side == "left" else 0
        outside = (s.style for s in self.strands if s.ends[side] == k and s.port(side) == label.text)
        return next(outside, Style.LIVE)

    def _inner_at(self, k: int, corner: Point) -> tuple[float, float, float]:
        inner, (x, y), (width, height) = self.inner[k], corner, self.sizes[k]
        if not inner:
            return x, y, 1.0
        free = height - FRAME_TOP - MARGIN - inner.height
        return x + (width - inner.width) / 2, y + FRAME_TOP + max(0.0, free) / 2, 1.0

    def _arrange_ports(self, pairs: dict[tuple[int, int], list[Strand]], layout: Layout) -> None:
        """Ports in the order of what they lead to, so that wires do not cross at the box.

        At first that is the middle of the box at the other end, then the port there: the outputs wait for the
        inputs and the inputs for the outputs.
        """
        for _ in range(3):
            for side in (1, 0):
                self._arrange_side(side, pairs, layout)

    def _arrange_side(self, side: int, pairs: dict[tuple[int, int], list[Strand]], layout: Layout) -> None:
        aims: dict[tuple[int, str], list[float]] = defaultdict(list)
        for lanes, (nodes, lines) in zip(layout.lanes, pairs.items(), strict=True):
            own, other = nodes if side == 1 else nodes[::-1]
            if own < len(self.sides):
                for strand in lines:
                    if lanes:
                        aim = lanes[0 if side == 1 else -1].y
                    else:
                        aim = layout.corners[other][1] + self.sizes[other][1] / 2
                        if other < len(self.sides):
                            aim = self.sides[other][1 - side].at.get(strand.port(side), aim)
                    aims[own, strand.port(1 - side)].append(aim)
        for k, sides in enumerate(self.sides):
            ports = sides[side]
            ports.names.sort(key=lambda name: (sum(aims[k, name]) / len(aims[k, name]), name))
            header = FRAME_TOP if self.inner[k] else HEADER
            free = self.sizes[k][1] - header - MARGIN - ROW * len(ports.names)
            start = layout.corners[k][1] + header + max(0.0, free) / 2
            told = self._ports_of_inside(k, layout.corners[k])
            for row, name in enumerate(ports.names):
                ports.at[name] = told.get((side, name), start + (row + 0.5) * ROW)

    def _ports_of_inside(self, k: int, corner: Point) -> dict[tuple[int, str], float]:
        """A box with something inside has its ports where the inside has them."""
        inner = self.inner[k]
        if not inner:
            return {}
        y = self._inner_at(k, corner)[1] - inner.y
        return {(0 if label.side == "left" else 1, label.text): label.dot[1] + y for label in inner.border}

    def _placed(self, k: int, corner: Point) -> PlacedBox:
        box, (x, y), (width, height) = self.diagram.boxes[k], corner, self.sizes[k]
        facts = {port.name: port.facts for port in box.ports}
        words = ("none", "none") if self.inner[k] else ("left", "right")
        labels = [
            Label(name, (x if s == 0 else x + width, side.at[name]), words[s], facts.get(name, ""))
            for s, side in enumerate(self.sides[k])
            for name in side.names
        ]
        at = self._inner_at(k, corner)
        return PlacedBox(
            box, x, y, width, height, (x + width / 2, y + 17), width, tuple(labels), self.inner[k], at
        )

    # ---- lines -------------------------------------------------------------------------------------------

    def _routed(self, lines: Sequence[Strand], layout: Layout, lanes: Sequence[Lane]) -> Iterable[PlacedWire]:
        for strand in lines:
            start, end = self._end(strand, 0, layout), self._end(strand, 1, layout)
            passed = [self._within(lane, strand) for lane in lanes]
            if strand.ends[0] == BORDER:
                passed.insert(0, Lane(start[0], start[0] + self.sizes[self._node(strand, 0)][0], start[1]))
            if strand.ends[1] == BORDER:
                passed.append(Lane(end[0] - self.sizes[self._node(strand, 1)][0], end[0], end[1]))
            path, middle = _curve(start, end, passed)
            yield strand_wire(self.diagram, strand, path, middle)

    def _within(self, lane: Lane, strand: Strand) -> Lane:
        """The part of a lane that belongs to one wire: they are side by side as they leave their box."""
        source = strand.ends[0]
        heights = self.sides[source][1].at if source != BORDER else {}
        wires = sorted(lane.wires, key=lambda name: (heights.get(name, 0.0), name))
        aside = (wires.index(strand.port(0)) - (len(wires) - 1) / 2) * LANE
        return Lane(lane.start, lane.end, lane.y + aside)

    def _end(self, strand: Strand, side: int, layout: Layout) -> Point:
        n = self._node(strand, side)
        if strand.ends[side] == BORDER:
            return self._border_point(layout, side, n)
        x = layout.corners[n][0] + (self.sizes[n][0] if side == 0 else 0.0)
        return x, self.sides[n][1 - side].at[strand.port(side)]


def _curve(start: Point, end: Point, lanes: Sequence[Lane]) -> tuple[str, Point]:
    """A smooth line from left to right through the lanes, and a point on it where a number can stand."""
    points = [start, *((p, lane.y) for lane in lanes for p in (lane.start, lane.end)), end]
    text = [f"M{number(start[0])} {number(start[1])}"]
    for k, ((x1, y1), (x2, y2)) in enumerate(pairwise(points)):
        if lanes and k % 2 == 1:
            text.append(f"L{number(x2)} {number(y2)}")
            continue
        turns = [bool(lanes) and lanes[end].start > lanes[end].end for end in (0, -1)]
        first, final = k == 0, k == len(points) - 2
        if (first and turns[0]) or (final and turns[1]):  # turns round beside the box
            c1 = c2 = TURN if first else -TURN
        else:
            c1, c2 = (x2 - x1) / 2, (x1 - x2) / 2
        text.append(f"C{' '.join(map(number, (x1 + c1, y1, x2 + c2, y2, x2, y2)))}")
    if lanes:
        lane = lanes[len(lanes) // 2]
        return " ".join(text), ((lane.start + lane.end) / 2, lane.y)
    return " ".join(text), ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
