"""FMI 3 co-simulation with event mode: events and ticks happen when they should, inside a step."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from sspsim import Result, simulate
from sspsim.fmi.isolation.settings import Isolation
from sspsim.masters import ErrorControl, GaussJacobi

from .flat_systems import Unit, make_system

OUTPUTS = ("count", "last_tick", "sample", "event_time", "early_time", "triggered", "counted")
DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Ticking" instantiationToken="t">
<CoSimulation modelIdentifier="Ticking" hasEventMode="true" canGetAndSetFMUState="true"
 canHandleVariableCommunicationStepSize="{variable}"/>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Clock name="periodic" valueReference="1" causality="input" intervalVariability="constant" intervalDecimal="0.3"/>
<Clock name="trigger" valueReference="2" causality="input" intervalVariability="triggered"/>
<Clock name="beat" valueReference="3" causality="output" intervalVariability="triggered"/>
<Clock name="countdown" valueReference="4" causality="input" intervalVariability="countdown"/>
<Float64 name="u" valueReference="5" causality="input" variability="discrete" clocks="1" start="5"/>
{outputs}
</ModelVariables>
<ModelStructure/>
</fmiModelDescription>
"""
BUILD = """<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0"><BuildConfiguration modelIdentifier="Ticking">
<SourceFileSet><SourceFile name="ticking.c"/></SourceFileSet></BuildConfiguration></fmiBuildDescription>
"""


def write(folder: Path, name: str, variable: str, changes: dict[str, str] | None = None) -> None:
    code = Path(__file__).with_name("ticking.c").read_text()
    for text, other in (changes or {}).items():
        assert text in code
        code = code.replace(text, other)
    outputs = "\n".join(
        f'<Float64 name="{output}" valueReference="{k}" causality="output" variability="discrete"/>'
        for k, output in enumerate(OUTPUTS, 6)
    )
    with zipfile.ZipFile(folder / f"{name}.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION.format(variable=variable, outputs=outputs))
        archive.writestr("sources/buildDescription.xml", BUILD)
        archive.writestr("sources/ticking.c", code)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ticking")
    write(folder, "Ticking", "true")
    write(folder, "Rigid", "false")
    return folder


def run(folder: Path, *links: str, fmu: str = "Ticking", **settings: object) -> Result:
    units = {name: Unit(fmu, recorded=(*OUTPUTS, "beat")) for name in ("a", "b")}
    return simulate(make_system(folder, units, links), **{"step": 0.25, "allow_compile": True, **settings})


def test_events_happen_at_their_times(folder: Path) -> None:
    result = run(folder)
    assert result["a.event_time"][-1] == pytest.approx(0.55, abs=1e-12)
    assert result["a.early_time"][-1] == pytest.approx(0.7, abs=1e-12)
    assert result["a.counted"][-1] == pytest.approx(0.55 + 0.125, abs=1e-12)


def test_periodic_clocks_tick_inside_steps(folder: Path) -> None:
    result = run(folder)
    assert list(result["a.count"]) == [1, 1, 2, 3, 4]  # at 0, 0.3, 0.6 and 0.9
    assert result["a.last_tick"][-1] == pytest.approx(0.9, abs=1e-12)


def test_a_step_of_any_length_gives_the_same_events(folder: Path) -> None:
    rough, fine = run(folder, step=1.0), run(folder, step=0.01)
    for name in rough:
        if not name.endswith("beat"):
            assert rough[name][-1] == pytest.approx(fine[name][-1], abs=1e-12), name


def test_clocked_inputs_are_handed_over_with_their_clock(folder: Path) -> None:
    result = run(folder, "a.last_tick -> b.u", master=GaussJacobi())
    # b ticks at 0.9 and sees what a had at the beginning of that step, 0.75.
    assert result["b.sample"][-1] == pytest.approx(0.6, abs=1e-12)


def test_an_output_clock_triggers_that_of_another_component(folder: Path) -> None:
    result = run(folder, "a.beat -> b.trigger")
    assert list(result["a.beat"]) == [0, 0, 0, 1, 0]  # in the step from 0.5 to 0.75
    assert result["b.triggered"][-1] == 1
    assert result["a.triggered"][-1] == 0


def test_without_variable_steps_events_wait_for_the_end_of_the_step(folder: Path) -> None:
    result = run(folder, fmu="Rigid")
    assert result["a.early_time"][-1] == 0.75
    assert result["a.event_time"][-1] == 0.75


def test_isolation_and_rollback_change_nothing(folder: Path) -> None:
    plain = run(folder, "a.beat -> b.trigger")
    apart = run(folder, "a.beat -> b.trigger", isolation=Isolation(("b",)))
    doubled = run(folder, "a.beat -> b.trigger", stepping=ErrorControl(max_step=0.25))
    for name in plain:
        assert np.array_equal(plain[name], apart[name]), name
    for name in ("a.count", "a.event_time", "a.early_time", "a.counted", "b.triggered"):
        assert doubled[name][-1] == pytest.approx(plain[name][-1], abs=1e-12), name


@pytest.mark.parametrize("isolation", [Isolation(()), Isolation(None)])
def test_an_fmu_that_refuses_its_event_mode_does_without(tmp_path: Path, isolation: Isolation) -> None:
    """It says that it has one; its events then happen at the ends of steps, for it to handle."""
    exit_mode = "fmi3ExitInitializationMode(fmi3Instance c) { return ((Model *)c)->in_event_mode = "
    refuses = {"if (!event_mode)": "if (event_mode)", f"{exit_mode}1": f"{exit_mode}0"}
    write(tmp_path, "Refusing", "true", refuses)
    result = simulate(
        make_system(tmp_path, {"a": Unit("Refusing", recorded=("early_time", "count"))}),
        step=0.25,
        allow_compile=True,
        isolation=isolation,
    )
    assert list(result["a.early_time"]) == [-1, -1, -1, 0.75, 0.75]
    assert list(result["a.count"]) == [0] * 5
