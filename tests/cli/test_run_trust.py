"""How far `sspsim run` trusts FMUs: what they declare, what they ship, what they may do to the run."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from shared import Cli
from small_ssp import write_ssp

COUPLED = ("lag.y -> broken.u", "broken.y -> lag.u")


def summary(folder: Path) -> dict:
    return json.loads((folder / "summary.json").read_text())


def test_verify_rollback_lets_auto_choose_another_master(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    components = {"lag": fmus / "fmi2" / "Lag.fmu", "broken": fmus / "fmi2" / "BrokenRollback.fmu"}
    path = write_ssp(tmp_path / "pair.ssp", components, COUPLED)
    trusting = cli("run", path, "--step", 0.1, "-o", "trusting")
    careful = cli("run", path, "--step", 0.1, "-o", "careful", "--verify-rollback")
    assert (trusting.returncode, careful.returncode) == (0, 0), careful.stderr
    assert "rollback is declared, but does not work" not in trusting.stderr
    assert "component 'broken': rollback is declared, but does not work (y is" in careful.stderr
    states = [
        summary(tmp_path / n)["statistics"]["components"]["lag"]["getState"]["calls"]
        for n in ("trusting", "careful")
    ]
    assert states[0] > 0
    assert states[1] == 0
    refused = cli("run", path, "--step", 0.1, "--verify-rollback", "--master", "newton")
    assert refused.returncode == 2
    assert "--verify-rollback found it broken" in refused.stderr


def invalid_copy(fmu: Path, target: Path) -> Path:
    """The FMU with an attribute that the schema does not know."""
    with zipfile.ZipFile(fmu) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "modelDescription.xml":
                data = data.replace(b"<fmiModelDescription", b'<fmiModelDescription vendorMark="1"', 1)
            new.writestr(name, data)
    return target


def test_invalid_descriptions_run_unless_strict(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    for fmi in (1, 2, 3):
        fmu = invalid_copy(fmus / f"fmi{fmi}" / "Lag.fmu", tmp_path / f"Odd{fmi}.fmu")
        path = write_ssp(tmp_path / f"odd{fmi}.ssp", {"odd": fmu})
        found = cli("check", path)
        assert found.returncode == 0
        assert "warning[F02]" in found.stdout and "vendorMark" in found.stdout
        assert cli("run", path, "--step", 0.1).returncode == 0
        strict = cli("run", path, "--step", 0.1, "--strict")
        assert strict.returncode == 3
        assert "error[F02]" in strict.stderr and "vendorMark" in strict.stderr


def test_valid_systems_pass_the_strict(cli: Cli, fmus: Path) -> None:
    assert cli("run", fmus / "Math003.ssp", "--step", 0.1, "--strict").returncode == 0


def test_isolate_auto_isolates_what_must_be(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    once = fmus / "fmi2" / "OncePerProcess.fmu"
    path = write_ssp(tmp_path / "twice.ssp", {"a": once, "b": once}, ["a.y -> b.u"])
    for words in ([], ["--isolate", "auto"], ["--isolate", "auto", "--isolate", "a", "--step-timeout", 30]):
        assert cli("run", path, "--step", 0.1, *words).returncode == 0
    single = write_ssp(tmp_path / "single.ssp", {"a": once})
    for words in ([], ["--isolate", "auto"]):
        refused = cli("run", single, "--step", 0.1, "--step-timeout", 5, *words)
        assert refused.returncode == 2
        assert "--isolate all" in refused.stderr


def test_isolate_takes_any_number_of_names(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    bad, lag = fmus / "fmi2" / "Misbehave.fmu", fmus / "fmi2" / "Lag.fmu"
    path = write_ssp(
        tmp_path / "bad.ssp", {"a": lag, "bad": bad}, ["a.y -> bad.u"], parameters={"bad.from_time": 0.5}
    )
    crash = ["--step", 0.1, "--set", "bad.mode=4"]
    for words in (
        [path, "--isolate"],
        ["--isolate", path],
        [path, "--isolate", "a", "bad"],
        ["--isolate=bad", path],
    ):
        done = cli("run", *words, *crash)
        assert done.returncode == 1
        assert "bad at t=0.5" in done.stderr and "SIGSEGV" in done.stderr
    refused = cli("run", path, "--isolate", "a", "nobody", *crash)
    assert refused.returncode == 2
    assert "no component 'nobody'" in refused.stderr


def test_fmu_tolerance_reaches_the_solver(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    path = tmp_path / "SystemStructure.ssd"
    ball = fmus / "fmi2" / "BouncingBall.fmu"
    write_ssp(tmp_path / "ball.ssp", {"ball": ball})
    with zipfile.ZipFile(tmp_path / "ball.ssp") as archive:
        archive.extractall(tmp_path)
    text = path.read_text().replace('.fmu"', '.fmu" implementation="ModelExchange"')
    path.write_text(text)
    values = []
    for tolerance in (1e-3, 1e-10):
        done = cli("run", path, "--step", 0.1, "--fmu-tolerance", tolerance, "-o", f"out{tolerance}")
        assert done.returncode == 0, done.stderr
        values.append((tmp_path / f"out{tolerance}" / "values.csv").read_text())
    assert values[0] != values[1]
