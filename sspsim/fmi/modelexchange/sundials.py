"""The SUNDIALS libraries that come with FMPy."""

from __future__ import annotations

import ctypes
import platform
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from sspsim.errors import UsageError

# Which library has the functions that integrator.h uses, in its order.
FUNCTIONS = (
    ("core", "SUNContext_Create"),
    ("core", "SUNContext_ClearErrHandlers"),
    ("core", "SUNContext_Free"),
    ("nvecserial", "N_VMake_Serial"),
    ("core", "N_VGetArrayPointer"),
    ("core", "N_VDestroy"),
    ("sunmatrixdense", "SUNDenseMatrix"),
    ("core", "SUNMatDestroy"),
    ("sunlinsoldense", "SUNLinSol_Dense"),
    ("core", "SUNLinSolFree"),
    ("cvode", "CVodeCreate"),
    ("cvode", "CVodeInit"),
    ("cvode", "CVodeReInit"),
    ("cvode", "CVodeSVtolerances"),
    ("cvode", "CVodeSetLinearSolver"),
    ("cvode", "CVodeRootInit"),
    ("cvode", "CVodeSetNoInactiveRootWarn"),
    ("cvode", "CVodeSetUserData"),
    ("cvode", "CVodeSetStopTime"),
    ("cvode", "CVode"),
    ("cvode", "CVodeFree"),
)
LIBRARIES = ("core", "nvecserial", "sunmatrixdense", "sunlinsoldense", "cvode")  # each needs those before it


@cache
def addresses() -> tuple[int, ...]:
    """The addresses of all functions; the libraries stay loaded."""
    folder = _folder()
    suffix = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")
    loaded = {name: ctypes.CDLL(str(folder / f"sundials_{name}{suffix}")) for name in LIBRARIES}
    return tuple(
        ctypes.cast(getattr(loaded[library], name), ctypes.c_void_p).value or 0 for library, name in FUNCTIONS
    )


def _folder() -> Path:
    system = {"win32": "windows"}.get(sys.platform, sys.platform)
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    spec = find_spec("fmpy")
    for location in (spec and spec.submodule_search_locations) or ():
        folder = Path(location) / "sundials" / f"{machine}-{system}"
        if folder.is_dir():
            return folder
    raise UsageError(
        f"FMPy brings no SUNDIALS for {machine}-{system}, so model-exchange FMUs cannot run here; "
        "export the FMU for co-simulation"
    )
