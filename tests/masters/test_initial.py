"""Values at the start time: consistent for any chain, loops solved, failures explained."""

from __future__ import annotations

import itertools
import math
import zipfile
from pathlib import Path

import pytest

import sspsim
from sspsim.masters import GaussSeidel

VERSIONS = pytest.mark.parametrize("fmi", [1, 2, 3])
LOOP = ["a.y -> b.u", "b.y -> a.u"]


def at_start(system, **settings):
    with sspsim.Simulation(system, master=GaussSeidel(), **settings) as simulation:
        simulation.initialize()
        simulation.flush()
        values = dict(zip(simulation.plan.slot_names, simulation.kernel.reals, strict=False))
        return values, simulation.notices


@VERSIONS
def test_a_chain_of_any_length_is_consistent(system, fmi):
    """y_k = u_k/2 + 1, in an order of names against the chain."""
    names = [f"c{99 - k}" for k in range(12)]
    chain = [f"{a}.y -> {b}.u" for a, b in itertools.pairwise(names)]
    values, _ = at_start(system(dict.fromkeys(names, "LinearA"), chain, fmi=fmi))
    expected = 0.0
    for name in names[:-1]:
        expected = 0.5 * expected + 1.0
        assert values[f"{name}.y"] == expected


@VERSIONS
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (-4.0, 1.0), (3.0, 7.0)])
def test_a_linear_loop_is_solved(system, fmi, a, b):
    """y1 = a*y2 + 1, y2 = b*y1 + 1: the fixed point diverges for |ab| > 1."""
    loaded = system({"a": "LinearA", "b": "LinearB"}, LOOP, fmi=fmi)
    values, notices = at_start(loaded, parameters={"a.a": a, "b.a": b})
    assert values["a.y"] == pytest.approx((a + 1) / (1 - a * b), rel=1e-5)
    assert values["b.y"] == pytest.approx((b + 1) / (1 - a * b), rel=1e-5)
    assert not any("converge" in notice for notice in notices)


def test_a_tolerance_below_the_distance_of_doubles_is_no_obstacle(system):
    loaded = system({"a": "LinearA", "b": "LinearB"}, LOOP)
    values, _ = at_start(loaded, parameters={"a.a": 1000.0, "b.a": -1.3}, rtol=0.0, atol=1e-12)
    assert values["a.y"] == pytest.approx(1001 / 1301, rel=1e-12)


def test_a_loop_of_twenty_variables_that_diverges_as_fixed_point(system):
    connections = [f"{x}.y{k} -> {y}.u{k}" for k in range(1, 11) for x, y in ("ab", "ba")]
    values, _ = at_start(
        system({"a": "LinearN", "b": "LinearN"}, connections), parameters={"a.scale": 9.0, "b.scale": -3.0}
    )

    def image(y, scale):
        return [
            scale * sum(((7 * i + 13 * j + 3) % 12 - 5.5) / 55 * y[j] for j in range(10)) + 1
            for i in range(10)
        ]

    a, b = ([values[f"{c}.y{k}"] for k in range(1, 11)] for c in "ab")
    assert image(b, 9.0) == pytest.approx(a, rel=1e-4, abs=1e-4)
    assert image(a, -3.0) == pytest.approx(b, rel=1e-4, abs=1e-4)


def test_a_loop_without_solution_names_variables_and_iterates(system):
    loaded = system({"a": "LinearA", "b": "LinearB"}, LOOP)
    with pytest.raises(sspsim.SimulationError) as caught:
        at_start(loaded, parameters={"a.a": 2.0, "b.a": 0.5})
    text = str(caught.value)
    assert "a.y" in text
    assert "b.y" in text
    assert text.count(" then ") == 2
    assert "start values" in text
    assert caught.value.time == 0.0


def test_a_switch_makes_it_a_warning(system):
    loaded = system({"a": "LinearA", "b": "LinearB"}, LOOP)
    _, notices = at_start(loaded, parameters={"a.a": 2.0, "b.a": 0.5}, strict_initial=False)
    assert any("do not converge" in notice for notice in notices)


