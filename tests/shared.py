"""What tests of several folders import."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
Cli = Callable[..., "subprocess.CompletedProcess[str]"]
