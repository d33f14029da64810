"""Builds all example FMUs and systems once per test run."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import fmpy
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))


def load_build_script() -> ModuleType:
    """build.py by its path, since other packages are called `build` too."""
    spec = importlib.util.spec_from_file_location("examples_build", EXAMPLES / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with all FMUs and systems."""
    out = tmp_path_factory.mktemp("built")
    load_build_script().build_all(out, [1, 2, 3], [], os.cpu_count() or 1)
    return out


class Unit:
    """An instantiated FMU with access to variables by name; FMPy's methods are reached through `fmu`."""

    def __init__(self, path: Path, kind: str, logs: list[str]) -> None:
        self.folder = str(path.with_suffix(""))
        if not Path(self.folder).exists():
            fmpy.extract(str(path), self.folder)
        self.description = fmpy.read_model_description(self.folder)
        self.version = int(self.description.fmiVersion[0])
        self.variables = {v.name: v for v in self.description.modelVariables}
        self.fmu = fmpy.instantiate_fmu(
            self.folder, self.description, kind, logger=lambda *arguments: logs.append(_message(arguments))
        )
        if self.version == 1:
            _correct_status_types(self.fmu)

    def start(self, start: float = 0.0, stop: float | None = None, **values: Any) -> Unit:
        """Set the values and initialise."""
        for name, value in values.items():
            self.set(name, value)
        if self.version == 1:
            self.fmu.initialize(start, stop)
        else:
            self.enter(start, stop)
            self.fmu.exitInitializationMode()
        return self

    def enter(self, start: float = 0.0, stop: float | None = None) -> None:
        if self.version == 2:
            self.fmu.setupExperiment(startTime=start, stopTime=stop)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=start, stopTime=stop)

    def set(self, name: str, value: Any) -> None:
        variable = self.variables[name]
        values = value if isinstance(value, list) else [value]
        getattr(self.fmu, f"set{self._accessor(variable.type)}")([variable.valueReference], values)

    def get(self, name: str) -> Any:
        variable = self.variables[name]
        values = list(self.fmu_get(variable.type, variable.valueReference, self._length(variable)))
        return values if variable.dimensions else values[0]

    def fmu_get(self, kind: str, reference: int, length: int) -> Any:
        getter = getattr(self.fmu, f"get{self._accessor(kind)}")
        return getter([reference], length) if self.version == 3 else getter([reference])

    def step(self, t: float, h: float) -> None:
        self.fmu.doStep(t, h)

    def _accessor(self, kind: str) -> str:
        if kind == "Enumeration":
            return "Int64" if self.version == 3 else "Integer"
        return kind

    def _length(self, variable: Any) -> int:
        length = 1
        for dimension in variable.dimensions:
            length *= int(dimension.start) if dimension.start else self.get(dimension.variable.name)
        return length


def _correct_status_types(fmu: Any) -> None:
    """FMPy 0.3.32 takes the status of some FMI 1 functions for a string, and crashes when it is not OK."""
    for name in ("DoStep", "CancelStep", "TerminateSlave", "ResetSlave", "InitializeSlave"):
        fmu._functions[f"fmi1{name}"].restype = ctypes.c_int


def _message(arguments: tuple[Any, ...]) -> str:
    return " ".join(a.decode() for a in arguments if isinstance(a, bytes))


@pytest.fixture
def logs() -> list[str]:
    return []


@pytest.fixture
def open_unit(built: Path, logs: list[str]) -> Iterator[Callable[..., Unit]]:
    """`open_unit("Lag", 2)` instantiates; all are released at the end of the test."""
    units: list[Unit] = []

    def open_one(name: str, fmi: int, kind: str = "CoSimulation") -> Unit:
        units.append(Unit(built / f"fmi{fmi}" / f"{name}.fmu", kind, logs))
        return units[-1]

    yield open_one
    for unit in units:
        unit.fmu.freeInstance()
