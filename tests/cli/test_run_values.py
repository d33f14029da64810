"""`sspsim run` with values from the command line, from parameter files and from tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ssp_builder import binding, component, connection, content_of, files_for, pack, system, values

import sspsim

Cli = Callable[..., Any]


@pytest.fixture
def gain(fmus: Path, tmp_path: Path) -> Path:
    """out = 2*in + offset in K; the input of the system is in degC, that of the component in K."""
    lin = fmus / "fmi2" / "LinearA.fmu"
    made = system(
        "in:input:Real[degC]",
        "offset:parameter",
        "out:output",
        "echo:output:Real[K]",
        component(
            "a", lin, "u:input:Real[K]", "y:output", "offset:parameter", bindings=(binding({"a": 2.0}),)
        ),
        connection("in -> a.u"),
        connection("offset -> a.offset"),
        connection("a.y -> out"),
        connection("in -> echo"),
        bindings=(binding({"offset": 1.0}),),
    )
    return pack(tmp_path / "gain.ssp", made, files_for(lin))


def column(folder: Path, name: str) -> list[float]:
    table = np.genfromtxt(folder / "values.csv", delimiter=",", names=True)
    return [float(value) for value in table[name]]


def test_set(gain: Path, tmp_path: Path, cli: Cli) -> None:
    done = cli("run", gain, "--stop", 1, "--step", 0.5, "-o", "r", "--set", "in=20", "--set", "offset=0.5")
    assert done.returncode == 0, done.stderr
    assert column(tmp_path / "r", "out") == pytest.approx([586.8] * 3, abs=1e-9)
    assert column(tmp_path / "r", "echo") == pytest.approx([293.15] * 3, abs=1e-12)


def test_parameter_file(gain: Path, tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "p.ssv"
    file.write_bytes(content_of(values({"in": (293.15, "K"), "a.a": 0.0})))
    done = cli("run", gain, "--stop", 1, "--step", 0.5, "-o", "r", "--parameters", file, "--set", "a.a=3")
    assert done.returncode == 0, done.stderr
    assert column(tmp_path / "r", "out") == pytest.approx([3 * 293.15 + 1] * 3, abs=1e-9)


def test_table_of_inputs(gain: Path, tmp_path: Path, cli: Cli) -> None:
    """Linear from 0 to 10 degC in one second."""
    (tmp_path / "in.csv").write_text("time [s],in\n0,0\n1,10\n")
    done = cli("run", gain, "--stop", 1, "--step", 0.5, "-o", "r", "--input", "in.csv")
    assert done.returncode == 0, done.stderr
    assert column(tmp_path / "r", "echo") == pytest.approx([273.15, 278.15, 283.15], abs=1e-12)
    assert column(tmp_path / "r", "out") == pytest.approx([547.3, 557.3, 567.3], abs=1e-9)


def test_unit_in_the_caption(gain: Path, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("time [s],in [K]\n0,300\n1,300\n")
    result = sspsim.simulate(sspsim.load(gain, input_tables=[tmp_path / "in.csv"]), stop=1.0, step=0.5)
    np.testing.assert_allclose(result["out"], 601.0, atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--set", "nothing"), "write it as NAME=VALUE"),
        (("--set", "inn=1"), "did you mean 'in'?"),
        (("--set", "in=warm"), "'warm' is not a Real"),
        (("--set", "a.y=1"), "cannot be set"),
        (("--conversions", "some"), "'safe' or 'all'"),
        (("--parameters", "missing.ssv"), "missing.ssv"),
        (("--input", "wrong.csv"), "'inn' is no input of the system; did you mean 'in'?"),
        (("--input", "units.csv"), "measure different things"),
    ],
)
def test_what_makes_no_sense(
    gain: Path, tmp_path: Path, cli: Cli, arguments: tuple[str, ...], words: str
) -> None:
    (tmp_path / "wrong.csv").write_text("time [s],inn\n0,0\n1,10\n")
    (tmp_path / "units.csv").write_text("time [s],in [kW]\n0,0\n1,10\n")
    done = cli("run", gain, "--stop", 1, *arguments)
    assert done.returncode in (2, 3)
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_missing_implementation(fmus: Path, tmp_path: Path, cli: Cli) -> None:
    lin = fmus / "fmi2" / "LinearA.fmu"
    made = system(
        component("no", None, "y:output"),
        component("a", lin, "u:input", "y:output"),
        connection("no.y -> a.u"),
    )
    path = pack(tmp_path / "m.ssp", made, files_for(lin))
    refused = cli("run", path, "--stop", 1)
    assert refused.returncode == 3
    assert "V30" in refused.stderr
    assert cli("run", path, "--stop", 1, "--allow-missing").returncode == 0


def test_set_arrays_of_connectors(fmus: Path, tmp_path: Path, cli: Cli) -> None:
    fmu = fmus / "fmi3" / "Feedthrough.fmu"
    made = system(
        "x:input:Real{3}",
        component("a", fmu, "vector_in:input:Real{3}", "vector_out:output:Real{3}"),
        component("b", fmu, "vector_in:input", "vector_out:output"),
        connection("x -> a.vector_in"),
    )
    pack(tmp_path / "arrays.ssp", made, files_for(fmu))
    given = ("--set", "x=1 2 3", "--set", "b.vector_in=4,5,6")
    done = cli("run", "arrays.ssp", "--stop", 1, "--step", 1, "-o", "r", *given)
    assert done.returncode == 0, done.stderr
    last = (tmp_path / "r" / "values.csv").read_text().splitlines()[-1]
    assert [float(word) for word in last.split(",")] == [1, 1, 2, 3, 4, 5, 6]
