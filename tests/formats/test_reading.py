"""What real tools write is read, and nothing is ignored silently."""

import pytest

from sspsim.errors import InputError
from sspsim.formats import ssb, ssd, ssm, ssv
from sspsim.structure import Kind, Severity, Type

from .examples import (
    component,
    connector,
    connectors,
    elements,
    scaled,
    ssb_file,
    ssd_file,
    ssm_file,
    ssv_file,
)


def messages(diagnostics, least: Severity = Severity.WARNING) -> list[str]:
    return [str(finding) for finding in diagnostics if finding.severity >= least]


def test_every_entity_knows_its_line() -> None:
    structure, _ = ssd.read(ssd_file(elements("\n" + component("a.fmu"))), "x.ssd")
    assert str(structure.system.elements[0].origin) == "x.ssd:5"
    parameters, _ = ssv.read(
        ssv_file('<ssv:Parameter name="k"><ssv:Real value="1"/></ssv:Parameter>'), "p.ssv"
    )
    assert str(parameters.parameters[0].origin) == "p.ssv:3"


def test_empty_start_element_means_the_system() -> None:
    connection = '<ssd:Connection startElement="" startConnector="u" endElement="c" endConnector="u"/>'
    structure, diagnostics = ssd.read(ssd_file(f"<ssd:Connections>{connection}</ssd:Connections>"), "x.ssd")
    assert structure.system.connections[0].start_element is None
    assert messages(diagnostics) == [
        "x.ssd:4: warning[V05]: an empty startElement is taken as a missing one (leave it out)"
    ]


def test_modelica_wrapper_parameters_of_dymola() -> None:
    inner = (
        '<ssd:Connectors><ssd:Connector name="fmi_StartTime" kind="parameter">'
        '<ssc:Binary mime-type="text/x-modelica; path=Modelica.Units.SI.Time"/>'
        '<ssd:ConnectorGeometry x="-0.02" y="1.1"/></ssd:Connector></ssd:Connectors>'
    )
    structure, diagnostics = ssd.read(ssd_file(elements(component("a.fmu", inner=inner))), "x.ssd")
    (connector,) = structure.system.elements[0].connectors
    assert (connector.type.type, connector.type.mime_type) == (
        Type.BINARY,
        "text/x-modelica; path=Modelica.Units.SI.Time",
    )
    assert (connector.geometry.x, connector.geometry.y) == (-0.02, 1.1)
    assert diagnostics == []


def test_default_namespace_and_other_prefixes() -> None:
    data = ssd_file(elements(component("a.fmu")))
    plain = data.replace(b"xmlns:ssd=", b"xmlns=").replace(b"<ssd:", b"<").replace(b"</ssd:", b"</")
    other = (
        data.replace(b"xmlns:ssd=", b"xmlns:ns0=").replace(b"<ssd:", b"<ns0:").replace(b"</ssd:", b"</ns0:")
    )
    assert ssd.read(plain, "x") == ssd.read(other, "x") == ssd.read(data, "x")


@pytest.mark.parametrize("source", ['source=""', ""])
def test_component_without_source(source: str) -> None:
    structure, diagnostics = ssd.read(ssd_file(elements(f'<ssd:Component name="c" {source}/>')), "x")
    assert not structure.system.elements[0].source
    assert diagnostics == []


def test_parameter_bindings_in_annotations_are_none() -> None:
    inner = (
        '<ssd:Annotations><ssc:Annotation type="com.easy-ssp.easy.ssp-model"><ssd:ParameterBindings>'
        '<ssd:ParameterBinding source="x.ssv"/></ssd:ParameterBindings></ssc:Annotation></ssd:Annotations>'
    )
    structure, diagnostics = ssd.read(ssd_file(inner), "x")
    assert structure.system.bindings == ()
    assert "ssd:ParameterBinding source" in structure.system.annotations[0].xml
    assert diagnostics == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<ssd:Unknown/>", "unknown element ssd:Unknown in ssd:System is ignored"),
        ('<x:y xmlns:x="urn:x"/>', "unknown element {urn:x}y in ssd:System is ignored"),
        ("stray text", "text in ssd:System is ignored"),
        ('<ssd:Elements a="1"/>', "unknown attribute a in ssd:Elements is ignored"),
        (elements("<ssd:Foo/>"), "unknown element ssd:Foo in ssd:Elements is ignored"),
        (
            elements('<ssd:Component name="a" source="b" tool="x"/>'),
            "unknown attribute tool in ssd:Component is ignored",
        ),
        (
            '<ssd:SystemGeometry x1="a" y1="0" x2="1" y2="1"/>',
            "ssd:SystemGeometry: x1='a' is not a number",
        ),
        (
            '<ssd:SystemGeometry x1="0" y1="0" x2="1" y2="1"/>' * 2,
            "a second ssd:SystemGeometry in ssd:System is ignored",
        ),
    ],
)
def test_what_is_not_understood_is_reported(content: str, expected: str) -> None:
    _, diagnostics = ssd.read(ssd_file(content), "x")
    assert expected in [finding.message for finding in diagnostics]


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        ('kind="input"', "ssd:Connector lacks a usable name and is left out"),
        ('name="u"', "ssd:Connector lacks a usable kind"),
        ('name="u" kind="entrance"', "ssd:Connector: kind='entrance' is not one of input, output"),
    ],
)
def test_broken_connectors(broken: str, expected: str) -> None:
    content = connectors(f"<ssd:Connector {broken}/>", connector("y", "output"))
    structure, diagnostics = ssd.read(ssd_file(content), "x")
    assert structure.system.connectors[-1].name == "y"
    assert [finding.severity for finding in diagnostics] == [Severity.ERROR]
    assert diagnostics[0].message.startswith(expected)


