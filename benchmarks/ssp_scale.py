"""How reading, checking and planning grow with the size of a system: `python benchmarks/ssp_scale.py`.

Components with ten inputs and ten outputs each, ten connections per component, some parameters. Cost per component
should not grow.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from ssp_builder import binding, component, connection, pack, system

from sspsim.loading import load
from sspsim.plan import make_plan

SIZES = (100, 1000, 5000)
PORTS = 10


def description() -> str:
    variables = "".join(
        f'<ScalarVariable name="u{k}" valueReference="{k}" causality="input"><Real start="0"/></ScalarVariable>'
        f'<ScalarVariable name="y{k}" valueReference="{PORTS + k}" causality="output"><Real/></ScalarVariable>'
        for k in range(PORTS)
    )
    return (
        '<fmiModelDescription fmiVersion="2.0" modelName="many" guid="g"><CoSimulation modelIdentifier="many"/>'
        f"<ModelVariables>{variables}</ModelVariables><ModelStructure/></fmiModelDescription>"
    )


def make(folder: Path, n: int) -> Path:
    fmu = folder / "many.fmu"
    with zipfile.ZipFile(fmu, "w") as archive:
        archive.writestr("modelDescription.xml", description())
    ports = [f"{way}{k}:{kind}" for k in range(PORTS) for way, kind in (("u", "input"), ("y", "output"))]
    parts = [component(f"c{i}", "resources/many.fmu", *ports) for i in range(n)]
    lines = [connection(f"c{i}.y{k} -> c{(7 * i + k + 1) % n}.u{k}") for i in range(n) for k in range(PORTS)]
    values = binding({f"c{i}.u0": 1.0 for i in range(0, n, 10)})
    root = system(*parts, *lines, bindings=(values,))
    return pack(folder / f"{n}.ssp", root, {"resources/many.fmu": fmu})


def measure(path: Path) -> dict[str, float]:
    times = [perf_counter()]

    def lap() -> float:
        times.append(perf_counter())
        return times[-1] - times[-2]

    loaded = load(path)
    seconds = {"read": lap()}
    flat = loaded.flat
    seconds["flatten"] = lap()
    loaded.check()
    seconds["check"] = lap()
    make_plan(flat, loaded.analysis)
    seconds["plan"] = lap()
    return seconds


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        first = None
        for n in SIZES:
            seconds = measure(make(Path(folder), n))
            each = sum(seconds.values()) / n
            first = first or each
            parts = ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items())
            print(
                f"{n:5} components: {sum(seconds.values()):5.2f} s ({parts}); per component {each / first:.2f}"
            )


if __name__ == "__main__":
    main()
