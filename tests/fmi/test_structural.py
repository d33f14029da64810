"""Structural parameters of FMI 3: arrays whose sizes are decided before the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from sspsim.fmi.factory import make_slave
from sspsim.fmi.isolation.settings import Isolation
from sspsim.fmi.library import Library
from sspsim.fmi.unpack import read_description, unpack
from sspsim.formats.container import open_container


@pytest.mark.parametrize("isolated", [False, True])
def test_a_size_is_set_in_configuration_mode(fmus: Path, tmp_path: Path, isolated: bool) -> None:
    with open_container(fmus / "fmi3" / "Feedthrough.fmu") as container:
        description, _ = read_description(container)
        assert description.co_simulation is not None
        binary = unpack(container, description.co_simulation, tmp_path / "fmu")
    parts = ("it", description, description.co_simulation)
    if isolated:
        from sspsim.fmi.isolation.slave import IsolatedSlave

        slave = IsolatedSlave(*parts, binary, tmp_path / "fmu", Isolation(None))
    else:
        slave = make_slave(*parts, Library(binary))
    try:
        slave.instantiate(tmp_path / "fmu" / "resources", logging=False)
        slave.setup(0.0, 1.0, None)
        names = description.by_name
        slave.set_start([(names["n"], (7,)), (names["sized_in"], (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0))])
        slave.enter_initialization()
        slave.exit_initialization()
        assert slave.get(names["sized_out"], 7) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    finally:
        slave.free()
