"""What masters keep from step to step, as a checkpoint holds it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sspsim.errors import UsageError
from sspsim.masters.assignment import Assignment
from sspsim.masters.base import Cycle

Kept = list[tuple[str, str, Any]]  # cycle, master, workspace


def kept_workspaces(cycles: Sequence[Cycle], assignments: Sequence[Assignment]) -> Kept:
    """The workspaces in use, each with its cycle and master; an error if one is no plain data."""
    kept = []
    for cycle, assignment in zip(cycles, assignments, strict=True):
        if cycle.workspace is not None:
            plain = assignment.master.to_plain(cycle.workspace)
            _require_plain(plain, assignment)
            kept.append((assignment.name, assignment.master.name, plain))
    return kept


def fitting_workspaces(kept: Kept, assignments: Sequence[Assignment]) -> list[Any]:
    """One for each cycle; none where another master takes over, which has learnt nothing yet."""
    known = {(cycle, master): workspace for cycle, master, workspace in kept}
    found = [known.get((assignment.name, assignment.master.name)) for assignment in assignments]
    return [
        None if plain is None else assignment.master.from_plain(plain)
        for plain, assignment in zip(found, assignments, strict=True)
    ]


def _require_plain(workspace: Any, assignment: Assignment) -> None:
    """What JSON gives back as it was, so that the master goes on as if nothing had happened."""
    try:
        plain = json.loads(json.dumps(workspace)) == workspace
    except (TypeError, ValueError, RecursionError):
        plain = False
    if not plain:
        raise UsageError(
            f"no checkpoint can be written: the master {assignment.master.name} of the cycle "
            f"{assignment.name} keeps a {type(workspace).__name__} in cycle.workspace that is no plain data; "
            "keep only finite numbers, texts, lists and dicts with texts as keys there"
        )
