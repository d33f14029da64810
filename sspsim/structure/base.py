"""What every entity of a system structure can carry: id, description, annotations, its place in the file."""

from __future__ import annotations

from dataclasses import dataclass, field

from sspsim.structure.diagnostic import Origin


@dataclass(frozen=True, slots=True)
class Annotation:
    """Foreign data, kept as it was written: `xml` is the complete ssc:Annotation element."""

    type: str
    xml: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Base of everything that the standard derives from ABaseElement."""

    id: str | None = None
    description: str | None = None
    annotations: tuple[Annotation, ...] = ()
    origin: Origin | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Content:
    """Inline content of meta data or a signature: the complete ssc:Content element."""

    xml: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature(Entity):
    """A signature over the enclosing element or the enclosing meta data."""

    role: str
    type: str
    source: str | None = None
    source_base: str = "file"
    content: Content | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaData(Entity):
    """Meta data of the enclosing element, inline or in a file."""

    kind: str
    type: str
    source: str | None = None
    source_base: str = "file"
    content: Content | None = None
    signatures: tuple[Signature, ...] = ()


@dataclass(frozen=True, slots=True)
class FileHeader:
    """Who made a file, with what and when: the attributes that all four roots share."""

    author: str | None = None
    fileversion: str | None = None
    copyright: str | None = None
    license: str | None = None
    generation_tool: str | None = None
    generation_date_and_time: str | None = None
