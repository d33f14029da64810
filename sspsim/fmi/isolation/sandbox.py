"""What a process that runs foreign code gives up before it does: memory, core files, writing, other processes."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on all architectures
PR_SET_NO_NEW_PRIVS = 38
PATH_BENEATH = 1
CAPABILITY_VERSION = 0x20080522
# Access rights of Landlock: everything that changes files.
WRITE_FILE, REMOVE_DIR, REMOVE_FILE = 1 << 1, 1 << 4, 1 << 5
MAKE = sum(1 << bit for bit in range(6, 13))  # char device, folder, file, socket, fifo, block device, link
REFER, TRUNCATE = 1 << 13, 1 << 14  # since the second and third version of Landlock

UNGUARDED = "isolated components can change every file of the user: this kernel has no Landlock"
NEARLY = 8 * 2**20  # how close to the limit counts as having reached it

# What a program needs to find its libraries and to behave as usual; everything else may be a secret.
HARMLESS = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_NUMERIC",
    "TZ",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "SYSTEMROOT",
)


def environment(folder: Path) -> Mapping[str, str]:
    """The environment of a process that works in `folder`."""
    kept = {name: os.environ[name] for name in HARMLESS if name in os.environ}
    modules = os.pathsep.join(path for path in sys.path if path and Path(path).exists())
    return {
        **kept,
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "PYTHONPATH": modules,
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def limit_memory(megabytes: float) -> None:
    """Allows that much more address space than is used already."""
    if sys.platform == "linux":
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        limit = used + int(megabytes * 2**20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def memory_is_full() -> bool:
    """Whether the limit has been all but reached at some time."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or sys.platform != "linux":
        return False
    peak = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmPeak")
    )
    return int(peak.split()[1]) * 1024 > limit - NEARLY


def no_core_file() -> None:
    """A crash is reported; a core file of it helps nobody here."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64),)


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def landlock_version() -> int:
    """Which version of Landlock the kernel has; 0 without it."""
    if sys.platform != "linux":
        return 0
    found = ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    return max(0, int(found))


def forbid_writing(except_in: Sequence[Path]) -> bool:
    """Lets this process change files only below the given folders, where the kernel has Landlock; True if it has.

    It also keeps the process from looking into others, such as at the environment of the one that started it.
    """
    version = landlock_version()
    if not version:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    handled = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE
    handled |= (REFER if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0)
    rules = _Ruleset(handled)
    ruleset = libc.syscall(
        CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(ctypes.sizeof(rules)), ctypes.c_uint(0)
    )
    if ruleset < 0:
        return False
    try:
        for path, allowed in [*((folder, handled) for folder in except_in), (Path("/dev/null"), WRITE_FILE)]:
            _allow(libc, ruleset, path, allowed)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _give_up_privileges(libc)
        return bool(libc.syscall(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0)) == 0)
    finally:
        os.close(ruleset)


def _give_up_privileges(libc: ctypes.CDLL) -> None:
    """Even the superuser's process keeps no capability: some of them would pass by Landlock."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    libc.capset(ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))


def _allow(libc: ctypes.CDLL, ruleset: int, path: Path, allowed: int) -> None:
    parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _PathBeneath(allowed, parent)
        libc.syscall(
            ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(PATH_BENEATH), ctypes.byref(rule), ctypes.c_uint(0)
        )
    finally:
        os.close(parent)
