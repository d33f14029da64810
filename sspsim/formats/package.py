"""A package as it is in memory, and how it is read with everything that it leads to."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sspsim.errors import InputError
from sspsim.formats import ssb, ssd, ssm, ssv, xml
from sspsim.formats.container import ARCHIVE, Container, Folder, Memory, open_container
from sspsim.formats.references import Reference, Use, references
from sspsim.formats.refusal import findings_of, refusal
from sspsim.formats.sources import DEFAULT_DOCUMENT, Session, Sources, media_type, split
from sspsim.structure.diagnostic import Diagnostic, Origin, error, warning
from sspsim.structure.dictionary import SignalDictionary
from sspsim.structure.parameters import ParameterMapping, ParameterSet
from sspsim.structure.system import SSD, SSP, Component, SystemStructure

UNRESOLVED = "V26"
Document = SystemStructure | ParameterSet | ParameterMapping | SignalDictionary

READERS: dict[Use, Callable[[bytes, str], tuple[Any, list[Diagnostic]]]] = {
    Use.COMPONENT: ssd.read,
    Use.PARAMETERS: ssv.read,
    Use.MAPPING: ssm.read,
    Use.DICTIONARY: ssb.read,
}


class Variant(NamedTuple):
    """One of the system structures at the top of a package."""

    file: str
    name: str


@dataclass(frozen=True)
class Package:
    """What was read, by location; all other files stay where they are."""

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
        with self.sources.session() as session:
            return session.resolve(document, source, type)

    def locate(self, document: str, reference: Reference) -> str:
        """The location of a reference in a document, also of one relative to its component."""
        with self.sources.session() as session:
            return locate(session, document, reference)

    def read_bytes(self, location: str) -> bytes:
        """The content of a file of the package."""
        with self.sources.session() as session:
            return session.read(location)

    def place(self, location: str) -> str:
        """Where a file of the package is, for messages."""
        with self.sources.session() as session:
            archive, name = split(location)
            return session.container(archive).place(name)

    def open_container(self, location: str) -> Container:
        """The archive at a location, such as an FMU, also within a nested archive; the caller closes it."""
        with self.sources.session() as session:
            return session.fresh_container(location)


def read(path: str | Path, variant: str | None = None, *, allow_parent: bool = False) -> Package:
    """Reads an .ssp archive, a folder with a SystemStructure.ssd, or an .ssd file.

    `variant` chooses another system structure by its file name or its name. References out of the folder of a
    system are only followed if `allow_parent` says so, and never out of an archive.
    """
    path = Path(path)
    if not path.exists():
        hint = "check its name and where you are"
        raise refusal(UNRESOLVED, "there is no such file or folder", str(path), hint=hint)
    single = path.suffix.lower() == ".ssd" and path.is_file()
    if single and variant is not None:
        raise InputError(f"{path}: a variant can only be chosen in an archive or a folder")
    base = path.parent if single else path
    sources = Sources(partial(open_container, base), allow_parent)
    return _read(path, sources, path.name if single else None, variant)


def new_package(
    structure: SystemStructure, files: Mapping[str, bytes | Path | Document] | None = None
) -> Package:
    """A package in memory: a system structure and the files that it refers to, by name.

    Files are given as bytes, as the place where they are, or as what an .ssv, .ssm, .ssb or .ssd file says.

    >>> from sspsim.structure import System
    >>> package = new_package(SystemStructure(version="1.0", name="empty", system=System(name="root")))
    >>> package.root, package.structure.name
    ('SystemStructure.ssd', 'empty')
    """
    contents: dict[str, bytes | Path] = {DEFAULT_DOCUMENT: ssd.write(structure)}
    for name, file in (files or {}).items():
        contents[name] = file if isinstance(file, bytes | Path) else written(file)
    return _read(Path(), Sources(partial(Memory, contents)), None, None)


def written(document: Document) -> bytes:
    """The file of a document of any of the four formats."""
    match document:
        case SystemStructure():
            return ssd.write(document)
        case ParameterSet():
            return ssv.write(document)
        case ParameterMapping():
            return ssm.write(document)
        case SignalDictionary():
            return ssb.write(document)


def locate(session: Session, document: str, reference: Reference) -> str:
    """The location of a reference in a document, also of one relative to its component."""
    if not reference.inside:
        return session.resolve(document, reference.source, reference.type)
    owner = reference.owner
    if not isinstance(owner, Component) or not owner.source:
        raise InputError(f"{reference.source!r} cannot be inside an element that has no source")
    return session.inside(session.resolve(document, owner.source, owner.type), reference.source)


def _read(path: Path, sources: Sources, root: str | None, variant: str | None) -> Package:
    with sources.session() as session:
        reader = _Reader(session)
        root = root or reader.choose(variant)
        reader.read_all(root)
    documents = reader.files[Use.COMPONENT]
    return Package(
        path,
        root,
        documents,
        reader.files[Use.PARAMETERS],
        reader.files[Use.MAPPING],
        reader.files[Use.DICTIONARY],
        tuple(reader.variants) or (Variant(root, documents[root].name),),
        tuple(reader.diagnostics),
        sources=sources,
    )


class _Reader:
    """Reads a document and everything that it refers to, each file once."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.files: dict[Use, dict[str, Any]] = {use: {} for use in READERS}
        self.pending: deque[tuple[str, Reference]] = deque()
        self.unreadable: set[tuple[Use, str]] = set()
        self.variants: list[Variant] = []
        self.diagnostics: list[Diagnostic] = list(session.container().diagnostics)

    def choose(self, variant: str | None) -> str:
        """The file of the wanted variant, after listing all of them."""
        container = self.session.container()
        where = Origin(container.label)
        for name in _top_level(container):
            try:
                attributes = xml.root_attributes(container.read(name, xml.MAX_BYTES), name)
            except InputError as problem:
                self.diagnostics.append(warning(ARCHIVE, f"a variant cannot be read: {problem}", where))
                attributes = {}
            self.variants.append(Variant(name, attributes.get("name", "")))
        files = [entry.file for entry in self.variants]
        if DEFAULT_DOCUMENT not in files:
            hint = "rename the default variant"
            self.diagnostics.append(error(ARCHIVE, f"there is no {DEFAULT_DOCUMENT}", where, hint))
        if variant is None:
            return _default(files, container.label)
        for entry in self.variants:
            if variant in (entry.file, entry.name):
                return entry.file
        known = ", ".join(f"{entry.file} ({entry.name})" for entry in self.variants)
        raise InputError(f"{container.label}: there is no variant {variant!r}; there are {known or 'none'}")

    def read_all(self, root: str) -> None:
        """Reads the chosen document, and then whatever is referred to."""
        self.read(root, Use.COMPONENT, None)
        while self.pending:
            self.follow(*self.pending.popleft())

    def read(self, location: str, use: Use, origin: Origin | None) -> None:
        """Reads a file that is not yet known; problems are only fatal if nothing refers to it."""
        known = self.files[use]
        if location in known or (use, location) in self.unreadable:
            return
        try:
            data = self.session.read(location, xml.MAX_BYTES)
            known[location], diagnostics = READERS[use](data, self.session.label(location))
        except InputError as problem:
            if origin is None:
                raise
            self.unreadable.add((use, location))
            self.diagnostics += findings_of(problem, origin=origin)
            return
        self.diagnostics += diagnostics
        if use is Use.COMPONENT:
            self.pending.extend((location, reference) for reference in references(known[location]))

    def follow(self, document: str, reference: Reference) -> None:
        """Reads what a reference leads to, or at least checks that it is there."""
        if reference.inside and not getattr(reference.owner, "source", None):
            return  # a rule of its own (V17) says so
        try:
            location = locate(self.session, document, reference).partition("#")[0]
        except InputError as problem:
            # A component may still come from elsewhere at run time; values of a missing file would be lost.
            report = error if reference.use in READERS and reference.use is not Use.COMPONENT else warning
            self.diagnostics.append(report(UNRESOLVED, _named(reference, problem), reference.origin))
            return
        is_document = media_type(reference.type, reference.source) in (SSD, SSP)
        if reference.use in READERS and (is_document or reference.use is not Use.COMPONENT):
            self.read(location, reference.use, reference.origin)


def _named(reference: Reference, problem: InputError) -> str:
    what = reference.use.name.replace("_", " ").lower()
    if not reference.owner:
        return f"{what}: {problem}"
    of = " " if reference.use is Use.COMPONENT else " of "
    return f"{what}{of}{reference.owner.name!r}: {problem}"


def _default(files: list[str], label: str) -> str:
    if DEFAULT_DOCUMENT in files:
        return DEFAULT_DOCUMENT
    if len(files) == 1:
        return files[0]
    advice = (
        f"choose one of the variants {', '.join(files)}"
        if files
        else "an SSP package has it at its top: pack the content of a folder, not the folder"
    )
    raise refusal(ARCHIVE, f"there is no {DEFAULT_DOCUMENT}", label, hint=advice)


def _top_level(container: Container) -> list[str]:
    if isinstance(container, Folder):
        names = [path.name for path in container.path.glob("*") if path.is_file()]
    else:
        names = [name for name in container.names() if "/" not in name]
    return sorted(name for name in names if name.lower().endswith(".ssd"))
