"""Steps one component from Python, through the same C functions that the kernel uses."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_bool, c_char, c_double, c_int, c_size_t, c_uint, c_void_p
from typing import Any

from sspsim.errors import SimulationError
from sspsim.fmi.slave import STATUS, Entry

_STEP_ARGUMENTS: dict[int, tuple[Any, ...]] = {
    1: (c_char,),
    2: (c_int,),
    3: (c_bool, c_void_p, c_void_p, c_void_p, c_void_p),
}


class Driver:
    """Raises a SimulationError when a function fails."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry

    def step(self, t: float, h: float) -> None:
        """From t to t + h."""
        rest = _STEP_ARGUMENTS[self.entry.version]
        function = ctypes.CFUNCTYPE(c_int, c_void_p, c_double, c_double, *rest)(self.entry.address("doStep"))
        instance = self.entry.stepper or self.entry.instance
        if self.entry.version < 3:
            self._check(function(instance, t, h, rest[0](int(self.entry.version == 1))), "doStep")
            return
        flags, reached = [c_bool() for _ in range(3)], c_double()
        outputs = [*map(ctypes.addressof, flags), ctypes.addressof(reached)]
        self._check(function(instance, t, h, False, *outputs), "doStep")

    def save(self, state: c_void_p | None = None) -> c_void_p:
        """Keeps the present state, in the place of an old one if there is one."""
        state = state or c_void_p()
        self._state("getState", ctypes.byref(state))
        return state

    def restore(self, state: c_void_p) -> None:
        """Goes back."""
        self._state("setState", state)

    def forget(self, state: c_void_p) -> None:
        """Gives a state back."""
        self._state("freeState", ctypes.byref(state))

    def _state(self, name: str, argument: object) -> None:
        function = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)(self.entry.address(name))
        place = argument if isinstance(argument, c_void_p) else ctypes.cast(argument, c_void_p)  # type: ignore[arg-type]
        self._check(function(self.entry.keeper or self.entry.instance, place), name)

    def derivatives(self, unknowns: Sequence[int], known: int) -> list[float]:
        """The directional derivatives of outputs (by value reference) with respect to one input."""
        n = len(unknowns)
        places, seed, result = (c_uint * n)(*unknowns), (c_double * 1)(1.0), (c_double * n)()
        if self.entry.version == 2:
            arguments = [places, c_size_t(n), (c_uint * 1)(known), c_size_t(1), seed, result]
        else:
            arguments = [
                places,
                c_size_t(n),
                (c_uint * 1)(known),
                c_size_t(1),
                seed,
                c_size_t(1),
                result,
                c_size_t(n),
            ]
        kinds = [c_size_t if isinstance(a, c_size_t) else c_void_p for a in arguments]
        function = ctypes.CFUNCTYPE(c_int, c_void_p, *kinds)(self.entry.address("directional"))
        passed = [a if isinstance(a, c_size_t) else ctypes.cast(a, c_void_p) for a in arguments]
        self._check(function(self.entry.instance, *passed), "getDirectionalDerivative")
        return list(result)

    def _check(self, status: int, what: str) -> None:
        if status > 1:
            text = f"{self.entry.name}: {what} returned {STATUS[min(status, 5)]}"
            raise SimulationError(text, component=self.entry.name)
