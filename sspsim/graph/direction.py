"""Which way a value flows through a connection: that follows from the owners and kinds of its two ends."""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import NamedTuple

from sspsim.structure import Kind

K = Kind


class Owner(Enum):
    """Whose connector it is: that of the system which contains the connection, or of one of its elements."""

    SYSTEM = "system"
    ELEMENT = "element"


class End(NamedTuple):
    """One end of a connection, as far as the direction is concerned."""

    owner: Owner
    kind: Kind


# What may feed what in SSP 2.0: source -> (destinations on the system, destinations on elements).
ALLOWED: dict[End, tuple[frozenset[Kind], frozenset[Kind]]] = {
    End(owner, kind): (frozenset(on_system), frozenset(on_element))
    for owner, kind, on_system, on_element in (
        (
            Owner.SYSTEM,
            K.STRUCTURAL_PARAMETER,
            (K.CALCULATED_PARAMETER, K.OUTPUT, K.LOCAL),
            (K.STRUCTURAL_PARAMETER, K.PARAMETER, K.INPUT, K.INOUT),
        ),
        (
            Owner.SYSTEM,
            K.PARAMETER,
            (K.CALCULATED_PARAMETER, K.OUTPUT, K.LOCAL),
            (K.PARAMETER, K.INPUT, K.INOUT),
        ),
        (Owner.SYSTEM, K.INPUT, (K.OUTPUT, K.LOCAL), (K.INPUT, K.INOUT)),
        (
            Owner.ELEMENT,
            K.CONSTANT,
            (K.CONSTANT, K.CALCULATED_PARAMETER, K.OUTPUT, K.LOCAL),
            (K.STRUCTURAL_PARAMETER, K.PARAMETER, K.INPUT, K.INOUT),
        ),
        (
            Owner.ELEMENT,
            K.CALCULATED_PARAMETER,
            (K.CALCULATED_PARAMETER, K.OUTPUT, K.LOCAL),
            (K.PARAMETER, K.INPUT, K.INOUT),
        ),
        (Owner.ELEMENT, K.OUTPUT, (K.OUTPUT, K.LOCAL), (K.INPUT, K.INOUT)),
        (Owner.ELEMENT, K.LOCAL, (K.OUTPUT, K.LOCAL), (K.INPUT, K.INOUT)),
        (Owner.ELEMENT, K.INOUT, (K.OUTPUT, K.LOCAL), (K.INPUT,)),
    )
}

# SSP 1.0 has fewer kinds; among them it allows the same (18 combinations).
KINDS_OF_1_0 = frozenset((K.INPUT, K.OUTPUT, K.PARAMETER, K.CALCULATED_PARAMETER, K.INOUT))

# Kinds of connectors that take their value from outside of their owner.
TAKING = frozenset((K.INPUT, K.PARAMETER, K.STRUCTURAL_PARAMETER))


class Flow(Enum):
    """The direction of a connection as it was written."""

    START_TO_END = "start to end"
    END_TO_START = "end to start"
    UNDECIDED = "undecided"  # both would do, which only happens with unspecified kinds
    FORBIDDEN = "forbidden"


def may_feed(source: End, target: End, version: str = "2.0") -> bool:
    """Whether a value may go from one connector to another; unspecified stands for whatever kind allows it.

    >>> may_feed(End(Owner.ELEMENT, Kind.OUTPUT), End(Owner.ELEMENT, Kind.INPUT))
    True
    """
    return any(
        _allowed(End(source.owner, a), End(target.owner, b), version)
        for a in _possible(source.kind)
        for b in _possible(target.kind)
    )


@cache
def flow(start: End, end: End, version: str = "2.0") -> Flow:
    """The direction between two connectors.

    >>> flow(End(Owner.ELEMENT, Kind.INPUT), End(Owner.SYSTEM, Kind.INPUT), "1.0").value
    'end to start'
    """
    forward, backward = may_feed(start, end, version), may_feed(end, start, version)
    if forward:
        return Flow.UNDECIDED if backward else Flow.START_TO_END
    return Flow.END_TO_START if backward else Flow.FORBIDDEN


def _possible(kind: Kind) -> tuple[Kind, ...]:
    return tuple(Kind) if kind is Kind.UNSPECIFIED else (kind,)


def _allowed(source: End, target: End, version: str) -> bool:
    if version.startswith("1.") and not {source.kind, target.kind} <= KINDS_OF_1_0:
        return False
    on_system, on_element = ALLOWED.get(source, (frozenset(), frozenset()))
    return target.kind in (on_system if target.owner is Owner.SYSTEM else on_element)
