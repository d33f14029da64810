"""The documentation keeps up with the code: every command in it runs, every output in it is true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest
from typer import main

from sspsim.cli import program

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    "README.md",
    "docs/tutorial.md",
    "docs/composing.md",
    "docs/results.md",
    "docs/report.md",
    "docs/running.md",
    "docs/graph.md",
)
# These make the environment that the tests run in; what `make run` does in it has a test of its own.
PREPARATIONS = {"make run", "make test", ". .venv/bin/activate"}
DURATION = re.compile(r"\b[\d.]+(e-\d+)? (us|ms|s)\b")


@dataclass(frozen=True)
class Block:
    """A piece of code in a page, and the output that follows it there."""

    language: str
    code: str
    line: int
    output: str | None


def blocks(page: Path) -> list[Block]:
    found = re.compile(r"^```(sh|python)\n(.*?)^```\n(?:\n+```text\n(.*?)^```)?", re.DOTALL | re.MULTILINE)
    text = page.read_text("utf-8")
    return [
        Block(match[1], match[2], text[: match.start()].count("\n") + 1, match[3])
        for match in found.finditer(text)
    ]


def without_preparations(code: str) -> str:
    lines = code.splitlines(keepends=True)
    return "".join(line for line in lines if line.split("#")[0].strip() not in PREPARATIONS)


def run(block: Block, folder: Path) -> str:
    programs = Path(sys.executable).parent
    command = ["bash", "-eu", "-c"] if block.language == "sh" else [sys.executable, "-c"]
    done = subprocess.run(
        [*command, without_preparations(block.code)],
        cwd=folder,
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"line {block.line}: {done.stderr}"
    return done.stdout


def is_true(shown: str, printed: str) -> bool:
    """Durations differ from run to run; three dots stand for anything."""
    texts = (DURATION.sub("DURATION", text) for text in (shown, printed))
    return OutputChecker().check_output(*texts, ELLIPSIS | NORMALIZE_WHITESPACE)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_runs(fmus: Path, tmp_path: Path, page: str) -> None:
    (tmp_path / "examples").symlink_to(fmus.parent)
    found = blocks(ROOT / page)
    assert found
    for block in found:
        printed = run(block, tmp_path)
        if block.output is not None:
            assert is_true(block.output, printed), f"{page}:{block.line} prints\n{printed}"


def test_make_run_ends_with_the_commands_that_work(fmus: Path, tmp_path: Path) -> None:
    planned = subprocess.run(
        ["make", "--dry-run", "run"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    commands = "\n".join(re.findall(r"^\.venv/bin/(sspsim .*)$", planned, re.MULTILINE))
    assert commands.startswith("sspsim run examples/build/Math003.ssp")
    (tmp_path / "examples").symlink_to(fmus.parent)
    printed = run(Block("sh", commands, 0, None), tmp_path)
    readme = (ROOT / "README.md").read_text("utf-8")
    shown = re.search(r"`make run` ends with.*?```text\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    assert shown and is_true(shown[1], printed), printed


def test_pages_can_be_followed_one_after_the_other_in_one_folder() -> None:
    """`sspsim new` does not replace what another page has made."""
    made = [
        target
        for page in PAGES
        for block in blocks(ROOT / page)
        for target in re.findall(r"^sspsim new (\S+)(?!.*--force)", block.code, re.MULTILINE)
    ]
    assert len(made) == len(set(made)), made


def test_all_options_of_a_run_are_documented() -> None:
    text = (ROOT / "docs" / "running.md").read_text("utf-8")
    parameters = main.get_group(program(["run"])).commands["run"].params
    options = [name for p in parameters if p.param_type_name == "option" for name in p.opts[:1]]
    assert len(options) > 40
    assert [name for name in options if f"`{name}" not in text] == []


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_wrong_outputs_are_noticed() -> None:
    assert is_true("done in 5 ms\n...\nrows: 3\n", "done in 71.2 us\nmore\nrows: 3\n")
    assert not is_true("rows: 4\n", "rows: 3\n")


def test_every_code_of_a_finding_is_documented() -> None:
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "sspsim").rglob("*.py"))
    used = set(re.findall(r'"(V\d\d)"', sources))
    documented = set(
        re.findall(r"^\| (V\d\d) \|", (ROOT / "docs" / "ssp.md").read_text("utf-8"), re.MULTILINE)
    )
    assert used == documented
    assert len(documented) >= 30  # as many has the catalogue of the standard's rules
