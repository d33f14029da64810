"""The documentation keeps up with the code."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_every_code_of_a_finding_is_documented() -> None:
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "sspsim").rglob("*.py"))
    used = set(re.findall(r'"(V\d\d)"', sources))
    documented = set(
        re.findall(r"^\| (V\d\d) \|", (ROOT / "docs" / "ssp.md").read_text("utf-8"), re.MULTILINE)
    )
    assert used == documented
    assert len(documented) == 31
