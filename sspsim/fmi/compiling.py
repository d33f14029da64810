"""Builds the library of an FMU that brings only its sources, with the C compiler of this machine.

That runs a compiler on foreign code and then the code itself, so it is only done when the user asks for it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from lxml import etree

from sspsim.errors import InputError
from sspsim.fmi.description import Interface
from sspsim.fmi.platforms import SUFFIX, binary_folders

TIME_LIMIT = 600
BUILD_FILE = "buildDescription.xml"


def compile_sources(folder: Path, interface: Interface) -> Path:
    """Compiles what is in `folder/sources` into the place where the library of this platform belongs."""
    sources = folder / "sources"
    files, options = _build_description(sources, interface) or (_listed(sources, interface), [])
    if not files:
        raise InputError(f"{folder.name}: the FMU has neither a binary for this platform nor sources")
    target = folder / "binaries" / binary_folders()[0] / f"{interface.identifier}{SUFFIX}"
    target.parent.mkdir(parents=True, exist_ok=True)
    includes = [f"-I{sources}", f"-I{_headers()}"]
    command = [*_compiler(), "-shared", "-fPIC", "-O2", *includes, *options, "-o", str(target), *files, "-lm"]
    try:
        done = subprocess.run(
            command, cwd=sources, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        raise InputError(
            f"{interface.identifier}: its sources did not compile within {TIME_LIMIT} s"
        ) from None
    if done.returncode:
        problem = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[-500:])
        raise InputError(f"{interface.identifier}: its sources do not compile: {problem.strip()}")
    return target


def _listed(sources: Path, interface: Interface) -> list[str]:
    """The files that the description lists, else all of them."""
    return list(interface.sources) or sorted(str(path.relative_to(sources)) for path in sources.glob("*.c"))


def _build_description(sources: Path, interface: Interface) -> tuple[list[str], list[str]] | None:
    """Files and options from the build description of FMI 3."""
    path = sources / BUILD_FILE
    if not path.is_file():
        return None
    try:
        root = etree.fromstring(path.read_bytes(), etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as problem:
        raise InputError(f"{BUILD_FILE}:{problem.lineno}: not well-formed XML: {problem.msg}") from None
    files: list[str] = []
    options: list[str] = []
    for configuration in root.iterfind("BuildConfiguration"):
        if configuration.get("modelIdentifier") != interface.identifier:
            continue
        files += [f.get("name", "") for f in configuration.iterfind("SourceFileSet/SourceFile")]
        for definition in configuration.iterfind("SourceFileSet/PreprocessorDefinition"):
            value = definition.get("value")
            options.append(f"-D{definition.get('name')}" + (f"={value}" if value else ""))
        options += [
            f"-I{sources / (i.get('name') or '')}"
            for i in configuration.iterfind("SourceFileSet/IncludeDirectory")
        ]
    return files, options


def _compiler() -> list[str]:
    command = shlex.split(os.environ.get("CC", "cc"))
    if not shutil.which(command[0]):
        raise InputError(
            f"the FMU has to be compiled, but there is no C compiler {command[0]!r}; install one"
        )
    return command


def _headers() -> Path:
    """The FMI headers that FMPy brings along."""
    spec = find_spec("fmpy")
    if spec is None or spec.origin is None:
        raise InputError("the FMI headers come with FMPy, which is not installed: pip install fmpy")
    return Path(spec.origin).parent / "c-code"
