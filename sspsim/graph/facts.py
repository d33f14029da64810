"""The analysis in plain words and lists, as `sspsim info --json` prints it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sspsim.graph.analysis import Analysis
from sspsim.graph.choice import Choice, choose_masters
from sspsim.graph.flat import FlatSystem, Instance, Link, Port


def facts(system: FlatSystem, analysis: Analysis) -> dict[str, Any]:
    """Components, order, cycles, broken and held edges, time-only outputs, loops, masters."""
    names = [instance.name for instance in system.instances]

    def variables(ports: Iterable[Port]) -> list[str]:
        return sorted(f"{names[port.instance]}.{port.variable}" for port in ports)

    def edges(links: Iterable[Link]) -> list[dict[str, str]]:
        return [
            {"source": _element(names, link.source, link), "target": _element(names, link.target, link)}
            for link in links
        ]

    number_of = {stage: number for number, stage in enumerate(analysis.cycles, 1)}
    order = [[names[i] for i in members] for members in analysis.order]
    return {
        "system": system.name,
        "components": [_component(instance) for instance in system.instances],
        "order": order,
        "cycles": [order[stage] for stage in analysis.cycles],
        "broken_edges": edges(analysis.broken),
        "held_edges": edges(analysis.held),
        "time_only": variables(analysis.time_only),
        "loops": {
            "initialization": [variables(loop) for loop in analysis.initial_loops],
            "stepping": [variables(loop) for loop in analysis.loops],
        },
        "masters": [
            _master(choice, order[choice.stage], number_of.get(choice.stage))
            for choice in choose_masters(system, analysis)
        ],
    }


def kind_of(instance: Instance) -> str:
    """Which interface of its FMU a component uses."""
    if instance.interface == instance.description.model_exchange:
        return "model exchange"
    if instance.interface == instance.description.scheduled_execution:
        return "scheduled execution"
    return "co-simulation"


def _element(names: list[str], port: Port, link: Link) -> str:
    """With its place, counted from 1, if only single elements of an array are connected."""
    index = f"[{port.element + 1}]" if link.source.element or link.target.element else ""
    return f"{names[port.instance]}.{port.variable}{index}"


def _component(instance: Instance) -> dict[str, Any]:
    interface = instance.interface
    return {
        "name": instance.name,
        "fmi": instance.description.fmi,
        "kind": kind_of(instance),
        "model": instance.description.name,
        "tool": instance.description.generation_tool,
        "inputs": len(instance.description.inputs),
        "outputs": len(instance.description.outputs),
        "rollback": interface.rollback,
        "variable_step": interface.variable_step,
        "directional_derivatives": interface.directional_derivatives,
        "interpolates_inputs": interface.interpolates_inputs,
        "once_per_process": interface.once_per_process,
        "needs_tool": interface.needs_tool,
    }


def _master(choice: Choice, components: list[str], cycle: int | None) -> dict[str, Any]:
    return {
        "components": components,
        "cycle": cycle,
        "master": choice.master,
        "iterates": choice.iterates,
        "why": choice.why,
        "advice": choice.advice,
    }