def test_unreadable_kind_keeps_the_connector() -> None:
    content = '<ssd:Connectors><ssd:Connector name="u" kind="entrance"/></ssd:Connectors>'
    assert ssd.read(ssd_file(content), "x")[0].system.connectors[0].kind is Kind.UNSPECIFIED


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "not well-formed"),
        (b"<a>", "not well-formed"),
        (b"\xff\xfe\x00", "cannot be decoded"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', "cannot be decoded as 'klingon'"),
        (b'<?xml version="1.0" encoding="hex"?><a/>', "cannot be decoded"),
        (b'<?xml version="1.0" encoding="utf-8"?><a b="\xe4"/>', "not well-formed"),
        (b"<a/>", "the root element is a instead of ssd:SystemStructureDescription"),
        (ssv_file(), "the root element is ssv:ParameterSet"),
        (
            b'<a:SystemStructureDescription xmlns:a="http://www.pmsf.net/xsd/SystemStructureDescriptionDraft"/>',
            "is a draft of the standard",
        ),
        (ssd_file(version="Draft20180219"), "is a draft of the standard (Draft20180219)"),
        (
            ssd_file().replace(b"ssd:System ", b"ssd:Sistem ").replace(b"ssd:System>", b"ssd:Sistem>"),
            "lacks ssd:System",
        ),
        (b"<!DOCTYPE a><a/>", "document type"),
    ],
)
def test_unusable_files(data: bytes, expected: str) -> None:
    with pytest.raises(InputError, match=r"x\.ssd") as caught:
        ssd.read(data, "x.ssd")
    assert expected in str(caught.value)


def test_other_encodings_are_read_and_reported() -> None:
    text = ssd_file(name="Wärme").decode()
    for encoding in ("utf-16", "iso-8859-1"):
        data = text.replace("UTF-8", encoding).encode(encoding)
        structure, diagnostics = ssd.read(data, "x")
        assert structure.name == "Wärme"
        assert messages(diagnostics) == [
            f"x:1: warning[V01]: the encoding is {encoding}, the standard wants UTF-8"
        ]
    assert ssd.read(b"\xef\xbb\xbf" + text.encode(), "x")[1] == []


def test_unknown_versions_are_reported() -> None:
    assert "version '3.0' is unknown" in messages(ssd.read(ssd_file(version="3.0"), "x")[1])[0]
    assert messages(ssd.read(ssd_file().replace(b' version="1.0" name', b" name"), "x")[1])


def test_schema_location_is_no_foreign_attribute() -> None:
    location = b'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b" name="test"'
    assert ssd.read(ssd_file().replace(b'name="test"', location), "x")[1] == []


@pytest.mark.parametrize(
    ("element", "values"),
    [
        ('<ssv:Real value=" 1.5 "/>', (1.5,)),
        ('<ssv:Real value="INF"/>', (float("inf"),)),
        ('<ssv:Float64 value="1 2\n3"/>', (1.0, 2.0, 3.0)),
        ('<ssv:Integer value="-3"/>', (-3,)),
        ('<ssv:Boolean value="1"/>', (True,)),
        ('<ssv:String value=""/>', ("",)),
        ('<ssv:String><ssv:Value value="a"/><ssv:Value value="b"/></ssv:String>', ("a", "b")),
        ('<ssv:Binary value="0aFF"/>', (b"\x0a\xff",)),
        ('<ssv:Enumeration value="on"/>', ("on",)),
        ('<ssv:Real value=""/>', ()),
    ],
)
def test_values(element: str, values: tuple[object, ...]) -> None:
    parameters, diagnostics = ssv.read(ssv_file(f'<ssv:Parameter name="k">{element}</ssv:Parameter>'), "x")
    assert parameters.parameters[0].values == values
    assert diagnostics == []


