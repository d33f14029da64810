"""Parameter sets, mappings and the bindings that apply them."""

from __future__ import annotations

from dataclasses import dataclass

from sspsim.structure.base import Entity, FileHeader, MetaData, Signature
from sspsim.structure.connection import Transformation
from sspsim.structure.types import Dimension, Enumeration, Scalar, TypeSpec, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(Entity):
    """A named value, or the values of an array in row-major order."""

    name: str
    type: TypeSpec
    values: tuple[Scalar, ...]
    dimensions: tuple[Dimension, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSet(Entity):
    """The content of an .ssv file."""

    version: str
    name: str
    parameters: tuple[Parameter, ...] = ()
    units: tuple[Unit, ...] = ()
    enumerations: tuple[Enumeration, ...] = ()
    meta_data: tuple[MetaData, ...] = ()
    signatures: tuple[Signature, ...] = ()
    header: FileHeader = FileHeader()


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingEntry(Entity):
    """Hands the parameter `source` on as `target`."""

    source: str
    target: str
    suppress_unit_conversion: bool = False
    transformation: Transformation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterMapping(Entity):
    """The content of an .ssm file."""

    version: str
    entries: tuple[MappingEntry, ...] = ()
    meta_data: tuple[MetaData, ...] = ()
    signatures: tuple[Signature, ...] = ()
    header: FileHeader = FileHeader()


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingReference(Entity):
    """The mapping of a binding: inline, or in a file."""

    type: str = "application/x-ssp-parameter-mapping"
    source: str | None = None
    source_base: str = "SSD"
    inline: ParameterMapping | None = None
    meta_data: tuple[MetaData, ...] = ()
    signatures: tuple[Signature, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterBinding(Entity):
    """Applies a parameter set, inline or in a file, to the element that carries it."""

    type: str = "application/x-ssp-parameter-set"
    source: str | None = None
    source_base: str = "SSD"
    prefix: str = ""
    inline: ParameterSet | None = None
    mapping: MappingReference | None = None
    meta_data: tuple[MetaData, ...] = ()
    signatures: tuple[Signature, ...] = ()
