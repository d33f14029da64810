"""Has an FMU probed in another process, and puts what comes of it into words."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sspsim.errors import InputError
from sspsim.fmi.description import Interface
from sspsim.fmi.isolation import sandbox
from sspsim.fmi.signals import signal_name
from sspsim.fmi.unpack import unpack
from sspsim.formats.container import Container
from sspsim.structure import Scalar

CHECKS = ("rollback", "instances", "determinism", "derivatives", "dependencies")
PASSED, FAILED, NOT_DECLARED = "passed", "failed", "not declared"
ONE_RUN = "one run"  # the outputs of a run that has to be repeated in another process


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one check of one component; `outcome` is passed, failed or not declared."""

    component: str
    check: str
    outcome: str
    detail: str = ""


def probe(
    container: Container,
    component: str,
    interface: Interface,
    *,
    starts: Mapping[str, Sequence[Scalar]] | None = None,
    start: float = 0.0,
    step: float = 0.01,
    checks: Sequence[str] = CHECKS,
    time_limit: float = 60.0,
    allow_compile: bool = False,
) -> list[Finding]:
    """Tries the FMU in a container out; each check has a process of its own, so that a crash costs only that one."""
    with tempfile.TemporaryDirectory(prefix="sspsim-probe-") as directory:
        folder = Path(directory) / "fmu"
        try:
            library = unpack(container, interface, folder, allow_compile=allow_compile)
        except InputError as problem:
            return [Finding(component, check, FAILED, str(problem)) for check in checks]
        order = {
            "component": component,
            "folder": str(folder),
            "library": str(library),
            "kind": interface.kind,
            "starts": {name: list(values) for name, values in (starts or {}).items()},
            "start": start,
            "step": step,
        }
        return [_check(component, check, order, Path(directory), time_limit) for check in checks]


def _check(component: str, check: str, order: dict[str, object], home: Path, limit: float) -> Finding:
    """One check, whose two runs have a process each where an FMU can be there only once per process."""
    first = _in_a_process(component, check, order, home, limit)
    if first.outcome != ONE_RUN:
        return first
    second = _in_a_process(component, check, order, home, limit)
    if second.outcome != ONE_RUN:
        return second
    for (name, *once), (_, *again) in zip(json.loads(first.detail), json.loads(second.detail), strict=True):
        for x, y in zip(once, again, strict=True):
            if x != y:
                text = f"{name} is {x} and then {y} in a second run with the same steps"
                return Finding(component, check, FAILED, text)
    return Finding(component, check, PASSED)


def _in_a_process(component: str, check: str, order: dict[str, object], home: Path, limit: float) -> Finding:
    command = [sys.executable, "-m", "sspsim.fmi.probing.worker", check]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(order),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            cwd=home,
            env=sandbox.environment(home),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Finding(component, check, FAILED, f"no answer within {limit:g} s")
    answer = _last_line(done.stdout)
    if done.returncode < 0:
        return Finding(component, check, FAILED, f"crashed with {signal_name(-done.returncode)}")
    if done.returncode or answer is None:
        return Finding(component, check, FAILED, f"the process left with exit code {done.returncode}")
    return Finding(component, check, answer["outcome"], answer["detail"])


def _last_line(text: str) -> dict[str, str] | None:
    """The answer stands on the last line; the FMU may have printed before."""
    try:
        answer = json.loads(text.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return None
    return answer if isinstance(answer, dict) and {"outcome", "detail"} <= set(answer) else None
