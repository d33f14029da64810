"""Reads the step log of a run, if it has one: steps.csv."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.results.read_csv import read_csv

STEP_LOG = "steps.csv"


@dataclass(frozen=True, slots=True)
class Steps:
    """Beginning, length and iterations of the communication steps."""

    time: NDArray[np.float64]
    step: NDArray[np.float64]
    iterations: NDArray[Any]


def read_steps(folder: Path) -> Steps | None:
    """None if the run kept none. Of several attempts from the same time only the last one led on."""
    if not (folder / STEP_LOG).exists():
        return None
    columns = read_csv(folder / STEP_LOG, {})
    time = columns["time"]
    led_on = np.append(time[1:] != time[:-1], True)[: len(time)]
    return Steps(time[led_on], columns["step"][led_on], columns["iterations"][led_on])
