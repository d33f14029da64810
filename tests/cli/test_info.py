"""`sspsim info`: the analysis as text and as JSON, for real FMUs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shared import Cli
from small_ssp import write_ssp
from ssp_builder import component, content_of, structure, system


def facts(cli: Cli, *arguments: object) -> dict:
    done = cli("info", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_math003(cli: Cli, fmus: Path) -> None:
    found = facts(cli, fmus / "Math003.ssp")
    assert found["order"] == [["part1"], ["part2", "part3"]]
    assert found["cycles"] == [["part2", "part3"]]
    assert found["broken_edges"] == [{"source": "part3.x4", "target": "part2.x4"}]
    assert found["time_only"] == ["part1.x1", "part1.x2"]
    assert [m["master"] for m in found["masters"]] == ["gauss-seidel", "anderson"]
    assert [c["fmi"] for c in found["components"]] == [2, 2, 2]


@pytest.mark.parametrize("fmi", [1, 2, 3])
def test_the_weather_of_a_house_is_proven_where_the_fmu_declares_its_states(
    cli: Cli, fmus: Path, tmp_path: Path, fmi: int
) -> None:
    system = write_ssp(
        tmp_path / "house.ssp",
        {"house": fmus / f"fmi{fmi}/House.fmu", "heater": fmus / f"fmi{fmi}/Heater.fmu"},
        ["house.T_ambient -> heater.T_ambient", "house.T_room -> heater.T", "heater.P -> house.Q"],
    )
    found = facts(cli, system)
    assert found["time_only"] == ([] if fmi == 1 else ["house.T_ambient", "house.radiation"])
    assert found["cycles"] == [["house", "heater"]]


def test_marks_and_order_of_the_user(cli: Cli, fmus: Path) -> None:
    found = facts(cli, fmus / "Math003.ssp", "--order", "part3,part2")
    assert found["order"] == [["part1"], ["part3", "part2"]]
    assert found["broken_edges"] == [{"source": "part2.x3", "target": "part3.x3"}]
    found = facts(cli, fmus / "Math003.ssp", "--time-only", "part3.x4")
    assert found["cycles"] == []
    assert "part3.x4" in found["time_only"]


def test_the_text_says_why_a_cycle_is_passed_once_and_what_would_help(
    cli: Cli, fmus: Path, tmp_path: Path
) -> None:
    system = write_ssp(
        tmp_path / "pair.ssp",
        {"zones": fmus / "fmi2/NoRollback.fmu", "heating": fmus / "fmi2/LinearA.fmu"},
        ["zones.y -> heating.u", "heating.y -> zones.u"],
    )
    text = cli("info", system).stdout
    assert "zones cannot be rolled back, so cycle 1 is passed once" in text
    assert "better: export zones" in text
    assert "cycle 1: heating, zones" in text


def test_the_algebraic_loop_of_a_linear_pair(cli: Cli, fmus: Path) -> None:
    loop = sorted(f"{c}.{v}" for c in "ab" for v in "uy")
    assert facts(cli, fmus / "LinearLoop.ssp")["loops"] == {"initialization": [loop], "stepping": [loop]}
    assert "algebraic loops in steps:\n  a.u, a.y, b.u, b.y" in cli("info", fmus / "LinearLoop.ssp").stdout


def test_an_unknown_mark_is_one_line_and_an_exit_code(cli: Cli, fmus: Path) -> None:
    done = cli("info", fmus / "Math003.ssp", "--time-only", "part1.x9")
    assert done.returncode == 2
    assert done.stderr.startswith("error: there is no output 'part1.x9'")
    assert done.stderr.count("\n") == 1


def test_what_is_wrong_with_the_files_is_not_kept_quiet(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    system = write_ssp(tmp_path / "s.ssp", {"a": fmus / "fmi2/LinearA.fmu"}, ["a.y -> nobody.u"])
    done = cli("info", system)
    assert done.returncode == 0
    assert "unknown element 'nobody'" in done.stderr


@pytest.mark.parametrize("name", ["House", "LinearLoop", "Math003", "TwoMass"])
def test_the_masters_are_those_that_a_run_takes(cli: Cli, fmus: Path, name: str) -> None:
    told = facts(cli, fmus / f"{name}.ssp")["masters"]
    done = cli("run", fmus / f"{name}.ssp", "--stop", 1, "--step", 0.5, "--json")
    taken = json.loads(done.stdout)["statistics"]["cycles"]
    assert [(m["components"], m["master"]) for m in told] == [(c["components"], c["master"]) for c in taken]


def test_a_system_without_components_has_no_order(cli: Cli, tmp_path: Path) -> None:
    assert cli("info", write_ssp(tmp_path / "empty.ssp", {})).stdout == "empty: 0 components, 0 cycles\n"


def test_variants_are_listed(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "both"
    folder.mkdir()
    for file, name in (("SystemStructure.ssd", "cold"), ("B.ssd", "warm")):
        made = structure(system(component(name, "../House.fmu", "T_room:output")), name=name)
        (folder / file).write_bytes(content_of(made))
    (tmp_path / "House.fmu").write_bytes((fmus / "fmi2" / "House.fmu").read_bytes())
    found = facts(cli, folder, "--variant", "warm", "--allow-parent")
    assert found["variants"] == [
        {"file": "B.ssd", "name": "warm", "chosen": True},
        {"file": "SystemStructure.ssd", "name": "cold", "chosen": False},
    ]
    told = cli("info", folder, "--allow-parent").stdout
    assert "  B.ssd: warm\n  SystemStructure.ssd: cold (this one)\n" in told
