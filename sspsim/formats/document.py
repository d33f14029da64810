"""Reading and writing one file of a known format: the root element, the version, what was noticed."""

from __future__ import annotations

from typing import Any

from sspsim.formats.refusal import UNREADABLE, Refusal, refusal
from sspsim.formats.shape import Report, Shape
from sspsim.formats.xml import NAMESPACES, SHORTENED, Node, declared_encoding, parse
from sspsim.structure.diagnostic import Diagnostic, Severity

VERSIONS = ("1.0", "2.0")


def read(shape: Shape, data: bytes, file: str) -> tuple[Any, list[Diagnostic]]:
    """The object in `data`, and what was noticed on the way."""
    node = parse(data, file)
    _check_root(shape, node, file)
    report = Report(file)
    encoding = declared_encoding(data)
    if encoding not in ("utf-8", "utf8"):
        report.add(Severity.WARNING, f"the encoding is {encoding}, the standard wants UTF-8", 1)
    for uri in SHORTENED:
        if (place := data.find(f'"{uri}"'.encode())) >= 0:
            line = data.count(b"\n", 0, place) + 1
            message = f"the namespace {uri} is taken as {SHORTENED[uri]}, which is meant"
            report.add(Severity.WARNING, message, line)
    value = shape.read(node, report)
    if value is None:
        raise Refusal(*report.diagnostics)
    if value.version not in VERSIONS:
        report.add(
            Severity.WARNING,
            f"version {value.version!r} is unknown",
            node.line,
            f"known are {' and '.join(VERSIONS)}",
        )
    return value, report.diagnostics


def _check_root(shape: Shape, node: Node, file: str) -> None:
    version = node.attributes.get("version", "")
    if "Draft" in node.tag or version.startswith("Draft"):
        message = f"this is a draft of the standard ({version or node.tag})"
        raise refusal(UNREADABLE, message, file, node.line, "export it as SSP 1.0 or 2.0")
    if node.tag != shape.tag:
        prefix = shape.tag.partition(":")[0]
        message = f"the root element is {node.tag} instead of {shape.tag} (namespace {NAMESPACES[prefix]})"
        raise refusal(UNREADABLE, message, file, node.line, "is it a file of another format?")
