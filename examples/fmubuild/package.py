"""Compiles a model and packs it as an FMU."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import threading
import zipfile
from functools import cache
from pathlib import Path

from .ccode import interface_header, interface_tables
from .description import model_description
from .model import Model, read_model

EXAMPLES = Path(__file__).resolve().parent.parent
MODELS = EXAMPLES / "models"
SCAFFOLD = EXAMPLES / "scaffold"
UNITS = EXAMPLES / "units.toml"
# Pairs of results in one store would let what depends on the quicker one wait for the slower one.
FLAGS = (
    "-std=c11",
    "-O2",
    "-fno-tree-slp-vectorize",
    "-fPIC",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
)


class BuildError(Exception):
    """Something that the build needs is missing, or the compiler refused a model."""


@cache
def models() -> dict[str, Path]:
    """Model name -> its description file."""
    return {read_model(path).name: path for path in sorted(MODELS.glob("*.toml"))}


def model_names() -> list[str]:
    return list(models())


def build_fmu(name: str, fmi: int, out_dir: Path) -> Path:
    """Build `<out_dir>/fmi<fmi>/<name>.fmu` unless it is up to date; return its path."""
    if name not in models():
        raise BuildError(f"There is no model {name!r}. Known models: {', '.join(models())}")
    target = Path(out_dir) / f"fmi{fmi}" / f"{name}.fmu"
    model = read_model(models()[name])
    recipe = _recipe(model, fmi)
    if read_comment(target) == recipe:
        return target
    with tempfile.TemporaryDirectory() as work:
        binary = _compile(model, fmi, Path(work), Path(out_dir))
        entries = {
            "modelDescription.xml": model_description(model, fmi, UNITS),
            f"binaries/{platform_folder(fmi)}/{name}{_suffix()}": binary.read_bytes(),
        }
    write_archive(target, entries, recipe)
    return target


def platform_folder(fmi: int) -> str:
    """The folder of the binary for the machine that builds."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, sys.platform)
    if fmi < 3:
        return {"windows": "win"}.get(system, system) + ("64" if sys.maxsize > 2**32 else "32")
    machine = platform.machine().lower()
    return f"{ {'amd64': 'x86_64', 'arm64': 'aarch64'}.get(machine, machine) }-{system}"


def write_archive(target: Path, entries: dict[str, bytes], recipe: bytes) -> None:
    """A zip that depends on its content alone; the recipe in its comment tells whether it is up to date."""
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.{os.getpid()}.part")
    with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = recipe
        for name, content in sorted(entries.items()):
            info = zipfile.ZipInfo(name, date_time=(2000, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
            archive.writestr(info, content)
    fresh.replace(target)


def read_comment(archive: Path) -> bytes:
    """The recipe of an archive, empty if there is no such archive."""
    try:
        with zipfile.ZipFile(archive) as opened:
            return opened.comment
    except (FileNotFoundError, zipfile.BadZipFile):
        return b""


def digest(parts: list[bytes]) -> bytes:
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest().encode()


def _recipe(model: Model, fmi: int) -> bytes:
    return digest(
        [_common_sources(), *(path.read_bytes() for path in model.files), f"{fmi} {compiler()}".encode()]
    )


@cache
def _common_sources() -> bytes:
    files = sorted([*SCAFFOLD.iterdir(), *MODELS.glob("*.h"), *Path(__file__).parent.glob("*.py"), UNITS])
    return digest([path.read_bytes() for path in files])


def compiler() -> list[str]:
    return shlex.split(os.environ.get("CC", "cc"))


@cache
def fmi_headers() -> Path:
    """The FMI headers that FMPy brings along, found without importing it (which takes longer than a build)."""
    spec = importlib.util.find_spec("fmpy")
    if spec is None or spec.origin is None:
        raise BuildError("The FMI headers come with FMPy, which is not installed: pip install fmpy")
    headers = Path(spec.origin).parent / "c-code"
    if not (headers / "fmi2Functions.h").exists():
        raise BuildError(
            f"FMPy has no FMI headers in {headers}; install a current version: pip install -U fmpy"
        )
    return headers


def _suffix() -> str:
    return {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")


def _compile(model: Model, fmi: int, work: Path, out_dir: Path) -> Path:
    """Compile what is special to the model and link it with the shared objects."""
    (work / "interface.h").write_text(interface_header(model, fmi), encoding="utf-8")
    (work / "interface.c").write_text(interface_tables(model, fmi), encoding="utf-8")
    defines = ["-DMINIMAL_API"] if model.option("minimal_api") else []
    core = _shared_object("core.c", [], out_dir)
    if fmi == 1:  # its function names carry the name of the model
        face = SCAFFOLD / "fmi1.c"
        defines.append(f"-DMODEL_IDENTIFIER={model.name}")
    else:
        face = _shared_object(f"fmi{fmi}.c", defines, out_dir)
    binary = work / f"{model.name}{_suffix()}"
    sources = [work / "interface.c", model.source, face, core]
    _run(
        ["-shared", *defines, f"-I{work}", "-o", str(binary), *map(str, sources), "-lm"],
        f"{model.name} (FMI {fmi})",
    )
    return binary


_lock = threading.Lock()


def _shared_object(source: str, defines: list[str], out_dir: Path) -> Path:
    """The object of a scaffold file that is the same for all models, compiled at most once."""
    key = digest([_common_sources(), " ".join([source, *defines, *compiler()]).encode()])[:16].decode()
    target = Path(out_dir) / ".objects" / f"{Path(source).stem}-{key}.o"
    with _lock:
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh = target.with_name(f"{target.name}.{os.getpid()}.part")
            _run(["-c", *defines, "-o", str(fresh), str(SCAFFOLD / source)], source)
            fresh.replace(target)
    return target


def _run(arguments: list[str], what: str) -> None:
    command = [*compiler(), *FLAGS, f"-I{SCAFFOLD}", f"-I{fmi_headers()}", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise BuildError(
            f"No C compiler: {command[0]!r} was not found. Install one, or name yours in CC."
        ) from None
    if done.returncode != 0:
        raise BuildError(f"{what} does not compile:\n{' '.join(command)}\n{done.stderr}")
    if done.stderr:
        print(done.stderr, file=sys.stderr)
