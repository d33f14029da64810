"""Small libraries that take the place of old ones which FMUs still ask for.

A stand-in has only the functions that such FMUs call; one that asks for more is not helped by it.
"""

from __future__ import annotations

import re
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

# The missing library -> the stand-in, how names of its functions begin, and those that it has.
KNOWN: dict[str, tuple[str, bytes, frozenset[bytes]]] = {
    "libgfortran.so.3": (
        "gfortran3",
        rb"_gfortran_\w+",
        frozenset(
            b"_gfortran_" + name
            for name in (
                b"compare_string",
                b"concat_string",
                b"pow_i4_i4",
                b"st_write",
                b"st_write_done",
                b"transfer_character_write",
                b"transfer_integer_write",
            )
        ),
    )
}


def stand_in(missing: str, binary: Path) -> Path | None:
    """The library that can take the place of a missing one for this binary, if there is one."""
    if missing not in KNOWN:
        return None
    name, pattern, offered = KNOWN[missing]
    # Every name in the binary counts: a function that is missing when it is called ends the process.
    if not set(re.findall(pattern, binary.read_bytes())) <= offered:
        return None
    candidates = (Path(__file__).with_name(name + suffix) for suffix in EXTENSION_SUFFIXES)
    return next((path for path in candidates if path.is_file()), None)
