"""Rules about a package as a whole: its archive, its variants, what its documents lead to."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from sspsim.errors import InputError
from sspsim.formats import rules, schema
from sspsim.formats.container import ARCHIVE, Archive, Container
from sspsim.formats.package import UNRESOLVED, Package
from sspsim.formats.references import Reference, Use, references, walk
from sspsim.formats.sources import Session, media_type
from sspsim.formats.xml import MAX_BYTES
from sspsim.structure.diagnostic import Diagnostic, Origin, error, warning
from sspsim.structure.system import CSV, FMU, SSD, SSP, Component, System

RECURSION = "V27"

_TOP_LEVEL = ("resources/", "documentation/", "extra/")
Findings = Iterator[Diagnostic]


def check(package: Package) -> list[Diagnostic]:
    """Everything that can be said about a package without its FMUs, including what reading noticed."""
    # What reading has noticed at a place, the schema need not repeat.
    noticed = {finding.origin for finding in package.diagnostics}
    with package.sources.session() as session:
        found = [finding for finding in validity(package, session) if finding.origin not in noticed]
        found += archive_layout(session.container())
    return [*check_rules(package), *found]


def check_rules(package: Package) -> list[Diagnostic]:
    """What has to be known before a run: what reading noticed, and the rules that documents break."""
    found = list(package.diagnostics)
    for structure in package.documents.values():
        found += rules.check_structure(structure)
    for parameters in package.parameter_sets.values():
        found += rules.check_parameters(parameters)
    for mapping in package.mappings.values():
        found += rules.check_mapping(mapping)
    for dictionary in package.dictionaries.values():
        found += rules.check_dictionary(dictionary)
    found += variant_names(package)
    found += component_types(package)
    found += unknown_systems(package)
    found += recursion(package)
    return found


def validity(package: Package, session: Session) -> Findings:
    """V01: all documents are valid after the schema."""
    for group in (package.documents, package.parameter_sets, package.mappings, package.dictionaries):
        for location in group:
            yield from schema.validate_safe(session.read(location, MAX_BYTES), session.label(location))


def archive_layout(container: Container) -> Findings:
    """V29: files are where the standard expects them."""
    if not isinstance(container, Archive):
        return
    where = Origin(container.label)
    names = container.names()
    for name in names:
        if "/" in name and not name.startswith(_TOP_LEVEL):
            message = f"{name}: only {', '.join(_TOP_LEVEL)} are for files"
            yield warning(ARCHIVE, message, where, "put it into resources/ or extra/")
    has_documentation = any(name.startswith("documentation/") for name in names)
    if has_documentation and "documentation/index.html" not in names:
        yield warning(ARCHIVE, "documentation/ lacks its index.html", where, "add one")


def variant_names(package: Package) -> Findings:
    """V29: variants have different names."""
    names: dict[str, str] = {}
    for variant in package.variants:
        if variant.name in names:
            message = f"variants {names[variant.name]} and {variant.file} have the same name {variant.name!r}"
            yield warning(ARCHIVE, message, Origin(str(package.path)), "give them different names")
        names[variant.name] = variant.file


def component_types(package: Package) -> Findings:
    """V26: components are of a known type, and of that which their file has."""
    for structure in package.documents.values():
        for reference in references(structure):
            if reference.use is not Use.COMPONENT:
                continue
            declared = media_type(reference.type, "")
            found = media_type(reference.type, reference.source)
            if found not in (FMU, SSD, SSP, CSV):
                message = f"{_owner(reference)}: type {reference.type!r} cannot be simulated, only kept"
                yield warning(UNRESOLVED, message, reference.origin)
            elif found != declared:
                source = reference.source
                message = f"{_owner(reference)}: {source!r} is declared as {reference.type}, taken as {found}"
                yield warning(UNRESOLVED, message, reference.origin)


def _owner(reference: Reference) -> str:
    return f"component {reference.owner.name!r}" if reference.owner else "the system"


# Recursion

Place = tuple[str, str]
"""A document and the id of one of its systems, or "" for the outermost."""


def unknown_systems(package: Package) -> Findings:
    """V26: a system that a component names by its id exists."""
    for document in package.documents:
        for target, component in _targets(package, (document, "")):
            if target[0] in package.documents and not _system(package, target):
                message = f"component {component.name!r}: there is no system with the id {target[1]!r}"
                yield error(UNRESOLVED, message, component.origin)


def recursion(package: Package) -> Findings:
    """V27: no system contains itself through components that refer to documents or systems."""
    graph = {place: dict(targets) for place, targets in _containment(package).items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        places: list[Place] = circle.args[1]
        # The sorter lists a circle against the direction of containment.
        inner, outer = places[0], places[1]
        component = graph[outer][inner]
        shown = " in ".join("#".join(filter(None, place)) for place in places)
        message = f"component {component.name!r} makes a system contain itself: {shown}"
        yield error(RECURSION, message, component.origin, "break the circle")


def expanded_size(package: Package) -> int:
    """How many elements a package stands for: those of files that are referred to several times count as often.

    It is 0 if a system contains itself, which `recursion` reports.
    """
    graph = _containment(package)
    sizes: dict[Place, int] = {}
    try:
        for place in TopologicalSorter({p: dict(targets) for p, targets in graph.items()}).static_order():
            system = _system(package, place)
            own = sum(1 for _ in walk(system)) if system else 0
            sizes[place] = own + sum(sizes[target] for target, _ in graph[place])
    except CycleError:
        return 0
    return sizes[package.root, ""]


def _containment(package: Package) -> dict[Place, list[tuple[Place, Component]]]:
    """The systems that each system refers to, from the outermost one on."""
    graph: dict[Place, list[tuple[Place, Component]]] = {}
    pending: list[Place] = [(package.root, "")]
    while pending:
        place = pending.pop()
        if place not in graph:
            graph[place] = list(_targets(package, place))
            pending += (target for target, _ in graph[place])
    return graph


def _targets(package: Package, place: Place) -> Iterator[tuple[Place, Component]]:
    """The systems to which the components of a system refer."""
    system = _system(package, place)
    for element in walk(system) if system else ():
        if isinstance(element, Component) and element.source:
            if media_type(element.type, element.source) not in (SSD, SSP):
                continue
            try:
                location = package.resolve(place[0], element.source, element.type)
            except InputError:
                continue  # noticed while reading
            target, _, system_id = location.partition("#")
            yield (target, system_id), element


def _system(package: Package, place: Place) -> System | None:
    document, system_id = place
    structure = package.documents.get(document)
    if not structure:
        return None
    if not system_id:
        return structure.system
    for element in walk(structure.system):
        if isinstance(element, System) and element.id == system_id:
            return element
    return None
