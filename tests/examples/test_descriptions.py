"""The generated descriptions are valid, say the same in every FMI version, and tell the truth about dependencies."""

from __future__ import annotations

import itertools
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fmpy
import pytest
from conftest import Unit
from fmpy.validation import validate_fmu
from fmubuild import build_fmu, model_names
from lxml import etree

SCHEMAS = Path(fmpy.__file__).parent / "schema"
XSD = {
    1: SCHEMAS / "fmi1" / "fmiModelDescription.xsd",
    2: SCHEMAS / "fmi2" / "fmi2ModelDescription.xsd",
    3: SCHEMAS / "fmi3" / "fmi3ModelDescription.xsd",
}
ALL = [(name, fmi) for name in model_names() for fmi in (1, 2, 3)]


def read_xml(fmu: Path) -> Any:
    with zipfile.ZipFile(fmu) as archive:
        return etree.fromstring(archive.read("modelDescription.xml"))


@pytest.mark.parametrize("fmi", (1, 2, 3))
def test_all_descriptions_follow_the_schema(built: Path, fmi: int) -> None:
    schema = etree.XMLSchema(etree.parse(str(XSD[fmi])))
    for name in model_names():
        schema.assertValid(read_xml(built / f"fmi{fmi}" / f"{name}.fmu"))


@pytest.mark.parametrize(("name", "fmi"), ALL)
def test_fmpy_has_no_objection(built: Path, name: str, fmi: int) -> None:
    assert validate_fmu(str(built / f"fmi{fmi}" / f"{name}.fmu")) == []


def test_archives_do_not_depend_on_when_they_are_built(built: Path, tmp_path: Path) -> None:
    first = built / "fmi2" / "Math003Part1.fmu"
    second = build_fmu("Math003Part1", 2, tmp_path)
    assert first.read_bytes() == second.read_bytes()


# ---- dependencies ----

Dependencies = dict[str, set[str]]


def declared(unknowns: list[Any]) -> Dependencies:
    return {u.variable.name: {v.name for v in u.dependencies} for u in unknowns}


@pytest.mark.parametrize("name", sorted(set(model_names()) - {"Feedthrough"}))
def test_fmi_versions_declare_the_same(built: Path, name: str) -> None:
    one, two, three = (fmpy.read_model_description(str(built / f"fmi{v}" / f"{name}.fmu")) for v in (1, 2, 3))
    assert declared(two.outputs) == declared(three.outputs)
    assert declared(two.derivatives) == declared(three.derivatives)
    assert declared(two.initialUnknowns) == declared(three.initialUnknowns)
    inputs = {v.name for v in two.modelVariables if v.causality == "input"}
    direct = {
        scalar.get("name"): {name.text for name in scalar.iterfind("DirectDependency/Name")}
        for scalar in read_xml(built / "fmi1" / f"{name}.fmu").iter("ScalarVariable")
        if scalar.get("causality") == "output"
    }
    assert direct == {output: names & inputs for output, names in declared(two.outputs).items()}
    assert {v.name for v in one.modelVariables} == {v.name for v in two.modelVariables} - {"time"}


def real_names(unit: Unit, *causalities: str) -> list[str]:
    """Variables that can be given: those of the causalities, and states if `local` is one of them."""
    found = []
    for variable in unit.description.modelVariables:
        given = variable.causality in causalities and variable.causality not in {"local", "output"}
        is_state = "local" in causalities and any(
            d.variable.derivative is variable for d in unit.description.derivatives
        )
        if variable.type == "Real" and (given or is_state):
            found.append(variable.name)
    return found


def base_points(unit: Unit, names: list[str]) -> Iterator[dict[str, float]]:
    """Values to start probing from: the start values, some without zeros, and for few inputs corners of a cube."""
    starts = {name: float(unit.variables[name].start) for name in names}
    yield starts
    yield {name: start + 0.3 + 0.1 * i for i, (name, start) in enumerate(starts.items())}
    inputs = [name for name in names if unit.variables[name].causality == "input"]
    if 0 < len(inputs) <= 3:
        for corner in itertools.product((0.0, 1.0), repeat=len(inputs)):
            yield {**starts, **dict(zip(inputs, corner, strict=True))}
    else:
        yield dict.fromkeys(names, 1.0)


def changed(before: dict[str, float], after: dict[str, float]) -> set[str]:
    return {name for name, value in after.items() if value != before[name]}


