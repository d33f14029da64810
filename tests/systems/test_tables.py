"""Tables in systems: as components, as inputs of the root system, in the cycles of a MasterSim project."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from msim_projects import TYPES, species, write_project
from small_ssp import NAMESPACES

import sspsim
from sspsim.converting import convert
from sspsim.errors import InputError, UsageError
from sspsim.loading import load

STRUCTURE = f"""<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription {NAMESPACES} version="1.0" name="s"><ssd:System name="s">
<ssd:Connectors>
<ssd:Connector name="signal" kind="input"><ssc:Real/></ssd:Connector>
</ssd:Connectors>
<ssd:Elements>
<ssd:Component name="data" type="text/csv" source="resources/data.csv"><ssd:Connectors>
<ssd:Connector name="u" kind="output"><ssc:Real/></ssd:Connector>
<ssd:Connector name="on" kind="output"><ssc:Boolean/></ssd:Connector>
</ssd:Connectors></ssd:Component>
<ssd:Component name="pass" source="resources/Feedthrough.fmu"><ssd:Connectors>
<ssd:Connector name="real_in" kind="input"/><ssd:Connector name="boolean_in" kind="input"/>
<ssd:Connector name="real_out" kind="output"/><ssd:Connector name="boolean_out" kind="output"/>
</ssd:Connectors></ssd:Component>
<ssd:Component name="lag" source="resources/Lag.fmu"><ssd:Connectors>
<ssd:Connector name="u" kind="input"/><ssd:Connector name="y" kind="output"/>
</ssd:Connectors></ssd:Component>
</ssd:Elements>
<ssd:Connections>
<ssd:Connection startElement="data" startConnector="u" endElement="pass" endConnector="real_in"/>
<ssd:Connection startElement="data" startConnector="on" endElement="pass" endConnector="boolean_in"/>
<ssd:Connection startConnector="signal" endElement="lag" endConnector="u"/>
</ssd:Connections>
</ssd:System><ssd:DefaultExperiment startTime="0" stopTime="4"/></ssd:SystemStructureDescription>
"""


@pytest.fixture
def system(fmus: Path, tmp_path: Path) -> Path:
    path = tmp_path / "s.ssp"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("SystemStructure.ssd", STRUCTURE)
        archive.writestr(
            "resources/data.csv", "time;u;on;note\r\n0;0;false;a\r\n2;4;true;b\r\n2;1;true;c\r\n"
        )
        for name in ("Feedthrough.fmu", "Lag.fmu"):
            archive.write(fmus / "fmi2" / name, f"resources/{name}")
    return path


def test_table_as_a_component(system: Path) -> None:
    result = sspsim.simulate(system, step=1.0)
    assert result["pass.real_out"].tolist() == [0.0, 2.0, 1.0, 1.0, 1.0]
    assert result["pass.boolean_out"].tolist() == [False, False, True, True, True]


def test_a_table_takes_part_in_checkpoints(system: Path, tmp_path: Path) -> None:
    whole = sspsim.simulate(system, step=0.5)
    with sspsim.Simulation(system, step=0.5) as simulation:
        simulation.initialize()
        for _ in range(3):
            simulation.step()
        simulation.write_checkpoint(tmp_path / "c")
    rest = sspsim.simulate(system, step=0.5, resume=tmp_path / "c")
    assert rest["pass.real_out"].tolist() == whole["pass.real_out"][4:].tolist()
    assert rest["data.u"].tolist() == whole["data.u"][4:].tolist()


def test_table_as_input_of_the_system(system: Path, tmp_path: Path) -> None:
    """A lag whose input is 3 from the first step on: y = 3 * (1 - exp(-t))."""
    table = tmp_path / "in.csv"
    table.write_text("time,signal\n0,3\n")
    result = sspsim.simulate(load(system, input_tables=[table]), step=0.5)
    assert result["lag.y"] == pytest.approx(3 * (1 - np.exp(-result.time)), abs=1e-12)
    assert sspsim.simulate(load(system), step=0.5)["lag.y"].tolist() == [0.0] * 9


@pytest.mark.parametrize(
    ("caption", "message"),
    [("signa", "did you mean 'signal'"), ("other", "no input of the system; it has signal")],
)
def test_column_without_an_input(system: Path, tmp_path: Path, caption: str, message: str) -> None:
    table = tmp_path / "in.csv"
    table.write_text(f"time,{caption}\n0,3\n")
    with pytest.raises(UsageError, match=message):
        load(system, input_tables=[table]).check()


def test_findings_in_an_input_table(system: Path, tmp_path: Path) -> None:
    table = tmp_path / "in.csv"
    table.write_text("time;signal\n0;1,5\n")
    findings = load(system, input_tables=[table]).check()
    assert "in.csv:2: error[T03]: column 'signal': '1,5' has a decimal comma" in str(findings[-1])


def test_broken_tables_are_told_before_what_they_lack(fmus: Path, tmp_path: Path) -> None:
    """And by their own names, although a project becomes a package with names of its own."""
    project = write_project(tmp_path, fmus, TYPES)
    (tmp_path / "input.tsv").write_text("Time,x\n")
    with pytest.raises(InputError, match=re.escape(f"{tmp_path / 'input.tsv'}: error[T01]: no table")):
        sspsim.simulate(project)
    convertible = write_project(tmp_path / "b", fmus, TYPES)
    convert(convertible, tmp_path / "c")
    (tmp_path / "c/resources/input.tsv").write_text("Time,x\n")
    place = tmp_path / "c/resources/input.tsv"
    with pytest.raises(InputError, match=re.escape(f"{place}: error[T01]: no table")):
        sspsim.simulate(tmp_path / "c")


def test_cycles_of_a_project_can_be_kept(fmus: Path, tmp_path: Path) -> None:
    """In cycles of their own the hares are stepped first and get hunters that are a step old."""
    text = species().replace("simulator 0 0 hunters", "simulator 0 1 hunters")
    path = write_project(tmp_path, fmus, text)

    def order(**options: bool) -> list[list[str]]:
        system = load(path, **options)  # type: ignore[arg-type]
        return [[system.flat.instances[i].name for i in stage] for stage in system.analysis.order]

    assert order() == [["hares", "hunters"]]
    assert order(keep_cycles=True) == [["hares"], ["hunters"]]
    kept = sspsim.simulate(load(path, keep_cycles=True))
    assert np.array_equal(kept["hares.prey"], sspsim.simulate(path)["hares.prey"])


def test_only_projects_have_cycles_to_keep(system: Path) -> None:
    with pytest.raises(UsageError, match="only MasterSim projects name cycles"):
        load(system, keep_cycles=True)
