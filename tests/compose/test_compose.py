"""`sspsim new`: what is connected with what, and systems that run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sspsim
from sspsim.compose.mapping import read_mapping
from sspsim.compose.matching import COMPONENT, EQUAL, MAPPING, SIMILAR, match
from sspsim.compose.parts import Part, read_parts
from sspsim.errors import InputError
from sspsim.fmi.description import Description, Variable
from sspsim.structure import BaseUnit, Type
from sspsim.structure.system import FMU

Cli = Callable[..., Any]
UNITS = {"K": BaseUnit(K=1), "degC": BaseUnit(K=1, offset=273.15), "W": BaseUnit(kg=1, m=2, s=-3)}


def part(name: str, inputs: str = "", outputs: str = "", type_: Type = Type.REAL) -> Part:
    """Variables are written as `name` or `name[unit]`."""
    variables = []
    for causality, words in (("input", inputs), ("output", outputs)):
        for word in words.split():
            variable, _, unit = word.rstrip("]").partition("[")
            variables.append(Variable(variable, len(variables), type_, causality, unit=unit or None))
    return Part(name, Path(f"{name}.fmu"), FMU, Description(2, name, "", tuple(variables), units=UNITS))


def connected(*parts: Part) -> list[tuple[str, str, str]]:
    return [(m.source.name, m.target.name, m.rule) for m in match(parts).matches]


def test_equal_names() -> None:
    plant, controller = part("plant", "u", "T P"), part("controller", "T", "u")
    assert connected(plant, controller) == [
        ("controller.u", "plant.u", EQUAL),
        ("plant.T", "controller.T", EQUAL),
    ]


def test_names_with_the_component_in_them_win_over_equal_names() -> None:
    one, two = part("one", "", "T"), part("two", "", "T")
    controller = part("controller", "one.T two_T T", "")
    result = match([one, two, controller])
    assert [(m.source.name, m.target.name, m.rule) for m in result.matches] == [
        ("one.T", "controller.one.T", COMPONENT),
        ("two.T", "controller.two_T", COMPONENT),
    ]
    ((port, candidates),) = result.ambiguous
    assert port.name == "controller.T"
    assert [candidate.name for candidate in candidates] == ["one.T", "two.T"]


def test_an_output_may_be_called_after_its_target() -> None:
    controller = part("controller", "", "room1.u room2.u")
    rooms = [part(name, "u", "") for name in ("room1", "room2")]
    assert connected(controller, *rooms) == [
        ("controller.room1.u", "room1.u", COMPONENT),
        ("controller.room2.u", "room2.u", COMPONENT),
    ]


def test_case_and_punctuation_come_last() -> None:
    assert connected(part("a", "", "T_Room[K]"), part("b", "tRoom[K]")) == [("a.T_Room", "b.tRoom", SIMILAR)]


def test_nothing_feeds_itself() -> None:
    result = match([part("a", "x", "x")])
    assert result.matches == ()
    assert [port.name for port in result.open_inputs] == ["a.x"]
    assert [port.name for port in result.unused_outputs] == ["a.x"]


def test_units_are_converted_or_refused() -> None:
    result = match([part("a", "", "x[degC] y[W] z"), part("b", "x[K] y[K] z[K]")])
    assert [(m.target.name, m.note) for m in result.matches] == [
        ("b.x", "degC to K"),
        ("b.z", "only one side has a unit (K)"),
    ]
    (refused,) = {m.target.name: m.note for m in result.refused}.items()
    assert refused == ("b.y", "unit W cannot be converted to K")


def test_types_must_fit() -> None:
    result = match([part("a", "", "x", Type.STRING), part("b", "x")])
    assert result.matches == ()
    assert result.refused[0].note == "String does not fit Real"
    assert len(match([part("a", "", "x", Type.INTEGER), part("b", "x")]).matches) == 1


def test_a_type_or_unit_can_decide_between_two() -> None:
    parts = [part("a", "", "x[K]"), part("b", "", "x[W]"), part("c", "x[W]")]
    assert connected(*parts) == [("b.x", "c.x", EQUAL)]


@pytest.fixture
def house(fmus: Path) -> list[str]:
    return [f"house={fmus / 'fmi2' / 'House.fmu'}", f"heater={fmus / 'fmi2' / 'Heater.fmu'}"]


MAPPING_TEXT = "# by hand\n\nhouse.T_room -> heater.T\nheater.P, house.Q\n"


def test_a_mapping_completes_a_system_that_then_runs(
    cli: Cli, house: list[str], fmus: Path, tmp_path: Path
) -> None:
    (tmp_path / "map.txt").write_text(MAPPING_TEXT)
    done = cli("new", "made.ssp", *house, "--mapping", "map.txt", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {(c["source"], c["target"], c["rule"]) for c in found["connections"]} == {
        ("house.T_room", "heater.T", MAPPING),
        ("heater.P", "house.Q", MAPPING),
        ("house.T_ambient", "heater.T_ambient", EQUAL),
    }
    assert found["open_inputs"] == []
    assert cli("check", "made.ssp", "--strict").returncode == 0
    made = sspsim.simulate(tmp_path / "made.ssp", step=60.0, stop=86400.0)
    assert made.compare(sspsim.simulate(fmus / "House.ssp", step=60.0)).within


def test_stars_stand_for_many(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    parts = [f"{name}={fmus / 'fmi2' / 'LinearN.fmu'}" for name in "ab"]
    (tmp_path / "map.txt").write_text("a.y* -> b.u*\nb.y*\ta.u*\n")
    found = json.loads(cli("new", "loop.ssp", *parts, "--mapping", "map.txt", "--json").stdout)
    assert len(found["connections"]) == 20
    assert {"source": "b.y7", "target": "a.u7", "rule": MAPPING, "note": ""} in found["connections"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "house.T_rom -> heater.T",
            "map.txt:1: no output is called 'house.T_rom'; did you mean house.T_room",
        ),
        ("house.T_room -> heater.TT", "no input is called 'heater.TT'; did you mean heater.T"),
        ("house.T_room heater.T", "write a line like"),
        ("house.T* -> heater.T", "same number of stars"),
        ("house.radiation -> heater.T", "unit W/m2 cannot be converted to K"),
        ("house.T_room -> heater.T\nhouse.T_ambient -> heater.T", "map.txt:2: heater.T is already fed"),
    ],
)
def test_mistakes_in_a_mapping_are_told(
    cli: Cli, house: list[str], tmp_path: Path, line: str, words: str
) -> None:
    (tmp_path / "map.txt").write_text(line)
    done = cli("new", "made.ssp", *house, "--mapping", "map.txt")
    assert done.returncode == 3
    assert words in done.stderr
    assert not (tmp_path / "made.ssp").exists()


@pytest.mark.parametrize("fmi", [1, 2, 3])
def test_127_variables_need_no_hand_work(cli: Cli, fmus: Path, tmp_path: Path, fmi: int) -> None:
    fmu = fmus / f"fmi{fmi}"
    done = cli(
        "new", "school.ssp", f"plant={fmu / 'SchoolPlant.fmu'}", f"control={fmu / 'SchoolController.fmu'}"
    )
    assert done.returncode == 0, done.stderr
    assert "connections: 127" in done.stdout
    assert "control.holiday" in done.stdout
    assert cli("check", "school.ssp", "--strict").stdout.strip().endswith("nothing to complain about")
    result = sspsim.simulate(tmp_path / "school.ssp", stop=30000.0, step=300.0)
    assert len(result) == 127
    assert result.run["statistics"]["steps"] == 100


def test_a_table_is_a_part(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    (tmp_path / "weather.csv").write_text("time [h],T_ambient [degC]\n0,0\n10,20\n")
    done = cli("new", "table.ssp", "weather.csv", f"heater={fmus / 'fmi2' / 'Heater.fmu'}")
    assert "weather.T_ambient -> heater.T_ambient  (equal names, degC to K)" in done.stdout
    result = sspsim.simulate(tmp_path / "table.ssp", stop=36000.0, step=3600.0, record=["heater.T_ambient"])
    assert result["heater.T_ambient"][-1] == pytest.approx(293.15)


def test_the_same_fmu_twice_is_packed_once(fmus: Path, cli: Cli, tmp_path: Path) -> None:
    lag = fmus / "fmi2" / "Lag.fmu"
    assert [p.name for p in read_parts([str(lag), str(lag)])] == ["Lag", "Lag2"]
    assert cli("new", "two", lag, lag).returncode == 0
    assert [p.name for p in (tmp_path / "two" / "resources").iterdir()] == ["Lag.fmu"]
    with pytest.raises(InputError, match="two parts are called 'x'"):
        read_parts([f"x={lag}", f"x={lag}"])


def test_nothing_is_overwritten_unasked(cli: Cli, house: list[str], tmp_path: Path) -> None:
    (tmp_path / "made.ssp").write_text("precious")
    assert cli("new", "made.ssp", *house).returncode == 2
    assert (tmp_path / "made.ssp").read_text() == "precious"
    assert cli("new", "made.ssp", *house, "--force").returncode == 0
    assert sspsim.load(tmp_path / "made.ssp").name == "made"


def test_parts_have_their_place(cli: Cli, house: list[str], tmp_path: Path) -> None:
    assert cli("new", "made.ssp", *house).returncode == 0
    system = sspsim.load(tmp_path / "made.ssp").package.structure.system
    boxes = {element.name: element.geometry for element in system.elements}
    assert [(box.x1, box.x2) for box in (boxes["house"], boxes["heater"]) if box] == [
        (0.0, 40.0),
        (70.0, 110.0),
    ]
    assert all(c.geometry is not None for element in system.elements for c in element.connectors)


def test_sizes_that_parameters_decide(cli: Cli, fmus: Path) -> None:
    feedthrough = fmus / "fmi3" / "Feedthrough.fmu"
    assert cli("new", "made.ssp", f"a={feedthrough}", f"b={feedthrough}").returncode == 0
    checked = cli("check", "made.ssp")
    assert checked.returncode == 0, checked.stdout
    done = cli("run", "made.ssp", "--step", 0.5, "--stop", 1, "--json")
    assert "a.sized_out[4]" in [column["name"] for column in json.loads(done.stdout)["columns"]]


def test_names_with_commas_can_be_mapped(tmp_path: Path) -> None:
    (tmp_path / "map").write_text("plant.x[1,2] -> c.x[1,2]\nplant.x[1,3]; c.x[1,3]\n")
    outputs, inputs = ([f"{part}.x[1,{k}]" for k in (2, 3)] for part in ("plant", "c"))
    wishes = read_mapping(tmp_path / "map", outputs, inputs)
    assert [(wish.source, wish.target) for wish in wishes] == list(zip(outputs, inputs, strict=True))


def test_a_path_may_hold_an_equals_sign(fmus: Path, tmp_path: Path) -> None:
    (tmp_path / "k=1").mkdir()
    file = shutil.copy(fmus / "fmi2" / "Lag.fmu", tmp_path / "k=1")
    assert [part.name for part in read_parts([str(file), f"b={fmus / 'fmi2' / 'Lag.fmu'}"])] == ["Lag", "b"]


def test_a_new_system_is_no_single_document(cli: Cli, fmus: Path) -> None:
    done = cli("new", "made.ssd", fmus / "fmi2" / "Lag.fmu")
    assert done.returncode == 2
    assert "ends with .ssp" in done.stderr
