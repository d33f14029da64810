"""One check of one FMU: `python -m sspsim.fmi.probing.worker CHECK < order.json`; the answer is a line of JSON."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sspsim.errors import SspsimError
from sspsim.fmi import modeldescription
from sspsim.fmi.description import Variable
from sspsim.fmi.driver import Driver
from sspsim.fmi.factory import make_slave
from sspsim.fmi.isolation import sandbox
from sspsim.fmi.library import Library
from sspsim.fmi.probing.probe import ONE_RUN
from sspsim.structure import Scalar

STEPS = 8
IRREGULAR = (1.0, 0.5, 1.75, 0.25, 1.0, 0.5)  # lengths of steps, as shares of the usual one
NUDGE = 1e-4  # of inputs
RTOL = 1e-3  # of derivatives against differences
MOST = 40  # inputs and outputs that are looked at: differences cost time

Answer = tuple[str, str]
Values = list[Scalar]


class Specimen:
    """An instance of the FMU, initialised and ready to be stepped."""

    def __init__(self, order: dict[str, Any], library: Library, number: int = 1) -> None:
        folder = Path(order["folder"])
        description, _ = modeldescription.read(
            (folder / "modelDescription.xml").read_bytes(), order["component"]
        )
        interface = (
            description.co_simulation if order["kind"] == "CoSimulation" else description.model_exchange
        )
        assert interface is not None
        self.description, self.interface = description, interface
        self.slave = make_slave(f"{order['component']}-{number}", description, interface, library)
        self.slave.instantiate(folder / "resources", logging=False)
        self.slave.setup(order["start"], None, None)
        by_name = description.by_name
        self.slave.set_start(
            (by_name[name], values) for name, values in order["starts"].items() if name in by_name
        )
        self.slave.enter_initialization()
        self.slave.exit_initialization()
        self.driver = Driver(self.slave.entry())
        self.time, self.h = order["start"], order["step"]
        self.outputs = [v for v in description.variables if v.causality == "output" and not v.dimensions]
        self.inputs = [v for v in description.inputs if v.type.is_real and not v.dimensions]

    def step(self, share: float = 1.0) -> Values:
        """One step; the outputs after it."""
        self.driver.step(self.time, share * self.h)
        self.time += share * self.h
        return self.look()

    def look(self) -> Values:
        """All outputs."""
        return [self.slave.get(variable)[0] for variable in self.outputs]

    def push(self, k: int) -> None:
        """Lets the inputs move, so that something happens."""
        self.slave.set([(v, (math.sin(1.0 + i + 0.7 * k),)) for i, v in enumerate(self.inputs)])


def same(a: Values, b: Values) -> bool:
    """Equal to the bit; what is not a number is equal to itself."""
    return all(x == y or (x != x and y != y) for x, y in zip(a, b, strict=True))


def difference(specimen: Specimen, a: Values, b: Values, when: str) -> Answer:
    """The first output that differs, in words."""
    for variable, x, y in zip(specimen.outputs, a, b, strict=True):
        if not same([x], [y]):
            return "failed", f"{variable.name} is {x!r} and then {y!r} {when}"
    return "passed", ""


def rollback(order: dict[str, Any], library: Library) -> Answer:
    """Goes back after one and after two steps: the same inputs must give the same outputs."""
    specimen = Specimen(order, library)
    if not specimen.interface.rollback:
        return "not declared", ""
    for k in range(STEPS):
        t = specimen.time
        specimen.push(k)
        state = specimen.driver.save()
        first = specimen.step()
        for further in (0, 1):
            if further:
                specimen.push(k + 1)
                specimen.step()
            specimen.driver.restore(state)
            specimen.time = t
            specimen.push(k)
            again = specimen.step()
            if not same(first, again):
                return difference(specimen, first, again, f"in a step from t={t:g} that was repeated")
        specimen.driver.forget(state)
    return "passed", ""


def instances(order: dict[str, Any], library: Library) -> Answer:
    """Two instances, stepped in turns with the same inputs, must agree."""
    first = Specimen(order, library)
    if first.interface.once_per_process:
        return "not declared", "can be instantiated only once per process"
    second = Specimen(order, library, 2)
    for k in range(STEPS):
        first.push(k)
        second.push(k)
        a, b = first.step(), second.step()
        if not same(a, b):
            return difference(first, a, b, f"in a second instance at t={first.time:g}")
    return "passed", ""


def determinism(order: dict[str, Any], library: Library) -> Answer:
    """The same steps of different lengths, taken twice, must give the same outputs."""
    runs = []
    for _ in range(2):
        specimen = Specimen(order, library)
        if not specimen.interface.variable_step:
            return "not declared", ""
        run = []
        for k, share in enumerate(IRREGULAR):
            specimen.push(k)
            run.append(specimen.step(share))
        if specimen.interface.once_per_process:
            names = [v.name for v in specimen.outputs]
            return ONE_RUN, json.dumps([[name, *map(repr, v)] for name, *v in zip(names, *run, strict=True)])
        runs.append(run)
        specimen.slave.terminate()
        specimen.slave.free()
    for a, b in zip(*runs, strict=True):
        if not same(a, b):
            return difference(specimen, a, b, "in a second run with the same steps")
    return "passed", ""


def derivatives(order: dict[str, Any], library: Library) -> Answer:
    """Directional derivatives of outputs with respect to inputs must match differences."""
    specimen = Specimen(order, library)
    if not specimen.interface.directional_derivatives:
        return "not declared", ""
    specimen.push(0)
    specimen.step()
    outputs = [v for v in specimen.outputs if v.type.is_real][:MOST]
    for variable in specimen.inputs[:MOST]:
        declared = _declared_on(specimen, variable)
        chosen = [v for v in outputs if v.name in declared]
        if not chosen:
            continue
        exact = specimen.driver.derivatives([v.reference for v in chosen], variable.reference)
        for output, derivative, slope in zip(chosen, exact, _slopes(specimen, variable, chosen), strict=True):
            if not abs(derivative - slope) <= RTOL * max(1.0, abs(slope)):
                text = f"d({output.name})/d({variable.name}) is {derivative:g}, differences give {slope:g}"
                return "failed", text
    return "passed", ""


def _declared_on(specimen: Specimen, variable: Variable) -> set[str]:
    """The outputs that may depend on an input."""
    unknowns = specimen.description.outputs
    return {u.variable for u in unknowns if u.dependencies is None or variable.name in u.dependencies}


def _slopes(specimen: Specimen, variable: Variable, outputs: list[Variable]) -> list[float]:
    """Central differences."""
    (value,) = specimen.slave.get(variable)
    nudge = NUDGE * max(1.0, abs(float(value)))
    looks = []
    for sign in (1.0, -1.0):
        specimen.slave.set([(variable, (float(value) + sign * nudge,))])
        looks.append([float(specimen.slave.get(v)[0]) for v in outputs])
    specimen.slave.set([(variable, (value,))])
    return [(a - b) / (2 * nudge) for a, b in zip(*looks, strict=True)]


def dependencies(order: dict[str, Any], library: Library) -> Answer:
    """An output that is said not to depend on an input must not move with it."""
    specimen = Specimen(order, library)
    if all(unknown.dependencies is None for unknown in specimen.description.outputs):
        return "not declared", ""
    specimen.push(0)
    specimen.step()
    for variable in specimen.inputs[:MOST]:
        (value,) = specimen.slave.get(variable)
        before = specimen.look()
        specimen.slave.set([(variable, (float(value) + 1.0,))])
        after = specimen.look()
        specimen.slave.set([(variable, (value,))])
        allowed = _declared_on(specimen, variable)
        for output, a, b in zip(specimen.outputs, before, after, strict=True):
            if output.name not in allowed and not same([a], [b]):
                return "failed", f"{output.name} moves with {variable.name}, but declares that it does not"
    return "passed", ""


CHECKS: dict[str, Callable[[dict[str, Any], Library], Answer]] = {
    "rollback": rollback,
    "instances": instances,
    "determinism": determinism,
    "derivatives": derivatives,
    "dependencies": dependencies,
}


def main(check: str) -> None:
    """Reads the order, does the check, prints the answer."""
    order = json.loads(sys.stdin.read())
    sandbox.no_core_file()
    sandbox.forbid_writing([Path.cwd()])
    try:
        outcome, detail = CHECKS[check](order, Library(Path(order["library"])))
    except SspsimError as problem:
        outcome, detail = "failed", str(problem)
    print(json.dumps({"outcome": outcome, "detail": detail}), flush=True)
    os._exit(0)  # what the FMU does at the end of a process is not asked here


if __name__ == "__main__":
    main(sys.argv[1])
