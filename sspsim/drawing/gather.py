"""Gathers what a picture of a loaded system shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from sspsim.drawing.diagram import BORDER, Box, Diagram, Icon, Port, Style, Wire
from sspsim.errors import InputError
from sspsim.fmi.description import Variable
from sspsim.formats.package import Package
from sspsim.graph.choice import choose_masters
from sspsim.graph.facts import kind_of
from sspsim.graph.flat import Instance
from sspsim.loading import LoadedSystem
from sspsim.structure import Component, Connection, Connector, Element, Kind, System
from sspsim.structure.system import SSD, SSP

Path = tuple[str, ...]
Node = tuple[Path, str]  # a connector: the path of its owner and its name
Key = tuple[Path, int]  # a connection: the path of its system and its place there

FROM_ELEMENT = {Kind.OUTPUT, Kind.CALCULATED_PARAMETER, Kind.CONSTANT, Kind.LOCAL}
FROM_SYSTEM = {Kind.INPUT, Kind.PARAMETER, Kind.STRUCTURAL_PARAMETER}
ICONS = {".png": "image/png", ".svg": "image/svg+xml"}
MAX_DEPTH = 30


def gather(loaded: LoadedSystem, masters: Mapping[str, str] | None = None) -> Diagram:
    """The diagram of a system, with those of all systems inside it.

    `masters`: of each component, by name, in a run; if not given, those that `auto` would choose are told.
    """
    return _Gatherer(loaded).root(masters)


class _Gatherer:
    def __init__(self, loaded: LoadedSystem) -> None:
        self.package: Package = loaded.package
        self.flat, self.analysis = loaded.flat, loaded.analysis
        self.instances = {instance.path: i for i, instance in enumerate(self.flat.instances)}
        self.values = {i: _values(instance) for i, instance in enumerate(self.flat.instances)}
        self.cycle_of = {
            i: number
            for number, stage in enumerate(self.analysis.cycles, 1)
            for i in self.analysis.order[stage]
        }
        self.place_of = {i: k for k, i in enumerate(i for stage in self.analysis.order for i in stage)}
        self.inbound: dict[Node, list[tuple[Node, Key]]] = defaultdict(list)
        self.styles: dict[Key, Style] = {}
        self.masters: tuple[str, ...] = ()

    def root(self, masters: Mapping[str, str] | None) -> Diagram:
        structure = self.package.structure
        self._hops((), structure.system, self.package.root)
        self._mark_styles()
        self.masters = tuple(self._used(masters) if masters else self._recommended())
        return self._diagram((), structure.system, self.package.root, structure.name)

    def _used(self, masters: Mapping[str, str]) -> Iterable[str]:
        for stage in self.analysis.cycles:
            yield masters[self.flat.instances[self.analysis.order[stage][0]].name]

    def _recommended(self) -> Iterable[str]:
        choices = {c.stage: c for c in choose_masters(self.flat, self.analysis)}
        for stage in self.analysis.cycles:
            yield choices[stage].master if choices[stage].iterates else "one pass"

    # ---- systems inside systems --------------------------------------------------------------------------

    def _inside(self, path: Path, element: Element, document: str) -> tuple[System, str] | None:
        """The system that an element is, or refers to, and the document that it stands in."""
        if isinstance(element, System):
            return element, document
        if isinstance(element, Component) and element.type in (SSD, SSP) and element.source:
            try:
                location = self.package.resolve(document, element.source, element.type)
            except InputError:
                return None  # reported where the system is checked
            file = location.partition("#")[0]
            if file in self.package.documents and len(path) < MAX_DEPTH:
                return self.package.documents[file].system, file
        return None

    # ---- which values flow through a connection ----------------------------------------------------------

    def _hops(self, path: Path, system: System, document: str) -> None:
        kinds = self._kinds(path, system)
        for number, connection in enumerate(system.connections):
            source, target = _directed(path, connection, kinds)
            self.inbound[target].append((source, (path, number)))
        for element in system.elements:
            inner_path = (*path, element.name)
            if inside := self._inside(inner_path, element, document):
                self._hops(inner_path, *inside)

    def _kinds(self, path: Path, system: System) -> dict[tuple[str | None, str], Kind]:
        found: dict[tuple[str | None, str], Kind] = {(None, c.name): c.kind for c in system.connectors}
        for element in system.elements:
            i = self.instances.get((*path, element.name))
            if i is not None:
                outputs = self.flat.instances[i].description.outputs
                found.update({(element.name, u.variable): Kind.OUTPUT for u in outputs})
            found.update({(element.name, c.name): c.kind for c in element.connectors})
        return found

    def _mark_styles(self) -> None:
        """Follows each link back along the connections that it consists of."""
        broken = set(self.analysis.broken)
        for link in self.flat.links:
            style = Style.LIVE
            if link in broken:
                style = Style.BROKEN
            elif self.analysis.is_time_only(link.source):
                style = Style.TIME_ONLY
            target = self.flat.instances[link.target.instance].path, link.target.variable
            self._mark(target, style, set())
        for output in self.flat.outputs:
            style = Style.TIME_ONLY if self.analysis.is_time_only(output.source) else Style.LIVE
            self._mark(((), output.name), style, set())

    def _mark(self, node: Node, style: Style, seen: set[Node]) -> None:
        if node in seen:
            return
        seen.add(node)
        for source, key in self.inbound.get(node, ()):
            known = self.styles.get(key)
            weight = [Style.TIME_ONLY, Style.LIVE, Style.BROKEN]
            if known is None or weight.index(style) > weight.index(known):
                self.styles[key] = style
            if source[0] not in self.instances:
                self._mark(source, style, seen)

    # ---- boxes and wires ---------------------------------------------------------------------------------

    def _diagram(self, path: Path, system: System, document: str, name: str) -> Diagram:
        boxes = tuple(self._box((*path, e.name), e, document) for e in system.elements)
        number = {element.name: k for k, element in enumerate(system.elements)}
        return Diagram(
            name,
            boxes,
            tuple(self._wires(path, system, number)),
            tuple(_system_ports(system.connectors)),
            system.notes,
            system.system_geometry,
            self.masters,
        )

    def _wires(self, path: Path, system: System, number: Mapping[str, int]) -> Iterable[Wire]:
        kinds = self._kinds(path, system)
        for k, connection in enumerate(system.connections):
            (source_path, source_port), (target_path, target_port) = _directed(path, connection, kinds)
            ends = []
            for owner in (source_path, target_path):
                ends.append(BORDER if owner == path else number.get(owner[-1], None))
            if None in ends:
                continue  # an unknown element, reported where the system is checked
            points: tuple[tuple[float, float], ...] = ()
            if connection.geometry:
                points = tuple(zip(connection.geometry.points_x, connection.geometry.points_y, strict=False))
                start = (*path, connection.start_element) if connection.start_element else path
                is_turned = (start, connection.start_connector) != (source_path, source_port)
                points = points[::-1] if is_turned else points
            style = self.styles.get((path, k), Style.LIVE)
            yield Wire(ends[0] or 0, source_port, ends[1] or 0, target_port, style, points)

    def _box(self, path: Path, element: Element, document: str) -> Box:
        inside = self._inside(path, element, document)
        i = self.instances.get(path)
        geometry, icon = element.geometry, self._icon(element, document, i)
        if inside:
            below = [k for p, k in self.instances.items() if p[: len(path)] == path]
            inner = self._diagram(path, inside[0], inside[1], ".".join(path))
            ports = element.connectors or inside[0].connectors
            place = min((self.place_of[k] for k in below), default=0)
            words = f"system of {len(below)} component{'s' * (len(below) != 1)}"
            return Box(path, words, tuple(_system_ports(ports)), inner, 0, place, geometry, icon)
        if i is None:
            kind = "dictionary" if not isinstance(element, Component) else "no FMU"
            return Box(path, kind, tuple(_system_ports(element.connectors)), geometry=geometry, icon=icon)
        instance = self.flat.instances[i]
        return Box(
            path,
            f"{instance.description.name} · FMI {instance.description.fmi}",
            tuple(self._ports(i, element)),
            None,
            self.cycle_of.get(i, 0),
            self.place_of[i],
            geometry,
            icon,
            tuple(_facts(instance)),
        )

    def _ports(self, i: int, element: Element) -> Iterable[Port]:
        """The connectors of the file, and the inputs and outputs of the FMU that it does not mention."""
        description = self.flat.instances[i].description
        places = {c.name: c.geometry for c in element.connectors}
        names = [c.name for c in element.connectors if c.name in description.by_name]
        names += [
            v.name
            for v in description.variables
            if v.causality in ("input", "output") and v.name not in places
        ]
        kinds = {c.name: c.kind for c in element.connectors}
        for name in names:
            variable = description.by_name[name]
            is_input = kinds.get(name) not in FROM_ELEMENT if name in kinds else variable.causality == "input"
            facts = _variable_facts(variable, self.values[i].get(name))
            yield Port(name, is_input, facts, places.get(name))

    def _icon(self, element: Element, document: str, i: int | None) -> Icon | None:
        source = element.geometry.icon_source if element.geometry else None
        try:
            if source:
                suffix = source[source.rfind(".") :].lower()
                if suffix in ICONS:
                    return Icon(
                        ICONS[suffix], self.package.read_bytes(self.package.resolve(document, source))
                    )
            elif i is not None and element.geometry:
                return self._fmu_icon(self.flat.instances[i])
        except InputError:
            pass  # a picture without an icon is better than none; the check reports it
        return None

    def _fmu_icon(self, instance: Instance) -> Icon | None:
        candidates = (
            ["model.png"]
            if instance.description.fmi < 3
            else [
                "terminalsAndIcons/icon.svg",
                "terminalsAndIcons/icon.png",
            ]
        )
        with self.package.open_container(instance.location) as container:
            for name in candidates:
                if name in container:
                    return Icon(ICONS[name[-4:]], container.read(name))
        return None


def _directed(
    path: Path, connection: Connection, kinds: Mapping[tuple[str | None, str], Kind]
) -> tuple[Node, Node]:
    """Both ends, the giving one first: owners and kinds decide that, not the words start and end."""
    ends = [
        (connection.start_element or None, connection.start_connector),
        (connection.end_element or None, connection.end_connector),
    ]

    def gives(end: tuple[str | None, str]) -> bool:
        return kinds.get(end) in (FROM_ELEMENT if end[0] else FROM_SYSTEM)

    if gives(ends[1]) and not gives(ends[0]):
        ends.reverse()
    source, target = (((*path, element) if element else path, name) for element, name in ends)
    return source, target


def _system_ports(connectors: Iterable[Connector]) -> Iterable[Port]:
    for c in connectors:
        facts = " ".join(filter(None, (c.type.type.value, c.type.unit))) if c.type else ""
        yield Port(c.name, c.kind not in FROM_ELEMENT, facts, c.geometry)


def _values(instance: Instance) -> dict[str, str]:
    return {start.variable.name: _shown(start.values) for start in instance.starts}


def _shown(values: Iterable[object]) -> str:
    texts = [f"{v:g}" if isinstance(v, float) else str(v) for v in values]
    return ", ".join(texts[:6]) + (", ..." if len(texts) > 6 else "")


def _variable_facts(variable: Variable, value: str | None) -> str:
    if value is None and variable.start is not None:
        value = _shown(variable.start)
    unit = f" {variable.unit}" if variable.unit else ""
    known = f" = {value}{unit}" if value is not None else f" in {variable.unit}" if variable.unit else ""
    about = f"; {variable.description}" if variable.description else ""
    return f"{variable.type.value}{known}{about}"


def _facts(instance: Instance) -> Iterable[str]:
    yield f"{instance.description.name}, FMI {instance.description.fmi} for {kind_of(instance)}"
    if instance.description.description:
        yield instance.description.description
    can = {
        "can be rolled back": instance.interface.rollback,
        "takes variable steps": instance.interface.variable_step,
        "gives directional derivatives": instance.interface.directional_derivatives,
    }
    yield ", ".join(words for words, is_so in can.items() if is_so) or "no optional capabilities"
