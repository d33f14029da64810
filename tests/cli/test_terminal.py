"""What people see: progress, interruptions, grouped warnings, watching, help, completion."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_ssp import write_ssp

import sspsim
from sspsim.cli.progress import Progress
from sspsim.cli.terminal import print_findings
from sspsim.cli.watch import fingerprint, inputs_of_run
from sspsim.structure import Origin
from sspsim.structure.diagnostic import error, info, warning

PROGRAM = str(Path(sys.executable).with_name("sspsim"))
Cli = Callable[..., Any]


class Terminal:
    """A program in a terminal of its own, with everything that it writes."""

    def __init__(self, folder: Path, *arguments: object) -> None:
        self.master, slave = pty.openpty()
        environment = {**os.environ, "COLUMNS": "120", "TERM": "xterm-256color"}
        environment.pop("NO_COLOR", None)
        self.process = subprocess.Popen(
            [PROGRAM, *map(str, arguments)],
            cwd=folder,
            env=environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(
                signal.SIGINT, signal.SIG_DFL
            ),  # ignored where tests are in the background
        )
        os.close(slave)
        self.text = ""

    def read_until(self, words: str, seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while words not in self.text:
            assert time.monotonic() < end, self.text
            self._read()

    def _read(self) -> bool:
        if not select.select([self.master], [], [], 0.1)[0]:
            return self.process.poll() is None
        try:
            found = os.read(self.master, 65536)
        except OSError:  # the other end is closed
            return False
        self.text += found.decode(errors="replace")
        return bool(found)

    def end(self, seconds: float = 60.0) -> int:
        end = time.monotonic() + seconds
        while self._read():
            assert time.monotonic() < end, self.text
        os.close(self.master)
        return self.process.wait(60)


def test_a_long_run_shows_its_progress_and_ctrl_c_keeps_the_results(fmus: Path, tmp_path: Path) -> None:
    arguments = ["run", fmus / "LotkaVolterra.ssp", "--step", "0.00001", "--stop", "100000", "-o", "out"]
    terminal = Terminal(tmp_path, *arguments)
    terminal.read_until("x real time")
    terminal.read_until("step 1e-05 s")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 130
    assert "interrupted at t=" in terminal.text
    assert "steps from t = 0" in terminal.text
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["status"] == "interrupted"
    result = sspsim.read_result(tmp_path / "out")
    assert summary["reached"] - 1.5e-5 < result.time[-1] <= summary["reached"]
    assert len(result.time) == summary["rows"]


def test_a_batch_system_ends_a_run_like_people_do(fmus: Path, tmp_path: Path) -> None:
    arguments = ["run", fmus / "LotkaVolterra.ssp", "--step", "0.00001", "--stop", "100000", "-o", "out"]
    process = subprocess.Popen(
        [PROGRAM, *map(str, arguments)], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "out" / "values.csv").exists():
        time.sleep(0.02)
    process.terminate()
    assert "interrupted at t=" in process.communicate(timeout=60)[1]
    assert process.returncode == 128 + signal.SIGTERM
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["status"] == "interrupted"


def test_no_progress_where_nobody_looks(fmus: Path, cli: Cli) -> None:
    done = cli("run", fmus / "LotkaVolterra.ssp", "--step", 0.0001)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert not Progress(str).enabled


def test_errors_are_coloured_for_people_only(tmp_path: Path, cli: Cli) -> None:
    terminal = Terminal(tmp_path, "run", "nothing.ssp")
    assert terminal.end() == 3
    assert "\x1b[31m" in terminal.text
    assert cli("run", "nothing.ssp").stderr.startswith("error: nothing.ssp")


def test_findings_are_grouped_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    many = [warning("V12", f"unit {k} is unknown", Origin("a.ssd", k)) for k in range(1, 18)]
    print_findings([*many, error("V05", "no such element"), info("V99", "nothing to worry about")])
    assert capsys.readouterr().err.splitlines() == [
        "warning: a.ssd:1: unit 1 is unknown [V12] (and 16 more of V12; 'sspsim check' lists them)",
        "error: no such element [V05]",
    ]


def test_a_watched_run_is_repeated_when_its_input_changes(fmus: Path, tmp_path: Path) -> None:
    system, values = tmp_path / "watched.ssp", tmp_path / "elsewhere" / "values.ssv"
    shutil.copy(fmus / "Math003.ssp", system)
    values.parent.mkdir()
    values.write_text("no values")
    terminal = Terminal(tmp_path, "run", system, "--step", "0.1", "--watch", "--parameters", values)
    terminal.read_until("waiting for changes")
    assert "100 steps" not in terminal.text
    space = "http://ssp-standard.org/SSP1/SystemStructureParameterValues"
    values.write_text(f'<ParameterSet xmlns="{space}" version="1.0" name="none"><Parameters/></ParameterSet>')
    terminal.read_until("100 steps")
    terminal.text = ""
    terminal.read_until("waiting for changes")
    write_ssp(system, {"lag": fmus / "fmi2" / "Lag.fmu"}, stop=2.0)
    terminal.read_until("20 steps")
    terminal.text = ""
    terminal.read_until("waiting for changes")
    os.killpg(terminal.process.pid, signal.SIGINT)
    assert terminal.end() == 130


def test_what_a_run_has_read_is_watched_wherever_it_is(tmp_path: Path) -> None:
    system, fmu = tmp_path / "projects" / "a.msim", tmp_path / "fmus" / "a.fmu"
    for file in (system, fmu):
        file.parent.mkdir()
        file.touch()
    summary = tmp_path / "summary.json"
    assert inputs_of_run(summary) == []
    summary.write_text(json.dumps({"inputs": [{"file": str(fmu), "sha256": ""}]}))
    before = fingerprint(system, inputs_of_run(summary))
    fmu.write_text("changed")
    assert fingerprint(system, inputs_of_run(summary)) != before


def test_results_are_no_inputs(tmp_path: Path) -> None:
    (tmp_path / "SystemStructure.ssd").write_text("<x/>")
    before = fingerprint(tmp_path / "SystemStructure.ssd")
    (tmp_path / "a.results").mkdir()
    (tmp_path / "a.results" / "summary.json").write_text("{}")
    (tmp_path / "a.results" / "values.csv").write_text("time")
    assert fingerprint(tmp_path / "SystemStructure.ssd") == before
    (tmp_path / "a.results" / "results").mkdir()
    (tmp_path / "a.results" / "results" / "values.csv").write_text("Time [s]")
    assert fingerprint(tmp_path / "SystemStructure.ssd") == before
    (tmp_path / "table.csv").write_text("time,x")
    assert fingerprint(tmp_path / "SystemStructure.ssd") != before


def commands(cli: Cli) -> list[str]:
    text = cli("--help").stdout
    return re.findall(r"^  ([a-z]+) ", text[text.index("Commands:") :], re.MULTILINE)


def test_every_command_speaks_json_and_explains_each_option(cli: Cli) -> None:
    found = commands(cli)
    assert {"run", "info", "plot", "report", "new"} <= set(found)
    for command in found:
        text = cli(command, "--help").stdout
        assert "--json" in text, command
        options = text.splitlines()
        for k, line in enumerate(options):
            if re.match(r"  -", line):
                rest = line.split("  ", 2)[2:] + options[k + 1 : k + 2]
                assert any(re.search(r"[a-z]{3,}", part) for part in rest), f"{command}: {line}"


def test_the_overview_says_what_each_command_does_in_a_line_of_a_narrow_terminal(cli: Cli) -> None:
    text = cli("--help").stdout
    lines = text[text.index("Commands:") :].splitlines()[1:]
    assert all(len(line) < 80 and line.endswith(".") and not line.endswith("...") for line in lines), text


def test_the_many_options_of_a_run_stand_in_groups(cli: Cli) -> None:
    text = cli("run", "--help").stdout
    titles = re.findall(r"^([A-Z].*):$", text, re.MULTILINE)
    assert titles == [
        "Arguments",
        "Time and steps",
        "Master",
        "Values",
        "Results",
        "Files and FMUs",
        "Messages",
        "Options",
    ]
    options = text[text.index("\nOptions:") :].split("\n", 2)[2].splitlines()
    assert options == ["  -h, --help  Show this message and exit."]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["run", "nothing.ssp"], 3),
        (["run", "nothing.ssp", "--stop", "soon"], 2),
        (["run", "nothing.ssp", "--no-such-option"], 2),
        (["info", "nothing.ssp"], 3),
        (["plot", "nothing"], 3),
        (["new", "taken.ssp", "x.fmu"], 2),
        (["crosscheck", "nothing"], 3),
    ],
)
def test_errors_are_json_too(cli: Cli, tmp_path: Path, arguments: list[str], code: int) -> None:
    (tmp_path / "taken.ssp").touch()
    done = cli(*arguments, "--json")
    assert done.returncode == code
    assert json.loads(done.stdout)["exit_code"] == code
    assert done.stderr


def test_a_failed_run_tells_how_far_it_came(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    told = cli("run", fmus / "Failing.ssp", "--report")
    assert told.returncode == 1
    assert "10 steps from t = 0 s to 1 s" in told.stdout
    assert told.stderr.startswith("error: failing at t=1.0: ")
    assert told.stderr.endswith("; the results so far are kept\n")
    assert (tmp_path / "Failing.results" / "report.html").exists()
    summary = json.loads(cli("run", fmus / "Failing.ssp", "--json", "--quiet").stdout)
    assert (summary["status"], summary["reached"]) == ("failed", 1.0)
    assert summary["error"].startswith("failing at t=1.0: ")


def test_files_that_cannot_be_written_are_no_traceback(cli: Cli, fmus: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = cli("run", fmus / "Math003.ssp", "--step", "0.1", "-o", "file/out")
    assert done.returncode == 1
    assert done.stderr == "error: file/out: Not a directory\n"


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("re", ["report"]),
        ("run --max", ["--max-step", "--max-iterations"]),
        ("run --master gauss", ["gauss-jacobi", "gauss-seidel"]),
        ("run --stepping ", ["fixed", "convergence", "error"]),
        ("run --format ", ["parquet", "mat", "csv"]),
        ("run --layout ", ["sspsim", "mastersim"]),
        ("run --time-unit m", ["ms", "min"]),
        ("run --conversions ", ["safe", "all"]),
    ],
)
def test_the_shell_can_complete(words: str, offered: list[str]) -> None:
    environment = {
        **os.environ,
        "_SSPSIM_COMPLETE": "complete_bash",
        "COMP_WORDS": f"sspsim {words}",
        "COMP_CWORD": str(len(words.split(" "))),
    }
    done = subprocess.run([PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == offered


def test_completion_can_be_installed(cli: Cli) -> None:
    assert "--install-completion" in cli("--help").stdout


def test_help_is_quick_because_it_loads_little() -> None:
    code = "import sys, sspsim.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"numpy", "lxml", "rich.progress", "networkx", "pyarrow", "matplotlib"} & set(loaded)
