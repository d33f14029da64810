"""Routes: where the value of a signal comes from."""

from __future__ import annotations

from dataclasses import dataclass

from sspsim.graph.signal import WHOLE, Bound, Hop, Index, Signal

CONSTANT = "constant"  # the level of values that are constants of an FMU


@dataclass(frozen=True, slots=True)
class Route:
    """The way of a value, from `source` along `hops`; `bound` is the value itself if it is known beforehand.

    `index` is the element at the source. A bound value that lies nearer than that enters at `entry`, the
    element `entry_index` of it, and takes the last hops only.
    """

    source: Signal
    index: Index
    hops: tuple[Hop, ...]
    bound: Bound | None = None
    entry: Signal | None = None
    entry_index: Index = WHOLE
    entry_hops: tuple[Hop, ...] = ()


class Circular(Exception):
    """Connectors that feed each other without any component between them."""

    def __init__(self, hop: Hop) -> None:
        super().__init__(f"{hop.target} feeds itself, without any component in between")
        self.hop = hop


class InPieces(Exception):
    """An array whose elements come from different places: ask for each of them."""


def trace(signal: Signal, index: Index = WHOLE) -> Route:
    """The route to one signal, or to one element of it."""
    visited: list[tuple[Signal, Index]] = [(signal, index)]
    seen = {(signal, index)}
    hops: list[Hop] = []
    while (hop := _hop_into(*visited[-1])) is not None:
        hops.append(hop)
        here = (hop.source, _index_at_source(hop, visited[-1][1]))
        if here in seen:
            raise Circular(hop)
        visited.append(here)
        seen.add(here)
        if hop.source.variable is not None:
            break
    return _route(visited, hops)


def _hop_into(signal: Signal, index: Index) -> Hop | None:
    inbound = signal.inbound
    if inbound:
        hop = inbound.get(index) or inbound.get(WHOLE)
        if hop:
            return hop
        if not index:
            raise InPieces
    return Hop(signal.behind[0], signal) if signal.behind else None


def _index_at_source(hop: Hop, index: Index) -> Index:
    return hop.source_index if hop.source_index or hop.target_index else index


def _route(visited: list[tuple[Signal, Index]], hops: list[Hop]) -> Route:
    """With the bound value that is nearest to the source, if the source itself has none to give."""
    source, index = visited[-1]
    hops.reverse()
    way = tuple(hops)
    if hops and source.variable is not None:
        constant = _constant(source)
        return Route(source, index, way, constant, source if constant else None, index, way)
    for k in range(len(visited) - 1, -1, -1):
        signal, element = visited[k]
        if signal.bound:
            return Route(source, index, way, signal.bound[-1], signal, element, way[len(way) - k :])
    return Route(source, index, way)


def _constant(source: Signal) -> Bound | None:
    """The value of an FMU's constant."""
    variable = source.variable
    if variable is None or variable.variability != "constant" or variable.start is None:
        return None
    return Bound(
        variable.start, source.quantity, _shape(variable.dimensions), origin=source.origin, level=CONSTANT
    )


def _shape(dimensions: tuple[int | str, ...]) -> tuple[int, ...]:
    return tuple(d for d in dimensions if isinstance(d, int))
