"""The same system in the same words, whatever the order in its files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import attrgetter

from sspsim.garbage import no_collection
from sspsim.graph.flat import ENVIRONMENT, FlatSystem, Instance, Link, Port


@no_collection()
def canonical(system: FlatSystem) -> FlatSystem:
    """Instances sorted by path, links by what they feed, recorded variables as in their FMU.

    Everything behind it (plan, results to the last bit) then is independent of the order in the files, which
    only says in which order results are shown. Aliases are replaced by the name of their variable.
    """
    ranked = sorted(range(len(system.instances)), key=lambda i: system.instances[i].path)
    place = {i: rank for rank, i in enumerate(ranked)}
    by_name = [instance.description.by_name for instance in system.instances]

    def port(old: Port) -> Port:
        instance, variable, element = old
        if instance == ENVIRONMENT:
            return old
        return Port(place[instance], by_name[instance][variable].name, element)

    def ordered(links: Iterable[Link]) -> tuple[Link, ...]:
        moved = [Link(port(k.source), port(k.target), *k[2:]) for k in links]
        return tuple(sorted(moved, key=attrgetter("target", "source")))

    return replace(
        system,
        instances=tuple(replace(_sorted_records(system.instances[i]), position=i) for i in ranked),
        links=ordered(system.links),
        initial_links=ordered(system.initial_links),
        inputs=tuple(
            replace(entry, links=ordered(entry.links))
            for entry in sorted(system.inputs, key=lambda e: e.name)
        ),
        fixed_outputs=tuple(sorted(system.fixed_outputs, key=lambda o: o.name)),
        outputs=tuple(
            replace(output, source=port(output.source))
            for output in sorted(system.outputs, key=lambda o: o.name)
        ),
    )


def _sorted_records(instance: Instance) -> Instance:
    wanted = {instance.description.by_name[name].name for name in instance.recorded}
    recorded = tuple(v.name for v in instance.description.variables if v.name in wanted)
    return replace(instance, recorded=recorded)
