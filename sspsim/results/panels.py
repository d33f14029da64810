"""What is drawn where: curves in panels, one panel per unit, whatever draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.errors import UsageError
from sspsim.results.result import Result
from sspsim.results.signal import Signal
from sspsim.results.steps import Steps
from sspsim.structure import Type
from sspsim.structure.pattern import matcher

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
BOOLEANS, INTEGERS = "true or false", "whole numbers"  # panels of their own, behind those of units
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
    """The chosen variables of all runs by unit, in the order of their first variables, whole numbers last."""
    first = next(iter(runs.values()))
    names = chosen_names(runs, patterns)
    by_title: dict[str, list[str]] = {}
    for name in names:
        signal = next(run for run in runs.values() if name in run).signals[name]
        by_title.setdefault(_title(signal), []).append(name)
    titles = sorted(by_title, key=(INTEGERS, BOOLEANS).count)
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


def _title(signal: Signal) -> str:
    if signal.continuous:
        return signal.unit or UNITLESS
    return BOOLEANS if signal.type is Type.BOOLEAN else INTEGERS


def chosen_names(runs: Mapping[str, Result], patterns: Sequence[str]) -> list[str]:
    """The numeric variables that the patterns match, in the order of the patterns; all without patterns."""
    numeric = list(
        dict.fromkeys(name for run in runs.values() for name in run if run[name].dtype.kind in "fiub")
    )
    found: dict[str, None] = {}
    for pattern in patterns:
        matching = list(filter(matcher(pattern), numeric))
        if not matching:
            raise UsageError(f"no number in the result is called {pattern!r}; {_advice(pattern, numeric)}")
        found.update(dict.fromkeys(matching))
    return list(found) if patterns else numeric


def _advice(name: str, names: Sequence[str]) -> str:
    if close := get_close_matches(name, names):
        return f"did you mean {' or '.join(close)}?"
    return f"there are {', '.join(names[:8])}" + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def step_panel(runs: Mapping[str, Result], logs: Mapping[str, Steps | None]) -> Panel:
    """The step sizes from the step log of a run if it has one; else the distance of each row from the next."""
    curves = []
    for r, (label, run) in enumerate(runs.items()):
        log = logs.get(label)
        time, steps = (log.time, log.step) if log else (run.time[:-1], np.diff(run.time))
        name = "step" if log else "distance of rows"
        curves.append(Curve(f"{name} ({label})" if len(runs) > 1 else name, time, steps, r, r, held=True))
    return Panel("step / s", tuple(curves))


def step_limits(panel: Panel) -> tuple[float, float]:
    """Of a logarithmic axis that does not magnify the rounding of equal steps."""
    steps = np.concatenate([curve.values for curve in panel.curves])
    steps = steps[steps > 0]
    return (float(steps.min()) / 2, float(steps.max()) * 2) if len(steps) else (0.1, 10.0)


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
