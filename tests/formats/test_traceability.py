"""Resource meta data of SSP Traceability: found, read, their checksums verified."""

import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from sspsim.formats import ssp
from sspsim.formats.traceability import EMBEDDED, check, traceability

from .examples import archive, component, elements, ssd_file

DATA = b"what is described"
STC = "http://ssp-standard.org/SSPTraceability1/SSPTraceabilityCommon"
SRMD = "http://ssp-standard.org/SSPTraceability1/SimulationResourceMetaData"
ENTRY = (
    '<stc:Classification type="org.mic-core"><stc:ClassificationEntry keyword="model.name">Motor &amp; more'
    "</stc:ClassificationEntry></stc:Classification>"
)


def srmd(attributes: str = "", content: str = ENTRY) -> bytes:
    root = "srmd:SimulationResourceMetaData"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns:srmd="{SRMD}" xmlns:stc="{STC}" '
        f'version="1.0.0" name="motor" {attributes}>{content}</{root}>'
    ).encode()


def package(tmp_path: Path, files: dict[str, bytes]) -> ssp.Package:
    path = tmp_path / "t.ssp"
    path.write_bytes(
        archive({"SystemStructure.ssd": ssd_file(elements(component("resources/a.fmu"))), **files})
    )
    return ssp.read(path)


def fmu(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("right", [True, False])
def test_checksums(tmp_path: Path, right: bool, beside: bool) -> None:
    checksum = hashlib.sha3_256(DATA if right else b"another file").hexdigest().upper()
    name = "resources/a.fmu.srmd" if beside else "extra/org.example/a.srmd"
    reference = "" if beside else 'data="../../resources/a.fmu"'
    made = package(tmp_path, {"resources/a.fmu": DATA, name: srmd(f'checksum="{checksum}" {reference}')})
    [file] = traceability(made)
    assert (file.location, file.name, file.resource, file.verified) == (
        name,
        "motor",
        "resources/a.fmu",
        right,
    )
    assert file.classifications == (("org.mic-core", "model.name", "Motor & more"),)
    messages = [f"{finding.severity}[{finding.code}] {finding.message}" for finding in check(made)]
    assert messages == ([] if right else ["warning[V32] the checksum is not that of resources/a.fmu"])


def test_meta_data_inside_an_fmu_and_tasks(tmp_path: Path) -> None:
    task = "extra/org.ssp-standard.ssp-traceability.stmd/SimulationTask.stmd"
    made = package(tmp_path, {"resources/a.fmu": fmu({EMBEDDED: srmd()}), task: b'<task name="my task"/>'})
    assert [(f.location, f.kind, f.name, f.resource) for f in traceability(made)] == [
        (task, "simulation task", "my task", None),
        (f"resources/a.fmu!/{EMBEDDED}", "resource meta data", "motor", "resources/a.fmu"),
    ]


@pytest.mark.parametrize(
    ("content", "finding"),
    [
        (b"<a", "warning[V01] not well-formed XML: unclosed token"),
        (b"<!DOCTYPE a><a/>", "warning[V01] a document type (<!DOCTYPE>) is not allowed in SSP files"),
        (srmd('data="b.fmu"'), "warning[V26] resource meta data: the file 'b.fmu' does not exist"),
        (
            srmd('data="a.fmu" checksum="00" checksumType="MD5"'),
            "warning[V32] the checksum of type 'MD5' cannot be verified, only SHA3-256 can",
        ),
    ],
)
def test_what_is_wrong(tmp_path: Path, content: bytes, finding: str) -> None:
    made = package(tmp_path, {"resources/a.fmu": DATA, "resources/m.srmd": content})
    [found] = check(made)
    assert f"{found.severity}[{found.code}] {found.message}".startswith(finding)
    assert str(found.origin).startswith(str(tmp_path / "t.ssp" / "resources" / "m.srmd"))
