"""`sspsim check --probe`: components that do not keep what they declare are found, each lie by its own check."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from shared import ROOT, Cli
from small_ssp import write_ssp

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Liar" guid="{4}">
<CoSimulation modelIdentifier="Liar" canHandleVariableCommunicationStepSize="true" providesDirectionalDerivative="true">
<SourceFiles><File name="liar.c"/></SourceFiles></CoSimulation>
<ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="v" valueReference="1" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="2" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="lie" valueReference="3" causality="parameter" variability="fixed"><Integer start="0"/>
</ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="3" dependencies="1"/></Outputs></ModelStructure>
</fmiModelDescription>
"""
LIES = {0: "", 1: "instances", 2: "determinism", 3: "derivatives", 4: "dependencies"}


@pytest.fixture
def liar(tmp_path: Path) -> Path:
    """An FMU that brings only its sources."""
    with zipfile.ZipFile(tmp_path / "Liar.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
        archive.write(ROOT / "tests" / "fmi" / "liar.c", "sources/liar.c")
    return tmp_path / "Liar.fmu"


def test_each_lie_is_found_by_its_check(cli: Cli, liar: Path, tmp_path: Path) -> None:
    components = {f"liar{lie}": liar for lie in LIES}
    parameters = {f"liar{lie}.lie": lie for lie in LIES}
    path = write_ssp(tmp_path / "lies.ssp", components, parameters=parameters)
    done = cli("check", path, "--probe", "--allow-compile", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    outcomes = {(p["component"], p["check"]): p for p in answer["probes"]}
    assert len(outcomes) == 25
    for lie, check in LIES.items():
        failed = [c for (name, c), p in outcomes.items() if name == f"liar{lie}" and p["outcome"] == "failed"]
        # What depends on the history of the library shows wherever two instances are compared.
        assert failed in ([check] if check else [], ["instances", "determinism"]), lie
        assert not check or check in failed
    assert "is 7, differences give 2" in outcomes["liar3", "derivatives"]["detail"]
    assert "y moves with v" in outcomes["liar4", "dependencies"]["detail"]
    assert outcomes["liar0", "rollback"]["outcome"] == "not declared"
    warned = [f for f in answer["findings"] if f["code"] == "F03"]
    assert {"warning"} == {f["severity"] for f in warned}
    assert len(warned) == sum(p["outcome"] == "failed" for p in answer["probes"])


def test_what_exists_once_per_process_runs_twice_in_two_processes(
    cli: Cli, liar: Path, tmp_path: Path
) -> None:
    once = DESCRIPTION.replace("canHandle", 'canBeInstantiatedOnlyOncePerProcess="true" canHandle')
    with zipfile.ZipFile(tmp_path / "Once.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", once)
        archive.write(ROOT / "tests" / "fmi" / "liar.c", "sources/liar.c")
    components = {"uses": tmp_path / "Once.fmu", "process": tmp_path / "Once.fmu"}
    path = write_ssp(tmp_path / "once.ssp", components, parameters={"uses.lie": 2, "process.lie": 5})
    done = cli("check", path, "--probe", "--allow-compile", "--json")
    found = {(p["component"], p["check"]): p for p in json.loads(done.stdout)["probes"]}
    assert found["uses", "determinism"]["outcome"] == "passed"
    assert found["process", "determinism"]["outcome"] == "failed"
    assert found["process", "determinism"]["detail"].endswith("in a second run with the same steps")
    assert found["process", "instances"]["outcome"] == "not declared"


def test_a_table_of_components_and_checks(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    fmi2 = fmus / "fmi2"
    components = {
        "broken": fmi2 / "BrokenRollback.fmu",
        "lag": fmi2 / "Lag.fmu",
        "crash": fmi2 / "Misbehave.fmu",
    }
    path = write_ssp(tmp_path / "mixed.ssp", components, parameters={"crash.mode": 4}, stop=None)
    done = cli("check", path, "--probe")
    assert done.returncode == 0, done.stderr
    table = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[:4]}
    assert table["component"] == ["rollback", "instances", "determinism", "derivatives", "dependencies"]
    assert table["broken"][:3] == ["failed", "passed", "passed"]
    assert table["lag"] == ["passed"] * 5
    assert table["crash"][0] == "failed"
    assert "warning[F03]: component 'broken' fails the check of its rollback: y is" in done.stdout
    assert "component 'crash' fails the check of its rollback: crashed with SIGSEGV" in done.stdout
    strict = cli("check", path, "--probe", "--strict")
    assert strict.returncode == 3
    assert "error[F03]" in strict.stdout


def test_sources_need_consent(cli: Cli, liar: Path, tmp_path: Path) -> None:
    path = write_ssp(tmp_path / "sources.ssp", {"liar": liar})
    done = cli("check", path)
    assert done.returncode == 3
    assert "--allow-compile" in done.stdout
    assert cli("check", path, "--allow-compile").returncode == 0
    refused = cli("run", path, "--step", 0.1)
    assert refused.returncode == 3
    assert "--allow-compile" in refused.stderr
    assert cli("run", path, "--step", 0.1, "--allow-compile").returncode == 0
