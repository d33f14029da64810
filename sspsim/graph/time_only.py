"""Time-only outputs: those that nothing can change that enters their component during a step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TypeVar

from sspsim.errors import UsageError
from sspsim.fmi.description import Description
from sspsim.graph.dependencies import Dependencies, influences
from sspsim.graph.flat import FlatSystem, Port

T = TypeVar("T")


def per_description(system: FlatSystem, function: Callable[[Description], T]) -> list[T]:
    """A function of the description for each instance, computed once for instances of the same FMU."""
    known: dict[int, T] = {}
    for instance in system.instances:
        if id(instance.description) not in known:
            known[id(instance.description)] = function(instance.description)
    return [known[id(instance.description)] for instance in system.instances]


def time_only_outputs(system: FlatSystem, marked: Iterable[Port] = ()) -> frozenset[Port]:
    """Outputs that are functions of time alone, arrays as a whole (`Port.element` is 0).

    Such are all outputs of a component that nothing enters, those whose model structure proves that nothing
    that enters can change them, and those marked by the user. What is fed by time-only outputs alone is a
    function of time as well, and so on down the chain. A ring of components is not, though nothing enters it:
    it has to be solved.
    """
    search = _Search(system)
    for port in marked:
        search.add(port)
    for i in range(len(system.instances)):
        search.look_at(i)
    search.follow()
    return frozenset(search.found)


def marked_outputs(system: FlatSystem, names: Iterable[str]) -> list[Port]:
    """The outputs that a user names as "component.output", or all of a component as "component.*"."""
    wanted = list(names)
    known = _outputs_by_name(system) if wanted else {}
    for name in wanted:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else "write it as component.output"
            raise UsageError(f"there is no output {name!r} that could be marked as time-only; {hint}")
    return [port for name in wanted for port in known[name]]


def _outputs_by_name(system: FlatSystem) -> dict[str, list[Port]]:
    """What can be marked: outputs, and other variables that are connected like outputs."""
    ports = dict.fromkeys(
        Port(i, unknown.variable)
        for i, instance in enumerate(system.instances)
        for unknown in instance.description.outputs
    )
    ports.update(dict.fromkeys(k.source.whole for k in system.links))
    found: dict[str, list[Port]] = {}
    for port in ports:
        component = system.instances[port.instance].name
        found.setdefault(f"{component}.*", []).append(port)
        found[f"{component}.{port.variable}"] = [port]
    return found


class _Search:
    """Grows the set of time-only outputs until nothing more can be said."""

    def __init__(self, system: FlatSystem) -> None:
        self.influences: list[Dependencies] = per_description(system, influences)
        self.outputs = per_description(system, lambda about: {u.variable for u in about.outputs})
        # What is connected like an output, but is none.
        self.others: dict[int, set[str]] = defaultdict(set)
        # How many values enter by each input that is not known to be fed by functions of time.
        self.live: list[dict[str, int]] = [{} for _ in system.instances]
        self.targets: dict[Port, list[Port]] = defaultdict(list)
        self.found: set[Port] = set()
        self.news: list[Port] = []
        for link in system.links:
            source, target = link.source.whole, link.target
            live = self.live[target.instance]
            live[target.variable] = live.get(target.variable, 0) + 1
            self.targets[source].append(target)
            if source.variable not in self.outputs[source.instance]:
                self.others[source.instance].add(source.variable)

    def add(self, output: Port) -> None:
        if output not in self.found:
            self.found.add(output)
            self.news.append(output)

    def look_at(self, instance: int) -> None:
        live = self.live[instance]
        proofs = self.influences[instance]
        if live and not proofs:
            return
        for variable in self.outputs[instance] | self.others.get(instance, set()):
            names = proofs.get(variable)
            if not live or (names is not None and names.isdisjoint(live)):
                self.add(Port(instance, variable))

    def follow(self) -> None:
        """What a time-only output feeds no longer counts as entering."""
        while self.news:
            for target in self.targets[self.news.pop()]:
                live = self.live[target.instance]
                live[target.variable] -= 1
                if live[target.variable] == 0:
                    del live[target.variable]
                    self.look_at(target.instance)
