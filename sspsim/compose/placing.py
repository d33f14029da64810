"""Where the parts of a new system are drawn: in columns by the way of the data, ports at their sides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import networkx as nx

from sspsim.structure import ConnectorGeometry, ElementGeometry, SystemGeometry

WIDTH, GAP, ROW = 40.0, 30.0, 6.0
LEAST = 20.0


def columns(names: Sequence[str], edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Sources to the left; the parts of a cycle one after the other, in the given order.

    >>> columns(["a", "b", "c"], [("b", "a"), ("a", "c"), ("c", "a")])
    [['b'], ['a'], ['c']]
    """
    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from(edges)
    condensed = nx.condensation(graph)
    found: list[list[str]] = []
    for generation in nx.topological_generations(condensed):
        members = [sorted(condensed.nodes[node]["members"], key=names.index) for node in sorted(generation)]
        for k in range(max(map(len, members))):
            found.append([group[k] for group in members if k < len(group)])
    return found


def place(found: Sequence[Sequence[str]], rows: Mapping[str, int]) -> dict[str, ElementGeometry]:
    """A box for each part, as high as its ports need."""
    boxes = {}
    for k, names in enumerate(found):
        y = 0.0
        for name in names:
            height = max(LEAST, ROW * (rows[name] + 1))
            x = k * (WIDTH + GAP)
            boxes[name] = ElementGeometry(x, y - height, x + WIDTH, y)
            y -= height + GAP / 2
    return boxes


def around(boxes: Iterable[ElementGeometry]) -> SystemGeometry:
    """The canvas."""
    known = list(boxes)
    return SystemGeometry(
        min(box.x1 for box in known) - GAP,
        min(box.y1 for box in known) - GAP,
        max(box.x2 for box in known) + GAP,
        max(box.y2 for box in known) + GAP,
    )


def ports_at(x: float, count: int) -> list[ConnectorGeometry]:
    """Evenly from top to bottom of one side."""
    return [ConnectorGeometry(x, (count - k) / (count + 1)) for k in range(count)]
