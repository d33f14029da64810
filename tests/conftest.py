"""What all tests share: the example FMUs, the installed command line, small systems."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from shared import ROOT, Cli

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each of the many processes compiles sspsim anew
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background


@pytest.fixture(scope="session")
def fmus() -> Path:
    """The folder with all example FMUs and systems, built when they are not up to date."""
    subprocess.run([sys.executable, ROOT / "examples" / "build.py"], check=True, stdout=subprocess.DEVNULL)
    return ROOT / "examples" / "build"


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Runs the installed command line in an empty folder."""

    def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("sspsim")), *map(str, arguments)]
        environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, **options
        )

    return run
