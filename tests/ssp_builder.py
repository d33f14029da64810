"""Builds .ssp files from terse descriptions, so that tests show what they are about.

package = Ssp(tmp_path / "a.ssp")
package.ssd(
    system(
        connectors("in:input:Real[degC]", "out:output"),
        component("a", fmu, "u:input", "y:output"),
        connection("in -> a.u", factor=2.0),
    ),
    units=UNITS,
)
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sspsim.formats import ssb, ssd, ssm, ssv
from sspsim.structure import (
    BaseUnit,
    Component,
    Connection,
    Connector,
    DictionaryDefinition,
    DictionaryEntry,
    DictionaryReference,
    Dimension,
    Element,
    Enumeration,
    EnumerationItem,
    Experiment,
    Kind,
    LinearTransformation,
    MappingEntry,
    MappingReference,
    Parameter,
    ParameterBinding,
    ParameterMapping,
    ParameterSet,
    SignalDictionary,
    System,
    SystemStructure,
    Type,
    TypeSpec,
    Unit,
)

UNITS = (
    Unit(name="K", base=BaseUnit(K=1)),
    Unit(name="degC", base=BaseUnit(K=1, offset=273.15)),
    Unit(name="degF", base=BaseUnit(K=1, factor=5 / 9, offset=459.67 * 5 / 9)),
    Unit(name="W", base=BaseUnit(kg=1, m=2, s=-3)),
    Unit(name="kW", base=BaseUnit(kg=1, m=2, s=-3, factor=1000.0)),
    Unit(name="s", base=BaseUnit(s=1)),
    Unit(name="min", base=BaseUnit(s=1, factor=60.0)),
    Unit(name="rpm", base=BaseUnit(s=-1, rad=1, factor=0.1047)),
    Unit(name="1/s", base=BaseUnit(s=-1)),
)
COLOURS = Enumeration(
    name="Colours", items=tuple(EnumerationItem(n, v) for n, v in (("red", 1), ("green", 2), ("blue", 3)))
)
LIGHTS = Enumeration(
    name="Lights", items=tuple(EnumerationItem(n, v) for n, v in (("stop", 10), ("go", 20), ("blue", 3)))
)

_TYPE = r"(?P<type>\w+)?(\[(?P<unit>[^\]]*)\])?(\{(?P<size>[^}]*)\})?"
_CONNECTOR = re.compile(rf"(?P<name>.+?):(?P<kind>\w+)(:{_TYPE})?$")


def connector(text: str) -> Connector:
    """`name:kind`, `name:kind:Type`, `name:kind:Real[unit]{3,2}`, `name:kind:Enumeration[Colours]`."""
    match = _CONNECTOR.match(text)
    assert match, text
    return Connector(
        name=match["name"],
        kind=Kind(match["kind"]),
        type=_spec(match["type"] or "Real", match["unit"]) if match["type"] or match["unit"] else None,
        dimensions=_dimensions(match["size"]),
    )


def _spec(kind: str, word: str | None) -> TypeSpec:
    if kind == "Enumeration":
        return TypeSpec(Type.ENUMERATION, enumeration=word)
    return TypeSpec(Type(kind), unit=word)


def _dimensions(text: str | None) -> tuple[Dimension, ...]:
    parts = text.split(",") if text else []
    return tuple(
        Dimension(size=int(p)) if p.isdigit() else Dimension(size_connector=p or None) for p in parts
    )


def connection(text: str, *, factor: float | None = None, offset: float = 0.0, **others: Any) -> Connection:
    """`a.y -> b.u`, or `a/y -> b/u` where names have dots; without an element it is the system's own."""
    start, end = (_end(part) for part in text.split(" -> "))
    if factor is not None:
        others["transformation"] = LinearTransformation(factor, offset)
    return Connection(
        start_element=start[0], start_connector=start[1], end_element=end[0], end_connector=end[1], **others
    )


def _end(text: str) -> tuple[str | None, str]:
    element, dot, name = text.partition("/") if "/" in text else text.rpartition(".")
    return (element or None if dot else None), name


def component(name: str, source: str | Path | None, *connectors: str, **others: Any) -> Component:
    """A component; a path to a file is put into `resources` under its own name."""
    if isinstance(source, Path):
        source = f"resources/{source.parent.name}_{source.name}"
    return Component(name=name, source=source, connectors=tuple(map(connector, connectors)), **others)


def fmu_file(fmu: Path) -> tuple[str, Path]:
    """Where `component` expects an FMU."""
    return f"resources/{fmu.parent.name}_{fmu.name}", fmu


def reference(name: str, dictionary: str, *connectors: str) -> DictionaryReference:
    """A window on a signal dictionary."""
    return DictionaryReference(name=name, dictionary=dictionary, connectors=tuple(map(connector, connectors)))


