"""What is drawn where: curves in panels, one panel per unit, whatever draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from colorsys import hls_to_rgb
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.errors import UsageError
from sspsim.results.outline import outline
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
BRIGHTNESS = (0.36, 0.52, 0.44)  # of neighbours, when hues get close
UNITLESS = "without unit"
# Panels of their own, behind those of units.
INTEGERS, BOOLEANS, DEFECTS = "whole numbers", "true or false", "coupling defect / tolerance"
SPANS = ((3 * 86400.0, 86400.0, "d"), (3 * 3600.0, 3600.0, "h"), (600.0, 60.0, "min"))


@dataclass(frozen=True, slots=True)
class Curve:
    """A line; `held` ones go up and down in steps. `run` numbers line styles."""

    label: str
    time: NDArray[np.float64]
    values: NDArray[Any]
    colour: str = COLOURS[0]
    run: int = 0
    held: bool = False

    def thinned(self, pieces: int) -> Curve:
        """With four points at most for each piece, so that no peak is lost."""
        if len(self.time) <= 4 * pieces:
            return self
        values = self.values.astype(float)
        chosen = outline(np.where(np.isfinite(values), values, 0.0), pieces)
        return replace(self, time=self.time[chosen], values=self.values[chosen])


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves with a common axis."""

    title: str
    curves: tuple[Curve, ...]


def colours(count: int) -> tuple[str, ...]:
    """So many that can be told apart: chosen ones first, then all around the circle of hues.

    >>> len(set(colours(100)))
    100
    """
    more = count - len(COLOURS)
    made = (hls_to_rgb(k / more, BRIGHTNESS[k % len(BRIGHTNESS)], 0.75) for k in range(more))
    return (*COLOURS[:count], *("#" + "".join(f"{round(255 * x):02x}" for x in rgb) for rgb in made))


def make_panels(runs: Mapping[str, Result], patterns: Sequence[str] = ()) -> list[Panel]:
    """The chosen variables of all runs by unit, in the order of their first variables, whole numbers last."""
    first = next(iter(runs.values()))
    names = chosen_names(runs, patterns)
    by_title: dict[str, list[str]] = {}
    for name in names:
        signal = next(run for run in runs.values() if name in run).signals[name]
        by_title.setdefault(_title(signal), []).append(name)
    titles = sorted(by_title, key=(INTEGERS, BOOLEANS, DEFECTS).count)
    several = len(runs) > 1
    return [
        Panel(
            title,
            tuple(
                Curve(
                    f"{name} ({label})" if several else name,
                    result.time,
                    result[name],
                    colour,
                    r,
                    not result.signals[name].continuous,
                )
                for name, colour in zip(by_title[title], colours(len(by_title[title])), strict=True)
                for r, (label, result) in enumerate(runs.items())
                if name in result
            ),
        )
        for title in titles
    ] or [Panel(UNITLESS, (Curve("", first.time, np.zeros(len(first.time))),))]


def _title(signal: Signal) -> str:
    if signal.name.startswith("defect("):
        return DEFECTS
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
        words = f"{name} ({label})" if len(runs) > 1 else name
        curves.append(Curve(words, time, steps, COLOURS[r % len(COLOURS)], r, held=True))
    return Panel("step / s", tuple(curves))


def step_limits(panel: Panel) -> tuple[float, float]:
    """Of a logarithmic axis that does not magnify the rounding of equal steps."""
    steps = np.concatenate([curve.values for curve in panel.curves])
    steps = steps[steps > 0]
    return (float(steps.min()) / 2, float(steps.max()) * 2) if len(steps) else (0.1, 10.0)


def event_times(run: Result) -> NDArray[np.float64]:
    """When a whole number or a boolean changed, or a time stands twice."""
    changed: NDArray[np.bool_] = np.diff(run.time) == 0
    for name, signal in run.signals.items():
        if not signal.continuous and run[name].dtype.kind in "iub":
            changed |= np.diff(run[name].astype(float)) != 0
    return run.time[1:][changed]


def time_scale(runs: Mapping[str, Result]) -> tuple[float, str]:
    """What to divide seconds by so that the axis is readable, and the unit that this gives."""
    span = max((run.time[-1] - run.time[0] for run in runs.values() if len(run.time)), default=0.0)
    return next(((factor, unit) for limit, factor, unit in SPANS if span > limit), (1.0, "s"))
