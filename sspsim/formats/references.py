"""What a system structure refers to: all URIs in a document, each with what it is for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from sspsim.structure.base import MetaData, Signature
from sspsim.structure.diagnostic import Origin
from sspsim.structure.system import Component, Element, System, SystemStructure


class Use(Enum):
    """What a reference is for."""

    COMPONENT = auto()
    PARAMETERS = auto()
    MAPPING = auto()
    DICTIONARY = auto()
    ICON = auto()
    META_DATA = auto()


@dataclass(frozen=True, slots=True)
class Reference:
    """A URI in a document; `inside` says that it is relative to the resource of its owner."""

    use: Use
    source: str
    type: str = ""
    owner: Element | None = None
    inside: bool = False
    origin: Origin | None = None


def walk(element: Element) -> Iterator[Element]:
    """An element and all those within it, outer before inner."""
    yield element
    if isinstance(element, System):
        for inner in element.elements:
            yield from walk(inner)


def references(structure: SystemStructure) -> Iterator[Reference]:
    """All references of a document that are not empty, in its order."""
    for reference in _all(structure):
        if reference.source:
            yield reference


def _all(structure: SystemStructure) -> Iterator[Reference]:
    yield from _meta(structure.meta_data, structure.signatures)
    for element in walk(structure.system):
        yield from _of_element(element)


def _of_element(element: Element) -> Iterator[Reference]:
    if isinstance(element, Component):
        yield Reference(Use.COMPONENT, element.source or "", element.type, element, origin=element.origin)
    yield from _of_bindings(element)
    if element.geometry:
        yield Reference(Use.ICON, element.geometry.icon_source or "", owner=element, origin=element.origin)
    yield from _meta(element.meta_data, element.signatures)
    if isinstance(element, System):
        for entry in element.dictionaries:
            yield Reference(Use.DICTIONARY, entry.source or "", entry.type, element, origin=entry.origin)
            yield from _meta(entry.meta_data, entry.signatures)


def _of_bindings(element: Element) -> Iterator[Reference]:
    for binding in element.bindings:
        inside = binding.source_base == "component"
        source = binding.source or ""
        yield Reference(Use.PARAMETERS, source, binding.type, element, inside, binding.origin)
        yield from _meta(binding.meta_data, binding.signatures)
        if mapping := binding.mapping:
            inside = mapping.source_base == "component"
            yield Reference(Use.MAPPING, mapping.source or "", mapping.type, element, inside, mapping.origin)
            yield from _meta(mapping.meta_data, mapping.signatures)


def _meta(data: tuple[MetaData, ...], signatures: tuple[Signature, ...]) -> Iterator[Reference]:
    """Meta data and signatures in files beside the document, not those relative to something else."""
    entries: tuple[MetaData | Signature, ...] = (*data, *signatures)
    for entry in entries:
        if entry.source_base == "file":
            yield Reference(Use.META_DATA, entry.source or "", entry.type, origin=entry.origin)
        if isinstance(entry, MetaData):
            yield from _meta((), entry.signatures)