def dictionary(name: str, *entries: str, units: Iterable[Unit] = UNITS) -> DictionaryDefinition:
    """An inline signal dictionary with entries like `name:Real[unit]`."""
    content = []
    for entry in entries:
        made = connector(entry.replace(":", ":inout:", 1))
        assert made.type
        content.append(DictionaryEntry(name=made.name, type=made.type, dimensions=made.dimensions))
    inline = SignalDictionary(version="1.0", entries=tuple(content), units=tuple(units))
    return DictionaryDefinition(name=name, inline=inline)


def system(
    *elements: Element | Connection | DictionaryDefinition | str, name: str = "root", **others: Any
) -> System:
    """A system of elements, connections, dictionaries, and connectors as strings."""
    return System(
        name=name,
        connectors=tuple(connector(e) for e in elements if isinstance(e, str)),
        elements=tuple(e for e in elements if isinstance(e, System | Component | DictionaryReference)),
        connections=tuple(e for e in elements if isinstance(e, Connection)),
        dictionaries=tuple(e for e in elements if isinstance(e, DictionaryDefinition)),
        **others,
    )


def values(parameters: Mapping[str, Any], *, units: Iterable[Unit] = UNITS) -> ParameterSet:
    """A parameter set: `{"k": 2.0, "T": (20.0, "degC"), "on": True, "colour": Item("red")}`."""
    return ParameterSet(
        version="2.0",
        name="values",
        parameters=tuple(_parameter(name, value) for name, value in parameters.items()),
        units=tuple(units),
    )


class Item(str):
    """The name of an enumeration's item."""


def _parameter(name: str, value: Any) -> Parameter:
    unit = None
    if isinstance(value, tuple) and isinstance(value[-1], str) and not isinstance(value[-1], Item):
        *numbers, unit = value
        value = numbers if len(numbers) > 1 else numbers[0]
    scalars = value if isinstance(value, list | tuple) else [value]
    first = scalars[0]
    kinds = ((bool, Type.BOOLEAN), (int, Type.INTEGER), (float, Type.REAL), (Item, Type.ENUMERATION))
    kind = next(
        (t for c, t in kinds if isinstance(first, c)),
        Type.BINARY if isinstance(first, bytes) else Type.STRING,
    )
    if kind is Type.INTEGER and not all(-(2**31) <= number < 2**31 for number in scalars):
        kind = Type.INT64
    dimensions = (Dimension(size=len(scalars)),) if isinstance(value, list | tuple) else ()
    texts = tuple(str(s) if isinstance(s, Item) else s for s in scalars)
    return Parameter(name=name, type=TypeSpec(kind, unit=unit), values=texts, dimensions=dimensions)


def binding(
    parameters: Mapping[str, Any] | str,
    *,
    prefix: str = "",
    mapping: Iterable[MappingEntry] | str | None = None,
    source_base: str = "SSD",
) -> ParameterBinding:
    """A binding of values, or of a file with values; so is the mapping."""
    reference = None
    if isinstance(mapping, str):
        reference = MappingReference(source=mapping)
    elif mapping is not None:
        reference = MappingReference(inline=ParameterMapping(version="1.0", entries=tuple(mapping)))
    if isinstance(parameters, str):
        return ParameterBinding(source=parameters, source_base=source_base, prefix=prefix, mapping=reference)
    return ParameterBinding(inline=values(parameters), prefix=prefix, mapping=reference)


def mapped(
    source: str, target: str, *, factor: float | None = None, offset: float = 0.0, **others: Any
) -> MappingEntry:
    """An entry of a mapping."""
    if factor is not None:
        others["transformation"] = LinearTransformation(factor, offset)
    return MappingEntry(source=source, target=target, **others)


def structure(
    root: System, *, version: str = "2.0", stop: float | None = 1.0, name: str = "test", **others: Any
) -> SystemStructure:
    """A document with all units and enumerations of the tests."""
    return SystemStructure(
        version=version,
        name=name,
        system=root,
        units=others.pop("units", UNITS),
        enumerations=others.pop("enumerations", (COLOURS, LIGHTS)),
        experiment=Experiment(start=0.0, stop=stop),
        **others,
    )


Content = bytes | str | Path | SystemStructure | ParameterSet | ParameterMapping | SignalDictionary


def content_of(content: Content) -> bytes:
    """The bytes of a file."""
    writers = (
        (SystemStructure, ssd.write),
        (ParameterSet, ssv.write),
        (ParameterMapping, ssm.write),
        (SignalDictionary, ssb.write),
    )
    for kind, write in writers:
        if isinstance(content, kind):
            return write(content)
    if isinstance(content, Path):
        return content.read_bytes()
    return content.encode() if isinstance(content, str) else content


def pack(
    path: Path, root: System | SystemStructure | bytes, files: Mapping[str, Content] | None = None
) -> Path:
    """Writes an archive: its system structure and other files by name; FMUs are given as paths."""
    made = structure(root) if isinstance(root, System) else root
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("SystemStructure.ssd", content_of(made))
        for name, content in (files or {}).items():
            archive.writestr(name, content_of(content))
    return path


def files_for(*fmus: Path) -> dict[str, Path]:
    """FMUs under the names that `component` gives them."""
    return dict(map(fmu_file, fmus))
