"""Which folder of an FMU holds the binary for this machine."""

from __future__ import annotations

import platform
import sys

SYSTEM = {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, sys.platform)
SUFFIX = {"darwin": ".dylib", "windows": ".dll"}.get(SYSTEM, ".so")


def binary_folders() -> tuple[str, ...]:
    """Names under `binaries/`, the usual ones first; tools mix those of FMI 2 and FMI 3.

    >>> len(binary_folders()) >= 1
    True
    """
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    bits = "64" if sys.maxsize > 2**32 else "32"
    tuples = [f"{machine}-{SYSTEM}"]
    short = {"windows": "win"}.get(SYSTEM, SYSTEM) + bits
    if machine in ("x86_64", "i686", "x86") or SYSTEM == "darwin":
        tuples.insert(0, short)
    return tuple(tuples)
