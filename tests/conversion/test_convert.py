"""Conversion both ways: equal numbers to the last bit, and a list of what is lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msim_projects import TYPES, species, write_project
from shared import Cli

import sspsim
from sspsim.converting import convert
from sspsim.errors import InputError
from sspsim.formats import bm, msim, ssp
from sspsim.loading import load

PROJECTS = {
    "types": TYPES,
    "jacobi": species("GAUSS_JACOBI"),
    "seidel": species(),
    "iterated": species("GAUSS_SEIDEL", 10),
    "newton": species("NEWTON", 5),
    "error": species("GAUSS_SEIDEL", 3) + "adjustStepSize yes\nErrorControlMode STEP_DOUBLING\nhMax 1 s\n",
    "convergence": species("GAUSS_SEIDEL", 3) + "adjustStepSize yes\nhMax 0.1 s\n",
    "internal": species() + "writeInternalVariables yes\n",
    "inner source": species().replace("graph hares.prey", "graph hares.x") + "writeInternalVariables yes\n",
    "unconnected": TYPES + "writeUnconnectedFileReaderVars yes\n",
}


def assert_equal_results(a: Path, b: Path) -> None:
    first, second = sspsim.simulate(a), sspsim.simulate(b)
    assert len(first.time) > 4
    assert np.array_equal(first.time, second.time)
    assert set(first) == set(second)
    for name in first:
        assert np.array_equal(first[name], second[name]), name


@pytest.mark.parametrize("name", PROJECTS)
@pytest.mark.parametrize("suffix", [".ssp", ".ssd", ""])
def test_equal_numbers_both_ways(fmus: Path, tmp_path: Path, name: str, suffix: str) -> None:
    project = write_project(tmp_path / "a", fmus, PROJECTS[name])
    system = tmp_path / "b" / f"system{suffix}"
    convert(project, system)
    assert_equal_results(project, system)
    back = tmp_path / "c" / "project.msim"
    back.parent.mkdir()
    convert(system, back)
    assert_equal_results(project, back)


def test_what_is_written_is_a_sound_package(fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path, fmus, TYPES)
    convert(project, tmp_path / "b.ssp")
    package = ssp.read(tmp_path / "b.ssp")
    assert package.diagnostics == ()
    assert package.structure.name == "project"
    assert [d for d in load(tmp_path / "b.ssp").check() if d.severity > 0] == []


def test_project_there_and_back_says_the_same(fmus: Path, tmp_path: Path) -> None:
    source = write_project(tmp_path / "a", fmus, species("GAUSS_SEIDEL", 10))
    convert(source, tmp_path / "b.ssp")
    target = tmp_path / "c" / "project.msim"
    target.parent.mkdir()
    convert(tmp_path / "b.ssp", target)
    a, b = (msim.read(p.read_bytes(), p.name)[0] for p in (source, target))
    assert [(s.name, s.cycle, s.comments) for s in a.simulators] == [
        (s.name, s.cycle, s.comments) for s in b.simulators
    ]
    assert set(a.edges) == set(b.edges)
    assert [(p.target, p.value) for p in a.parameters] == [(p.target, p.value) for p in b.parameters]
    assert a.description == b.description
    assert a.settings.max_iterations == b.settings.max_iterations
    assert a.settings.h_output.seconds == b.settings.h_output.seconds


def test_layout_there_and_back(fmus: Path, tmp_path: Path) -> None:
    source = write_project(tmp_path / "a", fmus, species())
    convert(source, tmp_path / "b.ssp")
    target = tmp_path / "c" / "project.msim"
    target.parent.mkdir()
    convert(tmp_path / "b.ssp", target)
    a, b = (bm.read(p.with_suffix(".bm").read_bytes(), p.name)[0] for p in (source, target))
    assert {block.name: (block.x, block.y, block.width, block.height) for block in a.blocks} == {
        block.name: (block.x, block.y, block.width, block.height) for block in b.blocks
    }
    assert {s for block in a.blocks for s in block.sockets} == {
        s for block in b.blocks for s in block.sockets
    }
    drawn = {(w.source, w.target): w.segments for w in b.wires}
    assert drawn["hares.prey", "hunters.prey"] == a.wires[0].segments


def test_list_of_what_is_lost_from_a_project(fmus: Path, tmp_path: Path) -> None:
    text = (
        species().replace("hStart", "# quick\nhStart")
        + "preventOversteppingOfEndTime no\noutputOnly a.b\n# end\n"
    )
    text = text.replace("graph hares.prey hunters.prey", "graph hares.prey hunters.prey 0 1 2.5 #ff0000")
    lost = convert(write_project(tmp_path, fmus, text), tmp_path / "b.ssp")
    for item in (
        "header: the dates of creation and of the last change",
        "comment of hStart: quick",
        "comment at the end: end",
        "outputOnly a.b: has no effect in MasterSim either",
        "preventOversteppingOfEndTime no: sspsim always ends exactly at the stop time",
        "hares: colour #ff8c00, cycle 0 and priority 1 (sspsim computes cycles and order)",
        "hares.prey -> hunters.prey: line width 2.5 and colour #ff0000",
    ):
        assert item in lost
    assert len(lost) == 8


def test_list_of_what_is_lost_from_a_system(fmus: Path, tmp_path: Path) -> None:
    lost = convert(fmus / "Mixed.ssp", tmp_path / "mixed.msim")
    assert any("MasterSim cannot run FMI 3" in item for item in lost)


def test_inner_sources_need_a_switch_in_mastersim(fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path, fmus, PROJECTS["inner source"])
    system = tmp_path / "b"
    convert(project, system)
    document = system / "SystemStructure.ssd"
    document.write_text(document.read_text().replace('recordAll="true"', ""))
    lost = convert(system, tmp_path / "back.msim")
    assert "hares.x: no output; MasterSim needs writeInternalVariables yes" in lost
    assert msim.read((tmp_path / "back.msim").read_bytes(), "back.msim")[0].settings.write_internal


def test_project_with_errors_is_not_converted(fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path, fmus, TYPES + "hMax 1 K\n")
    with pytest.raises(InputError, match=r"project\.msim:13: error\[M04\]"):
        convert(project, tmp_path / "b.ssp")
    assert not (tmp_path / "b.ssp").exists()


def test_command_line(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path, fmus, species())
    done = cli("convert", project, "b.ssp")
    assert done.returncode == 0, done.stderr
    assert "without a counterpart:" in done.stdout
    assert (tmp_path / "b.ssp").exists()
    assert cli("convert", "b.ssp", "back.msim", "--quiet").stdout == ""
    assert (tmp_path / "back.msim").exists()
    assert (tmp_path / "fmus" / "Prey.fmu").read_bytes() == (fmus / "fmi2" / "Prey.fmu").read_bytes()
