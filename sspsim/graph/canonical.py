"""The same system in the same words, whatever the order in its files."""

from __future__ import annotations

from dataclasses import replace

from sspsim.graph.flat import FlatSystem, Instance, Link, Port


def canonical(system: FlatSystem) -> FlatSystem:
    """Instances sorted by path, links by what they feed, recorded variables as in their FMU.

    Everything behind it (plan, results to the last bit, columns) then is independent of the order in the
    files. Aliases are replaced by the name of their variable.
    """
    ranked = sorted(range(len(system.instances)), key=lambda i: system.instances[i].path)
    place = {i: rank for rank, i in enumerate(ranked)}

    def port(old: Port) -> Port:
        name = system.instances[old.instance].description.by_name[old.variable].name
        return Port(place[old.instance], name, old.index)

    links = [Link(port(k.source), port(k.target), k.factor, k.offset, k.table, k.via) for k in system.links]
    return replace(
        system,
        instances=tuple(_sorted_records(system.instances[i]) for i in ranked),
        links=tuple(sorted(links, key=_by_target)),
        outputs=tuple(
            replace(output, source=port(output.source))
            for output in sorted(system.outputs, key=lambda o: o.name)
        ),
    )


def _by_target(link: Link) -> tuple[int, str, int, Port]:
    return link.target.instance, link.target.variable, link.target.index, link.source


def _sorted_records(instance: Instance) -> Instance:
    wanted = {instance.description.by_name[name].name for name in instance.recorded}
    recorded = tuple(v.name for v in instance.description.variables if v.name in wanted)
    return replace(instance, recorded=recorded)
