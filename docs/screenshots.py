"""Makes the pictures of the README and the report page from the real program: `make screenshots`.

Needs chromium and chromedriver (Debian packages chromium, chromium-driver) for the report.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
SSPSIM = Path(sys.executable).with_name("sspsim")
SYSTEM = ROOT / "examples" / "build" / "House.ssp"
WIDTH = 108

sys.path.insert(0, str(ROOT / "tests"))


def terminal(commands: list[list[str]], folder: Path, target: Path) -> None:
    """A terminal with some commands and what they print."""
    console = Console(record=True, width=WIDTH, file=(folder / "terminal.txt").open("w"))
    for command in commands:
        console.print(Text.assemble(("$ ", "bold green"), ("sspsim " + " ".join(command), "bold")))
        done = subprocess.run(
            [SSPSIM, *command],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
            env={"COLUMNS": str(WIDTH)},
        )
        console.print(Text(done.stdout.rstrip()))
    console.save_svg(str(target), title="sspsim")


def report(page: Path, target: Path) -> None:
    """The upper part of a report in a browser."""
    from browser import open_browser

    with open_browser() as browser:
        browser.open(page, width=1000, height=1300)
        browser.driver.save_screenshot(str(target))


def main() -> None:
    """All of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "House.ssp").write_bytes(SYSTEM.read_bytes())
        terminal([["info", "House.ssp"], ["run", "House.ssp", "--report"]], folder, PICTURES / "terminal.svg")
        commands = (
            ["graph", "House.ssp", "-o", PICTURES / "house.svg"],
            ["plot", "House.results", "-o", PICTURES / "plot.svg"],
        )
        for command in commands:
            subprocess.run([SSPSIM, *command], cwd=folder, check=True)
        report(folder / "House.results" / "report.html", PICTURES / "report.png")


if __name__ == "__main__":
    main()
