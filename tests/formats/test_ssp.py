"""Packages: choosing, resolving, nesting, writing."""

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from sspsim.errors import InputError
from sspsim.formats import schema, ssd, ssp, ssv
from sspsim.structure import (
    Component,
    Dimension,
    Parameter,
    ParameterBinding,
    ParameterSet,
    Severity,
    System,
    SystemStructure,
    Type,
    TypeSpec,
)
from sspsim.structure.system import SSD, SSP

from .examples import (
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
)

VALUE = '<ssv:Parameter name="k"><ssv:Real value="1"/></ssv:Parameter>'


def bound(source: str, attributes: str = "", mapping: str = "") -> str:
    inner = f'<ssd:ParameterMapping source="{mapping}"/>' if mapping else ""
    return binding(f'source="{source}" {attributes}', inner)


def packed(path: Path, files: dict[str, bytes]) -> Path:
    path.write_bytes(archive(files))
    return path


def unpacked(path: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


def problems(package: ssp.Package, least: Severity = Severity.WARNING) -> list[str]:
    return [str(finding) for finding in package.diagnostics if finding.severity >= least]


FULL = {
    "SystemStructure.ssd": ssd_file(
        bound("resources/top.ssv", mapping="resources/top.ssm")
        + elements(
            component("resources/a.fmu", inner=bound("extra/in.ssv", 'sourceBase="component"')),
            component("resources/sub/Sub.ssd", type=SSD, name="d"),
            component("resources/Sub.ssp#VariantB.ssd", type=SSP, name="e"),
        )
        + dictionary('name="d" source="resources/d.ssb"')
    ),
    "resources/top.ssv": ssv_file(VALUE),
    "resources/top.ssm": ssm_file(),
    "resources/d.ssb": ssb_file(),
    "resources/a.fmu": archive({"modelDescription.xml": b"<x/>", "extra/in.ssv": ssv_file(VALUE)}),
    "resources/sub/Sub.ssd": ssd_file(elements(component("../a.fmu", inner=bound("own.ssv")))),
    "resources/sub/own.ssv": ssv_file(VALUE),
    "resources/Sub.ssp": archive(
        {
            "SystemStructure.ssd": ssd_file(),
            "VariantB.ssd": ssd_file(elements(component("resources/b.fmu"))),
            "resources/b.fmu": archive({"modelDescription.xml": b"<y/>"}),
        }
    ),
    "extra/org.example/data.bin": b"\x00\x01",
}


@pytest.fixture(params=["archive", "folder", "file"])
def full(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "archive":
        return packed(tmp_path / "full.ssp", FULL)
    folder = unpacked(tmp_path / "full", FULL)
    return folder if request.param == "folder" else folder / "SystemStructure.ssd"


def test_everything_that_can_be_reached_is_read(full: Path) -> None:
    package = ssp.read(full)
    assert package.diagnostics == ()
    assert package.root == "SystemStructure.ssd"
    assert set(package.documents) == {
        "SystemStructure.ssd",
        "resources/sub/Sub.ssd",
        "resources/Sub.ssp!/VariantB.ssd",
    }
    assert set(package.parameter_sets) == {
        "resources/top.ssv",
        "resources/a.fmu!/extra/in.ssv",
        "resources/sub/own.ssv",
    }
    assert set(package.mappings) == {"resources/top.ssm"}
    assert set(package.dictionaries) == {"resources/d.ssb"}
    assert package.read_bytes("resources/Sub.ssp!/resources/b.fmu") == archive(
        {"modelDescription.xml": b"<y/>"}
    )
    with package.open_container("resources/Sub.ssp!/resources/b.fmu") as fmu:
        assert fmu.read("modelDescription.xml") == b"<y/>"
    assert package.resolve("resources/sub/Sub.ssd", "../a.fmu") == "resources/a.fmu"


def test_diagnostics_name_the_file_in_the_package(tmp_path: Path) -> None:
    path = packed(tmp_path / "x.ssp", {"SystemStructure.ssd": ssd_file("<ssd:What/>")})
    assert problems(ssp.read(path))[0].startswith(
        f"{path}/SystemStructure.ssd:3: warning[V01]: unknown element"
    )


VARIANTS = {
    "SystemStructure.ssd": ssd_file(name="first"),
    "B.ssd": ssd_file(name="second"),
    "broken.ssd": b"<ssd:SystemStructureDescription name='x'",
}


def test_variants(tmp_path: Path) -> None:
    for path in (packed(tmp_path / "v.ssp", VARIANTS), unpacked(tmp_path / "v", VARIANTS)):
        package = ssp.read(path)
        assert package.structure.name == "first"
        assert package.variants == (("B.ssd", "second"), ("SystemStructure.ssd", "first"), ("broken.ssd", ""))
        assert "a variant cannot be read" in problems(package)[0]
        assert ssp.read(path, "B.ssd").structure.name == "second"
        assert ssp.read(path, "second").root == "B.ssd"
        with pytest.raises(InputError, match=r"there is no variant 'C'; there are B\.ssd"):
            ssp.read(path, "C")
        with pytest.raises(InputError, match="not well-formed"):
            ssp.read(path, "broken.ssd")
    with pytest.raises(InputError, match="only be chosen in an archive or a folder"):
        ssp.read(tmp_path / "v" / "B.ssd", "second")


def test_package_without_default_variant(tmp_path: Path) -> None:
    package = ssp.read(packed(tmp_path / "one.ssp", {"Only.ssd": ssd_file()}))
    assert package.root == "Only.ssd"
    assert "there is no SystemStructure.ssd" in problems(package, Severity.ERROR)[0]
    with pytest.raises(InputError, match=r"choose one of the variants A.ssd, B.ssd"):
        ssp.read(packed(tmp_path / "two.ssp", {"A.ssd": ssd_file(), "B.ssd": ssd_file()}))
    with pytest.raises(InputError, match="pack the content of a folder"):
        ssp.read(packed(tmp_path / "none.ssp", {"a": b""}))
    with pytest.raises(InputError, match="no such file"):
        ssp.read(tmp_path / "missing.ssp")


@pytest.mark.parametrize(
    ("source", "location"),
    [
        ("resources/with%20space.fmu", "resources/with space.fmu"),
        ("resources/with space.fmu", "resources/with space.fmu"),
        ("resources/100%25.fmu", "resources/100%.fmu"),
        ("resources/per%63ent.fmu", "resources/percent.fmu"),
        ("resources/raw%41.fmu", "resources/raw%41.fmu"),
        ("resources\\percent.fmu", "resources/percent.fmu"),
        ("./resources/./percent.fmu", "resources/percent.fmu"),
        ("resources/../resources/percent.fmu", "resources/percent.fmu"),
        ("#sub", "SystemStructure.ssd#sub"),
    ],
)
def test_references(source: str, location: str, tmp_path: Path) -> None:
    names = ("with space.fmu", "100%.fmu", "percent.fmu", "raw%41.fmu")
    files = {"SystemStructure.ssd": ssd_file(), **{f"resources/{name}": b"" for name in names}}
    for path in (packed(tmp_path / "x.ssp", files), unpacked(tmp_path / "x", files)):
        package = ssp.read(path)
        found = package.resolve("SystemStructure.ssd", source)
        assert found == location
        if "#sub" not in found:
            assert package.read_bytes(found) == b""


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("../x.fmu", "leads out of the archive"),
        ("resources/../../x.fmu", "leads out of the archive"),
        ("%2e%2e/x.fmu", "leads out of the archive"),
        ("/etc/passwd", "leads out of the archive"),
        ("file:///etc/passwd", "leads out of the archive"),
        ("http://example.org/x.fmu", "only relative references"),
        ("proxyfmu://localhost?file=x.fmu", "only relative references"),
        ("resources/missing.fmu", "does not exist"),
        ("nul\0.fmu", "does not exist"),
        ("resources/Sub.ssp#C.ssd", "does not exist"),
    ],
)
def test_references_that_lead_nowhere(source: str, reason: str, tmp_path: Path) -> None:
    package = ssp.read(packed(tmp_path / "x.ssp", {"SystemStructure.ssd": ssd_file()}))
    with pytest.raises(InputError, match=reason):
        package.resolve("SystemStructure.ssd", source)


