"""FMUs for these tests alone, and small systems."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from small_ssp import write_ssp

import sspsim

ROOT = Path(__file__).resolve().parents[2]

System = Callable[..., sspsim.LoadedSystem]


@pytest.fixture
def system(fmus: Path, tmp_path: Path) -> System:
    """Loads a system made from `{"component": "Model"}` or `{"component": path}` and connections."""

    def build(
        components: Mapping[str, str | Path],
        connections: Sequence[str] = (),
        *,
        fmi: int = 2,
        stop: float = 1.0,
        **options: object,
    ) -> sspsim.LoadedSystem:
        paths = {
            name: model if isinstance(model, Path) else fmus / f"fmi{fmi}" / f"{model}.fmu"
            for name, model in components.items()
        }
        number = len(list(tmp_path.glob("*.ssp")))
        return sspsim.load(write_ssp(tmp_path / f"s{number}.ssp", paths, connections, stop=stop), **options)

    return build


@pytest.fixture(scope="session")
def deaf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An FMI 1 FMU whose outputs do not answer to inputs between initialisation and step."""
    return own_fmu("Deaf", 1, tmp_path_factory.mktemp("deaf"))


@pytest.fixture(scope="session")
def exponential(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """y = exp(u)."""
    return own_fmu("Exponential", 2, tmp_path_factory.mktemp("exponential"))


def own_fmu(name: str, fmi: int, folder: Path) -> Path:
    """Builds one of the models beside this file."""
    sys.path.insert(0, str(ROOT / "examples"))
    from fmubuild import package

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(package, "MODELS", Path(__file__).with_name("models"))
        package.models.cache_clear()
        try:
            return package.build_fmu(name, fmi, folder)
        finally:
            package.models.cache_clear()
