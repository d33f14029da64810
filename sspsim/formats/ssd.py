"""System structure descriptions (.ssd)."""

from __future__ import annotations

from typing import Any

from sspsim.formats import document
from sspsim.formats.common import (
    BASE,
    DIMENSIONS,
    META,
    SUPPRESS,
    TRANSFORMATION,
    always,
    annotated,
    definitions,
    root,
    type_choice,
)
from sspsim.formats.lexical import BOOLEAN, DOUBLE, UNSIGNED_LONG, enumerated, listed, one_of
from sspsim.formats.shape import Attribute, Child, Form, Shape, attribute, many, one, required
from sspsim.formats.ssb import SIGNAL_DICTIONARY
from sspsim.formats.ssm import PARAMETER_MAPPING
from sspsim.formats.ssv import PARAMETER_SET
from sspsim.structure.connection import Connection, Connector, Kind
from sspsim.structure.diagnostic import Diagnostic
from sspsim.structure.dictionary import DictionaryDefinition
from sspsim.structure.geometry import (
    ConnectionGeometry,
    ConnectorGeometry,
    ElementGeometry,
    Note,
    SystemGeometry,
)
from sspsim.structure.parameters import MappingReference, ParameterBinding
from sspsim.structure.system import FMU, Component, DictionaryReference, Experiment, System, SystemStructure

_EXTENT: tuple[Attribute, ...] = tuple(required(name, DOUBLE) for name in ("x1", "y1", "x2", "y2"))
_NAME = required("name", fallback="")
_KINDS_OF_2_0 = (Kind.STRUCTURAL_PARAMETER, Kind.CONSTANT, Kind.LOCAL, Kind.UNSPECIFIED)


def _is_given(value: Any) -> bool:
    return value is not None


CONNECTOR = Shape(
    "ssd:Connector",
    Connector,
    (
        *BASE,
        required("name"),
        required(
            "kind", enumerated(Kind), fallback=Kind.UNSPECIFIED, newer=lambda kind: kind in _KINDS_OF_2_0
        ),
    ),
    (
        type_choice(must=False),
        DIMENSIONS,
        many(
            "clocks",
            Shape("ssd:Clock", lambda name: name, (required("name", get=lambda name: name),), newer=always),
        ),
        one(
            "geometry",
            Shape(
                "ssd:ConnectorGeometry",
                ConnectorGeometry,
                (
                    required("x", DOUBLE),
                    required("y", DOUBLE),
                    attribute("systemInnerX", DOUBLE, field="system_inner_x", newer=_is_given),
                    attribute("systemInnerY", DOUBLE, field="system_inner_y", newer=_is_given),
                ),
                cosmetic=True,
            ),
        ),
        annotated("ssd"),
    ),
)

CONNECTION = Shape(
    "ssd:Connection",
    Connection,
    (
        *BASE,
        attribute("startElement", field="start_element", blank="V05"),
        required("startConnector", field="start_connector"),
        attribute("startIndices", listed(UNSIGNED_LONG), field="start_indices", default=(), newer=bool),
        attribute("endElement", field="end_element", blank="V05"),
        required("endConnector", field="end_connector"),
        attribute("endIndices", listed(UNSIGNED_LONG), field="end_indices", default=(), newer=bool),
        SUPPRESS,
    ),
    (
        TRANSFORMATION,
        one(
            "geometry",
            Shape(
                "ssd:ConnectionGeometry",
                ConnectionGeometry,
                (
                    required("pointsX", listed(DOUBLE), field="points_x"),
                    required("pointsY", listed(DOUBLE), field="points_y"),
                ),
                cosmetic=True,
            ),
        ),
        annotated("ssd"),
    ),
)

_SOURCE = attribute("source")
_SOURCE_BASE = attribute("sourceBase", one_of("SSD", "component"), field="source_base", default="SSD")

