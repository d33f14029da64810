"""What is drawn where: curves in panels, one panel per unit, whatever draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.errors import InputError
from sspsim.results.result import Result

COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#7a5195",
    "#8c6d31",
    "#6b7280",
    "#c0392b",
)
UNITLESS = "without unit"
STATES = "states"  # the panel of whole numbers and booleans
SPANS = ((3 * 86400.0, 86400.0, "d"), (3 * 3600.0, 3600.0, "h"), (600.0, 60.0, "min"))


@dataclass(frozen=True, slots=True)
class Curve:
    """A line; `held` ones go up and down in steps. `variable` and `run` number colours and line styles."""

    label: str
    time: NDArray[np.float64]
    values: NDArray[Any]
    variable: int
    run: int = 0
    held: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves with a common axis."""

    title: str
    curves: tuple[Curve, ...]


def make_panels(runs: Mapping[str, Result], patterns: Sequence[str] = ()) -> list[Panel]:
    """The chosen variables of all runs by unit, in the order of their first variables, states last."""
    first = next(iter(runs.values()))
    names = chosen_names(runs, patterns)
    by_title: dict[str, list[str]] = {}
    for name in names:
        signal = next(run for run in runs.values() if name in run).signals[name]
        by_title.setdefault(signal.unit or UNITLESS if signal.continuous else STATES, []).append(name)
    titles = sorted(by_title, key=lambda title: title == STATES)
    several = len(runs) > 1
    return [
        Panel(
            title,
            tuple(
                Curve(
                    f"{name} ({label})" if several else name,
                    result.time,
                    result[name],
                    k,
                    r,
                    not result.signals[name].continuous,
                )
                for k, name in enumerate(by_title[title])
                for r, (label, result) in enumerate(runs.items())
                if name in result
            ),
        )
        for title in titles
    ] or [Panel(UNITLESS, (Curve("", first.time, np.zeros(len(first.time)), 0),))]


def chosen_names(runs: Mapping[str, Result], patterns: Sequence[str]) -> list[str]:
    """The numeric variables that the patterns match, in the order of the patterns; all without patterns."""
    numeric = list(
        dict.fromkeys(name for run in runs.values() for name in run if run[name].dtype.kind in "fiub")
    )
    found: dict[str, None] = {}
    for pattern in patterns:
        matching = [name for name in numeric if name == pattern or fnmatchcase(name, pattern)]
        if not matching:
            raise InputError(f"no number in the result is called {pattern!r}; there are {_some(numeric)}")
        found.update(dict.fromkeys(matching))
    return list(found) if patterns else numeric


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def step_panel(runs: Mapping[str, Result]) -> Panel:
    """The distance of each row from the one before it."""
    return Panel(
        "step / s",
        tuple(
            Curve(label if len(runs) > 1 else "step", run.time[1:], np.diff(run.time), r, r)
            for r, (label, run) in enumerate(runs.items())
        ),
    )


def event_times(run: Result) -> NDArray[np.float64]:
    """When a whole number or a boolean changed."""
    changed = np.zeros(max(0, len(run.time) - 1), dtype=bool)
    for name, signal in run.signals.items():
        if not signal.continuous and run[name].dtype.kind in "iub":
            changed |= np.diff(run[name].astype(float)) != 0
    return run.time[1:][changed]


def time_scale(runs: Mapping[str, Result]) -> tuple[float, str]:
    """What to divide seconds by so that the axis is readable, and the unit that this gives."""
    span = max((run.time[-1] - run.time[0] for run in runs.values() if len(run.time)), default=0.0)
    return next(((factor, unit) for limit, factor, unit in SPANS if span > limit), (1.0, "s"))