def probe_initial(unit: Unit) -> Dependencies:
    """Which given values change which computed ones in initialization mode?"""
    unknowns = [u.variable.name for u in unit.description.initialUnknowns if u.variable.type == "Real"]
    names = real_names(unit, "input", "parameter", "local")
    found: Dependencies = {name: set() for name in unknowns}
    at_times = {}

    def read() -> dict[str, float]:
        return {name: unit.get(name) for name in unknowns}

    for start in (0.3, 1.5, 3.5, 43200.0):
        unit.fmu.reset()
        unit.enter(start)
        for point in base_points(unit, names):
            for name, value in point.items():
                unit.set(name, value)
            before = read()
            for name, value in point.items():
                for delta in (0.1, 5.0):
                    unit.set(name, value + delta)
                    for unknown in changed(before, read()):
                        found[unknown].add(name)
                unit.set(name, value)
            earlier = at_times.setdefault(tuple(point.items()), before)
            for unknown in changed(earlier, before):
                found[unknown].add("time")
    return found


@pytest.mark.parametrize("name", sorted(set(model_names()) - {"Minimal"}))  # which FMPy cannot load
def test_declared_initial_dependencies_are_true(open_unit: Any, name: str) -> None:
    unit = open_unit(name, 2)
    expected = declared(unit.description.initialUnknowns)
    probed = {*real_names(unit, "input", "parameter", "local"), "time"}
    for unknown, names in probe_initial(unit).items():
        assert names == expected[unknown] & probed, unknown


def reach(unit: Unit) -> Dependencies:
    """Which inputs can change an output over a step, by what is declared: directly, or through states."""
    outputs, derivatives = declared(unit.description.outputs), declared(unit.description.derivatives)
    of_state = {
        d.variable.derivative.name: derivatives[d.variable.name] for d in unit.description.derivatives
    }
    result = {}
    for output, direct in outputs.items():
        known, todo = set(), set(direct)
        while todo:
            name = todo.pop()
            known.add(name)
            todo |= of_state.get(name, set()) - known
        result[output] = {name for name in known if unit.variables[name].causality == "input"}
    return result


def probe_step(unit: Unit, h: float) -> Dependencies:
    """Which inputs change which outputs over two steps?"""
    inputs = real_names(unit, "input")
    outputs = [u.variable.name for u in unit.description.outputs if u.variable.type == "Real"]
    found: Dependencies = {name: set() for name in outputs}
    state = unit.fmu.getFMUstate()

    def run(values: dict[str, float]) -> dict[str, float]:
        unit.fmu.setFMUstate(state)
        for name, value in values.items():
            unit.set(name, value)
        unit.step(0.0, h)
        unit.step(h, h)
        return {name: unit.get(name) for name in outputs}

    for point in base_points(unit, inputs):
        before = run(point)
        for name, value in point.items():
            for delta in (0.1, 5.0):
                for output in changed(before, run({**point, name: value + delta})):
                    found[output].add(name)
    unit.fmu.freeFMUstate(state)
    return found


@pytest.mark.parametrize("name", sorted(set(model_names()) - {"Minimal", "NoRollback", "BrokenRollback"}))
def test_declared_structure_shows_what_inputs_do_over_a_step(open_unit: Any, name: str) -> None:
    unit = open_unit(name, 2).start()
    expected = reach(unit)
    inputs = set(real_names(unit, "input"))
    for output, names in probe_step(unit, 0.1).items():
        assert names == expected[output] & inputs, output


def test_time_only_outputs_can_be_proved(open_unit: Any) -> None:
    assert reach(open_unit("Math003Part1", 2)) == {"x1": set(), "x2": set()}
    assert reach(open_unit("House", 2)) == {"T_ambient": set(), "radiation": set(), "T_room": {"Q"}}
    assert reach(open_unit("IntegratorOut", 2)) == {"y": {"u"}}


def test_units_have_their_base_units(built: Path) -> None:
    for fmi in (2, 3):
        units = read_xml(built / f"fmi{fmi}" / "Thermometer.fmu").findall("UnitDefinitions/Unit")
        base = {unit.get("name"): dict(unit.find("BaseUnit").attrib) for unit in units}
        assert base["degC"] == {"K": "1", "offset": "273.15"}
        assert base["kW"] == {"kg": "1", "m": "2", "s": "-3", "factor": "1000.0"}
