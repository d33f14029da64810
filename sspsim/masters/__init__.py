"""Master algorithms: what one communication step means, and how long it is."""

from __future__ import annotations

from sspsim.errors import UsageError
from sspsim.masters.anderson import Anderson
from sspsim.masters.auto import Auto
from sspsim.masters.base import Cycle, Master
from sspsim.masters.by_convergence import ByConvergence
from sspsim.masters.error_control import ErrorControl
from sspsim.masters.fixed_step import FixedStep
from sspsim.masters.gauss_jacobi import GaussJacobi
from sspsim.masters.gauss_seidel import GaussSeidel
from sspsim.masters.grid import Every
from sspsim.masters.newton import Newton
from sspsim.masters.stepping import Stepping

MASTERS: dict[str, type[Master] | type[Auto]] = {
    master.name: master for master in (Auto, GaussJacobi, GaussSeidel, Newton, Anderson)
}
STEPPINGS: dict[str, type[Stepping]] = {
    stepping.name: stepping for stepping in (FixedStep, ByConvergence, ErrorControl)
}
ENTRY_POINTS = "sspsim.masters"

__all__ = [
    "MASTERS",
    "STEPPINGS",
    "Anderson",
    "Auto",
    "ByConvergence",
    "Cycle",
    "ErrorControl",
    "Every",
    "FixedStep",
    "GaussJacobi",
    "GaussSeidel",
    "Master",
    "Newton",
    "Stepping",
    "find_master",
]


def find_master(name: str) -> type[Master] | type[Auto]:
    """The master of a name: one of ours, or one that an installed package offers as entry point
    `sspsim.masters`.
    """
    if name in MASTERS:
        return MASTERS[name]
    from importlib.metadata import entry_points  # takes time that few runs need

    offered = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name not in offered:
        raise UsageError(f"there is no master {name!r}; choose one of {', '.join([*MASTERS, *offered])}")
    try:
        found = offered[name].load()
    except Exception as problem:
        raise UsageError(
            f"the master {name!r} of {offered[name].value} cannot be loaded: {type(problem).__name__}: {problem}"
        ) from problem
    if not (isinstance(found, type) and issubclass(found, Master)):
        raise UsageError(f"the master {name!r} of {offered[name].value} is no subclass of sspsim.Master")
    return found
