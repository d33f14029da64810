"""Every rule of the catalogue that files can break on their own, broken and kept."""

from pathlib import Path

import pytest

from sspsim.formats import package_rules, rules, schema, ssb, ssd, ssm, ssp, ssv
from sspsim.structure import Diagnostic
from sspsim.structure.system import SSD, SSP

from .examples import (
    NAMESPACES,
    archive,
    binding,
    component,
    connector,
    connectors,
    dictionary,
    elements,
    ssb_file,
    ssd_file,
    ssm_file,
    ssv_file,
    within,
)

SET = f'<ssv:ParameterSet {NAMESPACES} version="1.0" name="p"><ssv:Parameters/></ssv:ParameterSet>'
INLINE = f"<ssd:ParameterValues>{SET}</ssd:ParameterValues>"


def codes(found: list[Diagnostic]) -> list[str]:
    return [f"{finding.code}{str(finding.severity)[0].upper()}" for finding in found]


META = '<ssc:MetaData kind="general" type="t" {}>{}</ssc:MetaData>'
SIGNATURE = '<ssc:Signature role="authenticity" type="t" {}/>'
NOTE = '<ssd:GraphicalElements><ssd:Note x1="{}" y1="0" x2="1" y2="1" text="t"/></ssd:GraphicalElements>'
SIZE = "<ssc:Real/><ssc:Dimension {}/>"


@pytest.mark.parametrize(
    ("version", "content", "expected"),
    [
        ("1.0", connectors(connector(inner="<ssc:Float64/>")), ["V02W"]),
        ("1.0", connectors(connector(kind="local"), connector("v", "local")), ["V02W"]),
        (
            "1.0",
            "<ssd:Annotations><ssc:Annotation type='a'>text</ssc:Annotation></ssd:Annotations>",
            ["V02W"],
        ),
        ("2.0", connectors(connector(inner="<ssc:Float64/>")), []),
        ("1.0", elements(component("a"), component("a")), ["V03E"]),
        ("1.0", elements(component("a", name="")), ["V03E"]),
        ("1.0", elements(component("a"), '<ssd:System name="c"/>'), ["V03E"]),
        ("1.0", connectors(connector(), connector()), ["V04E"]),
        ("1.0", elements(component("a", inner=connectors(connector()))), []),
        ("1.0", connectors(connector(inner='<ssc:Real unit="m"/>')), ["V13W"]),
        ("1.0", connectors(connector(inner='<ssc:Enumeration name="e"/>')), ["V13W"]),
        ("1.0", binding(), ["V16E"]),
        ("1.0", binding('source="a"', INLINE), ["V16E"]),
        ("1.0", binding('source="a"', "<ssd:ParameterMapping/>"), ["V16E"]),
        ("1.0", binding("", INLINE), []),
        ("1.0", dictionary('name="d"'), ["V16E"]),
        ("1.0", dictionary('name="d" source="a"', '<ssb:SignalDictionary version="1.0"/>'), ["V16E"]),
        ("2.0", META.format('source="a"', "<ssc:Content/>"), ["V16E"]),
        ("2.0", META.format("", ""), ["V16E"]),
        ("2.0", META.format("", "<ssc:Content/>"), []),
        ("2.0", SIGNATURE.format('source="a"'), []),
        ("2.0", SIGNATURE.format('source="a" sourceBase="metaData"'), ["V17E"]),
        ("2.0", META.format('source="b"', SIGNATURE.format('source="a" sourceBase="metaData"')), []),
        ("2.0", META.format('source="a" sourceBase="resource"', ""), ["V17E"]),
        ("2.0", elements(component("a.fmu", inner=META.format('source="a" sourceBase="resource"', ""))), []),
        ("1.0", binding('source="a" sourceBase="component"'), ["V17E"]),
        ("1.0", elements(component("a.fmu", inner=binding('source="a" sourceBase="component"'))), []),
        ("2.0", connectors(connector(inner=SIZE.format('size="2" sizeConnector="n"'))), ["V21E", "V22E"]),
        (
            "2.0",
            connectors(connector(inner=SIZE.format('sizeConnector="n"')), connector("n", "parameter")),
            ["V22E"],
        ),
        (
            "2.0",
            connectors(
                connector(inner=SIZE.format('sizeConnector="n"')), connector("n", "structuralParameter")
            ),
            [],
        ),
        ("2.0", connectors(connector(inner='<ssc:Real/><ssd:Clock name="n"/>')), ["V23E"]),
        ("2.0", connectors(connector(inner='<ssc:Real/><ssd:Clock name="n"/>'), connector("n")), ["V23E"]),
        (
            "2.0",
            connectors(
                connector(inner='<ssc:Real/><ssd:Clock name="n"/>'), connector("n", inner="<ssc:Clock/>")
            ),
            [],
        ),
        ("1.0", '<ssd:SystemGeometry x1="1" y1="0" x2="0" y2="1"/>', ["V28W"]),
        ("1.0", NOTE.format("2"), ["V28W"]),
        ("1.0", NOTE.format("0"), []),
        (
            "1.0",
            '<ssd:Connections><ssd:Connection startConnector="a" endConnector="b">'
            '<ssd:ConnectionGeometry pointsX="1 2" pointsY="1"/></ssd:Connection></ssd:Connections>',
            ["V28W"],
        ),
        ("2.0", elements('<ssd:Component name="c"/>'), ["V30W"]),
        ("1.0", elements('<ssd:Component name="c" source=""/>'), ["V30W"]),
        (
            "1.0",
            elements('<ssd:Component name="c" id="i" source="a"/><ssd:System name="s" id="i"/>'),
            ["V01E"],
        ),
    ],
)
def test_system_structures(version: str, content: str, expected: list[str]) -> None:
    structure, _ = ssd.read(ssd_file(content, version=version), "x")
    found = rules.check_structure(structure)
    assert codes(found) == expected, found
    assert all(finding.origin for finding in found)


