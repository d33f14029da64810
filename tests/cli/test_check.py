"""`sspsim check`: what it finds, how it says so, its exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ssp_builder import binding, component, connection, content_of, files_for, pack, structure, system

from sspsim.structure.hints import HINTS

Cli = Callable[..., Any]


@pytest.fixture
def lin(fmus: Path) -> Path:
    return fmus / "fmi2" / "LinearA.fmu"


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def test_a_sound_system(fmus: Path, cli: Cli) -> None:
    done = cli("check", fmus / "House.ssp")
    assert done.returncode == 0
    assert lines(done.stdout) == [f"{fmus / 'House.ssp'}: nothing to complain about"]


def test_everything_is_reported_at_once(tmp_path: Path, lin: Path, cli: Cli) -> None:
    made = system(
        component("a", lin, "u:input", "y:output"),
        component("b", lin, "u:input:Integer", "y:output"),
        connection("a.y -> c.u"),
        connection("a.y -> b.y"),
        bindings=(binding({"a.ofset": 1.0}),),
    )
    pack(tmp_path / "w.ssp", made, files_for(lin))
    done = cli("check", "w.ssp")
    assert done.returncode == 3
    found = lines(done.stdout)
    severities = sorted(line.split()[1].rstrip(":") for line in found[:-1])
    assert severities == ["error[V05]", "error[V07]", "info[V19]", "warning[V11]"]
    assert all(line.startswith("w.ssp/SystemStructure.ssd:") for line in found[:-1])
    assert found[-1] == "w.ssp: 2 errors, 1 warning, 1 note"


def test_json(tmp_path: Path, lin: Path, cli: Cli) -> None:
    made = system(component("heater", lin, "y:output"), connection("heatr.y -> x"))
    pack(tmp_path / "w.ssp", made, files_for(lin))
    done = cli("check", "w.ssp", "--json")
    assert done.returncode == 3
    told = json.loads(done.stdout)
    [finding] = [f for f in told["findings"] if f["code"] == "V05"]
    assert finding["severity"] == "error"
    assert finding["file"] == "w.ssp/SystemStructure.ssd"
    assert finding["line"] > 1
    assert finding["hint"] == "did you mean 'heater'?"


def test_schema_violations_are_errors_for_the_strict(tmp_path: Path, lin: Path, cli: Cli) -> None:
    good = content_of(structure(system(component("a", lin, "y:output"))))
    bad = good.replace(b"<ssd:Connector ", b'<ssd:Connector colour="red" ')
    assert bad != good
    pack(tmp_path / "w.ssp", bad, files_for(lin))
    tolerant, strict = cli("check", "w.ssp"), cli("check", "w.ssp", "--strict")
    assert (tolerant.returncode, strict.returncode) == (0, 3)
    assert "warning[V01]" in tolerant.stdout
    assert "error[V01]" in strict.stdout


def test_missing_implementation_is_one_finding(tmp_path: Path, lin: Path, cli: Cli) -> None:
    made = system(component("nothing", None, "y:output"), component("a", lin, "y:output"))
    pack(tmp_path / "m.ssp", made, files_for(lin))
    refused, allowed = cli("check", "m.ssp"), cli("check", "m.ssp", "--allow-missing")
    assert (refused.returncode, allowed.returncode) == (3, 0)
    for done in (refused, allowed):
        assert len([line for line in lines(done.stdout) if "[V30]" in line]) == 1


def test_a_file_that_is_no_archive(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "no.ssp").write_bytes(b"nothing of that kind")
    done = cli("check", "no.ssp")
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    told = json.loads(cli("check", "no.ssp", "--json").stdout)
    assert [(f["code"], f["severity"], f["file"]) for f in told["findings"]] == [("V29", "error", "no.ssp")]


def test_fmu_without_a_binary_for_this_machine(tmp_path: Path, lin: Path, cli: Cli) -> None:
    import zipfile

    fmu = tmp_path / "fmi2" / "Empty.fmu"
    fmu.parent.mkdir()
    with zipfile.ZipFile(lin) as old, zipfile.ZipFile(fmu, "w") as new:
        new.writestr("modelDescription.xml", old.read("modelDescription.xml"))
    pack(tmp_path / "e.ssp", system(component("a", fmu, "y:output")), files_for(fmu))
    done = cli("check", "e.ssp")
    assert done.returncode == 3
    assert "e.ssp/SystemStructure.ssd:5: error[V25]: component 'a'" in done.stdout


def test_empty_element_names_as_some_tools_write_them(tmp_path: Path, lin: Path, cli: Cli) -> None:
    made = structure(system("in:input", component("a", lin, "u:input", "y:output"), connection("in -> a.u")))
    text = content_of(made).replace(b"<ssd:Connection ", b'<ssd:Connection startElement="" ')
    pack(tmp_path / "o.ssp", text, files_for(lin))
    done = cli("check", "o.ssp")
    assert done.returncode == 0, done.stdout
    assert "warning[V05]: an empty startElement is taken as a missing one" in done.stdout
    assert cli("check", "o.ssp", "--strict").returncode == 0


def test_a_broken_file_is_named_with_its_line(tmp_path: Path, lin: Path, cli: Cli) -> None:
    good = content_of(structure(system(component("a", lin, "y:output"))))
    pack(tmp_path / "w.ssp", good.replace(b"</ssd:System>", b""), files_for(lin))
    last = good.replace(b"</ssd:System>", b"").count(b"\n")
    told = json.loads(cli("check", "w.ssp", "--json").stdout)["findings"]
    assert [(f["code"], f["file"], f["line"]) for f in told] == [("V01", "w.ssp/SystemStructure.ssd", last)]
    assert told[0]["hint"]


def test_a_connected_connector_that_does_not_exist_is_one_error(tmp_path: Path, lin: Path, cli: Cli) -> None:
    made = system("x:input", component("a", lin, "nix:input", "y:output"), connection("x -> a.nix"))
    pack(tmp_path / "w.ssp", made, files_for(lin))
    told = json.loads(cli("check", "w.ssp", "--json").stdout)["findings"]
    assert [(f["code"], f["severity"]) for f in told] == [("V09", "error")]


def test_a_parameter_file_inside_of_a_system_is_one_error(tmp_path: Path, lin: Path, cli: Cli) -> None:
    made = system(
        component("a", lin, "y:output"), bindings=(binding("resources/x.ssv", source_base="component"),)
    )
    pack(tmp_path / "w.ssp", made, files_for(lin))
    told = json.loads(cli("check", "w.ssp", "--json").stdout)["findings"]
    assert [(f["code"], f["severity"]) for f in told] == [("V17", "error")]


def test_every_code_is_documented_and_has_advice() -> None:
    page = (Path(__file__).parents[2] / "docs" / "ssp.md").read_text()
    for code in (f"V{number:02}" for number in range(1, 32)):
        assert f"| {code} |" in page
        assert HINTS[code]
