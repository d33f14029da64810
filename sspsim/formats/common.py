"""The elements that all formats share (SSC): annotations, types, units, transformations, meta data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from sspsim.errors import InputError
from sspsim.formats.lexical import (
    BOOLEAN,
    DOUBLE,
    GENERIC_INTEGER,
    INT,
    LONG,
    STRING,
    UNSIGNED_INT,
    UNSIGNED_LONG,
    Codec,
    one_of,
)
from sspsim.formats.shape import Attribute, Child, Form, Report, Shape, attribute, many, one, required
from sspsim.formats.xml import Node, parse
from sspsim.structure.base import Annotation, Content, FileHeader, MetaData, Signature
from sspsim.structure.connection import (
    BooleanMapping,
    EnumerationMapping,
    IntegerMapping,
    LinearTransformation,
)
from sspsim.structure.diagnostic import Origin, Severity
from sspsim.structure.types import (
    BaseUnit,
    ClockInterval,
    Dimension,
    Enumeration,
    EnumerationItem,
    Type,
    TypeSpec,
    Unit,
)

TYPES_OF_1_0 = frozenset({Type.REAL, Type.INTEGER, Type.BOOLEAN, Type.STRING, Type.ENUMERATION, Type.BINARY})


def always(_: Any) -> bool:
    """For what version 1.0 does not have at all."""
    return True


def beyond_int(value: int) -> bool:
    """For numbers that version 1.0 limits to 32 bits."""
    return not -(2**31) <= value < 2**31


BASE: tuple[Attribute, ...] = (attribute("id"), attribute("description"))

HEADER: tuple[Attribute, ...] = (
    attribute("author", group="header"),
    attribute("fileversion", group="header"),
    attribute("copyright", group="header"),
    attribute("license", group="header"),
    attribute("generationTool", field="generation_tool", group="header"),
    attribute("generationDateAndTime", field="generation_date_and_time", group="header"),
)


@dataclass(frozen=True)
class Opaque(Form):
    """An element whose content belongs to others: its text is kept as it is."""

    tag: str
    build: Callable[[dict[str, str], str], Any]
    needs: tuple[str, ...] = ()
    newer: Callable[[Node], bool] | None = None

    def read(self, node: Node, report: Report) -> Any:
        """The text, with the attributes that matter here."""
        for name in self.needs:
            if name not in node.attributes:
                report.add(Severity.WARNING, f"{node.tag} lacks {name}", node.line)
        return self.build(node.attributes, node.source)

    def write(self, value: Any, out: list[str], indent: str, _declarations: str = "") -> None:
        """Appends the text."""
        self._checked(value)
        out.append(indent + value.xml)

    def newer_parts(self, value: Any) -> Iterator[tuple[str, Origin | None]]:
        """Text between the elements of an annotation needs version 2.0."""
        if self.newer and self.newer(self._checked(value)):
            yield f"text in {self.tag}", None

    def _checked(self, value: Any) -> Node:
        node = parse(value.xml.encode(), f"the text of an {self.tag} to be written")
        if node.tag != self.tag or "\ufeff" in value.xml[:1]:
            raise InputError(f"an {self.tag} to be written is {node.tag} instead")
        return node


ANNOTATION = Opaque(
    "ssc:Annotation",
    lambda attributes, xml: Annotation(attributes.get("type", ""), xml),
    needs=("type",),
    newer=lambda node: bool(node.text_line),
)
CONTENT = Opaque("ssc:Content", lambda _, xml: Content(xml))


def annotated(prefix: str) -> Child:
    """The annotations of an entity; their container is of the namespace of the file's format."""
    return many("annotations", ANNOTATION, container=f"{prefix}:Annotations")


def _about(tag: str, kind: type, word: Attribute, bases: tuple[str, ...], *children: Child) -> Shape:
    """Meta data or a signature: `word` says of which sort."""
    attributes = (
        *BASE,
        word,
        required("type"),
        attribute("source"),
        attribute("sourceBase", one_of(*bases), field="source_base", default="file"),
    )
    return Shape(tag, kind, attributes, (one("content", CONTENT), *children), newer=always, cosmetic=True)


SIGNATURE = _about(
    "ssc:Signature",
    Signature,
    required("role", one_of("authenticity", "suitability")),
    ("file", "resource", "metaData"),
)
META_DATA = _about(
    "ssc:MetaData",
    MetaData,
    required("kind", one_of("general", "quality")),
    ("file", "resource"),
    many("signatures", SIGNATURE),
)
META: tuple[Child, ...] = (many("meta_data", META_DATA), many("signatures", SIGNATURE))


def root(tag: str, kind: type, attributes: tuple[Attribute, ...], *children: Child) -> Shape:
    """The root element of a file, with what all of them have."""
    return Shape(
        tag,
        kind,
        (required("version", fallback="1.0"), *attributes, *BASE, *HEADER),
        (*children, *META, annotated(tag.partition(":")[0])),
        groups={"header": FileHeader},
        root=True,
    )


