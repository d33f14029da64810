"""FMUs of FMI 3 that ask for their inputs inside a step."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sspsim import simulate
from sspsim.fmi.isolation.settings import Isolation
from sspsim.masters import GaussJacobi, GaussSeidel

from .flat_systems import Unit, make_system

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Follower" instantiationToken="f">
<CoSimulation modelIdentifier="Follower" providesIntermediateUpdate="true" canHandleVariableCommunicationStepSize="true"
 canGetAndSetFMUState="true" hasEventMode="{event_mode}"/>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Float64 name="u" valueReference="1" causality="input" intermediateUpdate="true" start="0"/>
<Float64 name="f" valueReference="2" causality="output"/>
<Float64 name="y" valueReference="3" causality="output"/>
<Float64 name="power" valueReference="4" causality="parameter" variability="fixed" start="1"/>
</ModelVariables>
<ModelStructure><Output valueReference="2" dependencies=""/><Output valueReference="3" dependencies=""/></ModelStructure>
</fmiModelDescription>
"""
BUILD = """<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0"><BuildConfiguration modelIdentifier="Follower">
<SourceFileSet><SourceFile name="follower.c"/></SourceFileSet></BuildConfiguration></fmiBuildDescription>
"""
STEP, STEPS = 0.25, 8
STOP = STEP * STEPS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("follower")
    for name, event_mode in (("Follower", "false"), ("Eventful", "true")):
        with zipfile.ZipFile(folder / f"{name}.fmu", "w") as archive:
            archive.writestr("modelDescription.xml", DESCRIPTION.format(event_mode=event_mode))
            archive.writestr("sources/buildDescription.xml", BUILD)
            archive.writestr("sources/follower.c", Path(__file__).with_name("follower.c").read_text())
    return folder


def error(folder: Path, fmu: str, power: int, order: int, **settings: object) -> float:
    """How far the integral of t^power is from the exact one at the end."""
    units = {"source": Unit(fmu, starts={"power": float(power)}), "sink": Unit(fmu)}
    system = make_system(folder, units, ("source.f -> sink.u",), stop=STOP)
    result = simulate(system, **{"step": STEP, "input_order": order, "allow_compile": True, **settings})
    return float(result["sink.y"][-1]) - STOP ** (power + 1) / (power + 1)


@pytest.mark.parametrize("fmu", ["Follower", "Eventful"])
def test_inputs_are_handed_over_inside_steps(folder: Path, fmu: str) -> None:
    """The midpoint rule is exact for straight lines; the first step has no past and holds its input."""
    assert error(folder, fmu, 1, 0, master=GaussSeidel()) == pytest.approx(STEPS * STEP**2 / 2)
    assert error(folder, fmu, 1, 1, master=GaussSeidel()) == pytest.approx(STEP**2 / 2)
    assert error(folder, fmu, 1, 1, master=GaussJacobi()) == pytest.approx(-(STEP**2) / 2)
    isolated = error(folder, fmu, 1, 1, master=GaussJacobi(), isolation=Isolation(None))
    assert isolated == pytest.approx(-(STEP**2) / 2)


@pytest.mark.parametrize("fmu", ["Follower", "Eventful"])
def test_repeated_steps_forget_what_they_saw(folder: Path, fmu: str) -> None:
    """In a cycle of two that is iterated: the same points, however often a step is made."""
    units = {name: Unit(fmu, starts={"power": 1.0}) for name in ("a", "b")}
    system = make_system(folder, units, ("a.f -> b.u", "b.y -> a.u"), stop=STOP)
    rounds = [
        simulate(
            system,
            step=STEP,
            input_order=1,
            allow_compile=True,
            rtol=1e-14,
            atol=1e-14,
            master=GaussSeidel(max_iterations=n),
        )
        for n in (5, 20)
    ]
    for result in rounds:
        assert result["b.y"][-1] - STOP**2 / 2 == pytest.approx(STEP**2 / 2)
    assert list(rounds[0]["a.y"]) == list(rounds[1]["a.y"])
