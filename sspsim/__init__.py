"""sspsim: co-simulation of SSP systems with iterating masters.

>>> import sspsim
>>> sspsim.simulate("examples/build/House.ssp", stop=86400, step=600)
<Result House: 4 variables, 145 rows, t=0 to 86400 s>
"""

from typing import TYPE_CHECKING, Any

from sspsim.errors import InputError, SimulationError, SspsimError, StepDiscarded, UsageError
from sspsim.version import __version__

if TYPE_CHECKING:
    from sspsim.loading import LoadedSystem, load
    from sspsim.masters import (
        Anderson,
        Auto,
        ByConvergence,
        ErrorControl,
        Every,
        FixedStep,
        GaussJacobi,
        GaussSeidel,
        Master,
        Newton,
        Stepping,
    )
    from sspsim.results.read import read_result
    from sspsim.results.result import Result
    from sspsim.simulation import Simulation, simulate

_HOMES = {
    **dict.fromkeys(
        (
            "Anderson",
            "Auto",
            "ByConvergence",
            "ErrorControl",
            "Every",
            "FixedStep",
            "GaussJacobi",
            "GaussSeidel",
            "Master",
            "Newton",
            "Stepping",
        ),
        "sspsim.masters",
    ),
    "LoadedSystem": "sspsim.loading",
    "Result": "sspsim.results.result",
    "Simulation": "sspsim.simulation",
    "load": "sspsim.loading",
    "read_result": "sspsim.results.read",
    "simulate": "sspsim.simulation",
}

__all__ = [
    "Anderson",
    "Auto",
    "ByConvergence",
    "ErrorControl",
    "Every",
    "FixedStep",
    "GaussJacobi",
    "GaussSeidel",
    "InputError",
    "LoadedSystem",
    "Master",
    "Newton",
    "Result",
    "Simulation",
    "SimulationError",
    "SspsimError",
    "StepDiscarded",
    "Stepping",
    "UsageError",
    "__version__",
    "load",
    "read_result",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """Imports what is asked for when it is asked for: `sspsim --help` needs none of it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'sspsim' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
