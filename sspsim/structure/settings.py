"""How a system wants to be run, as plain data; what is None is left to the defaults."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class MasterSettings:
    """Master, step control, tolerances and output; names and meanings are those of the command line."""

    master: str | None = None
    max_iterations: int | None = None
    rtol: float | None = None
    atol: float | None = None
    stepping: str | None = None
    step: float | None = None
    min_step: float | None = None
    max_step: float | None = None
    fallback_step: float | None = None
    output_step: float | None = None
    fmu_tolerance: float | None = None  # for the solvers inside of FMUs
    time_unit: str | None = None  # of what is shown and written for MasterSim
    record_all: bool | None = None
    record: tuple[str, ...] | None = None  # patterns of variables
    time_only: tuple[str, ...] | None = None  # "component.output": depends on nothing but time
    order: tuple[str, ...] | None = None  # in which components of a cycle are evaluated

    def over(self, others: MasterSettings) -> MasterSettings:
        """These where they are given, the others elsewhere.

        >>> MasterSettings(step=1.0).over(MasterSettings(step=2.0, rtol=1e-3)).rtol
        0.001
        """
        chosen = {
            field.name: getattr(others if getattr(self, field.name) is None else self, field.name)
            for field in fields(self)
        }
        return MasterSettings(**chosen)
