"""Large systems are read and written in time, which grows no faster than they do."""

import time

from sspsim.formats import rules, ssd
from sspsim.structure import Component, Connection, Connector, Kind, System, SystemStructure, Type, TypeSpec


def large(components: int) -> bytes:
    """A ring of components with ten inputs and ten outputs each."""
    real = TypeSpec(Type.REAL)
    connectors = tuple(
        Connector(name=f"{kind[0]}{i}", kind=kind, type=real)
        for kind in (Kind.INPUT, Kind.OUTPUT)
        for i in range(10)
    )
    system = System(
        name="ring",
        elements=tuple(
            Component(name=f"c{i}", source="resources/a.fmu", connectors=connectors)
            for i in range(components)
        ),
        connections=tuple(
            Connection(
                start_element=f"c{i}",
                start_connector=f"o{j}",
                end_element=f"c{(i + 1) % components}",
                end_connector=f"i{j}",
            )
            for i in range(components)
            for j in range(10)
        ),
    )
    return ssd.write(SystemStructure(version="1.0", name="ring", system=system))


def seconds(data: bytes) -> float:
    start = time.process_time()
    ssd.read(data, "x")
    return time.process_time() - start


def test_a_thousand_components_and_ten_thousand_connections() -> None:
    data = large(1000)
    assert min(seconds(data) for _ in range(3)) < 1
    start = time.process_time()
    structure, diagnostics = ssd.read(data, "x")
    assert diagnostics == []
    assert rules.check_structure(structure) == []
    assert time.process_time() - start < 2


def test_time_is_linear() -> None:
    small, big = (min(seconds(data) for _ in range(3)) for data in (large(250), large(1000)))
    assert big < 12 * small