@pytest.mark.parametrize(
    "element",
    [
        '<ssv:Real value="inf"/>',
        '<ssv:Real value="1_0"/>',
        '<ssv:Real value="1,5"/>',
        "<ssv:Real/>",
        '<ssv:Integer value="3000000000"/>',
        '<ssv:Integer value="1.0"/>',
        '<ssv:UInt8 value="256"/>',
        '<ssv:Boolean value="True"/>',
        '<ssv:Binary value="0"/>',
        '<ssv:String value="a"><ssv:Value value="b"/></ssv:String>',
        '<ssv:Clock value="1"/>',
        "",
    ],
)
def test_wrong_values_are_errors(element: str) -> None:
    parameters, diagnostics = ssv.read(ssv_file(f'<ssv:Parameter name="k">{element}</ssv:Parameter>'), "x")
    assert not any(parameter.values for parameter in parameters.parameters)
    assert Severity.ERROR in {finding.severity for finding in diagnostics}


def test_mapping_and_dictionary() -> None:
    mapping, diagnostics = ssm.read(
        ssm_file(scaled("a", "b")),
        "x",
    )
    assert (mapping.entries[0].transformation.factor, mapping.entries[0].transformation.offset) == (2.0, 0.0)
    assert diagnostics == []
    dictionary, diagnostics = ssb.read(
        ssb_file('<ssb:DictionaryEntry name="s"><ssc:Real unit="m"/></ssb:DictionaryEntry>'), "x"
    )
    assert dictionary.entries[0].type.unit == "m"
    assert diagnostics == []


def test_annotations_stay_as_they_are() -> None:
    inner = "<!-- c --><o:x  b='1'\n\t c = \"&#10;\"/>\r\n  <![CDATA[ <&> ]]>"
    text = f"<ssc:Annotation  type='a.b' >{inner}</ssc:Annotation >"
    data = ssd_file(f"<ssd:Annotations>{text}</ssd:Annotations>").replace(
        b' name="test"', b' xmlns:o="urn:o" name="test"'
    )
    (annotation,) = ssd.read(data, "x")[0].system.annotations
    declared = annotation.xml.replace(' xmlns:o="urn:o"', "").replace(
        ' xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"', ""
    )
    assert declared == text
    again = ssd.read(ssd.write(ssd.read(data, "x")[0]), "y")[0]
    assert again.system.annotations == (annotation,)


@pytest.mark.parametrize("tag", ["<ssc:Annotation type='a'/>", "<ssc:Annotation type='a'></ssc:Annotation>"])
def test_empty_annotations(tag: str) -> None:
    structure, _ = ssd.read(ssd_file(f"<ssd:Annotations>{tag}</ssd:Annotations>"), "x")
    xml = structure.system.annotations[0].xml
    assert xml.startswith("<ssc:Annotation xmlns:ssc=")
    assert xml.endswith(tag[15:])


def test_an_enumeration_without_a_name_is_no_type() -> None:
    """OMSimulator writes them; the type of the FMU counts then."""
    inner = connectors('<ssd:Connector name="u" kind="input"><ssc:Enumeration/></ssd:Connector>')
    structure, diagnostics = ssd.read(ssd_file(elements(component("a.fmu", inner=inner))), "x.ssd")
    (read,) = structure.system.elements[0].connectors
    assert (read.name, read.type) == ("u", None)
    assert messages(diagnostics) == [
        "x.ssd:4: warning[V01]: ssc:Enumeration lacks a usable name and is left out"
    ]


def test_a_shortened_namespace_is_understood() -> None:
    data = ssv_file('<ssv:Parameter name="k"><ssv:Real value="1"/></ssv:Parameter>')
    short = data.replace(b"SSP1/SystemStructureParameterValues", b"SSP1/ParameterValues")
    parameters, diagnostics = ssv.read(short, "p.ssv")
    assert [(p.name, p.values) for p in parameters.parameters] == [("k", (1.0,))]
    namespace = "http://ssp-standard.org/SSP1"
    assert messages(diagnostics) == [
        f"p.ssv:1: warning[V01]: the namespace {namespace}/ParameterValues is taken as "
        f"{namespace}/SystemStructureParameterValues, which is meant"
    ]
