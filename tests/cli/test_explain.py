"""`sspsim explain`: where a value comes from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ssp_builder import binding, component, connection, files_for, mapped, pack, system

Cli = Callable[..., Any]


def test_the_winner_and_the_losers_of_a_binding(tmp_path: Path, fmus: Path, cli: Cli) -> None:
    lin = fmus / "fmi2" / "LinearA.fmu"
    inner = system(
        component("C", lin, bindings=(binding({"offset": 2.0}),)),
        name="B",
        bindings=(binding({"C.offset": 3.0}),),
    )
    made = system(inner, bindings=(binding({"B.C.offset": 4.0}), binding({"B.C.offset": 5.0})))
    pack(tmp_path / "p.ssp", made, files_for(lin))
    [told] = json.loads(cli("explain", "p.ssp", "B.C.offset", "--json").stdout)
    assert [(c["value"], c["level"], c["wins"]) for c in told["candidates"]] == [
        ("5.0", "the root system", True),
        ("4.0", "the root system", False),
        ("3.0", "system 'B'", False),
        ("2.0", "component 'B.C'", False),
    ]
    places = [int(c["origin"].removeprefix("p.ssp/SystemStructure.ssd:")) for c in told["candidates"]]
    assert len(set(places)) == 4
    assert told["start"] == "1.0"
    [given] = json.loads(cli("explain", "p.ssp", "B.C.offset", "--set", "B.C.offset=6", "--json").stdout)
    assert given["decision"] == "6.0, bound by the user"
    text = cli("explain", "p.ssp", "B.C.offset").stdout
    assert f"value: 5.0, bound by the root system (p.ssp/SystemStructure.ssd:{places[0]})" in text


def test_a_chain_with_conversions(tmp_path: Path, fmus: Path, cli: Cli) -> None:
    thermometer, lin = fmus / "fmi2" / "Thermometer.fmu", fmus / "fmi2" / "LinearA.fmu"
    inner = system(
        "T:input:Real[K]",
        component("a", lin, "u:input"),
        connection("T -> a.u", factor=2.0, offset=1.0),
        name="S",
    )
    made = system(component("t", thermometer, "T:output"), inner, connection("t.T -> S.T"))
    pack(tmp_path / "c.ssp", made, files_for(thermometer, lin))
    [told] = json.loads(cli("explain", "c.ssp", "S.a.u", "--json").stdout)
    assert told["decision"] == "connected to t.T"
    assert [(p["name"], p["change"]) for p in told["chain"]] == [
        ("t.T", ""),
        ("S.T", "1.0 * value + 273.15 (degC to K converted)"),
        ("S.a.u", "2.0 * value + 1.0 (LinearTransformation)"),
    ]
    assert all("c.ssp/SystemStructure.ssd:" in p["origin"] for p in told["chain"][1:])


def test_a_mapped_value_tells_the_way_through_its_mapping(tmp_path: Path, fmus: Path, cli: Cli) -> None:
    lin = fmus / "fmi2" / "LinearA.fmu"
    values = binding({"p": 3.0}, mapping=[mapped("p", "a.offset", factor=2.0, offset=1.0)])
    pack(tmp_path / "m.ssp", system(component("a", lin), bindings=(values,)), files_for(lin))
    [told] = json.loads(cli("explain", "m.ssp", "a.offset", "--json").stdout)
    assert told["decision"].startswith("7.0, bound by the root system")
    [candidate] = told["candidates"]
    change, place = candidate["change"].split(", mapped at m.ssp/SystemStructure.ssd:")
    assert (candidate["value"], change, place.isdigit()) == ("3.0", "by 2.0 * value + 1.0", True)


def test_nothing_but_the_start_value(tmp_path: Path, fmus: Path, cli: Cli) -> None:
    heater = fmus / "fmi2" / "Heater.fmu"
    made = system("T:input", component("h", heater, "T:input", "P:output"), connection("T -> h.T"))
    pack(tmp_path / "s.ssp", made, files_for(heater))

    def decision(name: str) -> str:
        [told] = json.loads(cli("explain", "s.ssp", name, "--json").stdout)
        return str(told["decision"])

    assert decision("h.T") == "nothing feeds T; the start value of the FMU, 290.0"
    assert decision("h.gain") == "the start value of the FMU, 1000.0"
    assert decision("h.P") == "computed by component 'h'"
    assert decision("T") == "no value"


def test_unknown_name(fmus: Path, cli: Cli) -> None:
    done = cli("explain", fmus / "Units.ssp", "heater.gian")
    assert done.returncode == 2
    assert "did you mean 'heater.gain'?" in done.stderr
