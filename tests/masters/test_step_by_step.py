"""A simulation driven from Python: stepping, looking in, going back, checkpoints."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import sspsim
from sspsim import Anderson, ByConvergence, ErrorControl, FixedStep, Simulation

RING = ["a.y -> b.u", "b.y -> a.u"]
START = {"a.x": 1.0, "b.k": -1.0}
STEPPINGS = [FixedStep(0.01), ByConvergence(step=0.01, max_step=0.02), ErrorControl(1e-4, 1e-4, step=0.01)]


def test_step_get_and_set(system):
    with Simulation(system({"x": "Integrator"}), step=0.25) as simulation:
        with pytest.raises(sspsim.UsageError, match="initialize"):
            simulation.step()
        simulation.initialize()
        assert simulation.get("x.y") == 0.0
        simulation.set("x.u", 2.0)
        simulation.step()
        assert (simulation.time, simulation.get("x.y")) == (0.25, 0.5)
        simulation.set("x.u", -1.0)
        for _ in range(3):
            simulation.step()
        assert (simulation.time, simulation.get("x.y")) == (1.0, -0.25)
        with pytest.raises(sspsim.UsageError, match="stop time"):
            simulation.step()


def test_names_are_checked(system):
    with Simulation(system({"a": "Lag", "b": "Lag"}, RING), step=0.1) as simulation:
        simulation.initialize()
        with pytest.raises(sspsim.UsageError, match=r"do you mean a\.y"):
            simulation.get("a.yy")
        with pytest.raises(sspsim.UsageError, match=r"gets its value from b\.y"):
            simulation.set("a.u", 1.0)
    with pytest.raises(sspsim.UsageError, match=r"no variable or connector 'a\.kk'"):
        Simulation(system({"a": "Lag"}), parameters={"a.kk": 1.0})


@pytest.mark.parametrize("stepping", STEPPINGS, ids=lambda s: s.name)
def test_going_back_gives_the_same_bits(system, stepping):
    with Simulation(
        system({"a": "Lag", "b": "Lag"}, RING), stepping=stepping, master=Anderson(), parameters=START
    ) as simulation:
        simulation.initialize()
        for _ in range(5):
            simulation.step()
        saved = simulation.save()
        runs = []
        for _ in range(2):
            simulation.restore(saved)
            values = []
            for _ in range(5):
                simulation.step()
                values.append((simulation.time, simulation.get("a.y"), simulation.get("b.y")))
            runs.append(values)
        assert runs[0] == runs[1]
        assert runs[0][0][0] > saved.time


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("stepping", STEPPINGS, ids=lambda s: s.name)
def test_resuming_gives_the_bits_of_an_uninterrupted_run(system, tmp_path, stepping, fmi):
    loaded = system({"a": "Lag", "b": "Lag"}, RING, fmi=fmi)
    settings = {"stepping": stepping, "master": Anderson(), "parameters": START, "output_step": 0.03}
    whole = sspsim.simulate(loaded, **settings)
    path = tmp_path / "run.checkpoint"
    with Simulation(loaded, checkpoint=path, checkpoint_every=0.4, **settings) as simulation:
        simulation.initialize()
        while simulation.time < 0.7:
            simulation.step()
    rest = sspsim.simulate(loaded, resume=path, **settings)
    assert 0.4 < rest.time[0] < 0.5
    assert len(rest.time) < len(whole.time)
    assert rest.time.tolist() == whole.time[-len(rest.time) :].tolist()
    for name in whole:
        assert rest[name].tolist() == whole[name][-len(rest.time) :].tolist()
    assert rest.statistics["steps"] == whole.statistics["steps"]


def test_a_checkpoint_of_another_system_is_refused(system, tmp_path):
    path = tmp_path / "run.checkpoint"
    with Simulation(system({"a": "Lag"}), step=0.1) as simulation:
        simulation.initialize()
        simulation.write_checkpoint(path)
    with pytest.raises(sspsim.InputError, match="another system"):
        sspsim.simulate(system({"b": "Lag"}), step=0.1, resume=path)
    path.write_bytes(b"nonsense")
    with pytest.raises(sspsim.InputError, match="not a checkpoint"):
        sspsim.simulate(system({"a": "Lag"}), step=0.1, resume=path)


def test_what_cannot_be_serialised_is_named(system, tmp_path):
    with Simulation(system({"a": "NoRollback"}), step=0.1) as simulation:
        simulation.initialize()
        with pytest.raises(sspsim.UsageError, match="a cannot serialise its state"):
            simulation.write_checkpoint(tmp_path / "run.checkpoint")
        with pytest.raises(sspsim.UsageError, match="a cannot save and restore its state"):
            simulation.save()


def test_checkpoints_are_refused_before_the_run(system, tmp_path):
    loaded = system({"a": "NoRollback"})
    with (
        pytest.raises(sspsim.UsageError, match="a cannot serialise its state"),
        Simulation(loaded, step=0.1, checkpoint=tmp_path / "c", checkpoint_every=0.5),
    ):
        pass


def test_nothing_happens_outside_of_the_with_block(system):
    simulation = Simulation(system({"a": "Lag"}), step=0.1)
    for act in (simulation.initialize, simulation.step, simulation.save, lambda: simulation.get("a.y")):
        with pytest.raises(sspsim.UsageError, match="with block"):
            act()
    with simulation:
        simulation.initialize()
        with pytest.raises(sspsim.UsageError, match="already"):
            simulation.initialize()
        simulation.set("a.u", np.float64(1.0))
        with pytest.raises(sspsim.UsageError, match="'abc'"):
            simulation.set("a.u", "abc")
        simulation.step()
        simulation.run()  # the rest
        assert simulation.time == 1.0
    with pytest.raises(sspsim.UsageError, match="with block"):
        simulation.get("a.y")


def test_a_failed_step_is_no_place_to_go_on_from(system):
    loaded = system({"b": "Lag", "a": "Misbehave"}, parameters={"a.mode": 1, "a.from_time": 0.25})
    with Simulation(loaded, step=0.1) as simulation:
        simulation.initialize()
        simulation.step()
        saved = simulation.save()
        simulation.step()
        with pytest.raises(sspsim.SimulationError, match=r"a at t=0\.2"):
            simulation.step()
        for act in (simulation.step, simulation.run, simulation.save):
            with pytest.raises(sspsim.UsageError, match="failed half-way: restore"):
                act()
        simulation.restore(saved)
        simulation.step()
        assert simulation.time == 0.2


def test_a_moment_belongs_to_one_simulation(system):
    loaded = system({"a": "Lag"})
    with Simulation(loaded, step=0.1) as one, Simulation(loaded, step=0.1) as other:
        one.initialize()
        other.initialize()
        with pytest.raises(sspsim.UsageError, match="another simulation"):
            other.restore(one.save())


def test_the_end_is_the_end(system):
    simulation = Simulation(system({"a": "Lag"}), step=0.1)
    with pytest.raises(sspsim.UsageError, match="no statistics"):
        simulation.statistics()
    with simulation:
        simulation.run()
        saved = simulation.get("a.y")
        for act in (simulation.run, simulation.step, simulation.save, lambda: simulation.set("a.u", saved)):
            with pytest.raises(sspsim.UsageError, match="the run has ended"):
                act()
    with pytest.raises(sspsim.UsageError, match="make another one"):
        simulation.__enter__()


def test_the_message_of_an_fmu_tells_the_time(system):
    with Simulation(system({"a": "Lag"}), step=0.1) as simulation:
        simulation.initialize()
        simulation.step()
        with pytest.raises(sspsim.SimulationError, match=r"a at t=0\.1: "):
            simulation.set("a.k", 2.0)


def test_names_instead_of_objects_are_refused(system):
    loaded = system({"a": "Lag"})
    for settings in ({"master": "newton"}, {"master": sspsim.Newton}, {"masters": {"a": "newton"}}):
        with pytest.raises(sspsim.UsageError, match=r"such as sspsim\.Newton\(\)"):
            Simulation(loaded, **settings)
    with pytest.raises(sspsim.UsageError, match=r"such as sspsim\.FixedStep"):
        Simulation(loaded, stepping="error")


def test_paths_may_be_texts(system, tmp_path):
    loaded, files = system({"a": "Lag"}), {"step_log": tmp_path / "log", "checkpoint": tmp_path / "c"}
    settings = {name: str(path) for name, path in files.items()}
    sspsim.simulate(loaded, step=0.1, checkpoint_every=0.5, **settings)
    assert all(path.exists() for path in files.values())
    assert sspsim.simulate(loaded, step=0.1, resume=str(files["checkpoint"])).statistics["steps"] == 10


PROGRAM = """
import sys
from pathlib import Path
import sspsim
from sspsim.results.csv import CsvSink
with sspsim.Simulation(
    sys.argv[1], step=1e-3, master=sspsim.Anderson(), parameters={"a.microseconds": 500.0, "a.x": 1.0},
    checkpoint=Path(sys.argv[3]), checkpoint_every=0.01,
    sinks=lambda layout: [CsvSink(Path(sys.argv[2]), layout)],
) as simulation:
    simulation.run()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_killed_run_leaves_rows_and_can_be_resumed(system, tmp_path):
    loaded = system({"a": "Busy", "b": "Busy"}, RING)
    table, path = tmp_path / "values.csv", tmp_path / "run.checkpoint"
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, loaded.package.path, table, path])
    while not (path.exists() and table.exists() and table.read_bytes().count(b"\n") > 20):
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    rows = np.genfromtxt(table, delimiter=",", names=True)
    assert len(rows) > 15
    parameters = {"a.microseconds": 0.0, "b.microseconds": 0.0, "a.x": 1.0}
    settings = {"step": 1e-3, "master": Anderson(), "parameters": parameters}
    whole = sspsim.simulate(loaded, **settings)
    for name in ("a.y", "b.y"):
        column = rows[name.replace(".", "")]
        assert column.tolist() == whole[name][: len(rows)].tolist()
    rest = sspsim.simulate(loaded, resume=path, stop=0.2, **settings)
    offset = round(rest.time[0] / 1e-3)
    assert rest["a.y"].tolist() == whole["a.y"][offset : offset + len(rest.time)].tolist()
