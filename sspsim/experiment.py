"""What is run if the user does not say: as the system wants it, or its FMUs, else defaults."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from inspect import signature
from math import isfinite
from typing import Any, TypeVar

from sspsim.errors import UsageError
from sspsim.loading import LoadedSystem
from sspsim.masters import STEPPINGS, Auto, FixedStep, Master, Stepping, find_master
from sspsim.masters.stepping import check_tolerances
from sspsim.structure.settings import MasterSettings

DEFAULT_STEPS = 1000
DEFAULT_RTOL, DEFAULT_ATOL = 1e-5, 1e-6
MOST_STEPS = 2**53  # more of them cannot even be counted in a double
Made = TypeVar("Made")


def times(system: LoadedSystem, start: float | None, stop: float | None) -> tuple[float, float]:
    """Start and stop time."""
    experiment = system.flat.experiment
    if start is None:
        start = experiment.start if experiment.start is not None else 0.0
    if stop is None:
        stop = experiment.stop
    if stop is None:
        stop = max((s for d in system.descriptions.values() if (s := d.stop_time) is not None), default=None)
    if stop is None:
        raise UsageError("neither the system nor its FMUs say when to stop; give a stop time (--stop)")
    if not (isfinite(start) and isfinite(stop)):
        raise UsageError(f"start and stop time must be finite numbers, not {start} and {stop}")
    if not stop > start:
        raise UsageError(f"the stop time {stop} must be greater than the start time {start}")
    return start, stop


def first_step(system: LoadedSystem, step: float | None, duration: float) -> float:
    """As given, else as the system wants it, else the smallest of its FMUs, else a thousandth of the run.

    0 asks for the latter too.
    """
    if step is None:
        step = system.settings.step
    if step is None:
        step = min((h for d in system.descriptions.values() if (h := d.step_size)), default=0.0)
    if step == 0:
        step = duration / DEFAULT_STEPS
    if not step > 0:
        raise UsageError(f"the step must be greater than 0, not {step}")
    if duration / step > MOST_STEPS:
        raise UsageError(
            f"the step {step} is too short for a run of {duration} s; give a longer one (--step)"
        )
    return step


def tolerances(settings: MasterSettings, rtol: float | None, atol: float | None) -> tuple[float, float]:
    """Relative and absolute tolerance of iterations."""
    relative = next(value for value in (rtol, settings.rtol, DEFAULT_RTOL) if value is not None)
    absolute = next(value for value in (atol, settings.atol, DEFAULT_ATOL) if value is not None)
    try:
        check_tolerances(relative, absolute)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    return relative, absolute


def master_of(settings: MasterSettings) -> Master | Auto:
    """The master that a system wants; auto chooses one for each cycle."""
    kind = find_master(settings.master or Auto.name)
    wanted = {"max_iterations": settings.max_iterations, "fallback_step": settings.fallback_step}
    return _made(kind, wanted)


def stepping_of(settings: MasterSettings) -> Stepping:
    """The step control that a system wants."""
    name = settings.stepping or FixedStep.name
    if name not in STEPPINGS:
        raise UsageError(f"there is no step control {name!r}; choose one of {', '.join(STEPPINGS)}")
    wanted = {
        "step": settings.step,
        "min_step": settings.min_step,
        "max_step": settings.max_step,
        "rtol": settings.rtol,
        "atol": settings.atol,
    }
    return _made(STEPPINGS[name], wanted)


def unused_settings(asked: MasterSettings, settings: MasterSettings) -> list[str]:
    """Which of the settings that were asked for mean nothing to the master and the step control in force."""
    kinds = find_master(settings.master or Auto.name), STEPPINGS[settings.stepping or FixedStep.name]
    known = {name for kind in kinds for name in _settings_of(kind)}
    names = ("max_iterations", "fallback_step", "min_step", "max_step")
    return [name for name in names if getattr(asked, name) is not None and name not in known]


def _made(kind: type[Made], wanted: Mapping[str, Any]) -> Made:
    """An object with those of the wanted settings that its kind has."""
    known = _settings_of(kind)
    try:
        return kind(**{k: v for k, v in wanted.items() if k in known and v is not None})
    except (TypeError, ValueError) as problem:
        raise UsageError(f"settings of {kind.name!r}: {problem}") from None  # type: ignore[attr-defined]


def _settings_of(kind: type) -> Collection[str]:
    return signature(kind.__init__).parameters  # type: ignore[misc]
