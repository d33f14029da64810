"""Puts the files of an FMU that a run needs into a folder of their own."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from sspsim.errors import InputError
from sspsim.fmi import modeldescription
from sspsim.fmi.compiling import compile_sources
from sspsim.fmi.description import Description, Interface
from sspsim.fmi.platforms import SUFFIX, binary_folders
from sspsim.formats.container import Container, extract
from sspsim.structure import Diagnostic

NOT_IN_NAMES = re.compile(r'[/\\:*?"<>|!]+')
NOT_NEEDED = ("documentation", "sources")


def read_description(container: Container) -> tuple[Description, list[Diagnostic]]:
    """The description of the FMU in a container."""
    return modeldescription.read(*description_file(container))


def description_file(container: Container) -> tuple[bytes, str]:
    """The text of the description, and its name for messages."""
    name = "modelDescription.xml"
    if name not in container:
        inside = [n for n in container.names() if PurePosixPath(n).name == name]
        if inside:
            raise InputError(
                f"{container.label}: {name} lies in the folder {str(PurePosixPath(inside[0]).parent)!r}; "
                "an FMU is the content of that folder: zip that, not the folder itself"
            )
    return container.read(name), f"{container.label}/{name}"


def unpack(
    container: Container, interface: Interface, directory: Path, *, allow_compile: bool = False
) -> Path:
    """Extracts what this platform needs and gives the path of the FMU's library.

    `allow_compile`: an FMU without a binary for this platform is built from its sources.
    """
    library = find_code(container, interface, allow_compile=allow_compile)
    if library is None:
        extract(container, lambda _name: True, directory)
        (directory / "resources").mkdir(exist_ok=True)
        return compile_sources(directory, interface)
    keep = PurePosixPath(library).parts[1]

    def needed(name: str) -> bool:
        parts = PurePosixPath(name).parts
        return parts[0] not in NOT_NEEDED and (parts[0] != "binaries" or parts[1:2] == (keep,))

    extract(container, needed, directory)
    (directory / "resources").mkdir(exist_ok=True)
    return directory / library


def find_code(container: Container, interface: Interface, *, allow_compile: bool = False) -> str | None:
    """The name of the library for this platform; None if it has to be compiled, with the user's consent."""
    try:
        return find_binary(container, interface)
    except InputError as problem:
        if not any(name.startswith("sources/") for name in container.names()):
            raise
        if not allow_compile:
            raise InputError(f"{problem}, or compile its sources (--allow-compile)") from None
        return None


def find_binary(container: Container, interface: Interface) -> str:
    """The name of the library for this platform."""
    for folder in binary_folders():
        name = f"binaries/{folder}/{interface.identifier}{SUFFIX}"
        if name in container:
            return name
        if other := _only_library(container, f"binaries/{folder}"):
            return other
    there = sorted(
        {
            PurePosixPath(n).parts[1]
            for n in container.names()
            if n.startswith("binaries/") and n.count("/") > 1
        }
    )
    raise InputError(
        f"{container.label}: no binary for this platform ({binary_folders()[0]}); "
        f"it has {', '.join(there) or 'none at all'}. Export the FMU again for this platform"
    )


def _only_library(container: Container, folder: str) -> str | None:
    """Some exporters call the library something else; if there is no other it must be the one."""
    found = [
        n
        for n in container.names()
        if n.startswith(folder) and PurePosixPath(n).parent == PurePosixPath(folder)
    ]
    libraries = [n for n in found if n.endswith(SUFFIX)]
    if len(libraries) > 1:
        names = ", ".join(sorted(PurePosixPath(n).name for n in libraries))
        raise InputError(
            f"{container.label}: {folder} has {names}, but none is called as the modelIdentifier says; "
            "rename the right one"
        )
    return libraries[0] if libraries else None


def folder_name(location: str) -> str:
    """The name of the folder that an FMU is unpacked to when it is to stay there.

    >>> folder_name("resources/Prey 2.fmu"), folder_name("plants/Prey.fmu")
    ('Prey 2', 'plants_Prey')
    """
    return NOT_IN_NAMES.sub("_", location.removeprefix("resources/")).removesuffix(".fmu")
