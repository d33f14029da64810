"""MasterSim projects as packages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msim_projects import TYPES, species, write_project

import sspsim
from sspsim.conversion.from_msim import convert
from sspsim.conversion.settings import from_master_settings, to_master_settings
from sspsim.formats.msim_project import Quantity, Settings
from sspsim.loading import load
from sspsim.structure import Component, Kind, LinearTransformation, Severity, Type
from sspsim.structure.geometry import ConnectionGeometry, ElementGeometry


def components(path: Path) -> dict[str, Component]:
    elements = convert(path).package.structure.system.elements
    return {element.name: element for element in elements if isinstance(element, Component)}


def test_components_connectors_and_connections(fmus: Path, tmp_path: Path) -> None:
    path = write_project(tmp_path, fmus, TYPES)
    table, feed = components(path).values()
    assert (table.name, table.type, table.source) == ("table", "text/csv", "resources/input.tsv")
    assert [(c.name, c.kind, c.type and c.type.type) for c in table.connectors] == [
        ("x", Kind.OUTPUT, Type.REAL),
        ("b", Kind.OUTPUT, Type.BOOLEAN),
        ("n", Kind.OUTPUT, Type.INTEGER),
        ("s", Kind.OUTPUT, Type.STRING),
    ]
    assert (feed.source, feed.implementation) == ("resources/Feedthrough.fmu", "CoSimulation")
    first, *others = convert(path).package.structure.system.connections
    assert first.transformation == LinearTransformation(-2.0, 1.5)
    assert first.suppress_unit_conversion
    assert [c.transformation for c in others] == [None, None, None]


def test_parameters_are_typed_by_the_fmu(fmus: Path, tmp_path: Path) -> None:
    lines = {
        "real_parameter": ("1e3", Type.REAL, 1000.0),
        "integer_parameter": ("-4", Type.INTEGER, -4),
        "boolean_parameter": ("1", Type.BOOLEAN, True),
        "string_parameter": (r'"C:\\new"', Type.STRING, "C:\\new"),
        "enumeration_parameter": ("3", Type.ENUMERATION, "blue"),
    }
    text = TYPES + "".join(f"parameter pass.{name} {value}\n" for name, (value, *_) in lines.items())
    path = write_project(tmp_path, fmus, text)
    [binding] = components(path)["pass"].bindings
    assert binding.inline
    found = {p.name: (p.type.type, p.values[0]) for p in binding.inline.parameters}
    assert found == {name: (type_, value) for name, (_, type_, value) in lines.items()}
    starts = next(i for i in load(path).flat.instances if i.name == "pass").starts
    by_name = {start.variable.name: start.values[0] for start in starts}
    assert by_name["string_parameter"] == "C:\\new"
    assert by_name["boolean_parameter"] is True


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ('simulator 2 0 gone #000000 "gone.fmu"', "M19", "gone: there is no file"),
        ("graph pass.real_out pass.nothing", "M21", "pass has no variable 'nothing'"),
        ("graph table.y pass.enumeration_in", "M21", "table has no variable 'y'"),
        ("graph table.x pass.enumeration_in", "M22", "column table.x feeds Real already"),
        ("graph pass.integer_out pass.enumeration_in 1 2", "M23", "no effect on Integer"),
        ("parameter pass.real_parameter 1,5", "M24", "decimal comma; write 1.5"),
        ("parameter pass.integer_parameter 1.5", "M24", "'1.5' is not a whole number"),
        ("parameter pass.boolean_parameter ja", "M24", "'ja' is neither true nor false"),
        ("parameter pass.enumeration_parameter 9", "M24", "9 is none of 1 (red), 2 (green), 3 (blue)"),
        ("parameter pass.nothing 1", "M21", "pass has no variable 'nothing'"),
        (
            "graph pass.enumeration_in pass.enumeration_out",
            "M25",
            "enumeration_out is no input, its causality",
        ),
        (
            "graph pass.integer_in pass.enumeration_in",
            "M25",
            "integer_in is no output, its causality is input",
        ),
        ("graph table.x pass.real_tunable", "M25", "real_tunable is no input, its causality is parameter"),
    ],
)
def test_what_only_the_fmus_can_tell(fmus: Path, tmp_path: Path, line: str, code: str, message: str) -> None:
    path = write_project(tmp_path, fmus, TYPES + line)
    findings = [f for f in load(path).check() if f.code.startswith("M")]
    assert [(f.code, f.origin and f.origin.line) for f in findings] == [(code, 13)]
    assert message in str(findings[0])
    assert findings[0].severity is (Severity.WARNING if code == "M23" else Severity.ERROR)


INNER_SOURCE = species().replace("graph hares.prey", "graph hares.x")


def test_inner_variables_can_be_sources_where_they_are_written(fmus: Path, tmp_path: Path) -> None:
    """As in MasterSim; `x` of the hares is their output `prey` by another name."""
    refused = write_project(tmp_path / "a", fmus, INNER_SOURCE)
    [finding] = [f for f in load(refused).check() if f.severity is Severity.ERROR]
    assert finding.code == "M25"
    assert "hares.x is no output, its causality is local (set writeInternalVariables yes)" in str(finding)
    taken = write_project(tmp_path / "b", fmus, INNER_SOURCE + "writeInternalVariables yes\n")
    usual = write_project(tmp_path / "c", fmus, species())
    result, expected = sspsim.simulate(taken), sspsim.simulate(usual)
    assert np.array_equal(result["hunters.predator"], expected["hunters.predator"])
    assert np.allclose(result["hares.time"], result.time, rtol=1e-14)


def test_parameter_of_an_inner_variable_is_not_written(fmus: Path, tmp_path: Path) -> None:
    path = write_project(tmp_path, fmus, species() + "parameter hares.x 3\n")
    result = sspsim.simulate(path)
    assert set(result) == {"hunters.predator", "hares.prey"}
    assert result["hares.prey"][0] == 3.0


def test_layout_becomes_geometry(fmus: Path, tmp_path: Path) -> None:
    path = write_project(tmp_path, fmus, species())
    hares = components(path)["hares"]
    assert hares.geometry == ElementGeometry(-4.0, -28.0, 28.0, -8.0)
    places = {c.name: c.geometry and (c.geometry.x, c.geometry.y) for c in hares.connectors if c.geometry}
    assert places == {"predator": (0.0, 0.8), "prey": (1.0, pytest.approx(0.4))}
    drawn = convert(path).package.structure.system.connections[0].geometry
    assert drawn == ConnectionGeometry((32.0, 52.0, 52.0, 72.0), (-20.0, -20.0, 4.0, 4.0))


def test_comments_become_descriptions(fmus: Path, tmp_path: Path) -> None:
    path = write_project(tmp_path, fmus, species())
    structure = convert(path).package.structure
    assert structure.description == "Two species"
    assert components(path)["hunters"].description == "hunters first"
    [binding] = components(path)["hares"].bindings
    assert binding.inline
    assert binding.inline.parameters[0].description == "many hares"


def test_files_of_equal_name_are_kept_apart(fmus: Path, tmp_path: Path) -> None:
    path = write_project(tmp_path, fmus, species())
    write_project(tmp_path / "other", fmus, species())
    path.write_text(
        path.read_text().replace('"Prey.fmu"', '"other/Prey.fmu"') + "simulator 2 0 c #000000 Prey.fmu\n"
    )
    found = components(path)
    assert found["hares"].source == "resources/Prey.fmu"
    assert found["c"].source == "resources/Prey_2.fmu"


def test_links_keep_their_names(fmus: Path, tmp_path: Path) -> None:
    path = write_project(tmp_path, fmus, species().replace('"Prey.fmu"', '"my hares.fmu"'))
    (tmp_path / "my hares.fmu").symlink_to(fmus / "fmi2" / "Prey.fmu")
    assert components(path)["hares"].source == "resources/my hares.fmu"


def test_every_type_arrives(fmus: Path, tmp_path: Path) -> None:
    result = sspsim.simulate(write_project(tmp_path, fmus, TYPES))
    assert result.time.tolist() == [0.0, 900.0, 1800.0, 2700.0, 3600.0]
    assert result["table.x"].tolist() == [0.0, 4.5, 19.0, 24.0, 29.0]
    assert result["pass.real_out"].tolist() == [1.5, -7.5, -36.5, -46.5, -56.5]
    assert result["pass.integer_out"].tolist() == [1, 1, 3, 3, 4]
    assert result["pass.boolean_out"].tolist() == [False, False, False, False, True]
    assert [str(text) for text in result["pass.string_out"]] == ["cold", "cold", "hot", "hot", "done"]


def test_order_of_lines_decides_inside_a_cycle(fmus: Path, tmp_path: Path) -> None:
    path = write_project(tmp_path, fmus, species())
    system = load(path)
    assert [[system.flat.instances[i].name for i in c] for c in system.analysis.order] == [
        ["hunters", "hares"]
    ]
    lines = path.read_text().splitlines(keepends=True)
    a, b = (next(k for k, line in enumerate(lines) if name in line) for name in ("Predator.fmu", "Prey.fmu"))
    lines[a], lines[b] = lines[b], lines[a]
    path.write_text("".join(lines))
    system = load(path)
    assert [[system.flat.instances[i].name for i in c] for c in system.analysis.order] == [
        ["hares", "hunters"]
    ]


def test_settings_reach_the_run(fmus: Path, tmp_path: Path) -> None:
    with sspsim.Simulation(write_project(tmp_path, fmus, species("NEWTON", 7))) as simulation:
        assert (simulation.start, simulation.stop, simulation.step_size) == (0.0, 20.0, 0.01)
        assert (simulation.rtol, simulation.atol) == (1e-6, 1e-7)
        assert simulation.master.name == "newton"
        assert simulation.master.max_iterations == 7
        assert simulation.raster.step == 0.1


@pytest.mark.parametrize(
    ("settings", "stepping"),
    [
        (Settings(), "fixed"),
        (Settings(adjust_step=True, max_iterations=5), "convergence"),
        (Settings(adjust_step=True, error_control="STEP_DOUBLING"), "error"),
    ],
)
def test_settings_there_and_back(settings: Settings, stepping: str) -> None:
    ours = to_master_settings(settings)
    assert ours.stepping == stepping
    again = from_master_settings(ours, settings.start.seconds, settings.stop.seconds, 1.0)
    assert to_master_settings(again) == ours


def test_first_step_0_is_a_thousandth() -> None:
    settings = Settings(stop=Quantity(50.0), h_start=Quantity(0.0))
    assert to_master_settings(settings).step == 0.05


@pytest.mark.parametrize("mode", ["GAUSS_JACOBI", "GAUSS_SEIDEL", "NEWTON"])
def test_solution_of_lotka_volterra(fmus: Path, tmp_path: Path, mode: str) -> None:
    """V = delta*x - gamma*ln(x) + beta*y - alpha*ln(y) stays what it is, within the error of the master."""
    result = sspsim.simulate(
        write_project(tmp_path, fmus, species(mode, 1 if mode == "GAUSS_JACOBI" else 20))
    )
    x, y = result["hares.prey"], result["hunters.predator"]
    system = load(tmp_path / "project.msim")
    starts = {v.name: v.start[0] for i in system.flat.instances for v in i.description.variables if v.start}
    v = starts["delta"] * x - starts["gamma"] * np.log(x) + starts["beta"] * y - 1.25 * np.log(y)
    assert len(x) == 201
    assert np.abs(v - v[0]).max() < 0.05 * abs(v[0])
