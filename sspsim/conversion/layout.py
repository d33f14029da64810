"""Block layouts as geometry of a system structure, and back.

Layouts count pixels to the right and down, system structures about millimetres to the right and up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from sspsim.formats.bm import Block, Network, Segment, Socket, Wire
from sspsim.formats.msim_project import Reference
from sspsim.structure import (
    Component,
    Connection,
    ConnectionGeometry,
    ConnectorGeometry,
    ElementGeometry,
    Kind,
)

MILLIMETRES = 0.25  # per pixel; a power of two, so that nothing is lost on the way
LEG = 16.0  # pixels from a socket straight out of its block, which layouts do not write
PIXEL_DIGITS = 6
GRID, BLOCK_WIDTH, BLOCK_DISTANCE = 16.0, 128.0, 256.0

Point = tuple[float, float]


def with_geometry(component: Component, block: Block) -> Component:
    """A component at the place of a block."""
    x, y = block.x * MILLIMETRES, -block.y * MILLIMETRES
    width, height = block.width * MILLIMETRES, block.height * MILLIMETRES
    sockets = {socket.name: socket for socket in block.sockets}
    connectors = tuple(
        replace(connector, geometry=_relative(sockets[connector.name], block))
        if connector.name in sockets and block.width and block.height
        else connector
        for connector in component.connectors
    )
    return replace(component, geometry=ElementGeometry(x, y - height, x + width, y), connectors=connectors)


def _relative(socket: Socket, block: Block) -> ConnectorGeometry:
    return ConnectorGeometry(socket.x / block.width, 1.0 - socket.y / block.height)


def ways(network: Network) -> dict[tuple[str, str], ConnectionGeometry]:
    """The way points of all lines by their ends, as `block.socket`."""
    blocks = {block.name: block for block in network.blocks}
    found = {}
    for wire in network.wires:
        start = _socket_exit(blocks, wire.source)
        if start:
            points = [start]
            for segment in wire.segments:
                x, y = points[-1]
                points.append((x + segment.offset, y) if segment.horizontal else (x, y + segment.offset))
            xs = tuple(x * MILLIMETRES for x, _ in points)
            ys = tuple(-y * MILLIMETRES for _, y in points)
            found[wire.source, wire.target] = ConnectionGeometry(xs, ys)
    return found


def _socket_exit(blocks: Mapping[str, Block], reference: str) -> Point | None:
    """Where a line leaves the neighbourhood of its socket, in pixels."""
    name, _, socket_name = reference.partition(".")
    block = blocks.get(name)
    socket = next((s for s in block.sockets if s.name == socket_name), None) if block else None
    if not block or not socket:
        return None
    x, y = block.x + socket.x, block.y + socket.y
    if socket.horizontal:
        return (x + (LEG if socket.x > 0 else -LEG), y)
    return (x, y + (LEG if socket.y > 0 else -LEG))


def to_network(
    components: Iterable[tuple[str, Component]],
    connections: Iterable[tuple[Reference, Reference, Connection]],
) -> Network:
    """The layout of a system; components without a place are put in a row."""
    blocks = tuple(_block(name, component, k) for k, (name, component) in enumerate(components))
    by_name = {block.name: block for block in blocks}
    return Network(blocks, tuple(_wires(by_name, connections)))


def _wires(
    blocks: Mapping[str, Block], connections: Iterable[tuple[Reference, Reference, Connection]]
) -> Iterator[Wire]:
    """The lines between sockets; inner variables have none."""
    for source, target, connection in connections:
        start, end = _socket_exit(blocks, str(source)), _socket_exit(blocks, str(target))
        if start and end:
            yield Wire(str(source), str(target), _segments(start, end, connection.geometry))


def _block(name: str, component: Component, k: int) -> Block:
    rows = max(
        sum(connector.kind is Kind.INPUT for connector in component.connectors),
        sum(connector.kind is Kind.OUTPUT for connector in component.connectors),
    )
    x, y, width, height = k * BLOCK_DISTANCE, 0.0, BLOCK_WIDTH, GRID * (rows + 1)
    if g := component.geometry:
        left, right = sorted((g.x1, g.x2))
        bottom, top = sorted((g.y1, g.y2))
        x, y = left / MILLIMETRES, -top / MILLIMETRES
        width, height = (right - left) / MILLIMETRES, (top - bottom) / MILLIMETRES
    block = Block(name, _pixels(x), _pixels(y), _pixels(width), _pixels(height))
    return replace(block, sockets=tuple(_sockets(component, block)))


def _pixels(value: float) -> float:
    return round(value, PIXEL_DIGITS)


def _sockets(component: Component, block: Block) -> Iterable[Socket]:
    count = {True: 0, False: 0}
    for connector in component.connectors:
        if connector.kind not in (Kind.INPUT, Kind.OUTPUT):
            continue
        inlet = connector.kind is Kind.INPUT
        count[inlet] += 1
        x, y = (0.0 if inlet else block.width), GRID * count[inlet]
        if g := connector.geometry:
            x, y = g.x * block.width, (1.0 - g.y) * block.height
        yield Socket(connector.name, _pixels(x), _pixels(y), inlet)


def _segments(start: Point, end: Point, geometry: ConnectionGeometry | None) -> tuple[Segment, ...]:
    """The legs between the neighbourhoods of both sockets, along the way points if there are any."""
    points = [start]
    if geometry:
        pixels = zip(geometry.points_x, geometry.points_y, strict=True)
        points += [(x / MILLIMETRES, -y / MILLIMETRES) for x, y in pixels]
    points.append(end)
    segments: list[Segment] = []
    for (x1, y1), (x2, y2) in pairwise(points):
        for horizontal, offset in ((True, x2 - x1), (False, y2 - y1)):
            if abs(offset) > 10**-PIXEL_DIGITS:
                segments.append(Segment(horizontal, _pixels(offset)))
    return tuple(segments)
