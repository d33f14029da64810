"""Values that are known before the run, on their way through bindings and connections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sspsim.graph.quantity import Quantity
from sspsim.graph.stream import Complaint, Stream
from sspsim.graph.types import Items, Policy, coerce, item_number, parse
from sspsim.structure import EnumerationMapping, Scalar, Severity, Transformation, Type

Values = tuple[Scalar, ...]


class Static(NamedTuple):
    """Values and what they mean; enumeration items travel by name until a place knows their numbers."""

    values: Values
    quantity: Quantity
    complaints: tuple[Complaint, ...] = ()


def carry(
    static: Static,
    target: Quantity,
    transformation: Transformation | None = None,
    *,
    suppress: bool = False,
    relative: bool = False,
) -> Static:
    """Takes values to the next place; a conversion that would change a value is a complaint."""
    source = static.quantity
    stream = Stream(source, relative=relative, policy=Policy.ALL)
    if any(isinstance(value, str) for value in static.values) and source.type in (None, Type.ENUMERATION):
        values, complaints = _carry_words(static.values, source, target, transformation)
    else:
        stream.hop(target, transformation, suppress=suppress)
        values, complaints = _carry_numbers(static.values, stream)
    quantity = Quantity(target.type or source.type, target.unit or source.unit, target.items or source.items)
    return Static(values, quantity, tuple(complaints))


def _carry_numbers(values: Values, stream: Stream) -> tuple[Values, list[Complaint]]:
    if any(complaint.is_error for complaint in stream.complaints):
        return values, stream.complaints
    converted = [v if isinstance(v, str | bytes) else stream.conversion.of(v) for v in values]
    return _coerced(converted, stream.type, stream.items, stream.complaints)


def _carry_words(
    values: Values, source: Quantity, target: Quantity, transformation: Transformation | None
) -> tuple[Values, list[Complaint]]:
    """Names of enumeration items, or words that the user typed."""
    names = dict(transformation.entries) if isinstance(transformation, EnumerationMapping) else {}
    words = [names.get(value, value) if isinstance(value, str) else value for value in values]
    if target.type is None or (target.type is Type.ENUMERATION and not target.items and source.type):
        return tuple(words), []
    try:
        if source.type is None:
            words = [
                parse(word, target.type, target.items) if isinstance(word, str) else word for word in words
            ]
        elif target.type is not Type.ENUMERATION:
            words = [item_number(word, source.items) if isinstance(word, str) else word for word in words]
    except ValueError as problem:
        return values, [Complaint("V15", Severity.ERROR, str(problem))]
    return _coerced(words, target.type, target.items, [])


def _coerced(
    values: Sequence[Scalar], type: Type | None, items: Items, complaints: list[Complaint]
) -> tuple[Values, list[Complaint]]:
    if type is None:
        return tuple(values), complaints
    try:
        return tuple(coerce(value, type, items) for value in values), complaints
    except ValueError as problem:
        return tuple(values), [*complaints, Complaint("V15", Severity.ERROR, str(problem))]
