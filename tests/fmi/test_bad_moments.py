"""FMUs that do harm at any moment of their lives, with and without a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from sspsim import SimulationError, UsageError
from sspsim.fmi.isolation.sandbox import landlock_version
from sspsim.fmi.isolation.settings import Isolation
from sspsim.loading import LoadedSystem
from sspsim.results.result import MemorySink
from sspsim.simulation import Simulation

from .faults import children
from .flat_systems import Unit, make_system

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no isolation on Windows")
DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Bad" guid="{4}">
<CoSimulation modelIdentifier="Bad"><SourceFiles><File name="bad_moment.c"/></SourceFiles></CoSimulation>
<ModelVariables><ScalarVariable name="y" valueReference="0" causality="output"><Real/></ScalarVariable></ModelVariables>
<ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure></fmiModelDescription>
"""
CRASH = "raise(SIGSEGV)"
WHEN = {  # what the message has in front of the moment, and the rows that are there by then
    "load": ("bad: ", None),
    "instantiate": ("bad: ", None),
    "setup": ("bad at t=0.0: ", 0),
    "exit": ("bad at t=0.0: ", 0),
    "get": ("bad at t=0.0: ", 0),
    "step": ("bad at t=0.5: ", 6),
    "terminate": ("bad at t=1.0: ", 11),
    "free": ("bad at t=1.0: ", 11),
}


def bad_system(folder: Path, moment: str, harm: str) -> LoadedSystem:
    code = f'#define _GNU_SOURCE\n#define MOMENT "{moment}"\n#define HARM {harm}\n'
    code += Path(__file__).with_name("bad_moment.c").read_text()
    with zipfile.ZipFile(folder / "Bad.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
        archive.writestr("sources/bad_moment.c", code)
    return make_system(folder, {"bad": Unit("Bad")})


def run(folder: Path, moment: str, harm: str, **limits: float) -> tuple[str, int | None]:
    """The message, or none, and the number of rows; None if there was no result at all."""
    memory: list[MemorySink] = []
    words = ""
    before = children()
    try:
        with Simulation(
            bad_system(folder, moment, harm),
            step=0.1,
            isolation=Isolation(None, **limits),
            allow_compile=True,
            sinks=lambda layout: memory.append(MemorySink(layout)) or memory,  # type: ignore[func-returns-value]
        ) as simulation:
            simulation.run()
    except SimulationError as problem:
        words = str(problem)
    assert children() == before
    return words, len(memory[0].result({}).time) if memory else None


@pytest.mark.parametrize("moment", WHEN)
def test_a_crash_is_told_with_component_signal_and_time(tmp_path: Path, moment: str) -> None:
    words, rows = run(tmp_path, moment, CRASH)
    assert words.startswith(WHEN[moment][0]) and "SIGSEGV" in words
    assert rows == WHEN[moment][1]


@pytest.mark.parametrize(
    ("number", "name"), [(2, "SIGINT"), (13, "SIGPIPE"), (15, "SIGTERM"), (40, "signal 40")]
)
def test_any_signal_is_told(tmp_path: Path, number: int, name: str) -> None:
    words, rows = run(tmp_path, "step", f"raise({number})")
    assert words.startswith("bad at t=0.5: ") and name in words
    assert rows == 6


def test_a_hang_while_freeing_is_told(tmp_path: Path) -> None:
    words, rows = run(tmp_path, "free", "wait_for_ever()", step_timeout=0.5)
    assert words.startswith("bad at t=1.0: ") and "no answer within 0.5 s" in words
    assert rows == 11


def test_signals_to_the_group_do_not_reach_us(tmp_path: Path) -> None:
    words, _ = run(tmp_path, "step", "kill(0, SIGTERM)")
    assert "SIGTERM" in words


def test_what_an_fmu_starts_ends_with_it(tmp_path: Path) -> None:
    def ours() -> int:
        found = [Path(f"/proc/{p}/cmdline") for p in os.listdir("/proc") if p.isdigit()]
        texts = [path.read_bytes() for path in found if path.exists()]
        return sum(
            "isolation.worker\0" in text.decode(errors="replace") and str(os.getpid()).encode() in text
            for text in texts
        )

    assert run(tmp_path, "exit", "start_process()") == ("", 11)
    until = time.monotonic() + 10
    while ours() and time.monotonic() < until:
        time.sleep(0.02)
    assert ours() == 0


def test_an_isolated_fmu_neither_finds_secrets_nor_changes_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reports each success by a signal; in its own folder it may write."""
    if not landlock_version():
        pytest.skip("this kernel does not guard files")
    monkeypatch.setenv("SECRET", "s")
    victim = tmp_path / "victim"
    victim.write_text("kept")
    attempts = (
        'getenv("SECRET")',
        f'fopen("{tmp_path}/new", "w")',
        f'fopen("{victim}", "w")',
        f'!unlink("{victim}")',
        f'!rename("{victim}", "mine")',
        f'!truncate("{victim}", 0)',
        f'!symlink("/etc", "{tmp_path}/link")',
        f'!system("echo x >> {victim}")',
        f'fopen("/proc/{os.getpid()}/environ", "r")',
        '!fopen("mine", "w")',
    )
    harm = " ".join(f"if ({attempt}) raise({40 + k});" for k, attempt in enumerate(attempts))
    assert run(tmp_path, "step", harm) == ("", 11)
    assert victim.read_text() == "kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Bad.fmu", "victim"]


@pytest.mark.parametrize(
    ("moment", "harm", "words"),
    [
        ("load", CRASH, "bad: loading: SIGSEGV"),
        ("instantiate", CRASH, "bad: instantiating: SIGSEGV"),
        ("get", CRASH, "bad: SIGSEGV (segmentation fault) at t=0;"),
        ("step", "start_thread(1)", "bad: SIGSEGV (segmentation fault) at t=0.5;"),
        ("free", CRASH, "bad: fmi2FreeInstance: SIGSEGV (segmentation fault) at t=1;"),
        ("unload", CRASH, "unloading: SIGSEGV"),
        ("exit", "start_thread(0)", ""),
    ],
)
def test_without_isolation_the_last_words_name_the_component(
    tmp_path: Path, moment: str, harm: str, words: str
) -> None:
    """The last case is a thread that is still there when the library could be unloaded."""
    script = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.fmi.test_bad_moments import bad_system
from sspsim import simulate
simulate(bad_system(Path.cwd(), {moment!r}, {harm!r}), step=0.1, allow_compile=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert words in done.stderr
    assert (done.returncode != 0) == bool(words)


@pytest.mark.parametrize(
    "limits", [{"step_timeout": 0.0}, {"step_timeout": -1.0}, {"memory_limit": float("nan")}]
)
def test_limits_must_be_positive(limits: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="must be greater than 0"):
        Isolation(None, **limits)
