"""Components in processes of their own: the same numbers, and an orderly end whatever they do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sspsim import SimulationError, UsageError, simulate
from sspsim.fmi.isolation.settings import Isolation
from sspsim.masters import GaussSeidel
from sspsim.simulation import Simulation

from .faults import ALONE, CHAIN, HANGS, OUTCOMES, POSITIONS, children, run_fault
from .flat_systems import Unit, make_system

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no isolation on Windows")
ALL = Isolation(None)
DEADLY = ((4, "SIGSEGV"), (6, "exit()"), (7, "SIGABRT"))


@pytest.fixture(autouse=True)
def _nothing_stays_behind() -> object:
    before = children()
    yield
    assert children() == before


@pytest.mark.parametrize("fmi", [1, 2, 3])
def test_a_chain_gives_the_same_bits(fmus: Path, fmi: int) -> None:
    units = {
        "a": Unit(f"fmi{fmi}/Lag", starts={"u": 1.0}),
        "b": Unit(f"fmi{fmi}/Lag"),
        "c": Unit(f"fmi{fmi}/Lag"),
    }
    system = make_system(fmus, units, ("a.y -> b.u", "b.y -> c.u"), stop=2.0)
    apart, together = simulate(system, step=0.05, isolation=ALL), simulate(system, step=0.05)
    assert together["c.y"][-1] > 0.1
    for name in together:
        assert np.array_equal(apart[name], together[name])


@pytest.mark.parametrize("fmi", [2, 3])
def test_an_iterated_cycle_gives_the_same_bits(fmus: Path, fmi: int) -> None:
    units = {"prey": Unit(f"fmi{fmi}/Prey"), "predator": Unit(f"fmi{fmi}/Predator")}
    names = {name: [v.name for v in unit] for name, unit in _variables(fmus, units).items()}
    links = (
        f"prey.{names['prey'][1]} -> predator.{names['predator'][0]}",
        f"predator.{names['predator'][1]} -> prey.{names['prey'][0]}",
    )
    system = make_system(fmus, units, links, stop=2.0)
    settings = {"step": 0.1, "master": GaussSeidel(max_iterations=8)}
    apart, together = simulate(system, isolation=ALL, **settings), simulate(system, **settings)
    for name in together:
        assert np.array_equal(apart[name], together[name])


def _variables(fmus: Path, units: dict[str, Unit]) -> dict[str, list]:
    flat = make_system(fmus, units).flat
    return {
        i.name: [next(v for v in i.description.variables if v.causality == c) for c in ("input", "output")]
        for i in flat.instances
    }


def test_all_types_pass_the_border(fmus: Path) -> None:
    values = {
        "real": 2.5,
        "integer": -7,
        "boolean": True,
        "string": "grüße & more",
        "enumeration": 3,
        "float32": 1.5,
        "int8": -8,
        "uint8": 200,
        "int16": -1600,
        "uint16": 60000,
        "uint32": 4_000_000_000,
        "int64": -(2**53) - 1,
        "uint64": 2**53 + 1,
        "binary": b"\x00\x01\xff",
        "vector": [1.0, 2.0, 3.0],
        "matrix": [1.0, 2.0, 3.0, 4.0],
    }
    starts = {f"{name}_in": value for name, value in values.items()}
    links = tuple(
        f"first.{name}_out -> second.{name}_in" for name in values if not isinstance(values[name], list)
    )
    recorded = tuple(f"{name}_out" for name in values)
    units = {
        "first": Unit("fmi3/Feedthrough", starts=starts, recorded=recorded),
        "second": Unit("fmi3/Feedthrough", recorded=recorded),
    }
    system = make_system(fmus, units, links, stop=0.3)
    apart, together = simulate(system, step=0.1, isolation=ALL), simulate(system, step=0.1)
    assert set(apart) == set(together)
    for name in together:
        assert list(apart[name]) == list(together[name]), name
    assert apart["second.string_out"][-1] == "grüße & more"
    assert apart["second.int64_out"][-1] == -(2**53) - 1


def test_model_exchange_is_isolated_too(fmus: Path) -> None:
    system = make_system(fmus, {"ball": Unit("fmi2/BouncingBall", "ModelExchange")}, stop=1.0)
    apart, together = simulate(system, step=0.05, isolation=ALL), simulate(system, step=0.05)
    assert np.array_equal(apart["ball.h"], together["ball.h"])


def test_one_step_is_one_exchange(fmus: Path) -> None:
    units = {"a": Unit("fmi2/Lag", starts={"u": 1.0}), "b": Unit("fmi2/Lag")}
    with Simulation(
        make_system(fmus, units, ("a.y -> b.u",), stop=10.0), step=0.01, isolation=ALL
    ) as simulation:
        simulation.run()
        exchanges = [slave.channel.exchanges for slave in simulation.components.slaves]  # type: ignore[attr-defined]
    assert max(exchanges) < 1000 + 30


def test_once_per_process_fmus_get_processes_without_being_told(fmus: Path) -> None:
    units = {"a": Unit("fmi2/OncePerProcess", starts={"u": 1.0}), "b": Unit("fmi2/OncePerProcess")}
    with Simulation(make_system(fmus, units, ("a.y -> b.u",)), step=0.1) as simulation:
        simulation.run()
        assert simulation.components.isolated == {"a", "b"}
    single = make_system(fmus, {"a": Unit("fmi2/OncePerProcess")})
    with Simulation(single, step=0.1) as simulation:
        assert simulation.components.isolated == set()


# ---- faults ----------------------------------------------------------------------------------------------------


def _is_harmless(mode: int, phase: int, position: str) -> bool:
    """NaN ends a run only where it is handed on during steps; else it is just recorded."""
    return mode == 3 and (phase > 0 or position == ALONE)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("phase", [0, 1, 2])
@pytest.mark.parametrize("mode", sorted(OUTCOMES))
def test_table_of_outcomes_with_isolation(fmus: Path, mode: int, phase: int, position: str) -> None:
    isolation = Isolation(("bad",), step_timeout=1.0 if mode in HANGS else 15.0, memory_limit=150)
    words, rows = run_fault(fmus, mode, phase, position, isolation)
    expected = OUTCOMES[mode].isolated if not _is_harmless(mode, phase, position) else ""
    if not expected:
        assert words == "" and rows == 11
        return
    assert expected in words
    assert words.startswith("bad")
    assert rows == {0: 6, 1: 0, 2: 11}[phase]
    if phase == 0 and mode != 3:
        assert "t=0.5" in words


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("phase", [0, 1, 2])
@pytest.mark.parametrize("mode", [m for m in sorted(OUTCOMES) if not OUTCOMES[m].deadly])
def test_table_of_outcomes_without_isolation(fmus: Path, mode: int, phase: int, position: str) -> None:
    words, rows = run_fault(fmus, mode, phase, position, Isolation())
    expected = OUTCOMES[mode].inside if not _is_harmless(mode, phase, position) else ""
    if not expected:
        assert words == "" and rows == 11
        return
    assert expected in words
    assert words.startswith("bad")
    assert rows == {0: 6, 1: 0, 2: 11}[phase]


@pytest.mark.parametrize(
    ("mode", "word", "phase", "position"),
    [
        *((mode, word, phase, CHAIN) for mode, word in DEADLY for phase in (0, 1, 2)),
        *((4, "SIGSEGV", 0, position) for position in POSITIONS if position != CHAIN),
        (4, "SIGSEGV", 3, "iterated"),
    ],
)
def test_a_crash_without_isolation_names_the_component(
    fmus: Path, tmp_path: Path, mode: int, word: str, phase: int, position: str
) -> None:
    script = f"""
