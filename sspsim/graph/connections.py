"""Connections: which signal feeds which, checked against the rules of the standard."""

from __future__ import annotations

from collections.abc import Iterable

from sspsim.graph.arrays import flat_index, in_words, may_agree
from sspsim.graph.connectors import add_connector, undeclared
from sspsim.graph.direction import End, Flow, Owner, flow
from sspsim.graph.report import Report, did_you_mean
from sspsim.graph.signal import WHOLE, Hop, Index, Signal
from sspsim.graph.tree import Node
from sspsim.structure import Connection, Kind, System


def connect(root: Node, report: Report) -> list[Hop]:
    """Takes all connections of a tree in and gives those that are sound."""
    hops: list[Hop] = []
    for node in root.walk():
        if isinstance(node.element, System):
            hops += _connect_system(node, node.element.connections, report)
    return hops


def settle_directions(root: Node, hops: Iterable[Hop], report: Report) -> None:
    """Decides what only the connections can tell.

    Connectors of systems without a direction of their own take that of their connections; of several
    connectors before one variable (alias names) the one counts that has a value.
    """
    for node in root.walk():
        for name, signal in node.connectors.items():
            inner = node.inner.connectors.get(name) if node.inner else None
            if (
                inner
                and inner.kind in (Kind.UNSPECIFIED, Kind.INOUT)
                and not inner.inbound
                and signal.inbound
            ):
                signal.behind.clear()
                inner.behind.append(signal)
        for variable in node.variables.values():
            _settle_aliases(variable, report)
    _settle_root(root, hops)


def _settle_root(root: Node, hops: Iterable[Hop]) -> None:
    """Connectors of the outermost system that only feed others are its inputs."""
    giving = {hop.source for hop in hops}
    for signal in root.connectors.values():
        if signal.kind is Kind.UNSPECIFIED and signal in giving and not signal.inbound:
            signal.kind = Kind.INPUT


def _settle_aliases(variable: Signal, report: Report) -> None:
    connected = [connector for connector in variable.behind if connector.inbound]
    if len(connected) > 1:
        message = f"{connected[0]} and {connected[1]} are names of one variable, and both are connected"
        report.error("V08", message, connected[1].origin, "remove one of the connections")
    if len(variable.behind) > 1:
        variable.behind.sort(key=lambda connector: not connector.inbound)


def _connect_system(node: Node, connections: Iterable[Connection], report: Report) -> Iterable[Hop]:
    for connection in connections:
        start = _end(node, connection.start_element, connection.start_connector, connection, report)
        end = _end(node, connection.end_element, connection.end_connector, connection, report)
        if start and end and (hop := _directed(node, start, end, connection, report)):
            if (hop.source.sizes or hop.target.sizes) and (complaint := _misfit(hop)):
                report.error("V21", f"{hop}: {complaint}", hop.origin)
                continue
            yield from _added(hop, report)


def _misfit(hop: Hop) -> str:
    """What is wrong between two arrays of known sizes; those of FMUs may be decided later."""
    for index, sizes in ((hop.source_index, hop.source.sizes), (hop.target_index, hop.target.sizes)):
        known = tuple(size for size in sizes if isinstance(size, int))
        if index and len(known) == len(sizes):
            try:
                flat_index(index, known)
            except ValueError as problem:
                return str(problem)
    source, target = hop.source.sizes, hop.target.sizes
    whole = not hop.source_index and not hop.target_index
    if whole and source and target and not may_agree(source, target):
        return f"{in_words(source)} cannot feed {in_words(target)}"
    return ""


def _end(
    system: Node, element: str | None, connector: str, connection: Connection, report: Report
) -> tuple[Owner, Signal] | None:
    """The signal at one end of a connection."""
    if element is None:
        owner, node = Owner.SYSTEM, system
    elif element in system.children:
        owner, node = Owner.ELEMENT, system.children[element]
    else:
        message = f"the connection refers to an unknown element {element!r}"
        report.error("V05", message, connection.origin, did_you_mean(element, system.children))
        return None
    signal = node.connectors.get(connector) or _missing_connector(node, owner, connector, connection, report)
    return (owner, signal) if signal else None


def _missing_connector(
    node: Node, owner: Owner, name: str, connection: Connection, report: Report
) -> Signal | None:
    who = f"element {node.path[-1]!r}" if owner is Owner.ELEMENT else "the system"
    if name in node.unknown:
        node.refused.add(name)
        behind = "variable of its FMU" if node.description else "connector of its system"
        message = f"connector {name!r} of {who} is connected, but it is no {behind}"
        report.error("V09", message, connection.origin, did_you_mean(name, _names_behind(node)))
        return None
    if (connector := undeclared(node, name)) is not None:
        message = f"{who} does not declare its connector {name!r}; it is taken from what is behind it"
        report.warning("V06", message, connection.origin, "declare it")
        return add_connector(node, connector, report)
    known = [*node.connectors, *_names_behind(node)]
    report.error("V06", f"{who} has no connector {name!r}", connection.origin, did_you_mean(name, known))
    return None


def _names_behind(node: Node) -> list[str]:
    if node.description:
        return list(node.description.by_name)
    return list(node.inner.connectors) if node.inner else []


def _directed(
    system: Node,
    start: tuple[Owner, Signal],
    end: tuple[Owner, Signal],
    connection: Connection,
    report: Report,
) -> Hop | None:
    """The connection in the direction in which values flow."""
    ends = [End(owner, signal.kind) for owner, signal in (start, end)]
    direction = flow(ends[0], ends[1], system.scope.version)
    if direction is Flow.START_TO_END:
        indices = connection.start_indices, connection.end_indices
        return _hop(start[1], end[1], indices, connection)
    if direction is Flow.END_TO_START:
        indices = connection.end_indices, connection.start_indices
        return _hop(end[1], start[1], indices, connection)
    message = f"{start[1]} ({_words(ends[0])}) and {end[1]} ({_words(ends[1])}) cannot be connected"
    if direction is Flow.UNDECIDED:
        report.error(
            "V07", f"{message}: no kind says which one feeds the other", connection.origin, "give kinds"
        )
    else:
        newer = flow(ends[0], ends[1]) in (Flow.START_TO_END, Flow.END_TO_START)
        report.error(
            "V07", message, connection.origin, "SSP 2.0 allows it: change the version" if newer else ""
        )
    return None


def _hop(source: Signal, target: Signal, indices: tuple[Index, Index], connection: Connection) -> Hop:
    return Hop(
        source,
        target,
        *indices,
        connection.transformation,
        connection.suppress_unit_conversion,
        connection.origin,
    )


def _words(end: End) -> str:
    return f"{end.kind} of {'the system' if end.owner is Owner.SYSTEM else 'an element'}"


def _added(hop: Hop, report: Report) -> Iterable[Hop]:
    """Leads the hop into its target, unless another one leads there already."""
    inbound = hop.target.inbound
    index = hop.target_index
    other = (
        inbound.get(index)
        or inbound.get(WHOLE)
        or (next(iter(inbound.values()), None) if not index else None)
    )
    if other:
        first = f" (the other connection is at {other.origin})" if other.origin else ""
        message = f"{hop.target} is fed by {other.source} and by {hop.source}{first}"
        report.error("V08", message, hop.origin, "remove one of the connections")
        return
    inbound[index] = hop
    yield hop
