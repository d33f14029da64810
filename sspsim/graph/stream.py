"""The value pipeline: unit, transformation, type, hop after hop, folded into one conversion."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from sspsim.graph.conversion import Conversion
from sspsim.graph.quantity import Quantity
from sspsim.graph.types import NEVER, Policy, needed_policy
from sspsim.graph.units import convert
from sspsim.structure import (
    BooleanMapping,
    EnumerationMapping,
    IntegerMapping,
    LinearTransformation,
    Severity,
    Transformation,
    Type,
)
from sspsim.structure.types import INTEGER_RANGES


class Complaint(NamedTuple):
    """Something that is wrong on the way; None as severity: an error for the strict only."""

    code: str
    severity: Severity | None
    text: str
    hint: str = ""

    @property
    def is_error(self) -> bool:
        """Whether no value gets through."""
        return self.severity is Severity.ERROR


def _wrong(text: str) -> Complaint:
    return Complaint("V15", Severity.ERROR, text)


class Stream:
    """A value on its way: what it means at present, and what has been done to it.

    Where a connector has no unit or type of its own the value keeps what it has.
    """

    def __init__(self, quantity: Quantity, *, relative: bool = False, policy: Policy = Policy.SAFE) -> None:
        self.here = quantity
        self.type = quantity.type
        self.unit = quantity.unit
        self.items = quantity.items
        self.relative = relative or quantity.relative
        self.policy = policy
        self.conversion = Conversion()
        self.complaints: list[Complaint] = []
        self._rounded = False  # a whole number that was made from a real one
        self._table: dict[int, int] = {}  # of the present hop

    def hop(
        self, target: Quantity, transformation: Transformation | None = None, *, suppress: bool = False
    ) -> None:
        """Takes the value to the next place, in the order that the standard fixes."""
        if target is self.here and transformation is None:
            return
        self.here = target
        self._table = {}
        if not suppress:
            self._convert_unit(target)
        if transformation is not None:
            self._transform(transformation, target)
        self._convert_type(target, by_name=isinstance(transformation, EnumerationMapping))
        self.unit = target.unit or self.unit
        self.items = target.items or self.items
        self.type = target.type or self.type

    def _convert_unit(self, target: Quantity) -> None:
        if self.type and not self.type.is_real:
            return
        factor, offset, complaint = convert(self.unit, target.unit, relative=self.relative or target.relative)
        if complaint:
            self.complaints.append(Complaint("V14", None, complaint))
        if (factor, offset) != (1.0, 0.0):
            self._affine(factor, offset)

    def _affine(self, factor: float, offset: float) -> None:
        if self._rounded:
            self.complaints.append(
                _wrong("a factor or offset after rounding to a whole number is not supported")
            )
        self.conversion = self.conversion.then(factor, offset)

    def _look_up(self, table: list[tuple[int, int]]) -> None:
        if self._rounded or not self.conversion.keeps_number:
            self.complaints.append(_wrong("a table after a conversion from a real number is not supported"))
        else:
            self.conversion = self.conversion.then_look_up(table)
            self._table = dict(table)

    # ---- transformations -----------------------------------------------------------------------------------

    def _transform(self, transformation: Transformation, target: Quantity) -> None:
        match transformation:
            case LinearTransformation(factor, offset):
                if self._fits(transformation, self.type is None or self.type.is_real):
                    self._affine(factor, offset)
            case BooleanMapping(entries):
                if self._fits(transformation, self.type in (None, Type.BOOLEAN)) and self._unambiguous(
                    entries
                ):
                    self._look_up([(int(a), int(b)) for a, b in entries])
            case IntegerMapping(entries):
                whole = self.type is None or self.type.is_integer or self.type is Type.ENUMERATION
                if self._fits(transformation, whole) and self._unambiguous(entries):
                    self._map_integers(entries, target)
            case EnumerationMapping(entries):
                named = self.type in (None, Type.ENUMERATION) and target.type in (None, Type.ENUMERATION)
                if self._fits(transformation, named) and self._unambiguous(entries):
                    self._map_names(dict(entries), target)

    def _fits(self, transformation: Transformation, fits: bool) -> bool:
        if not fits:
            name = type(transformation).__name__
            self.complaints.append(_wrong(f"{name} does not apply to values of type {self.type}"))
        return fits

    def _unambiguous(self, entries: tuple[tuple[object, object], ...]) -> bool:
        twice = next(
            (source for source, n in Counter(source for source, _ in entries).items() if n > 1), None
        )
        if twice is not None:
            self.complaints.append(_wrong(f"the table has two entries for {twice!r}"))
        return twice is None

    def _map_integers(self, entries: tuple[tuple[int, int], ...], target: Quantity) -> None:
        low, high = INTEGER_RANGES.get(self.type or Type.INT64, INTEGER_RANGES[Type.INT64])
        to_low, to_high = INTEGER_RANGES.get(target.type or Type.UINT64, (-(2**63), 2**64 - 1))
        numbers = {number for _, number in target.items}
        for _, number in entries:
            if numbers and number not in numbers:
                self.complaints.append(_wrong(f"{number} is no item of the target's enumeration"))
            elif not to_low <= number <= to_high:
                self.complaints.append(_wrong(f"{number} is outside of the range of {target.type}"))
        self._look_up([(a, b) for a, b in entries if low <= a <= high])

    def _map_names(self, names: dict[str, str], target: Quantity) -> None:
        """A table of names becomes one of numbers; what is not in it keeps its name."""
        numbers = dict(target.items or self.items)
        for name in names.keys() - {name for name, _ in self.items}:
            self.complaints.append(_wrong(f"{name!r} is no item of the source's enumeration"))
        table = []
        for name, number in self.items:
            wanted = names.get(name, name)
            if wanted in numbers:
                table.append((number, numbers[wanted]))
            else:
                self.complaints.append(_wrong(f"{wanted!r} is no item of the target's enumeration"))
        self._look_up(table)

    # ---- types ---------------------------------------------------------------------------------------------

    def _convert_type(self, target: Quantity, *, by_name: bool) -> None:
        if self.type is None or target.type is None:
            return
        needed = needed_policy(self.type, target.type)
        if needed == NEVER:
            text = f"{self.type} cannot be converted to {target.type}"
            self.complaints.append(Complaint("V11", Severity.ERROR, text, "connect variables of one type"))
        elif needed > self.policy:
            text = f"{self.type} to {target.type} can lose information"
            self.complaints.append(Complaint("V11", Severity.ERROR, text, "allow it with --conversions all"))
        elif self.type is target.type is Type.ENUMERATION and not by_name:
            self._keep_number(target)
        self._rounded = self._rounded or (self.type.is_real and not target.type.is_real)

    def _keep_number(self, target: Quantity) -> None:
        numbers = {number for _, number in target.items}
        kept = ((name, number) for name, number in self.items if number not in self._table)
        missing = [name for name, number in kept if number not in numbers]
        if target.items and missing:
            text = f"the number of {missing[0]!r} is no item of the target's enumeration"
            hint = "add an EnumerationMappingTransformation"
            self.complaints.append(Complaint("V15", Severity.WARNING, text, hint))
