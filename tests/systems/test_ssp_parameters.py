"""Whole runs of systems made to the letter of the standard: parameter bindings."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ssp_builder import (
    Content,
    Item,
    binding,
    component,
    connection,
    content_of,
    files_for,
    mapped,
    pack,
    structure,
    system,
    values,
)

import sspsim
from sspsim.structure import Component, ParameterMapping, Severity, System, SystemStructure
from sspsim.structure.connection import EnumerationMapping


@pytest.fixture
def lin(fmus: Path) -> Path:
    return fmus / "fmi2" / "LinearA.fmu"


@pytest.fixture
def heater(fmus: Path) -> Path:
    return fmus / "fmi2" / "Heater.fmu"


def part(name: str, fmu: Path, *bindings: Any) -> Component:
    """y = a*0 + offset, so that y shows the parameter `offset`."""
    return component(name, fmu, "y:output", bindings=tuple(bindings))


def starts(
    tmp_path: Path, root: System | SystemStructure, files: dict[str, Any], **options: Any
) -> dict[str, Any]:
    """The values that the components get, by name."""
    flat = sspsim.load(pack(tmp_path / "p.ssp", root, files), **options).flat
    assert not [d for d in flat.diagnostics if d.severity is Severity.ERROR]
    return {
        f"{instance.name}.{start.variable.name}": start.values[0] if len(start.values) == 1 else start.values
        for instance in flat.instances
        for start in instance.starts
    }


def found(path: Path, code: str, **options: Any) -> list[str]:
    return [f"{d.severity}: {d.message}" for d in sspsim.load(path, **options).check() if d.code == code]


# Precedence


def test_the_highest_level_wins_and_there_the_last(tmp_path: Path, lin: Path) -> None:
    """The example of the standard: 2 on the component, 3 on its system, 4 and then 5 on the root."""
    inner = system(part("C", lin, binding({"offset": 2.0})), name="B", bindings=(binding({"C.offset": 3.0}),))
    made = system(inner, bindings=(binding({"B.C.offset": 4.0}), binding({"B.C.offset": 5.0})))
    path = pack(tmp_path / "p.ssp", made, files_for(lin))
    result = sspsim.simulate(path, stop=1.0, step=0.5)
    np.testing.assert_array_equal(result["B.C.y"], 5.0)


@pytest.mark.parametrize(
    ("levels", "expected"),
    [("c", 2.0), ("cs", 3.0), ("cr", 4.0), ("csr", 4.0), ("sr", 4.0), ("s", 3.0), ("", 1.0)],
)
def test_each_level(tmp_path: Path, lin: Path, levels: str, expected: float) -> None:
    on_component = [binding({"offset": 2.0})] if "c" in levels else []
    on_system = (binding({"C.offset": 3.0}),) if "s" in levels else ()
    on_root = (binding({"B.C.offset": 4.0}),) if "r" in levels else ()
    made = system(system(part("C", lin, *on_component), name="B", bindings=on_system), bindings=on_root)
    result = sspsim.simulate(pack(tmp_path / "p.ssp", made, files_for(lin)), stop=1.0, step=0.5)
    assert result["B.C.y"][-1] == expected


def test_values_are_merged_one_by_one(tmp_path: Path, lin: Path) -> None:
    made = system(
        part("C", lin, binding({"offset": 2.0, "slope": 7.0})), bindings=(binding({"C.offset": 3.0}),)
    )
    assert starts(tmp_path, made, files_for(lin)) == {"C.offset": 3.0, "C.slope": 7.0}


def test_bindings_of_a_component_that_is_a_system(tmp_path: Path, lin: Path) -> None:
    """They count as if appended to the root system of the file: after its own, names seen from inside."""
    fmu_name, fmu = next(iter(files_for(lin).items()))
    inner = structure(
        system(
            component(
                "C", fmu_name, "y:output", bindings=(binding({"offset": 2.0, "slope": 2.0, "a": 2.0}),)
            ),
            bindings=(binding({"C.offset": 3.0, "C.slope": 3.0}),),
        )
    )
    made = system(
        component("S", "sub.ssd", type="application/x-ssp-definition", bindings=(binding({"C.offset": 4.0}),))
    )
    given = starts(tmp_path, made, {"sub.ssd": inner, fmu_name: fmu})
    assert given == {"S.C.offset": 4.0, "S.C.slope": 3.0, "S.C.a": 2.0}


def test_what_the_user_gives_wins(tmp_path: Path, lin: Path) -> None:
    made = system(part("C", lin), bindings=(binding({"C.offset": 4.0, "C.slope": 4.0, "C.a": 4.0}),))
    file = tmp_path / "user.ssv"
    file.write_bytes(content_of(values({"C.offset": 5.0, "C.slope": 5.0})))
    options: dict[str, Any] = {"parameter_files": [file], "parameters": {"C.offset": 6.0}}
    given = starts(tmp_path, made, files_for(lin), **options)
    assert given == {"C.offset": 6.0, "C.slope": 5.0, "C.a": 4.0}


# Names, prefix, mapping


def test_prefix_is_put_before_names_without_a_dot(tmp_path: Path, lin: Path) -> None:
    made = system(
        part("C", lin),
        bindings=(binding({"offset": 2.0}, prefix="C."), binding({"lope": 3.0}, prefix="C.s")),
    )
    assert starts(tmp_path, made, files_for(lin)) == {"C.offset": 2.0, "C.slope": 3.0}


def test_prefix_plus_mapping(tmp_path: Path, lin: Path) -> None:
    """The mapping knows the prefixed names only; what is not mapped is not applied; targets get no prefix."""
    made = system(
        part("C", lin),
        part("D", lin),
        bindings=(
            binding(
                {"k": 2.0, "C.slope": 9.0},
                prefix="lib_",
                mapping=[
                    mapped("lib_k", "C.offset", factor=3.0, offset=1.0),
                    mapped("lib_k", "D.offset"),
                    mapped("k", "D.slope"),
                ],
            ),
        ),
    )
    path = pack(tmp_path / "p.ssp", made, files_for(lin))
    assert starts(tmp_path, made, files_for(lin)) == {"C.offset": 7.0, "D.offset": 2.0}
    assert found(path, "V19") == ["warning: the mapping names a parameter 'k' that is not in the set"]


def test_empty_mapping_applies_nothing(tmp_path: Path, lin: Path) -> None:
    made = system(part("C", lin), bindings=(binding({"C.offset": 2.0}, mapping=[]),))
    assert starts(tmp_path, made, files_for(lin)) == {}


def test_sets_and_mappings_in_files(tmp_path: Path, lin: Path) -> None:
    mapping = ParameterMapping(version="1.0", entries=(mapped("k", "C.offset"),))
    files: dict[str, Content] = {
        "resources/p.ssv": values({"k": 8.0}),
        "resources/m.ssm": mapping,
        **files_for(lin),
    }
    made = system(part("C", lin), bindings=(binding("resources/p.ssv", mapping="resources/m.ssm"),))
    assert starts(tmp_path, made, files) == {"C.offset": 8.0}


def test_file_inside_the_fmu(tmp_path: Path, lin: Path) -> None:
    """sourceBase="component": the FMU is a folder for its own parameter files."""
    fmu = tmp_path / "fmi2" / "LinearA.fmu"
    fmu.parent.mkdir()
    fmu.write_bytes(lin.read_bytes())
    with zipfile.ZipFile(fmu, "a") as archive:
        archive.writestr("extra/params.ssv", content_of(values({"offset": 11.0})))
    made = system(part("C", fmu, binding("extra/params.ssv", source_base="component")))
    assert starts(tmp_path, made, files_for(fmu)) == {"C.offset": 11.0}


def test_one_name_may_mean_several_things(tmp_path: Path, lin: Path) -> None:
    """a.b.offset is one of b in a, one of "a.b", and a connector of that name: all get the value."""
    made = system(
        "a.b.offset:parameter",
        system(part("b", lin), name="a"),
        part("a.b", lin),
        component("c", lin, "offset:parameter", "y:output"),
        connection("/a.b.offset -> c/offset"),
        bindings=(binding({"a.b.offset": 2.5}),),
    )
    given = starts(tmp_path, made, files_for(lin))
    assert given == {"a.b.offset": 2.5, "c.offset": 2.5}
    flat = sspsim.load(tmp_path / "p.ssp").flat
    assert [(i.path, len(i.starts)) for i in flat.instances] == [
        (("a", "b"), 1),
        (("a.b",), 1),
        (("c",), 1),
    ]


def test_names_without_a_target_are_mentioned(tmp_path: Path, lin: Path) -> None:
    made = system(part("C", lin), bindings=(binding({"C.ofset": 2.0}),))
    [finding] = [
        d for d in sspsim.load(pack(tmp_path / "p.ssp", made, files_for(lin))).check() if d.code == "V19"
    ]
    assert finding.severity is Severity.INFO
    assert finding.hint == "did you mean 'C.offset'?"


def test_unknown_name_from_the_user_is_an_error(tmp_path: Path, lin: Path) -> None:
    path = pack(tmp_path / "p.ssp", system(part("C", lin)), files_for(lin))
    with pytest.raises(sspsim.UsageError, match=r"'C\.ofset'; did you mean 'C\.offset'"):
        sspsim.load(path, parameters={"C.ofset": 1.0}).check()


# Units, types


def test_units_of_values_are_converted(tmp_path: Path, heater: Path) -> None:
    made = system(
        component("h", heater),
        bindings=(
            binding(
                {
                    "h.T_set": (20.0, "degC"),
                    "h.P_max": (3.0, "kW"),
                    "h.T_reference": (32.0, "degF"),
                    "h.gain": 7.0,
                }
            ),
        ),
    )
    given = starts(tmp_path, made, files_for(heater))
    assert given["h.T_set"] == 293.15
    assert given["h.P_max"] == 3000.0
    assert given["h.T_reference"] == pytest.approx(273.15, abs=1e-12)
    assert given["h.gain"] == 7.0


@pytest.mark.parametrize(("suppress", "expected"), [(False, 587.3), (True, 41.0)])
def test_unit_and_transformation_of_a_mapping(
    tmp_path: Path, heater: Path, suppress: bool, expected: float
) -> None:
    entry = mapped("T", "h.T_set", factor=2.0, offset=1.0, suppress_unit_conversion=suppress)
    made = system(component("h", heater), bindings=(binding({"T": (20.0, "degC")}, mapping=[entry]),))
    assert starts(tmp_path, made, files_for(heater)) == {"h.T_set": expected}


def test_incompatible_unit_of_a_value(tmp_path: Path, heater: Path) -> None:
    made = system(component("h", heater), bindings=(binding({"h.T_set": (5.0, "kW")}),))
    path = pack(tmp_path / "p.ssp", made, files_for(heater))
    assert [text.partition(":")[0] for text in found(path, "V14")] == ["warning"]
    assert [text.partition(":")[0] for text in found(path, "V14", strict=True)] == ["error"]
    assert starts(tmp_path, made, files_for(heater)) == {"h.T_set": 5.0}


@pytest.mark.parametrize("fmi", [1, 2, 3])
def test_values_of_all_types(tmp_path: Path, fmus: Path, fmi: int) -> None:
    fmu = fmus / f"fmi{fmi}" / "Feedthrough.fmu"
    made = system(
        component("f", fmu, "string_out:output", "enumeration_out:output"),
        bindings=(
            binding(
                {
                    "f.real_parameter": 2,
                    "f.integer_parameter": 3.0,
                    "f.boolean_parameter": False,
                    "f.string_in": "größer",
                    "f.enumeration_parameter": Item("blue"),
                    "f.enumeration_in": Item("green"),
                }
            ),
        ),
    )
    assert starts(tmp_path, made, files_for(fmu)) == {
        "f.real_parameter": 2.0,
        "f.integer_parameter": 3,
        "f.boolean_parameter": False,
        "f.string_in": "größer",
        "f.enumeration_parameter": 3,
        "f.enumeration_in": 2,
    }
    result = sspsim.simulate(tmp_path / "p.ssp", stop=1.0, step=0.5)
    assert result["f.string_out"][-1] == "größer"
    assert result["f.enumeration_out"][-1] == 2


def test_arrays_and_long_numbers(tmp_path: Path, fmus: Path) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    made = system(
        component("f", fmu),
        bindings=(
            binding(
                {
                    "f.vector_parameter": [7.0, 8.0, 9.0],
                    "f.int64_parameter": -9007199254740993,
                    "f.binary_parameter": b"\x01\x02",
                }
            ),
        ),
    )
    given = starts(tmp_path, made, files_for(fmu))
    assert given["f.vector_parameter"] == (7.0, 8.0, 9.0)
    assert given["f.int64_parameter"] == -9007199254740993
    assert given["f.binary_parameter"] == b"\x01\x02"


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("f.integer_parameter", 2.5, "V15"),
        ("f.enumeration_parameter", Item("pink"), "V15"),
        ("f.real_parameter", "text", "V11"),
        ("f.vector_parameter", [1.0, 2.0], "V21"),
        ("f.uint8_parameter", 256, "V15"),
    ],
)
def test_values_that_do_not_fit(tmp_path: Path, fmus: Path, name: str, value: Any, code: str) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    made = system(component("f", fmu), bindings=(binding({name: value}),))
    errors = [
        d
        for d in sspsim.load(pack(tmp_path / "p.ssp", made, files_for(fmu))).check()
        if d.severity is Severity.ERROR
    ]
    assert [d.code for d in errors] == [code]
    assert errors[0].origin
    assert errors[0].origin.line > 0


def test_enumeration_mapping_of_a_parameter(tmp_path: Path, fmus: Path) -> None:
    fmu = fmus / "fmi2" / "Feedthrough.fmu"
    entry = mapped(
        "light",
        "f.enumeration_parameter",
        transformation=EnumerationMapping((("stop", "red"), ("go", "green"))),
    )
    made = system(component("f", fmu), bindings=(binding({"light": Item("go")}, mapping=[entry]),))
    assert starts(tmp_path, made, files_for(fmu)) == {"f.enumeration_parameter": 2}


# System connectors, what may be set


def test_values_of_system_connectors_flow_through_connections(tmp_path: Path, heater: Path) -> None:
    """A root parameter in degC through an inner system's connector in degF to variables in K."""
    inner = system(
        "T:parameter:Real[degF]",
        component("h", heater, "T_set:parameter", "T:input"),
        connection("T -> h.T_set", factor=1.0, offset=10.0),
        name="S",
    )
    made = system(
        "T:parameter:Real[degC]",
        inner,
        connection("T -> S.T"),
        bindings=(binding({"T": (20.0, "degC")}),),
    )
    given = starts(tmp_path, made, files_for(heater))
    assert given["S.h.T_set"] == pytest.approx(303.15, abs=1e-12)
    given = starts(tmp_path, made, files_for(heater), parameters={"T": "30"})
    assert given["S.h.T_set"] == pytest.approx(313.15, abs=1e-12)


