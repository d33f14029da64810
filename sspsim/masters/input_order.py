"""Inputs between communication points: which of them are known at the end of a step before it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sspsim.errors import UsageError
from sspsim.fmi.codes import Bank, Code
from sspsim.graph.flat import FlatSystem, Instance
from sspsim.masters.assignment import Assignment
from sspsim.plan import Feed, Plan

ORDERS = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Driven:
    """A real input: who feeds it, and whether the value that it gets belongs to the end of the step."""

    reference: int
    ahead: bool
    source: int  # the component
    source_reference: int
    factor: float


def check_order(order: int) -> None:
    """Raises a UsageError for an order that there is none of."""
    if order not in ORDERS:
        raise UsageError(f"--input-order is 0 (held), 1 (linear) or 2 (quadratic), not {order}")


def interpolating(system: FlatSystem) -> list[int]:
    """The components that can interpolate their inputs."""
    return [i for i, instance in enumerate(system.instances) if _interpolates(instance)]


def _interpolates(instance: Instance) -> bool:
    """With derivatives of inputs before FMI 3, with intermediate updates since."""
    if instance.interface.kind != "CoSimulation":
        return False
    if instance.description.fmi < 3:
        return instance.interface.interpolates_inputs
    return instance.interface.intermediate_update and any(v.follows for v in instance.description.inputs)


def driven_inputs(plan: Plan, assignments: Sequence[Assignment], component: int) -> list[Driven]:
    """The connected real inputs of a component."""
    writers = _writers(plan)
    place = {i: (number, k) for number, a in enumerate(assignments) for k, i in enumerate(a.stage.components)}
    found = []
    for call in plan.wirings[component].sets:
        if call.code is not Code.FLOAT64:
            continue
        for reference, feed in zip(call.references, call.feeds, strict=True):
            if feed.bank is Bank.REAL and feed.slot in writers:
                found.append(_driven(reference, feed, writers[feed.slot], place, assignments, component))
    return found


def _driven(
    reference: int,
    feed: Feed,
    writer: tuple[int, int],
    place: Mapping[int, tuple[int, int]],
    assignments: Sequence[Assignment],
    component: int,
) -> Driven:
    source, source_reference = writer
    (source_stage, source_position), (stage, position) = place[source], place[component]
    same = source_stage == stage
    # Within a cycle that is passed once only what was stepped before is known; iterations know both ends.
    early = source_position < position and not assignments[stage].master.simultaneous
    ahead = not same or early or not assignments[stage].once
    return Driven(reference, ahead, source, source_reference, feed.factor)


def _writers(plan: Plan) -> dict[int, tuple[int, int]]:
    """Who writes the reals: component and value reference, by slot; arrays are left out."""
    found: dict[int, tuple[int, int]] = {}
    for i, wiring in enumerate(plan.wirings):
        for call in (*wiring.iterated, *wiring.handed_on):
            if call.code.bank is Bank.REAL and call.count == len(call.references):
                found.update({call.first + k: (i, r) for k, r in enumerate(call.references)})
    return found
