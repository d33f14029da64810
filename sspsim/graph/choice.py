"""Which master fits which stage, and why: plain data, the masters themselves are further on."""

from __future__ import annotations

from dataclasses import dataclass

from sspsim.graph.analysis import Analysis
from sspsim.graph.flat import FlatSystem

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
    return tuple(_choose(system, analysis, stage) for stage in range(len(analysis.order)))


def _choose(system: FlatSystem, analysis: Analysis, stage: int) -> Choice:
    members = analysis.order[stage]
    if stage not in analysis.cycles:
        return Choice(stage, ONE_PASS, "it is in no cycle: one pass in order is exact")
    number = analysis.cycles.index(stage) + 1
    if len(members) == 1:
        name = system.instances[members[0]].name
        why = f"{name} feeds itself; a cycle of one component is passed once"
        return Choice(stage, ONE_PASS, why, "a smaller step makes the assumed value better")
    fixed = [system.instances[i].name for i in members if not system.instances[i].interface.rollback]
    if fixed:
        names = _listed(fixed)
        why = (
            f"{names} cannot be rolled back, so cycle {number} is passed once; the defect monitor watches it"
        )
        advice = f"export {names} with the capability to get and set the FMU state; then it can be iterated"
        return Choice(stage, ONE_PASS, why, advice)
    if _is_algebraic(analysis, stage) and all(
        system.instances[i].interface.directional_derivatives for i in members
    ):
        why = f"cycle {number} has an algebraic loop, and all its components give directional derivatives"
        return Choice(stage, ITERATING_WITH_DERIVATIVES, why)
    if _has_reals(system, analysis, stage):
        why = f"all components of cycle {number} can be rolled back: it is iterated with few extra steps"
        return Choice(stage, ITERATING, why)
    why = f"all components of cycle {number} can be rolled back, and no real values are exchanged in it"
    return Choice(stage, ITERATING_WITHOUT_REALS, why)


def _is_algebraic(analysis: Analysis, stage: int) -> bool:
    members = set(analysis.order[stage])
    return any(port.instance in members for loop in analysis.loops for port in loop)


def _has_reals(system: FlatSystem, analysis: Analysis, stage: int) -> bool:
    members = set(analysis.order[stage])
    for link in system.links:
        if link.source.instance in members and link.target.instance in members:
            variable = system.instances[link.source.instance].description.by_name[link.source.variable]
            if variable.type.is_real and not analysis.is_time_only(link.source):
                return True
    return False


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
