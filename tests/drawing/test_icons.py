"""Icons in pictures: from the SSD, else from the FMU; a missing one is no reason to have no picture."""

from __future__ import annotations

import base64
import zipfile
from pathlib import Path

import pytest
from lxml import etree
from small_ssp import write_ssp

from sspsim.drawing.draw import draw
from sspsim.loading import load

SVG = "{http://www.w3.org/2000/svg}"
RED = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="red"/></svg>'
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def placed(fmu: Path, target: Path, icon_source: str, more: dict[str, bytes]) -> Path:
    """A system of one component with a place, and further files in the archive."""
    plain = write_ssp(target.with_suffix(".plain"), {"lag": fmu})
    icon = f' iconSource="{icon_source}"' if icon_source else ""
    geometry = f'</ssd:Connectors><ssd:ElementGeometry x1="0" y1="0" x2="40" y2="30"{icon}/></ssd:Component>'
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "SystemStructure.ssd":
                data = data.replace(b"</ssd:Connectors></ssd:Component>", geometry.encode())
            new.writestr(name, data)
        for name, data in more.items():
            new.writestr(name, data)
    return target


def with_file(fmu: Path, target: Path, name: str, data: bytes) -> Path:
    target.write_bytes(fmu.read_bytes())
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr(name, data)
    return target


def images(system: Path, folder: Path) -> list[bytes]:
    """The icons in the picture of a system."""
    picture = folder / "picture.svg"
    draw(load(system), picture)
    sources = [image.get("href") for image in etree.parse(picture).iter(f"{SVG}image")]
    return [base64.b64decode((source or "").partition("base64,")[2]) for source in sources]


@pytest.mark.parametrize(("name", "data"), [("icon.svg", RED), ("icon.png", DOT)])
def test_the_icon_of_the_ssd(fmus: Path, tmp_path: Path, name: str, data: bytes) -> None:
    source = f"resources/{name}"
    system = placed(fmus / "fmi2/Lag.fmu", tmp_path / "s.ssp", source, {source: data})
    assert images(system, tmp_path) == [data]
    draw(load(system), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("fmi", "name", "data"), [(2, "model.png", DOT), (3, "terminalsAndIcons/icon.svg", RED)]
)
def test_the_icon_of_the_fmu(fmus: Path, tmp_path: Path, fmi: int, name: str, data: bytes) -> None:
    fmu = with_file(fmus / f"fmi{fmi}/Lag.fmu", tmp_path / "Lag.fmu", name, data)
    assert images(placed(fmu, tmp_path / "s.ssp", "", {}), tmp_path) == [data]


def test_a_missing_icon_leaves_the_picture(fmus: Path, tmp_path: Path) -> None:
    system = placed(fmus / "fmi2/Lag.fmu", tmp_path / "s.ssp", "resources/none.png", {})
    assert images(system, tmp_path) == []
