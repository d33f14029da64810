"""`sspsim run` as users type it: files, exit codes, one-line errors."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from shared import ROOT, Cli
from small_ssp import write_ssp

SCHEMA = json.loads((ROOT / "schemas" / "summary.schema.json").read_text())


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_a_run_leaves_values_summary_and_log(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    done = cli("run", fmus / "Math003.ssp", "--step", 0.1, "--master", "gauss-seidel")
    assert done.returncode == 0, done.stderr
    assert "100 steps" in done.stdout
    folder = tmp_path / "Math003.results"
    table = rows(folder / "values.csv")
    assert table[0] == ["time", "part1.x1", "part1.x2", "part2.x3", "part3.x4"]
    assert len(table) == 102
    assert float(table[-1][0]) == 10.0
    summary = json.loads((folder / "summary.json").read_text())
    jsonschema.validate(summary, SCHEMA)
    assert summary["status"] == "done"
    assert summary["statistics"]["components"]["part3"]["doStep"]["calls"] == 100
    assert "done at t=10.0" in (folder / "run.log").read_text()


def test_numbers_are_written_to_the_last_bit(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    import sspsim

    assert cli("run", fmus / "LotkaVolterra.ssp", "--step", 0.01, "--stop", 1, "-o", "out").returncode == 0
    table = rows(tmp_path / "out" / "values.csv")
    result = sspsim.simulate(fmus / "LotkaVolterra.ssp", step=0.01, stop=1)
    for k, name in enumerate(table[0][1:], 1):
        assert [float(row[k]) for row in table[1:]] == result[name].tolist()


def test_json_and_quiet(cli: Cli, fmus: Path) -> None:
    done = cli("run", fmus / "Math003.ssp", "--step", 0.1, "--json")
    jsonschema.validate(json.loads(done.stdout), SCHEMA)
    assert cli("run", fmus / "Math003.ssp", "--step", 0.1, "-q").stdout == ""


def test_masters_differ(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    finals = {}
    for master in ("gauss-jacobi", "gauss-seidel"):
        assert (
            cli("run", fmus / "Math003.ssp", "--step", 0.1, "--master", master, "-o", master).returncode == 0
        )
        finals[master] = float(rows(tmp_path / master / "values.csv")[15][4])
    assert finals == pytest.approx({"gauss-jacobi": 1.8, "gauss-seidel": 3.0})


def one_line_error(done, code: int, *words: str) -> None:
    """What users see of a failure: one line with what, where, what to do; the right exit code; no traceback."""
    assert done.returncode == code, done.stdout + done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    for word in words:
        assert word in lines[0]


def test_missing_file(cli: Cli) -> None:
    one_line_error(cli("run", "nothing.ssp"), 3, "nothing.ssp", "no such file")


def test_not_a_zip(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "text.ssp").write_text("this is no archive")
    one_line_error(cli("run", "text.ssp"), 3, "text.ssp", "zip")


def test_no_system_structure(cli: Cli, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "empty.ssp", "w") as archive:
        archive.writestr("readme.txt", "nothing here")
    one_line_error(cli("run", "empty.ssp"), 3, "empty.ssp", "SystemStructure.ssd")


def test_no_binary_for_this_platform(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "Lag.fmu"
    with zipfile.ZipFile(fmus / "fmi2" / "Lag.fmu") as source, zipfile.ZipFile(foreign, "w") as target:
        target.writestr("modelDescription.xml", source.read("modelDescription.xml"))
        target.writestr("binaries/c-compiler9/Lag.so", b"")
    write_ssp(tmp_path / "foreign.ssp", {"lag": foreign})
    one_line_error(cli("run", "foreign.ssp"), 3, "Lag.fmu", "no binary for this platform", "c-compiler9")


def test_unknown_component_in_a_connection(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    write_ssp(tmp_path / "wrong.ssp", {"lag": fmus / "fmi2" / "Lag.fmu"}, ["lagg.y -> lag.u"])
    one_line_error(cli("run", "wrong.ssp"), 3, "SystemStructure.ssd:", "V05", "lagg")


def test_a_failing_step_keeps_the_results(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    done = cli("run", fmus / "Failing.ssp", "--step", 0.1)
    one_line_error(done, 1, "failing", "t=1.0", "doStep", "error", "told to fail")
    folder = tmp_path / "Failing.results"
    times = [float(row[0]) for row in rows(folder / "values.csv")[1:]]
    assert times[-1] == pytest.approx(1.0)
    assert len(times) == 11
    summary = json.loads((folder / "summary.json").read_text())
    jsonschema.validate(summary, SCHEMA)
    assert summary["status"] == "failed"
    assert "failing" in summary["error"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--step", "-1"], ["step", "greater than 0"]),
        (["--stop", "-1"], ["stop time"]),
        (["--stop", "inf"], ["stop time", "inf"]),
        (["--step", "1e-320"], ["too short", "10.0 s", "--step"]),
        (["--master", "magic"], ["magic", "gauss-seidel"]),
        (["--max-iterations", "0"], ["max_iterations", "at least 1"]),
        (["--rtol", "-1"], ["rtol", "-1"]),
        (["--atol", "0"], ["atol", "greater than 0"]),
    ],
)
def test_wrong_usage(cli: Cli, fmus: Path, arguments: list[str], words: list[str]) -> None:
    one_line_error(cli("run", fmus / "Math003.ssp", *arguments), 2, *words)


def test_no_stop_time(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    endless = tmp_path / "Lag.fmu"
    with zipfile.ZipFile(fmus / "fmi2" / "Lag.fmu") as source, zipfile.ZipFile(endless, "w") as target:
        text = source.read("modelDescription.xml").decode()
        target.writestr("modelDescription.xml", re.sub("<DefaultExperiment.*?/>", "", text))
    write_ssp(tmp_path / "endless.ssp", {"lag": endless}, stop=None)
    one_line_error(cli("run", "endless.ssp"), 2, "--stop")


def test_version(cli: Cli) -> None:
    import sspsim

    assert cli("--version").stdout.strip() == f"sspsim {sspsim.__version__}"


@pytest.fixture
def quick_folder(tmp_path: Path) -> Iterator[Path]:
    """In memory if programs may be started there: making and removing thousands of folders is slow on disks."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or os.statvfs(memory).f_flag & os.ST_NOEXEC:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


