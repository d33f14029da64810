"""The cost of a system grows no faster than the system: counted in calls, which no other program disturbs."""

import cProfile
import zipfile
from pathlib import Path

from ssp_builder import binding, component, connection, pack, system

import sspsim

PORTS = 10


def ring(folder: Path, components: int) -> Path:
    """Components with ten inputs and ten outputs each, connected with one another, and some values."""
    variables = "".join(
        f'<ScalarVariable name="u{k}" valueReference="{k}" causality="input"><Real start="0"/></ScalarVariable>'
        f'<ScalarVariable name="y{k}" valueReference="{PORTS + k}" causality="output"><Real/></ScalarVariable>'
        for k in range(PORTS)
    )
    fmu = folder / "many.fmu"
    with zipfile.ZipFile(fmu, "w") as archive:
        archive.writestr(
            "modelDescription.xml",
            '<fmiModelDescription fmiVersion="2.0" modelName="many" guid="g">'
            f'<CoSimulation modelIdentifier="many"/><ModelVariables>{variables}</ModelVariables>'
            "<ModelStructure/></fmiModelDescription>",
        )
    ports = [f"{name}{k}:{kind}" for k in range(PORTS) for name, kind in (("u", "input"), ("y", "output"))]
    n = components
    root = system(
        *(component(f"c{i}", "resources/many.fmu", *ports) for i in range(n)),
        *(connection(f"c{i}.y{k} -> c{(7 * i + k + 1) % n}.u{k}") for i in range(n) for k in range(PORTS)),
        bindings=(binding({f"c{i}.u0": 1.0 for i in range(0, n, 10)}),),
    )
    return pack(folder / f"{n}.ssp", root, {"resources/many.fmu": fmu})


def calls(path: Path) -> int:
    """What it takes to read, flatten, check and plan a system."""
    profile = cProfile.Profile()
    with profile:
        loaded = sspsim.load(path)
        found = loaded.check()
        plan = loaded.plan
    assert plan.coupled == len(loaded.flat.instances) * PORTS
    assert {finding.code for finding in found} <= {"V20", "V25"}  # there is nothing to run behind it
    return sum(entry.callcount for entry in profile.getstats())


def test_cost_is_linear(tmp_path: Path) -> None:
    calls(ring(tmp_path, 10))  # what is made once, such as schemas
    small, large = (calls(ring(tmp_path, n)) for n in (50, 200))
    assert large < 4.4 * small
