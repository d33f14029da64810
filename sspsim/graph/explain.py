"""Where the value of a variable or connector comes from, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sspsim.errors import UsageError
from sspsim.graph.bindings import addressed, known_names
from sspsim.graph.connectors import variable_signal
from sspsim.graph.conversion import UNCHANGED, Conversion
from sspsim.graph.fold import Folding
from sspsim.graph.network import Network
from sspsim.graph.quantity import Quantity
from sspsim.graph.report import Report, did_you_mean
from sspsim.graph.signal import WHOLE, Bound, Hop, Index, Signal
from sspsim.graph.stream import Stream
from sspsim.graph.trace import Circular, InPieces, Route, trace
from sspsim.structure import Scalar


@dataclass(frozen=True, slots=True)
class Place:
    """One place on the way of a value, and how the value got there from the place before."""

    name: str
    meaning: str
    change: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that is bound to something on the way."""

    name: str
    value: str
    level: str
    origin: str
    wins: bool
    change: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where a value comes from: what decides, the way from there, all bound values, the FMU's start value."""

    name: str
    meaning: str
    decision: str
    chain: tuple[Place, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    start: str = ""

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def explain(network: Network, name: str) -> list[Explanation]:
    """Explains everything that a name means; one that means nothing is an error.

    Names are those of connectors of the system, or of variables and connectors below, `component.variable`.
    """
    signals = list(addressed(network.root, name))
    if not signals:
        hint = did_you_mean(name, known_names(network.root))
        raise UsageError(f"there is no variable or connector {name!r}" + (f"; {hint}" if hint else ""))
    return [e for signal in signals for e in _explanations(network, signal)]


def _explanations(network: Network, connector: Signal) -> Iterator[Explanation]:
    """A connector of an FMU is explained together with the variable behind it."""
    node = connector.owner
    signal = connector
    if node.description and connector.variable is None:
        signal = variable_signal(node, node.description.by_name[connector.name])
    try:
        yield _explanation(network, connector, signal, WHOLE)
    except InPieces:
        feeding = next(s for s in (signal, *signal.behind) if s.inbound)
        for index in sorted(feeding.inbound):
            yield _explanation(network, connector, signal, index)


def _explanation(network: Network, connector: Signal, signal: Signal, index: Index) -> Explanation:
    brackets = f"[{','.join(map(str, index))}]" if index else ""
    variable = signal.variable
    start = "" if variable is None or variable.start is None else _shown(variable.start)
    meaning = f"{connector.kind}, {signal.quantity}"
    try:
        route = trace(signal, index)
    except Circular as problem:
        return Explanation(f"{connector}{brackets}", meaning, f"none: {problem}", start=start)
    hops = route.entry_hops if route.bound else route.hops
    return Explanation(
        name=f"{connector}{brackets}",
        meaning=meaning,
        decision=_decision(network, route, connector, signal, start),
        chain=tuple(_chain(hops)),
        candidates=tuple(_candidates(route, connector)),
        start=start,
    )


def _decision(network: Network, route: Route, connector: Signal, signal: Signal, start: str) -> str:
    if route.bound:
        values = Folding(Report(), network.choices.conversions).values(route)
        arrives = _shown(values) if values else "nothing, since it does not fit"
        at = "" if route.entry in (connector, signal) else f" at {route.entry}"
        return f"{arrives}, bound{at} by {_where(route.bound)}"
    if route.hops and route.source.variable is not None:
        return f"connected to {route.source}"
    if not connector.behind:
        open_end = f"nothing feeds {route.source}; " if route.source not in (connector, signal) else ""
        return f"{open_end}the start value of the FMU, {start}" if start else f"{open_end}no value"
    return f"computed by component {signal.owner.name!r}"


def _chain(hops: Sequence[Hop]) -> Iterator[Place]:
    if not hops:
        return
    first, last = hops[0].source.quantity, hops[-1].target.quantity
    stream = Stream(first, relative=first.relative or last.relative)
    yield Place(str(hops[0].source), str(first))
    for hop in hops:
        before = Quantity(stream.type, stream.unit)
        stream.conversion = Conversion()
        stream.hop(hop.target.quantity, hop.transformation, suppress=hop.suppress_unit_conversion)
        if hop.origin or not stream.conversion.is_identity:
            origin = str(hop.origin) if hop.origin else ""
            yield Place(str(hop.target), str(hop.target.quantity), _change(hop, stream, before), origin)


def _change(hop: Hop, stream: Stream, before: Quantity) -> str:
    parts = []
    after = Quantity(stream.type, stream.unit)
    if before.unit and after.unit and before.unit != after.unit:
        word = "not converted" if hop.suppress_unit_conversion else "converted"
        parts.append(f"{before.unit.name} to {after.unit.name} {word}")
    if hop.transformation:
        parts.append(type(hop.transformation).__name__)
    return f"{stream.conversion}" + (f" ({', '.join(parts)})" if parts else "")


def _candidates(route: Route, connector: Signal) -> Iterator[Candidate]:
    """All bound values on the way, those nearest to the source first, the later before the earlier."""
    places = dict.fromkeys([*(hop.source for hop in route.hops), *(h.target for h in route.hops), connector])
    for signal in places:
        for bound in reversed(signal.bound):
            yield Candidate(
                str(signal),
                _shown(bound.values) + (f" {bound.quantity.unit.name}" if bound.quantity.unit else ""),
                bound.level,
                str(bound.origin or ""),
                bound is route.bound,
                _entry(bound, signal),
            )


def _entry(bound: Bound, signal: Signal) -> str:
    """What a bound value goes through before it is that of its target."""
    stream = Stream(bound.quantity, relative=signal.quantity.relative)
    stream.hop(signal.quantity, bound.transformation, suppress=bound.suppress_unit_conversion)
    parts = [] if stream.conversion.is_identity else [f"by {stream.conversion}"]
    if bound.mapped:
        parts.append(f"mapped at {bound.mapped}")
    return ", ".join(parts)


def _where(bound: Bound) -> str:
    return f"{bound.level} ({bound.origin})" if bound.origin else f"the {bound.level}"


def _shown(values: Iterable[Scalar]) -> str:
    texts = [repr(value) for value in values]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _lines(explanation: Explanation) -> Iterator[str]:
    yield f"{explanation.name} ({explanation.meaning})"
    yield f"  value: {explanation.decision}"
    if explanation.chain:
        yield "  way:"
        for place in explanation.chain:
            yield f"    {place.name} ({place.meaning})"
            if place.change:
                by = "" if place.change.startswith(UNCHANGED) else "by "
                yield f"      {by}{place.change}" + (f", {place.origin}" if place.origin else "")
    if explanation.candidates:
        yield "  bound values:"
        for candidate in explanation.candidates:
            mark = "*" if candidate.wins else "-"
            where = f", {candidate.origin}" if candidate.origin else ""
            yield f"    {mark} {candidate.name} = {candidate.value}, {candidate.level}{where}"
            if candidate.change:
                yield f"      {candidate.change}"
    if explanation.start:
        yield f"  start value of the FMU: {explanation.start}"
