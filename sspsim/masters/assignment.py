"""Which master takes which cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sspsim.errors import UsageError
from sspsim.graph.analysis import Analysis
from sspsim.graph.choice import choose_masters
from sspsim.graph.flat import FlatSystem
from sspsim.masters.auto import Auto
from sspsim.masters.base import Master
from sspsim.masters.capability import check_master
from sspsim.plan import Stage


@dataclass(frozen=True, slots=True)
class Assignment:
    """A cycle, its master and the reason for it."""

    stage: Stage
    name: str
    master: Master
    why: str

    @property
    def once(self) -> bool:
        """Whether a step is one pass: nothing to iterate, or a master that does not."""
        return len(self.stage.components) == 1 or not self.master.iterates

    @property
    def watched(self) -> bool:
        """Whether the coupling defect is noted: one pass, although the components feed each other."""
        return self.once and self.stage.count > 0


def assign(
    system: FlatSystem,
    analysis: Analysis,
    stages: Sequence[Stage],
    master: Master | Auto,
    special: Mapping[str, Master | Auto],
) -> list[Assignment]:
    """A master for each cycle; `special` names a component of a cycle and the master for that cycle."""
    if master.simultaneous and not special:
        stages = [_all_as_one(stages)]
    by_stage = _by_stage(system, stages, special)
    choices = choose_masters(system, analysis)
    found = []
    for k, stage in enumerate(stages):
        members = [system.instances[i] for i in stage.components]
        chosen, why = by_stage.get(k, master), "as asked for"
        if isinstance(chosen, Auto):
            chosen, why = chosen.master(choices[k])
        check_master(members, chosen)
        found.append(Assignment(stage, "+".join(m.name for m in members), chosen, why))
    return found


def _all_as_one(stages: Sequence[Stage]) -> Stage:
    """All components step at once; the iterated values of the stages follow one another."""
    components = tuple(i for stage in stages for i in stage.components)
    return Stage(components, 0, sum(stage.count for stage in stages))


def _by_stage(
    system: FlatSystem, stages: Sequence[Stage], special: Mapping[str, Master | Auto]
) -> dict[int, Master | Auto]:
    names = {instance.name: i for i, instance in enumerate(system.instances)}
    found: dict[int, Master | Auto] = {}
    for name, master in special.items():
        if name not in names:
            raise UsageError(
                f"no component {name!r} for the master {master.name!r}; there are {', '.join(names)}"
            )
        k = next(k for k, stage in enumerate(stages) if names[name] in stage.components)
        if found.setdefault(k, master) is not master:
            raise UsageError(
                f"{name!r} is in a cycle that has another master already; name one component per cycle"
            )
    return found
