"""The life of one FMU instance, whatever its FMI version; the hot calls are left to the kernel.

Order of calls: `instantiate`, `set` start values, `initialize` (enter and exit for FMI 2 and 3), steps by the
kernel, `terminate`, `free`. `close` does what is left of that on every path.
"""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from ctypes import c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from sspsim.errors import InputError, SimulationError
from sspsim.fmi.callbacks import ALLOCATE, FREE, INTERMEDIATE_UPDATE, LOGGERS, STEP_FINISHED, MessageLog
from sspsim.fmi.codes import Code, code_of
from sspsim.fmi.crash import Marked
from sspsim.fmi.description import Description, Interface, Variable
from sspsim.fmi.library import Library
from sspsim.structure import Scalar

STATUS = ("ok", "warning", "discard", "error", "fatal", "pending")
DISCARD, FATAL = 2, 4
SERIALIZING = ("stateSize", "serialize", "deserialize")
ENDS = 6  # as in the kernel: the FMU wants to end the simulation
TERMINATED = 3  # a kind of status of FMI 2

C_TYPES: dict[Code, Any] = {
    Code.FLOAT64: c_double,
    Code.FLOAT32: ctypes.c_float,
    Code.INT8: ctypes.c_int8,
    Code.UINT8: ctypes.c_uint8,
    Code.INT16: ctypes.c_int16,
    Code.UINT16: ctypes.c_uint16,
    Code.INT32: ctypes.c_int32,
    Code.UINT32: ctypes.c_uint32,
    Code.INT64: ctypes.c_int64,
    Code.UINT64: ctypes.c_uint64,
    Code.BOOLEAN8: c_bool,
    Code.BOOLEAN32: c_int,
    Code.STRING: c_char_p,
    Code.BINARY: c_void_p,
}


@dataclass(frozen=True)
class Entry:
    """The C side of a component for the kernel: an instance and the addresses of functions that take it.

    What wraps an FMU gives its own pointers for stepping (`stepper`) and for keeping states (`keeper`).
    """

    name: str
    version: int
    instance: int
    functions: Mapping[str, int]
    can_restore: bool
    stepper: int = 0
    keeper: int = 0

    def address(self, function: str) -> int:
        """The address of a function that is needed."""
        found = self.functions.get(function)
        if not found:
            raise InputError(
                f"{self.name}: its FMU lacks the function for {function!r}, which this system needs"
            )
        return found


