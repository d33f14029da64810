"""Files made to do harm end in a clear error in no time and without filling the memory."""

import io
import os
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from formats.strategies import dictionaries, mappings, parameter_sets, structures
from sspsim.errors import InputError
from sspsim.formats import package_rules, rules, schema, ssb, ssd, ssm, ssp, ssv
from sspsim.formats.container import Memory

from .examples import (
    archive,
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

MEGABYTE = 2**20


def entity_expansion() -> bytes:
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    return f'<!DOCTYPE a [<!ENTITY e0 "lol">{entities}]><a b="&e11;">&e11;</a>'.encode()


def quadratic() -> bytes:
    return b'<!DOCTYPE a [<!ENTITY e "' + b"x" * MEGABYTE + b'">]><a>' + b"&e;" * 10_000 + b"</a>"


BAD_XML: dict[str, Callable[[], bytes]] = {
    "entity expansion": entity_expansion,
    "quadratic expansion": quadratic,
    "external entity": lambda: b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    "external document type": lambda: b'<!DOCTYPE a SYSTEM "http://localhost:9/x.dtd"><a/>',
    "undefined entity": lambda: b"<a>&x;</a>",
    "deep": lambda: b"<a>" * 10_000 + b"</a>" * 10_000,
    "deep systems": lambda: ssd_file("<ssd:Elements><ssd:System name='s'>" * 10_000),
    "deep annotation": lambda: ssd_file("<ssd:Annotations><ssc:Annotation type='a'>" + "<a>" * 10_000),
    "too large": lambda: b'<a b="' + b"x" * (101 * MEGABYTE) + b'"/>',
    "truncated": lambda: ssd_file()[:-20],
    "not UTF-8": lambda: ssd_file().replace(b"root", b"\xff\xfe\xfd"),
    "not what it declares": lambda: ssd_file().decode().replace("UTF-8", "utf-16").encode(),
    "null bytes": lambda: b"\0" * 1000,
    "binary": lambda: bytes(range(256)) * 10,
}


@pytest.mark.parametrize("name", BAD_XML)
@pytest.mark.parametrize("module", [ssd, ssv])
def test_xml(name: str, module) -> None:
    data = BAD_XML[name]()
    tracemalloc.start()
    start = time.perf_counter()
    with pytest.raises(InputError, match=r"x\.ssd"):
        module.read(data, "x.ssd")
    duration = time.perf_counter() - start
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert duration < 1
    assert peak < 20 * MEGABYTE
    assert [finding.code for finding in schema.validate(data, "x")] == ["V01"]


def gigabyte() -> bytes:
    """An attribute of a gigabyte, a megabyte when packed."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
        file.open("SystemStructure.ssd", "w", force_zip64=True) as entry,
    ):
        entry.write(b'<a b="')
        for _ in range(256):
            entry.write(b"x" * 4 * MEGABYTE)
        entry.write(b'"/>')
    return buffer.getvalue()


def test_gigabyte_attribute_in_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "x.ssp"
    path.write_bytes(gigabyte())
    start = time.perf_counter()
    with pytest.raises(InputError, match="zip bomb"):
        ssp.read(path)
    assert time.perf_counter() - start < 1


def test_large_document_in_a_large_archive(tmp_path: Path) -> None:
    """The ratio is harmless, the size of the document is not."""
    path = tmp_path / "x.ssp"
    path.write_bytes(archive({"SystemStructure.ssd": b" " * (101 * MEGABYTE), "b": b"b"}, zipfile.ZIP_STORED))
    start = time.perf_counter()
    with pytest.raises(InputError, match=r"SystemStructure\.ssd has \d+ bytes"):
        ssp.read(path)
    assert time.perf_counter() - start < 1


# Fuzzing: whatever the bytes are, only an InputError comes out

calm = settings(
    deadline=None,
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "100")),
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
SEEDS = {
    ssd: [
        ssd_file(
            elements(component("a.fmu"), component("#s"), '<ssd:System name="s" id="s"/>')
            + connectors(connector(inner='<ssc:Real unit="m"/>'))
            + "<ssd:Annotations><ssc:Annotation type='a'><b/></ssc:Annotation></ssd:Annotations>"
        )
    ],
    ssv: [
        ssv_file('<ssv:Parameter name="a"><ssv:Real value="1 2"/><ssc:Dimension size="2"/></ssv:Parameter>')
    ],
    ssm: [ssm_file(scaled("a", "b"))],
    ssb: [ssb_file('<ssb:DictionaryEntry name="a"><ssc:Clock intervalDecimal="1"/></ssb:DictionaryEntry>')],
}
GENERATED = {ssd: partial(structures, depth=0), ssv: parameter_sets, ssm: mappings, ssb: dictionaries}
CHECKS = {
    ssd: rules.check_structure,
    ssv: rules.check_parameters,
    ssm: rules.check_mapping,
    ssb: rules.check_dictionary,
}
TOKENS = [
    b"<",
    b">",
    b"/",
    b'"',
    b"&",
    b"ssd:",
    b"ssc:",
    b"xmlns",
    b"=",
    b"<!--",
    b"]]>",
    b"<![CDATA[",
    b"<?",
    b"\xff",
    b"\0",
]
TOKENS += [
    b"<ssd:System>",
    b"</ssd:System>",
    b"<ssc:Real/>",
    b"1e999",
    b"-1",
    b"99999999999999999999",
    b'=""',
    b"true",
]


@st.composite
def mutated(draw: st.DrawFn, seed: bytes) -> bytes:
    """Bytes in which parts are removed, doubled, moved or replaced."""
    data = seed
    for _ in range(draw(st.integers(1, 4))):
        start, stop = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        stop = min(stop, start + draw(st.sampled_from([0, 1, 8, 1000])))
        part = draw(st.sampled_from([b"", data[start:stop] * 2, *TOKENS]) | st.binary(max_size=3))
        data = data[:start] + part + data[stop:]
    return data


@pytest.mark.parametrize("module", SEEDS, ids=lambda module: module.__name__.rpartition(".")[2])
@calm
@given(data=st.data())
def test_mutated_files(module, data: st.DataObject) -> None:
    seeds = st.sampled_from(SEEDS[module]) | GENERATED[module]("2.0").map(module.write)
    damaged = data.draw(seeds.flatmap(mutated))
    schema.validate(damaged, "x")
    try:
        document, _ = module.read(damaged, "x")
        CHECKS[module](document)
        written = module.write(document)
    except InputError:
        return
    else:
        assert module.write(module.read(written, "x")[0]) == written


PACKAGE = archive(
    {
        "SystemStructure.ssd": ssd_file(
            elements(component("resources/a.ssp", type="application/x-ssp-package"))
        ),
        "resources/a.ssp": archive({"SystemStructure.ssd": ssd_file()}),
    }
)


@calm
@given(mutated(PACKAGE))
def test_mutated_archives(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "x.ssp"
    path.write_bytes(data)
    try:
        package_rules.check(ssp.read(path))
    except InputError:
        return


@calm
@given(st.text(max_size=20), st.text(max_size=20))
def test_any_reference(source: str, type: str) -> None:
    package = ssp.new_package(ssd.read(ssd_file(), "x")[0])
    try:
        package.resolve("SystemStructure.ssd", source, type)
    except InputError:
        return


@calm
@given(st.text(max_size=20))
def test_any_name(name: str) -> None:
    try:
        container = Memory({name: b""})
    except InputError:
        return
    assert not any(entry.startswith("/") or ".." in entry.split("/") for entry in container.names())
