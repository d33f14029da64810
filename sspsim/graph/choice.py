"""Which master fits which stage, and why: plain data, the masters themselves are further on."""

from __future__ import annotations

from dataclasses import dataclass

from sspsim.graph.analysis import Analysis
from sspsim.graph.flat import FlatSystem, Instance

ONE_PASS = "gauss-seidel"
ITERATING = "anderson"
ITERATING_WITH_DERIVATIVES = "newton"
ITERATING_WITHOUT_REALS = "gauss-seidel-iterated"


@dataclass(frozen=True, slots=True)
class Choice:
    """The master for one stage of the order; `advice` says what a better one would need, if there is any."""

    stage: int
    master: str
    why: str
    advice: str = ""

    @property
    def iterates(self) -> bool:
        """Whether the components of the stage are rolled back."""
        return self.master != ONE_PASS


def choose_masters(system: FlatSystem, analysis: Analysis) -> tuple[Choice, ...]:
    """One choice per stage of the order."""
    number_of = {stage: number for number, stage in enumerate(analysis.cycles, 1)}
    algebraic = _algebraic_stages(analysis)
    with_reals = _stages_with_reals(system, analysis)
    return tuple(
        _choose(system, members, stage, number_of[stage], stage in algebraic, stage in with_reals)
        if stage in number_of
        else Choice(stage, ONE_PASS, "it is in no cycle: one pass in order is exact")
        for stage, members in enumerate(analysis.order)
    )


def _choose(
    system: FlatSystem, members: tuple[int, ...], stage: int, number: int, algebraic: bool, with_reals: bool
) -> Choice:
    """The master of cycle `number`."""
    components = [system.instances[i] for i in members]
    if len(components) == 1:
        why = f"{components[0].name} feeds itself; a cycle of one component is passed once"
        return Choice(stage, ONE_PASS, why, "a smaller step makes the assumed value better")
    fixed = [c for c in components if not c.interface.rollback]
    if fixed:
        names = _listed(fixed)
        why = (
            f"{names} cannot be rolled back, so cycle {number} is passed once; the defect monitor watches it"
        )
        version = " (FMI 2 or 3)" if any(c.description.fmi == 1 for c in fixed) else ""
        advice = f"export {names} with the capability to get and set the FMU state{version}"
        return Choice(stage, ONE_PASS, why, f"{advice}; then it can be iterated")
    if not with_reals:
        why = f"all components of cycle {number} can be rolled back, and no real values are exchanged in it"
        return Choice(stage, ITERATING_WITHOUT_REALS, why)
    silent = [c for c in components if not c.interface.directional_derivatives]
    if algebraic and not silent:
        why = f"cycle {number} has an algebraic loop, and all its components give directional derivatives"
        return Choice(stage, ITERATING_WITH_DERIVATIVES, why)
    why = f"all components of cycle {number} can be rolled back: it is iterated with few extra steps"
    advice = (
        f"directional derivatives of {_listed(silent)} would let newton solve its algebraic loop"
        if algebraic
        else ""
    )
    return Choice(stage, ITERATING, why, advice)


def _algebraic_stages(analysis: Analysis) -> set[int]:
    members = {port.instance for loop in analysis.loops for port in loop}
    return {stage for stage in analysis.cycles if not members.isdisjoint(analysis.order[stage])}


def _stages_with_reals(system: FlatSystem, analysis: Analysis) -> set[int]:
    """The cycles in which live real values travel."""
    stage_of = {i: stage for stage in analysis.cycles for i in analysis.order[stage]}
    found: set[int] = set()
    for link in system.links:
        stage = stage_of.get(link.source.instance)
        if stage is None or stage in found or stage != stage_of.get(link.target.instance):
            continue
        variable = system.instances[link.source.instance].description.by_name[link.source.variable]
        if variable.type.is_real and not analysis.is_time_only(link.source):
            found.add(stage)
    return found


def _listed(components: list[Instance]) -> str:
    names = [component.name for component in components]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
