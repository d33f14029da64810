"""Components of all FMI versions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from small_ssp import write_ssp

import sspsim


def test_versions_do_not_change_the_numbers(fmus: Path, tmp_path: Path) -> None:
    """Prey and predator, each as FMI 1, 2 and 3: the same bits."""
    connections = ["prey.prey -> predator.prey", "predator.predator -> prey.predator"]
    results = []
    for fmi in (1, 2, 3):
        folder = fmus / f"fmi{fmi}"
        components = {"prey": folder / "Prey.fmu", "predator": folder / "Predator.fmu"}
        ssp = write_ssp(tmp_path / f"lv{fmi}.ssp", components, connections, stop=10.0)
        results.append(sspsim.simulate(ssp, step=0.01, master=sspsim.GaussSeidel()))
    for other in results[1:]:
        assert set(other) == set(results[0])
        for name in other:
            np.testing.assert_array_equal(other[name], results[0][name])


def test_all_versions_in_one_system(fmus: Path) -> None:
    result = sspsim.simulate(fmus / "Mixed.ssp", step=0.01)
    assert result.time[-1] > 0
    assert all(np.isfinite(result[name]).all() for name in result)
