"""Which variables are recorded, and into which files."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_ssp import write_ssp

import sspsim
from sspsim.errors import UsageError

Cli = Callable[..., Any]


def test_outputs_are_recorded_unless_told_otherwise(fmus: Path) -> None:
    assert list(sspsim.simulate(fmus / "House.ssp", stop=60.0)) == [
        "house.T_ambient",
        "house.radiation",
        "house.T_room",
        "heater.P",
    ]


def test_patterns_choose_among_all_variables(fmus: Path) -> None:
    result = sspsim.simulate(fmus / "House.ssp", stop=60.0, record=["house.T*", "heater.gain"])
    assert list(result) == ["house.T", "house.T_ambient", "house.T_room", "heater.gain"]
    assert result["heater.gain"].tolist() == [1000.0, 1000.0]
    assert result["house.T"].tolist() == result["house.T_room"].tolist()


def test_an_input_is_recorded_as_the_component_got_it(fmus: Path) -> None:
    """Gauss-Seidel, heater after house: it gets the room temperature of the same row."""
    result = sspsim.simulate(fmus / "House.ssp", stop=600.0, record="*")
    assert result["heater.T"].tolist() == result["house.T_room"].tolist()
    assert len(result) > 15


def test_a_pattern_that_matches_nothing_is_an_error(fmus: Path) -> None:
    with pytest.raises(UsageError, match=r"'house\.T_rom' matches no variable; did you mean house\.T_room"):
        sspsim.simulate(fmus / "House.ssp", record=["house.T_rom"])


@pytest.mark.parametrize("fmi", [1, 2, 3])
def test_values_of_all_types_are_recorded(fmus: Path, tmp_path: Path, cli: Cli, fmi: int) -> None:
    system = write_ssp(tmp_path / "types.ssp", {"f": fmus / f"fmi{fmi}" / "Feedthrough.fmu"})
    kinds = ("real", "integer", "boolean", "string", "enumeration")
    kinds += ("int64", "uint64", "float32", "binary") if fmi == 3 else ()
    names = [f"f.{kind}_parameter" for kind in kinds]
    patterns = [word for name in names for word in ("--record", name)]
    done = cli(
        "run", system, "--step", 0.25, *patterns, "--format", "csv", "--format", "parquet", "-o", "out"
    )
    assert done.returncode == 0, done.stderr
    in_memory = sspsim.simulate(system, step=0.25, record=names)
    for path in (tmp_path / "out" / "values.csv", tmp_path / "out" / "values.parquet"):
        result = sspsim.read_result(path)
        assert list(result) == list(in_memory)
        assert result.time.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
        assert result["f.real_parameter"].tolist() == [2.5] * 5
        assert result["f.integer_parameter"].tolist() == [7] * 5
        assert result["f.boolean_parameter"].tolist() == [True] * 5
        assert result["f.string_parameter"].tolist() == ['hello <world> & "all"'] * 5
        assert result["f.enumeration_parameter"].tolist() == [2] * 5
        for name in result:
            assert result[name].tolist() == in_memory[name].tolist(), name


def test_all_formats_hold_the_same(fmus: Path, tmp_path: Path, cli: Cli) -> None:
    formats = ["--format", "csv", "--format", "parquet", "--format", "mat"]
    done = cli("run", fmus / "LotkaVolterra.ssp", "--step", 0.01, *formats, "-o", "out")
    assert done.returncode == 0, done.stderr
    reference = sspsim.simulate(fmus / "LotkaVolterra.ssp", step=0.01)
    for suffix in ("csv", "parquet", "mat"):
        result = sspsim.read_result(tmp_path / "out" / f"values.{suffix}")
        assert np.array_equal(result.time, reference.time)
        assert all(np.array_equal(result[name], reference[name]) for name in reference)
        assert result.run["master"] == "auto"


def test_compressed_runs_reproduce_the_whole_run(fmus: Path, tmp_path: Path, cli: Cli) -> None:
    whole = sspsim.simulate(fmus / "House.ssp")
    assert cli("run", fmus / "House.ssp", "--compress", 1e-4, "-o", "small").returncode == 0
    assert cli("run", fmus / "House.ssp", "-o", "large").returncode == 0
    small = sspsim.read_result(tmp_path / "small")
    assert whole.compare(small.resample(whole.time), rtol=1e-4, atol=1e-6).within
    sizes = [(tmp_path / name / "values.csv").stat().st_size for name in ("small", "large")]
    assert sizes[0] < sizes[1] / 5


def test_the_summary_names_inputs_by_their_checksum(fmus: Path, tmp_path: Path, cli: Cli) -> None:
    assert cli("run", fmus / "House.ssp", "-q", "-o", "out").returncode == 0
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    expected = hashlib.sha256((fmus / "House.ssp").read_bytes()).hexdigest()
    assert summary["inputs"] == [{"file": str(fmus / "House.ssp"), "sha256": expected}]
    assert summary["command"][1:] == ["run", str(fmus / "House.ssp"), "-q", "-o", "out"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--format", "xls"], "csv, mat, parquet"),
        (["--format", "mat", "--compress", "1e-3"], "no empty cells"),
        (["--compress", "-1"], "above 0"),
        (["--record", "nothing.*"], "matches no variable"),
    ],
)
def test_wrong_wishes_are_refused_before_the_run(
    fmus: Path, tmp_path: Path, cli: Cli, arguments: list[str], words: str
) -> None:
    done = cli("run", fmus / "House.ssp", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert not (tmp_path / "House.results").exists()


def test_results_of_an_earlier_run_are_not_mixed_with_new_ones(fmus: Path, tmp_path: Path, cli: Cli) -> None:
    assert cli("run", fmus / "Math003.ssp", "--format", "parquet", "-o", "out").returncode == 0
    assert cli("run", fmus / "House.ssp", "--format", "csv", "-o", "out").returncode == 0
    assert "house.T_room" in sspsim.read_result(tmp_path / "out")


def test_columns_stand_in_the_order_of_the_file(fmus: Path, tmp_path: Path) -> None:
    """The numbers do not depend on it."""
    parts = dict.fromkeys(("z", "m", "a"), fmus / "fmi2" / "Lag.fmu")
    links = ["z.y -> m.u", "m.y -> a.u"]
    forth = sspsim.simulate(write_ssp(tmp_path / "forth.ssp", parts, links), step=0.1)
    back = sspsim.simulate(write_ssp(tmp_path / "back.ssp", dict(reversed(parts.items())), links), step=0.1)
    assert list(forth) == ["z.y", "m.y", "a.y"]
    assert list(back) == ["a.y", "m.y", "z.y"]
    for name in forth:
        assert np.array_equal(forth[name], back[name])


def test_brackets_in_names_are_no_patterns(fmus: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(fmus / "fmi2" / "Lag.fmu") as old, zipfile.ZipFile(tmp_path / "x.fmu", "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(
                name, content.replace(b'name="y"', b'name="y[1]"') if name[-3:] == "xml" else content
            )
    system = write_ssp(tmp_path / "x.ssp", {"a": tmp_path / "x.fmu"})
    assert list(sspsim.simulate(system, step=0.1, record="a.y[1]")) == ["a.y[1]"]


def test_the_summary_holds_the_complete_configuration(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(fmus / "House.ssp") as archive:
        archive.extractall(tmp_path / "open")
    words = ["--set", "heater.gain=900", "--compress", "1e-3", "--format", "csv", "--fmu-tolerance", "1e-7"]
    summary = json.loads(cli("run", "open/SystemStructure.ssd", "--stop", 600, *words, "--json").stdout)
    assert summary["parameters"] == {"heater.gain": "900"}
    assert summary["output"] == {"formats": ["csv"], "compress": {"rtol": 1e-3, "atol": 1e-6}}
    assert summary["settings"]["fmu_tolerance"] == 1e-7
    files = {entry["file"]: entry["sha256"] for entry in summary["inputs"]}
    parts = ("SystemStructure.ssd", "resources/Heater.fmu", "resources/House.fmu")
    assert sorted(files) == [f"open/{part}" for part in parts]
    for file, digest in files.items():
        assert hashlib.sha256((tmp_path / file).read_bytes()).hexdigest() == digest
    result = sspsim.simulate(fmus / "House.ssp", stop=60.0, parameters={"heater.gain": 800.0})
    assert result.run["parameters"] == {"heater.gain": 800.0}


def test_a_mat_file_says_what_it_lacks(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    system = write_ssp(tmp_path / "types.ssp", {"f": fmus / "fmi2" / "Feedthrough.fmu"})
    told = cli("run", system, "--step", 0.5, "--format", "mat", "-o", "out").stdout
    assert "values.mat holds numbers only and lacks f.string_out" in told
    assert "f.string_out" not in sspsim.read_result(tmp_path / "out")


@pytest.mark.parametrize("option", ["--step", "--output-step", "--min-step", "--checkpoint-every"])
@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf"])
def test_spans_of_time_are_positive(option: str, value: str) -> None:
    from sspsim.cli.run import run

    with pytest.raises(UsageError, match=f"{option} must be greater than 0, not {value}"):
        run(Path("x.ssp"), **{option.strip("-").replace("-", "_"): float(value)})
