"""Packages: an .ssp archive, a folder, or a single .ssd file, with everything that can be reached from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from sspsim.errors import InputError
from sspsim.formats import ssb, ssd, ssm, ssv, xml
from sspsim.formats.container import ARCHIVE, Container, Folder, open_container
from sspsim.formats.sources import DEFAULT_DOCUMENT, Sources, media_type
from sspsim.structure.diagnostic import Diagnostic, Origin, error, warning
from sspsim.structure.dictionary import SignalDictionary
from sspsim.structure.parameters import ParameterMapping, ParameterSet
from sspsim.structure.system import SSD, SSP, Component, Element, System, SystemStructure

UNRESOLVED = "V26"
RECURSION = "V27"
Parsed = TypeVar("Parsed")


class Variant(NamedTuple):
    """One of the system structures at the top of a package."""

    file: str
    name: str


@dataclass(frozen=True)
class Package:
    """What was read, by location; files that are not part of the standard stay where they are."""

    path: Path
    root: str
    documents: dict[str, SystemStructure]
    parameter_sets: dict[str, ParameterSet] = field(default_factory=dict)
    mappings: dict[str, ParameterMapping] = field(default_factory=dict)
    dictionaries: dict[str, SignalDictionary] = field(default_factory=dict)
    variants: tuple[Variant, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    sources: Sources = field(repr=False, compare=False, kw_only=True)

    @property
    def structure(self) -> SystemStructure:
        """The chosen system structure."""
        return self.documents[self.root]

    def resolve(self, document: str, source: str, type: str = "") -> str:
        """The location that a URI in a document stands for; raises an InputError if there is nothing."""
        return self.sources.resolve(document, source, type)

    def resolve_inside(self, document: str, component: Component, source: str) -> str:
        """The location of a file inside a component's resource (sourceBase="component")."""
        if not component.source:
            raise InputError(f"{source!r} cannot be inside component {component.name!r}, which has no source")
        return self.sources.inside(self.resolve(document, component.source, component.type), source)

    def read_bytes(self, location: str) -> bytes:
        """The content of a file of the package."""
        return self.sources.read(location)

    def open_container(self, location: str) -> Container:
        """The archive at a location, such as an FMU, also one within a nested archive; the caller closes it."""
        return self.sources.open_container(location)


def read(path: str | Path, variant: str | None = None, *, allow_parent: bool = False) -> Package:
    """Reads an .ssp archive, a folder with a SystemStructure.ssd, or an .ssd file.

    `variant` chooses another system structure by its file name or its name. References out of the folder of a system
    are only followed if `allow_parent` says so, and never out of an archive.
    """
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder")
    single = path.suffix.lower() == ".ssd" and path.is_file()
    base = path.parent if single else path
    sources = Sources(lambda: open_container(base), allow_parent=allow_parent)
    with sources.session():
        reader = _Reader(sources)
        if single:
            if variant is not None:
                raise InputError(f"{path}: a variant can only be chosen in an archive or a folder")
            root = path.name
        else:
            root = reader.choose(variant)
        reader.document(root, None)
        return Package(
            path,
            root,
            reader.documents,
            reader.parameter_sets,
            reader.mappings,
            reader.dictionaries,
            tuple(reader.variants) or (Variant(root, reader.documents[root].name),),
            tuple(reader.diagnostics),
            sources=sources,
        )