def test_connection_wins_over_a_bound_value(tmp_path: Path, lin: Path) -> None:
    made = system(
        part("a", lin, binding({"offset": 3.0})),
        component("b", lin, "u:input", "y:output", bindings=(binding({"u": 8.0, "a": 1.0, "offset": 0.0}),)),
        connection("a.y -> b.u"),
    )
    path = pack(tmp_path / "p.ssp", made, files_for(lin))
    assert len(found(path, "V20")) == 1
    assert sspsim.simulate(path, stop=1.0, step=0.5)["b.y"][-1] == 3.0


def test_a_bound_input_without_connection_is_constant(tmp_path: Path, lin: Path) -> None:
    made = system(
        component("b", lin, "u:input", "y:output", bindings=(binding({"u": 8.0, "a": 1.0, "offset": 0.0}),))
    )
    path = pack(tmp_path / "p.ssp", made, files_for(lin))
    np.testing.assert_array_equal(sspsim.simulate(path, stop=1.0, step=0.5)["b.y"], 8.0)


def test_outputs_cannot_be_set(tmp_path: Path, lin: Path) -> None:
    made = system(part("a", lin, binding({"y": 3.0})))
    path = pack(tmp_path / "p.ssp", made, files_for(lin))
    assert [text.partition(":")[0] for text in found(path, "V20")] == ["warning"]
    assert starts(tmp_path, made, files_for(lin)) == {}


