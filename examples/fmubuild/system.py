"""Packs an example system with the FMUs that its SystemStructure.ssd asks for."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from .package import EXAMPLES, build_fmu, digest, read_comment, write_archive

SYSTEMS = EXAMPLES / "systems"
_COMPONENT = "{http://ssp-standard.org/SSP1/SystemStructureDescription}Component"
_SOURCE = re.compile(r"resources/(?P<model>\w+?)(\.fmi(?P<fmi>[123]))?\.fmu$")


def system_names() -> list[str]:
    return sorted(path.parent.name for path in SYSTEMS.glob("*/SystemStructure.ssd"))


def required_fmus(name: str) -> dict[str, tuple[str, int]]:
    """Path in the archive -> (model, FMI version). `resources/Lag.fmi3.fmu` asks for FMI 3, no number for FMI 2."""
    root = ElementTree.parse(SYSTEMS / name / "SystemStructure.ssd").getroot()
    found = {}
    for component in root.iter(_COMPONENT):
        source = component.get("source", "")
        if match := _SOURCE.match(source):
            found[source] = (match["model"], int(match["fmi"] or 2))
    return found


def pack_system(name: str, out_dir: Path) -> Path:
    """Pack `<out_dir>/<name>.ssp` unless it is up to date, building missing FMUs; return its path."""
    target = Path(out_dir) / f"{name}.ssp"
    folder = SYSTEMS / name
    entries = {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }
    for path, (model, fmi) in required_fmus(name).items():
        entries[path] = build_fmu(model, fmi, out_dir).read_bytes()
    recipe = digest([part for path, content in sorted(entries.items()) for part in (path.encode(), content)])
    if read_comment(target) != recipe:
        write_archive(target, entries, recipe)
    return target