import sys
from pathlib import Path
sys.path[:0] = {[str(Path(__file__).parents[2]), str(Path(__file__).parents[1])]!r}
from tests.fmi.faults import fault_system
from sspsim.results.folder import run_into
from sspsim.masters import GaussSeidel
from sspsim.simulation import Simulation
system = fault_system(Path({str(fmus)!r}), {mode}, {phase}, {position!r})
master = GaussSeidel(max_iterations={3 if position == "iterated" else 1})
run_into(Path("out"), Simulation(system, step=0.1, master=master))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0
    for text in (done.stderr, (tmp_path / "out" / "run.log").read_text()):
        assert "bad" in text and word in text
        assert ("at t=0.5" in text) == (phase == 0)
        assert ("at t=0.6" in text) == (phase == 3)  # the first state after 0.5 that is gone back to
    if phase == 2:
        rows = (tmp_path / "out" / "values.csv").read_text().splitlines()
        assert len(rows) >= 10


def test_limits_without_isolation_are_refused(fmus: Path) -> None:
    with pytest.raises(UsageError, match="--isolate"):
        Simulation(
            make_system(fmus, {"a": Unit("fmi2/Lag")}), step=0.1, isolation=Isolation((), step_timeout=1.0)
        )


def test_an_unknown_component_is_refused(fmus: Path) -> None:
    with pytest.raises(UsageError, match="there is no component 'x'"):
        Simulation(make_system(fmus, {"a": Unit("fmi2/Lag")}), step=0.1, isolation=Isolation(("x",)))


