"""A model as data: its .toml is the one source for the modelDescription.xml files and the C tables."""

from __future__ import annotations

import math
import re
import tomllib
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: type name (as in FMI 3) -> C type
C_TYPES = {
    "Float64": "double",
    "Float32": "float",
    "Int8": "int8_t",
    "UInt8": "uint8_t",
    "Int16": "int16_t",
    "UInt16": "uint16_t",
    "Int32": "int32_t",
    "UInt32": "uint32_t",
    "Int64": "int64_t",
    "UInt64": "uint64_t",
    "Boolean": "bool",
    "String": "char",
    "Binary": "Binary",
    "Enumeration": "Enumeration",
}

#: what FMI 1 and 2 call the types they have
OLD_TYPES = {
    "Float64": "Real",
    "Int32": "Integer",
    "Boolean": "Boolean",
    "String": "String",
    "Enumeration": "Enumeration",
}

#: section of the .toml -> causality
SECTIONS = {
    "inputs": "input",
    "structural": "structuralParameter",
    "parameters": "parameter",
    "states": "local",
    "outputs": "output",
    "indicators": "local",
}

_NAMESPACE = uuid.UUID("6f0d3a52-64a5-5d5b-8d0e-3f1c8a7a5b11")


@dataclass(frozen=True)
class Variable:
    """One variable; `member` is the C expression that follows `m->`."""

    name: str
    member: str
    reference: int
    causality: str
    type: str = "Float64"
    variability: str = "continuous"
    start: Any = None
    unit: str | None = None
    description: str | None = None
    enumeration: str | None = None
    dimensions: tuple[int | str, ...] = ()
    capacity: int = 1
    depends: tuple[str, ...] = ()
    derivative_of: str | None = None
    is_state: bool = False
    is_indicator: bool = False

    @property
    def is_known(self) -> bool:
        """Whether the value is given from outside or by integration, so that others may depend on it."""
        return self.is_state or self.causality in {"input", "independent"}

    def exists_in(self, fmi: int) -> bool:
        """Whether this FMI version can express the variable; those it cannot are left out of its description."""
        if fmi == 3:
            return True
        if self.causality == "independent":
            return fmi == 2
        return self.type in OLD_TYPES and not self.dimensions and self.causality != "structuralParameter"


@dataclass(frozen=True)
class Member:
    """A member of the C struct: one variable, a repeated one, or an internal value."""

    name: str
    declaration: str
    start: str | None = None
    saved: bool = True


@dataclass(frozen=True)
class Model:
    name: str
    source: Path
    files: tuple[Path, ...]
    description: str
    variables: tuple[Variable, ...]
    members: tuple[Member, ...]
    enumerations: dict[str, dict[str, int]]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def guid(self) -> str:
        return "{" + str(uuid.uuid5(_NAMESPACE, self.name)) + "}"

    def option(self, name: str, default: Any = False) -> Any:
        return self.options.get(name, default)

    def by_name(self) -> dict[str, Variable]:
        return {v.name: v for v in self.variables}

    @property
    def states(self) -> list[Variable]:
        return [v for v in self.variables if v.is_state]

    @property
    def derivatives(self) -> list[Variable]:
        return [v for v in self.variables if v.derivative_of]

    @property
    def indicators(self) -> list[Variable]:
        return [v for v in self.variables if v.is_indicator]


def read_model(path: Path) -> Model:
    """Read `<name>.toml`; `base` names another description that this one changes."""
    data, files = _load(path)
    reader = _Reader()
    reader.add_time()
    for section, causality in SECTIONS.items():
        for name, entry in data.pop(section, {}).items():
            reader.add(section, name, causality, entry)
    for name, declaration in data.pop("internal", {}).items():
        reader.members.append(Member(name, declaration.replace("$", name)))
    source = data.pop("source")
    return Model(
        name=data.pop("name"),
        source=source,
        files=(*files, source),
        description=data.pop("description"),
        variables=tuple(reader.variables),
        members=tuple(reader.members),
        enumerations=data.pop("enumerations", {}),
        options=data,
    )


def _load(path: Path) -> tuple[dict[str, Any], list[Path]]:
    """The merged content of a description and its bases, and the files it came from.

    The C file is the one named by `source`, else the one of the same name, else that of the base.
    """
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    own_source = path.with_name(data.get("source", f"{path.stem}.c"))
    merged: dict[str, Any] = {"source": own_source}
    files = [path]
    if "base" in data:
        merged, base_files = _load(path.with_name(data.pop("base") + ".toml"))
        files += base_files
        if own_source.exists():
            merged["source"] = own_source
    data.pop("source", None)
    return _merge(merged, data), files


