"""Finds the cases of a cross-check folder and reads what each asks for.

The layout is `<fmi>/<cs|me>/<platform>/<tool>/<version>/<model>/<model>.fmu` with `_ref.opt`, `_ref.csv` and,
for models with inputs, `_in.csv` beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sspsim.errors import InputError

STEPS = 1000  # when the options leave the step open


@dataclass(frozen=True, slots=True, order=True)
class Case:
    """One FMU with its place in the layout."""

    fmi: str
    type: str
    platform: str
    tool: str
    tool_version: str
    model: str
    folder: Path

    @property
    def name(self) -> str:
        """Short and unique."""
        return f"{self.fmi}/{self.type}/{self.tool}/{self.tool_version}/{self.model}"

    @property
    def fmu(self) -> Path:
        """The FMU."""
        return self.folder / f"{self.model}.fmu"

    @property
    def reference(self) -> Path:
        """The reference results."""
        return self.folder / f"{self.model}_ref.csv"

    @property
    def inputs(self) -> Path | None:
        """The table of inputs, if there is one."""
        path = self.folder / f"{self.model}_in.csv"
        return path if path.is_file() else None


@dataclass(frozen=True, slots=True)
class Options:
    """The content of `_ref.opt`."""

    start: float
    stop: float
    step: float
    output_step: float
    tolerance: float | None


def find_cases(folder: Path, platform: str, kind: str | None = None) -> Iterator[Case]:
    """All cases below a folder, in the order of their names."""
    for fmu in sorted(folder.resolve().rglob("*.fmu")):
        parts = fmu.parts[-7:]
        if (
            len(parts) < 7
            or parts[2] != platform
            or parts[1] not in ("cs", "me")
            or kind not in (None, parts[1])
        ):
            continue
        fmi, type_, platform, tool, version = parts[:5]
        yield Case(fmi, type_, platform, tool, version, fmu.stem, fmu.parent)


def read_options(case: Case) -> Options:
    """Times, step and tolerance; a step of 0 means that the importer chooses."""
    path = case.folder / f"{case.model}_ref.opt"
    try:
        text = path.read_text(errors="replace")
    except OSError:
        raise InputError(
            f"{path}: is missing; the case says neither when to start nor when to stop"
        ) from None
    found = {key.lower(): float(value) for key, value in re.findall(r"(\w+)\s*,\s*([-+.\deE]+)", text)}
    start, stop = found.get("starttime", 0.0), found.get("stoptime")
    if stop is None or not stop > start:
        raise InputError(f"{path}: no StopTime behind the StartTime")
    step = found.get("stepsize", 0.0)
    step = step if step > 0 else (stop - start) / STEPS
    rows = found.get("outputintervallength") or (stop - start) / STEPS
    output_step = max(1, round(rows / step)) * step
    return Options(start, stop, step, output_step, found.get("reltol") or None)
