"""Gives everything in a diagram its place: as its file says, else in columns by the order of evaluation."""

from __future__ import annotations

from sspsim.drawing.columns import place_in_columns
from sspsim.drawing.diagram import Diagram
from sspsim.drawing.picture import Picture
from sspsim.drawing.told import place_as_told


def place(diagram: Diagram, *, as_told: bool = True) -> Picture:
    """The picture of a diagram and of all in it; `as_told`: at the places that the file gives."""
    inners = [place(box.inner, as_told=as_told) if box.inner else None for box in diagram.boxes]
    way = place_as_told if as_told and diagram.has_places else place_in_columns
    return way(diagram, inners)
