"""A loaded shared library whose functions are looked up one by one, so that missing ones do no harm."""

from __future__ import annotations

import _ctypes
import ctypes
import os
import sys
from pathlib import Path

from sspsim.errors import InputError
from sspsim.fmi.standins import stand_in

FORMATS = {
    b"MZ": "a library for Windows",
    b"\xcf\xfa\xed\xfe": "a library for macOS",
    b"\xca\xfe\xba\xbe": "a library for macOS",
    b"!<arch>": "a static library",
}
MACHINES = {3: "x86", 40: "ARM", 62: "x86_64", 183: "aarch64", 243: "RISC-V"}  # of ELF


class Library:
    """Owns the handle of one FMU binary."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.threads = _threads()
        try:
            self.handle = _load_with_help(path)
        except OSError as problem:
            raise InputError(f"{path.name} cannot be loaded: {_reason(path, problem)}") from None
        self.functions = ctypes.CDLL(str(path), handle=self.handle)

    def address(self, name: str) -> int:
        """Where a function lies; 0 if the library has none of that name."""
        try:
            pointer = ctypes.cast(getattr(self.functions, name), ctypes.c_void_p).value
        except AttributeError:
            return 0
        return pointer or 0

    def close(self) -> None:
        """Unloads the library, unless it may have threads that still run its code."""
        handle, self.handle = self.handle, 0
        if not handle or _threads() > self.threads:
            return
        if sys.platform == "win32":
            _ctypes.FreeLibrary(handle)
        else:
            _ctypes.dlclose(handle)


def _threads() -> int:
    """How many threads this process has; 0 where nobody says."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 0


def _load_with_help(path: Path) -> int:
    """Loads the library; where an old one that it needs is missing, with the stand-in for that."""
    try:
        return _load(path)
    except OSError as problem:
        replacement = stand_in(_missing_library(problem), path)
        if replacement is None:
            raise
        _load(replacement)  # stays loaded: other FMUs will ask for it too
        return _load(path)


def _load(path: Path) -> int:
    if sys.platform == "win32":
        return int(
            ctypes.CDLL(str(path), winmode=0x8)._handle
        )  # LOAD_WITH_ALTERED_SEARCH_PATH: siblings are found
    # Lazy binding lets libraries with unresolved, never used symbols load; deep binding keeps symbols apart.
    # ctypes itself always binds at once, so dlopen is called by hand.
    program = ctypes.CDLL(None)
    dlopen, dlerror = program.dlopen, program.dlerror  # looking one up clears the error of the other
    dlopen.restype, dlopen.argtypes = ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_int)
    dlerror.restype = ctypes.c_char_p
    handle = dlopen(os.fsencode(path), os.RTLD_LAZY | os.RTLD_LOCAL | getattr(os, "RTLD_DEEPBIND", 0))
    if not handle:
        raise OSError((dlerror() or b"unknown reason").decode(errors="replace"))
    return int(handle)


def _missing_library(problem: OSError) -> str:
    name, separator, _ = str(problem).partition(": cannot open shared object file")
    return name.split(": ")[-1] if separator else ""


def _reason(path: Path, problem: OSError) -> str:
    if foreign := _foreign(_head(path), _head(Path(sys.executable))):
        return f"it is {foreign}; export the FMU for this machine"
    if missing := _missing_library(problem):
        return f"{missing} is missing on this machine; install the package that has it"
    if "failed to map segment" in str(problem):
        return "there is not enough memory for it; see --memory-limit"
    return str(problem)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(20)


def _foreign(library: bytes, program: bytes) -> str:
    """What a library is that was made for another kind of machine than the program, by the heads of their files."""
    if library[:4] != b"\x7fELF" or program[:4] != b"\x7fELF":
        kind = next((word for magic, word in FORMATS.items() if library.startswith(magic)), "")
        return kind if program[:4] == b"\x7fELF" else ""
    if library[4] != program[4]:
        bits = {1: 32, 2: 64}
        return f"a {bits.get(library[4], '?')}-bit library, and this program has {bits[program[4]]} bit"
    if library[18:20] != program[18:20]:
        return f"for {_machine(library)}, and this machine is {_machine(program)}"
    return ""


def _machine(head: bytes) -> str:
    number = int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")
    return MACHINES.get(number, f"machine type {number}")
