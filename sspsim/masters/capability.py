"""Whether the components can do what masters and step-size control ask of them; said before the run, with
advice.
"""

from __future__ import annotations

from collections.abc import Sequence

from sspsim.errors import UsageError
from sspsim.fmi.slave import Entry
from sspsim.graph.flat import Instance
from sspsim.masters.base import Master
from sspsim.masters.grid import Grid
from sspsim.masters.stepping import Stepping


def check_master(members: Sequence[Instance], master: Master) -> None:
    """Refuses to iterate over components that cannot go back."""
    stiff = [m.name for m in members if not m.interface.rollback]
    if len(members) > 1 and master.iterates and stiff:
        raise UsageError(
            f"the master {master.name!r} repeats steps, but {_cannot(stiff, 'save and restore')} "
            "(canGetAndSetFMUstate is not true in the modelDescription.xml, or --verify-rollback found it broken); "
            "use gauss-seidel with one iteration, or auto, which does that for this cycle "
            "and watches the coupling defect"
        )


def check_stepping(instances: Sequence[Instance], stepping: Stepping) -> None:
    """Refuses to vary the step of components that cannot go back or need equal steps."""
    if not stepping.adaptive:
        return
    stiff = [i.name for i in instances if not i.interface.rollback]
    if stiff:
        raise UsageError(
            f"step-size control by {stepping.name!r} repeats steps, but {_cannot(stiff, 'save and restore')} "
            "(canGetAndSetFMUstate is not true); use fixed steps (--stepping fixed) and one pass per step"
        )
    stiff = [i.name for i in instances if not i.interface.variable_step]
    if stiff:
        raise UsageError(
            f"step-size control by {stepping.name!r} varies the step, but {', '.join(stiff)} "
            f"{'needs' if len(stiff) == 1 else 'need'} steps of equal length "
            "(canHandleVariableCommunicationStepSize is not true); use fixed steps (--stepping fixed)"
        )


def check_saving(instances: Sequence[Instance]) -> None:
    """Refuses to keep a moment of components that cannot go back to it."""
    stiff = [i.name for i in instances if not i.interface.rollback]
    if stiff:
        raise UsageError(
            f"this moment cannot be saved: {_cannot(stiff, 'save and restore')} "
            "(canGetAndSetFMUstate is not true); step without going back"
        )


def check_checkpoints(instances: Sequence[Instance], entries: Sequence[Entry]) -> None:
    """Refuses checkpoints of components that cannot put their state into bytes."""
    stiff = [
        instance.name
        for instance, entry in zip(instances, entries, strict=True)
        if not (instance.interface.serialize and "serialize" in entry.functions)
    ]
    if stiff:
        raise UsageError(
            f"there are no checkpoints of this system: {_cannot(stiff, 'serialise')} (canSerializeFMUstate is "
            "not true, or it is isolated, or integrated by us as model exchange); leave out --checkpoint-every"
        )


def short_last_step(instances: Sequence[Instance], grid: Grid) -> str | None:
    """What to say if the last fixed step is shorter than the others, and somebody may mind."""
    stiff = [i.name for i in instances if not i.interface.variable_step]
    if grid.even or not stiff or grid.steps < 2:
        return None
    return (
        f"the last step is {grid.last_step!r} instead of {grid.step!r} to end at {grid.stop!r}, "
        f"but {', '.join(stiff)} may accept steps of equal length only; choose a step that divides the run"
    )


def _cannot(names: Sequence[str], what: str) -> str:
    return f"{', '.join(names)} cannot {what} {'its' if len(names) == 1 else 'their'} state"