def test_words_from_the_command_line_become_values(tmp_path: Path, fmus: Path) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    path = pack(tmp_path / "p.ssp", system(component("f", fmu)), files_for(fmu))
    words = {
        "real_parameter": ("1e3", (1000.0,)),
        "integer_parameter": ("-3", (-3,)),
        "boolean_parameter": ("false", (False,)),
        "string_parameter": ("a b", ("a b",)),
        "enumeration_parameter": ("blue", (3,)),
        "binary_parameter": ("00ff", (b"\x00\xff",)),
        "vector_parameter": ("1, 2,3", (1.0, 2.0, 3.0)),
        "uint64_parameter": ("18446744073709551615", (2**64 - 1,)),
    }
    flat = sspsim.load(path, parameters={f"f.{name}": word for name, (word, _) in words.items()}).flat
    assert {s.variable.name: s.values for s in flat.instances[0].starts} == {
        name: value for name, (_, value) in words.items()
    }


def test_root_connectors_that_take_values(tmp_path: Path, heater: Path) -> None:
    """What a table of inputs needs to know."""
    made = system(
        "T:input:Real[degC]",
        "unused:input:Boolean",
        "power:parameter",
        component("h", heater, "T:input", "T_ambient:input", "P_max:parameter"),
        connection("T -> h.T"),
        connection("T -> h.T_ambient", factor=0.5),
        connection("power -> h.P_max"),
    )
    loaded = sspsim.load(pack(tmp_path / "p.ssp", made, files_for(heater)), parameters={"power": 500.0})
    inputs = {entry.name: entry for entry in loaded.flat.inputs}
    assert [(k.target.variable, k.factor, k.offset) for k in inputs["T"].links] == [
        ("T", 1.0, 273.15),
        ("T_ambient", 0.5, pytest.approx(136.575)),
    ]
    assert (inputs["T"].unit, inputs["T"].values) == ("degC", ())
    assert (inputs["unused"].type, inputs["unused"].links) == ("Boolean", ())
    assert inputs["power"].values == (500.0,)