# Units and enumerations

UNIT = Shape(
    "ssc:Unit",
    Unit,
    (*BASE, required("name")),
    (
        one(
            "base",
            Shape(
                "ssc:BaseUnit",
                BaseUnit,
                (
                    *(
                        attribute(name, INT, default=0)
                        for name in ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
                    ),
                    attribute("factor", DOUBLE, default=1.0, always=True),
                    attribute("offset", DOUBLE, default=0.0, always=True),
                ),
            ),
        ),
        annotated("ssc"),
    ),
)


ENUMERATION = Shape(
    "ssc:Enumeration",
    Enumeration,
    (*BASE, required("name")),
    (
        many(
            "items",
            Shape("ssc:Item", EnumerationItem, (required("name"), required("value", LONG, newer=beyond_int))),
        ),
        annotated("ssc"),
    ),
)


def definitions(prefix: str) -> tuple[Child, ...]:
    """The enumerations and units of a file."""
    return (
        many("enumerations", ENUMERATION, container=f"{prefix}:Enumerations"),
        many("units", UNIT, container=f"{prefix}:Units"),
    )


# Types

_CLOCK_ATTRIBUTES: tuple[tuple[str, str, Codec, Any], ...] = (
    (
        "intervalVariability",
        "interval_variability",
        one_of("constant", "fixed", "tunable", "changing", "countdown", "triggered"),
        None,
    ),
    ("intervalDecimal", "interval_decimal", DOUBLE, None),
    ("shiftDecimal", "shift_decimal", DOUBLE, 0.0),
    ("supportsFraction", "supports_fraction", BOOLEAN, False),
    ("resolution", "resolution", UNSIGNED_LONG, None),
    ("intervalCounter", "interval_counter", UNSIGNED_LONG, None),
    ("shiftCounter", "shift_counter", UNSIGNED_LONG, 0),
    ("priority", "priority", UNSIGNED_INT, None),
)


def _clock_getter(field: str) -> Callable[[TypeSpec], Any]:
    return lambda spec: getattr(spec.clock or ClockInterval(), field)


def _type_shape(kind: Type) -> Shape:
    attributes: tuple[Attribute, ...] = ()
    groups: dict[str, Callable[..., Any]] = {}
    if kind.is_real:
        attributes = (attribute("unit"),)
    elif kind is Type.ENUMERATION:
        attributes = (required("name", field="enumeration"),)
    elif kind is Type.BINARY:
        attributes = (attribute("mime-type", field="mime_type"),)
    elif kind is Type.CLOCK:
        attributes = tuple(
            attribute(name, codec, field=field, group="clock", get=_clock_getter(field), default=default)
            for name, field, codec, default in _CLOCK_ATTRIBUTES
        )
        groups = {"clock": ClockInterval}
    newer = None if kind in TYPES_OF_1_0 else always
    # Tools leave the name of an enumeration out; a connector can do without a type, the FMU's counts.
    cosmetic = kind is Type.ENUMERATION
    build = partial(TypeSpec, kind)
    return Shape(f"ssc:{kind.value}", build, attributes, groups=groups, newer=newer, cosmetic=cosmetic)


TYPES: dict[Any, Form] = {kind: _type_shape(kind) for kind in Type}


def type_choice(*, must: bool) -> Child:
    """The type of a connector or dictionary entry."""
    return one("type", TYPES, lambda spec: spec.type, required=must)


DIMENSIONS = many(
    "dimensions",
    Shape(
        "ssc:Dimension",
        Dimension,
        (attribute("size", UNSIGNED_LONG), attribute("sizeConnector", field="size_connector")),
        newer=always,
    ),
)

# Transformations


def _mapping(tag: str, kind: type, codec: Codec, newer: Callable[[Any], bool] | None = None) -> Shape:
    entry = Shape(
        "ssc:MapEntry",
        lambda source, target: (source, target),
        (
            required("source", codec, get=itemgetter(0), newer=newer),
            required("target", codec, get=itemgetter(1), newer=newer),
        ),
    )
    return Shape(tag, lambda entries=(): kind(entries), children=(many("entries", entry),))


TRANSFORMATION = one(
    "transformation",
    {
        LinearTransformation: Shape(
            "ssc:LinearTransformation",
            LinearTransformation,
            (
                attribute("factor", DOUBLE, default=1.0, always=True),
                attribute("offset", DOUBLE, default=0.0, always=True),
            ),
        ),
        BooleanMapping: _mapping("ssc:BooleanMappingTransformation", BooleanMapping, BOOLEAN),
        IntegerMapping: _mapping(
            "ssc:IntegerMappingTransformation", IntegerMapping, GENERIC_INTEGER, beyond_int
        ),
        EnumerationMapping: _mapping("ssc:EnumerationMappingTransformation", EnumerationMapping, STRING),
    },
    type,
)
SUPPRESS = attribute("suppressUnitConversion", BOOLEAN, field="suppress_unit_conversion", default=False)