def test_not_a_number_is_named(system):
    loaded = system({"bad": "Misbehave", "after": "Lag"}, ["bad.y -> after.u"])
    with pytest.raises(sspsim.SimulationError, match=r"bad\.y is nan at t=0"):
        at_start(loaded, parameters={"bad.mode": 3, "bad.from_time": -1.0})


@VERSIONS
def test_all_types_travel_before_the_first_step(system, fmi):
    kinds = ["real", "integer", "boolean", "string", "enumeration"]
    kinds += ["float32", "int8", "uint64", "binary"] if fmi == 3 else []
    connections = [f"{a}.{kind}_out -> {b}.{kind}_in" for kind in kinds for a, b in (("c", "b"), ("b", "a"))]
    loaded = system(dict.fromkeys("abc", "Feedthrough"), connections, fmi=fmi)
    values = {"real": 1.5, "integer": -3, "boolean": True, "string": "hello", "enumeration": 2}
    values |= {"float32": 0.25, "int8": -8, "uint64": 2**63, "binary": b"\x01\x00\x02"}
    parameters = {f"c.{kind}_in": values[kind] for kind in kinds}
    with sspsim.Simulation(loaded, parameters=parameters) as simulation:
        simulation.initialize()
        assert {kind: simulation.get(f"a.{kind}_out") for kind in kinds} == {k: values[k] for k in kinds}


def test_an_fmi_1_slave_that_does_not_answer_gets_its_inputs_first(system, deaf: Path):
    """y = 2*u + 1, known only if u was set before the initialisation."""
    names = ["d", "c", "b", "a"]
    chain = [f"{x}.y -> {y}.u" for x, y in itertools.pairwise(names)]
    values, _ = at_start(system(dict.fromkeys(names, deaf), chain))
    assert [values[f"{n}.y"] for n in names[:-1]] == [1.0, 3.0, 7.0]


def test_in_a_loop_it_is_initialised_anew(system, deaf: Path, fmus: Path):
    """y1 = 2*y2 + 1 (deaf), y2 = y1/4 + 1: y1 = 6, y2 = 2.5."""
    loaded = system({"a": deaf, "b": fmus / "fmi1" / "LinearA.fmu"}, LOOP)
    values, _ = at_start(loaded, parameters={"b.a": 0.25})
    assert values["a.y"] == pytest.approx(6.0, rel=1e-4)
    assert values["b.y"] == pytest.approx(2.5, rel=1e-4)


def test_start_values_are_told_again_after_a_reset(system, deaf: Path, fmus: Path, tmp_path: Path):
    """An FMU whose reset does not know the start values of its description: y1 = 3*y2 + 1, y2 = y1/4 + 1."""
    forgetful = tmp_path / "Forgetful.fmu"
    with zipfile.ZipFile(deaf) as old, zipfile.ZipFile(forgetful, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "modelDescription.xml":
                assert b'start="2.0"' in data
                data = data.replace(b'start="2.0"', b'start="3.0"')
            new.writestr(name, data)
    values, _ = at_start(
        system({"a": forgetful, "b": fmus / "fmi1" / "LinearA.fmu"}, LOOP), parameters={"b.a": 0.25}
    )
    assert values["a.y"] == pytest.approx(16.0, rel=1e-4)


def test_a_loop_that_grows_beyond_all_bounds_is_solved(system, exponential: Path):
    """From u = 5 the second pass is infinite; Newton starts from where the passes began."""
    loaded = system({"a": exponential, "b": "LinearB"}, LOOP)
    values, _ = at_start(loaded, parameters={"b.a": -3.0, "b.offset": 9.0})
    assert values["b.y"] == pytest.approx(0.9829573218366097, rel=1e-6)
    assert values["a.y"] == pytest.approx(math.exp(values["b.y"]), rel=1e-6)


def test_infinite_values_without_solution_are_named_with_their_loop(system, exponential: Path):
    loaded = system({"a": exponential, "b": "LinearB"}, LOOP)
    with pytest.raises(sspsim.SimulationError, match=r"at t=0\.0: a\.y .* then .*, b\.y .* then "):
        at_start(loaded, parameters={"b.a": 3.0, "b.offset": 9.0})
