"""The system as networkx graphs, for people who know networkx.

The component graph has component names ("house.zone") as nodes. Their attributes: fmi (1, 2 or 3), model (its
name in the FMU), rollback, variable_step (bool), stage (int, place in the order of evaluation, from 1), cycle
(int, from 1; 0: in none), kind ("co-simulation", "model exchange", "scheduled execution"),
directional_derivatives (bool); where SSP Traceability describes an FMU, its classifications (str, only in
`LoadedSystem.graph`). An edge leads from the giving to the taking component: variables (int, how many scalars),
live (int, those that are no functions of time), time_only (bool: none is live), broken (bool: live and against
the order of evaluation), connections (str, "output -> input; ...").

The variable graph has "component.variable" as nodes, with component, variable, causality, type and unit (str,
may be empty) and time_only (bool). Its edges have a kind: "connection", with factor and offset, or
"feedthrough", with told (bool: False if the model structure does not tell, so that the dependency is assumed).

All attributes are numbers, truth values and texts, which every file format of networkx can hold.
"""

from __future__ import annotations

from collections import defaultdict

import networkx as nx

from sspsim.graph.analysis import Analysis, analyse
from sspsim.graph.dependencies import feedthrough, initial_feedthrough
from sspsim.graph.facts import kind_of
from sspsim.graph.flat import FlatSystem, Link, Port
from sspsim.graph.loops import dependent_inputs
from sspsim.graph.time_only import per_description


def component_graph(system: FlatSystem, analysis: Analysis | None = None) -> nx.DiGraph:
    """One node per component, an edge where an output of one feeds an input of the other (see the module's
    text).
    """
    analysis = analysis or analyse(system)
    graph = nx.DiGraph(name=system.name)
    stage_of = {i: s for s, members in enumerate(analysis.order) for i in members}
    place = {i: k for k, i in enumerate(stage_of)}
    cycle_of = {stage: number for number, stage in enumerate(analysis.cycles, 1)}
    for i, instance in enumerate(system.instances):
        graph.add_node(
            instance.name,
            fmi=instance.description.fmi,
            kind=kind_of(instance),
            model=instance.description.name,
            rollback=instance.interface.rollback,
            variable_step=instance.interface.variable_step,
            directional_derivatives=instance.interface.directional_derivatives,
            stage=stage_of[i] + 1,
            cycle=cycle_of.get(stage_of[i], 0),
        )
    for source, target, links in bundles(system.links):
        live = {link.source for link in links if not analysis.is_time_only(link.source)}
        graph.add_edge(
            system.instances[source].name,
            system.instances[target].name,
            variables=len({link.source for link in links}),
            live=len(live),
            broken=bool(live) and place[source] >= place[target],
            time_only=not live,
            connections="; ".join(f"{link.source.variable} -> {link.target.variable}" for link in links),
        )
    return graph


def variable_graph(
    system: FlatSystem, analysis: Analysis | None = None, *, initial: bool = False
) -> nx.DiGraph:
    """One node per connected variable; `initial` takes the dependencies and links of the initialisation."""
    analysis = analysis or analyse(system)
    graph = nx.DiGraph(name=system.name)
    inputs: dict[int, list[str]] = defaultdict(list)
    outputs: dict[int, list[str]] = defaultdict(list)
    for link in (*system.links, *system.initial_links) if initial else system.links:
        for port, side in ((link.source, outputs), (link.target, inputs)):
            if _node(system, port) not in graph:
                side[port.instance].append(port.variable)
                _add_variable(graph, system, port, analysis.is_time_only(port))
        ends = _node(system, link.source), _node(system, link.target)
        graph.add_edge(*ends, kind="connection", factor=link.factor, offset=link.offset)
    dependencies = per_description(system, initial_feedthrough if initial else feedthrough)
    for i, names in outputs.items():
        for name in names:
            told = dependencies[i].get(name)
            for entering in dependent_inputs(inputs[i], told):
                ends = _node(system, Port(i, entering)), _node(system, Port(i, name))
                graph.add_edge(*ends, kind="feedthrough", told=told is not None)
    return graph


def bundles(links: tuple[Link, ...]) -> list[tuple[int, int, list[Link]]]:
    """All links from one component to another as one."""
    found: dict[tuple[int, int], list[Link]] = defaultdict(list)
    for link in links:
        found[link.source.instance, link.target.instance].append(link)
    return [(source, target, bundle) for (source, target), bundle in found.items()]


def _node(system: FlatSystem, port: Port) -> str:
    return f"{system.instances[port.instance].name}.{port.variable}"


def _add_variable(graph: nx.DiGraph, system: FlatSystem, port: Port, time_only: bool) -> None:
    variable = system.instances[port.instance].description.by_name[port.variable]
    graph.add_node(
        _node(system, port),
        component=system.instances[port.instance].name,
        variable=variable.name,
        causality=variable.causality,
        type=variable.type.value,
        unit=variable.unit or "",
        time_only=time_only,
    )
