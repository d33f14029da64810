"""The cross-check on folders made of example FMUs, with exact references."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from sspsim.cli import program
from sspsim.crosscheck.cases import find_cases, read_options
from sspsim.crosscheck.tables import read_table
from sspsim.errors import InputError, UsageError

RUNNER = CliRunner()


def add_case(root: Path, fmu: Path, kind: str, reference: str, options: str, inputs: str = "") -> Path:
    folder = root / "fmus" / "2.0" / kind / "linux64" / "Tool" / "1.0" / fmu.stem
    folder.mkdir(parents=True)
    shutil.copy(fmu, folder)
    (folder / f"{fmu.stem}_ref.csv").write_text(reference)
    (folder / f"{fmu.stem}_ref.opt").write_text(options)
    if inputs:
        (folder / f"{fmu.stem}_in.csv").write_text(inputs)
    return folder


def lag_reference(scale: float = 1.0) -> str:
    """dx/dt = 1 - x with input 1: x = 1 - exp(-t)."""
    times = np.linspace(0, 3, 301)
    return '"time","y"\r\n' + "".join(f"{t},{scale * (1 - np.exp(-t))}\r\n" for t in times)


@pytest.fixture
def folder(fmus: Path, tmp_path: Path) -> Path:
    options = "StartTime, 0\nStopTime, 3\nStepSize, 0\nRelTol, 1e-5\n"
    add_case(tmp_path, fmus / "fmi2" / "Lag.fmu", "cs", lag_reference(), options, "time;u\n0;1\n3;1\n")
    add_case(tmp_path, fmus / "fmi2" / "Minimal.fmu", "cs", lag_reference(2.0), options, "time;u\n0;1\n3;1\n")
    return tmp_path


def test_options_choose_a_step_when_there_is_none(folder: Path) -> None:
    case = next(c for c in find_cases(folder, "linux64") if c.model == "Lag")
    assert read_options(case).step == pytest.approx(0.003)
    assert read_options(case).tolerance == 1e-5


def test_cases_are_told_apart_by_platform_and_type(folder: Path) -> None:
    assert [c.model for c in find_cases(folder, "linux64", "cs")] == ["Lag", "Minimal"]
    assert list(find_cases(folder, "linux64", "me")) == []
    assert list(find_cases(folder, "win64")) == []


def test_a_right_and_a_wrong_case(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = RUNNER.invoke(program(), ["crosscheck", str(folder), "-o", str(out), "--json"])
    assert run.exit_code == 0, run.output
    outcomes = {o["case"]: o for o in json.loads(run.output)}
    assert outcomes["2.0/cs/Tool/1.0/Lag"]["status"] == "passed"
    assert outcomes["2.0/cs/Tool/1.0/Minimal"]["status"] == "failed"
    from sspsim.version import __version__

    lag = out / "2.0" / "cs" / "linux64" / "sspsim" / __version__ / "Tool" / "1.0" / "Lag"
    assert (lag / "passed").exists()
    table = read_table(lag / "Lag_out.csv")
    # The input is held over each step, and constant anyway: the example steps exactly.
    assert table.columns["y"] == pytest.approx(1 - np.exp(-table.time), abs=1e-12)
    with (out / "overview.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(r["case"].rpartition("/")[2], r["status"]) for r in rows] == [
        ("Lag", "passed"),
        ("Minimal", "failed"),
    ]
    assert "1 passed" in (out / "overview.html").read_text()


def test_a_second_run_goes_on_where_the_first_ended(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    RUNNER.invoke(program(), ["crosscheck", str(folder), "-o", str(out), "--only", "Lag"])
    marker = next(out.rglob("passed"))
    before = marker.stat().st_mtime_ns
    RUNNER.invoke(program(), ["crosscheck", str(folder), "-o", str(out)])
    assert marker.stat().st_mtime_ns == before
    assert len(list(out.rglob("failed"))) == 1


@pytest.mark.parametrize(
    ("mode", "reason"), [(4, "SIGSEGV"), (6, "the FMU called exit()"), (5, "time limit")]
)
def test_a_case_that_kills_its_process_fails_alone(
    fmus: Path, tmp_path: Path, mode: int, reason: str
) -> None:
    options = "StartTime, 0\nStopTime, 1\nStepSize, 0.1\nRelTol, 1e-5\n"
    add_case(
        tmp_path,
        fmus / "fmi2" / "Misbehave.fmu",
        "cs",
        lag_reference(),
        options,
        f"time,mode,u\n0,{mode},1\n",
    )
    run = RUNNER.invoke(
        program(), ["crosscheck", str(tmp_path), "-o", str(tmp_path / "o"), "--json", "--time-limit", "4"]
    )
    outcome = json.loads(run.output)[0]
    assert outcome["status"] == "failed"
    assert reason in outcome["reason"]


def test_no_cases_is_an_error(tmp_path: Path) -> None:
    run = RUNNER.invoke(program(), ["crosscheck", str(tmp_path)])
    assert run.exception is not None
    assert "no cases for linux64" in str(run.exception)


def test_compare_judges_and_draws(tmp_path: Path) -> None:
    (tmp_path / "ref.csv").write_text(lag_reference())
    (tmp_path / "good.csv").write_text(lag_reference(1.05))
    (tmp_path / "bad.csv").write_text(lag_reference(1.5))
    picture = tmp_path / "d.svg"
    good = RUNNER.invoke(
        program(), ["compare", str(tmp_path / "good.csv"), str(tmp_path / "ref.csv"), "--plot", str(picture)]
    )
    assert good.exit_code == 0
    assert picture.read_text().lstrip().startswith("<?xml")
    odd = RUNNER.invoke(
        program(), ["compare", str(tmp_path / "good.csv"), str(tmp_path / "ref.csv"), "--plot", "d.xyz"]
    )
    assert isinstance(odd.exception, UsageError) and ".svg" in str(odd.exception)
    bad = RUNNER.invoke(
        program(), ["compare", str(tmp_path / "bad.csv"), str(tmp_path / "ref.csv"), "--json"]
    )
    assert bad.exit_code == 1
    assert json.loads(bad.output)[0]["passed"] is False


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("time\n0\n", "no column beside the time"),
        ("time,y\n0,1\nsoon,2\n", "'soon' in row 2 is no time"),
    ],
)
def test_unreadable_csv_files_are_named(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(InputError, match=f"bad.csv: .*{words}"):
        read_table(tmp_path / "bad.csv")


def test_texts_and_arrays_in_a_reference_break_nothing(fmus: Path, tmp_path: Path) -> None:
    options = "StartTime, 0\nStopTime, 1\nStepSize, 0.1\n"
    feedthrough = fmus / "fmi3" / "Feedthrough.fmu"
    case = add_case(tmp_path, feedthrough, "cs", "time,string_out,int8_out\n0,,0\n1,,0\n", options)
    out = tmp_path / "out"
    done = RUNNER.invoke(program(), ["crosscheck", str(tmp_path / "fmus"), "-o", str(out)])
    assert "passed" in done.output.splitlines()[0]
    (case / "Feedthrough_ref.csv").write_text("time,vector_out\n0,1 2 3\n1,1 2 3\n")
    done = RUNNER.invoke(program(), ["crosscheck", str(tmp_path / "fmus"), "-o", str(out), "--again"])
    assert done.output.splitlines()[0].startswith("rejected") and "'vector_out' is an array" in done.output
