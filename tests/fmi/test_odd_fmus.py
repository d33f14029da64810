"""FMUs that are packed or described oddly: they run, or are refused with the reason."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sspsim import InputError, simulate
from sspsim.fmi import modeldescription
from sspsim.fmi.platforms import SUFFIX, binary_folders

from .flat_systems import Unit, make_system


def repack(source: Path, target: Path, rename: dict[str, str] | None = None, **content: bytes) -> Path:
    """A copy whose entries have other names: `rename` replaces parts of them; `binary` is put in the library's place."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename.endswith(SUFFIX) and "binary" in content:
                data = content["binary"](data) if callable(content["binary"]) else content["binary"]
            name = info.filename
            for part, other in (rename or {}).items():
                name = name.replace(part, other)
            entry = zipfile.ZipInfo(name)
            entry.filename = name  # as it is: the constructor would tidy it up
            new.writestr(entry, data)
    return target


def run(folder: Path) -> float:
    return float(
        simulate(make_system(folder, {"lag": Unit("Odd", starts={"u": 1.0})}), step=0.1)["lag.y"][-1]
    )


@pytest.mark.parametrize(
    "rename",
    [
        {f"Lag{SUFFIX}": f"libother{SUFFIX}"},
        {"/": "\\"},
        {"modelDescription": "./modelDescription", "binaries": "./binaries"},
        {binary_folders()[0]: binary_folders()[-1]},
    ],
    ids=["another library name", "backslashes", "a dot in front", "the other name of the platform"],
)
def test_odd_names_are_understood(fmus: Path, tmp_path: Path, rename: dict[str, str]) -> None:
    repack(fmus / "fmi2" / "Lag.fmu", tmp_path / "Odd.fmu", rename)
    assert run(tmp_path) > 0.5


def test_a_folder_around_everything_is_named(fmus: Path, tmp_path: Path) -> None:
    rename = {"modelDescription": "Lag/modelDescription", "binaries": "Lag/binaries"}
    repack(fmus / "fmi2" / "Lag.fmu", tmp_path / "Odd.fmu", rename)
    with pytest.raises(InputError, match="lies in the folder 'Lag'"):
        run(tmp_path)


def with_bytes(first: int, new: bytes) -> object:
    return lambda data: data[:first] + new + data[first + len(new) :]


@pytest.mark.skipif(SUFFIX != ".so", reason="the heads of ELF files")
@pytest.mark.parametrize(
    ("binary", "words"),
    [
        (with_bytes(4, b"\x01"), "a 32-bit library"),
        (with_bytes(18, b"\x28\x00"), "for ARM"),
        (b"MZ" + bytes(100), "a library for Windows"),
        (b"\xcf\xfa\xed\xfe" + bytes(100), "a library for macOS"),
    ],
)
def test_foreign_binaries_are_said_to_be_foreign(
    fmus: Path, tmp_path: Path, binary: bytes, words: str
) -> None:
    repack(fmus / "fmi2" / "Lag.fmu", tmp_path / "Odd.fmu", binary=binary)
    with pytest.raises(InputError, match=f"^lag: .*{words}"):
        run(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('valueReference="1"', 'valueReference="x"', "left out"),
        ('valueReference="1"', 'valueReference="-1"', "left out"),
        ("<Real/>", '<Real relativeQuantity="maybe"/>', "neither true nor false"),
        ('start="0"', 'start="1e999x"', "start value"),
        ('dependencies="1"', 'dependencies="1 77"', "may depend on all"),
        ('<Unknown index="2"', '<Unknown index="none"', "ignored"),
        ("<Integer/>", '<Integer start="inf"/>', "start value"),
    ],
)
def test_nonsense_in_a_description_is_told_and_survived(old: str, new: str, words: str) -> None:
    text = """<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g"><CoSimulation modelIdentifier="m"/>
<ModelVariables><ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="1" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="n" valueReference="2" causality="output"><Integer/></ScalarVariable></ModelVariables>
<ModelStructure><Outputs><Unknown index="2" dependencies="1"/></Outputs></ModelStructure></fmiModelDescription>"""
    assert old in text
    _, findings = modeldescription.read(text.replace(old, new).encode(), "m.xml")
    assert any(words in finding.message for finding in findings)
