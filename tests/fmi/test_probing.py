"""FMUs that keep their promises and FMUs that do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from sspsim.fmi.probing import probe
from sspsim.fmi.unpack import read_description
from sspsim.formats.container import open_container
from sspsim.simulation import Simulation

from .flat_systems import Unit, make_system


def outcomes(fmu: Path, kind: str = "CoSimulation", **settings: object) -> dict[str, tuple[str, str]]:
    with open_container(fmu) as container:
        description, _ = read_description(container)
        interface = description.co_simulation if kind == "CoSimulation" else description.model_exchange
        assert interface is not None
        findings = probe(container, "it", interface, **settings)  # type: ignore[arg-type]
    return {f.check: (f.outcome, f.detail) for f in findings}


@pytest.mark.parametrize(
    ("fmi", "kind"), [(2, "CoSimulation"), (3, "CoSimulation"), (2, "ModelExchange"), (3, "ModelExchange")]
)
def test_a_good_citizen_passes_everything(fmus: Path, fmi: int, kind: str) -> None:
    found = outcomes(fmus / f"fmi{fmi}" / "Lag.fmu", kind)
    assert {check: outcome for check, (outcome, _) in found.items()} == dict.fromkeys(found, "passed")
    assert len(found) == 5


def test_fmi1_declares_little(fmus: Path) -> None:
    found = outcomes(fmus / "fmi1" / "Lag.fmu")
    assert found["rollback"][0] == found["derivatives"][0] == "not declared"
    assert found["instances"][0] == "passed"


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_rollback_that_does_nothing_is_found(fmus: Path, fmi: int) -> None:
    outcome, detail = outcomes(fmus / f"fmi{fmi}" / "BrokenRollback.fmu", checks=["rollback"])["rollback"]
    assert outcome == "failed"
    assert "y is" in detail and "repeated" in detail


def test_once_per_process_is_respected(fmus: Path) -> None:
    assert outcomes(fmus / "fmi2" / "OncePerProcess.fmu")["instances"][0] == "not declared"


@pytest.mark.parametrize(
    ("mode", "words"),
    [(4, "SIGSEGV"), (6, "exit code 3"), (7, "SIGABRT"), (5, "no answer within 3 s"), (1, "returned error")],
)
def test_a_crash_costs_only_its_check(fmus: Path, mode: int, words: str) -> None:
    found = outcomes(
        fmus / "fmi2" / "Misbehave.fmu", starts={"mode": [mode]}, checks=["rollback"], time_limit=3.0
    )
    assert found["rollback"][0] == "failed"
    assert words in found["rollback"][1]


def test_a_run_that_verifies_does_not_iterate_over_a_broken_rollback(fmus: Path) -> None:
    units = {"lag": Unit("fmi2/Lag", starts={"k": 0.5}), "broken": Unit("fmi2/BrokenRollback")}
    system = make_system(fmus, units, ("lag.y -> broken.u", "broken.y -> lag.u"))
    trusting = Simulation(system, step=0.1)
    careful = Simulation(system, step=0.1, verify_rollback=True)
    assert "'broken': rollback is declared, but does not work" in careful.setup.findings[0].message
    assert not careful.flat.instances[1].interface.rollback
    assert careful.flat.instances[0].interface.rollback
    assert all(assignment.once for assignment in careful.setup.assignments)
    assert not all(assignment.once for assignment in trusting.setup.assignments)
