"""Puts parts and matches together: the structure of a system, ready to be written."""

from __future__ import annotations

from collections.abc import Sequence

from sspsim.compose.matching import Matching
from sspsim.compose.parts import Part
from sspsim.compose.placing import around, columns, place, ports_at
from sspsim.fmi.description import Variable
from sspsim.formats import ssp
from sspsim.structure import (
    Component,
    Connection,
    Connector,
    ConnectorGeometry,
    Dimension,
    Enumeration,
    EnumerationItem,
    Experiment,
    Kind,
    System,
    SystemStructure,
    Type,
    TypeSpec,
    Unit,
)

KINDS = {"input": Kind.INPUT, "output": Kind.OUTPUT}
FIRST_TYPES = {Type.REAL, Type.INTEGER, Type.BOOLEAN, Type.STRING, Type.ENUMERATION, Type.BINARY}


def compose(name: str, parts: Sequence[Part], matching: Matching) -> ssp.Package:
    """A package in memory with the parts as its resources."""
    files = {f"resources/{_file_name(part, parts)}": part.file for part in parts}
    return ssp.new_package(structure(name, parts, matching), files)


def structure(name: str, parts: Sequence[Part], matching: Matching) -> SystemStructure:
    """The system structure: components with all their inputs and outputs, connections, units, places."""
    edges = [(m.source.part, m.target.part) for m in matching.matches]
    rows = {part.name: max(len(part.variables(kind)) for kind in KINDS) for part in parts}
    boxes = place(columns([part.name for part in parts], edges), rows)
    elements = tuple(
        Component(
            name=part.name,
            type=part.media,
            source=f"resources/{_file_name(part, parts)}",
            connectors=_connectors(part),
            geometry=boxes[part.name],
        )
        for part in parts
    )
    connections = tuple(
        Connection(
            start_element=m.source.part,
            start_connector=m.source.variable.name,
            end_element=m.target.part,
            end_connector=m.target.variable.name,
        )
        for m in matching.matches
    )
    system = System(
        name=name, elements=elements, connections=connections, system_geometry=around(boxes.values())
    )
    return SystemStructure(
        version=_version(parts),
        name=name,
        system=system,
        units=_units(parts),
        enumerations=_enumerations(parts),
        experiment=_experiment(parts),
    )


def _file_name(part: Part, parts: Sequence[Part]) -> str:
    """Its own, unless two different files have the same."""
    others = {other.file.resolve() for other in parts if other.file.name == part.file.name}
    return part.file.name if len(others) == 1 else f"{part.name}-{part.file.name}"


def _connectors(part: Part) -> tuple[Connector, ...]:
    found: list[Connector] = []
    for causality, x in (("input", 0.0), ("output", 1.0)):
        variables = part.variables(causality)
        places = ports_at(x, len(variables))
        found += [_connector(part, v, KINDS[causality], at) for v, at in zip(variables, places, strict=True)]
    found += [_connector(part, v, Kind.STRUCTURAL_PARAMETER) for v in part.size_parameters()]
    return tuple(found)


def _connector(part: Part, variable: Variable, kind: Kind, at: ConnectorGeometry | None = None) -> Connector:
    unit = part.quantity(variable).unit
    unit_name = unit.name if unit and unit.base else None
    return Connector(
        name=variable.name,
        kind=kind,
        type=TypeSpec(variable.type, unit=unit_name, enumeration=variable.enumeration),
        dimensions=tuple(
            Dimension(size=d) if isinstance(d, int) else Dimension(size_connector=d)
            for d in variable.dimensions
        ),
        description=variable.description or None,
        geometry=at,
    )


def _visible(part: Part) -> list[Variable]:
    return [v for kind in KINDS for v in part.variables(kind)]


def _version(parts: Sequence[Part]) -> str:
    """SSP 1 has no types of FMI 3 and no arrays."""
    new = any(v.type not in FIRST_TYPES or v.dimensions for part in parts for v in _visible(part))
    return "2.0" if new else "1.0"


def _units(parts: Sequence[Part]) -> tuple[Unit, ...]:
    """Those of connectors, as far as they are defined: SSP does not allow a mere name."""
    units = (part.quantity(variable).unit for part in parts for variable in _visible(part))
    return tuple({unit.name: unit for unit in units if unit and unit.base}.values())


def _enumerations(parts: Sequence[Part]) -> tuple[Enumeration, ...]:
    found: dict[str, Enumeration] = {}
    for part in parts:
        for variable in _visible(part):
            if name := variable.enumeration:
                items = part.description.enumerations.get(name, ())
                found.setdefault(
                    name, Enumeration(name=name, items=tuple(EnumerationItem(n, value) for n, value in items))
                )
    return tuple(found.values())


def _experiment(parts: Sequence[Part]) -> Experiment:
    stops = [part.description.stop_time for part in parts if part.description.stop_time is not None]
    starts = [part.description.start_time for part in parts if part.description.start_time is not None]
    return Experiment(min(starts, default=0.0), max(stops, default=None))
