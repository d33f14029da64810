"""The structural analysis: time-only outputs, cycles, the order of evaluation, algebraic loops."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from sspsim.errors import UsageError
from sspsim.garbage import no_collection
from sspsim.graph.flat import FlatSystem, Link, Port
from sspsim.graph.loops import Loops, algebraic_loops
from sspsim.graph.stages import Flow, Stages
from sspsim.graph.time_only import marked_outputs, time_only_outputs


@dataclass(frozen=True, slots=True)
class Analysis:
    """What can be said about a system before it is simulated.

    Components are places in `FlatSystem.instances`. `order` has one entry per stage: a single component, or
    all of a cycle. `broken` are the links whose value is assumed when it is used, since it is computed later
    in the same cycle; `held` are links of time-only outputs against the order (or between cycles that
    were given): they hand on the value at the beginning of the step.
    """

    order: tuple[tuple[int, ...], ...]
    cycles: tuple[int, ...]  # the stages that are cycles, places in `order`
    time_only: frozenset[Port]
    broken: tuple[Link, ...]
    held: tuple[Link, ...]
    loops: Loops  # algebraic ones, at communication points
    initial_loops: Loops

    def is_time_only(self, port: Port) -> bool:
        """Whether a value is a function of time alone."""
        return port.whole in self.time_only


@no_collection()
def analyse(
    system: FlatSystem,
    *,
    time_only: Collection[str] = (),
    order: Sequence[str] = (),
    cycles: Sequence[Sequence[str]] = (),
) -> Analysis:
    """Analyses a flat system; the result does not depend on the order of its components and links.

    `time_only` marks outputs ("component.output") as functions of time. `order` names components; inside each
    cycle they are evaluated in that order (it has to name all of the cycle's members or none). `cycles` are
    taken as they are instead of computed: all components in groups, in their order of evaluation.
    """
    paths = [instance.path for instance in system.instances]
    timed_outputs = time_only_outputs(system, marked_outputs(system, time_only))
    loops, initial_loops = algebraic_loops(system, timed_outputs)
    timed_links, live_links = _parted(system.links, timed_outputs)
    live, timed = _flow(system, live_links), _flow(system, timed_links)
    wish = _Wish(system, order)
    found = _given(system, cycles) if cycles else Stages(paths, live, timed).in_order(wish.arranged)
    stage_of = {i: s for s, members in enumerate(found) for i in members}
    place = {i: k for k, i in enumerate(stage_of)}
    rank = {i: k for k, i in enumerate(sorted(stage_of, key=paths.__getitem__))}

    def against(links: Iterable[Link]) -> tuple[Link, ...]:
        """Those that lead backwards, in an order that the files have no influence on."""
        backwards = [k for k in links if place[k.source.instance] >= place[k.target.instance]]
        return tuple(sorted(backwards, key=lambda k: _sort_key(k, rank)))

    def inside(link: Link) -> bool:
        return stage_of[link.source.instance] == stage_of[link.target.instance]

    assumed = against(live_links)  # between two stages only if `cycles` say so
    return Analysis(
        order=found,
        cycles=tuple(
            s for s, members in enumerate(found) if len(members) > 1 or members[0] in live[members[0]]
        ),
        time_only=timed_outputs,
        broken=tuple(k for k in assumed if inside(k)),
        held=(*against(timed_links), *(k for k in assumed if not inside(k))),
        loops=loops,
        initial_loops=initial_loops,
    )


def _sort_key(link: Link, rank: Mapping[int, int]) -> tuple[Any, ...]:
    """By components first, whatever their numbers; then by variables."""
    source, target = link.source, link.target
    return rank[source.instance], rank[target.instance], source[1:], target[1:]


def _given(system: FlatSystem, cycles: Sequence[Sequence[str]]) -> tuple[tuple[int, ...], ...]:
    """The cycles that somebody else has chosen; components that are in none come first, each by itself."""
    place = {instance.name: i for i, instance in enumerate(system.instances)}
    named = {name for members in cycles for name in members}
    others = [(i,) for name, i in place.items() if name not in named]
    return (*others, *(tuple(place[name] for name in members) for members in cycles if members))


def _parted(links: Iterable[Link], time_only: Set[Port]) -> tuple[list[Link], list[Link]]:
    """The links that hand functions of time on, and all others."""
    parts: tuple[list[Link], list[Link]] = ([], [])
    for link in links:
        parts[link.source.whole not in time_only].append(link)
    return parts


def _flow(system: FlatSystem, links: Iterable[Link]) -> Flow:
    """How many values the links hand on from component to component; one that is used twice counts once."""
    flow: list[dict[int, int]] = [{} for _ in system.instances]
    for source, target in dict.fromkeys((link.source, link.target.instance) for link in links):
        targets = flow[source.instance]
        targets[target] = targets.get(target, 0) + 1
    return flow


class _Wish:
    """The order that a user wants inside cycles."""

    def __init__(self, system: FlatSystem, names: Sequence[str]) -> None:
        self.names = [instance.name for instance in system.instances]
        known = set(self.names)
        self.place = {name: k for k, name in enumerate(names)}
        if len(self.place) < len(names):
            raise UsageError("a component is named twice in the order of evaluation; name each once")
        for name in names:
            if name not in known:
                near = get_close_matches(name, self.names, 1)
                hint = f"did you mean {near[0]!r}?" if near else "'sspsim info' lists the components"
                raise UsageError(f"the order of evaluation names {name!r}, which is no component; {hint}")

    def arranged(self, members: Sequence[int]) -> list[int]:
        """The members as the user wants them; nothing if none is named."""
        named = [i for i in members if self.names[i] in self.place]
        if named and len(named) < len(members):
            missing = ", ".join(self.names[i] for i in members if i not in named)
            first = self.names[named[0]]
            raise UsageError(
                f"the order of evaluation names {first!r}, but not all of its cycle; add {missing}"
            )
        return sorted(named, key=lambda i: self.place[self.names[i]])