def test_calculated_parameter_feeds_a_parameter_at_the_start_only(tmp_path: Path, fmus: Path) -> None:
    """Such links are apart from those of the steps: FMI forbids to set fixed parameters later."""
    lag = fmus / "fmi2" / "Lag.fmu"
    made = system(
        component("a", lag, "y:calculatedParameter"),
        component("b", lag, "k:parameter"),
        connection("a.y -> b.k"),
    )
    flat = sspsim.load(pack(tmp_path / "p.ssp", made, files_for(lag))).flat
    assert not flat.links
    assert [(k.source.variable, k.target.variable) for k in flat.initial_links] == [("y", "k")]


@pytest.mark.parametrize("fmi", [2, 3])
def test_calculated_parameters_are_handed_on_in_a_chain(tmp_path: Path, fmus: Path, fmi: int) -> None:
    """a.y = 3, b.offset = 2*3, b.y = 6, c.offset = 6 + 1: whatever the order of the components."""
    lin = fmus / f"fmi{fmi}" / "LinearA.fmu"
    names = ("y:calculatedParameter", "offset:parameter")
    made = system(
        component("c", lin, "y:output", "offset:parameter"),
        component("b", lin, *names),
        component("a", lin, *names),
        connection("b.y -> c.offset", factor=1.0, offset=1.0),
        connection("a.y -> b.offset", factor=2.0),
    )
    path = pack(tmp_path / "p.ssp", made, files_for(lin))
    result = sspsim.simulate(sspsim.load(path, parameters={"a.offset": 3.0}), stop=1.0, step=0.5)
    np.testing.assert_array_equal(result["c.y"], 7.0)


def test_fmi_1_cannot_hand_parameters_on(tmp_path: Path, fmus: Path) -> None:
    lin = fmus / "fmi1" / "LinearA.fmu"
    made = system(
        component("a", lin, "y:calculatedParameter"),
        component("b", lin, "offset:parameter"),
        connection("a.y -> b.offset"),
    )
    with pytest.raises(sspsim.SimulationError, match=r"a\.y: FMI 1 cannot hand parameters on"):
        sspsim.simulate(pack(tmp_path / "p.ssp", made, files_for(lin)), stop=1.0)
