"""Turns SVG into PNG, with a package that needs no libraries of the system."""

from __future__ import annotations

from sspsim.errors import UsageError

ZOOM = 2.0
LARGEST = 8000.0  # pixels


def write_png(svg: str, extent: float) -> bytes:
    """The picture in pixels, on white; `extent` is the longer one of its sides."""
    try:
        import resvg_py
    except ImportError:
        raise UsageError(
            "a PNG needs the package resvg_py; install it (pip install 'sspsim[png]') or write an .svg"
        ) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=min(ZOOM, LARGEST / extent)))
