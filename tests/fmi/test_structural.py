"""Structural parameters of FMI 3: arrays whose sizes are decided before the run."""

from __future__ import annotations

import zipfile
from math import exp
from pathlib import Path

import pytest
from small_ssp import write_ssp

from sspsim import load, simulate
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


DECAYS = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="Decays" instantiationToken="t">
<ModelExchange modelIdentifier="Decays"/>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<UInt64 name="n" valueReference="1" causality="structuralParameter" variability="fixed" start="1"/>
<Float64 name="x" valueReference="2" causality="output" initial="exact" start="1"><Dimension valueReference="1"/></Float64>
<Float64 name="dx" valueReference="3" causality="local" derivative="2"><Dimension valueReference="1"/></Float64>
</ModelVariables>
<ModelStructure><Output valueReference="2"/><ContinuousStateDerivative valueReference="3"/></ModelStructure>
</fmiModelDescription>
"""
BUILD = """<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0"><BuildConfiguration modelIdentifier="Decays">
<SourceFileSet><SourceFile name="decays.c"/></SourceFileSet></BuildConfiguration></fmiBuildDescription>
"""


def test_the_number_of_states_follows_the_sizes(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "Decays.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", DECAYS)
        archive.writestr("sources/buildDescription.xml", BUILD)
        archive.writestr("sources/decays.c", Path(__file__).with_name("decays.c").read_text())
    path = write_ssp(tmp_path / "decays.ssp", {"it": tmp_path / "Decays.fmu"})
    result = simulate(
        load(path).with_parameters({"it.n": 4}), step=0.5, allow_compile=True, fmu_tolerance=1e-8
    )
    for k in range(4):
        assert result[f"it.x[{k + 1}]"][-1] == pytest.approx((k + 1) * exp(-1), rel=1e-6)
