"""The life of a table in a run: what a slave does for an FMU."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from sspsim.errors import InputError
from sspsim.fmi.callbacks import MessageLog
from sspsim.fmi.description import Variable
from sspsim.fmi.slave import Entry, Slave
from sspsim.fmi.table import TableDescription
from sspsim.fmi.tables import FUNCTIONS, TableInstance
from sspsim.structure import Scalar, Type


class TableSlave(Slave):
    """One table; it has outputs and a clock, no library, and nothing that could fail."""

    fmi = 2
    names: ClassVar = {}
    prefix = "table."

    def __init__(self, name: str, description: TableDescription) -> None:
        assert description.co_simulation
        self.name = name
        self.description = description
        self.interface = description.co_simulation
        self.log = MessageLog(name)
        self.broken = False
        self.running = False
        self.now = None
        self.polynomials = None
        self.table = TableInstance(description.series)

    def entry(self) -> Entry:
        """What the kernel needs."""
        return Entry(self.name, self.fmi, self.table.address, FUNCTIONS, can_restore=True)

    def instantiate(self, resources: Path, *, logging: bool) -> None:
        """Nothing is needed."""

    def setup(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """The clock shows the start time."""
        super().setup(start, stop, tolerance)
        self.table.clock = start

    def set(self, values: Iterable[tuple[Variable, Sequence[Scalar]]]) -> None:
        """There is nothing to be set."""
        for variable, _ in values:
            raise InputError(f"{self.name}.{variable.name} comes from a table and cannot be set")

    def get(self, variable: Variable, count: int = 1) -> list[Scalar]:
        """The value at the clock."""
        value = self.table.value(variable.reference)
        return [bool(value) if variable.type is Type.BOOLEAN else value] * count

    def enter_initialization(self) -> None:
        """Nothing changes."""

    def exit_initialization(self) -> None:
        """Ready to be stepped."""
        self.running = True

    def terminate(self, t: float | None = None) -> None:
        """Ends the run."""
        self.now, self.running = t, False

    def free(self) -> None:
        """The C side goes with the object."""
