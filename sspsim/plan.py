"""The plan of a run: what is stepped when and which number goes where, as printable, comparable data.

All values that travel live in three flat banks, reals, integers (booleans and enumerations too) and texts
(strings and binaries). Every coupled or recorded output has slots there; a component's inputs say from which slot
they are fed and what is done to the value on its way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from sspsim.fmi.codes import Bank, Code, code_of
from sspsim.fmi.description import Variable
from sspsim.graph.flat import FlatSystem, Instance, Link, Port
from sspsim.structure import Type


@dataclass(frozen=True, slots=True)
class Feed:
    """Where one input value comes from: factor * source + offset for numbers, a table for whole numbers."""

    bank: Bank
    slot: int
    factor: float = 1.0
    offset: float = 0.0
    table: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class SetCall:
    """One call of an FMU's set function; `feeds` has one entry per value, arrays flattened."""

    code: Code
    references: tuple[int, ...]
    feeds: tuple[Feed, ...]


@dataclass(frozen=True, slots=True)
class GetCall:
    """One call of an FMU's get function; the values land in `count` slots from `first` on."""

    code: Code
    references: tuple[int, ...]
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class Wiring:
    """All calls of one component: inputs before a step, iterated and handed-on outputs after it, the rest for rows."""

    sets: tuple[SetCall, ...] = ()
    iterated: tuple[GetCall, ...] = ()
    handed_on: tuple[GetCall, ...] = ()
    recorded: tuple[GetCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """Components that are stepped together; their iterated reals are `count` slots from `first` on."""

    components: tuple[int, ...]
    first: int = 0
    count: int = 0


@dataclass(frozen=True, slots=True)
class Column:
    """A recorded variable."""

    name: str
    bank: Bank
    slot: int
    type: Type
    unit: str | None = None
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What the engine executes."""

    names: tuple[str, ...]
    wirings: tuple[Wiring, ...]
    stages: tuple[Stage, ...]
    columns: tuple[Column, ...]
    sizes: tuple[int, int, int]
    slot_names: tuple[str, ...]  # of the reals, for messages
    places: Mapping[Port, tuple[Bank, int]]

    @property
    def coupled(self) -> int:
        """How many reals travel; they have the first slots."""
        calls = (call for wiring in self.wirings for call in (*wiring.iterated, *wiring.handed_on))
        return max((call.first + call.count for call in calls if call.code.bank is Bank.REAL), default=0)


def make_plan(system: FlatSystem, order: Sequence[Sequence[int]]) -> Plan:
    """Gives every value that travels or is recorded a slot, and every component its calls."""
    slots = _Slots(system)
    stage_of = {i: s for s, members in enumerate(order) for i in members}
    coupled = {link.source for link in system.links} | {output.source for output in system.outputs}
    inside = {
        link.source for link in system.links if stage_of[link.source.instance] == stage_of[link.target.instance]
    }
    iterated_ports, handed_on_ports = _by_instance(system, inside), _by_instance(system, coupled - inside)
    # First all iterated values, stage by stage, so that each master finds its own in one piece.
    stages, iterated = [], {}
    for members in order:
        first = slots.used[Bank.REAL]
        for i in members:
            iterated[i] = slots.calls(i, iterated_ports[i])
        stages.append(Stage(tuple(members), first, slots.used[Bank.REAL] - first))
    instances = range(len(system.instances))
    handed_on = [slots.calls(i, handed_on_ports[i]) for i in instances]
    recorded = [
        slots.calls(i, [port for port in _recorded_ports(system, i) if port not in slots.places]) for i in instances
    ]
    into = _links_by_target(system)
    wirings = tuple(
        Wiring(_set_calls(instance, into[i], slots), iterated[i], handed_on[i], recorded[i])
        for i, instance in enumerate(system.instances)
    )
    return Plan(
        names=tuple(instance.name for instance in system.instances),
        wirings=wirings,
        stages=tuple(stages),
        columns=tuple(_columns(system, slots)),
        sizes=(slots.used[Bank.REAL], slots.used[Bank.INTEGER], slots.used[Bank.TEXT]),
        slot_names=tuple(slots.names),
        places=slots.places,
    )


class _Slots:
    """Hands out slots and remembers whose they are."""

    def __init__(self, system: FlatSystem) -> None:
        self.system = system
        self.used = {bank: 0 for bank in Bank}
        self.places: dict[Port, tuple[Bank, int]] = {}
        self.names: list[str] = []

    def calls(self, instance: int, ports: Sequence[Port]) -> tuple[GetCall, ...]:
        """Get calls for the given ports of one instance, one call per C type."""
        description = self.system.instances[instance].description
        by_code: dict[Code, list[Variable]] = {}
        for name in dict.fromkeys(port.variable for port in ports):
            variable = description.by_name[name]
            by_code.setdefault(code_of(variable.type, description.fmi), []).append(variable)
        return tuple(self._call(instance, code, variables) for code, variables in sorted(by_code.items()))

    def _call(self, instance: int, code: Code, variables: Sequence[Variable]) -> GetCall:
        first = self.used[code.bank]
        for variable in variables:
            for index in range(element_count(variable)):
                self.places[Port(instance, variable.name, index)] = (code.bank, self.used[code.bank])
                self.used[code.bank] += 1
                if code.bank is Bank.REAL:
                    self.names.append(f"{self.system.instances[instance].name}.{variable.name}")
        references = tuple(variable.reference for variable in variables)
        return GetCall(code, references, first, self.used[code.bank] - first)


def element_count(variable: Variable) -> int:
    """How many scalars a variable holds."""
    return prod(d if isinstance(d, int) else 1 for d in variable.dimensions)


def _by_instance(system: FlatSystem, ports: Iterable[Port]) -> list[list[Port]]:
    found: list[list[Port]] = [[] for _ in system.instances]
    for port in sorted(ports):
        found[port.instance].append(port)
    return found


def _links_by_target(system: FlatSystem) -> list[list[Link]]:
    found: list[list[Link]] = [[] for _ in system.instances]
    for link in system.links:
        found[link.target.instance].append(link)
    return found


def _set_calls(instance: Instance, links: Sequence[Link], slots: _Slots) -> tuple[SetCall, ...]:
    description = instance.description
    feeds = {
        (link.target.variable, link.target.index): Feed(*slots.places[link.source], link.factor, link.offset, link.table)
        for link in links
    }
    by_code: dict[Code, list[Variable]] = {}
    for name in dict.fromkeys(name for name, _ in feeds):
        variable = description.by_name[name]
        by_code.setdefault(code_of(variable.type, description.fmi), []).append(variable)
    return tuple(
        SetCall(
            code,
            tuple(v.reference for v in variables),
            tuple(feeds[v.name, k] for v in variables for k in range(element_count(v))),
        )
        for code, variables in sorted(by_code.items())
    )


def _recorded_ports(system: FlatSystem, instance: int) -> list[Port]:
    description = system.instances[instance].description
    names = system.instances[instance].recorded
    return [Port(instance, n, k) for n in names for k in range(element_count(description.by_name[n]))]


def _columns(system: FlatSystem, slots: _Slots) -> Iterable[Column]:
    for output in system.outputs:
        yield _column(system, slots, output.name, output.source, output.factor, output.offset)
    for i, instance in enumerate(system.instances):
        for port in _recorded_ports(system, i):
            count = element_count(instance.description.by_name[port.variable])
            index = f"[{port.index + 1}]" if count > 1 else ""
            yield _column(system, slots, f"{instance.name}.{port.variable}{index}", port)


def _column(system: FlatSystem, slots: _Slots, name: str, port: Port, factor: float = 1.0, offset: float = 0.0) -> Column:
    variable = system.instances[port.instance].description.by_name[port.variable]
    return Column(name, *slots.places[port], variable.type, variable.unit, factor, offset)
