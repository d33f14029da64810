"""What FMUs say about their variables and how that shows in the flat system; the FMUs are descriptions only."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from ssp_builder import binding, component, connection, pack, reference, system

import sspsim
from sspsim.graph.flat import FlatSystem
from sspsim.structure import Severity

UNITS = (
    '<UnitDefinitions><Unit name="K"><BaseUnit K="1"/></Unit>'
    '<Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit></UnitDefinitions>'
)


def fmu2(folder: Path, name: str, *variables: str) -> Path:
    body = "".join(
        f"<ScalarVariable valueReference='{k}' {text}</ScalarVariable>" for k, text in enumerate(variables)
    )
    return _write(
        folder / "fmi2" / f"{name}.fmu",
        f'<fmiModelDescription fmiVersion="2.0" modelName="{name}" guid="g">'
        f'<CoSimulation modelIdentifier="{name}"/>{UNITS}<ModelVariables>{body}</ModelVariables>'
        "<ModelStructure/></fmiModelDescription>",
    )


def fmu3(folder: Path, name: str, variables: str) -> Path:
    return _write(
        folder / "fmi3" / f"{name}.fmu",
        f'<fmiModelDescription fmiVersion="3.0" modelName="{name}" instantiationToken="g">'
        f'<CoSimulation modelIdentifier="{name}"/><ModelVariables>{variables}</ModelVariables>'
        "<ModelStructure/></fmiModelDescription>",
    )


def fmu1(folder: Path, name: str, *variables: str) -> Path:
    body = "".join(
        f"<ScalarVariable valueReference='{k}' {text}</ScalarVariable>" for k, text in enumerate(variables)
    )
    return _write(
        folder / "fmi1" / f"{name}.fmu",
        f'<fmiModelDescription fmiVersion="1.0" modelName="{name}" modelIdentifier="{name}" guid="g">'
        f"<ModelVariables>{body}</ModelVariables>"
        "<Implementation><CoSimulation_StandAlone><Capabilities/></CoSimulation_StandAlone></Implementation>"
        "</fmiModelDescription>",
    )


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", text)
    return path


def flat(tmp_path: Path, root: Any, *fmus: Path, **options: Any) -> FlatSystem:
    files = {f"resources/{fmu.parent.name}_{fmu.name}": fmu for fmu in fmus}
    return sspsim.load(pack(tmp_path / "v.ssp", root, files), **options).flat


def codes(system: FlatSystem, severity: Severity) -> list[str]:
    return [d.code for d in system.diagnostics if d.severity is severity]


def test_a_difference_is_converted_without_offsets(tmp_path: Path) -> None:
    """Over a system's connector in another unit as well."""
    source = fmu2(
        tmp_path,
        "Source",
        'name="dT" causality="output"><Real unit="degC" relativeQuantity="true"/>',
        'name="T" causality="output"><Real unit="degC"/>',
    )
    sink = fmu2(
        tmp_path,
        "Sink",
        'name="a" causality="input"><Real unit="K" start="0"/>',
        'name="b" causality="input"><Real unit="K" start="0"/>',
        'name="c" causality="input"><Real unit="K" start="0" relativeQuantity="true"/>',
    )
    inner = system(
        "x:input:Real[degC]",
        component("s", sink, "a:input", "b:input", "c:input"),
        connection("x -> s.a"),
        name="S",
    )
    made = system(
        component("q", source, "dT:output", "T:output"),
        inner,
        component("s", sink, "b:input", "c:input"),
        connection("q.dT -> S.x"),
        connection("q.T -> s.b"),
        connection("q.T -> s.c"),
    )
    links = {k.target.variable: (k.factor, k.offset) for k in flat(tmp_path, made, source, sink).links}
    assert links == {"a": (1.0, 0.0), "b": (1.0, 273.15), "c": (1.0, 0.0)}


def test_connectors_may_have_alias_names(tmp_path: Path) -> None:
    one = fmu3(
        tmp_path,
        "One",
        '<Float64 name="y" valueReference="1" causality="output"><Alias name="shown"/></Float64>'
        '<Float64 name="u" valueReference="2" causality="input" start="0"><Alias name="fed"/></Float64>'
        '<Float64 name="k" valueReference="3" causality="parameter" start="1"><Alias name="gain"/></Float64>',
    )
    made = system(
        component("a", one, "shown:output", "fed:input"),
        connection("a.shown -> a.fed"),
        bindings=(binding({"a.gain": 4.0}),),
    )
    found = flat(tmp_path, made, one)
    assert [(k.source.variable, k.target.variable) for k in found.links] == [("y", "u")]
    assert [(s.variable.name, s.values) for s in found.instances[0].starts] == [("k", (4.0,))]
    assert found.instances[0].recorded == ("y",)


