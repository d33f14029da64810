"""Parameter sets (.ssv)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sspsim.formats import document
from sspsim.formats.common import BASE, DIMENSIONS, TYPES_OF_1_0, always, annotated, definitions, root
from sspsim.formats.lexical import BOOLEAN, DOUBLE, HEX, STRING, Codec, integer, listed, single
from sspsim.formats.shape import Attribute, Form, Shape, attribute, many, one, required
from sspsim.structure.diagnostic import Diagnostic
from sspsim.structure.parameters import Parameter, ParameterSet
from sspsim.structure.types import INTEGER_RANGES, Type, TypeSpec

_QUALIFIERS: dict[Type, tuple[Attribute, ...]] = {
    **{
        kind: (attribute("unit", get=lambda parameter: parameter.type.unit),)
        for kind in (Type.REAL, Type.FLOAT64, Type.FLOAT32)
    },
    Type.ENUMERATION: (
        attribute("name", field="enumeration", get=lambda parameter: parameter.type.enumeration),
    ),
    Type.BINARY: (attribute("mime-type", field="mime_type", get=lambda parameter: parameter.type.mime_type),),
}


def _value_shape(kind: Type) -> Shape:
    """The element with the value of a parameter: numbers are listed, others have an element each."""
    tag = f"ssv:{kind.value}"
    newer = None if kind in TYPES_OF_1_0 else always
    if kind in (Type.STRING, Type.ENUMERATION, Type.BINARY):
        codec = HEX if kind is Type.BINARY else STRING
        value = attribute(
            "value", single(codec), get=lambda parameter: None if _several(parameter) else parameter.values
        )
        inner = Shape(
            "ssv:Value", lambda value: value, (required("value", codec, get=lambda item: item),), newer=always
        )
        children = (
            many("several", inner, get=lambda parameter: parameter.values if _several(parameter) else ()),
        )
        return Shape(tag, _content(kind), (value, *_QUALIFIERS.get(kind, ())), children, newer=newer)
    value = required(
        "value", listed(_NUMBERS[kind]), get=lambda parameter: parameter.values, newer=_is_no_scalar
    )
    return Shape(tag, _content(kind), (value, *_QUALIFIERS.get(kind, ())), newer=newer)


_NUMBERS: dict[Type, Codec] = {
    **{kind: integer(*limits) for kind, limits in INTEGER_RANGES.items()},
    **dict.fromkeys((Type.REAL, Type.FLOAT64, Type.FLOAT32), DOUBLE),
    Type.BOOLEAN: BOOLEAN,
}


def _is_no_scalar(values: tuple[Any, ...]) -> bool:
    return len(values) != 1


def _several(parameter: Parameter) -> bool:
    return bool(parameter.dimensions) or len(parameter.values) != 1


def _content(kind: Type) -> Callable[..., tuple[TypeSpec, tuple[Any, ...]]]:
    def build(
        value: tuple[Any, ...] = (), several: tuple[Any, ...] = (), **qualifiers: Any
    ) -> tuple[TypeSpec, tuple[Any, ...]]:
        if value and several:
            raise ValueError("it has both an attribute and elements with values")
        return TypeSpec(kind, **qualifiers), value or several

    return build


def _parameter(content: tuple[TypeSpec, tuple[Any, ...]], **values: Any) -> Parameter:
    return Parameter(type=content[0], values=content[1], **values)


VALUES: dict[Any, Form] = {kind: _value_shape(kind) for kind in Type if kind is not Type.CLOCK}
PARAMETER = Shape(
    "ssv:Parameter",
    _parameter,
    (*BASE, required("name")),
    (
        one(
            "content",
            VALUES,
            lambda parameter: parameter.type.type,
            required=True,
            get=lambda parameter: parameter,
        ),
        DIMENSIONS,
        annotated("ssv"),
    ),
    located=True,
)
PARAMETER_SET = root(
    "ssv:ParameterSet",
    ParameterSet,
    (required("name", fallback=""),),
    many("parameters", PARAMETER, container="ssv:Parameters", keep_empty=True),
    *definitions("ssv"),
)


def read(data: bytes, file: str) -> tuple[ParameterSet, list[Diagnostic]]:
    """The parameter set in the bytes of an .ssv file."""
    return document.read(PARAMETER_SET, data, file)


def write(parameters: ParameterSet) -> bytes:
    """The .ssv file of a parameter set."""
    return PARAMETER_SET.document(parameters)