class _Reader:
    """Reads a document and everything that it refers to, each file once."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.documents: dict[str, SystemStructure] = {}
        self.parameter_sets: dict[str, ParameterSet] = {}
        self.mappings: dict[str, ParameterMapping] = {}
        self.dictionaries: dict[str, SignalDictionary] = {}
        self.variants: list[Variant] = []
        self.diagnostics: list[Diagnostic] = list(sources.container("").diagnostics)

    def choose(self, variant: str | None) -> str:
        """The file of the wanted variant, after listing all of them."""
        container = self.sources.container("")
        where = Origin(container.label)
        for name in _top_level(container):
            try:
                attributes = xml.root_attributes(container.read(name, xml.MAX_BYTES), name)
                self.variants.append(Variant(name, attributes.get("name", "")))
            except InputError as problem:
                self.diagnostics.append(warning(ARCHIVE, f"a variant cannot be read: {problem}", where))
                self.variants.append(Variant(name, ""))
        files = [entry.file for entry in self.variants]
        if DEFAULT_DOCUMENT not in files:
            self.diagnostics.append(error(ARCHIVE, f"there is no {DEFAULT_DOCUMENT}", where))
        if variant is None:
            if DEFAULT_DOCUMENT in files:
                return DEFAULT_DOCUMENT
            if len(files) == 1:
                return files[0]
            raise InputError(
                f"{container.label}: there is no {DEFAULT_DOCUMENT}"
                + (
                    f"; choose one of the variants {', '.join(files)}"
                    if files
                    else "; this is no SSP package"
                )
            )
        for entry in self.variants:
            if variant in (entry.file, entry.name):
                return entry.file
        known = ", ".join(f"{entry.file} ({entry.name})" for entry in self.variants)
        raise InputError(f"{container.label}: there is no variant {variant!r}; there are {known or 'none'}")

    def document(self, location: str, origin: Origin | None) -> None:
        """Reads a system structure and what it refers to."""
        structure = self.parsed(location, self.documents, ssd.read, origin)
        if structure:
            self.references(location, structure.system)

    def parsed(
        self,
        location: str,
        known: dict[str, Parsed],
        read: Callable[[bytes, str], tuple[Parsed, list[Diagnostic]]],
        origin: Origin | None,
    ) -> Parsed | None:
        """Reads a file, unless it is known; problems are only fatal without anything that refers to it."""
        if location in known:
            return None
        try:
            data = self.sources.read(location, xml.MAX_BYTES)
            value, diagnostics = read(data, self.sources.label(location))
        except InputError as problem:
            if origin is None:
                raise
            self.diagnostics.append(error("V01", str(problem), origin))
            return None
        known[location] = value
        self.diagnostics += diagnostics
        return value

    def references(self, document: str, element: Element) -> None:
        """Reads what an element and those below it refer to."""
        for binding in element.bindings:
            base = (element, binding.source_base)
            self.file(document, base, binding.source, self.parameter_sets, ssv.read, binding.origin)
            if mapping := binding.mapping:
                base = (element, mapping.source_base)
                self.file(document, base, mapping.source, self.mappings, ssm.read, mapping.origin)
        if isinstance(element, Component):
            self.component(document, element)
        elif isinstance(element, System):
            for dictionary in element.dictionaries:
                base = (element, "SSD")
                self.file(document, base, dictionary.source, self.dictionaries, ssb.read, dictionary.origin)
            for inner in element.elements:
                self.references(document, inner)

    def file(
        self,
        document: str,
        base: tuple[Element, str],
        source: str | None,
        known: dict[str, Parsed],
        read: Callable[[bytes, str], tuple[Parsed, list[Diagnostic]]],
        origin: Origin | None,
    ) -> None:
        """Reads the parameter set, mapping or dictionary that a source leads to."""
        if not source:
            return
        try:
            location = self.locate(document, base, source)
        except InputError as problem:
            self.diagnostics.append(error(UNRESOLVED, str(problem), origin))
        else:
            self.parsed(location, known, read, origin)

    def locate(self, document: str, base: tuple[Element, str], source: str) -> str:
        """The location of a source, relative to the document or inside the component."""
        element, source_base = base
        if source_base != "component":
            return self.sources.resolve(document, source)
        if not isinstance(element, Component) or not element.source:
            raise InputError(f"{source!r} cannot be inside {element.name!r}, which has no source")
        return self.sources.inside(self.sources.resolve(document, element.source, element.type), source)

    def component(self, document: str, component: Component) -> None:
        """Checks that the source of a component exists, and reads it if it is a system structure."""
        if not component.source:
            return
        try:
            location = self.sources.resolve(document, component.source, component.type)
        except InputError as problem:
            self.diagnostics.append(
                warning(UNRESOLVED, f"component {component.name!r}: {problem}", component.origin)
            )
            return
        if media_type(component.type, component.source) in (SSD, SSP):
            self.document(location.partition("#")[0], component.origin)


def _top_level(container: Container) -> list[str]:
    if isinstance(container, Folder):
        names = [path.name for path in container.path.glob("*.ssd") if path.is_file()]
    else:
        names = [name for name in container.names() if "/" not in name]
    return sorted(name for name in names if name.lower().endswith(".ssd"))
