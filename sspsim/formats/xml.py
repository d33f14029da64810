"""XML read safely: no document types, no entities, bounded size and depth, every element with its line.

The parser is expat: it can refuse a document type before anything in it takes effect, its line numbers have
no upper limit, and its byte positions make it possible to keep foreign parts exactly as they were written.
Expanded names are shortened to the prefix that the standard uses: `ssd:System`, whatever the file calls it.
"""

from __future__ import annotations

import re
from typing import Final
from xml.parsers import expat

from sspsim.errors import InputError
from sspsim.formats.refusal import UNREADABLE, Refusal, refusal

NAMESPACES: Final = {
    "ssd": "http://ssp-standard.org/SSP1/SystemStructureDescription",
    "ssc": "http://ssp-standard.org/SSP1/SystemStructureCommon",
    "ssv": "http://ssp-standard.org/SSP1/SystemStructureParameterValues",
    "ssm": "http://ssp-standard.org/SSP1/SystemStructureParameterMapping",
    "ssb": "http://ssp-standard.org/SSP1/SystemStructureSignalDictionary",
}
OPAQUE: Final = frozenset({"ssc:Annotation", "ssc:Content"})

MAX_BYTES: Final = 100 * 2**20
MAX_DEPTH: Final = 200

SHORTENED: Final = {uri.replace("/SystemStructure", "/"): uri for uri in NAMESPACES.values()}
"""Namespaces as some tools misspell them: `.../SSP1/ParameterValues`."""

