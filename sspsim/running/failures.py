"""The words for calls that fail in the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from traceback import extract_tb
from typing import Any

from sspsim.errors import SimulationError, StepDiscarded
from sspsim.fmi.slave import DISCARD, ENDS, FATAL, STATUS, Slave
from sspsim.masters import Master
from sspsim.running.setup import Setup


def of_master(problem: Exception, master: Master, t: float) -> SimulationError:
    """For a master, perhaps the user's own, that raised something itself: what, and where in its source."""
    place = extract_tb(problem.__traceback__)[-1]
    return SimulationError(
        f"the master {master.name!r} failed at t={t!r}: {type(problem).__name__}: {problem} "
        f"({place.filename}:{place.lineno})",
        time=t,
    )


class Explanation:
    """Makes the exception for a failed call: what, which component or variable, when, what to do."""

    def __init__(self, setup: Setup, slaves: Sequence[Slave]) -> None:
        self.setup = setup
        self.plan = setup.plan
        self.slaves = slaves
        self.kernel: Any = None  # whose values are told; it knows this first

    def __call__(
        self, component: int, function: str, status: int, slot: int, t: float, h: float
    ) -> SimulationError:
        """For a function of a component that returned a status, or a value that cannot be handed on."""
        name = self.plan.names[component]
        slave = self.slaves[component]
        where = f"{name} at t={t!r}"
        if function == "value":
            value = f"{self.plan.slot_names[slot]} is {self.kernel.reals[slot]}"
            message = f"{value} at t={t!r}; nothing can go on from there"
        elif function == "range":
            message = f"{where}: {self._value_in(slot)} does not fit its input"
        else:
            slave.broken = status == FATAL
            ends = status == ENDS or (status == DISCARD and slave.asks_to_end())
            step = f" (h={h!r})" if h else ""
            what = "wants to end the simulation" if ends else f"returned {STATUS[status]}"
            message = f"{where}: {function}{step} {what}{slave.last_words()}"
            status = ENDS if ends else status
        if status == DISCARD:
            return StepDiscarded(f"{message}{self._advice_on_discard()}", component=name, time=t)
        return SimulationError(message, component=name, time=t)

    def _value_in(self, slot: int) -> str:
        """A number and whose it is; the kernel counts whole numbers from -1 downwards."""
        if slot < 0:
            return f"the value {self.kernel.integers[-1 - slot]} of {self.plan.integer_names[-1 - slot]}"
        return f"the value {self.kernel.reals[slot]} of {self.plan.slot_names[slot]}"

    def _advice_on_discard(self) -> str:
        if self.setup.stepping.adaptive:
            return "; a smaller shortest step (--min-step) lets it try shorter ones"
        if all(i.interface.rollback and i.interface.variable_step for i in self.setup.flat.instances):
            return (
                "; step-size control (--stepping convergence or error) would go back and try a shorter step"
            )
        return "; try a shorter step"
