"""`sspsim graph`: the files that it writes, for real systems."""

from __future__ import annotations

import json
import re
from pathlib import Path

import networkx as nx
import pytest
from lxml import etree
from nested_ssp import nested_system
from shared import Cli
from small_ssp import write_ssp
from ssp_builder import component, connection, files_for, pack, system

from sspsim.drawing.diagram import Style
from sspsim.drawing.draw import draw
from sspsim.drawing.font import text_width
from sspsim.drawing.gather import gather
from sspsim.drawing.place import place
from sspsim.drawing.svg import write_svg
from sspsim.loading import load
from sspsim.structure import ConnectionGeometry

SVG = "{http://www.w3.org/2000/svg}"


def drawn(cli: Cli, system: Path, name: str, *more: str) -> Path:
    done = cli("graph", system, "-o", name, *more)
    assert done.returncode == 0, done.stderr
    return Path(done.args[0]).parent / name


def texts(svg: etree._Element) -> list[str]:
    return [t.text or "" for t in svg.iter(f"{SVG}text")]


@pytest.mark.parametrize("more", [[], ["--columns"]])
def test_a_picture_shows_components_cycles_and_kinds_of_wires(
    cli: Cli, fmus: Path, tmp_path: Path, more: list[str]
) -> None:
    drawn(cli, fmus / "House.ssp", "house.svg", *more)
    svg = etree.parse(tmp_path / "house.svg").getroot()
    words = texts(svg)
    assert {"house", "heater", "T_room", "cycle 1: anderson", "function of time alone"} <= set(words)
    classes = sorted(p.get("class") for p in svg.iterfind(f"{SVG}g/{SVG}path"))
    assert classes == ["wire broken", "wire live", "wire time-only"]


def test_parallel_connections_become_one_line_with_their_number(fmus: Path) -> None:
    picture = place(gather(load(fmus / "LinearLoop20.ssp")), as_told=False)
    assert [(wire.count, wire.style) for wire in picture.wires] == [(10, Style.LIVE), (10, Style.BROKEN)]
    svg = etree.fromstring(write_svg(picture))
    assert texts(svg).count("10") == 2
    assert texts(svg).count("10 values") == 4


def test_no_text_sticks_out_of_its_box(fmus: Path, tmp_path: Path) -> None:
    long_name = "a_component_with_a_remarkably_long_name"
    system = write_ssp(tmp_path / "s.ssp", {long_name: fmus / "fmi2/House.fmu", "b": fmus / "fmi2/Lag.fmu"},
                       [f"{long_name}.T_room -> b.u"])  # fmt: skip
    for placed in place(gather(load(system))).boxes:
        assert text_width(placed.box.path[-1], 13, bold=True) <= placed.width
        sides = [
            max((text_width(k.text, 10) for k in placed.labels if k.side == side), default=0.0)
            for side in ("left", "right")
        ]
        assert sum(sides) <= placed.width


def test_a_system_in_another_file_is_drawn_inside_its_box(fmus: Path, tmp_path: Path) -> None:
    diagram = gather(load(nested_system(tmp_path / "street.ssp", fmus)))
    home = diagram.boxes[1]
    assert home.inner is not None
    assert [box.name for box in home.inner.boxes] == ["home.house", "home.heater"]
    assert [box.cycle for box in home.inner.boxes] == [1, 1]
    styles = {(w.source_port, w.target_port): w.style for w in (*diagram.wires, *home.inner.wires)}
    assert styles["T_ambient", "outside"] is Style.TIME_ONLY
    assert styles["outside", "T_ambient"] is Style.TIME_ONLY
    assert styles["power", "u"] is Style.LIVE  # written from the taking to the giving end
    assert sorted(styles[k] for k in (("T_room", "T"), ("P", "Q"))) == [Style.BROKEN, Style.LIVE]


def test_outputs_of_the_system_and_lines_that_are_told_from_the_taking_end(
    fmus: Path, tmp_path: Path
) -> None:
    """Both ends have the same name, so that only the elements tell them apart."""
    way = ConnectionGeometry((300.0, 200.0), (10.0, 20.0))
    lag = fmus / "fmi2/Lag.fmu"
    root = system(
        "y:output", component("a", lag, "u:input", "y:output"), connection("y -> a.y", geometry=way)
    )
    (wire,) = gather(load(pack(tmp_path / "s.ssp", root, files_for(lag)))).wires
    assert wire.points == ((200.0, 20.0), (300.0, 10.0))
    assert wire.style is Style.TIME_ONLY


def test_the_page_tells_ports_units_and_values_and_needs_no_network(
    cli: Cli, fmus: Path, tmp_path: Path
) -> None:
    drawn(cli, nested_system(tmp_path / "street.ssp", fmus), "street.html")
    page = (tmp_path / "street.html").read_text()
    facts = json.loads(re.search(r'id="facts">(.*?)</script>', page, re.DOTALL)[1])
    assert set(facts) == {"weather", "home", "home.house", "home.heater", "meter"}
    ports = {port["name"]: port for port in facts["home.heater"]["ports"]}
    assert ports["T"] == {"kind": "in", "name": "T", "facts": "Real = 290 K; Measured room temperature"}
    assert re.findall(r'(?:src|href)="(?!data:)[^"]*"', page) == []
    assert 'data-system="1"' in page


def test_dot_and_graphml(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    drawn(cli, fmus / "Math003.ssp", "m.graphml")
    graph = nx.read_graphml(tmp_path / "m.graphml")
    assert graph.nodes["part2"]["cycle"] == 1
    assert graph.edges["part3", "part2"]["broken"] is True
    drawn(cli, fmus / "Math003.ssp", "m.dot")
    dot = (tmp_path / "m.dot").read_text()
    assert '"part3" -> "part2" [label="x4 → x4", style=dashed];' in dot
    assert '"part1" -> "part2" [label="2", style=dotted];' in dot


def test_a_png(fmus: Path, tmp_path: Path) -> None:
    draw(load(fmus / "House.ssp"), tmp_path / "house.png")
    assert (tmp_path / "house.png").read_bytes().startswith(b"\x89PNG")


def test_an_unknown_ending_is_refused(cli: Cli, fmus: Path) -> None:
    done = cli("graph", fmus / "House.ssp", "-o", "house.gif")
    assert done.returncode == 2
    assert ".svg, .png, .html, .dot, .graphml" in done.stderr
