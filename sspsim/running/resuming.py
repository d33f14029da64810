"""Going on from a checkpoint: whether it fits the run, and what is taken from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from sspsim.engine.checkpoint import Checkpoint, read_checkpoint
from sspsim.errors import InputError, UsageError
from sspsim.graph.run_parameters import REFERENCE_TIME, RESULTS_FOLDER
from sspsim.masters.grid import Grid
from sspsim.running.setup import Setup

OF_THE_RUN = (RESULTS_FOLDER, REFERENCE_TIME)  # parameters that may be others when a run goes on elsewhere


def identity(setup: Setup) -> dict[str, Any]:
    """Whose checkpoint it is: states and values would be misunderstood elsewhere."""
    instances, plan = setup.flat.instances, setup.plan
    values = [
        (given.variable.name, given.values)
        for instance in instances
        for given in instance.starts
        if given.variable.name not in OF_THE_RUN
    ]
    places = (plan.slot_names, plan.integer_names, plan.text_names)
    columns = [column.name for column in setup.layout().columns]
    return {
        "components": [[instance.name, instance.description.guid] for instance in instances],
        "values": _digest(values),
        "places": _digest((places, columns)),
        "start": setup.start,
    }


def _digest(content: object) -> str:
    return sha256(repr(content).encode()).hexdigest()


def fitting(path: Path, setup: Setup) -> Checkpoint:
    """The checkpoint of a file, if this run can go on from there."""
    found = read_checkpoint(path)
    head, own = found.head, identity(setup)
    if head["components"] != own["components"]:
        raise InputError(f"{path}: the checkpoint belongs to another system or other FMUs")
    if head["start"] != own["start"]:
        raise UsageError(f"{path}: that run began at t={head['start']!r}, not at {own['start']!r}")
    if head["places"] != own["places"]:
        raise UsageError(
            f"{path}: that run had other connections or recorded other variables; ask for the same, "
            "or start the run anew"
        )
    if head["time"] > setup.stop:
        raise UsageError(
            f"{path}: that run has come to t={head['time']!r}, beyond the stop time {setup.stop!r}"
        )
    return found


def notices_about(head: Mapping[str, Any], setup: Setup) -> Iterator[str]:
    """What somebody may not expect when a run goes on."""
    if head["values"] != identity(setup)["values"]:
        yield "parameters and start values are those of the checkpoint, which differ from those of this run"


def grid_from(head: Mapping[str, Any], setup: Setup) -> tuple[Grid, int]:
    """The communication points to go on with if steps are fixed, and how many steps lie before them.

    They are those of the run before if that was on them; with another step new ones begin.
    """
    begin, before = head["grid"]
    if begin + (head["steps"] - before) * setup.step == head["time"]:
        return Grid(begin, setup.stop, setup.step), before
    return Grid(head["time"], setup.stop, setup.step), head["steps"]
