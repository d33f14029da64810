"""MasterSim's working directory, byte for byte."""

from __future__ import annotations

import math
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msim_projects import CONTROL_LOOP, TYPES, species, write_project
from shared import Cli
from sspsim.results.digits import format_double, format_progress, format_rows

import sspsim
from sspsim.fmi.description import Description, Interface, Variable
from sspsim.graph.flat import Instance
from sspsim.results.mastersim import Synonym, synonyms
from sspsim.structure import Type


@given(
    st.one_of(
        st.floats(allow_nan=False),
        st.integers(-(10**15), 10**15).map(float),
        st.builds(round, st.floats(-1e6, 1e6), st.integers(0, 14)),
        st.builds(lambda n, k: (n + 0.5) / 10**k, st.integers(10**12, 10**14), st.integers(0, 20)),
    )
)
def test_numbers_are_those_of_printf(value: float) -> None:
    assert format_double(value) == f"{value:.14g}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1 / 3, "0.33333333333333"),
        (1e14, "1e+14"),
        (99999999999999.5, "1e+14"),
        (1e-4, "0.0001"),
        (9.99999999999995e-5, "0.0001"),
        (9.99999999999994e-5, "9.9999999999999e-05"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
    ],
)
def test_numbers_at_the_edges(value: float, text: str) -> None:
    assert format_double(value) == text


@given(st.one_of(st.floats(allow_nan=False), st.floats(0, 1e3), st.integers(0, 10**4).map(lambda n: n / 8)))
def test_columns_are_those_of_printf(value: float) -> None:
    numbers = np.array([value])
    written = format_progress(numbers, numbers, numbers).decode()
    assert written == f"{value:15.14g}\t{value:15.7g}\t{value:15.2g}\n"


def test_rows() -> None:
    reals = np.array([[0.0, 1.5, 7.0], [0.1, -2.0, 8.0]])
    integers = np.array([[0, -3], [1, 2**40]])
    cells = np.array([(0, 0), (1, 1), (0, 2), (1, 0)], dtype=np.int32)
    assert format_rows(reals, integers, cells) == b"0\t-3\t7\t0\n0.1\t1099511627776\t8\t1\n"


