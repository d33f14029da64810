"""`--watch`: does a command again whenever its input files change."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import sleep

import typer

PAUSE = 0.3
INPUTS = {".ssp", ".ssd", ".ssv", ".ssm", ".ssb", ".fmu", ".csv", ".tsv", ".msim", ".bm", ".xml"}
RESULT = "summary.json"  # a folder with such a file holds results, and no inputs below it

Fingerprint = tuple[tuple[str, int, int], ...]


def repeat_on_change(file: Path, others: Sequence[Path], folder: Path) -> None:
    """Runs this very command without `--watch`, each time in a process of its own.

    FMUs are libraries that a process cannot be relied on to forget; a new process surely reads the new ones.
    What is watched is the system, `others` that are given, and what the last run in `folder` has read.
    """
    command = [sys.executable, "-m", "sspsim", *(word for word in sys.argv[1:] if word != "--watch")]
    try:
        while True:
            files = [*others, *inputs_of_run(folder / RESULT)]
            before = fingerprint(file, files)
            subprocess.run(command, check=False)
            typer.echo(f"{file}: waiting for changes; Ctrl-C ends", err=True)
            if new := [path for path in inputs_of_run(folder / RESULT) if path not in files]:
                files += new
                before = fingerprint(file, files)
            wait_for_change(partial(fingerprint, file, files), before)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def wait_for_change(look: Callable[[], Fingerprint], before: Fingerprint) -> None:
    """Returns when the files have changed and then have been left alone for a moment."""
    while look() == before:
        sleep(PAUSE)
    settled = look()
    while (now := _after_a_pause(look)) != settled:
        settled = now


def _after_a_pause(look: Callable[[], Fingerprint]) -> Fingerprint:
    sleep(PAUSE)
    return look()


def inputs_of_run(summary: Path) -> list[Path]:
    """The files that a run has read, wherever they are: a document may lead to FMUs in another folder."""
    try:
        return [Path(entry["file"]) for entry in json.loads(summary.read_text(encoding="utf-8"))["inputs"]]
    except (OSError, ValueError, KeyError):
        return []


def fingerprint(file: Path, others: Sequence[Path] = ()) -> Fingerprint:
    """Names, times and sizes of the input files: an archive itself, or everything around a document; others."""
    if file.suffix == ".ssp":
        files = [file]
    else:
        folder = file if file.is_dir() else file.parent
        files = [
            p
            for p in folder.rglob("*")
            if p.suffix.lower() in INPUTS and not any((above / RESULT).exists() for above in p.parents)
        ]
    found = []
    for path in sorted({*files, *others}):
        try:
            state = path.stat()
        except OSError:  # it is just being replaced
            continue
        found.append((str(path), state.st_mtime_ns, state.st_size))
    return tuple(found)
