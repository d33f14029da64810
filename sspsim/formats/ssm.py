"""Parameter mappings (.ssm)."""

from __future__ import annotations

from sspsim.formats import document
from sspsim.formats.common import (
    BASE,
    HEADER,
    HEADER_GROUP,
    META,
    SUPPRESS,
    TRANSFORMATION,
    VERSION,
    annotated,
)
from sspsim.formats.shape import Shape, many, required
from sspsim.structure.diagnostic import Diagnostic
from sspsim.structure.parameters import MappingEntry, ParameterMapping

ENTRY = Shape(
    "ssm:MappingEntry",
    MappingEntry,
    (*BASE, required("source"), required("target"), SUPPRESS),
    (TRANSFORMATION, annotated("ssm")),
)
PARAMETER_MAPPING = Shape(
    "ssm:ParameterMapping",
    ParameterMapping,
    (VERSION, *BASE, *HEADER),
    (many("entries", ENTRY), *META, annotated("ssm")),
    groups=HEADER_GROUP,
    root=True,
)


def read(data: bytes, file: str) -> tuple[ParameterMapping, list[Diagnostic]]:
    """The mapping in the bytes of an .ssm file."""
    return document.read(PARAMETER_MAPPING, data, file)


def write(mapping: ParameterMapping) -> bytes:
    """The .ssm file of a mapping."""
    return PARAMETER_MAPPING.document(mapping)
