"""What happens to a number on its way: a table for whole numbers, then factor and offset."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

UNCHANGED = "unchanged"

Table = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Conversion:
    """First `table` (what is not in it stays), then factor * value + offset.

    >>> Conversion().then(1.0, 273.15).then(2.0, 1.0).of(20)
    587.3
    """

    table: Table = ()
    factor: float = 1.0
    offset: float = 0.0

    @property
    def is_identity(self) -> bool:
        """Whether nothing happens at all."""
        return self.keeps_number and not self.table

    @property
    def keeps_number(self) -> bool:
        """Whether factor and offset change nothing."""
        return self.factor == 1.0 and self.offset == 0.0

    def then(self, factor: float, offset: float) -> Conversion:
        """This, followed by another factor and offset."""
        return replace(self, factor=factor * self.factor, offset=factor * self.offset + offset)

    def then_look_up(self, table: Iterable[tuple[int, int]]) -> Conversion:
        """This, followed by another table; only possible as long as the number was kept.

        >>> Conversion(((1, 2),)).then_look_up([(2, 3), (5, 1)]).table
        ((1, 3), (2, 3), (5, 1))
        """
        assert self.keeps_number, "a table comes before factor and offset"
        first, second = dict(self.table), dict(table)
        composed = (
            (k, second.get(first.get(k, k), first.get(k, k))) for k in sorted(first.keys() | second.keys())
        )
        return replace(self, table=tuple((k, v) for k, v in composed if k != v))

    def of(self, value: float) -> float:
        """The converted value; whole numbers stay whole unless factor or offset change them."""
        if self.table:
            value = dict(self.table).get(int(value), int(value))
        return value if self.keeps_number else self.factor * value + self.offset

    def __str__(self) -> str:
        table = f"table {dict(self.table)}" if self.table else ""
        number = "" if self.keeps_number else f"{self.factor!r} * value + {self.offset!r}"
        return ", then ".join(part for part in (table, number) if part) or UNCHANGED