class Slave(ABC):
    """One instance of an FMU for co-simulation."""

    fmi: ClassVar[int]
    names: ClassVar[
        Mapping[str, str]
    ]  # our name of a function -> the part of its name in C behind the prefix

    def __init__(self, name: str, description: Description, interface: Interface, library: Library) -> None:
        self.name = name
        self.description = description
        self.interface = interface
        self.library = library
        self.log = MessageLog(name)
        self.instance: int | None = None
        self.first_inputs: list[tuple[Variable, Sequence[Scalar]]] = []
        self.running = False
        self.broken = False  # after a fatal error no function may be called any more
        self.now: float | None = None  # the time outside of steps, for messages
        self.polynomials: Any = None  # of the inputs, if they do not stay as they are during a step

    @property
    def where(self) -> str:
        """Who is concerned, and when."""
        return self.name if self.now is None else f"{self.name} at t={self.now!r}"

    # ---- C functions ---------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def prefix(self) -> str:
        """What all C names start with."""

    def entry(self) -> Entry:
        """What the kernel needs."""
        if self.polynomials is None:
            return self._plain_entry()
        functions = self.polynomials.functions
        return Entry(self.name, self.fmi, self.polynomials.address, functions, self.interface.rollback)

    def _plain_entry(self) -> Entry:
        """Without anything between the kernel and the FMU."""
        assert self.instance is not None
        return Entry(self.name, self.fmi, self.instance, self._found(), self.interface.rollback)

    def _found(self) -> dict[str, int]:
        """The addresses of those functions that the FMU has."""
        addresses = {ours: self.library.address(self.prefix + theirs) for ours, theirs in self.names.items()}
        return {name: address for name, address in addresses.items() if address}

    def interpolate(self, order: int, inputs: Sequence[tuple[int, bool, Any]]) -> None:
        """From now on real inputs are handed over with derivatives up to an order.

        `inputs`: (value reference, whether it is known at the end of a step, None or what `derivatives_of` gave).
        """
        from sspsim.fmi.interpolation.polynomials import Polynomials  # what few runs need

        self._function("SetRealInputDerivatives", c_int)  # says so if it is missing
        self.polynomials = Polynomials(self.fmi, self.instance, self._found(), order, list(inputs))

    def derivatives_of(self, reference: int, factor: float) -> tuple[int, int, int, int, float] | None:
        """How to ask for the derivatives of an output, times a factor; None if this FMU gives none."""
        address = self._found().get("outputDerivatives", 0) if self.interface.output_derivative_order else 0
        if not address or self.instance is None:
            return None
        return address, self.instance, reference, self.interface.output_derivative_order, factor

    def call(self, function: str, *arguments: Any) -> int:
        """Calls a C function that returns a status; anything worse than a warning is an error."""
        callee = self._function(function, c_int)
        with Marked(self.name, self.prefix + function, self.now):
            status = int(callee(self.instance, *arguments))
        if status > 1:
            self.broken = status == FATAL
            raise SimulationError(
                f"{self.where}: {self.prefix}{function} returned {STATUS[min(status, 5)]}{self.last_words()}",
                component=self.name,
                time=self.now,
            )
        return status

    def _function(self, function: str, result: Any) -> Any:
        address = self.library.address(self.prefix + function)
        if not address:
            raise InputError(f"{self.name}: its FMU lacks the function {self.prefix}{function}")
        found = getattr(self.library.functions, self.prefix + function)
        found.restype = result
        return _WithPointers(found)

    def last_words(self) -> str:
        """What the FMU logged last, ready to be appended to an error message."""
        texts = [text for _, _, text in self.log.take()][-3:]
        return f"; it says: {' | '.join(texts)}" if texts else ""

    # ---- values --------------------------------------------------------------------------------------------

    def set(self, values: Iterable[tuple[Variable, Sequence[Scalar]]]) -> None:
        """Sets variables one by one, in the given order."""
        for variable, scalars in values:
            code = code_of(variable.type, self.fmi)
            reference = (c_uint * 1)(variable.reference)
            self._transfer("set", code, reference, self._pack(code, scalars), len(scalars))

    def set_start(self, values: Iterable[tuple[Variable, Sequence[Scalar]]]) -> None:
        """Start values: inputs wait for the initialisation mode, since some FMUs take them only there."""
        for variable, scalars in values:
            if variable.causality == "input" and self.fmi > 1:
                self.first_inputs.append((variable, scalars))
            else:
                self.set([(variable, scalars)])

    def get(self, variable: Variable, count: int = 1) -> list[Scalar]:
        """The values of a variable; arrays are flat."""
        code = code_of(variable.type, self.fmi)
        buffer = (C_TYPES[code] * count)()
        self._transfer("get", code, (c_uint * 1)(variable.reference), buffer, count)
        if code is Code.STRING:
            return [(text or b"").decode("utf-8", "replace") for text in buffer]
        if code is Code.BINARY:
            return [ctypes.string_at(p, n) if p else b"" for p, n in zip(buffer, buffer.sizes, strict=True)]
        if code in (Code.BOOLEAN8, Code.BOOLEAN32):
            return [bool(v) for v in buffer]
        return list(buffer)

    def _pack(self, code: Code, scalars: Sequence[Scalar]) -> Any:
        kind = C_TYPES[code]
        if code is Code.STRING:
            return (kind * len(scalars))(*(str(s).encode() for s in scalars))
        if code is Code.BINARY:
            keep = [ctypes.create_string_buffer(bytes(s), len(s)) for s in scalars]  # type: ignore[arg-type]
            packed = (kind * len(scalars))(*(ctypes.addressof(b) for b in keep))
            packed.keep = keep
            packed.sizes = (c_size_t * len(scalars))(*(len(s) for s in scalars))  # type: ignore[arg-type]
            return packed
        return (kind * len(scalars))(*scalars)

    def _transfer(self, verb: str, code: Code, references: Any, buffer: Any, count: int) -> None:  # noqa: ARG002
        self.call(self.names[f"{verb}.{code.name}"], references, c_size_t(1), buffer)

    # ---- life cycle ----------------------------------------------------------------------------------------

    @abstractmethod
    def instantiate(self, resources: Path, *, logging: bool) -> None:
        """Creates the instance."""

    def setup(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """Tells the experiment; variables can be set before and after."""
        self.now = start
        self.experiment = (start, stop, tolerance)

    @abstractmethod
    def enter_initialization(self) -> None:
        """From here on inputs answer with outputs."""

    @abstractmethod
    def exit_initialization(self) -> None:
        """Ready to be stepped."""

    def reset(self) -> bool:
        """Back to before the initialisation; False if this FMU cannot."""
        return False

    def asks_to_end(self) -> bool:
        """Whether a step was refused because the FMU wants to end the simulation."""
        return False

    def terminate(self, t: float | None = None) -> None:
        """Ends the run, which has come to t."""
        self.now = t
        if self.running and not self.broken:
            self.running = False
            self.call(self.names["terminate"])

    def free(self) -> None:
        """Gives the instance back; the library stays."""
        instance, self.instance = self.instance, None
        if instance and not self.broken:
            free = self._function(self.names["free"], None)
            with Marked(self.name, self.prefix + self.names["free"], self.now):
                free(instance)

    def _made(self, instance: int | None) -> None:
        if not instance:
            raise SimulationError(
                f"{self.name}: {self.prefix}{self.names['instantiate']} gave no instance{self.last_words()}",
                component=self.name,
            )
        self.instance = instance


class _WithPointers:
    """Passes the instance (an int) as a pointer; ctypes would cut it to 32 bits."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, instance: int | None, *arguments: Any) -> Any:
        return self.function(c_void_p(instance), *arguments)


def _getters_and_setters(words: Mapping[Code, str]) -> dict[str, str]:
    return {
        f"{verb}.{code.name}": verb.capitalize() + word
        for code, word in words.items()
        for verb in ("set", "get")
    }


class Callbacks1(ctypes.Structure):
    """fmiCallbackFunctions of FMI 1, handed over by value."""

    _fields_: ClassVar = [
        ("logger", c_void_p),
        ("allocate", c_void_p),
        ("free", c_void_p),
        ("finished", c_void_p),
    ]


class Callbacks2(ctypes.Structure):
    """fmi2CallbackFunctions, handed over by reference."""

    _fields_: ClassVar = [*Callbacks1._fields_, ("environment", c_void_p)]


class Slave1(Slave):
    """FMI 1: no initialisation mode, no states; initialising and leaving it are one call."""

    fmi = 1
    names: ClassVar = {
        **_getters_and_setters(
            {Code.FLOAT64: "Real", Code.INT32: "Integer", Code.BOOLEAN8: "Boolean", Code.STRING: "String"}
        ),
        "doStep": "DoStep",
        "getStatus": "GetStatus",
        "cancel": "CancelStep",
        "setDerivatives": "SetRealInputDerivatives",
        "outputDerivatives": "GetRealOutputDerivatives",
        "instantiate": "InstantiateSlave",
        "terminate": "TerminateSlave",
        "free": "FreeSlaveInstance",
    }

    @property
    def prefix(self) -> str:
        """Each function carries the model identifier."""
        return f"{self.interface.identifier}_fmi"

    def instantiate(self, resources: Path, *, logging: bool) -> None:
        """The FMU's location is the folder above the resources."""
        self.callbacks = Callbacks1(LOGGERS[1], ALLOCATE, FREE, STEP_FINISHED)
        function = self._function("InstantiateSlave", c_void_p).function
        self._made(
            function(
                self.name.encode(),
                self.description.guid.encode(),
                resources.parent.as_uri().encode(),
                b"application/x-fmu-sharedlibrary",
                c_double(0),
                c_char(0),
                c_char(0),
                self.callbacks,
                c_char(int(logging)),
            )
        )

    def enter_initialization(self) -> None:
        """Initialises; inputs set later answer at the next step, or at once if the FMU is kind."""
        start, stop, _ = self.experiment
        self.running = True
        self.call("InitializeSlave", c_double(start), c_char(int(stop is not None)), c_double(stop or 0.0))

    def exit_initialization(self) -> None:
        """Nothing left to do."""

    def reset(self) -> bool:
        """Back to before the initialisation; False if this FMU cannot."""
        if not self.library.address(self.prefix + "ResetSlave"):
            return False
        self.running = False
        self.call("ResetSlave")
        return True


class Slave2(Slave):
    """FMI 2."""

    fmi = 2
    names: ClassVar = {
        **_getters_and_setters(
            {Code.FLOAT64: "Real", Code.INT32: "Integer", Code.BOOLEAN32: "Boolean", Code.STRING: "String"}
        ),
        "doStep": "DoStep",
        "getStatus": "GetStatus",
        "cancel": "CancelStep",
        "setDerivatives": "SetRealInputDerivatives",
        "outputDerivatives": "GetRealOutputDerivatives",
        "getState": "GetFMUstate",
        "setState": "SetFMUstate",
        "freeState": "FreeFMUstate",
        "stateSize": "SerializedFMUstateSize",
        "serialize": "SerializeFMUstate",
        "deserialize": "DeSerializeFMUstate",
        "directional": "GetDirectionalDerivative",
        "instantiate": "Instantiate",
        "terminate": "Terminate",
        "free": "FreeInstance",
    }
    prefix = "fmi2"
    type_code: ClassVar = 1  # of fmi2Type: co-simulation

    def instantiate(self, resources: Path, *, logging: bool) -> None:
        """Not visible."""
        self.callbacks = Callbacks2(LOGGERS[2], ALLOCATE, FREE, STEP_FINISHED, self.log.address)
        function = self._function("Instantiate", c_void_p).function
        self._made(
            function(
                self.name.encode(),
                c_int(self.type_code),
                self.description.guid.encode(),
                resources.as_uri().encode(),
                ctypes.byref(self.callbacks),
                c_int(0),
                c_int(int(logging)),
            )
        )

    def setup(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """fmi2SetupExperiment."""
        super().setup(start, stop, tolerance)
        self.call(
            "SetupExperiment",
            c_int(int(tolerance is not None)),
            c_double(tolerance or 0.0),
            c_double(start),
            c_int(int(stop is not None)),
            c_double(stop or 0.0),
        )

    def enter_initialization(self) -> None:
        """fmi2EnterInitializationMode."""
        self.call("EnterInitializationMode")
        self.set(self.first_inputs)

    def exit_initialization(self) -> None:
        """fmi2ExitInitializationMode."""
        self.call("ExitInitializationMode")
        self.running = True

    def asks_to_end(self) -> bool:
        """What fmi2Terminated says, if the FMU can be asked."""
        if not self.library.address("fmi2GetBooleanStatus"):
            return False
        answer = c_int(0)
        status = self._function("GetBooleanStatus", c_int)(
            self.instance, c_int(TERMINATED), ctypes.byref(answer)
        )
        return status <= 1 and bool(answer.value)


class Slave3(Slave):
    """FMI 3."""

    fmi = 3
    names: ClassVar = {
        **_getters_and_setters(
            {
                code: {"BOOLEAN8": "Boolean"}.get(code.name, code.name.capitalize().replace("Uint", "UInt"))
                for code in Code
                if code is not Code.BOOLEAN32
            }
        ),
        "doStep": "DoStep",
        "getState": "GetFMUState",
        "setState": "SetFMUState",
        "freeState": "FreeFMUState",
        "stateSize": "SerializedFMUStateSize",
        "serialize": "SerializeFMUState",
        "deserialize": "DeserializeFMUState",
        "directional": "GetDirectionalDerivative",
        "instantiate": "InstantiateCoSimulation",
        "terminate": "Terminate",
        "free": "FreeInstance",
    }
    prefix = "fmi3"

    def instantiate(self, resources: Path, *, logging: bool) -> None:
        """With intermediate update where the FMU has it, for inputs that may be set there."""
        function = self._function("InstantiateCoSimulation", c_void_p).function
        event_mode, early_return = self._modes()
        updates = self.interface.intermediate_update
        required = [v.reference for v in self.description.inputs if v.follows] if updates else []
        self.required = (c_uint * len(required))(*required)  # the FMU may keep the pointer
        self._made(
            function(
                self.name.encode(),
                self.description.guid.encode(),
                str(resources).encode() + b"/",
                c_bool(False),
                c_bool(logging),
                c_bool(event_mode),
                c_bool(early_return),
                self.required if required else None,
                c_size_t(len(required)),
                c_void_p(self.log.address),
                c_void_p(LOGGERS[3]),
                c_void_p(INTERMEDIATE_UPDATE) if updates else None,
            )
        )

    def interpolate(self, order: int, inputs: Sequence[tuple[int, bool, Any]]) -> None:
        """The FMU asks for its inputs while it makes a step."""
        from sspsim.fmi.interpolation.polynomials import Polynomials  # what few runs need

        plain = [(reference, ahead, None) for reference, ahead, _ in inputs if reference in self.required]
        if plain:
            for function in ("GetFloat64", "SetFloat64"):
                self._function(function, c_int)  # says so if it is missing
            below = self._plain_entry()
            polynomials = Polynomials(self.fmi, below.instance, dict(below.functions), order, plain)
            follow = polynomials.inside(self.instance, self._found()["set.FLOAT64"])
            self.log.follow(follow, polynomials.address)
            self.polynomials = polynomials

    def entry(self) -> Entry:
        """Steps and states lead through the polynomials, if there are any."""
        entry = self._plain_entry()
        if self.polynomials is None:
            return entry
        address = self.polynomials.address
        functions = {n: f for n, f in entry.functions.items() if n not in SERIALIZING}
        functions |= self.polynomials.functions
        return replace(entry, functions=functions, stepper=address, keeper=address)

    def _modes(self) -> tuple[bool, bool]:
        """Whether event mode is used and whether a step may return early."""
        return False, False

    def enter_initialization(self) -> None:
        """fmi3EnterInitializationMode."""
        start, stop, tolerance = self.experiment
        self.call(
            "EnterInitializationMode",
            c_bool(tolerance is not None),
            c_double(tolerance or 0.0),
            c_double(start),
            c_bool(stop is not None),
            c_double(stop or 0.0),
        )
        self.set(self.first_inputs)

    def exit_initialization(self) -> None:
        """fmi3ExitInitializationMode."""
        self.call("ExitInitializationMode")
        self.running = True

    def set(self, values: Iterable[tuple[Variable, Sequence[Scalar]]]) -> None:
        """Structural parameters, which decide on the sizes of arrays, have a mode of their own."""
        for variable, scalars in values:
            structural = variable.causality == "structuralParameter"
            if structural:
                self.call("EnterConfigurationMode")
            super().set([(variable, scalars)])
            if structural:
                self.call("ExitConfigurationMode")

    def _transfer(self, verb: str, code: Code, references: Any, buffer: Any, count: int) -> None:
        function = self.names[f"{verb}.{code.name}"]
        if code is Code.BINARY:
            if verb == "get":
                buffer.sizes = (c_size_t * count)()
            self.call(function, references, c_size_t(1), buffer.sizes, buffer, c_size_t(count))
        else:
            self.call(function, references, c_size_t(1), buffer, c_size_t(count))


SLAVES: Mapping[int, type[Slave]] = {1: Slave1, 2: Slave2, 3: Slave3}
