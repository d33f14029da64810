"""The life of an FMI 3 co-simulation FMU that has event mode."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from sspsim.errors import InputError, SimulationError
from sspsim.fmi.description import Variable
from sspsim.fmi.eventmode.events import EventMode
from sspsim.fmi.slave import STATUS, Entry, Slave3
from sspsim.structure import Type

# What decides on the next tick of an input clock; the numbers are those of events.h.
KINDS = {"constant": 0, "fixed": 0, "tunable": 0, "changing": 1, "countdown": 2, "triggered": 3}
OUTPUT = 4
MAX_CLOCKS = 64
NEEDED = ("EnterEventMode", "EnterStepMode", "UpdateDiscreteStates")


class EventSlave(Slave3):
    """Event mode is entered between two steps; clocks are ticked by us or by other components."""

    names: ClassVar = {
        **Slave3.names,
        "enterEvent": "EnterEventMode",
        "enterStep": "EnterStepMode",
        "update": "UpdateDiscreteStates",
        "getClock": "GetClock",
        "setClock": "SetClock",
        "getInterval": "GetIntervalDecimal",
    }

    events: EventMode | None = None
    uses_events = True

    def instantiate(self, resources: Path, *, logging: bool) -> None:
        """Some FMUs say that they have event mode and refuse it: they have to do without."""
        with suppress(SimulationError):
            return super().instantiate(resources, logging=logging)
        self.uses_events = False
        super().instantiate(resources, logging=logging)

    def _modes(self) -> tuple[bool, bool]:
        """A component that cannot go on from where it returned early is not allowed to."""
        return self.uses_events, self.uses_events and self.interface.variable_step

    def exit_initialization(self) -> None:
        """Settles the first event."""
        super().exit_initialization()
        if not self.events:
            return
        start = self.experiment[0]
        status = self.events.start(start)
        if status > 1:
            text = f"{self.where}: the first event returned {STATUS[min(status, 5)]}{self.last_words()}"
            raise SimulationError(text, component=self.name, time=start)

    def _plain_entry(self) -> Entry:
        """The adapter in place of the FMU."""
        if not self.events:
            return super()._plain_entry()
        functions = self.events.functions
        return Entry(self.name, self.fmi, self.events.address, functions, "getState" in functions)

    def last_words(self) -> str:
        """What the adapter has to say comes first."""
        problem = self.events.problem if self.events else ""
        return (f": {problem}" if problem else "") + super().last_words()

    def _made(self, instance: int | None) -> None:
        super()._made(instance)
        if not self.uses_events:
            return
        for name in NEEDED:
            self._function(name, None)  # raises if it is missing
        addresses = {ours: self.library.address(self.prefix + theirs) for ours, theirs in self.names.items()}
        found = {name: address for name, address in addresses.items() if address}
        clocks = [v for v in self.description.variables if v.type is Type.CLOCK and v.causality != "local"]
        self._check_clocks(clocks, found)
        positions = {clock.name: k for k, clock in enumerate(clocks)}
        inputs = [v for v in self.description.inputs if v.type is not Type.CLOCK]
        held = [(v.reference, [positions[c] for c in v.clocks if c in positions]) for v in inputs if v.clocks]
        listens = any(v.variability != "continuous" for v in inputs) or any(
            v.interval_variability == "triggered" and v.causality == "input" for v in clocks
        )
        can_restore = self.interface.rollback and {"getState", "setState"} <= set(found)
        self.events = EventMode(
            instance,
            found,
            [_clock(v) for v in clocks],
            held,
            listens,
            self.interface.variable_step,
            can_restore,
        )

    def _check_clocks(self, clocks: list[Variable], found: dict[str, int]) -> None:
        if len(clocks) > MAX_CLOCKS:
            raise InputError(f"{self.name}: its FMU has {len(clocks)} clocks; {MAX_CLOCKS} are supported")
        for clock in clocks:
            incoming = clock.causality == "input"
            if incoming and clock.interval_variability not in KINDS:
                raise InputError(
                    f"{self.name}: the clock {clock.name!r} has the unknown "
                    f"intervalVariability {clock.interval_variability!r}"
                )
            asked = incoming and (
                clock.interval is None or clock.interval_variability in ("changing", "countdown")
            )
            needs = ["setClock" if incoming else "getClock"]
            if asked and clock.interval_variability != "triggered":
                needs.append("getInterval")
            for function in needs:
                if function not in found:
                    self._function(self.names[function], None)  # says what is missing


def _clock(clock: Variable) -> tuple[int, int, float, float]:
    """Reference, kind, interval (-1: only the FMU knows) and shift."""
    kind = KINDS[clock.interval_variability or ""] if clock.causality == "input" else OUTPUT
    return clock.reference, kind, -1.0 if clock.interval is None else clock.interval, clock.shift