def test_two_names_of_one_input_cannot_both_be_connected(tmp_path: Path) -> None:
    one = fmu3(
        tmp_path,
        "One",
        '<Float64 name="y" valueReference="1" causality="output"/>'
        '<Float64 name="u" valueReference="2" causality="input" start="0"><Alias name="fed"/></Float64>',
    )
    both = system(
        component("a", one, "y:output", "u:input", "fed:input"),
        connection("a.y -> a.u"),
        connection("a.y -> a.fed"),
    )
    assert codes(flat(tmp_path, both, one), Severity.ERROR) == ["V08"]
    second = system(component("a", one, "y:output", "u:input", "fed:input"), connection("a.y -> a.fed"))
    assert len(flat(tmp_path, second, one).links) == 1


def test_constants_are_known_before_the_run(tmp_path: Path) -> None:
    """A constant in degC sets a parameter in K, an input, and the size of an array."""
    constant = fmu3(
        tmp_path,
        "Constant",
        '<Float64 name="T" valueReference="1" causality="output" variability="constant" start="20"/>'
        '<UInt64 name="n" valueReference="2" causality="output" variability="constant" start="3"/>',
    )
    user = fmu3(
        tmp_path,
        "User",
        '<UInt64 name="size" valueReference="1" causality="structuralParameter" start="1"/>'
        '<Float64 name="x" valueReference="2" causality="input" start="0">'
        '<Dimension valueReference="1"/></Float64>'
        '<Float64 name="T" valueReference="3" causality="parameter" start="0"/>',
    )
    made = system(
        component("c", constant, "T:constant:Real[degC]", "n:constant"),
        component("u", user, "size:structuralParameter", "T:parameter:Real[K]"),
        connection("c.n -> u.size"),
        connection("c.T -> u.T"),
    )
    found = flat(tmp_path, made, constant, user)
    assert codes(found, Severity.ERROR) == []
    assert not found.links
    used = next(i for i in found.instances if i.name == "u")
    assert [(s.variable.name, s.values) for s in used.starts] == [("size", (3,)), ("T", (293.15,))]
    assert used.description.by_name["x"].dimensions == (3,)


@pytest.mark.parametrize(
    ("attributes", "kind", "expected"),
    [
        ('causality="input" variability="continuous"', "input", []),
        ('causality="output" variability="discrete"', "output", []),
        ('causality="output" variability="parameter"', "output", []),
        ('causality="output" variability="parameter"', "calculatedParameter", []),
        ('causality="output" variability="constant"', "constant", []),
        ('causality="output" variability="constant"', "output", []),
        ('causality="internal" variability="parameter"', "parameter", []),
        ('causality="input" variability="parameter"', "parameter", []),
        ('causality="internal" variability="continuous"', "local", []),
        ('causality="input" variability="continuous"', "output", ["V10"]),
        ('causality="output" variability="continuous"', "input", ["V10"]),
    ],
)
def test_kinds_of_fmi_1(tmp_path: Path, attributes: str, kind: str, expected: list[str]) -> None:
    one = fmu1(tmp_path, "One", f'name="x" {attributes}><Real start="1"/>')
    found = flat(tmp_path, system(component("a", one, f"x:{kind}")), one)
    assert codes(found, Severity.ERROR) == expected
    assert codes(found, Severity.WARNING) == []


@pytest.mark.parametrize(
    ("attributes", "settable"),
    [
        ('causality="parameter" variability="fixed"', True),
        ('causality="parameter" variability="tunable"', True),
        ('causality="input"', True),
        ('causality="local" initial="exact"', True),
        ('causality="output" initial="approx"', True),
        ('causality="output" variability="constant" initial="exact"', False),
        ('causality="calculatedParameter" variability="fixed" initial="calculated"', False),
        ('causality="local" initial="calculated"', False),
    ],
)
def test_what_may_be_set(tmp_path: Path, attributes: str, settable: bool) -> None:
    start = "" if 'initial="calculated"' in attributes else ' start="1"'
    one = fmu2(tmp_path, "One", f'name="x" {attributes}><Real{start}/>')
    made = system(component("a", one), bindings=(binding({"a.x": 2.0}),))
    found = flat(tmp_path, made, one)
    assert len(found.instances[0].starts) == settable
    assert codes(found, Severity.WARNING) == ([] if settable else ["V20"])


def test_inout_is_for_dictionaries_only(tmp_path: Path) -> None:
    one = fmu2(tmp_path, "One", 'name="x" causality="output"><Real/>')
    assert codes(flat(tmp_path, system(component("a", one, "x:inout")), one), Severity.ERROR) == ["V07"]


def test_dictionaries_are_not_looked_up_beyond_the_file(tmp_path: Path) -> None:
    from ssp_builder import dictionary, structure

    inner = structure(system(reference("bus", "signals", "x:inout")))
    made = system(
        component("S", "sub.ssd", type="application/x-ssp-definition"), dictionary("signals", "x:Real")
    )
    path = pack(tmp_path / "d.ssp", made, {"sub.ssd": inner})
    assert "V24" in [d.code for d in sspsim.load(path).flat.diagnostics]
    inside = system(system(reference("bus", "signals", "x:inout"), name="S"), dictionary("signals", "x:Real"))
    path = pack(tmp_path / "d.ssp", inside)
    assert "V24" not in [d.code for d in sspsim.load(path).flat.diagnostics]
