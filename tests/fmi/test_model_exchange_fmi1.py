"""FMI 1 model exchange with an FMU made here: the example FMUs of FMI 1 are for co-simulation only."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest

from sspsim import simulate
from sspsim.fmi.platforms import SUFFIX, binary_folders
from sspsim.simulation import Simulation

from .flat_systems import Unit, make_system
from .test_model_exchange import height

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="1.0" modelName="Ball1" modelIdentifier="Ball1" guid="{1}"
  numberOfContinuousStates="2" numberOfEventIndicators="1">
<ModelVariables>
<ScalarVariable name="h" valueReference="0" causality="output"><Real start="1" fixed="true"/></ScalarVariable>
<ScalarVariable name="v" valueReference="1" causality="output"><Real start="0" fixed="true"/></ScalarVariable>
<ScalarVariable name="lift" valueReference="2" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="late" valueReference="0" variability="discrete" causality="output"><Integer/>
</ScalarVariable>
</ModelVariables>
</fmiModelDescription>
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fmi1")
    library = folder / f"Ball1{SUFFIX}"
    source = Path(__file__).with_name("fmi1_exchange.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    with zipfile.ZipFile(folder / "Ball1.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
        archive.write(library, f"binaries/{binary_folders()[0]}/{library.name}")
    return folder


def test_flight_and_impacts_are_exact(folder: Path) -> None:
    result = simulate(
        make_system(folder, {"b": Unit("Ball1", "ModelExchange")}, stop=2.0), step=0.05, fmu_tolerance=1e-9
    )
    exact = np.array([height(t) for t in result.time])
    assert np.abs(result["b.h"] - exact).max() < 1e-7


def test_a_time_event_is_seen_at_its_time(folder: Path) -> None:
    result = simulate(make_system(folder, {"b": Unit("Ball1", "ModelExchange")}, stop=2.0), step=0.25)
    assert list(result["b.late"]) == [0] * 6 + [1] * 3  # from t = 1.5 on


def test_an_input_takes_part(folder: Path) -> None:
    unit = Unit("Ball1", "ModelExchange", {"lift": 9.81})
    result = simulate(make_system(folder, {"b": unit}, stop=1.0), step=0.25)
    assert result["b.h"] == pytest.approx(np.ones(5))


def test_rollback_is_not_claimed(folder: Path) -> None:
    with Simulation(make_system(folder, {"b": Unit("Ball1", "ModelExchange")}), step=0.1) as simulation:
        assert not simulation.components.slaves[0].entry().can_restore
        assert not simulation.flat.instances[0].interface.rollback
