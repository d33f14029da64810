"""Draws a system into a file; the name of the file says how."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sspsim.drawing.gather import gather
from sspsim.drawing.html import write_html
from sspsim.drawing.place import place
from sspsim.drawing.png import write_png
from sspsim.drawing.svg import write_svg
from sspsim.drawing.text import write_dot, write_graphml
from sspsim.errors import InputError, UsageError
from sspsim.loading import LoadedSystem


def draw(system: LoadedSystem, path: str | Path, *, as_told: bool = True) -> None:
    """Writes an .svg, .png, .html, .dot or .graphml file.

    Boxes are where the system's file puts them if `as_told`, else, and where it does not say, in columns by
    the order of evaluation.
    """
    path = Path(path)
    writers: dict[str, Callable[[], str | bytes]] = {
        ".svg": lambda: write_svg(place(gather(system), as_told=as_told)),
        ".png": lambda: _png(system, as_told),
        ".html": lambda: _html(system, as_told),
        ".dot": lambda: write_dot(system.graph()),
        ".graphml": lambda: write_graphml(system.graph()),
    }
    if path.suffix.lower() not in writers:
        raise UsageError(f"{path}: the name must end with one of {', '.join(writers)}")
    content = writers[path.suffix.lower()]()
    try:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as problem:
        raise InputError(f"{path}: {problem.strerror}; choose another place") from None


def _png(system: LoadedSystem, as_told: bool) -> bytes:
    return write_png(write_svg(place(gather(system), as_told=as_told)))


def _html(system: LoadedSystem, as_told: bool) -> str:
    diagram = gather(system)
    return write_html(diagram, place(diagram, as_told=as_told))
