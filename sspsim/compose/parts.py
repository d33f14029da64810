"""The parts of a new system: FMUs and tables, each with a name of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sspsim.errors import InputError
from sspsim.fmi import table
from sspsim.fmi.description import Description, Variable
from sspsim.fmi.unpack import read_description
from sspsim.formats.container import open_container
from sspsim.graph.quantity import Quantity, of_variable
from sspsim.structure import BaseUnit, Severity, Unit
from sspsim.structure.system import CSV, FMU

# Tables and FMI 1 name units without defining them; these are understood.
COMMON_UNITS = {
    "degC": BaseUnit(K=1, offset=273.15),
    "K": BaseUnit(K=1),
    "s": BaseUnit(s=1),
    "min": BaseUnit(s=1, factor=60.0),
    "h": BaseUnit(s=1, factor=3600.0),
    "m": BaseUnit(m=1),
    "m/s": BaseUnit(m=1, s=-1),
    "Pa": BaseUnit(kg=1, m=-1, s=-2),
    "bar": BaseUnit(kg=1, m=-1, s=-2, factor=1e5),
    "J": BaseUnit(kg=1, m=2, s=-2),
    "kWh": BaseUnit(kg=1, m=2, s=-2, factor=3.6e6),
    "W": BaseUnit(kg=1, m=2, s=-3),
    "kW": BaseUnit(kg=1, m=2, s=-3, factor=1e3),
    "W/m2": BaseUnit(kg=1, s=-3),
    "kg/s": BaseUnit(kg=1, s=-1),
    "rad": BaseUnit(rad=1),
    "1": BaseUnit(),
    "%": BaseUnit(factor=0.01),
}


@dataclass(frozen=True)
class Part:
    """A component to be."""

    name: str
    file: Path
    media: str
    description: Description

    def variables(self, causality: str) -> list[Variable]:
        """Its inputs or outputs."""
        return [v for v in self.description.variables if v.causality == causality]

    def size_parameters(self) -> list[Variable]:
        """The structural parameters that decide how long its array inputs and outputs are."""
        ports = (v for causality in ("input", "output") for v in self.variables(causality))
        names = dict.fromkeys(size for v in ports for size in v.dimensions if isinstance(size, str))
        return [self.description.by_name[name] for name in names]

    def sizes(self, variable: Variable) -> tuple[Any, ...]:
        """The lengths of an array, as its parameters have it at the beginning."""
        return tuple(self._length(size) for size in variable.dimensions)

    def _length(self, size: int | str) -> Any:
        return size if isinstance(size, int) else (self.description.by_name[size].start or (size,))[0]

    def quantity(self, variable: Variable) -> Quantity:
        """Type and unit of a variable."""
        found = of_variable(variable, self.description)
        if found.unit and found.unit.base is None and found.unit.name in COMMON_UNITS:
            unit = Unit(name=found.unit.name, base=COMMON_UNITS[found.unit.name])
            return Quantity(found.type, unit, found.items, found.relative)
        return found


def read_parts(arguments: Iterable[str]) -> list[Part]:
    """From file names, or `name=file`; without a name the file's is taken, numbered where it occurs twice."""
    parts: list[Part] = []
    for argument in arguments:
        name, _, file = argument.rpartition("=")
        if Path(argument).is_file():  # a path may hold an equals sign itself
            name, file = "", argument
        path = Path(file)
        if not path.is_file():
            raise InputError(f"{path}: there is no such file")
        parts.append(_read_part(name or _free(path.stem, parts), path))
    names = [part.name for part in parts]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two parts are called {name!r}; give one of them another name (name=file)")
    return parts


def _free(stem: str, parts: Sequence[Part]) -> str:
    """A name from a file name: a dot would look like the separator of component and variable."""
    stem = re.sub(r"[^\w-]", "_", stem)
    taken = {part.name for part in parts}
    return next(
        name for name in (stem, *(f"{stem}{k}" for k in range(2, len(taken) + 3))) if name not in taken
    )


def _read_part(name: str, path: Path) -> Part:
    if path.suffix.lower() == ".fmu":
        with open_container(path) as container:
            description, _ = read_description(container)
        return Part(name, path, FMU, description)
    if path.suffix.lower() in (".csv", ".tsv"):
        read, findings = table.read(path.read_bytes(), str(path))
        described, more = table.describe(read, {})
        errors = [finding for finding in (*findings, *more) if finding.severity is Severity.ERROR]
        if errors:
            raise InputError(str(errors[0]))
        return Part(name, path, CSV, described)
    raise InputError(f"{path}: only .fmu and .csv files can be parts of a system")
