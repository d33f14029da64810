"""Turns SVG into PNG, with a package that needs no libraries of the system."""

from __future__ import annotations

import re

ZOOM = 2.0
LARGEST = 8000.0  # pixels


def write_png(svg: str) -> bytes:
    """The picture in pixels, on white."""
    import resvg_py

    sides = re.search(r'width="([0-9.]+)" height="([0-9.]+)"', svg)
    extent = max(map(float, sides.groups())) if sides else LARGEST
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=min(ZOOM, LARGEST / extent)))
