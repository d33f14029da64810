"""Conversion both ways: equal numbers to the last bit, and a list of what is lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msim_projects import TYPES, species, write_project
from shared import Cli

import sspsim
from sspsim.converting import convert, with_settings, write_package
from sspsim.errors import InputError
from sspsim.formats import bm, msim, ssp
from sspsim.formats.msim_project import Settings
from sspsim.loading import load
from sspsim.structure.settings import MasterSettings

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


def test_columns_keep_their_order_although_tables_are_stepped_first(fmus: Path, tmp_path: Path) -> None:
    lines = TYPES.splitlines()
    table = next(k for k, line in enumerate(lines) if line.startswith("simulator"))
    lines[table : table + 2] = reversed(lines[table : table + 2])
    source = write_project(tmp_path / "a", fmus, "\n".join(lines))
    convert(source, tmp_path / "b.ssp")
    convert(tmp_path / "b.ssp", tmp_path / "c.msim")
    simulators = msim.read((tmp_path / "c.msim").read_bytes(), "c.msim")[0].simulators
    assert [(s.name, s.cycle) for s in simulators] == [("pass", 1), ("table", 0)]


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


def settings_of(project: Path) -> Settings:
    return msim.read(project.read_bytes(), project.name)[0].settings


def test_the_master_that_a_system_would_choose_is_written(fmus: Path, tmp_path: Path) -> None:
    """Nothing in the system says that its algebraic loop is iterated."""
    project = tmp_path / "loop.msim"
    lost = convert(fmus / "LinearLoop.ssp", project)
    assert lost == ["tolerance of the FMUs (none): MasterSim tells them relTol"]
    assert (settings_of(project).master_mode, settings_of(project).max_iterations) == ("NEWTON", 20)
    assert_equal_results(fmus / "LinearLoop.ssp", project)


def test_the_nearest_master_is_written_where_mastersim_has_none(fmus: Path, tmp_path: Path) -> None:
    project = tmp_path / "species.msim"
    lost = convert(fmus / "LotkaVolterra.ssp", project)
    written = "GAUSS_SEIDEL is written, which agrees within the tolerances"
    assert f"cycle predator+prey: anderson; {written}" in lost
    assert (settings_of(project).master_mode, settings_of(project).max_iterations) == ("GAUSS_SEIDEL", 20)
    ours, theirs = sspsim.simulate(fmus / "LotkaVolterra.ssp"), sspsim.simulate(project)
    assert np.allclose(ours["prey.prey"], theirs["prey.prey"], rtol=1e-5, atol=1e-6)


def test_settings_without_a_counterpart_are_listed(fmus: Path, tmp_path: Path) -> None:
    package = ssp.read(fmus / "LotkaVolterra.ssp")
    wanted = MasterSettings(master="newton", rtol=1e-4, record=("prey.*",), time_only=("prey.prey",))
    write_package(with_settings(package, wanted), tmp_path / "b")
    assert convert(tmp_path / "b", tmp_path / "b.msim") == [
        "tolerance of the FMUs (none): MasterSim tells them relTol",
        "recorded variables prey.*: MasterSim writes all outputs, or everything",
        "outputs that depend on time alone, prey.prey: not written",
    ]
    assert settings_of(tmp_path / "b.msim").max_iterations == 10  # what Newton does if not told otherwise


def test_all_steps_of_a_control_are_written(fmus: Path, tmp_path: Path) -> None:
    package = ssp.read(fmus / "LotkaVolterra.ssp")
    wanted = MasterSettings(master="gauss-seidel", stepping="error", step=0.1)
    write_package(with_settings(package, wanted), tmp_path / "b")
    convert(tmp_path / "b", tmp_path / "b.msim")
    assert_equal_results(tmp_path / "b", tmp_path / "b.msim")


def test_tables_are_written_as_mastersim_reads_them(fmus: Path, tmp_path: Path) -> None:
    source = write_project(tmp_path / "a", fmus, TYPES.replace("input.tsv", "input.csv"))
    source.with_name("input.csv").write_text("t [h];x;n;b;s\n0;1;2;true;cold\n1;2;3;False;hot\n")
    convert(source, tmp_path / "b.ssp")
    lost = convert(tmp_path / "b.ssp", tmp_path / "c.msim")
    assert (tmp_path / "tables" / "input.tsv").read_text().splitlines() == [
        "Time [s]\tx [-]\tn [-]\tb [-]\ts [-]",
        "0\t1\t2\t1\tcold",
        "3600\t2\t3\t0\thot",
    ]
    assert lost == ["table: MasterSim reads no tables with texts, as in column 's'"]


def test_no_step_is_missed_by_the_output_of_mastersim(fmus: Path, tmp_path: Path) -> None:
    """MasterSim adds up 0.1 + 0.1 + ..., which would fall short of the multiples of an output step of 0.1."""
    convert(fmus / "Math003.ssp", tmp_path / "a.msim")
    settings = settings_of(tmp_path / "a.msim")
    assert (settings.h_start.seconds, settings.h_output.seconds) == (0.1, 0.05)


def test_inner_sources_need_a_switch_in_mastersim(fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path, fmus, PROJECTS["inner source"])
    system = tmp_path / "b"
    convert(project, system)
    document = system / "SystemStructure.ssd"
    document.write_text(document.read_text().replace('recordAll="true"', ""))
    lost = convert(system, tmp_path / "back.msim")
    assert "hares.x: no output; MasterSim needs writeInternalVariables yes" in lost
    assert settings_of(tmp_path / "back.msim").write_internal
    network, _ = bm.read((tmp_path / "back.bm").read_bytes(), "back.bm")
    sockets = {f"{block.name}.{socket.name}" for block in network.blocks for socket in block.sockets}
    assert network.wires
    assert all({wire.source, wire.target} <= sockets for wire in network.wires)


def test_a_system_is_not_converted_onto_itself(fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path, fmus, TYPES)
    with pytest.raises(InputError, match="would be overwritten by its own conversion"):
        convert(project, tmp_path / "." / project.name)
    assert project.read_text() == TYPES


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
