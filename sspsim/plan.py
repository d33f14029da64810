"""The plan of a run: what is stepped when and which number goes where, as printable, comparable data.

All values that travel live in three flat banks, reals, integers (booleans and enumerations too) and texts
(strings and binaries). Every coupled or recorded output has slots there; a component's inputs say from which
slot they are fed and what is done to the value on its way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan, prod
from typing import NamedTuple

from sspsim.fmi.codes import Bank, Code, code_of
from sspsim.fmi.description import Variable
from sspsim.garbage import no_collection
from sspsim.graph.analysis import Analysis
from sspsim.graph.flat import FlatSystem, Instance, Link, Port
from sspsim.structure import Scalar, Type


class Feed(NamedTuple):
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
    """All calls of one component: inputs before a step, outputs after it, the rest for rows."""

    sets: tuple[SetCall, ...] = ()
    iterated: tuple[GetCall, ...] = ()
    handed_on: tuple[GetCall, ...] = ()
    recorded: tuple[GetCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """Components that are stepped together; their iterated reals are `count` slots from `first` on.

    `broken` are the real slots that a component reads before they are computed in the same step: their values
    are assumed, and what is computed later tells how wrong the assumption was.
    """

    components: tuple[int, ...]
    first: int = 0
    count: int = 0
    cycle: bool = False
    broken: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """A recorded variable or connector: where its value comes from and what is done to it."""

    name: str
    type: Type
    feed: Feed
    unit: str | None = None
    description: str = ""
    instance: int | None = None  # None: a connector of the root system

    @property
    def bank(self) -> Bank:
        """The bank that rows of this type belong to; the value may come from another one."""
        return code_of(self.type, 3).bank


@dataclass(frozen=True, slots=True)
class Plan:
    """What the engine executes."""

    names: tuple[str, ...]
    wirings: tuple[Wiring, ...]
    stages: tuple[Stage, ...]
    columns: tuple[Column, ...]
    sizes: tuple[int, int, int]
    slot_names: tuple[str, ...]  # of the reals
    integer_names: tuple[str, ...]
    text_names: tuple[str, ...]
    places: Mapping[Port, tuple[Bank, int]]
    constants: tuple[tuple[Bank, int, Scalar], ...] = ()  # what stands in slots that no component writes

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    @property
    def coupled(self) -> int:
        """How many reals travel; they have the first slots."""
        calls = (call for wiring in self.wirings for call in (*wiring.iterated, *wiring.handed_on))
        return max((call.first + call.count for call in calls if call.code.bank is Bank.REAL), default=0)


@no_collection()
def make_plan(system: FlatSystem, analysis: Analysis) -> Plan:
    """Gives every value that travels or is recorded a slot, and every component its calls."""
    slots = _Slots(system)
    coupled = {link.source.whole for link in system.links}
    coupled.update(output.source.whole for output in system.outputs)
    cycles = set(analysis.cycles)
    inside = _iterated(system, analysis)
    iterated_ports, handed_on_ports = _by_instance(system, inside), _by_instance(system, coupled - inside)
    broken = _by_instance(system, {link.source for link in analysis.broken})
    # First all iterated values, stage by stage, so that each master finds its own in one piece.
    stages, iterated = [], {}
    for number, members in enumerate(analysis.order):
        first = slots.used[Bank.REAL]
        for i in members:
            iterated[i] = slots.calls(i, iterated_ports[i])
        assumed = slots.reals(port for i in members for port in broken[i])
        stages.append(Stage(members, first, slots.used[Bank.REAL] - first, number in cycles, assumed))
    instances = range(len(system.instances))
    handed_on = [slots.calls(i, handed_on_ports[i]) for i in instances]
    recorded = [
        slots.calls(i, [port for port in _recorded_ports(system, i) if port not in slots.places])
        for i in instances
    ]
    into = _links_by_target(system)
    wirings = tuple(
        Wiring(_set_calls(instance, into[i], slots), iterated[i], handed_on[i], recorded[i])
        for i, instance in enumerate(system.instances)
    )
    columns = tuple(_columns(system, slots))
    return Plan(
        names=tuple(instance.name for instance in system.instances),
        wirings=wirings,
        stages=tuple(stages),
        columns=columns,
        sizes=(slots.used[Bank.REAL], slots.used[Bank.INTEGER], slots.used[Bank.TEXT]),
        slot_names=tuple(slots.names[Bank.REAL]),
        integer_names=tuple(slots.names[Bank.INTEGER]),
        text_names=tuple(slots.names[Bank.TEXT]),
        places=slots.places,
        constants=tuple(slots.constants),
    )


def _iterated(system: FlatSystem, analysis: Analysis) -> set[Port]:
    """Outputs that feed their own cycle and are no functions of time: what a master iterates."""
    stage_of = {i: s for s, members in enumerate(analysis.order) for i in members}
    return {
        link.source.whole
        for link in system.links
        if stage_of[link.source.instance] == stage_of[link.target.instance]
        and not analysis.is_time_only(link.source)
    }


class _Slots:
    """Hands out slots and remembers whose they are."""

    def __init__(self, system: FlatSystem) -> None:
        self.system = system
        self.used = dict.fromkeys(Bank, 0)
        self.places: dict[Port, tuple[Bank, int]] = {}
        self.names: dict[Bank, list[str]] = {bank: [] for bank in Bank}
        self.constants: list[tuple[Bank, int, Scalar]] = []

    def constant(self, name: str, type_: Type, value: Scalar) -> Feed:
        """A slot that always holds the same value."""
        bank = code_of(type_, 3).bank
        feed = Feed(bank, self.used[bank])
        self.used[bank] += 1
        self.names[bank].append(name)
        self.constants.append((bank, feed.slot, value))
        return feed

    def reals(self, ports: Iterable[Port]) -> tuple[int, ...]:
        """The slots of those ports that are reals."""
        return tuple(sorted(slot for bank, slot in map(self.places.__getitem__, ports) if bank is Bank.REAL))

    def calls(self, instance: int, ports: Sequence[Port]) -> tuple[GetCall, ...]:
        """Get calls for the given ports of one instance, one call per C type."""
        description = self.system.instances[instance].description
        by_code: dict[Code, list[Variable]] = {}
        for name in dict.fromkeys(port.variable for port in ports):
            variable = description.by_name[name]
            by_code.setdefault(code_of(variable.type, description.fmi), []).append(variable)
        return tuple(self._call(instance, code, variables) for code, variables in sorted(by_code.items()))

    def _call(self, instance: int, code: Code, variables: Sequence[Variable]) -> GetCall:
        bank = code.bank
        first = slot = self.used[bank]
        component = self.system.instances[instance].name
        for variable in variables:
            names = _element_names(component, variable)
            self.names[bank] += names
            for element in range(len(names)):
                self.places[Port(instance, variable.name, element)] = (bank, slot)
                slot += 1
        self.used[bank] = slot
        references = tuple(variable.reference for variable in variables)
        return GetCall(code, references, first, slot - first)


def element_count(variable: Variable) -> int:
    """How many scalars a variable holds."""
    return 1 if not variable.dimensions else prod(d if isinstance(d, int) else 1 for d in variable.dimensions)


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
        (link.target.variable, link.target.element): Feed(
            *slots.places[link.source], link.factor, link.offset, link.table
        )
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


def _element_names(component: str, variable: Variable) -> list[str]:
    """As people write them; elements of arrays count from 1."""
    name, count = f"{component}.{variable.name}", element_count(variable)
    return [name] if count == 1 else [f"{name}[{k}]" for k in range(1, count + 1)]


def _recorded_ports(system: FlatSystem, instance: int) -> list[Port]:
    description = system.instances[instance].description
    names = system.instances[instance].recorded
    return [Port(instance, n, k) for n in names for k in range(element_count(description.by_name[n]))]


def _columns(system: FlatSystem, slots: _Slots) -> Iterator[Column]:
    for output in system.outputs:
        feed = Feed(*slots.places[output.source], output.factor, output.offset, output.table)
        yield Column(output.name, output.type, feed, output.unit)
    for fixed in system.fixed_outputs:
        # A connector without a value is a missing number, whatever its type.
        type_, value = (Type.REAL, nan) if fixed.value is None else (fixed.type, fixed.value)
        yield Column(fixed.name, type_, slots.constant(fixed.name, type_, value), fixed.unit)
    for i, instance in enumerate(system.instances):
        for port in _recorded_ports(system, i):
            variable = instance.description.by_name[port.variable]
            bank, slot = slots.places[port]
            name = slots.names[bank][slot]
            yield Column(name, variable.type, Feed(bank, slot), variable.unit, variable.description, i)


def in_file_order(columns: Iterable[Column], instances: Sequence[Instance]) -> list[Column]:
    """As people wrote the components down; the connectors of the root system first."""
    return sorted(columns, key=lambda c: -1 if c.instance is None else instances[c.instance].position)


def _lines(plan: Plan) -> Iterator[str]:
    """The plan as a text: who is stepped when, from what, and what becomes of the results."""
    reals, integers, texts = plan.sizes
    yield f"{len(plan.names)} components in {len(plan.stages)} stages"
    yield f"{reals} reals, {integers} integers, {texts} texts"
    for number, stage in enumerate(plan.stages, 1):
        kind = "cycle" if stage.cycle else "stage"
        yield f"{kind} {number}: {', '.join(plan.names[i] for i in stage.components)}"
        if stage.count:
            yield f"  iterates {', '.join(plan.slot_names[stage.first : stage.first + stage.count])}"
        if stage.broken:
            yield f"  assumes {', '.join(plan.slot_names[slot] for slot in stage.broken)}"
        for i in stage.components:
            yield from _component_lines(plan, i)
    yield f"records {', '.join(column.name for column in plan.columns)}"


def _component_lines(plan: Plan, component: int) -> Iterator[str]:
    wiring = plan.wirings[component]
    names = {Bank.REAL: plan.slot_names, Bank.INTEGER: plan.integer_names, Bank.TEXT: plan.text_names}
    for call in wiring.sets:
        for reference, feed in zip(call.references, call.feeds, strict=False):
            source = f"{names[feed.bank][feed.slot]}{_change(feed)}"
            yield f"  {plan.names[component]}: {call.code.name} {reference} from {source}"
    given = [names[c.code.bank][c.first : c.first + c.count] for c in (*wiring.iterated, *wiring.handed_on)]
    if given:
        yield f"  {plan.names[component]}: gives {', '.join(name for call in given for name in call)}"


def _change(feed: Feed) -> str:
    factor = f" * {feed.factor!r}" if feed.factor != 1 else ""
    offset = f" + {feed.offset!r}" if feed.offset else ""
    table = f" by {dict(feed.table)}" if feed.table else ""
    return f"{table}{factor}{offset}"
