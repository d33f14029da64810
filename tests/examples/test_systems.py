"""The example systems are valid and fit the FMUs they are packed with; the build command behaves."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import fmpy
import pytest
from conftest import EXAMPLES
from fmubuild import BuildError, build_fmu, system_names
from fmubuild.system import required_fmus
from lxml import etree

SSD = "{http://ssp-standard.org/SSP1/SystemStructureDescription}"


def read_ssd(package: Path) -> Any:
    with zipfile.ZipFile(package) as archive:
        return etree.fromstring(archive.read("SystemStructure.ssd"))


def test_the_systems_are_there() -> None:
    wanted = {
        "Math003",
        "LotkaVolterra",
        "LinearLoop",
        "TwoMass",
        "Ring3",
        "House",
        "Units",
        "Mixed",
        "Failing",
    }
    assert wanted <= set(system_names())


@pytest.mark.parametrize("name", system_names())
def test_system_follows_the_schema(built: Path, name: str) -> None:
    schema = etree.XMLSchema(
        etree.parse(str(Path(fmpy.__file__).parent / "ssp" / "schema" / "SystemStructureDescription.xsd"))
    )
    schema.assertValid(read_ssd(built / f"{name}.ssp"))


@pytest.mark.parametrize("name", system_names())
def test_connectors_and_parameters_exist_in_the_fmus(built: Path, name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(built / f"{name}.ssp") as package:
        package.extractall(tmp_path)
    connectors = {}
    for component in read_ssd(built / f"{name}.ssp").iter(f"{SSD}Component"):
        description = fmpy.read_model_description(str(tmp_path / component.get("source")))
        variables = {v.name: v for v in description.modelVariables}
        for connector in component.iter(f"{SSD}Connector"):
            variable = variables[connector.get("name")]
            assert variable.causality == connector.get("kind")
            assert variable.unit == connector[0].get("unit")
            connectors[component.get("name"), variable.name] = variable.causality
        for parameter in component.iter("{*}Parameter"):
            assert variables[parameter.get("name")].start is not None
    for connection in read_ssd(built / f"{name}.ssp").iter(f"{SSD}Connection"):
        assert connectors[connection.get("startElement"), connection.get("startConnector")] == "output"
        assert connectors[connection.get("endElement"), connection.get("endConnector")] == "input"


def test_file_names_choose_the_fmi_version() -> None:
    versions = {model + str(fmi) for model, fmi in required_fmus("Mixed").values()}
    assert versions == {"LinearA2", "Lag1", "Lag2", "Lag3"}


def test_second_build_does_nothing(built: Path) -> None:
    stamps = {path: path.stat().st_mtime_ns for path in built.rglob("*.fmu")}
    command = [sys.executable, str(EXAMPLES / "build.py"), "--out", str(built)]
    subprocess.run(command, check=True, capture_output=True)
    assert stamps == {path: path.stat().st_mtime_ns for path in built.rglob("*.fmu")}


def test_missing_compiler_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(BuildError, match="no-such-compiler.*was not found"):
        build_fmu("Lag", 2, tmp_path)


def test_unknown_names_are_refused(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "build.py"), "--out", str(tmp_path), "--only", "Nonsense"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: Unknown: Nonsense")
