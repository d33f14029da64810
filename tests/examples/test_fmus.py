"""The FMUs compute what they promise, through every FMI version."""

from __future__ import annotations

import ctypes
import math
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from conftest import Unit
from fmpy.fmi1 import FMICallException
from fmubuild import model_names
from fmubuild.package import platform_folder

VERSIONS = (1, 2, 3)


def simulate(built: Path, name: str, fmi: int, **options: Any) -> Any:
    return fmpy.simulate_fmu(str(built / f"fmi{fmi}" / f"{name}.fmu"), **options)


def run(unit: Unit, stop: float, h: float) -> None:
    for k in range(round(stop / h)):
        unit.step(k * h, h)


# ---- exact solutions ----


@pytest.mark.parametrize("fmi", VERSIONS)
def test_lag_answers_a_step_exactly(built: Path, fmi: int) -> None:
    values = {"u": 1.0, "T": 2.0, "k": 3.0}
    result = simulate(built, "Lag", fmi, start_values=values, stop_time=5, output_interval=0.1)
    assert np.allclose(result["y"], 3 * (1 - np.exp(-result["time"] / 2)), rtol=0, atol=1e-14)


@pytest.mark.parametrize("fmi", VERSIONS)
def test_stiff_system_is_exact_for_large_steps(open_unit: Any, fmi: int) -> None:
    unit = open_unit("StiffLinear", fmi).start()
    run(unit, 2.0, 0.5)
    exact = 1 - 1000 / 999 * math.exp(-2)
    assert unit.get("y") == pytest.approx(exact, abs=1e-14)


@pytest.mark.parametrize("fmi", VERSIONS)
def test_oscillator_swings_freely_as_in_theory(open_unit: Any, fmi: int) -> None:
    unit = open_unit("OscillatorLeft", fmi).start(d=0.0, c=4.0)
    run(unit, 3.0, 0.1)
    assert unit.get("x") == pytest.approx(math.cos(6), abs=1e-9)


@pytest.mark.parametrize("kind", ("CoSimulation", "ModelExchange"))
@pytest.mark.parametrize("fmi", (2, 3))
def test_ball_bounces_in_both_interfaces(built: Path, fmi: int, kind: str) -> None:
    result = simulate(
        built, "BouncingBall", fmi, fmi_type=kind, stop_time=3, output_interval=0.01, relative_tolerance=1e-8
    )
    impact = math.sqrt(2 / 9.81)
    v = 0.7 * 9.81 * impact
    at = np.argmin(abs(result["time"] - 0.65))
    since = result["time"][at] - impact
    assert result["h"][at] == pytest.approx(v * since - 9.81 / 2 * since**2, abs=1e-4)
    assert result["h"][-1] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("name", ("VanDerPol", "StiffLinear", "Lag", "MotorElectric"))
@pytest.mark.parametrize("fmi", (2, 3))
def test_model_exchange_agrees_with_co_simulation(built: Path, name: str, fmi: int) -> None:
    options = {
        "stop_time": 2,
        "output_interval": 0.01,
        "relative_tolerance": 1e-9,
        "start_values": {"u": 1.0},
    }
    if name in {"VanDerPol", "MotorElectric"}:
        options.pop("start_values")
    one = simulate(built, name, fmi, fmi_type="CoSimulation", **options)
    other = simulate(built, name, fmi, fmi_type="ModelExchange", **options)
    output = one.dtype.names[1]
    assert np.allclose(np.interp(one["time"], other["time"], other[output]), one[output], atol=1e-4)


@pytest.mark.parametrize("fmi", VERSIONS)
def test_math003_in_one_gauss_seidel_pass(open_unit: Any, fmi: int) -> None:
    part1, part2, part3 = (open_unit(f"Math003Part{i}", fmi).start() for i in (1, 2, 3))
    x4 = {}
    for k in range(100):
        t, h = k / 10, (k + 1) / 10 - k / 10
        part1.step(t, h)
        part2.set("x1", part1.get("x1"))
        part2.set("x2", part1.get("x2"))
        part2.set("x4", part3.get("x4"))
        part2.step(t, h)
        part3.set("x3", part2.get("x3"))
        part3.step(t, h)
        x4[k + 1] = part3.get("x4")
    assert x4[9] == 0
    assert x4[10] == pytest.approx(0.6)  # x1 switches at the end of the step
    assert x4[14] == pytest.approx(3.0)
    assert x4[25] == pytest.approx(3.0)
    assert x4[100] == pytest.approx(x4[70])


