"""What is known about a recorded variable beside its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sspsim.plan import Column
from sspsim.structure import Type


@dataclass(frozen=True, slots=True)
class Signal:
    """Name, type, unit and description of a column of a result."""

    name: str
    type: Type = Type.REAL
    unit: str | None = None
    description: str = ""

    @property
    def continuous(self) -> bool:
        """Whether a straight line joins two of its values; otherwise the last one holds."""
        return self.type.is_real

    @classmethod
    def of(cls, column: Column) -> Signal:
        """From the plan of a run."""
        return cls(column.name, column.type, column.unit, column.description)

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Signal:
        """From a summary."""
        return cls(data["name"], Type(data["type"]), data.get("unit"), data.get("description", ""))

    def to_json(self) -> dict[str, Any]:
        """For a summary."""
        return {"name": self.name, "type": str(self.type), "unit": self.unit, "description": self.description}
