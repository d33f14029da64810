"""An FMU that brings only its sources, and whose steps are asynchronous."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from sspsim import InputError, simulate
from sspsim.fmi.isolation.settings import Isolation

from .flat_systems import Unit, make_system

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Slow" guid="{2}">
<CoSimulation modelIdentifier="Slow" canHandleVariableCommunicationStepSize="true" canRunAsynchronuously="true">
<SourceFiles><File name="asynchronous.c"/></SourceFiles></CoSimulation>
<ModelVariables><ScalarVariable name="y" valueReference="0" causality="output"><Real/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure>
</fmiModelDescription>
"""


def pack(folder: Path, code: str) -> Path:
    with zipfile.ZipFile(folder / "Slow.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
        archive.writestr("sources/asynchronous.c", code)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return pack(tmp_path, Path(__file__).with_name("asynchronous.c").read_text())


def test_a_pending_step_is_cancelled_by_an_interruption(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = "#define ENDLESS\n" + Path(__file__).with_name("asynchronous.c").read_text()
    system = make_system(pack(tmp_path, code), {"slow": Unit("Slow")})
    with pytest.raises(KeyboardInterrupt):
        simulate(system, step=0.125, allow_compile=True)
    assert "cancelled" in capfd.readouterr().err


@pytest.mark.parametrize("isolation", [Isolation(), Isolation(None)])
def test_pending_steps_are_waited_for(folder: Path, isolation: Isolation) -> None:
    system = make_system(folder, {"slow": Unit("Slow")})
    result = simulate(system, step=0.125, allow_compile=True, isolation=isolation)
    assert np.array_equal(result["slow.y"], result.time)


def test_nothing_is_compiled_without_consent(folder: Path) -> None:
    with pytest.raises(InputError, match="--allow-compile"):
        simulate(make_system(folder, {"slow": Unit("Slow")}), step=0.125)


def test_sources_that_do_not_compile_are_an_input_error(tmp_path: Path) -> None:
    system = make_system(pack(tmp_path, "this is not C"), {"slow": Unit("Slow")})
    with pytest.raises(InputError, match="Slow: its sources do not compile"):
        simulate(system, step=0.125, allow_compile=True)
