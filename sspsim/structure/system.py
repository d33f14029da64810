"""Systems, their elements, and the document that holds the outermost one."""

from __future__ import annotations

from dataclasses import dataclass

from sspsim.structure.base import Annotation, Entity, FileHeader, MetaData, Signature
from sspsim.structure.connection import Connection, Connector
from sspsim.structure.dictionary import DictionaryDefinition
from sspsim.structure.geometry import ElementGeometry, Note, SystemGeometry
from sspsim.structure.parameters import ParameterBinding
from sspsim.structure.types import Enumeration, Unit

FMU = "application/x-fmu-sharedlibrary"
SSD = "application/x-ssp-definition"
SSP = "application/x-ssp-package"
CSV = "text/csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Element(Entity):
    """What systems, components and dictionary references have in common."""

    name: str
    connectors: tuple[Connector, ...] = ()
    geometry: ElementGeometry | None = None
    bindings: tuple[ParameterBinding, ...] = ()
    meta_data: tuple[MetaData, ...] = ()
    signatures: tuple[Signature, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Component(Element):
    """A leaf: an FMU, another system structure, a table, or nothing yet (no source)."""

    type: str = FMU
    source: str | None = None
    implementation: str = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryReference(Element):
    """A window on the entries of a signal dictionary."""

    dictionary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class System(Element):
    """Elements and the connections between them."""

    elements: tuple[System | Component | DictionaryReference, ...] = ()
    connections: tuple[Connection, ...] = ()
    dictionaries: tuple[DictionaryDefinition, ...] = ()
    system_geometry: SystemGeometry | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Experiment:
    """The default experiment: when to start and to stop."""

    start: float | None = None
    stop: float | None = None
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemStructure(Entity):
    """The content of an .ssd file."""

    version: str
    name: str
    system: System
    units: tuple[Unit, ...] = ()
    enumerations: tuple[Enumeration, ...] = ()
    experiment: Experiment | None = None
    meta_data: tuple[MetaData, ...] = ()
    signatures: tuple[Signature, ...] = ()
    header: FileHeader = FileHeader()
