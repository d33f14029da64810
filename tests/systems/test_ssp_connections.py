"""Whole runs of systems made to the letter of the standard: connections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ssp_builder import (
    Content,
    binding,
    component,
    connection,
    content_of,
    dictionary,
    files_for,
    pack,
    reference,
    structure,
    system,
)

import sspsim
from sspsim.formats import ssp
from sspsim.formats.package_rules import expanded_size
from sspsim.structure import (
    BooleanMapping,
    Component,
    EnumerationMapping,
    IntegerMapping,
    Severity,
    System,
    SystemStructure,
)
from sspsim.structure.hints import HINTS


@pytest.fixture
def lin(fmus: Path) -> Path:
    return fmus / "fmi2" / "LinearA.fmu"


@pytest.fixture
def heater(fmus: Path) -> Path:
    return fmus / "fmi2" / "Heater.fmu"


@pytest.fixture
def thermometer(fmus: Path) -> Path:
    return fmus / "fmi2" / "Thermometer.fmu"


def wire(name: str, fmu: Path, **values: float) -> Component:
    """y = u: a component that only hands its input on; other values of gain and offset are possible."""
    settings = {"a": 1.0, "offset": 0.0, **values}
    return component(name, fmu, "u:input", "y:output", bindings=(binding(settings),))


def run(
    tmp_path: Path, root: System | SystemStructure | bytes, files: dict[str, Any], **options: Any
) -> sspsim.Result:
    loaded = sspsim.load(pack(tmp_path / "test.ssp", root, files), **options)
    return sspsim.simulate(loaded, stop=1.0, step=0.5)


def codes(path: Path, severity: Severity = Severity.ERROR, **options: Any) -> list[str]:
    return [d.code for d in sspsim.load(path, **options).check() if d.severity is severity]


# Units


def test_units_of_fmus_are_converted_without_any_in_the_file(
    tmp_path: Path, heater: Path, thermometer: Path
) -> None:
    """15 degC is 288.15 K; the heater asks for 1000 W/K * 5 K = 5 kW, which the thermometer takes as 5."""
    made = system(
        component("t", thermometer, "P:input", "T:output"),
        component("h", heater, "T:input", "P:output", bindings=(binding({"compensation": 0.0}),)),
        connection("t.T -> h.T"),
        connection("h.P -> t.P"),
    )
    flat = sspsim.load(pack(tmp_path / "u.ssp", made, files_for(heater, thermometer))).flat
    assert {(link.target.variable, link.factor, link.offset) for link in flat.links} == {
        ("T", 1.0, 273.15),
        ("P", 0.001, 0.0),
    }
    result = run(tmp_path, made, files_for(heater, thermometer))
    assert result["h.P"][0] == pytest.approx(5000.0, abs=1e-9)


@pytest.mark.parametrize(("suppress", "expected"), [(False, 587.3), (True, 41.0)])
def test_linear_transformation_after_unit_conversion(
    tmp_path: Path, lin: Path, suppress: bool, expected: float
) -> None:
    made = system(
        "in:input:Real[degC]",
        component("a", lin, "u:input:Real[K]", "y:output", bindings=(binding({"a": 1.0, "offset": 0.0}),)),
        connection("in -> a.u", factor=2.0, offset=1.0, suppress_unit_conversion=suppress),
    )
    result = run(tmp_path, made, files_for(lin), parameters={"in": 20.0})
    np.testing.assert_array_equal(result["a.y"], expected)


def test_connector_declares_another_unit_than_the_fmu(tmp_path: Path, thermometer: Path, lin: Path) -> None:
    """The FMU says 15 degC, its connector says K: what leaves it is 288.15."""
    made = system(
        component("t", thermometer, "T:output:Real[K]"),
        wire("a", lin),
        connection("t.T -> a.u"),
    )
    path = pack(tmp_path / "u.ssp", made, files_for(thermometer, lin))
    assert codes(path, Severity.WARNING) == ["V12"]
    result = run(tmp_path, made, files_for(thermometer, lin))
    assert result["a.y"][0] == 288.15
    assert result["t.T"][0] == 15.0


def test_incompatible_units_warn_or_fail(tmp_path: Path, thermometer: Path, heater: Path) -> None:
    made = system(
        component("t", thermometer, "T:output"),
        component("h", heater, "T:input", "P:output"),
        component("t2", thermometer, "P:input"),
        connection("t.T -> t2.P"),
    )
    path = pack(tmp_path / "u.ssp", made, files_for(thermometer, heater))
    assert codes(path, Severity.WARNING) == ["V14"]
    assert codes(path) == []
    assert codes(path, strict=True) == ["V14"]


def test_the_same_unit_name_may_mean_different_things_in_two_files(tmp_path: Path, lin: Path) -> None:
    from sspsim.structure import BaseUnit, Unit

    inner = structure(
        system(
            "in:input:Real[T]",
            "out:output:Real[T]",
            wire("a", lin),
            connection("in -> a.u"),
            connection("a.y -> out"),
        ),
        units=(Unit(name="T", base=BaseUnit(K=1)),),
    )
    outer = structure(
        system(
            "in:input:Real[T]",
            "out:output:Real[T]",
            component("sub", "resources/sub.ssd", "in:input:Real[T]", "out:output:Real[T]"),
            connection("in -> sub.in"),
            connection("sub.out -> out"),
        ),
        units=(Unit(name="T", base=BaseUnit(K=1, offset=273.15)),),
    )
    fmu_name, fmu = next(iter(files_for(lin).items()))
    files: dict[str, Content] = {"resources/sub.ssd": inner, f"resources/{fmu_name}": fmu}
    result = run(tmp_path, outer, files, parameters={"in": 20.0})
    assert result["sub.a.y"][0] == 293.15
    assert result["out"][0] == pytest.approx(20.0, abs=1e-12)


# Transformations


def test_transformation_in_a_loop(tmp_path: Path, fmus: Path) -> None:
    """y1 = 0.5*u1 + 1, u1 = 2*y2 - 3; y2 = 0.25*u2 + 2, u2 = y1: the solution is y1 = 2, y2 = 2.5."""
    a, b = fmus / "fmi2" / "LinearA.fmu", fmus / "fmi2" / "LinearB.fmu"
    made = system(
        component("a", a, "u:input", "y:output", bindings=(binding({"a": 0.5, "offset": 1.0}),)),
        component("b", b, "u:input", "y:output", bindings=(binding({"a": 0.25, "offset": 2.0}),)),
        connection("a.y -> b.u"),
        connection("b.y -> a.u", factor=2.0, offset=-3.0),
    )
    result = run(tmp_path, made, files_for(a, b))
    assert result["a.y"][0] == pytest.approx(2.0, rel=1e-5)
    assert result["b.y"][0] == pytest.approx(2.5, rel=1e-5)


@pytest.mark.parametrize("fmi", [1, 2, 3])
def test_tables_between_fmus(tmp_path: Path, fmus: Path, fmi: int) -> None:
    fmu = fmus / f"fmi{fmi}" / "Feedthrough.fmu"
    kinds = ("integer", "boolean", "enumeration")
    names = [f"{k}_{way}:{kind}" for k in kinds for way, kind in (("in", "input"), ("out", "output"))]
    made = system(
        component(
            "a", fmu, *names, bindings=(binding({"integer_in": 3, "boolean_in": True, "enumeration_in": 2}),)
        ),
        component("b", fmu, *names),
        connection("a.integer_out -> b.integer_in", transformation=IntegerMapping(((3, -7), (4, 1)))),
        connection("a.boolean_out -> b.boolean_in", transformation=BooleanMapping(((True, False),))),
        connection(
            "a.enumeration_out -> b.enumeration_in",
            transformation=EnumerationMapping((("green", "blue"), ("blue", "red"))),
        ),
    )
    result = run(tmp_path, made, files_for(fmu))
    assert result["a.integer_out"][-1] == 3
    assert result["b.integer_out"][-1] == -7
    assert result["b.boolean_out"][-1] == 0
    assert result["b.enumeration_out"][-1] == 3


def test_tables_are_composed_over_system_connectors(tmp_path: Path, fmus: Path) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    inner = system(
        "i:input:Int32",
        component("b", fmu, "integer_in:input", "integer_out:output"),
        connection("i -> b.integer_in", transformation=IntegerMapping(((5, 9), (3, 4)))),
        name="inner",
    )
    made = system(
        component("a", fmu, "integer_out:output", bindings=(binding({"integer_in": 3}),)),
        inner,
        connection("a.integer_out -> inner.i", transformation=IntegerMapping(((3, 5),))),
    )
    flat = sspsim.load(pack(tmp_path / "t.ssp", made, files_for(fmu))).flat
    assert [link.table for link in flat.links] == [((3, 9), (5, 9))]
    assert run(tmp_path, made, files_for(fmu))["inner.b.integer_out"][-1] == 9


# Types


def test_every_type_of_fmi_3_travels(tmp_path: Path, fmus: Path) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    values: dict[str, Any] = {
        "real": 1.25,
        "float32": 0.5,
        "integer": -7,
        "int8": -128,
        "uint8": 255,
        "int16": -32768,
        "uint16": 65535,
        "uint32": 2**32 - 1,
        "int64": -(2**63),
        "uint64": 2**64 - 1,
        "boolean": True,
        "enumeration": 3,
        "string": "grüße, welt",
        "binary": b"\x00\xffab",
    }
    names = [f"{k}_{way}:{kind}" for k in values for way, kind in (("in", "input"), ("out", "output"))]
    made = system(
        component("a", fmu, *names),
        component("b", fmu, *names),
        *(connection(f"a.{k}_out -> b.{k}_in") for k in values),
    )
    result = run(tmp_path, made, files_for(fmu), parameters={f"a.{k}_in": v for k, v in values.items()})
    for name, value in values.items():
        assert result[f"b.{name}_out"][-1] == value, name


@pytest.mark.parametrize(
    ("source", "target", "value", "expected"),
    [
        ("float32", "real", 0.5, 0.5),
        ("int8", "integer", -5, -5),
        ("uint16", "real", 65535, 65535.0),
        ("integer", "int64", -7, -7),
        ("boolean", "integer", True, 1),
        ("integer", "boolean", 1, 1),
        ("enumeration", "integer", 3, 3),
        ("integer", "enumeration", 2, 2),
    ],
)
def test_safe_type_conversions(
    tmp_path: Path, fmus: Path, source: str, target: str, value: Any, expected: Any
) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    made = system(
        component("a", fmu, f"{source}_out:output"),
        component("b", fmu, f"{target}_in:input", f"{target}_out:output"),
        connection(f"a.{source}_out -> b.{target}_in"),
    )
    result = run(tmp_path, made, files_for(fmu), parameters={f"a.{source}_in": value})
    assert result[f"b.{target}_out"][-1] == expected


@pytest.mark.parametrize(
    ("source", "target"), [("real", "integer"), ("int64", "real"), ("integer", "int8"), ("boolean", "real")]
)
def test_lossy_type_conversion_is_refused_unless_allowed(
    tmp_path: Path, fmus: Path, source: str, target: str
) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    made = system(
        component("a", fmu, f"{source}_out:output"),
        component("b", fmu, f"{target}_in:input", f"{target}_out:output"),
        connection(f"a.{source}_out -> b.{target}_in"),
    )
    path = pack(tmp_path / "t.ssp", made, files_for(fmu))
    assert codes(path) == ["V11"]
    assert codes(path, conversions="all") == []
    result = run(tmp_path, made, files_for(fmu), parameters={f"a.{source}_in": 1}, conversions="all")
    assert result[f"b.{target}_out"][-1] == 1


@pytest.mark.parametrize(("source", "target", "value"), [("integer", "int8", 128), ("real", "uint8", -1.0)])
def test_lossy_conversion_out_of_range_ends_the_run(
    tmp_path: Path, fmus: Path, source: str, target: str, value: float
) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    made = system(
        component("a", fmu, f"{source}_out:output"),
        component("b", fmu, f"{target}_in:input"),
        connection(f"a.{source}_out -> b.{target}_in"),
    )
    with pytest.raises(sspsim.SimulationError, match=rf"value {value} of a\.{source}_out does not fit"):
        run(tmp_path, made, files_for(fmu), parameters={f"a.{source}_in": value}, conversions="all")


def test_whole_number_through_a_real_connector_with_a_factor(tmp_path: Path, fmus: Path) -> None:
    """7 -> 2.5*7 + 1 = 18.5, which is rounded away from zero."""
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    inner = system(
        "x:input:Real",
        component("b", fmu, "integer_in:input", "integer_out:output"),
        connection("x -> b.integer_in", factor=2.5, offset=1.0),
        name="S",
    )
    made = system(component("a", fmu, "integer_out:output"), inner, connection("a.integer_out -> S.x"))
    result = run(tmp_path, made, files_for(fmu), parameters={"a.integer_in": 7}, conversions="all")
    assert result["S.b.integer_out"][-1] == 19


def test_texts_cannot_become_numbers(tmp_path: Path, fmus: Path) -> None:
    fmu = fmus / "fmi2" / "Feedthrough.fmu"
    made = system(
        component("a", fmu, "string_out:output", "real_in:input"), connection("a.string_out -> a.real_in")
    )
    assert codes(pack(tmp_path / "t.ssp", made, files_for(fmu)), conversions="all") == ["V11"]


def test_versions_of_fmi_mixed(tmp_path: Path, fmus: Path) -> None:
    """Reals, whole numbers, booleans, enumerations and strings through FMI 1, 2 and 3 in a row."""
    kinds = ("real", "integer", "boolean", "enumeration", "string")
    names = [f"{k}_{way}:{kind}" for k in kinds for way, kind in (("in", "input"), ("out", "output"))]
    parts = [fmus / f"fmi{n}" / "Feedthrough.fmu" for n in (1, 2, 3)]
    made = system(
        *(component(f"f{n}", fmu, *names) for n, fmu in enumerate(parts, 1)),
        *(connection(f"f1.{k}_out -> f2.{k}_in") for k in kinds),
        *(connection(f"f2.{k}_out -> f3.{k}_in") for k in kinds),
    )
    given = {"real": 0.1, "integer": 42, "boolean": True, "enumeration": 3, "string": "x y"}
    result = run(tmp_path, made, files_for(*parts), parameters={f"f1.{k}_in": v for k, v in given.items()})
    assert [result[f"f3.{k}_out"][-1] for k in kinds] == [0.1, 42, 1, 3, "x y"]


# Arrays


def test_arrays_whole_and_by_element(tmp_path: Path, fmus: Path) -> None:
    """A vector to a vector; elements of a matrix, row-major and counted from 1, to scalars and back."""
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    made = system(
        component("a", fmu, "vector_out:output", "matrix_out:output", "real_out:output"),
        component(
            "b",
            fmu,
            "vector_in:input",
            "vector_out:output",
            "matrix_in:input",
            "matrix_out:output",
            "real_in:input",
            "real_out:output",
        ),
        connection("a.vector_out -> b.vector_in"),
        connection("a.matrix_out -> b.real_in", start_indices=(1, 2)),
        connection("a.real_out -> b.matrix_in", end_indices=(2, 1)),
        connection("a.matrix_out -> b.matrix_in", start_indices=(2, 2), end_indices=(1, 1), factor=10.0),
    )
    given = {
        "a.vector_in": [1.0, 2.0, 3.0],
        "a.matrix_in": [1.0, 2.0, 3.0, 4.0],
        "a.real_in": 7.0,
        "b.matrix_in": [0.5] * 4,
    }
    result = run(tmp_path, made, files_for(fmu), parameters=given)
    assert [result[f"b.vector_out[{k}]"][-1] for k in (1, 2, 3)] == [1.0, 2.0, 3.0]
    assert result["b.real_out"][-1] == 2.0
    # Elements that nobody feeds keep their start value.
    assert [result[f"b.matrix_out[{k}]"][-1] for k in (1, 2, 3, 4)] == [40.0, 0.5, 7.0, 0.5]


@pytest.mark.parametrize(
    "how",
    [
        {"start_indices": (3, 1)},
        {"start_indices": (0, 1)},
        {"start_indices": (1,)},
        {},
    ],
)
def test_elements_that_do_not_exist(tmp_path: Path, fmus: Path, how: dict[str, Any]) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    made = system(
        component("a", fmu, "matrix_out:output", "real_in:input"),
        connection("a.matrix_out -> a.real_in", **how),
    )
    assert codes(pack(tmp_path / "t.ssp", made, files_for(fmu))) == ["V21"]


def test_structural_parameters_decide_on_sizes(tmp_path: Path, fmus: Path) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    names = ("sized_in:input", "sized_out:output", "n:structuralParameter")
    made = system(
        "n:structuralParameter:UInt64",
        component("a", fmu, *names),
        component("b", fmu, *names),
        connection("n -> a.n"),
        connection("n -> b.n"),
        connection("a.sized_out -> b.sized_in"),
    )
    flat = sspsim.load(
        pack(tmp_path / "t.ssp", made, files_for(fmu)), parameters={"n": 6, "a.sized_in": [1.0] * 6}
    ).flat
    assert [link.source.element for link in flat.links] == list(range(6))
    assert flat.instances[0].description.by_name["sized_in"].dimensions == (6,)
    assert [s.variable.name for s in flat.instances[0].starts] == ["n", "sized_in"]
    assert not [d for d in flat.diagnostics if d.severity is Severity.ERROR]
    default = sspsim.load(tmp_path / "t.ssp").flat
    assert len(default.links) == 4
    given = {"n": 6, "a.sized_in": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    result = run(tmp_path, made, files_for(fmu), parameters=given)
    assert [result[f"b.sized_out[{k}]"][-1] for k in range(1, 7)] == given["a.sized_in"]


# Hierarchy


def test_nested_systems_fold_into_one_link(tmp_path: Path, lin: Path) -> None:
    innermost = system("p:input", wire("a", lin), connection("p -> a.u", factor=2.0), name="c")
    middle = system("p:input", innermost, connection("p -> c.p", factor=3.0, offset=1.0), name="b")
    made = system(
        wire("source", lin, offset=5.0), middle, connection("source.y -> b.p", offset=1.0, factor=1.0)
    )
    loaded = sspsim.load(pack(tmp_path / "n.ssp", made, files_for(lin)))
    [link] = loaded.flat.links
    assert (link.factor, link.offset) == (6.0, 8.0)
    assert len(link.via) == 3
    assert run(tmp_path, made, files_for(lin))["b.c.a.y"][-1] == 38.0


def test_reversed_connections(tmp_path: Path, lin: Path) -> None:
    inner = system(
        "i:input", "o:output", wire("a", lin, a=2.0), connection("a.u -> i"), connection("o -> a.y"), name="s"
    )
    made = system(
        "in:input", "out:output", inner, connection("s.i -> in"), connection("out -> s.o", factor=10.0)
    )
    result = run(tmp_path, made, files_for(lin), parameters={"in": 3.0})
    assert result["out"][-1] == 60.0
    assert result["s.a.y"][-1] == 6.0


def test_an_input_without_a_value_keeps_the_start_value(tmp_path: Path, fmus: Path) -> None:
    """Heater.T starts at 290 K: nothing pushes 0 into it, P stays at 1000*(293.15 - 290)."""
    heater = fmus / "fmi2" / "Heater.fmu"
    made = system(
        "T:input:Real[K]",
        component("h", heater, "T:input", "P:output", bindings=(binding({"compensation": 0.0}),)),
        connection("T -> h.T"),
    )
    result = run(tmp_path, made, files_for(heater))
    np.testing.assert_allclose(result["h.P"], 3150.0, atol=1e-9)


def test_a_bound_input_behind_an_open_system_input_is_kept(tmp_path: Path, lin: Path) -> None:
    made = system(
        "in:input",
        component("a", lin, "u:input", "y:output", bindings=(binding({"a": 1.0, "offset": 0.0, "u": 7.0}),)),
        connection("in -> a.u"),
    )
    assert run(tmp_path, made, files_for(lin))["a.y"][-1] == 7.0


def test_root_outputs_have_their_own_names_and_may_be_missing(tmp_path: Path, lin: Path) -> None:
    made = system(
        "in:input",
        "out:output",
        "open:output",
        "through:output",
        wire("a", lin, offset=1.0),
        connection("in -> a.u"),
        connection("a.y -> out", factor=2.0),
        connection("in -> through"),
    )
    result = run(tmp_path, made, files_for(lin), parameters={"in": 3.0})
    assert set(result) == {"out", "open", "through", "a.y"}
    np.testing.assert_array_equal(result["out"], 8.0)
    np.testing.assert_array_equal(result["through"], 3.0)
    assert np.isnan(result["open"]).all()


def test_names_with_dots_and_spaces(tmp_path: Path, lin: Path) -> None:
    made = system(
        "an input:input",
        wire("DP Controller", lin),
        wire("a.b", lin, a=3.0),
        connection("an input -> DP Controller/u"),
        connection("DP Controller/y -> a.b/u"),
        bindings=(binding({"a.b.offset": 0.5, "DP Controller.offset": 1.0}),),
    )
    result = run(tmp_path, made, files_for(lin), parameters={"an input": 2.0})
    assert result["DP Controller.y"][-1] == 3.0
    assert result["a.b.y"][-1] == 9.5


def inner_system(lin: Path, gain: float, prefix: str = "") -> SystemStructure:
    fmu_name = next(iter(files_for(lin)))
    part = component(
        "a", prefix + fmu_name, "u:input", "y:output", bindings=(binding({"a": gain, "offset": 0.0}),)
    )
    return structure(
        system("i:input", "o:output", part, connection("i -> a.u"), connection("a.y -> o"), name="inner"),
        name=f"gain {gain}",
    )


def test_components_that_are_systems_of_other_files(tmp_path: Path, lin: Path) -> None:
    """The same gain three times: an .ssd beside, an .ssp with its default and with a variant."""
    package = pack(
        tmp_path / "inner.ssp",
        inner_system(lin, 3.0),
        {"VariantB.ssd": content_of(inner_system(lin, 5.0)), **files_for(lin)},
    )
    ports = ("i:input", "o:output")
    made = system(
        "in:input",
        "out:output",
        component("one", "resources/sub/Sub.ssd", *ports, type="application/x-ssp-definition"),
        component("two", "resources/inner.ssp", *ports, type="application/x-ssp-package"),
        component("three", "resources/inner.ssp#VariantB.ssd", *ports, type="application/x-ssp-package"),
        connection("in -> one.i"),
        connection("one.o -> two.i"),
        connection("two.o -> three.i"),
        connection("three.o -> out"),
    )
    fmu_name, fmu = next(iter(files_for(lin).items()))
    files: dict[str, Content] = {
        "resources/sub/Sub.ssd": inner_system(lin, 2.0),
        f"resources/sub/{fmu_name}": fmu,
        "resources/inner.ssp": package,
    }
    result = run(tmp_path, made, files, parameters={"in": 1.0})
    assert result["out"][-1] == 30.0
    assert [result[f"{name}.a.y"][-1] for name in ("one", "two", "three")] == [2.0, 6.0, 30.0]


def test_a_system_of_the_same_file_again(tmp_path: Path, fmus: Path) -> None:
    """Every instance has its own FMUs: two lags in a row are not one lag."""
    lag = fmus / "fmi2" / "Lag.fmu"
    inner = system(
        "i:input",
        "o:output",
        component("x", lag, "u:input", "y:output"),
        connection("i -> x.u"),
        connection("x.y -> o"),
        name="first",
        id="lag",
    )
    made = system(
        "in:input",
        inner,
        component("second", "#lag", "i:input", "o:output", type="application/x-ssp-definition"),
        connection("in -> first.i"),
        connection("first.o -> second.i"),
    )
    loaded = sspsim.load(
        pack(tmp_path / "i.ssp", made, files_for(lag)), parameters={"in": 1.0, "second.x.k": 3.0}
    )
    assert [i.name for i in loaded.flat.instances] == ["first.x", "second.x"]
    result = sspsim.simulate(loaded, stop=30.0, step=0.1)
    assert result["first.x.y"][-1] == pytest.approx(1.0, abs=1e-9)
    assert result["second.x.y"][-1] == pytest.approx(3.0, abs=1e-9)
    assert result["first.x.y"][10] == pytest.approx(1 - np.exp(-1.0), abs=1e-12)


@pytest.mark.parametrize("source", ["#self", "SystemStructure.ssd"])
def test_recursion(tmp_path: Path, source: str) -> None:
    made = system(component("again", source, type="application/x-ssp-definition"), id="self")
    assert "V27" in codes(pack(tmp_path / "r.ssp", made))


def test_files_that_multiply_each_other(tmp_path: Path) -> None:
    """Each of 20 files refers to the next one ten times: nobody can hold 10^20 elements."""
    files: dict[str, Content] = {}
    for k in range(20):
        parts = [component(f"c{i}", f"s{k + 1}.ssd", type="application/x-ssp-definition") for i in range(10)]
        files[f"s{k}.ssd"] = structure(system(*parts))
    files["s20.ssd"] = structure(system())
    made = system(component("all", "s0.ssd", type="application/x-ssp-definition"))
    path = pack(tmp_path / "m.ssp", made, files)
    size = 1
    for _ in range(20):
        size = 11 + 10 * size
    assert expanded_size(ssp.read(path)) == 2 + size  # counted, not made
    with pytest.raises(sspsim.InputError, match="100000 elements"):
        sspsim.load(path).check()


# Dictionaries


def test_dictionary_across_nesting(tmp_path: Path, lin: Path) -> None:
    """Written in one inner system in degC, read in another one in K through a slot that is in degF."""
    writer = system(
        wire("a", lin, offset=20.0),
        reference("bus", "signals", "T:inout:Real[degC]"),
        connection("a.y -> bus.T"),
        name="writer",
    )
    reader = system(
        wire("b", lin),
        reference("bus", "signals", "T:inout:Real[K]"),
        connection("bus.T -> b.u"),
        name="reader",
    )
    made = system(
        "out:output:Real[degC]",
        writer,
        reader,
        reference("top", "signals", "T:output"),
        dictionary("signals", "T:Real[degF]"),
        connection("top.T -> out"),
    )
    result = run(tmp_path, made, files_for(lin))
    assert result["reader.b.y"][-1] == pytest.approx(293.15, abs=1e-9)
    assert result["out"][-1] == pytest.approx(20.0, abs=1e-9)


def test_dictionary_rules(tmp_path: Path, lin: Path) -> None:
    made = system(
        wire("a", lin),
        wire("b", lin),
        reference("one", "signals", "x:inout", "nothing:inout"),
        reference("two", "signals", "x:inout"),
        reference("three", "signal"),
        dictionary("signals", "x:Real"),
        connection("a.y -> one.x"),
        connection("b.y -> two.x"),
    )
    found = [
        d for d in sspsim.load(pack(tmp_path / "d.ssp", made, files_for(lin))).check() if d.code == "V24"
    ]
    assert len(found) == 3
    assert {d.severity for d in found} == {Severity.ERROR}
    assert any("did you mean 'signals'?" in d.hint for d in found)
    assert any("one.x" in d.message and "two.x" in d.message for d in found)


def test_value_bound_to_a_window_is_seen_by_all_windows(tmp_path: Path, lin: Path) -> None:
    made = system(
        wire("b", lin),
        reference("one", "signals", "x:inout"),
        reference("two", "signals", "x:output"),
        dictionary("signals", "x:Real"),
        connection("two.x -> b.u"),
        bindings=(binding({"one.x": 4.0}),),
    )
    assert run(tmp_path, made, files_for(lin))["b.y"][-1] == 4.0


# Unambiguity and findings


def test_two_sources_for_one_input(tmp_path: Path, lin: Path) -> None:
    made = system(
        wire("a", lin), wire("b", lin), wire("c", lin), connection("a.y -> c.u"), connection("c.u -> b.y")
    )
    path = pack(tmp_path / "a.ssp", made, files_for(lin))
    [found] = [d for d in sspsim.load(path).check() if d.severity is Severity.ERROR]
    assert found.code == "V08"
    assert "a.y" in found.message
    assert "b.y" in found.message
    with pytest.raises(sspsim.InputError, match="V08"):
        sspsim.simulate(path, stop=1.0)


def test_whole_array_and_one_of_its_elements(tmp_path: Path, fmus: Path) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    made = system(
        component("a", fmu, "vector_out:output", "real_out:output", "vector_in:input"),
        connection("a.vector_out -> a.vector_in"),
        connection("a.real_out -> a.vector_in", end_indices=(2,)),
    )
    assert codes(pack(tmp_path / "a.ssp", made, files_for(fmu))) == ["V08"]


def test_self_connection_is_legal(tmp_path: Path, lin: Path) -> None:
    """y = 0.5*y + 1 has the solution 2."""
    made = system(wire("a", lin, a=0.5, offset=1.0), connection("a.y -> a.u"))
    path = pack(tmp_path / "a.ssp", made, files_for(lin))
    assert codes(path) == []
    assert sspsim.simulate(path, stop=1.0, step=0.5)["a.y"][0] == pytest.approx(2.0, rel=1e-5)


def test_connectors_that_only_feed_each_other(tmp_path: Path, lin: Path) -> None:
    inner = system(
        "i:input", "o:output", wire("a", lin), connection("i -> o"), connection("i -> a.u"), name="s"
    )
    made = system(inner, connection("s.o -> s.i"))
    assert codes(pack(tmp_path / "c.ssp", made, files_for(lin))) == ["V08"]


def test_unknown_elements_and_connectors(tmp_path: Path, lin: Path) -> None:
    made = system(
        wire("heater", lin),
        wire("room", lin),
        connection("heatr.y -> room.u"),
        connection("heater.z -> room.u"),
        connection("heater.y -> roo"),
    )
    found = [d for d in sspsim.load(pack(tmp_path / "u.ssp", made, files_for(lin))).check() if d.severity > 1]
    assert [(d.code, d.hint) for d in found] == [
        ("V05", "did you mean 'heater'?"),
        ("V06", HINTS["V06"]),
        ("V06", HINTS["V06"]),
    ]
    assert all(
        d.origin and d.origin.line > 0 and d.origin.file.endswith("SystemStructure.ssd") for d in found
    )


def test_undeclared_connector_of_an_fmu_is_taken_with_a_warning(tmp_path: Path, lin: Path) -> None:
    made = system(
        component("a", lin, bindings=(binding({"a": 1.0, "offset": 4.0}),)),
        wire("b", lin),
        connection("a.y -> b.u"),
    )
    path = pack(tmp_path / "u.ssp", made, files_for(lin))
    assert (codes(path), codes(path, Severity.WARNING)) == ([], ["V06"])
    assert run(tmp_path, made, files_for(lin))["b.y"][-1] == 4.0


def test_connectors_of_an_import_wrapper(tmp_path: Path, lin: Path) -> None:
    """As Dymola writes them: not variables of the FMU. They matter only if they are connected."""
    names = ("u:input", "y:output", "fmi_StartTime:parameter", "_u_start:parameter")
    made = system(component("a", lin, *names), wire("b", lin), connection("a.y -> b.u"))
    path = pack(tmp_path / "w.ssp", made, files_for(lin))
    assert (codes(path), codes(path, Severity.WARNING)) == ([], ["V09"])
    connected = system(
        component("a", lin, "u:input", "wrong:output"), wire("b", lin), connection("a.wrong -> b.u")
    )
    assert codes(pack(tmp_path / "w.ssp", connected, files_for(lin))) == ["V09"]


@pytest.mark.parametrize(
    ("names", "severity"),
    [(("u:output",), Severity.ERROR), (("u:parameter",), Severity.WARNING), (("y:local",), Severity.WARNING)],
)
def test_kind_against_causality(
    tmp_path: Path, lin: Path, names: tuple[str, ...], severity: Severity
) -> None:
    path = pack(tmp_path / "k.ssp", system(component("a", lin, *names)), files_for(lin))
    assert codes(path, severity) == ["V10"]


def test_type_of_a_connector_against_the_fmu(tmp_path: Path, lin: Path) -> None:
    made = system(component("a", lin, "u:input:Integer", "y:output:Float64", "a:parameter:Binary"))
    path = pack(tmp_path / "t.ssp", made, files_for(lin))
    assert codes(path, Severity.WARNING) == ["V11", "V11"]


def test_components_without_implementation(tmp_path: Path, lin: Path) -> None:
    made = system(
        component("nothing", None, "y:output"),
        component("other", "resources/missing.fmu", "y:output"),
        wire("a", lin, offset=2.0),
        connection("nothing.y -> a.u"),
    )
    path = pack(tmp_path / "m.ssp", made, files_for(lin))
    assert codes(path) == ["V30", "V26"]
    assert codes(path, allow_missing=True) == []
    assert run(tmp_path, made, files_for(lin), allow_missing=True)["a.y"][-1] == 2.0


def test_implementation_that_the_fmu_does_not_have(tmp_path: Path, fmus: Path) -> None:
    weather = fmus / "fmi2" / "Weather.fmu"
    made = system(component("a", weather, implementation="ScheduledExecution"))
    assert codes(pack(tmp_path / "i.ssp", made, files_for(weather))) == ["V25"]


def test_unknown_type_of_component(tmp_path: Path) -> None:
    unknown = system(component("a", "a.bin", type="application/avl-mcx"))
    path = pack(tmp_path / "i.ssp", unknown, {"a.bin": b"x"})
    [found] = [d for d in sspsim.load(path).check() if d.severity is Severity.ERROR]
    assert found.code == "V26"
    assert "application/avl-mcx" in found.message


def test_arrays_of_systems_fit_what_is_connected_to_them(tmp_path: Path, fmus: Path) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    made = system(
        "short:output:Real{2}",
        "matrix:output:Real{2,2}",
        component("f", fmu, "vector_out:output:Real{3}", "real_out:output:Real", "vector_in:input:Real{2}"),
        connection("f.vector_out -> short"),
        connection("f.real_out -> matrix", end_indices=(3, 1)),
    )
    found = [
        d for d in sspsim.load(pack(tmp_path / "a.ssp", made, files_for(fmu))).check() if d.code != "V12"
    ]
    assert [(d.code, d.severity) for d in found] == [
        ("V11", Severity.WARNING),
        ("V21", Severity.ERROR),
        ("V21", Severity.ERROR),
    ]
    assert "is declared as an array of 2, its FMU has an array of 3" in found[0].message
    assert "an array of 3 cannot feed an array of 2" in found[1].message
    assert "there is no element 3 1 in 2 x 2" in found[2].message


def test_unspecified_connectors_of_the_system_that_feed_are_its_inputs(tmp_path: Path, lin: Path) -> None:
    made = system("x:unspecified", wire("a", lin), connection("a.u -> x"))
    loaded = sspsim.load(pack(tmp_path / "u.ssp", made, files_for(lin)), parameters={"x": 3.0})
    assert [entry.name for entry in loaded.flat.inputs] == ["x"]
    result = sspsim.simulate(loaded, stop=1.0, step=1.0)
    assert "x" not in result
    assert result["a.y"][-1] == 3.0
