"""MasterSim's settings in the words of sspsim, and back."""

from __future__ import annotations

from sspsim.formats.msim_project import Quantity, Settings
from sspsim.structure.settings import MasterSettings

MASTERS = {"GAUSS_JACOBI": "gauss-jacobi", "GAUSS_SEIDEL": "gauss-seidel", "NEWTON": "newton"}
MODES = {ours: theirs for theirs, ours in MASTERS.items()}
NEAREST_MASTER = "gauss-seidel"  # to those that MasterSim does not have: its Newton is no safe choice
STEPPINGS = ("fixed", "convergence", "error")
DEFAULT_STEPS = 1000  # what hStart = 0 stands for


def to_master_settings(settings: Settings) -> MasterSettings:
    """What a project says about its run.

    >>> to_master_settings(Settings(h_start=Quantity(1.0, "min"))).step
    60.0
    """
    duration = settings.stop.seconds - settings.start.seconds
    return MasterSettings(
        master=MASTERS[settings.master_mode],
        max_iterations=settings.max_iterations,
        rtol=settings.rel_tol,
        atol=settings.abs_tol,
        stepping=_stepping(settings),
        step=settings.h_start.seconds or duration / DEFAULT_STEPS,
        min_step=settings.h_min.seconds,
        max_step=settings.h_max.seconds,
        fallback_step=settings.h_fallback.seconds,
        output_step=settings.h_output.seconds,
        fmu_tolerance=settings.rel_tol,
        time_unit=settings.output_time_unit,
        record_all=settings.write_internal,
    )


def _stepping(settings: Settings) -> str:
    if not settings.adjust_step:
        return "fixed"
    return "error" if settings.error_control == "STEP_DOUBLING" else "convergence"


def from_master_settings(settings: MasterSettings, start: float, stop: float, step: float) -> Settings:
    """The settings of a project for a run from start to stop; `step` is what to take if none is given."""
    stepping = settings.stepping or "fixed"
    default = Settings()
    first = settings.step or step
    iterating = (settings.master or "gauss-seidel") != "gauss-jacobi"
    h_min = _seconds(settings.min_step, default.h_min)
    return Settings(
        start=Quantity(start),
        stop=Quantity(stop),
        h_max=Quantity(settings.max_step or max((stop - start) / 10, first)),
        h_min=h_min,
        h_fallback=_seconds(settings.fallback_step, Quantity(0.0) if stepping == "fixed" else h_min),
        h_start=Quantity(first),
        h_output=Quantity(
            settings.output_step or _every_step(first if stepping == "fixed" else h_min.seconds)
        ),
        output_time_unit=settings.time_unit or "s",
        adjust_step=stepping != "fixed",
        abs_tol=default.abs_tol if settings.atol is None else settings.atol,
        rel_tol=default.rel_tol if settings.rtol is None else settings.rtol,
        master_mode=MODES[settings.master or "gauss-seidel"],
        error_control="STEP_DOUBLING" if stepping == "error" else "NONE",
        max_iterations=(settings.max_iterations or 1) if iterating else 1,
        write_internal=bool(settings.record_all),
    )


def _every_step(shortest: float) -> float:
    """An output raster that no step misses: MasterSim adds up its times, which may fall short of a multiple."""
    return shortest / 2


def _seconds(value: float | None, default: Quantity) -> Quantity:
    return default if value is None else Quantity(value)
