"""Inputs that go on during a step: interpolated where both ends are known, else extrapolated."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sspsim import UsageError, simulate
from sspsim.fmi.isolation.settings import Isolation
from sspsim.masters import ErrorControl, GaussJacobi, GaussSeidel
from sspsim.simulation import Simulation

from .flat_systems import Unit, make_system

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Curve" guid="{{3}}">
<CoSimulation modelIdentifier="Curve" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true"
 canInterpolateInputs="{interpolates}" maxOutputDerivativeOrder="{order}">
<SourceFiles><File name="curve.c"/></SourceFiles></CoSimulation>
<ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="f" valueReference="1" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="y" valueReference="2" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="power" valueReference="3" causality="parameter" variability="fixed"><Real start="1"/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="2" dependencies=""/><Unknown index="3" dependencies=""/></Outputs></ModelStructure>
</fmiModelDescription>
"""
STEP, STEPS = 0.25, 8
STOP = STEP * STEPS


def write(folder: Path, name: str, interpolates: bool = True, order: int = 0) -> None:
    with zipfile.ZipFile(folder / f"{name}.fmu", "w") as archive:
        archive.writestr(
            "modelDescription.xml", DESCRIPTION.format(interpolates=str(interpolates).lower(), order=order)
        )
        archive.writestr("sources/curve.c", Path(__file__).with_name("curve.c").read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("curve")
    write(folder, "Curve")
    write(folder, "Telling", order=2)
    write(folder, "Holding", interpolates=False)
    return folder


def error(
    folder: Path, power: int, order: int, source: str = "Curve", sink: str = "Curve", **settings: object
) -> float:
    """How far the integral of t^power is from the exact one at the end."""
    units = {"source": Unit(source, starts={"power": float(power)}), "sink": Unit(sink)}
    system = make_system(folder, units, ("source.f -> sink.u",), stop=STOP)
    result = simulate(system, **{"step": STEP, "input_order": order, "allow_compile": True, **settings})
    return float(result["sink.y"][-1]) - STOP ** (power + 1) / (power + 1)


def test_held_inputs_are_one_order_less_exact(folder: Path) -> None:
    assert error(folder, 1, 0, master=GaussJacobi()) == pytest.approx(-STEPS * STEP**2 / 2)
    assert error(folder, 1, 0, master=GaussSeidel()) == pytest.approx(STEPS * STEP**2 / 2)


def test_inputs_are_interpolated_where_both_ends_are_known(folder: Path) -> None:
    assert error(folder, 1, 1, master=GaussSeidel()) == pytest.approx(0, abs=1e-14)
    assert error(folder, 2, 1, master=GaussSeidel()) == pytest.approx(STEPS * STEP**3 / 6)
    # A parabola needs three points, which the first step does not have.
    assert error(folder, 2, 2, master=GaussSeidel()) == pytest.approx(STEP**3 / 6)


def test_inputs_are_extrapolated_from_past_points(folder: Path) -> None:
    # Without a past the first step holds its input.
    assert error(folder, 1, 1, master=GaussJacobi()) == pytest.approx(-(STEP**2) / 2)
    assert error(folder, 1, 2, master=GaussJacobi()) == pytest.approx(-(STEP**2) / 2)


def test_derivatives_of_the_source_are_better_than_the_past(folder: Path) -> None:
    assert error(folder, 1, 1, "Telling", master=GaussJacobi()) == pytest.approx(0, abs=1e-14)
    assert error(folder, 2, 2, "Telling", master=GaussJacobi()) == pytest.approx(0, abs=1e-14)


def test_isolated_components_do_the_same_with_past_points(folder: Path) -> None:
    for source in ("Curve", "Telling"):
        found = error(folder, 1, 1, source, master=GaussJacobi(), isolation=Isolation(None))
        assert found == pytest.approx(-(STEP**2) / 2)


def test_rolled_back_steps_forget_what_they_saw(folder: Path) -> None:
    stepping = ErrorControl(rtol=1e-6, atol=1e-6)
    assert error(folder, 1, 1, stepping=stepping, master=GaussSeidel()) == pytest.approx(0, abs=1e-12)


def test_components_that_cannot_interpolate_hold_their_inputs(folder: Path) -> None:
    assert error(folder, 1, 1, sink="Holding", master=GaussJacobi()) == pytest.approx(-STEPS * STEP**2 / 2)
    simulation = Simulation(
        make_system(folder, {"a": Unit("Holding")}), step=STEP, input_order=1, allow_compile=True
    )
    assert any("can interpolate" in notice for notice in simulation.notices)


def test_orders_that_do_not_exist_are_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="--input-order"):
        error(folder, 1, 3)
