"""Runs many cases side by side, each in a process of its own with a time limit; skips what has a result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from sspsim.crosscheck.cases import Case
from sspsim.crosscheck.outcome import Outcome, read_outcome, result_folder, write_outcome
from sspsim.errors import InputError
from sspsim.fmi.signals import signal_name
from sspsim.fmi.unpack import read_description
from sspsim.formats.container import Archive

TOOL_PATIENCE = 0.2  # share of the time limit for an FMU that will most likely wait for a program in vain


def run_all(
    cases: Iterable[Case],
    out: Path,
    *,
    jobs: int,
    time_limit: float,
    again: bool = False,
    done: Callable[[Outcome], None] = lambda _outcome: None,
) -> list[Outcome]:
    """The outcomes in the order of the cases."""

    def one(case: Case) -> Outcome:
        folder = result_folder(out, case)
        outcome = None if again else read_outcome(folder)
        if outcome is None:
            outcome = _in_a_process(case, folder, time_limit)
        done(outcome)
        return outcome

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, cases))


def _in_a_process(case: Case, folder: Path, time_limit: float) -> Outcome:
    folder.mkdir(parents=True, exist_ok=True)
    needs_tool = _needs_tool(case)
    if needs_tool:
        time_limit *= TOOL_PATIENCE
    command = [
        sys.executable,
        "-m",
        "sspsim.crosscheck.run_case",
        str(case.folder),
        case.model,
        str(folder.resolve()),
    ]
    began = perf_counter()
    with (
        (folder / "run.log").open("wb") as log,
        TemporaryDirectory(
            prefix="sspsim-case-", ignore_cleanup_errors=True
        ) as scratch,  # a crash cleans nothing up
    ):
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**os.environ, "TMPDIR": scratch},
            start_new_session=True,
        )
        try:
            code = child.wait(time_limit)
            reason = _reason(code)
        except subprocess.TimeoutExpired:
            reason = f"stopped after the time limit of {time_limit:g} s"
        finally:
            _end_group(child)
    reason += _last_words(folder / "run.log") if reason else ""
    outcome = read_outcome(folder) if not reason else None
    if outcome is None:
        outcome = Outcome(case.name, "failed", reason or "ended without an outcome; see run.log")
    if needs_tool and outcome.status == "failed":
        outcome = replace(
            outcome, status="rejected", reason=f"needs the program that made it; {outcome.reason}"
        )
    outcome = replace(outcome, seconds=perf_counter() - began)
    write_outcome(case, outcome, folder)
    return outcome


def _needs_tool(case: Case) -> bool:
    """Whether the FMU says that it needs the program that made it; some that say so run all the same."""
    try:
        with Archive(case.fmu) as container:
            description, _ = read_description(container)
    except InputError:
        return False
    interface = description.co_simulation if case.type == "cs" else description.model_exchange
    return interface is not None and interface.needs_tool


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """Ends the case and everything that its FMU may have started."""
    if sys.platform == "win32":
        child.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _last_words(log: Path) -> str:
    """What was said about the component when its process broke down."""
    lines = log.read_text(errors="replace").strip().splitlines()
    return f"; {lines[-1].removeprefix('error: ')}" if lines and lines[-1].startswith("error: ") else ""


def _reason(code: int) -> str:
    if code < 0:
        return f"the process was ended by {signal_name(-code)}"
    return f"the process left with exit code {code}" if code else ""
