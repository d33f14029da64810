"""Parameter mappings (.ssm)."""

from __future__ import annotations

from sspsim.formats import document
from sspsim.formats.common import BASE, SUPPRESS, TRANSFORMATION, annotated, root
from sspsim.formats.shape import Shape, many, required
from sspsim.structure.diagnostic import Diagnostic
from sspsim.structure.parameters import MappingEntry, ParameterMapping

ENTRY = Shape(
    "ssm:MappingEntry",
    MappingEntry,
    (*BASE, required("source"), required("target"), SUPPRESS),
    (TRANSFORMATION, annotated("ssm")),
)
PARAMETER_MAPPING = root("ssm:ParameterMapping", ParameterMapping, (), many("entries", ENTRY))


def read(data: bytes, file: str) -> tuple[ParameterMapping, list[Diagnostic]]:
    """The mapping in the bytes of an .ssm file."""
    return document.read(PARAMETER_MAPPING, data, file)


def write(mapping: ParameterMapping) -> bytes:
    """The .ssm file of a mapping."""
    return PARAMETER_MAPPING.document(mapping)
