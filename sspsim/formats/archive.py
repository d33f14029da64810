"""Writing packages: what changed is written anew, everything else is copied as it was."""

from __future__ import annotations

import io
import os
import shutil
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from sspsim.errors import InputError
from sspsim.formats.container import Container, checked_name
from sspsim.formats.package import READERS, Package, written
from sspsim.formats.references import Use, references
from sspsim.formats.sources import DEFAULT_DOCUMENT, INSIDE, Session, split
from sspsim.formats.xml import MAX_BYTES

_DATE = (1980, 1, 1, 0, 0, 0)
_PORTION = 2**20


def write(package: Package, path: str | Path) -> None:
    """Writes a package as an .ssp archive, or as a folder if `path` has no such ending.

    All files of the original are kept; from around a single .ssd file only those that it refers to are taken.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(package, path)
    except OSError as problem:
        raise InputError(f"{path}: cannot be written: {problem}") from None


def _write(package: Package, path: Path) -> None:
    with package.sources.session() as session:
        changed = _changed(package, session)
        for archive in _deepest_first(changed):
            with session.fresh_container(archive) as original:
                changed[archive] = _packed(original, original.names(), _within(changed, archive))
        container = session.container()
        names = _names(package, container)
        replaced = {name: data for name, data in changed.items() if INSIDE not in name}
        if path.suffix.lower() == ".ssp":
            names, replaced = _with_default(package.root, container, names, replaced)
            _write_archive(container, names, replaced, path)
        else:
            _write_folder(container, names, replaced, path)


def _changed(package: Package, session: Session) -> dict[str, bytes]:
    """The new files by location."""
    groups: dict[Use, Mapping[str, Any]] = {
        Use.COMPONENT: package.documents,
        Use.PARAMETERS: package.parameter_sets,
        Use.MAPPING: package.mappings,
        Use.DICTIONARY: package.dictionaries,
    }
    return {
        location: written(document)
        for use, documents in groups.items()
        for location, document in documents.items()
        if not _is_original(session, use, location, document)
    }


def _is_original(session: Session, use: Use, location: str, document: Any) -> bool:
    try:
        original, _ = READERS[use](session.read(location, MAX_BYTES), location)
    except InputError:
        return False
    return bool(original == document)


def _deepest_first(changed: Mapping[str, bytes]) -> list[str]:
    """The nested archives in which something changed, and those around them."""
    archives = set()
    for location in changed:
        while location := split(location)[0]:
            archives.add(location)
    return sorted(archives, key=lambda archive: (-archive.count(INSIDE), archive))


def _within(changed: Mapping[str, bytes], archive: str) -> dict[str, bytes]:
    return {split(location)[1]: data for location, data in changed.items() if split(location)[0] == archive}


def _names(package: Package, container: Container) -> list[str]:
    if package.path.suffix.lower() != ".ssd":
        return container.names()
    locations = [*package.documents, *package.parameter_sets, *package.mappings, *package.dictionaries]
    for location, document in package.documents.items():
        for reference in references(document):
            try:
                locations.append(package.locate(location, reference))
            except InputError:
                continue  # noticed while reading
    return sorted({location.partition("#")[0].partition(INSIDE)[0] for location in locations})


def _with_default(
    root: str, container: Container, names: list[str], replaced: dict[str, bytes]
) -> tuple[list[str], dict[str, bytes]]:
    """An archive needs a SystemStructure.ssd: without one, the chosen document becomes it."""
    if DEFAULT_DOCUMENT in names or DEFAULT_DOCUMENT in replaced:
        return names, replaced
    data = replaced.get(root) or container.read(root)
    others = {name: content for name, content in replaced.items() if name != root}
    return [name for name in names if name != root], {DEFAULT_DOCUMENT: data, **others}


def _packed(original: Container, names: Iterable[str], replaced: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    _pack(original, names, replaced, buffer)
    return buffer.getvalue()


def _pack(
    original: Container, names: Iterable[str], replaced: Mapping[str, bytes], target: IO[bytes]
) -> None:
    try:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, allowZip64=False) as archive:
            for name in dict.fromkeys((*names, *replaced)):
                info = zipfile.ZipInfo(_writable(name), _DATE)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = 0o644 << 16
                with _source(original, replaced, name) as source, archive.open(info, "w") as sink:
                    shutil.copyfileobj(source, sink, _PORTION)
    except zipfile.LargeZipFile as problem:
        raise InputError(f"{original.label}: too large for an SSP archive: {problem}") from None


def _source(original: Container, replaced: Mapping[str, bytes], name: str) -> IO[bytes]:
    return io.BytesIO(replaced[name]) if name in replaced else original.open(name)


def _writable(name: str) -> str:
    if "\\" in name or any(part in ("", ".", "..") for part in name.split("/")):
        raise InputError(
            f"{name!r} cannot be the name of a file in an SSP archive; choose a plain relative one"
        )
    return checked_name(name, "the archive to be written")


def _write_archive(
    original: Container, names: Iterable[str], replaced: Mapping[str, bytes], path: Path
) -> None:
    temporary = _temporary(path)
    try:
        with temporary.open("xb") as target:
            _pack(original, names, replaced, target)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_folder(
    original: Container, names: Iterable[str], replaced: Mapping[str, bytes], path: Path
) -> None:
    if path.exists():
        raise InputError(f"{path}: there is something already; choose another name or remove it")
    temporary = _temporary(path)
    try:
        for name in dict.fromkeys((*names, *replaced)):
            target = temporary / _writable(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            with _source(original, replaced, name) as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink, _PORTION)
        temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _temporary(path: Path) -> Path:
    """A name beside the target, so that renaming is possible and the target is never half written."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")
