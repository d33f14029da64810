"""A run on disk: everything that is needed to go on from a communication point in another process."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sspsim.errors import InputError

FORMAT = 3


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`head` says whose it is and how far it has come; the rest is what `Snapshot.serialize` gives."""

    head: Mapping[str, Any]
    states: Sequence[bytes]
    reals: bytes
    integers: bytes
    texts: Sequence[bytes]


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Writes beside the old one and swaps, so that there is a whole one at any moment."""
    head = {
        **checkpoint.head,
        "format": FORMAT,
        "states": len(checkpoint.states),
        "texts": len(checkpoint.texts),
    }
    beside = path.with_name(path.name + ".new")
    with zipfile.ZipFile(beside, "w") as archive:
        archive.writestr("head.json", json.dumps(head))
        archive.writestr("reals", checkpoint.reals)
        archive.writestr("integers", checkpoint.integers)
        for i, content in enumerate(checkpoint.states):
            archive.writestr(f"states/{i}", content)
        for i, content in enumerate(checkpoint.texts):
            archive.writestr(f"texts/{i}", content)
    os.replace(beside, path)


def read_checkpoint(path: Path) -> Checkpoint:
    """Reads what `write_checkpoint` wrote."""
    if not path.exists():
        raise InputError(f"{path}: there is no checkpoint to go on from; --checkpoint-every keeps some")
    try:
        with zipfile.ZipFile(path) as archive:
            head = json.loads(archive.read("head.json"))
            if head["format"] != FORMAT:
                raise InputError(f"{path}: a checkpoint of another version of sspsim; start the run anew")
            return Checkpoint(
                head,
                [archive.read(f"states/{i}") for i in range(head["states"])],
                archive.read("reals"),
                archive.read("integers"),
                [archive.read(f"texts/{i}") for i in range(head["texts"])],
            )
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as problem:
        raise InputError(f"{path}: not a checkpoint of sspsim ({problem})") from None