def test_files_on_disk_may_lead_to_parents_if_allowed(tmp_path: Path) -> None:
    (tmp_path / "x.fmu").write_bytes(b"1")
    folder = unpacked(tmp_path / "s", {"SystemStructure.ssd": ssd_file(elements(component("../x.fmu")))})
    assert "allow it with --allow-parent" in problems(ssp.read(folder))[0]
    package = ssp.read(folder, allow_parent=True)
    assert package.diagnostics == ()
    location = package.resolve("SystemStructure.ssd", "../x.fmu")
    assert package.read_bytes(location) == b"1"
    absolute = package.resolve("SystemStructure.ssd", (tmp_path / "x.fmu").as_uri())
    assert package.read_bytes(absolute) == b"1"


def test_missing_and_broken_files_are_reported(tmp_path: Path) -> None:
    files = {
        "SystemStructure.ssd": ssd_file(
            bound("missing.ssv")
            + elements(component("gone.fmu"), component("bad.ssd", type=SSD), component("bad.ssd", type=SSD))
        ),
        "bad.ssd": b"<",
    }
    found = ssp.read(packed(tmp_path / "x.ssp", files)).diagnostics
    assert [(finding.code, finding.severity) for finding in found] == [
        ("V29", Severity.WARNING),
        ("V26", Severity.ERROR),
        ("V26", Severity.WARNING),
        ("V01", Severity.ERROR),
    ]
    assert "parameters of 'root': the file 'missing.ssv' does not exist" in str(found[1])


