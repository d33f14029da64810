"""Faults at random: no hang, no leaked process, no row lost before the fault.

SSPSIM_FAULTS says how many (the default is quick).
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from time import monotonic

import pytest

from sspsim.fmi.isolation.settings import Isolation

from .faults import CHAIN, HANGS, LOOP, OUTCOMES, children, run_fault

TIMEOUT, PATIENCE = 0.3, 15.0  # a busy machine must not make a hang of other faults
COUNT = int(os.environ.get("SSPSIM_FAULTS", "40"))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no isolation on Windows")
def test_random_faults(fmus: Path) -> None:
    chance = random.Random(2024)
    for number in range(COUNT):
        mode, phase = chance.choice(sorted(OUTCOMES)), chance.choice((0, 0, 0, 1, 2))
        position = chance.choice((CHAIN, LOOP, "iterated"))
        steps_before = chance.randrange(10)
        components = None if chance.random() < 0.3 else ("bad",)
        timeout = TIMEOUT if mode in HANGS else PATIENCE
        isolation = Isolation(components, step_timeout=timeout, memory_limit=100)
        case = f"fault {number}: mode {mode}, phase {phase}, {position}, after {steps_before} steps, {components}"
        began = monotonic()
        words, rows = run_fault(fmus, mode, phase, position, isolation, from_time=0.1 * steps_before)
        assert monotonic() - began < 20, case
        expected = OUTCOMES[mode].isolated if not (mode == 3 and phase) else ""
        if expected:
            assert expected in words, case
            assert rows == {0: steps_before + 1, 1: 0, 2: 11}[phase], case
        else:
            assert (words, rows) == ("", 11), case
        assert not children(), case
