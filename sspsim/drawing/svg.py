"""Writes a picture as SVG: one file, readable on light and dark backgrounds, with tool tips."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from sspsim.drawing.diagram import Style
from sspsim.drawing.font import shortened, text_width, wrapped
from sspsim.drawing.picture import (
    LABEL,
    LETTERS,
    TITLE,
    WORDS,
    Group,
    Label,
    Picture,
    PlacedBox,
    PlacedNote,
    PlacedWire,
    number,
)

EDGE = 24.0  # free space around everything
LEGEND = 34.0
READABLE = 0.7  # the scale of what is inside a system
LARGEST = 5000.0  # pixels of an enlarged picture
HUES = (
    "#e69f00",
    "#56b4e9",
    "#009e73",
    "#cc79a7",
    "#d55e00",
    "#0072b2",
    "#b8a900",
)  # told apart by everybody

STYLE = """
text { font-family: Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif; fill: #1d2733; }
.bg { fill: #ffffff; }
.box { fill: #f4f6f8; stroke: #5b6b7b; stroke-width: 1.2; }
.frame { fill: #5b6b7b; fill-opacity: 0.05; stroke: #5b6b7b; stroke-width: 1.2; stroke-dasharray: 1 3; }
.title { font-size: 13px; font-weight: bold; }
.words, .note { font-size: 10px; fill: #5b6b7b; }
.port { font-size: 10px; }
.dot { fill: #5b6b7b; }
.wire { fill: none; stroke: #3a4b5c; stroke-width: 1.3; stroke-linejoin: round; }
.many { stroke-width: 2.6; }
.wire.broken { stroke: #c62828; stroke-dasharray: 7 4; }
.wire.time-only { stroke: #2e7d32; stroke-dasharray: 2 3; }
.head-live { fill: #3a4b5c; }
.head-broken { fill: #c62828; }
.head-time-only { fill: #2e7d32; }
.count { fill: #ffffff; stroke: #3a4b5c; }
.number { font-size: 9px; text-anchor: middle; }
.group { fill-opacity: 0.16; stroke-width: 1.2; }
.member { font-size: 10px; font-style: italic; }
.over { paint-order: stroke; stroke: #f4f6f8; stroke-width: 3px; stroke-linejoin: round; }
.area { fill: none; stroke: #b0bac4; stroke-dasharray: 4 4; }
"""
DARK = """
@media (prefers-color-scheme: dark) {
text { fill: #e6ebf0; }
.bg { fill: #14191f; }
.box { fill: #232c36; stroke: #93a3b3; }
.frame { fill: #93a3b3; stroke: #93a3b3; }
.words, .note { fill: #a9b6c3; }
.over { stroke: #232c36; }
.dot { fill: #93a3b3; }
.wire { stroke: #c3ced9; }
.wire.broken { stroke: #ff6b6b; }
.wire.time-only { stroke: #6fcf7a; }
.head-live { fill: #c3ced9; }
.head-broken { fill: #ff6b6b; }
.head-time-only { fill: #6fcf7a; }
.count { fill: #14191f; stroke: #c3ced9; }
}
"""


def write_svg(picture: Picture) -> str:
    """The picture as a text."""
    legend = list(_legend_entries(picture))
    width = max(picture.width, sum(w for _, _, w in legend)) + 2 * EDGE
    height = picture.height + 2 * EDGE + (LEGEND if legend else 0.0)
    x, y = picture.x - EDGE, picture.y - EDGE
    view = " ".join(map(number, (x, y, width, height)))
    zoom = _zoom(picture, max(width, height))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {_size(zoom * width, zoom * height)} viewBox="{view}">',
        f"<style>{STYLE}{DARK}</style>",
        "<defs>",
        *(_arrow(style) for style in Style),
        "</defs>",
        f'<rect class="bg" x="{number(x)}" y="{number(y)}" {_size(width, height)}/>',
        *_picture(picture),
        *_legend(legend, picture.x, picture.y + picture.height + EDGE),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _zoom(picture: Picture, extent: float) -> float:
    """How much the whole is enlarged so that the smallest system inside can be read."""
    return max(1.0, min(READABLE / _smallest(picture), LARGEST / extent))


def _smallest(picture: Picture) -> float:
    scales = [placed.inner_at[2] * _smallest(placed.inner) for placed in picture.boxes if placed.inner]
    return min(scales, default=1.0)


def _size(width: float, height: float) -> str:
    return f'width="{number(width)}" height="{number(height)}"'


def _arrow(style: Style) -> str:
    size = 'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse"'
    head = f'<path class="head-{style.value}" d="M0 0L8 4L0 8z"/>'
    return f'<marker id="{style.value}" {size} orient="auto">{head}</marker>'


def _picture(picture: Picture) -> Iterator[str]:
    for group in picture.groups:
        yield from _group(group)
    for note in picture.notes:
        yield from _note(note)
    for placed in picture.boxes:
        yield from _box(placed)
    for wire in picture.wires:
        yield from _wire(wire)
    for label in picture.border:
        yield from _border_label(label)


def _rectangle(
    class_: str, x: float, y: float, width: float, height: float, round_: int, more: str = ""
) -> str:
    sizes = " ".join(
        f'{name}="{number(value)}"'
        for name, value in (("x", x), ("y", y), ("width", width), ("height", height), ("rx", round_))
    )
    return f'<rect class="{class_}" {sizes}{more}/>'


def _text(class_: str, x: float, y: float, text: str, anchor: str = "start") -> str:
    where = f'x="{number(x)}" y="{number(y)}"'
    side = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text class="{class_}" {where}{side}>{escape(text)}</text>'


def _group(group: Group) -> Iterator[str]:
    hue = HUES[(group.cycle - 1) % len(HUES)]
    more = f' fill="{hue}" stroke="{hue}"'
    yield _rectangle("group", group.x, group.y, group.width, group.height, 12, more)
    yield _text("member", group.x + 8, group.y + 13, group.title)


def _note(note: PlacedNote) -> Iterator[str]:
    yield _rectangle("area", note.x, note.y, note.width, note.height, 3)
    for row, line in enumerate(wrapped(note.text, WORDS, note.width - 10)):
        yield _text("note", note.x + 5, note.y + 14 + 13 * row, line)


def _box(placed: PlacedBox) -> Iterator[str]:
    box = placed.box
    data = f" data-box={quoteattr(box.name)}" + (' data-system="1"' if placed.inner else "")
    yield f"<g{data}>"
    yield f"<title>{escape(chr(10).join([box.name, *box.facts]))}</title>"
    class_ = "frame" if placed.inner else "box"
    yield _rectangle(class_, placed.x, placed.y, placed.width, placed.height, 6, _turned(placed))
    if box.icon:
        yield from _icon(placed)
    title = shortened(box.path[-1], max(8, int(placed.title_width / 8)))
    if placed.inner:
        yield _text("title", placed.x + 10, placed.y + 16, title)
        wide = text_width(title, TITLE, bold=True) + 20
        if wide + text_width(box.words, WORDS) < placed.width:
            yield _text("words", placed.x + wide, placed.y + 16, box.words)
    else:
        middle, top = placed.title_at
        over = " over" if box.icon else ""
        yield _text(f"title{over}", middle, top, title, "middle")
        words = shortened(box.words, max(8, int(placed.title_width / 5.5)))
        yield _text(f"words{over}", middle, top + 14, words, "middle")
    for label in placed.labels:
        yield from _label(label)
    yield "</g>"
    if placed.inner:
        x, y, scale = placed.inner_at
        move = f"translate({number(x - placed.inner.x * scale)} {number(y - placed.inner.y * scale)})"
        yield f'<g transform="{move} scale({scale:.4g})">' if scale != 1 else f'<g transform="{move}">'
        yield from _picture(placed.inner)
        yield "</g>"


def _turned(placed: PlacedBox) -> str:
    """Turns counter-clockwise about the middle, as the file counts; SVG counts clockwise."""
    if not placed.rotation:
        return ""
    x, y = placed.x + placed.width / 2, placed.y + placed.height / 2
    return f' transform="rotate({number(-placed.rotation)} {number(x)} {number(y)})"'


def _icon(placed: PlacedBox) -> Iterator[str]:
    """In the middle of the box, flipped with it only if the file wants that."""
    box, geometry = placed.box, placed.box.geometry
    if not box.icon or not geometry:
        return
    data = b64encode(box.icon.data).decode()
    x, y = placed.x + placed.width / 2, placed.y + placed.height / 2
    flip = [-1 if flipped and geometry.icon_flip else 1 for flipped in placed.flips]
    turn = -(placed.rotation + geometry.icon_rotation)
    aspect = "xMidYMid meet" if geometry.icon_fixed_aspect_ratio else "none"
    corner = f'x="{number(3 - placed.width / 2)}" y="{number(3 - placed.height / 2)}"'
    size = f'{_size(placed.width - 6, placed.height - 6)} preserveAspectRatio="{aspect}"'
    move = f"translate({number(x)} {number(y)}) rotate({number(turn)}) scale({flip[0]} {flip[1]})"
    source = f"data:{box.icon.media};base64,{data}"
    yield f'<image {corner} {size} transform="{move}" opacity="0.85" href="{source}"/>'


def _label(label: Label) -> Iterator[str]:
    x, y = label.dot
    yield f'<circle class="dot" cx="{number(x)}" cy="{number(y)}" r="2.2"/>'
    if label.side == "left":
        yield _text("port", x + 7, y + 3.5, shortened(label.text, LETTERS))
    elif label.side == "right":
        yield _text("port", x - 7, y + 3.5, shortened(label.text, LETTERS), "end")


def _border_label(label: Label) -> Iterator[str]:
    x, y = label.dot
    yield f'<circle class="dot" cx="{number(x)}" cy="{number(y)}" r="3"/>'
    side = "start" if label.side == "left" else "end"
    yield _text("port", x + (5 if side == "start" else -5), y - 4, shortened(label.text, LETTERS), side)


def _wire(wire: PlacedWire) -> Iterator[str]:
    class_ = f"wire {wire.style.value}" + (" many" if wire.count > 1 else "")
    words = [*wire.connections[:20], *(["..."] if len(wire.connections) > 20 else [])]
    ends = [end or "outside" for end in wire.ends]
    title = "\n".join([f"{ends[0]} → {ends[1]} ({_said(wire.style)})", *words])
    source, target = map(quoteattr, wire.ends)
    yield f"<g data-from={source} data-to={target}><title>{escape(title)}</title>"
    head = f' marker-end="url(#{wire.style.value})"' if wire.ends[1] else ""
    yield f'<path class="{class_}" d="{wire.path}"{head}/>'
    if wire.count > 1:
        x, y = wire.label_at
        yield f'<circle class="count" cx="{number(x)}" cy="{number(y)}" r="8"/>'
        yield _text("number", x, y + 3.2, str(wire.count))
    yield "</g>"


def _said(style: Style) -> str:
    return {
        Style.LIVE: "value of this step",
        Style.BROKEN: "assumed value, computed later in the step",
        Style.TIME_ONLY: "function of time alone",
    }[style]


def _legend_entries(picture: Picture) -> Iterator[tuple[str, str, float]]:
    styles = {wire.style for inner in _all(picture) for wire in inner.wires}
    for style in Style:
        if style in styles and styles != {Style.LIVE}:
            yield style.value, _said(style), 50 + text_width(_said(style), LABEL)
    if any(inner.groups for inner in _all(picture)):
        yield "cycle", "cycle", 50 + text_width("cycle", LABEL)


def _all(picture: Picture) -> Iterator[Picture]:
    yield picture
    for placed in picture.boxes:
        if placed.inner:
            yield from _all(placed.inner)


def _legend(entries: Iterable[tuple[str, str, float]], x: float, y: float) -> Iterator[str]:
    for kind, words, width in entries:
        if kind == "cycle":
            yield _rectangle("group", x, y - 8, 26, 14, 4, f' fill="{HUES[0]}" stroke="{HUES[0]}"')
        else:
            yield f'<path class="wire {kind}" d="M{number(x)} {number(y)}h26"/>'
        yield _text("port", x + 32, y + 3.5, words)
        x += width
