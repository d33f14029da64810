"""A loaded shared library whose functions are looked up one by one, so that missing ones do no harm."""

from __future__ import annotations

import _ctypes
import ctypes
import os
import sys
from pathlib import Path

from sspsim.errors import InputError


class Library:
    """Owns the handle of one FMU binary."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.handle = _load(path)
        except OSError as problem:
            raise InputError(f"{path.name} cannot be loaded: {_reason(problem)}") from None
        self.functions = ctypes.CDLL(str(path), handle=self.handle)

    def address(self, name: str) -> int:
        """Where a function lies; 0 if the library has none of that name."""
        try:
            pointer = ctypes.cast(getattr(self.functions, name), ctypes.c_void_p).value
        except AttributeError:
            return 0
        return pointer or 0

    def close(self) -> None:
        """Unloads the library."""
        handle, self.handle = self.handle, 0
        if not handle:
            return
        if sys.platform == "win32":
            _ctypes.FreeLibrary(handle)
        else:
            _ctypes.dlclose(handle)


def _load(path: Path) -> int:
    if sys.platform == "win32":
        return int(ctypes.CDLL(str(path), winmode=0x8)._handle)  # LOAD_WITH_ALTERED_SEARCH_PATH: siblings are found
    # Lazy binding lets libraries with unresolved, never used symbols load; deep binding keeps their symbols apart.
    # ctypes itself always binds at once, so dlopen is called by hand.
    dlopen = ctypes.CDLL(None).dlopen
    dlopen.restype, dlopen.argtypes = ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_int)
    handle = dlopen(os.fsencode(path), os.RTLD_LAZY | os.RTLD_LOCAL | getattr(os, "RTLD_DEEPBIND", 0))
    if not handle:
        dlerror = ctypes.CDLL(None).dlerror
        dlerror.restype = ctypes.c_char_p
        raise OSError((dlerror() or b"unknown reason").decode(errors="replace"))
    return int(handle)


def _reason(problem: OSError) -> str:
    text = str(problem)
    missing, separator, _ = text.partition(": cannot open shared object file")
    if separator:
        return f"{missing.split(': ')[-1]} is missing on this machine; install the package that has it"
    return text
