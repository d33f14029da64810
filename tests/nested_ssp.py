"""A small system of systems: one of them in a file of its own."""

from __future__ import annotations

import zipfile
from pathlib import Path

from small_ssp import NAMESPACES


def nested_system(path: Path, fmus: Path) -> Path:
    """A house in a file of its own, between the weather and a lag."""

    def component(name: str, fmu: str, *ports: str) -> str:
        connectors = "".join(
            f'<ssd:Connector name="{p[1:]}" kind="{"input" if p[0] == "<" else "output"}"/>' for p in ports
        )
        inside = f"<ssd:Connectors>{connectors}</ssd:Connectors>"
        return f'<ssd:Component name="{name}" {fmu}>{inside}</ssd:Component>'

    def connection(start: str, end: str) -> str:
        parts = []
        for word, text in (("start", start), ("end", end)):
            *element, connector = text.split(".")
            parts += [f'{word}Element="{e}"' for e in element] + [f'{word}Connector="{connector}"']
        return f"<ssd:Connection {' '.join(parts)}/>"

    def document(name: str, connectors: str, elements: str, connections: str) -> str:
        return (
            f'<ssd:SystemStructureDescription {NAMESPACES} version="1.0" name="{name}">'
            f'<ssd:System name="{name}">'
            f"<ssd:Connectors>{connectors}</ssd:Connectors><ssd:Elements>{elements}</ssd:Elements>"
            f"<ssd:Connections>{connections}</ssd:Connections></ssd:System></ssd:SystemStructureDescription>"
        )

    inner = document(
        "home",
        '<ssd:Connector name="outside" kind="input"/><ssd:Connector name="power" kind="output"/>',
        component("house", 'source="House.fmu"', "<Q", ">T_room")
        + component("heater", 'source="Heater.fmu"', "<T", "<T_ambient", ">P"),
        connection("house.T_room", "heater.T") + connection("heater.P", "house.Q")
        + connection("outside", "heater.T_ambient") + connection("heater.P", "power"),
    )  # fmt: skip
    outer = document(
        "street",
        "",
        component("weather", 'source="resources/Weather.fmu"', ">T_ambient")
        + component(
            "home", 'type="application/x-ssp-definition" source="resources/home.ssd"', "<outside", ">power"
        )
        + component("meter", 'source="resources/Lag.fmu"', "<u", ">y"),
        connection("weather.T_ambient", "home.outside") + connection("meter.u", "home.power"),
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("SystemStructure.ssd", outer)
        archive.writestr("resources/home.ssd", inner)
        for name in ("House", "Heater", "Weather", "Lag"):
            archive.write(fmus / "fmi2" / f"{name}.fmu", f"resources/{name}.fmu")
    return path
