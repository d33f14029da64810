"""Rules beyond the schema that one file can break on its own; codes are those of the catalogue.

Each rule is a function from a part of a document to findings; `check_…` applies all of them to a document.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

from sspsim.formats import ssb, ssd, ssm, ssv
from sspsim.formats.references import walk
from sspsim.formats.shape import Shape
from sspsim.structure.base import Entity, MetaData, Signature
from sspsim.structure.connection import Connector, Kind
from sspsim.structure.diagnostic import Diagnostic, Origin, error, warning
from sspsim.structure.dictionary import DictionaryDefinition, SignalDictionary
from sspsim.structure.parameters import (
    MappingReference,
    Parameter,
    ParameterBinding,
    ParameterMapping,
    ParameterSet,
)
from sspsim.structure.system import Component, Element, System, SystemStructure
from sspsim.structure.types import Dimension, Enumeration, Type, TypeSpec, Unit

Findings = Iterator[Diagnostic]
Named = Connector | Element | Parameter | Unit | Enumeration | DictionaryDefinition


def check_structure(structure: SystemStructure) -> list[Diagnostic]:
    """What an .ssd file breaks, with the sets, mappings and dictionaries within it."""
    elements = list(walk(structure.system))
    rules: list[Findings] = [
        newer_features(ssd.SYSTEM_STRUCTURE, structure),
        unique_definitions(structure.units, structure.enumerations),
        undefined_names(structure, _types_in(elements)),
        meta_data_sources(structure.meta_data, structure.signatures),
        unique_ids(_identified(structure)),
    ]
    rules += [_element(element) for element in elements]
    return list(chain.from_iterable(rules))


def check_parameters(parameters: ParameterSet) -> list[Diagnostic]:
    """What an .ssv file breaks."""
    types = [(parameter.type, parameter.origin) for parameter in parameters.parameters]
    return [
        *newer_features(ssv.PARAMETER_SET, parameters),
        *unique_definitions(parameters.units, parameters.enumerations),
        *undefined_names(parameters, types),
        *unique(parameters.parameters, "V18", "parameter"),
        *chain.from_iterable(map(parameter_values, parameters.parameters)),
        *meta_data_sources(parameters.meta_data, parameters.signatures),
        *unique_ids((parameters, *parameters.parameters, *parameters.units, *parameters.enumerations)),
    ]


def check_mapping(mapping: ParameterMapping) -> list[Diagnostic]:
    """What an .ssm file breaks.

    >>> from sspsim.structure import MappingEntry
    >>> twice = ParameterMapping(version="1.0", entries=(MappingEntry(source="a", target="b"),) * 2)
    >>> print(*check_mapping(twice))
    error[V18]: mapping target 'b' occurs 2 times (rename it)
    """
    return [
        *newer_features(ssm.PARAMETER_MAPPING, mapping),
        *repeated(((entry.target, entry.origin) for entry in mapping.entries), "V18", "mapping target"),
        *meta_data_sources(mapping.meta_data, mapping.signatures),
        *unique_ids((mapping, *mapping.entries)),
    ]


def check_dictionary(dictionary: SignalDictionary) -> list[Diagnostic]:
    """What an .ssb file breaks."""
    types = [(entry.type, entry.origin) for entry in dictionary.entries]
    names = ((entry.name, entry.origin) for entry in dictionary.entries)
    return [
        *newer_features(ssb.SIGNAL_DICTIONARY, dictionary),
        *unique_definitions(dictionary.units, dictionary.enumerations),
        *undefined_names(dictionary, types),
        *repeated(names, "V18", "dictionary entry"),
        *chain.from_iterable(fixed_dimensions(e.dimensions, e.name, e.origin) for e in dictionary.entries),
        *meta_data_sources(dictionary.meta_data, dictionary.signatures),
        *unique_ids((dictionary, *dictionary.entries, *dictionary.units, *dictionary.enumerations)),
    ]


def _element(element: Element) -> Findings:
    yield from unique(element.connectors, "V04", f"connector of {element.name!r}")
    for connector in element.connectors:
        yield from connector_sizes(connector, element)
        yield from connector_clocks(connector, element)
    for binding in element.bindings:
        yield from _binding(binding, element)
    yield from meta_data_sources(
        element.meta_data, element.signatures, bool(getattr(element, "source", None))
    )
    if isinstance(element, Component):
        yield from component_source(element)
    if isinstance(element, System):
        yield from _system(element)


def _system(system: System) -> Findings:
    yield from unique(system.elements, "V03", f"element of system {system.name!r}")
    yield from unique(system.dictionaries, "V03", f"signal dictionary of system {system.name!r}")
    yield from extents(system)
    for dictionary in system.dictionaries:
        yield from source_or_inline(dictionary, f"signal dictionary {dictionary.name!r}")
        yield from meta_data_sources(dictionary.meta_data, dictionary.signatures, bool(dictionary.source))
        if dictionary.inline:
            yield from check_dictionary(dictionary.inline)


def _binding(binding: ParameterBinding, element: Element) -> Findings:
    where = f"parameter binding of {element.name!r}"
    yield from source_or_inline(binding, where)
    yield from source_base(binding, element, where)
    yield from meta_data_sources(binding.meta_data, binding.signatures, bool(binding.source))
    if binding.inline:
        yield from check_parameters(binding.inline)
    if mapping := binding.mapping:
        yield from source_or_inline(mapping, f"mapping in the {where}")
        yield from source_base(mapping, element, f"mapping in the {where}")
        yield from meta_data_sources(mapping.meta_data, mapping.signatures, bool(mapping.source))
        if mapping.inline:
            yield from check_mapping(mapping.inline)


# Versions and names


def newer_features(
    shape: Shape, document: SystemStructure | ParameterSet | ParameterMapping | SignalDictionary
) -> Findings:
    """V02: a file of version 1.0 uses features of 2.0; one finding per feature, at its first place."""
    if not document.version.startswith("1."):
        return
    counts: Counter[str] = Counter()
    first: dict[str, Origin | None] = {}
    for what, origin in shape.newer_parts(document):
        counts[what] += 1
        first.setdefault(what, origin)
    for what, count in counts.items():
        times = f" ({count} times)" if count > 1 else ""
        message = f"{what} needs version 2.0, the file says {document.version}{times}"
        yield warning("V02", message, first[what], 'change the version to "2.0"')


def repeated(names: Iterable[tuple[str, Origin | None]], code: str, what: str) -> Findings:
    """Names that must be unique and are not."""
    places: dict[str, list[Origin | None]] = {}
    for name, origin in names:
        places.setdefault(name, []).append(origin)
    for name, (first, *others) in places.items():
        if others:
            message = f"{what} {name!r} occurs {1 + len(others)} times"
            yield error(code, f"{message}, first at {first}" if first else message, others[0], "rename it")


def unique(entities: Iterable[Named], code: str, what: str) -> Findings:
    """V03, V04, V18: names are unique and not empty."""
    entities = list(entities)
    for entity in entities:
        if not entity.name:
            yield error(code, f"{what} without a name", entity.origin, "give it one")
    yield from repeated(((entity.name, entity.origin) for entity in entities if entity.name), code, what)


def unique_ids(entities: Iterable[Entity]) -> Findings:
    """V01: an id occurs once in a file."""
    return repeated(((entity.id, entity.origin) for entity in entities if entity.id), "V01", "id")


def _identified(structure: SystemStructure) -> Iterator[Entity]:
    yield from (structure, *structure.units, *structure.enumerations)
    for element in walk(structure.system):
        yield from (element, *element.connectors, *element.bindings)
        if isinstance(element, System):
            yield from (*element.connections, *element.dictionaries)


# Units and enumerations


def unique_definitions(units: tuple[Unit, ...], enumerations: tuple[Enumeration, ...]) -> Findings:
    """V13: a file defines each unit and enumeration once."""
    yield from unique(units, "V13", "unit")
    yield from unique(enumerations, "V13", "enumeration")


def undefined_names(
    document: SystemStructure | ParameterSet | SignalDictionary,
    types: Iterable[tuple[TypeSpec, Origin | None]],
) -> Findings:
    """V13: units and enumerations that a file uses are defined in it; one finding per name."""
    units = {unit.name for unit in document.units}
    enumerations = {enumeration.name for enumeration in document.enumerations}
    for spec, origin in types:
        for kind, name, known in (
            ("unit", spec.unit, units),
            ("enumeration", spec.enumeration, enumerations),
        ):
            if name is not None and name not in known:
                known.add(name)
                yield warning(
                    "V13", f"{kind} {name!r} is not defined in this file", origin, "define it there"
                )


def _types_in(elements: Iterable[Element]) -> Iterator[tuple[TypeSpec, Origin | None]]:
    for element in elements:
        for connector in element.connectors:
            if connector.type:
                yield connector.type, connector.origin


# Sources


def source_or_inline(
    entity: ParameterBinding | MappingReference | DictionaryDefinition, what: str
) -> Findings:
    """V16: the content is either in a file or inline."""
    if entity.source and entity.inline:
        yield error(
            "V16", f"{what} has both a source and inline content", entity.origin, "remove one of them"
        )
    elif not entity.source and not entity.inline:
        yield error(
            "V16", f"{what} has neither a source nor inline content", entity.origin, "give one of them"
        )


def source_base(entity: ParameterBinding | MappingReference, element: Element, what: str) -> Findings:
    """V17: only what has a source can be the base of another."""
    if entity.source_base == "component" and not getattr(element, "source", None):
        message = f'{what}: sourceBase="component", but {element.name!r} has no source'
        yield error("V17", message, entity.origin, 'use sourceBase="SSD"')


def meta_data_sources(
    data: tuple[MetaData, ...],
    signatures: tuple[Signature, ...],
    has_resource: bool = False,
    within: bool = False,
) -> Findings:
    """V16, V17 for meta data and signatures; `within` meta data, signatures may be relative to them."""
    entries: tuple[MetaData | Signature, ...] = (*data, *signatures)
    for entry in entries:
        what = "meta data" if isinstance(entry, MetaData) else "signature"
        if bool(entry.source) == bool(entry.content):
            amount = "both a source and content" if entry.source else "neither a source nor content"
            yield error("V16", f"{what} with {amount}", entry.origin, "give exactly one of them")
        if entry.source_base == "resource" and not has_resource:
            yield error("V17", f'{what}: sourceBase="resource" where there is no resource', entry.origin)
        if entry.source_base == "metaData" and not within:
            yield error("V17", 'signature: sourceBase="metaData" outside of meta data', entry.origin)
        if isinstance(entry, MetaData):
            yield from meta_data_sources((), entry.signatures, has_resource, within=True)


def component_source(component: Component) -> Findings:
    """V30: a component without an implementation."""
    if not component.source:
        message = f"component {component.name!r} has no source: its outputs never have a value"
        yield warning("V30", message, component.origin, "give it a source")


# Arrays and clocks


def connector_sizes(connector: Connector, element: Element) -> Findings:
    """V21, V22: sizes of arrays are numbers, or connectors that are fixed before the run."""
    for dimension in connector.dimensions:
        if dimension.size is not None and dimension.size_connector is not None:
            message = f"connector {connector.name!r}: a dimension has both a size and a sizeConnector"
            yield error("V21", message, connector.origin, "remove one of them")
        if dimension.size_connector is None:
            continue
        kinds = {other.kind for other in element.connectors if other.name == dimension.size_connector}
        if not kinds & {Kind.STRUCTURAL_PARAMETER, Kind.CONSTANT}:
            message = (
                f"connector {connector.name!r}: its size is {dimension.size_connector!r}, "
                f"which is no structuralParameter or constant of {element.name!r}"
            )
            yield error("V22", message, connector.origin)


def connector_clocks(connector: Connector, element: Element) -> Findings:
    """V23: the clocks of a connector are clocks of the same element."""
    if not connector.clocks:
        return
    clocks = {
        other.name for other in element.connectors if other.type is None or other.type.type is Type.CLOCK
    }
    for clock in connector.clocks:
        if clock not in clocks:
            message = f"connector {connector.name!r}: {clock!r} is no clock of {element.name!r}"
            yield error("V23", message, connector.origin)


def fixed_dimensions(dimensions: tuple[Dimension, ...], name: str, origin: Origin | None) -> Findings:
    """V21: outside of system structures the size of a dimension is a number."""
    for dimension in dimensions:
        if dimension.size is None or dimension.size_connector is not None:
            yield error("V21", f"{name!r}: a dimension needs a size here, and only that", origin)


def parameter_values(parameter: Parameter) -> Findings:
    """V21: there are as many values as the dimensions say."""
    yield from fixed_dimensions(parameter.dimensions, parameter.name, parameter.origin)
    sizes = [dimension.size for dimension in parameter.dimensions if dimension.size is not None]
    if len(sizes) == len(parameter.dimensions) and len(parameter.values) != math.prod(sizes):
        message = (
            f"parameter {parameter.name!r} has {len(parameter.values)} values instead of {math.prod(sizes)}"
        )
        yield error("V21", message, parameter.origin)


# Geometry


def extents(system: System) -> Findings:
    """V28: corners are in order, and way points come in pairs."""
    canvas = system.system_geometry
    if canvas and (canvas.x1 >= canvas.x2 or canvas.y1 >= canvas.y2):
        yield warning("V28", f"the canvas of system {system.name!r} is empty or upside down", system.origin)
    for note in system.notes:
        if note.x1 >= note.x2 or note.y1 >= note.y2:
            yield warning("V28", "the extent of a note is empty or upside down", note.origin)
    for connection in system.connections:
        points = connection.geometry
        if points and len(points.points_x) != len(points.points_y):
            yield warning("V28", "pointsX and pointsY of a connection differ in length", connection.origin)
