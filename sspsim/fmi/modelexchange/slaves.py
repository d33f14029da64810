"""The life of a model-exchange FMU in FMI 1, 2 and 3."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from ctypes import c_bool, c_char, c_double, c_int, c_size_t, c_void_p
from pathlib import Path
from typing import Any, ClassVar

from sspsim.errors import SimulationError
from sspsim.fmi.callbacks import ALLOCATE, FREE, LOGGERS
from sspsim.fmi.description import Variable
from sspsim.fmi.modelexchange.integrator import Integrator
from sspsim.fmi.slave import STATUS, Entry, Slave, Slave1, Slave2, Slave3
from sspsim.structure import Scalar

DEFAULT_TOLERANCE = 1e-6
LOOSEST_TOLERANCE = 1e-3
STATES, INDICATORS = (
    ("setStates", "getStates", "getDerivatives"),
    ("getIndicators",),
)  # functions that these need


class ModelExchange(Slave):
    """What the three versions share: an integrator between the FMU and the kernel."""

    def setup(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """The tolerance is that of CVODE."""
        super().setup(start, stop, tolerance)
        self.start_time = start
        wanted = tolerance or self.description.tolerance or DEFAULT_TOLERANCE
        self.integrator.set_tolerance(min(wanted, LOOSEST_TOLERANCE))

    def exit_initialization(self) -> None:
        """Settles the first event."""
        super().exit_initialization()  # type: ignore[safe-super]
        self.running = True
        self._check(self.integrator.start(self.start_time), "the first event")

    def entry(self) -> Entry:
        """The integrator in place of the FMU."""
        functions = self.integrator.functions
        return Entry(self.name, self.fmi, self.integrator.address, functions, "getState" in functions)

    def set(self, values: Iterable[tuple[Variable, Sequence[Scalar]]]) -> None:
        """Inputs may jump in event mode only; values that are there already are left alone."""
        if not self.running:
            super().set(values)
            return
        news = [(v, tuple(s)) for v, s in values if self.last_set.get(v.reference) != (v.type, tuple(s))]
        if news:
            self._check(self.integrator.begin_event(), "entering event mode")
            super().set(news)
            self.last_set.update({variable.reference: (variable.type, s) for variable, s in news})

    def last_words(self) -> str:
        """What the integrator has to say comes first."""
        problem = self.integrator.problem if self.instance else ""
        return (f": {problem}" if problem else "") + super().last_words()

    def _made(self, instance: int | None) -> None:
        super()._made(instance)
        self.last_set: dict[int, tuple[Any, tuple[Scalar, ...]]] = {}
        addresses = {ours: self.library.address(self.prefix + theirs) for ours, theirs in self.names.items()}
        found = {name: address for name, address in addresses.items() if address}
        states, indicators = self.continuous_states(), self.event_indicators()
        for name in ("setTime", *(STATES if states else ()), *(INDICATORS if indicators else ())):
            self._function(self.names[name], c_int)  # raises if it is missing
        only_continuous = self.interface.only_continuous_states
        saves_own_state = (
            self.interface.rollback and not only_continuous and {"getState", "setState"} <= set(found)
        )
        self.integrator = Integrator(
            self.fmi,
            instance,
            found,
            states,
            indicators,
            DEFAULT_TOLERANCE,
            not self.interface.completed_step_not_needed and "completedStep" in found,
            saves_own_state or only_continuous,
            saves_own_state,
        )

    def continuous_states(self) -> int:
        """How many states there are."""
        return self.description.continuous_states

    def event_indicators(self) -> int:
        """How many event indicators there are."""
        return self.description.event_indicators

    def _check(self, status: int, what: str) -> None:
        if status > 1:
            text = f"{self.where}: {what} returned {STATUS[status]}{self.last_words()}"
            raise SimulationError(text, component=self.name, time=self.start_time)


class Callbacks1Exchange(ctypes.Structure):
    """fmiCallbackFunctions of FMI 1 for model exchange, handed over by value."""

    _fields_: ClassVar = [("logger", c_void_p), ("allocate", c_void_p), ("free", c_void_p)]


class EventInfo1(ctypes.Structure):
    """fmiEventInfo of FMI 1; what the initialisation says about events is asked again by the first event."""

    _fields_: ClassVar = [*((f"flag{k}", c_char) for k in range(5)), ("next", c_double)]


class ModelExchange1(ModelExchange, Slave1):
    """FMI 1."""

    names: ClassVar = {
        **{k: v for k, v in Slave1.names.items() if "." in k},
        "setTime": "SetTime",
        "setStates": "SetContinuousStates",
        "getStates": "GetContinuousStates",
        "getDerivatives": "GetDerivatives",
        "getIndicators": "GetEventIndicators",
        "getNominals": "GetNominalContinuousStates",
        "completedStep": "CompletedIntegratorStep",
        "update": "EventUpdate",
        "instantiate": "InstantiateModel",
        "terminate": "Terminate",
        "free": "FreeModelInstance",
    }

    def instantiate(self, resources: Path, *, logging: bool) -> None:  # noqa: ARG002
        """FMI 1 tells model-exchange FMUs not where they are."""
        self.exchange_callbacks = Callbacks1Exchange(LOGGERS[1], ALLOCATE, FREE)
        function = self._function("InstantiateModel", c_void_p).function
        name, guid = self.name.encode(), self.description.guid.encode()
        self._made(function(name, guid, self.exchange_callbacks, c_char(int(logging))))

    def setup(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """The time comes first."""
        super().setup(start, stop, tolerance)
        self.tolerance = tolerance
        self.call("SetTime", c_double(start))

    def enter_initialization(self) -> None:
        """Initialises at once."""
        info = EventInfo1()
        controlled = c_char(int(self.tolerance is not None))
        self.call("Initialize", controlled, c_double(self.tolerance or 0.0), ctypes.byref(info))


class ModelExchange2(ModelExchange, Slave2):
    """FMI 2."""

    names: ClassVar = {
        **Slave2.names,
        "setTime": "SetTime",
        "setStates": "SetContinuousStates",
        "getStates": "GetContinuousStates",
        "getDerivatives": "GetDerivatives",
        "getIndicators": "GetEventIndicators",
        "getNominals": "GetNominalsOfContinuousStates",
        "completedStep": "CompletedIntegratorStep",
        "update": "NewDiscreteStates",
        "enterEvent": "EnterEventMode",
        "enterContinuous": "EnterContinuousTimeMode",
    }
    type_code: ClassVar = 0


class ModelExchange3(ModelExchange, Slave3):
    """FMI 3."""

    names: ClassVar = {
        **Slave3.names,
        "setTime": "SetTime",
        "setStates": "SetContinuousStates",
        "getStates": "GetContinuousStates",
        "getDerivatives": "GetContinuousStateDerivatives",
        "getIndicators": "GetEventIndicators",
        "getNominals": "GetNominalsOfContinuousStates",
        "completedStep": "CompletedIntegratorStep",
        "update": "UpdateDiscreteStates",
        "enterEvent": "EnterEventMode",
        "enterContinuous": "EnterContinuousTimeMode",
        "instantiate": "InstantiateModelExchange",
    }

    def instantiate(self, resources: Path, *, logging: bool) -> None:
        """fmi3InstantiateModelExchange."""
        function = self._function("InstantiateModelExchange", c_void_p).function
        self._made(
            function(
                self.name.encode(),
                self.description.guid.encode(),
                str(resources).encode() + b"/",
                c_bool(False),
                c_bool(logging),
                c_void_p(self.log.address),
                c_void_p(LOGGERS[3]),
            )
        )

    def enter_initialization(self) -> None:
        """Structural parameters may have changed the number of states; from here on it stays."""
        if not self.integrator.resize(self.continuous_states(), self.event_indicators()):
            raise SimulationError(f"{self.where}: no memory for its states", component=self.name)
        super().enter_initialization()

    def continuous_states(self) -> int:
        """Arrays count with all their elements: only the FMU knows."""
        return self._number("GetNumberOfContinuousStates", self.description.continuous_states)

    def event_indicators(self) -> int:
        """As with the states."""
        return self._number("GetNumberOfEventIndicators", self.description.event_indicators)

    def _number(self, function: str, otherwise: int) -> int:
        if not self.library.address(self.prefix + function):
            return otherwise
        number = c_size_t()
        self.call(function, ctypes.byref(number))
        return number.value


MODEL_EXCHANGE: dict[int, type[ModelExchange]] = {1: ModelExchange1, 2: ModelExchange2, 3: ModelExchange3}
