"""Block layouts (.bm) that MasterSim keeps beside its projects: where blocks, sockets and lines are drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from sspsim.errors import InputError
from sspsim.structure.diagnostic import Diagnostic, Origin, warning

LAYOUT = "M20"


@dataclass(frozen=True, slots=True)
class Socket:
    """Where a variable sits on the border of its block, in pixels from the upper left corner."""

    name: str
    x: float
    y: float
    inlet: bool
    horizontal: bool = True


@dataclass(frozen=True, slots=True)
class Block:
    """The place of a simulator; y points down."""

    name: str
    x: float
    y: float
    width: float
    height: float
    sockets: tuple[Socket, ...] = ()
    pixmap: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a line: how far it goes to the right, or down."""

    horizontal: bool
    offset: float


@dataclass(frozen=True, slots=True)
class Wire:
    """The way of a connection; the legs at the two sockets are not written."""

    source: str
    target: str
    segments: tuple[Segment, ...] = ()
    name: str = "auto-named"


@dataclass(frozen=True, slots=True)
class Network:
    """The content of a .bm file."""

    blocks: tuple[Block, ...] = ()
    wires: tuple[Wire, ...] = ()


def read(data: bytes, file: str) -> tuple[Network, list[Diagnostic]]:
    """The layout in `data`; what is not understood is left out and reported, since nothing depends on it."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root: Any = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as problem:
        raise InputError(f"{file}: not well-formed XML: {problem}; save the layout again") from None
    if root.getroottree().docinfo.doctype:
        raise InputError(f"{file}: a document type (<!DOCTYPE>) is not allowed; remove it")
    if root.tag != "BlockMod":
        raise InputError(f"{file}: the root element is {root.tag}, expected is BlockMod; is it a layout?")
    diagnostics: list[Diagnostic] = []
    blocks = _each(root, "Blocks/Block", _block, file, diagnostics)
    wires = _each(root, "Connectors/Connector", _wire, file, diagnostics)
    return Network(tuple(blocks), tuple(wires)), diagnostics


def _each(root: Any, path: str, build: Any, file: str, diagnostics: list[Diagnostic]) -> Iterable[Any]:
    found = []
    for element in root.findall(path):
        try:
            found.append(build(element))
        except ValueError as problem:
            place = Origin(file, element.sourceline or 0)
            diagnostics.append(warning(LAYOUT, f"{element.tag}: {problem}; it is drawn anew", place))
    return found


def _text(element: Any, tag: str) -> str:
    text = element.findtext(tag)
    if text is None:
        raise ValueError(f"{tag} is missing")
    return str(text).strip()


def _pair(element: Any, tag: str) -> tuple[float, float]:
    text = _text(element, tag)
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(f"{tag} is {text!r}, not two numbers") from None
    return first, second


def _word(element: Any, tag: str, true: str, false: str) -> bool:
    text = _text(element, tag)
    if text not in (true, false):
        raise ValueError(f"{tag} is {text!r}, neither {true} nor {false}")
    return text == true


def _block(element: Any) -> Block:
    sockets = tuple(_socket(socket) for socket in element.findall("Sockets/Socket"))
    pixmap = element.findtext("Properties/ShowPixmap", "").strip() == "true"
    return Block(
        element.get("name", ""), *_pair(element, "Position"), *_pair(element, "Size"), sockets, pixmap
    )


def _socket(element: Any) -> Socket:
    return Socket(
        element.get("name", ""),
        *_pair(element, "Position"),
        inlet=_word(element, "Inlet", "true", "false"),
        horizontal=_word(element, "Orientation", "Horizontal", "Vertical"),
    )


def _wire(element: Any) -> Wire:
    segments = tuple(
        Segment(_word(s, "Orientation", "Horizontal", "Vertical"), float(_text(s, "Offset")))
        for s in element.findall("Segments/Segment")
    )
    return Wire(_text(element, "Source"), _text(element, "Target"), segments, element.get("name", ""))


def write(network: Network) -> bytes:
    """The text of a layout, as MasterSim reads it."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<BlockMod>", "\t<Blocks>"]
    for block in network.blocks:
        lines += _block_lines(block)
    lines += ["\t</Blocks>", "\t<Connectors>"]
    for wire in network.wires:
        lines += _wire_lines(wire)
    lines += ["\t</Connectors>", "</BlockMod>"]
    return ("\n".join(lines) + "\n").encode()


def _block_lines(block: Block) -> list[str]:
    lines = [
        f"\t\t<Block name={quoteattr(block.name)}>",
        f"\t\t\t<Position>{block.x:.15g}, {block.y:.15g}</Position>",
        f"\t\t\t<Size>{block.width:.15g}, {block.height:.15g}</Size>",
    ]
    if block.pixmap:
        lines.append("\t\t\t<Properties><ShowPixmap>true</ShowPixmap></Properties>")
    lines.append("\t\t\t<Sockets>")
    for socket in block.sockets:
        lines += [
            f"\t\t\t\t<Socket name={quoteattr(socket.name)}>",
            f"\t\t\t\t\t<Position>{socket.x:.15g}, {socket.y:.15g}</Position>",
            f"\t\t\t\t\t<Orientation>{_orientation(socket.horizontal)}</Orientation>",
            f"\t\t\t\t\t<Inlet>{'true' if socket.inlet else 'false'}</Inlet>",
            "\t\t\t\t</Socket>",
        ]
    return [*lines, "\t\t\t</Sockets>", "\t\t</Block>"]


def _wire_lines(wire: Wire) -> list[str]:
    lines = [
        f"\t\t<Connector name={quoteattr(wire.name)}>",
        f"\t\t\t<Source>{escape(wire.source)}</Source>",
        f"\t\t\t<Target>{escape(wire.target)}</Target>",
    ]
    if wire.segments:
        lines.append("\t\t\t<Segments>")
        for segment in wire.segments:
            lines += [
                "\t\t\t\t<Segment>",
                f"\t\t\t\t\t<Orientation>{_orientation(segment.horizontal)}</Orientation>",
                f"\t\t\t\t\t<Offset>{segment.offset:.15g}</Offset>",
                "\t\t\t\t</Segment>",
            ]
        lines.append("\t\t\t</Segments>")
    return [*lines, "\t\t</Connector>"]


def _orientation(horizontal: bool) -> str:
    return "Horizontal" if horizontal else "Vertical"