def test_definitions_are_unique() -> None:
    after = within(
        "ssd:Enumerations", '<ssc:Enumeration name="e"><ssc:Item name="a" value="1"/></ssc:Enumeration>'
    ) + within("ssd:Units", '<ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit>' * 2)
    structure, _ = ssd.read(ssd_file(connectors(connector(inner='<ssc:Real unit="m"/>')), after=after), "x")
    assert codes(rules.check_structure(structure)) == ["V13E"]


def parameter(inner: str, name: str = "k") -> str:
    return f'<ssv:Parameter name="{name}">{inner}</ssv:Parameter>'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (parameter('<ssv:Real value="1"/>') * 2, ["V18E"]),
        (parameter('<ssv:Real value="1 2"/>'), ["V21E"]),
        (parameter('<ssv:Real value=""/>'), ["V21E"]),
        (parameter('<ssv:Real value=""/><ssc:Dimension size="0"/>'), []),
        (parameter('<ssv:Real value="1 2"/><ssc:Dimension size="2"/>'), []),
        (parameter('<ssv:Real value="1 2"/><ssc:Dimension size="3"/>'), ["V21E"]),
        (parameter('<ssv:Real value="1 2"/><ssc:Dimension/>'), ["V21E"]),
        (parameter("<ssv:String/>"), ["V21E"]),
        (parameter('<ssv:Real value="1" unit="m"/>'), ["V13W"]),
        (parameter('<ssv:Enumeration value="a" name="e"/>'), ["V13W"]),
        (parameter('<ssv:Enumeration value="a"/>'), []),
    ],
)
def test_parameter_sets(content: str, expected: list[str]) -> None:
    assert codes(rules.check_parameters(ssv.read(ssv_file(content, version="2.0"), "x")[0])) == expected


def test_lists_need_version_2() -> None:
    content = parameter('<ssv:Real value="1 2"/><ssc:Dimension size="2"/>')
    found = rules.check_parameters(ssv.read(ssv_file(content), "x")[0])
    assert [f"{finding.origin}: {finding.message}" for finding in found] == [
        "x:3: ssv:Real with value needs version 2.0, the file says 1.0",
        "x:3: ssc:Dimension needs version 2.0, the file says 1.0",
    ]


def test_mappings_and_dictionaries() -> None:
    entries = '<ssm:MappingEntry source="a" target="b"/><ssm:MappingEntry source="c" target="b"/>'
    assert codes(rules.check_mapping(ssm.read(ssm_file(entries), "x")[0])) == ["V18E"]
    entry = '<ssb:DictionaryEntry name="s"><ssc:Real unit="m"/>{}</ssb:DictionaryEntry>'
    data = ssb_file(entry.format("") + entry.format('<ssc:Dimension sizeConnector="n"/>'), version="2.0")
    assert codes(rules.check_dictionary(ssb.read(data, "x")[0])) == ["V13W", "V18E", "V21E"]


