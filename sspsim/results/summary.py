"""The summary of a run: what was run, how, with what, how it ended; after schemas/summary.schema.json."""

from __future__ import annotations

import hashlib
import platform
import sys
import zipfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from sspsim.formats.container import ARCHIVE
from sspsim.results.block import Layout
from sspsim.results.signal import Signal
from sspsim.structure import Diagnostic
from sspsim.version import __version__

RUNNING, DONE, FAILED, INTERRUPTED = "running", "done", "failed", "interrupted"
PACKAGES = ("numpy", "fmpy", "lxml", "networkx", "pyarrow")


class Run(Protocol):
    """What is run: a `Simulation`."""

    make_sinks: Any
    layout: Layout
    start: float
    stop: float
    step_size: float
    time: float
    steps: int
    counts: Any
    cycles: Any
    step_logs: Any
    master: Any
    stepping: Any
    rtol: float
    atol: float
    setup: Any
    threads: int
    notices: Any
    raster: Any
    record_patterns: Any
    system: Any
    flat: Any
    components: Any

    @property
    def rows(self) -> int:
        """Handed on so far."""

    def __enter__(self) -> Run: ...
    def __exit__(self, *exception: Any) -> None: ...

    def run(self) -> None:
        """From start to stop."""

    def problems(self) -> list[Diagnostic]:
        """What was noticed beforehand."""

    def statistics(self) -> dict[str, Any]:
        """Counts and seconds."""


def summarize(
    run: Run,
    began: datetime,
    statistics: dict[str, Any],
    problem: BaseException | None = None,
    status: str = "",
    output: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Everything that explains a result; `output`: which files are written, and how."""
    status = status or _status(problem)
    return {
        "sspsim": __version__,
        "python": platform.python_version(),
        "platform": _platform(),
        "packages": _versions(),
        "command": sys.argv,
        "date": began.isoformat(timespec="seconds"),
        "system": run.system.name,
        "file": str(run.system.package.path),
        "inputs": inputs_of(run),
        "status": status,
        "error": None if problem is None else str(problem) or status,
        "start": run.start,
        "stop": run.stop,
        "reached": run.time,
        "step": run.step_size,
        "output_step": run.raster.step,
        "record": list(run.record_patterns),
        "output": output or {},
        "parameters": {name: _value(value) for name, value in run.system.choices.values.items()},
        "master": run.master.name,
        "settings": {
            **_plain(vars(run.master)),
            "stepping": _named(run.stepping),
            "rtol": run.rtol,
            "atol": run.atol,
            "fmu_tolerance": run.setup.fmu_tolerance,
            "threads": run.threads,
            "conversions": run.system.choices.conversions.name.lower(),
            "time_only": list(run.system.marked_time_only),
            "order": list(run.system.wanted_order),
            "isolated": sorted(run.components.isolated),
        },
        "components": [
            {
                "name": instance.name,
                "model": instance.description.name,
                "fmi": instance.description.fmi,
                "tool": instance.description.generation_tool,
                "location": instance.location,
            }
            for instance in run.flat.instances
        ],
        "rows": run.rows,
        "columns": [Signal.of(column).to_json() for column in run.layout.columns],
        "warnings": [str(diagnostic) for diagnostic in run.problems()],
        "notices": list(run.notices),
        "statistics": statistics,
    }


def _status(problem: BaseException | None) -> str:
    if problem is None:
        return DONE
    return INTERRUPTED if isinstance(problem, KeyboardInterrupt) else FAILED


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    """What JSON can hold, and the names of everything else."""
    plain = (bool, int, float, str, type(None))
    return {
        name: value if isinstance(value, plain) else _named(value)
        for name, value in settings.items()
        if not name.startswith("_")
    }


def _named(setting: Any) -> str:
    """A master or step control with its own settings."""
    inner = _plain(getattr(setting, "__dict__", {}))
    return f"{type(setting).__name__}({', '.join(f'{name}={value!r}' for name, value in inner.items())})"


def _value(value: Any) -> Any:
    """A given value as JSON has it."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_value(v) for v in value]
    return value if isinstance(value, str | bool | int | float) else str(value)


def inputs_of(run: Run) -> list[dict[str, str]]:
    """All files that the numbers depend on, with their checksums.

    An archive holds everything; a folder is all its files; a single document leads to its FMUs and tables.
    """
    system, path = run.system, run.system.package.path
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    files += [*system.parameter_files, *system.input_tables]
    found = {str(file): checksum(file) for file in files}
    if not path.is_dir() and not zipfile.is_zipfile(path):
        with system.package.sources.opener() as container:
            for location in filter(container.__contains__, _locations(run)):
                with container.open(location) as file:
                    found[str(getattr(file, "name", location))] = hashlib.file_digest(
                        file, "sha256"
                    ).hexdigest()
    return [{"file": file, "sha256": digest} for file, digest in found.items()]


def _locations(run: Run) -> list[str]:
    """The files that a document leads to; of one inside another archive, that archive."""
    package = run.system.package
    documents = (*package.documents, *package.parameter_sets, *package.mappings, *package.dictionaries)
    used = (*documents, *(instance.location for instance in run.flat.instances))
    return list(dict.fromkeys(location.split(ARCHIVE)[0] for location in used if location != package.root))


def checksum(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _platform() -> str:
    """Without `platform.platform`, which starts another program to ask for the processor."""
    machine = platform.uname()
    return f"{machine.system}-{machine.release}-{machine.machine}"


def _versions() -> dict[str, str]:
    """Of the packages that take part in this run."""
    return {name: sys.modules[name].__version__ for name in PACKAGES if name in sys.modules}