@pytest.fixture(scope="module")
def folder(fmus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The working directory after a run of the project with all types."""
    from sspsim.results.mastersim_folder import run_into
    from sspsim.simulation import Simulation

    base = tmp_path_factory.mktemp("run")
    run_into(base / "work", Simulation(write_project(base, fmus, TYPES)))
    return base / "work"


def test_values(folder: Path) -> None:
    lines = (folder / "results" / "values.csv").read_bytes().decode().split("\n")
    assert lines[0].split(" \t") == [
        "Time [h]",
        "table.b [-]",
        "pass.boolean_out [-]",
        "table.n [-]",
        "pass.integer_out [-]",
        "pass.enumeration_out [-]",
        "table.x [K]",
        "pass.real_out [-]",
        "pass.real_tunable_out [-]",
    ]
    assert lines[1:] == [
        "0\t0\t0\t1\t1\t1\t0\t1.5\t1",
        "0.25\t0\t0\t1\t1\t1\t4.5\t-7.5\t1",
        "0.5\t0\t0\t3\t3\t1\t19\t-36.5\t1",
        "0.75\t0\t0\t3\t3\t1\t24\t-46.5\t1",
        "1\t1\t1\t4\t4\t1\t29\t-56.5\t1",
        "",
    ]


def test_strings_have_the_time_in_the_unit_of_the_header(folder: Path) -> None:
    assert (folder / "results" / "strings.csv").read_bytes().decode() == (
        "Time [h] \ttable.s \tpass.string_out\n"
        "0\tcold\tcold\n0.25\tcold\tcold\n0.5\thot\thot\n0.75\thot\thot\n1\tdone\tdone\n"
    )


def test_progress(folder: Path) -> None:
    lines = (folder / "log" / "progress.txt").read_text().splitlines()
    assert lines[0] == "   Simtime [s] \t   Realtime [s]\t Percentage [%]"
    cells = [line.split("\t") for line in lines[1:]]
    assert all(len(cell) == 15 for row in cells for cell in row)
    assert [row[0].strip() for row in cells] == ["900", "1800", "2700", "3600"]
    assert [row[2].strip() for row in cells] == ["25", "50", "75", "1e+02"]
    seconds = [float(row[1]) for row in cells]
    assert seconds == sorted(seconds)


def test_summary(folder: Path) -> None:
    lines = (folder / "log" / "summary.txt").read_text().splitlines()
    values = dict(line.split("=") for line in lines)
    assert list(values) == [
        "WallClockTime",
        "FrameworkTimeWriteOutputs",
        "MasterAlgorithmSteps",
        "MasterAlgorithmTime",
        "ConvergenceFails",
        "ConvergenceIterLimitExceeded",
        "ErrorTestFails",
        "ErrorTestTime",
        "Slave[1]Time",
        "Slave[2]Time",
    ]
    assert values["MasterAlgorithmSteps"] == "4"
    assert float(values["WallClockTime"]) > float(values["MasterAlgorithmTime"])


def test_counts_are_those_of_mastersim(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    """What MasterSim counts once its components go back to the right time after a failed error test.

    A failed test counts also where the shortest step is accepted all the same: at the nine events.
    """
    project = write_project(tmp_path, fmus, CONTROL_LOOP)
    work = tmp_path / "elsewhere"
    assert cli("run", project, "-q", "--working-dir", work, "--verbosity-level", 2).returncode == 0
    values = dict(line.split("=") for line in (work / "log" / "summary.txt").read_text().splitlines())
    assert values["MasterAlgorithmSteps"] == "275"
    assert values["ConvergenceFails"] == "27"
    assert values["ConvergenceIterLimitExceeded"] == "27"
    assert values["ErrorTestFails"] == "77"

    lines = (work / "log" / "stepstats.tsv").read_text().splitlines()
    assert lines[0] == (
        "Time [s]      \tSteps     \tStepSize [s]  \tAlgorithmCalls    \tErrorTestFails    \t"
        "ConvergenceFails  \tIterations  \tIterLimitExceeded \tFMUErrors   \t"
        "ErrorNormRichardson\tErrorNormSlopeCheck"
    )
    assert lines[1] == (
        "0.14          \t1         \t0.14          \t3                 \t0                 \t"
        "0                 \t6           \t0                 \t0           \t"
        "0                 \t0                 \t"
    )
    last = [cell.strip() for cell in lines[-1].split("\t")]
    assert last[:9] == ["10", "275", "0.0561629", "1056", "77", "27", "2374", "27", "0"]
    assert len(lines) == 276


def test_step_statistics_without_error_test(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path, fmus, species())
    statistics = tmp_path / "project" / "log" / "stepstats.tsv"
    assert cli("run", project, "-q", "--stop", 0.02, "--verbosity-level", 2).returncode == 0
    rows = [[cell.strip() for cell in line.split("\t")] for line in statistics.read_text().splitlines()[1:]]
    assert [row[:4] for row in rows] == [["0.01", "1", "0.01", "1"], ["0.02", "2", "0.01", "2"]]
    assert [row[-3:] for row in rows] == [["1", "1", ""]] * 2
    assert cli("run", project, "-q", "--stop", 0.02).returncode == 0
    assert not statistics.exists()


def test_screenlog(folder: Path) -> None:
    lines = (folder / "log" / "screenlog.txt").read_text().splitlines()
    form = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\t\[(Progress|Warning|Error)\]\t\[[^\]]+\] *\t.*")
    assert lines
    assert all(form.fullmatch(line) for line in lines)


def variables(*names: str) -> tuple[Variable, ...]:
    causalities = {"y": "output", "z": "output"}
    references = {"z": 8, "n": 7}
    return tuple(
        Variable(
            name,
            references.get(name, 7),
            Type.INTEGER if name == "n" else Type.REAL,
            causality=causalities.get(name, "local"),
        )
        for name in names
    )


def test_variables_of_one_value_reference_are_written_once() -> None:
    description = Description(2, "m", "", variables("a", "n", "y", "z", "b"))
    recorded = ("a", "n", "y", "z", "b")
    twice = [
        Instance((name,), "resources/M.fmu", description, Interface("m"), recorded=recorded) for name in "pq"
    ]
    dropped, listed = synonyms(twice)
    assert dropped == {"p.a", "p.b", "q.a", "q.b"}
    assert listed == [Synonym("M.fmu", "y", "a"), Synonym("M.fmu", "y", "b")]


# ---- the command line


def test_run_beside_the_project(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path / "sub", fmus, species())
    done = cli("run", project)
    assert done.returncode == 0, done.stderr
    work = tmp_path / "sub" / "project"
    assert len((work / "results" / "values.csv").read_text().splitlines()) == 202
    assert not (work / "results" / "strings.csv").exists()
    assert (work / "fmus" / "Prey" / "modelDescription.xml").exists()


def test_blanks_in_names(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    text = species().replace('"Prey.fmu"', '"my models/hares 2.fmu"')
    project = write_project(tmp_path / "a b", fmus, text, "my project.msim")
    (tmp_path / "a b" / "my models").mkdir()
    shutil.copy(fmus / "fmi2" / "Prey.fmu", tmp_path / "a b" / "my models" / "hares 2.fmu")
    done = cli("run", project)
    assert done.returncode == 0, done.stderr
    folders = {path.name for path in (tmp_path / "a b" / "my project" / "fmus").iterdir()}
    assert folders == {"hares 2", "Predator"}


def test_layout_of_sspsim(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path, fmus, species())
    assert cli("run", project, "--layout", "sspsim", "-o", "out").returncode == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"values.csv", "summary.json", "run.log"}
    assert not (tmp_path / "project").exists()
    assert cli("run", project, "--layout", "other").returncode == 2


def rows(folder: Path) -> list[list[float]]:
    lines = (folder / "results" / "values.csv").read_text().splitlines()[1:]
    return [[float(cell) for cell in line.split("\t")] for line in lines]


def test_settings_can_be_overridden(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path, fmus, species())
    done = cli("run", project, "--stop", 1, "--step", 0.25, "--output-step", 0.5, "--master", "gauss-jacobi")
    assert done.returncode == 0, done.stderr
    assert [row[0] for row in rows(tmp_path / "project")] == [0.0, 0.5, 1.0]
    assert "gauss-jacobi" in done.stdout


def test_times_are_shown_with_their_unit_or_as_dates(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path, fmus, TYPES)
    assert "4 steps from t = 0 h to 1 h" in cli("run", project).stdout
    assert "4 steps from t = 0 min to 60 min" in cli("run", project, "--time-unit", "min").stdout
    assert (tmp_path / "project/results/values.csv").read_text().startswith("Time [min] \t")
    wrong = cli("run", project, "--time-unit", "week")
    assert (wrong.returncode, "use one of ms, s, min, h, d, a" in wrong.stderr) == (2, True)
    dated = cli("run", project, "--reference-time", "2024-02-28T23:30:00").stdout
    assert "from t = 2024-02-28 23:30:00 to 2024-02-29 00:30:00" in dated


def test_no_row_is_lost_and_no_step_too_many(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    """1 ms for 20 s: by summation there would be a step too many, and rows would be skipped by rounding."""
    text = species().replace("10 ms", "1 ms").replace("0.1 s", "1 ms")
    project = write_project(tmp_path, fmus, text)
    assert cli("run", project, "-q").returncode == 0
    times = [row[0] for row in rows(tmp_path / "project")]
    assert times == [float(f"{k / 1000:.14g}") for k in range(20001)]
    assert "MasterAlgorithmSteps=20000\n" in (tmp_path / "project" / "log" / "summary.txt").read_text()


def test_an_error_in_the_project_is_told_with_its_line(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path, fmus, species() + "hMax 30 K\n")
    done = cli("run", project)
    assert done.returncode == 3
    assert "project.msim:17: error[M04]: 'K' is no unit of time" in done.stderr


def test_changed_description_counts_with_skip_unzip(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    project = write_project(tmp_path, fmus, species())
    assert cli("run", project, "-q", "--stop", 1).returncode == 0
    before = rows(tmp_path / "project")
    xml = tmp_path / "project" / "fmus" / "Prey" / "modelDescription.xml"
    text = xml.read_text()
    changed = re.sub(r'(<ScalarVariable name="prey")', r'\1 description="by hand"', text)
    assert changed != text
    xml.write_text(changed)
    assert cli("run", project, "-q", "--stop", 1, "--skip-unzip").returncode == 0
    assert "by hand" in xml.read_text()
    assert rows(tmp_path / "project") == before
    xml.write_text("<broken")
    assert cli("run", project, "-q", "--stop", 1, "--skip-unzip").returncode == 3
    assert cli("run", project, "-q", "--stop", 1).returncode == 0
    assert xml.read_text() == text


def with_parameter(source: Path, target: Path, wanted: str) -> None:
    """An FMU whose string parameter has another name."""
    with zipfile.ZipFile(source) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    xml = files["modelDescription.xml"].decode().replace('name="string_parameter"', f'name="{wanted}"')
    files["modelDescription.xml"] = xml.encode()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)


@pytest.mark.parametrize("name", ["ResultsRootDir", "ReferenceTimeStamp"])
def test_parameters_that_the_run_knows_best(cli: Cli, fmus: Path, tmp_path: Path, name: str) -> None:
    project = write_project(tmp_path, fmus, TYPES + "writeInternalVariables yes\n")
    with_parameter(fmus / "fmi2" / "Feedthrough.fmu", tmp_path / "Feedthrough.fmu", name)
    done = cli("run", project, "-q", "--reference-time", "2024-02-28T12:00:00")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "project" / "results" / "strings.csv").read_text().splitlines()
    column = lines[0].split(" \t").index(f"pass.{name}")
    folder = tmp_path / "project" / "slaves" / "pass"
    expected: dict[str, Any] = {"ResultsRootDir": str(folder), "ReferenceTimeStamp": "2024-02-28T12:00:00"}
    assert {line.split("\t")[column] for line in lines[1:]} == {expected[name]}
    assert folder.is_dir() == (name == "ResultsRootDir")
    project.write_text(project.read_text() + f"parameter pass.{name} mine\n")
    assert cli("run", project, "-q", "--reference-time", "2024-02-28T12:00:00").returncode == 0
    lines = (tmp_path / "project" / "results" / "strings.csv").read_text().splitlines()
    assert {line.split("\t")[column] for line in lines[1:]} == {"mine"}


def test_reference_time_that_is_none(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    done = cli("run", write_project(tmp_path, fmus, species()), "--reference-time", "yesterday")
    assert done.returncode == 2
    assert "2024-01-31T12:00:00" in done.stderr


def test_its_results_can_be_read_drawn_and_reported(folder: Path, cli: Cli) -> None:
    result = sspsim.read_result(folder)
    assert result.time[:3].tolist() == [0.0, 900.0, 1800.0]  # the file has hours
    assert result.signals["table.x"].unit == "K"
    assert result["table.x"][:3].tolist() == [0.0, 4.5, 19.0]
    assert result["pass.boolean_out"].dtype == bool
    assert result.run["status"] == "done"
    assert cli("plot", folder, "table.x", "-o", "x.svg").returncode == 0
    assert cli("report", folder, "-o", "x.html").returncode == 0
    foreign = folder.parent / "foreign"
    foreign.mkdir()
    text = (folder / "results" / "values.csv").read_text()
    (foreign / "values.csv").write_text(text[:-2])  # of a MasterSim that was killed
    cut = sspsim.read_result(foreign / "values.csv")
    assert cut.time.tolist() == result.time[:-1].tolist()
    assert cut.signals["table.x"].unit == "K"