# Packages


def checked(tmp_path: Path, files: dict[str, bytes]) -> list[str]:
    (tmp_path / "x.ssp").write_bytes(archive(files))
    return [str(finding) for finding in package_rules.check(ssp.read(tmp_path / "x.ssp"))]


def test_a_good_package_has_no_findings(tmp_path: Path) -> None:
    files = {"SystemStructure.ssd": ssd_file(elements(component("resources/a.fmu"))), "resources/a.fmu": b""}
    assert checked(tmp_path, files) == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"models/a": b""}, "models/a: only resources/"),
        ({"documentation/a": b""}, "documentation/ lacks its index.html"),
        ({"B.ssd": ssd_file(name="test")}, "have the same name 'test'"),
    ],
)
def test_archive_layout(files: dict[str, bytes], expected: str, tmp_path: Path) -> None:
    (finding,) = checked(tmp_path, {"SystemStructure.ssd": ssd_file(), **files})
    assert "warning[V29]" in finding
    assert expected in finding


def test_component_types(tmp_path: Path) -> None:
    files = {
        "SystemStructure.ssd": ssd_file(
            elements(
                component("resources/s.ssd"), component("resources/b", type="application/avl-mcx-x", name="b")
            )
        ),
        "resources/s.ssd": ssd_file(),
        "resources/b": b"",
    }
    found = checked(tmp_path, files)
    assert "'resources/s.ssd' is declared as application/x-fmu-sharedlibrary, taken as" in found[0]
    assert "component 'b': type 'application/avl-mcx-x' cannot be simulated, only kept" in found[1]


def test_schema_violations_in_inline_parts(tmp_path: Path) -> None:
    wrong = INLINE.replace("<ssv:Parameters/>", "")
    hidden = f"<ssd:Annotations><ssc:Annotation type='a'>{wrong}</ssc:Annotation></ssd:Annotations>"
    (finding,) = checked(tmp_path, {"SystemStructure.ssd": ssd_file(binding("", wrong) + hidden)})
    assert "Expected is ( ssv:Parameters )" in finding


@pytest.mark.parametrize(
    "files",
    [
        {"SystemStructure.ssd": ssd_file(elements(component("SystemStructure.ssd", type=SSD)))},
        {
            "SystemStructure.ssd": ssd_file(elements(component("resources/a.ssd", type=SSD))),
            "resources/a.ssd": ssd_file(elements(component("b.ssd", type=SSD))),
            "resources/b.ssd": ssd_file(elements(component("../SystemStructure.ssd", type=SSD))),
        },
        {
            "SystemStructure.ssd": ssd_file(
                elements(f'<ssd:System name="s" id="i">{elements(component("#i", type=SSD))}</ssd:System>')
            )
        },
    ],
)
def test_recursion(files: dict[str, bytes], tmp_path: Path) -> None:
    (finding,) = checked(tmp_path, files)
    assert "error[V27]" in finding
    assert "contain itself" in finding


def test_systems_can_be_used_again(tmp_path: Path) -> None:
    content = elements(
        '<ssd:System name="s" id="i"/>', component("#i", type=SSD), component("#j", type=SSD, name="d")
    )
    (finding,) = checked(tmp_path, {"SystemStructure.ssd": ssd_file(content)})
    assert "there is no system with the id 'j'" in finding


def test_the_same_document_twice_is_no_recursion(tmp_path: Path) -> None:
    files = {
        "SystemStructure.ssd": ssd_file(
            elements(component("resources/a.ssd", type=SSD), component("resources/b.ssp", type=SSP, name="b"))
        ),
        "resources/a.ssd": ssd_file(elements(component("b.ssp", type=SSP))),
        "resources/b.ssp": archive({"SystemStructure.ssd": ssd_file()}),
    }
    assert checked(tmp_path, files) == []


def test_version_2_is_not_validated_without_its_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "find_spec", lambda _: None)
    schema._schema.cache_clear()
    (finding,) = schema.validate(ssd_file(version="2.0"), "x")
    schema._schema.cache_clear()
    assert str(finding) == "x: info[V01]: not validated: the schema of version 2.0 is in pyssp_standard"
