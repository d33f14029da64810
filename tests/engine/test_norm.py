"""The norm of a cycle takes what a master of one's own hands in, and nothing that does not fit."""

import numpy as np
import pytest
from shared import ROOT

import sspsim
from sspsim.errors import UsageError


@pytest.fixture
def cycle():
    with sspsim.Simulation(
        ROOT / "examples" / "build" / "LinearLoop.ssp", step=0.1, stop=1.0, rtol=0.0, atol=2.0
    ) as simulation:
        simulation.initialize()
        yield simulation.cycles[0]


def test_distance(cycle):
    assert cycle.norm(cycle.values.copy()) == 0.0
    assert cycle.norm(cycle.values + 3.0) == 1.5


@pytest.mark.parametrize("count", [1, 3])
def test_other_lengths(cycle, count):
    with pytest.raises(UsageError, match=f"all 2 values of the cycle, not {count}"):
        cycle.norm(np.zeros(count))


@pytest.mark.parametrize("kind", [np.int64, np.float32])
def test_other_types(cycle, kind):
    with pytest.raises(ValueError, match="2 float64 values"):
        cycle.norm(np.zeros(2, dtype=kind))