@pytest.mark.parametrize("fmi", VERSIONS)
def test_feedthrough_needs_no_step(open_unit: Any, fmi: int) -> None:
    unit = open_unit("Math003Part2", fmi).start(x1=1.0)
    assert unit.get("x3") == 3
    unit.set("x4", 2.6)
    assert unit.get("x3") == 0


# ---- every type of variable ----

OLD_TYPES = {"real": 1.5, "integer": -3, "boolean": True, "string": "text", "enumeration": 3}
NEW_TYPES = {
    "float32": 0.25,
    "int8": -128,
    "uint8": 255,
    "int16": -32768,
    "uint16": 65535,
    "uint32": 2**32 - 1,
    "int64": -(2**63),
    "uint64": 2**64 - 1,
    "binary": b"\x00\x01\xff",
    "vector": [1.0, 2.0, 3.0],
    "matrix": [1.0, 2.0, 3.0, 4.0],
    "integers": [5, 6],
    "sized": [1.0, 2.0, 3.0, 4.0],
}


def plain(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


@pytest.mark.parametrize("fmi", VERSIONS)
@pytest.mark.parametrize("name", OLD_TYPES)
def test_old_types_pass_through(open_unit: Any, fmi: int, name: str) -> None:
    unit = open_unit("Feedthrough", fmi).start()
    unit.set(f"{name}_in", OLD_TYPES[name])
    assert plain(unit.get(f"{name}_out")) == OLD_TYPES[name]


@pytest.mark.parametrize("name", NEW_TYPES)
def test_new_types_pass_through(open_unit: Any, name: str) -> None:
    unit = open_unit("Feedthrough", 3).start()
    unit.set(f"{name}_in", NEW_TYPES[name])
    assert unit.get(f"{name}_out") == NEW_TYPES[name]


@pytest.mark.parametrize("fmi", VERSIONS)
def test_binary_knows_the_declared_start_values(open_unit: Any, fmi: int) -> None:
    unit = open_unit("Feedthrough", fmi).start()
    assert unit.get("real_parameter") == 2.5
    assert unit.get("integer_parameter") == 7
    assert unit.get("boolean_parameter")
    assert plain(unit.get("string_parameter")) == 'hello <world> & "all"'
    assert unit.get("enumeration_parameter") == 2
    if fmi == 3:
        assert unit.get("int64_parameter") == -(2**53) - 1
        assert unit.get("binary_parameter") == b"\xc0\xff\xee"
        assert unit.get("matrix_parameter") == [1.0, 2.0, 3.0, 4.0]


def test_structural_parameter_sets_the_size(open_unit: Any, logs: list[str]) -> None:
    unit = open_unit("Feedthrough", 3)
    unit.fmu.enterConfigurationMode()
    unit.set("n", 6)
    unit.fmu.exitConfigurationMode()
    unit.start()
    unit.set("sized_in", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    references = [unit.variables["sized_out"].valueReference]
    assert unit.fmu.getFloat64(references, 6) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    with pytest.raises(FMICallException):
        unit.fmu.getFloat64(references, 4)


def test_too_large_structural_parameter_is_refused(open_unit: Any, logs: list[str]) -> None:
    unit = open_unit("Feedthrough", 3)
    unit.fmu.enterConfigurationMode()
    unit.set("n", 17)
    with pytest.raises(FMICallException):
        unit.fmu.exitConfigurationMode()
    assert "structural parameter" in logs[-1]


@pytest.mark.parametrize("fmi", VERSIONS)
def test_only_what_may_be_set_can_be_set(open_unit: Any, fmi: int) -> None:
    unit = open_unit("Feedthrough", fmi).start()
    unit.set("real_tunable", 4.0)
    assert unit.get("real_tunable_out") == 4.0
    for name in ("real_parameter", "real_out"):
        with pytest.raises(FMICallException):
            unit.set(name, 1.0)


# ---- saved states ----


def serializing(unit: Unit) -> tuple[Any, Any]:
    if unit.version == 2:
        return unit.fmu.serializeFMUstate, unit.fmu.deSerializeFMUstate
    return unit.fmu.serializeFMUState, unit.fmu.deserializeFMUState


SAVING = sorted(set(model_names()) - {"Minimal", "NoRollback", "BrokenRollback", "Recorder", "Feedthrough"})


def outputs_after_steps(unit: Unit) -> list[float]:
    unit.step(0.2, 0.1)
    unit.step(0.3, 0.05)
    return [unit.get(u.variable.name) for u in unit.description.outputs]


@pytest.mark.parametrize("fmi", (2, 3))
@pytest.mark.parametrize("name", SAVING)
def test_restored_state_continues_bit_by_bit(open_unit: Any, name: str, fmi: int) -> None:
    unit = open_unit(name, fmi).start()
    unit.step(0.0, 0.1) if name == "NoVariableStep" else unit.step(0.0, 0.2)
    steps = outputs_after_steps if name != "NoVariableStep" else lambda u: (u.step(0.1, 0.1), u.get("y"))[1]
    state = unit.fmu.getFMUState()
    first = steps(unit)
    unit.fmu.setFMUState(state)
    assert steps(unit) == first
    serialize, deserialize = serializing(unit)
    copy = deserialize(serialize(state))
    unit.fmu.setFMUState(copy)
    assert steps(unit) == first
    for one in (state, copy):
        unit.fmu.freeFMUState(one)


def test_state_can_move_to_another_instance(open_unit: Any) -> None:
    one, other = open_unit("Lag", 2).start(u=1.0), open_unit("Lag", 2).start()
    run(one, 1.0, 0.1)
    state = one.fmu.getFMUstate()
    moved = other.fmu.deSerializeFMUstate(one.fmu.serializeFMUstate(state))
    other.fmu.setFMUstate(moved)
    for unit in (one, other):
        unit.step(1.0, 0.1)
    assert one.get("y") == other.get("y") == pytest.approx(1 - math.exp(-1.1))
    one.fmu.freeFMUstate(state)
    other.fmu.freeFMUstate(moved)


@pytest.mark.parametrize("fmi", (2, 3))
def test_recorder_counts_through_rollbacks(open_unit: Any, fmi: int) -> None:
    unit = open_unit("Recorder", fmi).start(u=1.0)
    unit.step(0.0, 0.5)
    state = unit.fmu.getFMUState()
    unit.step(0.5, 0.25)
    assert (unit.get("last_t"), unit.get("last_h"), unit.get("y")) == (0.5, 0.25, 0.75)
    unit.fmu.setFMUState(state)
    assert (unit.get("last_t"), unit.get("last_h"), unit.get("y")) == (0.0, 0.5, 0.5)
    unit.step(0.5, 0.5)
    assert [unit.get(f"n_{what}") for what in ("steps", "saves", "restores")] == [3, 1, 1]
    unit.fmu.freeFMUState(state)


@pytest.mark.parametrize("fmi", VERSIONS)
def test_recorder_refuses_a_step_from_elsewhere(open_unit: Any, fmi: int, logs: list[str]) -> None:
    unit = open_unit("Recorder", fmi).start()
    unit.step(0.0, 0.5)
    with pytest.raises(FMICallException):
        unit.step(0.6, 0.5)
    assert "clock stands at 0.5" in logs[-1]


# ---- directional derivatives ----


def differences(unit: Unit, unknowns: list[str], known: str) -> list[float]:
    value, delta = unit.get(known), 1e-6
    unit.set(known, value + delta)
    above = [unit.get(name) for name in unknowns]
    unit.set(known, value - delta)
    below = [unit.get(name) for name in unknowns]
    unit.set(known, value)
    return [(a - b) / (2 * delta) for a, b in zip(above, below, strict=True)]


WITH_DERIVATIVES = [
    "Busy", "Heater", "Integrator", "IntegratorOut", "Lag", "LinearA", "LinearB", "LinearN", "MotorElectric",
    "MotorMechanic", "OscillatorLeft", "OscillatorRight", "Predator", "Prey", "StiffLinear", "VanDerPol",
]  # fmt: skip


@pytest.mark.parametrize("fmi", (2, 3))
@pytest.mark.parametrize("name", WITH_DERIVATIVES)
def test_directional_derivatives_equal_differences(open_unit: Any, name: str, fmi: int) -> None:
    unit = open_unit(name, fmi)
    unit.enter()
    structure = unit.description
    unknowns = [u.variable.name for u in [*structure.outputs, *structure.derivatives]]
    states = [d.variable.derivative.name for d in structure.derivatives]
    knowns = [v.name for v in structure.modelVariables if v.causality == "input"] + states
    references = [unit.variables[n].valueReference for n in unknowns]
    for known in knowns:
        reference = unit.variables[known].valueReference
        exact = unit.fmu.getDirectionalDerivative(references, [reference], [1.0])
        assert list(exact) == pytest.approx(differences(unit, unknowns, known), rel=1e-6, abs=1e-6)


def test_derivatives_with_respect_to_parameters_are_refused(open_unit: Any, logs: list[str]) -> None:
    unit = open_unit("LinearA", 2).start()
    with pytest.raises(FMICallException):
        unit.fmu.getDirectionalDerivative(
            [unit.variables["y"].valueReference], [unit.variables["a"].valueReference], [1.0]
        )


# ---- limited and misbehaving FMUs ----


def test_lag_without_rollback_says_so(open_unit: Any, logs: list[str]) -> None:
    unit = open_unit("NoRollback", 2).start()
    assert not unit.description.coSimulation.canGetAndSetFMUstate
    with pytest.raises(FMICallException):
        unit.fmu.getFMUstate()
    assert "not supported" in logs[-1]


def test_broken_rollback_keeps_its_state(open_unit: Any) -> None:
    unit = open_unit("BrokenRollback", 2).start(u=1.0)
    assert unit.description.coSimulation.canGetAndSetFMUstate
    state = unit.fmu.getFMUstate()
    unit.step(0.0, 1.0)
    moved = unit.get("y")
    unit.fmu.setFMUstate(state)
    assert unit.get("y") == moved != 0
    unit.fmu.freeFMUstate(state)


@pytest.mark.parametrize("fmi", VERSIONS)
def test_fixed_step_is_insisted_on(open_unit: Any, fmi: int) -> None:
    unit = open_unit("NoVariableStep", fmi).start()
    assert not unit.description.coSimulation.canHandleVariableCommunicationStepSize
    unit.step(0.0, 0.1)
    unit.step(0.1, 0.1 * (1 + 1e-12))
    with pytest.raises(FMICallException):
        unit.step(0.2, 0.05)


@pytest.mark.parametrize("fmi", VERSIONS)
def test_stop_time_is_insisted_on(open_unit: Any, fmi: int, logs: list[str]) -> None:
    unit = open_unit("StrictStop", fmi).start(stop=1.0)
    unit.step(0.0, 1.0)
    with pytest.raises(FMICallException):
        unit.step(1.0, 0.1)
    assert "beyond the stop time" in logs[-1]


@pytest.mark.parametrize("fmi", VERSIONS)
def test_second_instance_is_refused(open_unit: Any, fmi: int) -> None:
    open_unit("OncePerProcess", fmi)
    if fmi == 1:  # FMPy does not look at the result
        assert open_unit("OncePerProcess", fmi).fmu.component is None
    else:
        with pytest.raises(Exception, match="nstantiate"):
            open_unit("OncePerProcess", fmi)


OPTIONAL = {
    1: ["fmiGetString", "fmiSetString", "fmiCancelStep", "fmiGetStatus", "fmiSetRealInputDerivatives"],
    2: [
        "fmi2GetFMUstate",
        "fmi2SerializeFMUstate",
        "fmi2GetDirectionalDerivative",
        "fmi2GetString",
        "fmi2CancelStep",
    ],
    3: [
        "fmi3GetFMUState",
        "fmi3SerializeFMUState",
        "fmi3GetDirectionalDerivative",
        "fmi3GetString",
        "fmi3GetClock",
    ],
}


@pytest.mark.parametrize("fmi", VERSIONS)
@pytest.mark.parametrize("name", ("Minimal", "Lag"))
def test_optional_functions_are_missing_in_minimal_alone(
    built: Path, tmp_path: Path, name: str, fmi: int
) -> None:
    with zipfile.ZipFile(built / f"fmi{fmi}" / f"{name}.fmu") as archive:
        [binary] = [n for n in archive.namelist() if n.startswith(f"binaries/{platform_folder(fmi)}/")]
        library = ctypes.CDLL(archive.extract(binary, tmp_path))
    prefix = f"{name}_" if fmi == 1 else ""
    present = [function for function in OPTIONAL[fmi] if hasattr(library, prefix + function)]
    assert present == ([] if name == "Minimal" else OPTIONAL[fmi])
    assert hasattr(library, prefix + ("fmiDoStep" if fmi == 1 else f"fmi{fmi}DoStep"))


FAILING_STATUS = {1: 3, 2: 2, 8: 4}


@pytest.mark.parametrize("fmi", VERSIONS)
@pytest.mark.parametrize("mode", FAILING_STATUS)
def test_misbehave_returns_the_status_it_is_told(
    open_unit: Any, fmi: int, mode: int, logs: list[str]
) -> None:
    unit = open_unit("Misbehave", fmi).start(mode=mode, from_time=1.0, u=1.0)
    unit.step(0.0, 0.5)
    unit.step(0.5, 0.5)
    assert unit.get("y") == pytest.approx(1 - math.exp(-1))
    with pytest.raises(FMICallException) as failure:
        unit.step(1.0, 0.5)
    assert failure.value.status == FAILING_STATUS[mode]
    assert "Misbehave: told to fail at time 1" in logs[-1]


@pytest.mark.parametrize("fmi", VERSIONS)
def test_misbehave_warns_delays_and_gives_nan(open_unit: Any, fmi: int, logs: list[str]) -> None:
    for mode in (3, 10, 11):
        unit = open_unit("Misbehave", fmi).start(mode=mode, delay=0.01)
        unit.step(0.0, 0.5)
        assert math.isnan(unit.get("y")) == (mode == 3)
    assert "told to fail" in logs[0]


def test_misbehave_can_fail_outside_of_steps(open_unit: Any) -> None:
    with pytest.raises(FMICallException):
        open_unit("Misbehave", 2).start(mode=1, phase=1)
    unit = open_unit("Misbehave", 2).start(mode=1, phase=2)
    unit.step(0.0, 1.0)
    with pytest.raises(FMICallException):
        unit.fmu.terminate()


@pytest.mark.parametrize(("mode", "code"), ((4, -11), (6, 3), (7, -6)))
@pytest.mark.skipif(sys.platform == "win32", reason="exit codes of signals")
def test_misbehave_ends_its_process(built: Path, mode: int, code: int) -> None:
    script = f"""
import fmpy
fmpy.simulate_fmu({str(built / "fmi2" / "Misbehave.fmu")!r}, stop_time=1, start_values={{"mode": {mode}}})
"""
    assert subprocess.run([sys.executable, "-c", script], check=False, capture_output=True).returncode == code


def test_busy_takes_its_time(open_unit: Any) -> None:
    import time

    unit = open_unit("Busy", 2).start(microseconds=2000.0)
    before = time.thread_time()
    run(unit, 1.0, 0.1)
    assert 0.02 <= time.thread_time() - before < 0.1
