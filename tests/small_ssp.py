"""Makes small .ssp archives from a terse description, so that tests show what they are about."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from sspsim.fmi.unpack import read_description
from sspsim.formats.container import open_container

KINDS = ("input", "output")
NAMESPACES = " ".join(
    f'xmlns:{prefix}="http://ssp-standard.org/SSP1/SystemStructure{word}"'
    for prefix, word in (("ssd", "Description"), ("ssc", "Common"), ("ssv", "ParameterValues"))
)


def write_ssp(
    path: Path,
    components: Mapping[str, Path],
    connections: Sequence[str] = (),
    *,
    parameters: Mapping[str, float] | None = None,
    stop: float | None = 1.0,
) -> Path:
    """Packs FMUs with connections like `"a.y -> b.u"`; `parameters` are Real values named `component.variable`."""
    experiment = "" if stop is None else f'<ssd:DefaultExperiment startTime="0" stopTime="{stop!r}"/>'
    text = f"""<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription {NAMESPACES} version="1.0" name="{path.stem}">
<ssd:System name="{path.stem}">
{_bindings(parameters or {})}
<ssd:Elements>
{"".join(_component(name, fmu) for name, fmu in components.items())}
</ssd:Elements>
{_connections(connections)}
</ssd:System>
{experiment}
</ssd:SystemStructureDescription>
"""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("SystemStructure.ssd", text)
        for fmu in set(components.values()):
            archive.write(fmu, f"resources/{fmu.name}")
    return path


def _component(name: str, fmu: Path) -> str:
    with open_container(fmu) as container:
        description, _ = read_description(container)
    connectors = "".join(
        f'<ssd:Connector name={quoteattr(v.name)} kind="{v.causality}"/>\n'
        for v in description.variables
        if v.causality in KINDS
    )
    return (
        f'<ssd:Component name={quoteattr(name)} source="resources/{fmu.name}">\n'
        f"<ssd:Connectors>{connectors}</ssd:Connectors></ssd:Component>\n"
    )


def _connections(connections: Sequence[str]) -> str:
    lines = []
    for connection in connections:
        (a, x), (b, y) = (end.strip().split(".", 1) for end in connection.split("->"))
        lines.append(
            f'<ssd:Connection startElement="{a}" startConnector="{x}" endElement="{b}" endConnector="{y}"/>'
        )
    return f"<ssd:Connections>{''.join(lines)}</ssd:Connections>" if lines else ""


def _bindings(parameters: Mapping[str, float]) -> str:
    if not parameters:
        return ""
    values = "".join(
        f'<ssv:Parameter name="{name}"><ssv:Real value="{value!r}"/></ssv:Parameter>'
        if isinstance(value, float)
        else f'<ssv:Parameter name="{name}"><ssv:Integer value="{value}"/></ssv:Parameter>'
        for name, value in parameters.items()
    )
    return (
        '<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="p">'
        f"<ssv:Parameters>{values}</ssv:Parameters></ssv:ParameterSet>"
        "</ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>"
    )