_PREFIXES = {uri: prefix for prefix, uri in NAMESPACES.items()}
_PREFIXES |= {short: _PREFIXES[uri] for short, uri in SHORTENED.items()}
_SEPARATOR = "}"
_PORTION = 4096
_ENCODING = re.compile(rb"""^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_START_TAG = re.compile(r"""<([^\s/>]+)((?:[^"'>]|"[^"]*"|'[^']*')*?)(/?)>""")
_DECLARED = re.compile(r"""\sxmlns(?::([^\s=]+))?\s*=""")
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


class Node:
    """An element; `source` is set for those whose content belongs to others, and is their exact text."""

    __slots__ = ("attributes", "children", "line", "source", "tag", "text_line")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Node] = []
        self.line = line
        self.source = ""
        self.text_line = 0


def parse(data: bytes, file: str) -> Node:
    """The root element of `data`; `file` only serves the messages.

    >>> parse(b'<a xmlns="http://ssp-standard.org/SSP1/SystemStructureCommon"/>', "x").tag
    'ssc:a'
    """
    return _Builder(_as_utf8(data, file), file).whole()


def root_attributes(data: bytes, file: str) -> dict[str, str]:
    """The attributes of the root element, without looking at the rest."""
    return _Builder(_as_utf8(data, file), file).beginning().attributes


def declared_encoding(data: bytes) -> str:
    """The encoding that a document says it has, in lower case."""
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            return encoding.removesuffix("-sig")
    match = _ENCODING.match(data[:200])
    return match[1].decode("ascii").lower() if match else "utf-8"


def _as_utf8(data: bytes, file: str) -> bytes:
    if len(data) > MAX_BYTES:
        message = f"{len(data)} bytes are too many for an XML file (at most {MAX_BYTES})"
        raise refusal(UNREADABLE, message, file, hint="split it into several files")
    encoding = declared_encoding(data)
    try:
        if encoding in ("utf-8", "utf8"):
            return data.removeprefix(b"\xef\xbb\xbf")
        return data.decode(encoding).encode()
    except (LookupError, ValueError, TypeError) as problem:
        message = f"cannot be decoded as {encoding!r}: {problem}"
        raise refusal(UNREADABLE, message, file, 1, "save it as UTF-8") from None


class _Builder:
    """Turns the events of the parser into nodes."""

    def __init__(self, data: bytes, file: str) -> None:
        self.data = data
        self.file = file
        self.root: Node | None = None
        self.path: list[Node] = []
        self.foreign_depth = 0
        self.foreign_start = 0
        self.scopes: dict[str, list[str]] = {}
        self.names: dict[str, str] = {}
        parser = self.parser = expat.ParserCreate(encoding="utf-8", namespace_separator=_SEPARATOR)
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self.refuse_doctype
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        parser.StartNamespaceDeclHandler = self.enter_scope
        parser.EndNamespaceDeclHandler = self.leave_scope

    def whole(self) -> Node:
        """The root with all that is in it."""
        self.feed(self.data, final=True)
        assert self.root
        return self.root

    def beginning(self) -> Node:
        """The root as soon as its start tag has been seen."""
        position = 0
        while self.root is None:
            portion = self.data[position : position + _PORTION]
            self.feed(portion, final=not portion)
            position += len(portion)
        return self.root

    def feed(self, data: bytes, *, final: bool) -> None:
        try:
            self.parser.Parse(data, final)
        except expat.ExpatError as problem:
            message = f"not well-formed XML: {expat.ErrorString(problem.code)}"
            hint = "repair it with the tool that wrote it"
            raise refusal(UNREADABLE, message, self.file, problem.lineno, hint) from None

    def fail(self, message: str, hint: str) -> Refusal:
        return refusal(UNREADABLE, message, self.file, self.parser.CurrentLineNumber, hint)

    def refuse_doctype(self, *_: object) -> None:
        raise self.fail("a document type (<!DOCTYPE>) is not allowed in SSP files", "remove it")

    def enter_scope(self, prefix: str | None, uri: str | None) -> None:
        self.scopes.setdefault(prefix or "", []).append(uri or "")

    def leave_scope(self, prefix: str | None) -> None:
        self.scopes[prefix or ""].pop()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self.foreign_depth:
            self.foreign_depth += 1
            if self.foreign_depth > MAX_DEPTH:
                raise self.too_deep()
            return
        tag = self.names.get(name) or self.names.setdefault(name, short_name(name))
        node = Node(tag, attributes, self.parser.CurrentLineNumber)
        path = self.path
        if path:
            path[-1].children.append(node)
        else:
            self.root = node
        path.append(node)
        if len(path) > MAX_DEPTH:
            raise self.too_deep()
        if tag in OPAQUE:
            self.foreign_depth = 1
            self.foreign_start = self.parser.CurrentByteIndex

    def too_deep(self) -> Refusal:
        return self.fail(
            f"elements are nested more than {MAX_DEPTH} levels deep", "split the system into several files"
        )

    def end(self, _name: str) -> None:
        if self.foreign_depth:
            self.foreign_depth -= 1
            if self.foreign_depth:
                return
            self.path[-1].source = self.foreign_source()
        self.path.pop()

    def text(self, text: str) -> None:
        node = self.path[-1]
        if self.foreign_depth <= 1 and not node.text_line and not text.isspace():
            node.text_line = self.parser.CurrentLineNumber

    def foreign_source(self) -> str:
        """The text of the current foreign element, from start to end, made independent of its place."""
        end = self.parser.CurrentByteIndex
        # For <a/> expat puts the end behind the tag, for <a></a> in front of the end tag.
        text = self.data[self.foreign_start : end].decode()
        tag = _START_TAG.match(text)
        assert tag
        if not tag[3]:
            text += self.data[end : self.data.index(b">", end) + 1].decode()
        declared = set(_DECLARED.findall(tag[2]))
        missing = {
            prefix: uris[-1]
            for prefix, uris in self.scopes.items()
            if uris and uris[-1] and prefix not in declared and (not prefix or f"{prefix}:" in text)
        }
        declarations = "".join(
            f' xmlns{":" * bool(p)}{p}="{escape(uri)}"' for p, uri in sorted(missing.items())
        )
        return f"<{tag[1]}{declarations}{text[1 + len(tag[1]) :]}"


def short_name(expanded: str) -> str:
    """`uri}local` with the standard's prefix; names of other namespaces become `{uri}local`."""
    uri, separator, local = expanded.rpartition(_SEPARATOR)
    if not separator:
        return local
    prefix = _PREFIXES.get(uri)
    return f"{prefix}:{local}" if prefix else f"{{{uri}}}{local}"


_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)
_FORBIDDEN = (
    "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # slow to compile: only who writes does
)


def escape(text: str) -> str:
    """`text` as it is written between the quotes of an attribute.

    >>> escape('a < "b"')
    'a &lt; &quot;b&quot;'
    """
    if re.search(_FORBIDDEN, text):
        raise InputError(f"{text!r} has characters that XML cannot hold; remove them")
    return text.translate(_ESCAPES)