def test_the_worker_sees_no_secrets_and_writes_only_at_home(fmus: Path, tmp_path: Path) -> None:
    """What an FMU could do is tried by the worker's Python before it loads one."""
    script = (
        "import os, sys; from pathlib import Path; from sspsim.fmi.isolation import sandbox\n"
        "home = Path.cwd(); restricted = sandbox.forbid_writing([home]); (home / 'mine').write_text('x')\n"
        "found = ['SECRET' in os.environ]\n"
        "for path in (sys.argv[1], f'/proc/{os.getppid()}/environ'):\n"
        "    try:\n"
        "        open(path, 'w' if path == sys.argv[1] else 'rb').close(); found.append(True)\n"
        "    except OSError: found.append(False)\n"
        "print(restricted, *found)"
    )
    from sspsim.fmi.isolation import sandbox

    home = tmp_path / "home"
    home.mkdir()
    os.environ["SECRET"] = "s"
    try:
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "outside")],
            cwd=home,
            env=dict(sandbox.environment(home)),
            capture_output=True,
            text=True,
            check=True,
        )
    finally:
        del os.environ["SECRET"]
    restricted, secret, outside, parent = done.stdout.split()
    assert secret == "False"
    guarded = sandbox.landlock_version() > 0
    assert restricted == str(guarded)
    assert (outside, parent) == (("False", "False") if guarded else ("True", "True"))


@pytest.mark.parametrize("version", [0, 1])
def test_a_run_says_when_files_are_not_guarded(
    fmus: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    from sspsim.fmi.isolation import sandbox

    monkeypatch.setattr(sandbox, "landlock_version", lambda: version)
    system = make_system(fmus, {"a": Unit("fmi2/Lag")})
    isolated, alone = (Simulation(system, step=0.1, isolation=i).notices for i in (ALL, None))
    assert (sandbox.UNGUARDED in isolated) == (version == 0)
    assert sandbox.UNGUARDED not in alone


def test_a_dead_owner_takes_its_workers_along(fmus: Path, tmp_path: Path) -> None:
    """Killed without a chance to clean up, with an FMU in an endless loop: nothing stays."""
    script = f"""
import sys, os
from pathlib import Path
sys.path[:0] = {[str(Path(__file__).parents[2])]!r}
from tests.fmi.faults import fault_system
from sspsim.fmi.isolation.settings import Isolation
from sspsim.simulation import Simulation
with Simulation(fault_system(Path({str(fmus)!r}), 5, 0, "chain"), step=0.1, isolation=Isolation(None)) as s:
    print(*[slave.process.pid for slave in s.components.slaves], flush=True)
    s.run()
"""
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    assert owner.stdout is not None
    workers = [int(word) for word in owner.stdout.readline().split()]
    assert len(workers) == 3
    import time

    time.sleep(0.5)  # well inside the endless loop
    owner.kill()
    owner.wait()
    until = time.monotonic() + 10
    while any(_alive(pid) for pid in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(_alive(pid) for pid in workers)


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_fault_is_a_simulation_error_with_component_and_time(fmus: Path) -> None:
    from .faults import fault_system

    with pytest.raises(SimulationError) as caught:
        simulate(fault_system(fmus, 4, 0, CHAIN), step=0.1, isolation=Isolation(("bad",)))
    assert caught.value.component == "bad"
    assert caught.value.time == pytest.approx(0.5)