def test_nothing_is_left_behind(fmus: Path, quick_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """1,000 runs in one process: no file descriptor, no temporary directory, no memory."""
    import gc

    monkeypatch.setattr(tempfile, "tempdir", str(quick_folder))

    import sspsim

    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    system = sspsim.load(fmus / "Math003.ssp")

    def runs(n: int) -> None:
        for _ in range(n):
            sspsim.simulate(system, step=1.0)
        gc.collect()

    runs(400)  # the heap finds its size
    opened, growth = descriptors(), []
    for _ in range(3):
        before = resident()
        runs(200)
        growth.append(resident() - before)
    assert descriptors() == opened
    assert min(growth) < 500_000  # a leak would grow every time
    assert not list(quick_folder.iterdir())


def test_a_failed_run_leaves_nothing_behind(
    fmus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sspsim

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(sspsim.SimulationError):
        sspsim.simulate(fmus / "Failing.ssp", step=0.1)
    assert not list(tmp_path.iterdir())


def test_a_folder_and_an_ssd_file_run_like_the_archive(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(fmus / "Math003.ssp") as archive:
        archive.extractall(tmp_path / "open")
    shutil.copy(fmus / "Math003.ssp", tmp_path / "packed.ssp")
    for source in ("packed.ssp", "open", "open/SystemStructure.ssd"):
        assert cli("run", source, "--step", 0.1, "-o", f"out/{Path(source).name}").returncode == 0
    tables = [p.read_bytes() for p in sorted((tmp_path / "out").glob("*/values.csv"))]
    assert len(tables) == 3
    assert len(set(tables)) == 1


def test_a_run_is_resumed_to_the_same_file(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    """As if it had been stopped at 1.3 s with a checkpoint at 1.0 s."""
    arguments = ("run", fmus / "TwoMass.ssp", "--step", 0.01, "--output-step", 0.02)
    assert cli(*arguments, "--stop", 2, "-o", "whole").returncode == 0
    assert cli(*arguments, "--stop", 1.3, "--checkpoint-every", 1, "-o", "parts").returncode == 0
    done = cli(*arguments, "--stop", 2, "--resume", "-o", "parts")
    assert done.returncode == 0, done.stderr
    whole, parts = ((tmp_path / name / "values.csv").read_bytes() for name in ("whole", "parts"))
    assert parts == whole
    summary = json.loads((tmp_path / "parts" / "summary.json").read_text())
    assert summary["rows"] == 101
    assert summary["statistics"]["steps"] == 200


def test_resuming_needs_a_checkpoint(cli: Cli, fmus: Path) -> None:
    one_line_error(cli("run", fmus / "TwoMass.ssp", "--resume", "-o", "nothing"), 3, "there is no checkpoint")


def test_options_that_the_choice_does_not_use_are_told(cli: Cli, fmus: Path) -> None:
    unused = ("--max-iterations", 5, "--min-step", 0.1)
    done = cli("run", fmus / "Math003.ssp", "--master", "gauss-jacobi", "--json", *unused)
    assert "--max-iterations, --min-step: not used" in " ".join(json.loads(done.stdout)["notices"])
    done = cli("run", fmus / "Math003.ssp", "--stepping", "convergence", "--json", *unused)
    assert "not used" not in " ".join(json.loads(done.stdout)["notices"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--max-iterations", 0), "max_iterations must be at least 1"),
        (("--fallback-step", -1), "fallback_step must not be negative"),
        (("--rtol", -1), "rtol must not be negative"),
        (("--atol", 0), "atol must be greater than 0"),
        (("--stepping", "error", "--atol", 0), "atol must be greater than 0"),
        (("--output-step", -1), "--output-step must be greater than 0"),
        (("--checkpoint-every", 0), "--checkpoint-every must be greater than 0"),
        (("--stop", "inf"), "must be finite"),
    ],
)
def test_numbers_without_sense_are_refused(cli: Cli, fmus: Path, options, words: str) -> None:
    one_line_error(cli("run", fmus / "Math003.ssp", *options), 2, words)


def test_options_of_masters_and_steps(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    done = cli(
        *("run", fmus / "Math003.ssp", "--master", "gauss-seidel", "--max-iterations", 2, "--step", 0.14),
        *("--stepping", "convergence", "--min-step", 0.005, "--max-step", 0.14, "--fallback-step", 0.005),
        *("--rtol", 1e-5, "--atol", 1e-5, "--step-log", "log.csv", "--threads", 2),
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "Math003.results" / "summary.json").read_text())
    assert summary["statistics"]["steps"] == 101
    assert summary["statistics"]["convergence_failures"] == 15
    assert len(rows(tmp_path / "log.csv")) == 1 + 101 + 15
    assert "15 steps did not converge" in done.stderr
