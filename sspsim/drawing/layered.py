"""Places for boxes in columns from left to right, with room for the edges that pass by (after Sugiyama).

Edges lead from a column to a later one; those that lead back or pass columns run in lanes between the boxes.
What comes from one box shares its lanes as far as it goes the same way, and the same wire is one line there.
Rows of columns follow each other like lines of a text when one row would be too long.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil, sqrt

BOX_GAP, LANE_GAP = 30.0, 12.0
LANE = 9.0  # for one wire
COLUMN_GAP, GAP_PER_WIRE, WIDEST_GAP = 56.0, 4.0, 150.0
SWEEPS, SETTLING = 24, 8
LONG, ASPECT, CUT, ROW_GAP = 2600.0, 1.9, 12, 64.0  # when and where a row is cut
STUB = 14.0  # beside the last box of a row


@dataclass(frozen=True, slots=True)
class Edge:
    """Leads from one box to another; its wires are what leaves the first one."""

    source: int
    target: int
    wires: tuple[str, ...] = ("",)


@dataclass(frozen=True, slots=True)
class Lane:
    """Passes a column, from where wires come in to where they go out; `y` is its middle."""

    start: float
    end: float
    y: float
    wires: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Layout:
    """Upper left corners of the boxes, and for each edge the lanes that it runs in; y points down."""

    corners: tuple[tuple[float, float], ...]
    lanes: tuple[tuple[Lane, ...], ...]
    size: tuple[float, float]


def layered(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[Edge],
    order: Sequence[int],
    first: Sequence[int] = (),
    last: Sequence[int] = (),
) -> Layout:
    """Boxes in the columns that `order` (all boxes, as they are evaluated) gives; `first` and `last` at the
    ends.
    """
    columns = _columns(edges, order, first, last)
    return _Sheet(sizes, edges, columns).layout()


def _columns(
    edges: Sequence[Edge],
    order: Sequence[int],
    first: Sequence[int],
    last: Sequence[int],
) -> list[list[int]]:
    """As far to the left as what feeds a box allows; what is fed by nothing goes next to what it feeds."""
    place = {box: k for k, box in enumerate(order)}
    ends = {*first, *last}
    forward: dict[int, list[int]] = defaultdict(list)
    fed: set[int] = set()
    for edge in edges:
        if edge.source not in ends and edge.target not in ends and place[edge.source] < place[edge.target]:
            forward[edge.source].append(edge.target)
            fed.add(edge.target)
    inner = [box for box in order if box not in ends]
    layer = dict.fromkeys(inner, 0)
    for box in inner:
        for target in forward[box]:
            layer[target] = max(layer[target], layer[box] + 1)
    for box in reversed(inner):
        if box not in fed and forward[box]:
            layer[box] = min(layer[target] for target in forward[box]) - 1
    columns: list[list[int]] = [list(first)] if first else []
    most = max(6, ceil(sqrt(len(inner)) * 1.2))
    for number in sorted(set(layer.values())):
        members = [box for box in inner if layer[box] == number]
        pieces = ceil(len(members) / most)
        each = ceil(len(members) / pieces)
        columns += [members[k : k + each] for k in range(0, len(members), each)]
    return columns + ([list(last)] if last else [])


@dataclass(slots=True)
class _Item:
    """A box, or a lane with its wires, in a column; y is its middle."""

    column: int
    height: float
    box: int = -1
    wires: frozenset[str] = frozenset()
    y: float = 0.0
    neighbours: list[_Item] = field(default_factory=list)


@dataclass(slots=True)
class _Row:
    """Columns that stand side by side; `shift` moves what is in them to where the row is."""

    first: int
    last: int
    bottom: float
    shift: float
    cut: int = 0  # how many wires have been led from here to the next row


class _Sheet:
    """Finds the y of boxes and lanes by moving them to the middle of their neighbours, again and again."""

    def __init__(
        self, sizes: Sequence[tuple[float, float]], edges: Sequence[Edge], columns: Sequence[Sequence[int]]
    ) -> None:
        self.sizes = sizes
        self.edges = edges
        self.columns: list[list[_Item]] = []
        self.boxes: dict[int, _Item] = {}
        for number, members in enumerate(columns):
            self.columns.append([_Item(number, sizes[box][1], box=box) for box in members])
            self.boxes.update({item.box: item for item in self.columns[-1]})
        self.steps: dict[tuple[int, int], tuple[_Item, _Item]] = {}  # from an item to the next one
        shared: dict[tuple[int, int, bool], _Item] = {}
        self.chains = [self._chain(edge, shared) for edge in edges]

    def _chain(self, edge: Edge, shared: dict[tuple[int, int, bool], _Item]) -> list[_Item]:
        """From source to target through lanes; an edge that leads back passes the columns of its own two ends
        as well.
        """
        a, b = self.boxes[edge.source], self.boxes[edge.target]
        forward = a.column < b.column
        passed = range(a.column + 1, b.column) if forward else range(a.column, b.column - 1, -1)
        chain = [a, *(self._lane(edge, c, forward, shared) for c in passed), b]
        for one, other in pairwise(chain):
            if (id(one), id(other)) not in self.steps:
                self.steps[id(one), id(other)] = one, other
                one.neighbours.append(other)
                other.neighbours.append(one)
        return chain

    def _lane(
        self, edge: Edge, column: int, forward: bool, shared: dict[tuple[int, int, bool], _Item]
    ) -> _Item:
        lane = shared.get((edge.source, column, forward))
        if lane is None:
            lane = shared[edge.source, column, forward] = _Item(column, 0.0)
            self.columns[column].append(lane)
        lane.wires |= frozenset(edge.wires)
        lane.height = LANE * len(lane.wires)
        return lane

    def layout(self) -> Layout:
        for column in self.columns:
            self._stack(column)
        best = self._cost(), self._places()
        for sweep in range(SWEEPS):
            columns = self.columns if sweep % 2 == 0 else reversed(self.columns)
            for column in columns:
                self._settle(column, reorder=True)
            if (cost := self._cost()) < best[0]:
                best = cost, self._places()
        self._restore(best[1])
        for sweep in range(SETTLING):
            for column in self.columns if sweep % 2 else reversed(self.columns):
                self._settle(column, reorder=False)
        return self._finished()

    # ---- up and down -------------------------------------------------------------------------------------

    def _stack(self, column: list[_Item]) -> None:
        y = 0.0
        for item in column:
            item.y = y + item.height / 2
            y += item.height + BOX_GAP
        for item in column:
            item.y -= y / 2

    def _settle(self, column: list[_Item], *, reorder: bool) -> None:
        """Everything as near to the middle of its neighbours as the others in the column allow."""
        wishes = {id(item): _middle(item) for item in column}
        if reorder:
            column.sort(key=lambda item: wishes[id(item)])
        distance, wanted = 0.0, []
        for k, item in enumerate(column):
            if k:
                distance += _separation(column[k - 1], item)
            wanted.append(wishes[id(item)] - distance)
        distance = 0.0
        for k, (item, level) in enumerate(zip(column, _rising(wanted), strict=True)):
            if k:
                distance += _separation(column[k - 1], item)
            item.y = level + distance

    def _cost(self) -> float:
        """How far edges go up and down, and how often neighbouring ones cross."""
        length = sum(
            abs(item.y - other.y) for column in self.columns for item in column for other in item.neighbours
        )
        return length + 60.0 * self._crossings()

    def _crossings(self) -> int:
        pairs: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
        for step in self.steps.values():
            left, right = sorted(step, key=lambda item: item.column)
            pairs[left.column, right.column].append((left.y, right.y))
        return sum(map(_inversions, pairs.values()))

    def _places(self) -> list[list[tuple[_Item, float]]]:
        return [[(item, item.y) for item in column] for column in self.columns]

    def _restore(self, places: list[list[tuple[_Item, float]]]) -> None:
        self.columns = [[item for item, _ in column] for column in places]
        for column in places:
            for item, y in column:
                item.y = y

    # ---- left to right, in rows --------------------------------------------------------------------------

    def _finished(self) -> Layout:
        left, widths = self._across()
        rows = self._rows(left, widths)
        row_of = {c: row for row in rows for c in range(row.first, row.last + 1)}

        def x_of(column: int) -> float:
            return left[column] - left[row_of[column].first]

        corners = []
        for box, (width, height) in enumerate(self.sizes):
            item = self.boxes[box]
            aside = (widths[item.column] - width) / 2
            corners.append((x_of(item.column) + aside, item.y - height / 2 + row_of[item.column].shift))
        right = max((x_of(c) + widths[c] for c in row_of), default=0.0)
        lanes = []
        folds: dict[tuple[int, int], list[Lane]] = {}  # lanes that share a way are led to the next row once
        for edge, chain in zip(self.edges, self.chains, strict=True):
            places: list[Lane] = []
            for item, following in pairwise(chain):
                here, there = row_of[item.column], row_of[following.column]
                if item.box < 0:
                    near = x_of(item.column)
                    far = near + widths[item.column]
                    ends = (near, far) if chain[0].column < chain[-1].column else (far, near)
                    places.append(Lane(*ends, item.y + here.shift, item.wires))
                if here is not there:
                    step = id(item), id(following)
                    if step not in folds:
                        wires = following.wires or frozenset(edge.wires)
                        levels = item.y + here.shift, following.y + there.shift
                        folds[step] = _fold(here, there, levels, right, wires)
                    places += folds[step]
            lanes.append(tuple(places))
        bottom = max((row.bottom + row.shift for row in rows), default=0.0)
        return Layout(tuple(corners), tuple(lanes), (right, bottom))

    def _across(self) -> tuple[list[float], list[float]]:
        """The left side and the width of each column in one long row."""
        crossing = self._wires_between()
        left: list[float] = []
        widths: list[float] = []
        x = 0.0
        for number, column in enumerate(self.columns):
            if number:
                x += min(WIDEST_GAP, COLUMN_GAP + GAP_PER_WIRE * crossing[number])
            left.append(x)
            widths.append(max((self.sizes[item.box][0] for item in column if item.box >= 0), default=0.0))
            x += widths[-1]
        return left, widths

    def _rows(self, left: Sequence[float], widths: Sequence[float]) -> list[_Row]:
        """One row, or several where it would be too long and can be cut without cutting many wires."""
        if not self.columns:
            return []
        length = left[-1] + widths[-1]
        height = max(map(_extent, self.columns)) + ROW_GAP  # of a row: most drift up or down only slowly
        count = round(sqrt(length / (ASPECT * height))) if length > LONG else 1
        starts = [0]
        crossing = self._wires_between()
        for k in range(1, count):
            wanted = [c for c in range(starts[-1] + 2, len(left)) if abs(left[c] * count / length - k) < 0.35]
            best = min(wanted, key=lambda c: (crossing[c], abs(left[c] - k * length / count)), default=0)
            if best and crossing[best] <= CUT:
                starts.append(best)
        rows, y = [], 0.0
        for first, after in pairwise([*starts, len(left)]):
            items = [item for column in self.columns[first:after] for item in column]
            top = min((item.y - item.height / 2 for item in items), default=0.0)
            bottom = max((item.y + item.height / 2 for item in items), default=0.0)
            rows.append(_Row(first, after - 1, bottom, y - top))
            y += bottom - top + ROW_GAP + 2 * LANE * crossing.get(after, 0)
        return rows

    def _wires_between(self) -> Mapping[int, int]:
        """How many wires pass the gap before each column."""
        found: dict[int, set[tuple[int, bool, str]]] = defaultdict(set)
        for edge in self.edges:
            a, b = self.boxes[edge.source].column, self.boxes[edge.target].column
            for number in range(min(a, b) + 1, max(a, b) + 1):
                found[number].update((edge.source, a < b, wire) for wire in edge.wires)
        return defaultdict(int, {number: len(wires) for number, wires in found.items()})


def _fold(
    here: _Row, there: _Row, levels: tuple[float, float], right: float, wires: frozenset[str]
) -> list[Lane]:
    """Leads wires out of one row, along the gap to its other side and into the other row."""
    upper = here if here.first < there.first else there
    aside = ROW_GAP / 4 + LANE * (upper.cut + (len(wires) + 1) / 2)
    upper.cut += len(wires)
    gap = upper.bottom + upper.shift + aside
    far, near = right + aside, -aside
    ways = [(right + STUB, far), (far, near), (near, -STUB)]
    if upper is there:
        ways = [(-STUB, near), (near, far), (far, right + STUB)]
    return [Lane(*way, y, wires) for way, y in zip(ways, (levels[0], gap, levels[1]), strict=True)]


def _extent(column: Sequence[_Item]) -> float:
    return max(item.y + item.height / 2 for item in column) - min(item.y - item.height / 2 for item in column)


def _middle(item: _Item) -> float:
    if not item.neighbours:
        return item.y
    return sum(n.y + _aside(item, n) for n in item.neighbours) / len(item.neighbours)


def _aside(item: _Item, neighbour: _Item) -> float:
    """A lane that starts in the column of its box goes below it; the box takes no notice of the lane."""
    if item.column != neighbour.column:
        return 0.0
    distance = (item.height + neighbour.height) / 2 + LANE_GAP
    return distance if item.box < 0 else -distance


def _separation(upper: _Item, lower: _Item) -> float:
    gap = BOX_GAP if upper.box >= 0 and lower.box >= 0 else LANE_GAP
    return (upper.height + lower.height) / 2 + gap


def _rising(wanted: Sequence[float]) -> list[float]:
    """The nearest sequence that never falls: neighbours that would fall share their mean.

    >>> _rising([1.0, 5.0, 3.0, 6.0])
    [1.0, 4.0, 4.0, 6.0]
    """
    blocks: list[tuple[float, int]] = []
    for value in wanted:
        mean, count = value, 1
        while blocks and blocks[-1][0] > mean:
            other, many = blocks.pop()
            mean, count = (mean * count + other * many) / (count + many), count + many
        blocks.append((mean, count))
    return [mean for mean, count in blocks for _ in range(count)]


def _inversions(pairs: list[tuple[float, float]]) -> int:
    """How many of the lines between two columns cross."""
    ordered = sorted(pairs)
    return sum(1 for k, (a, b) in enumerate(ordered) for c, d in ordered[k + 1 :] if a < c and b > d)