BINDING = Shape(
    "ssd:ParameterBinding",
    ParameterBinding,
    (
        *BASE,
        attribute("type", default="application/x-ssp-parameter-set", always=True),
        _SOURCE,
        _SOURCE_BASE,
        attribute("prefix", default=""),
    ),
    (
        one("inline", PARAMETER_SET, container="ssd:ParameterValues"),
        one(
            "mapping",
            Shape(
                "ssd:ParameterMapping",
                MappingReference,
                (
                    *BASE,
                    attribute("type", default="application/x-ssp-parameter-mapping", always=True),
                    _SOURCE,
                    _SOURCE_BASE,
                ),
                (one("inline", PARAMETER_MAPPING), *META),
            ),
        ),
        *META,
        annotated("ssd"),
    ),
)

_ELEMENT_GEOMETRY = Shape(
    "ssd:ElementGeometry",
    ElementGeometry,
    (
        *_EXTENT,
        attribute("rotation", DOUBLE, default=0.0),
        attribute("iconSource", field="icon_source"),
        attribute("iconRotation", DOUBLE, field="icon_rotation", default=0.0),
        attribute("iconFlip", BOOLEAN, field="icon_flip", default=False),
        attribute("iconFixedAspectRatio", BOOLEAN, field="icon_fixed_aspect_ratio", default=False),
    ),
    cosmetic=True,
)

_ELEMENT: tuple[Child, ...] = (
    many("connectors", CONNECTOR, container="ssd:Connectors"),
    one("geometry", _ELEMENT_GEOMETRY),
    many("bindings", BINDING, container="ssd:ParameterBindings"),
    *META,
)

COMPONENT = Shape(
    "ssd:Component",
    Component,
    (
        *BASE,
        _NAME,
        attribute("type", default=FMU, always=True),
        attribute("source", newer=lambda source: source is None),
        attribute(
            "implementation",
            one_of("any", "ModelExchange", "CoSimulation", "ScheduledExecution"),
            default="any",
            newer=lambda value: value == "ScheduledExecution",
        ),
    ),
    (*_ELEMENT, annotated("ssd")),
)

DICTIONARY_REFERENCE = Shape(
    "ssd:SignalDictionaryReference",
    DictionaryReference,
    (*BASE, _NAME, required("dictionary", fallback="")),
    (*_ELEMENT, annotated("ssd")),
)

DICTIONARY = Shape(
    "ssd:SignalDictionary",
    DictionaryDefinition,
    (
        *BASE,
        required("name"),
        attribute("type", default="application/x-ssp-signal-dictionary", always=True),
        _SOURCE,
    ),
    (one("inline", SIGNAL_DICTIONARY), *META),
)

_ELEMENTS: dict[Any, Form] = {Component: COMPONENT, DictionaryReference: DICTIONARY_REFERENCE}

SYSTEM = Shape(
    "ssd:System",
    System,
    (*BASE, _NAME),
    (
        *_ELEMENT,
        many("elements", _ELEMENTS, type, container="ssd:Elements"),
        many("connections", CONNECTION, container="ssd:Connections"),
        many("dictionaries", DICTIONARY, container="ssd:SignalDictionaries"),
        one("system_geometry", Shape("ssd:SystemGeometry", SystemGeometry, _EXTENT, cosmetic=True)),
        many(
            "notes",
            Shape("ssd:Note", Note, (*_EXTENT, required("text")), cosmetic=True),
            container="ssd:GraphicalElements",
        ),
        annotated("ssd"),
    ),
)
_ELEMENTS[System] = SYSTEM

_EXPERIMENT = Shape(
    "ssd:DefaultExperiment",
    Experiment,
    (attribute("startTime", DOUBLE, field="start"), attribute("stopTime", DOUBLE, field="stop")),
    (annotated("ssd"),),
)

SYSTEM_STRUCTURE = root(
    "ssd:SystemStructureDescription",
    SystemStructure,
    (_NAME,),
    one("system", SYSTEM, required=True),
    *definitions("ssd"),
    one("experiment", _EXPERIMENT),
)


def read(data: bytes, file: str) -> tuple[SystemStructure, list[Diagnostic]]:
    """The system structure in the bytes of an .ssd file."""
    return document.read(SYSTEM_STRUCTURE, data, file)


def write(structure: SystemStructure) -> bytes:
    """The .ssd file of a system structure."""
    return SYSTEM_STRUCTURE.document(structure)
