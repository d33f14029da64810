"""A run that is killed leaves readable results."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from result_rows import column, rows
from shared import Cli

import sspsim
from sspsim.results.parquet import ParquetSink


def kill_a_run(
    system: Path, folder: Path, wait: float, after: str = "values.parquet.parts/000001.parquet"
) -> None:
    """So many seconds after a file has appeared."""
    command = [
        str(Path(sys.executable).with_name("sspsim")),
        "run",
        str(system),
        "--step",
        "0.0001",
        "--stop",
        "1000",
    ]
    command += ["--format", "csv", "--format", "parquet", "-q", "-o", str(folder)]
    process = subprocess.Popen(command)
    deadline = time.monotonic() + 30
    while not (folder / after).exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(wait)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


@pytest.mark.parametrize("seed", range(5))
def test_results_are_readable_up_to_the_last_portion(fmus: Path, tmp_path: Path, seed: int) -> None:
    kill_a_run(fmus / "LotkaVolterra.ssp", tmp_path / "out", random.Random(seed).uniform(0.0, 1.0))
    table = sspsim.read_result(tmp_path / "out" / "values.csv")
    assert table.run["status"] == "running"
    assert len(table.time) > 1000
    expected = 0.0001 * np.arange(len(table.time))
    assert np.array_equal(table.time, expected)
    portions = sspsim.read_result(tmp_path / "out" / "values.parquet")
    assert len(portions.time) > 1000
    assert np.array_equal(portions.time, expected[: len(portions.time)])
    for name in table:
        assert np.array_equal(portions[name][: len(table.time)], table[name][: len(portions.time)])


def test_no_file_is_there_before_all_can_be_read(fmus: Path, tmp_path: Path) -> None:
    kill_a_run(fmus / "LotkaVolterra.ssp", tmp_path / "out", 0.0, after="values.csv")
    for name in ("values.csv", "values.parquet"):
        assert list(sspsim.read_result(tmp_path / "out" / name)) == ["prey.prey", "predator.predator"]


def test_the_rest_of_a_killed_run_is_not_in_the_way_of_the_next(fmus: Path, tmp_path: Path, cli: Cli) -> None:
    kill_a_run(fmus / "LotkaVolterra.ssp", tmp_path / "out", 0.0)
    assert cli("run", fmus / "House.ssp", "--stop", 600, "-q", "-o", "out").returncode == 0
    assert "house.T_room" in sspsim.read_result(tmp_path / "out")


def test_there_is_a_table_before_the_first_row(tmp_path: Path) -> None:
    """However early a run is killed."""
    layout, _ = rows([0.0], {column("a.x"): [1.0]})
    ParquetSink(tmp_path / "values.parquet", layout, {})
    assert [path.name for path in tmp_path.iterdir()] == ["values.parquet.parts"]
    assert len(sspsim.read_result(tmp_path).time) == 0