def _merge(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for name, value in changes.items():
        both = isinstance(value, dict) and isinstance(base.get(name), dict)
        merged[name] = _merge(base[name], value) if both else value
    return merged


class _Reader:
    def __init__(self) -> None:
        self.variables: list[Variable] = []
        self.members: list[Member] = []
        self.groups: dict[str, list[str]] = {}

    def add_time(self) -> None:
        self.variables.append(
            Variable("time", "time", 0, "independent", unit="s", description="Simulation time")
        )

    def add(self, section: str, name: str, causality: str, entry: dict[str, Any]) -> None:
        entry = dict(entry)
        causality = entry.pop("causality", causality)
        saved = entry.pop("saved", True)
        repeat = entry.pop("repeat", None)
        slope = entry.pop("derivative", None)
        if section == "states" and slope is None:
            raise ValueError(f"state {name}: say what its derivative depends on")
        names = [f"{name}{i + 1}" for i in range(repeat)] if repeat else [name]
        members = [f"{name}[{i}]" for i in range(repeat)] if repeat else [name]
        self.groups[name] = names
        for one, member in zip(names, members, strict=True):
            self._variable(section, one, member, causality, entry)
        self._member(name, entry, repeat, saved)
        if section == "states":
            self._derivatives(name, entry.get("unit"), slope, repeat)

    def _derivatives(self, state: str, unit: str | None, depends: list[str], repeat: int | None) -> None:
        member = f"der_{state}"
        for i, name in enumerate(self.groups[state]):
            self.variables.append(
                Variable(
                    f"der({name})",
                    f"{member}[{i}]" if repeat else member,
                    len(self.variables),
                    "local",
                    unit=None if unit is None else f"{unit}/s",
                    depends=self._expand(depends),
                    derivative_of=name,
                )
            )
        self.members.append(Member(member, f"double {member}[{repeat}]" if repeat else f"double {member}"))

    def _variable(self, section: str, name: str, member: str, causality: str, entry: dict[str, Any]) -> None:
        entry = dict(entry)
        capacity = _capacity(entry)
        entry.pop("capacity", None)
        kind = entry.pop("type", "Float64")
        default = "discrete" if not kind.startswith("Float") else "continuous"
        if causality in {"parameter", "structuralParameter"}:
            default = "fixed"
        start = entry.pop("start", None)
        self.variables.append(
            Variable(
                name=name,
                member=member,
                reference=len(self.variables),
                causality=causality,
                type=kind,
                variability=entry.pop("variability", default),
                start=start,
                dimensions=tuple(entry.pop("dimensions", ())),
                capacity=capacity,
                depends=self._expand(entry.pop("depends", ())),
                is_state=section == "states",
                is_indicator=section == "indicators",
                **entry,
            )
        )

    def _member(self, name: str, entry: dict[str, Any], repeat: int | None, saved: bool) -> None:
        kind = entry.get("type", "Float64")
        is_array = repeat or "dimensions" in entry
        suffix = (
            "[STRING_CAPACITY]" if kind == "String" else f"[{repeat or _capacity(entry)}]" if is_array else ""
        )
        start = entry.get("start")
        if start is not None and repeat:
            start = [start] * repeat
        self.members.append(
            Member(
                name,
                f"{C_TYPES[kind]} {name}{suffix}",
                None if start is None else c_literal(kind, start),
                saved,
            )
        )

    def _expand(self, names: Any) -> tuple[str, ...]:
        """A repeated variable stands for all its elements."""
        return tuple(one for name in names for one in self.groups.get(name, [name]))


def _capacity(entry: dict[str, Any]) -> int:
    """The number of elements that the C member has room for."""
    return int(entry.get("capacity") or math.prod(entry.get("dimensions", ())))


def c_literal(kind: str, value: Any) -> str:
    """The value as a C initializer."""
    if isinstance(value, list):
        return "{" + ", ".join(c_literal(kind, one) for one in value) + "}"
    if kind == "Boolean":
        return "true" if value else "false"
    if kind == "String":
        return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
    if kind == "Binary":
        data = bytes.fromhex(value)
        return f"{{{len(data)}, {{{', '.join(map(hex, data))}}}}}"
    return repr(float(value)) if kind.startswith("Float") else repr(value)