def test_long_chains_and_archives_in_archives(tmp_path: Path) -> None:
    files = {f"{i}.ssd": ssd_file(elements(component(f"{i + 1}.ssd", type=SSD))) for i in range(2000)}
    files["SystemStructure.ssd"] = files["0.ssd"]
    assert len(ssp.read(packed(tmp_path / "chain.ssp", files)).documents) == 2000
    inner = archive({"SystemStructure.ssd": ssd_file()})
    for _ in range(10):
        inner = archive(
            {"SystemStructure.ssd": ssd_file(elements(component("i.ssp", type=SSP))), "i.ssp": inner}
        )
    (tmp_path / "deep.ssp").write_bytes(inner)
    assert "nested more than 8 deep" in " ".join(problems(ssp.read(tmp_path / "deep.ssp")))


# Writing


def content(path: Path) -> dict[str, bytes]:
    if path.is_dir():
        return {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_unchanged_packages_keep_their_files(full: Path, tmp_path: Path) -> None:
    package = ssp.read(full)
    for name in ("again.ssp", "again"):
        ssp.write(package, tmp_path / name)
        expected = dict(FULL)
        if full.suffix == ".ssd":
            del expected["extra/org.example/data.bin"]
        assert content(tmp_path / name) == expected
        assert ssp.read(tmp_path / name).documents == package.documents


def test_changed_documents_are_written_also_in_nested_archives(full: Path, tmp_path: Path) -> None:
    package = ssp.read(full)
    inner, own = "resources/Sub.ssp!/VariantB.ssd", "resources/a.fmu!/extra/in.ssv"
    changed = replace(
        package,
        documents={**package.documents, inner: replace(package.documents[inner], name="changed")},
        parameter_sets={**package.parameter_sets, own: replace(package.parameter_sets[own], name="other")},
    )
    ssp.write(changed, tmp_path / "new.ssp")
    again = ssp.read(tmp_path / "new.ssp")
    assert again.documents == changed.documents
    assert again.parameter_sets == changed.parameter_sets
    assert content(tmp_path / "new.ssp")["SystemStructure.ssd"] == FULL["SystemStructure.ssd"]
    with again.open_container("resources/a.fmu") as fmu:
        assert fmu.read("modelDescription.xml") == b"<x/>"


def test_archives_are_deterministic_and_conform(tmp_path: Path) -> None:
    package = ssp.read(packed(tmp_path / "full.ssp", FULL))
    ssp.write(package, tmp_path / "a.ssp")
    ssp.write(package, tmp_path / "b.ssp")
    assert (tmp_path / "a.ssp").read_bytes() == (tmp_path / "b.ssp").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.ssp") as file:
        assert {info.compress_type for info in file.infolist()} == {zipfile.ZIP_DEFLATED}
        assert all(info.extract_version <= 20 for info in file.infolist())
    ssp.write(package, tmp_path / "full.ssp")
    assert ssp.read(tmp_path / "full.ssp") == package
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.ssp", "b.ssp", "full.ssp"]


def test_a_single_file_becomes_the_default_variant(tmp_path: Path) -> None:
    folder = unpacked(
        tmp_path / "s", {"House.ssd": ssd_file(elements(component("a.fmu"))), "a.fmu": b"1", "b": b""}
    )
    ssp.write(ssp.read(folder / "House.ssd"), tmp_path / "house.ssp")
    assert set(content(tmp_path / "house.ssp")) == {"SystemStructure.ssd", "a.fmu"}


@pytest.mark.parametrize("name", ["./a", "a/../b", "a//b", ".."])
def test_bad_names_are_not_written(name: str, tmp_path: Path) -> None:
    structure = SystemStructure(version="1.0", name="n", system=System(name="root"))
    with pytest.raises(InputError, match="name"):
        ssp.write(ssp.new_package(structure, {name: b""}), tmp_path / "x.ssp")
    assert list(tmp_path.iterdir()) == []


def test_new_packages_from_memory(tmp_path: Path) -> None:
    (tmp_path / "model.fmu").write_bytes(archive({"modelDescription.xml": b"<z/>"}))
    structure = SystemStructure(
        version="1.0",
        name="new",
        system=System(
            name="root",
            elements=(Component(name="a", source="resources/a.fmu"),),
            bindings=(ParameterBinding(source="resources/p.ssv"),),
        ),
    )
    parameter = Parameter(name="a.k", type=TypeSpec(Type.REAL), values=(2.0,))
    values = ParameterSet(version="1.0", name="p", parameters=(parameter,))
    package = ssp.new_package(
        structure, {"resources/a.fmu": tmp_path / "model.fmu", "resources/p.ssv": values}
    )
    assert package.diagnostics == ()
    assert package.parameter_sets == {"resources/p.ssv": values}
    with package.open_container("resources/a.fmu") as fmu:
        assert fmu.names() == ["modelDescription.xml"]
    ssp.write(package, tmp_path / "new.ssp")
    again = ssp.read(tmp_path / "new.ssp")
    assert (again.structure, again.parameter_sets) == (structure, package.parameter_sets)


def test_nothing_is_left_behind_if_writing_fails(tmp_path: Path) -> None:
    structure = SystemStructure(version="1.0", name="n", system=System(name="root"))
    package = ssp.new_package(structure, {"resources/gone.fmu": tmp_path / "gone"})
    for target in ("x.ssp", "x"):
        with pytest.raises(InputError, match="gone"):
            ssp.write(package, tmp_path / target)
    (tmp_path / "there").mkdir()
    with pytest.raises(InputError, match="something already"):
        ssp.write(package, tmp_path / "there")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_what_has_no_place_in_the_files_is_not_lost_silently() -> None:
    from sspsim.structure import Note

    note = Note(x1=0, y1=0, x2=1, y2=1, text="t", description="no place")
    with pytest.raises(InputError, match="ssd:Note has no place for description"):
        ssd.write(SystemStructure(version="1.0", name="n", system=System(name="r", notes=(note,))))
    with pytest.raises(InputError, match="characters that XML cannot hold"):
        ssd.write(SystemStructure(version="1.0", name="\0", system=System(name="r")))
    clock = Parameter(name="c", type=TypeSpec(Type.CLOCK), values=())
    with pytest.raises(InputError, match="has no place"):
        ssv.write(ParameterSet(version="2.0", name="p", parameters=(clock,)))


def test_an_inline_document_of_2_0_needs_a_file_of_2_0() -> None:
    """A file of version 1.0 must conform to it in all its parts."""
    vector = Parameter(name="v", type=TypeSpec(Type.REAL), values=(1.0, 2.0), dimensions=(Dimension(size=2),))
    inline = ParameterSet(version="1.0", name="p", parameters=(vector,))
    root = System(name="r", bindings=(ParameterBinding(inline=inline),))
    written = ssd.write(SystemStructure(version="1.0", name="n", system=root))
    assert written.count(b'version="2.0"') == 2
    assert schema.validate(written, "x") == []


def test_other_tools_read_it(tmp_path: Path) -> None:
    from fmpy.ssp.ssd import read_ssd
    from pyssp_standard import SSD as OtherSSD

    files = {name: FULL[name] for name in ("resources/top.ssv", "resources/a.fmu", "resources/top.ssm")}
    data = ssd_file(
        bound("resources/top.ssv", mapping="resources/top.ssm")
        + elements(component("resources/a.fmu", inner=connectors(connector("y", "output"))))
    )
    package = ssp.new_package(ssd.read(data, "x")[0], files)
    ssp.write(package, tmp_path / "x.ssp")
    ssp.write(package, tmp_path / "x")
    other = read_ssd(tmp_path / "x.ssp", validate=True)
    assert [element.name for element in other.system.elements] == ["c"]
    with OtherSSD(tmp_path / "x" / "SystemStructure.ssd") as file:
        file.__check_compliance__()
        assert [element.name for element in file.system.elements] == ["c"]
