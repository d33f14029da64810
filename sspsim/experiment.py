"""What is run if the user does not say: as the system wants it, or its FMUs, else defaults."""

from __future__ import annotations

from sspsim.errors import UsageError
from sspsim.loading import LoadedSystem
from sspsim.masters import MASTERS, GaussSeidel, Master
from sspsim.structure.settings import MasterSettings

DEFAULT_STEPS = 1000


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
    if not stop > start:
        raise UsageError(f"the stop time {stop} must be greater than the start time {start}")
    return start, stop


def first_step(system: LoadedSystem, step: float | None, duration: float) -> float:
    """As given, else as the system wants it, else the smallest of its FMUs, else a thousandth of the run."""
    if step is None:
        step = system.settings.step
    if step is None:
        step = min(
            (h for d in system.descriptions.values() if (h := d.step_size)), default=duration / DEFAULT_STEPS
        )
    if not step > 0:
        raise UsageError(f"the step must be greater than 0, not {step}")
    return step


def master_of(settings: MasterSettings) -> Master:
    """The master that a system wants."""
    if settings.master is None:
        return GaussSeidel()
    if settings.master not in MASTERS:
        raise UsageError(f"there is no master {settings.master!r}; choose one of {', '.join(MASTERS)}")
    return MASTERS[settings.master]()
