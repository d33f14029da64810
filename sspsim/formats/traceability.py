"""SSP Traceability: which tasks and resource meta data travel with a package. No run needs them.

A resource is described by `<resource>.srmd` beside it, by the file that its meta data names as `data`, or by
`extra/org.ssp-standard.ssp-traceability.srmd/resourceMetaData.srmd` inside of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from xml.etree import ElementTree

from sspsim.errors import InputError
from sspsim.formats import xml
from sspsim.formats.package import UNRESOLVED, Package
from sspsim.formats.references import Use, references
from sspsim.formats.refusal import findings_of
from sspsim.formats.sources import INSIDE, Session, media_type
from sspsim.structure.diagnostic import Diagnostic, Origin, warning
from sspsim.structure.system import FMU, SSP

CHECKSUM = "V32"
KINDS = {".srmd": "resource meta data", ".stmd": "simulation task", ".dtmd": "decision task"}
EMBEDDED = "extra/org.ssp-standard.ssp-traceability.srmd/resourceMetaData.srmd"

_COMMON = "{http://ssp-standard.org/SSPTraceability1/SSPTraceabilityCommon}"


@dataclass(frozen=True)
class TraceabilityFile:
    """A file about tasks or about a resource; `resource` is the location of what it describes, if that is known.

    `classifications` are types, keywords and values; `verified` says whether the checksum is right, if any.
    """

    location: str
    kind: str
    name: str
    resource: str | None = None
    classifications: tuple[tuple[str, str, str], ...] = ()
    verified: bool | None = None
    findings: tuple[Diagnostic, ...] = ()


def traceability(package: Package) -> list[TraceabilityFile]:
    """All files of SSP Traceability in a package and in its FMUs and nested packages."""
    with package.sources.session() as session:
        return [_read(session, location) for location in _locations(session, package)]


def check(package: Package) -> Iterator[Diagnostic]:
    """V32, V26, V01: meta data can be read, belong to something, and their checksums are right."""
    for file in traceability(package):
        yield from file.findings


def _locations(session: Session, package: Package) -> Iterator[str]:
    if package.path.suffix.lower() != ".ssd":  # around a single file there may be anything
        with suppress(InputError):  # a folder of more files than a system can have
            yield from (name for name in session.container().names() if _suffix(name) in KINDS)
    archives: dict[str, None] = {}
    for document, structure in package.documents.items():
        for reference in references(structure):
            if reference.use is Use.COMPONENT and media_type(reference.type, reference.source) in (FMU, SSP):
                try:
                    location = session.resolve(document, reference.source, reference.type)
                    archives[location.rpartition(INSIDE)[0] if INSIDE in location else location] = None
                except InputError:
                    continue  # noticed while reading
    for archive in archives:
        try:
            if session.exists(archive + INSIDE + EMBEDDED):
                yield archive + INSIDE + EMBEDDED
        except InputError:
            continue  # an archive that cannot be opened has a finding of its own


def _suffix(name: str) -> str:
    return name[-5:].lower()


def _read(session: Session, location: str) -> TraceabilityFile:
    label = session.label(location)
    kind = KINDS[_suffix(location)]
    try:
        data = session.read(location, xml.MAX_BYTES)
        line = xml.parse(data, label).line  # refuses what could do harm
        root = ElementTree.fromstring(data)
    except (InputError, ElementTree.ParseError) as problem:
        unreadable = InputError(f"{label}: {problem}") if not isinstance(problem, InputError) else problem
        findings = [warning(f.code, f.message, f.origin, f.hint) for f in findings_of(unreadable)]
        return TraceabilityFile(location, kind, "", findings=tuple(findings))
    name = root.get("name", "")
    if kind != KINDS[".srmd"]:
        return TraceabilityFile(location, kind, name)
    origin = Origin(label, line)
    found: list[Diagnostic] = []
    resource = _resource(session, location, root.get("data"), origin, found)
    embedded = location.endswith(EMBEDDED) and "data" not in root.attrib  # nothing holds its own checksum
    verified = None if embedded else _verified(session, resource, root, origin, found)
    return TraceabilityFile(
        location, kind, name, resource, tuple(_classifications(root)), verified, tuple(found)
    )


def _resource(
    session: Session, location: str, data: str | None, origin: Origin, found: list[Diagnostic]
) -> str | None:
    """What meta data are about."""
    if data:
        try:
            return session.resolve(location, data)
        except InputError as problem:
            found.append(warning(UNRESOLVED, f"resource meta data: {problem}", origin))
            return None
    if location.endswith(EMBEDDED):
        return location.removesuffix(EMBEDDED).removesuffix(INSIDE)
    beside = location[: -len(".srmd")]
    return beside if session.exists(beside) else None


def _verified(
    session: Session,
    resource: str | None,
    root: ElementTree.Element,
    origin: Origin,
    found: list[Diagnostic],
) -> bool | None:
    """Whether the checksum is that of the resource; None if that cannot be told."""
    wanted, method = root.get("checksum"), root.get("checksumType", "SHA3-256")
    if not wanted or resource is None:
        return None
    if method != "SHA3-256":
        message = f"the checksum of type {method!r} cannot be verified, only SHA3-256 can"
        found.append(warning(CHECKSUM, message, origin, "use SHA3-256"))
        return None
    right = hashlib.sha3_256(session.read(resource)).hexdigest() == wanted.strip().lower()
    if not right:
        found.append(warning(CHECKSUM, f"the checksum is not that of {resource}", origin))
    return right


def _classifications(root: ElementTree.Element) -> Iterator[tuple[str, str, str]]:
    for classification in root.iter(f"{_COMMON}Classification"):
        for entry in classification.iter(f"{_COMMON}ClassificationEntry"):
            value = "".join(entry.itertext()).strip()
            yield classification.get("type", ""), entry.get("keyword", ""), value
