"""Turns SVG into PNG, with a package that needs no libraries of the system."""

from __future__ import annotations

ZOOM = 2.0
LARGEST = 8000.0  # pixels


def write_png(svg: str, extent: float) -> bytes:
    """The picture in pixels, on white; `extent` is the longer one of its sides."""
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=min(ZOOM, LARGEST / extent)))
