"""Time-only marks and the order of evaluation, from annotations and from the command line: every command heeds them."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from shared import Cli

TYPE, NAMESPACE = "io.github.sspsim", "https://sspsim.github.io/settings"
COMMON = "http://ssp-standard.org/SSP1/SystemStructureCommon"


def annotated(source: Path, target: Path, component: str, marks: str) -> Path:
    """A copy of an archive whose component marks outputs as time-only, and lists no connectors."""
    inner = f'<ComponentSettings xmlns="{NAMESPACE}" timeOnly="{marks}"/>'
    annotation = (
        f'<ssd:Annotations><ssc:Annotation xmlns:ssc="{COMMON}" type="{TYPE}">{inner}</ssc:Annotation>'
        "</ssd:Annotations></ssd:Component>"
    )
    pattern = re.compile(rf'(<ssd:Component [^>]*name="{component}"[^>]*>.*?)</ssd:Component>', re.DOTALL)
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "SystemStructure.ssd":
                text, count = pattern.subn(lambda m: m[1] + annotation, data.decode())
                assert count == 1
                data = text.encode()
            new.writestr(name, data)
    return target


def answer(cli: Cli, *arguments: object) -> Any:
    done = cli(*arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def do_steps(cli: Cli, *arguments: object) -> int:
    """How often part3 is stepped in ten communication steps of an iterating master."""
    run = ("run", *arguments, "--json", "--stop", 1.0, "--step", 0.1, "--master", "gauss-seidel")
    statistics = answer(cli, *run, "--max-iterations", 3)["statistics"]
    return statistics["components"]["part3"]["doStep"]["calls"]


@pytest.mark.parametrize("marks", ["x4", "*"])
def test_marks_of_an_annotation(cli: Cli, fmus: Path, tmp_path: Path, marks: str) -> None:
    system = annotated(fmus / "Math003.ssp", tmp_path / "marked.ssp", "part3", marks)
    found = answer(cli, "info", system, "--json")
    assert found["cycles"] == []
    assert found["time_only"] == ["part1.x1", "part1.x2", "part3.x4"]
    assert do_steps(cli, fmus / "Math003.ssp") > 10
    assert do_steps(cli, system) == 10
    assert cli("graph", system, "-o", "marked.svg").returncode == 0
    assert "wire broken" not in (tmp_path / "marked.svg").read_text()


def test_marks_of_the_command_line_come_on_top(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    system = annotated(fmus / "House.ssp", tmp_path / "marked.ssp", "house", "T_ambient")
    found = answer(cli, "info", system, "--json", "--time-only", "heater.*")
    assert {"house.T_ambient", "heater.P"} <= set(found["time_only"])
    assert do_steps(cli, fmus / "Math003.ssp", "--time-only", "part3.x4") == 10


def test_a_mark_that_names_nothing_is_an_error(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    system = annotated(fmus / "Math003.ssp", tmp_path / "marked.ssp", "part3", "x5")
    for command in (["run"], ["info"], ["graph", "-o", "x.svg"]):
        done = cli(command[0], system, *command[1:])
        assert done.returncode != 0
        assert "'part3.x5'" in done.stderr
        assert "'part3.x4'" in done.stderr


def test_the_order_of_the_command_line_decides_a_run(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    """Part3 first gets x3 of the step's beginning: x4 moves one step later."""
    final = {}
    for order in ("part2,part3", "part3,part2"):
        options = ["--stop", 1.0, "--step", 0.1, "--master", "gauss-seidel", "--max-iterations", 1]
        folder = tmp_path / order
        done = cli("run", fmus / "Math003.ssp", *options, "--order", order, "-o", folder)
        assert done.returncode == 0, done.stderr
        header, *rows = (folder / "values.csv").read_text().splitlines()
        column = [name.partition(" ")[0] for name in header.split(",")].index("part3.x4")
        final[order] = float(rows[-1].split(",")[column])
    assert final["part2,part3"] == pytest.approx(0.6)
    assert final["part3,part2"] == 0.0
