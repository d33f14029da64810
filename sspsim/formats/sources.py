"""Where the files of a package are: locations, and how the URIs in documents lead to them.

A location is a path relative to the package, `resources/sub/Sub.ssd`; `!/` leads into an archive:
`resources/Sub.ssp!/VariantB.ssd`. A `#id` at its end names one system of a document.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

from sspsim.errors import InputError
from sspsim.formats.container import MAX_ENTRY_BYTES, Container, Folder
from sspsim.structure.system import CSV, FMU, SSD, SSP

DEFAULT_DOCUMENT = "SystemStructure.ssd"
INSIDE = "!/"
MAX_NESTED_ARCHIVES = 8

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
_TYPES_BY_SUFFIX = {".fmu": FMU, ".ssd": SSD, ".ssp": SSP, ".csv": CSV}


def split(location: str) -> tuple[str, str]:
    """The location of the archive that holds a file ("" for the package itself) and the file's name in it.

    >>> split("resources/Sub.ssp!/a/B.ssd#x")
    ('resources/Sub.ssp', 'a/B.ssd')
    """
    archive, _, name = location.partition("#")[0].rpartition(INSIDE)
    return archive, name


def media_type(type: str, source: str) -> str:
    """The MIME type that decides how a source is handled: a well-known ending wins over what is declared.

    >>> media_type("application/x-fmu-sharedlibrary", "resources/Sub.ssp#VariantB.ssd")
    'application/x-ssp-package'
    """
    suffix = posixpath.splitext(source.partition("#")[0])[1].lower()
    return _TYPES_BY_SUFFIX.get(suffix, type.partition(";")[0].strip().lower())


def is_msim_project(path: Path) -> bool:
    """Whether a name is that of a MasterSim project, which is no package; old ones end in .msimm."""
    return path.suffix.lower() in (".msim", ".msimm")


@dataclass(frozen=True)
class Sources:
    """Where the files of one package come from; it holds nothing open, only what the archives contain."""

    opener: Callable[[], Container]
    allow_parent: bool = False
    names: dict[str, frozenset[str]] = field(default_factory=dict)

    def session(self) -> Session:
        """Access to the files, for as long as a `with` lasts."""
        return Session(self)


class Session:
    """The files that the documents of a package can refer to; containers stay open until its end."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._open: dict[str, Container] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for container in self._open.values():
            container.close()

    def container(self, archive: str = "") -> Container:
        """The container at a location, which only lives as long as the session."""
        if archive not in self._open:
            self._open[archive] = self.fresh_container(archive)
        return self._open[archive]

    def fresh_container(self, archive: str) -> Container:
        """The container at a location, to be closed by the caller."""
        if not archive:
            return self._sources.opener()
        if archive.count(INSIDE) >= MAX_NESTED_ARCHIVES:
            raise InputError(f"{archive}: archives are nested more than {MAX_NESTED_ARCHIVES} deep")
        outer, name = split(archive)
        return self.container(outer).child(name)

    def exists(self, location: str) -> bool:
        """Whether there is a file at a location."""
        archive, name = split(location)
        names = self._sources.names
        if archive not in names:
            if archive and not self.exists(archive):
                return False
            container = self.container(archive)
            if isinstance(container, Folder):
                return name in container
            names[archive] = frozenset(container.names())
        return name in names[archive]

    def read(self, location: str, limit: int = MAX_ENTRY_BYTES) -> bytes:
        """The bytes of the file at a location."""
        archive, name = split(location)
        return self.container(archive).read(name, limit)

    def label(self, location: str) -> str:
        """A location as the user knows it."""
        return str(Path(self.container().label, location))

    def resolve(self, document: str, source: str, type: str = "") -> str:
        """The location that a URI in a document stands for; raises an InputError if there is nothing."""
        if source.startswith("#"):
            return document.partition("#")[0] + source
        if scheme(source):
            return self._foreign(document, source)
        package = media_type(type, source) == SSP
        first_problem: InputError | None = None
        for path, fragment in _readings(source):
            try:
                location = self._join(document, path)
            except InputError as problem:
                first_problem = first_problem or problem
                continue
            if package:
                location += INSIDE + (fragment or DEFAULT_DOCUMENT)
            if self.exists(location):
                return location if package or not fragment else f"{location}#{fragment}"
        raise first_problem or InputError(
            f"the file {source!r} does not exist; check the spelling (upper and lower case count) and "
            "that it is relative to the document that names it"
        )

    def inside(self, component_location: str, source: str) -> str:
        """The location of a file inside the resource of a component (sourceBase="component")."""
        archive = component_location.partition("#")[0]
        if archive.endswith(".ssd"):
            archive, _, inner = archive.rpartition(INSIDE)
            if not archive:
                raise InputError(
                    f'{source!r} cannot be inside {inner}, which is no archive; use sourceBase="SSD"'
                )
        return self.resolve(archive + INSIDE, source)

    def _join(self, document: str, path: str) -> str:
        archive, name = split(document)
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        if joined.startswith(("/", "../")) or joined == "..":
            if archive or not isinstance(self.container(), Folder):
                raise InputError(f"{path!r} leads out of the archive; put the file into its resources folder")
            if not self._sources.allow_parent:
                raise InputError(
                    f"{path!r} leads out of the folder of the system; allow it with --allow-parent"
                )
        return f"{archive}{INSIDE}{joined}" if archive else joined

    def _foreign(self, document: str, source: str) -> str:
        if scheme(source) == "file":
            location = self._join(document, unquote(urlsplit(source).path))
            if self.exists(location):
                return location
        raise InputError(
            f"{source!r} cannot be used: only relative references are; put the file into the resources folder"
        )


def scheme(source: str) -> str:
    """The scheme of a URI in lower case; a drive letter is none.

    >>> scheme("HTTP://a/b.fmu"), scheme("resources/a.fmu")
    ('http', '')
    """
    match = _SCHEME.match(source)
    return match[1].lower() if match else ""


def _readings(source: str) -> dict[tuple[str, str], None]:
    """The ways to understand a reference as path and fragment, the proper one first."""
    path, _, fragment = source.partition("#")
    proper = (unquote(path), unquote(fragment))
    return dict.fromkeys((proper, (path, fragment), (path.replace("\\", "/"), fragment)))
