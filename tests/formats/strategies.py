"""Generated documents of all four formats, valid after the schema of their version."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import count
from typing import Any

from hypothesis import strategies as st

from sspsim.formats.common import TYPES_OF_1_0
from sspsim.structure import (
    Annotation,
    BaseUnit,
    BooleanMapping,
    ClockInterval,
    Component,
    Connection,
    ConnectionGeometry,
    Connector,
    ConnectorGeometry,
    Content,
    DictionaryDefinition,
    DictionaryEntry,
    DictionaryReference,
    Dimension,
    ElementGeometry,
    Enumeration,
    EnumerationItem,
    EnumerationMapping,
    Experiment,
    FileHeader,
    IntegerMapping,
    Kind,
    LinearTransformation,
    MappingEntry,
    MappingReference,
    MetaData,
    Note,
    Parameter,
    ParameterBinding,
    ParameterMapping,
    ParameterSet,
    SignalDictionary,
    Signature,
    System,
    SystemGeometry,
    SystemStructure,
    Type,
    TypeSpec,
    Unit,
)
from sspsim.structure.types import INTEGER_RANGES

SSC = "http://ssp-standard.org/SSP1/SystemStructureCommon"
KINDS_OF_1_0 = (Kind.INPUT, Kind.OUTPUT, Kind.PARAMETER, Kind.CALCULATED_PARAMETER, Kind.INOUT)

texts = st.text(
    st.characters(
        exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff", include_characters="\t\n\r"
    ),
    max_size=8,
)
words = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters="\ufffe\uffff"),
    min_size=1,
    max_size=8,
)
paths = st.sampled_from(["resources/a.fmu", "x.ssv", "resources/with%20space.ssd", "../b.ssm", "#sub"])
doubles = st.floats(allow_nan=False)
int32 = st.integers(-(2**31), 2**31 - 1)
uint64 = st.integers(0, 2**64 - 1)


def few(strategy: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, min_size=least, max_size=2).map(tuple)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


CONTENTS = ("", "<x/>", '<v:y xmlns:v="urn:v" a="&lt;1&gt;"><!-- c -->  <v:z/>\r\n<![CDATA[<&]]></v:y>')
MIXED = ("only text", "before <x/> after")


def annotations(version: str) -> st.SearchStrategy[tuple[Annotation, ...]]:
    contents = CONTENTS if version == "1.0" else CONTENTS + MIXED
    return few(
        st.builds(
            lambda type, content: Annotation(
                type, f'<ssc:Annotation xmlns:ssc="{SSC}" type="{type}">{content}</ssc:Annotation>'
            ),
            st.sampled_from(["org.example", "com.example.tool"]),
            st.sampled_from(contents),
        )
    )


def contents() -> st.SearchStrategy[Content]:
    inner = st.sampled_from(CONTENTS + MIXED)
    return inner.map(lambda text: Content(f'<ssc:Content xmlns:ssc="{SSC}">{text}</ssc:Content>'))


def base(version: str, annotated: bool = True) -> dict[str, st.SearchStrategy[Any]]:
    common = {"id": maybe(st.just("id")), "description": maybe(texts)}
    return {**common, "annotations": annotations(version)} if annotated else common


def sourced(**content: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Either a source or what is there instead."""
    return st.fixed_dictionaries({"source": paths}) | st.fixed_dictionaries(content)


def signatures(version: str, bases: tuple[str, ...] = ("file",)) -> st.SearchStrategy[tuple[Signature, ...]]:
    if version == "1.0":
        return st.just(())
    return few(
        st.builds(
            lambda choice, **rest: Signature(**choice, **rest),
            sourced(content=contents()),
            role=st.sampled_from(["authenticity", "suitability"]),
            type=texts,
            source_base=st.sampled_from(bases),
            **base(version, annotated=False),
        )
    )


def meta(version: str) -> dict[str, st.SearchStrategy[Any]]:
    if version == "1.0":
        return {}
    data = st.builds(
        lambda choice, **rest: MetaData(**choice, **rest),
        sourced(content=contents()),
        kind=st.sampled_from(["general", "quality"]),
        type=texts,
        signatures=signatures(version, ("file", "metaData")),
        **base(version, annotated=False),
    )
    return {"meta_data": few(data), "signatures": signatures(version)}


def headers() -> st.SearchStrategy[FileHeader]:
    return st.builds(
        FileHeader,
        author=maybe(texts),
        fileversion=maybe(words),
        copyright=maybe(texts),
        license=maybe(texts),
        generation_tool=maybe(words),
        generation_date_and_time=maybe(st.just("2024-12-20T12:00:00Z")),
    )


def documents(kind: type, version: str, **content: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    common = {"header": headers(), **meta(version), **base(version)}
    return st.builds(kind, version=st.just(version), **content, **common).map(with_unique_ids)


def definitions(version: str) -> dict[str, st.SearchStrategy[Any]]:
    values = int32 if version == "1.0" else st.integers(-(2**63), 2**63 - 1)
    exponents = {name: st.integers(-3, 3) for name in ("kg", "m", "s", "A", "K", "mol", "cd", "rad")}
    units = st.builds(
        Unit,
        name=texts,
        base=st.builds(BaseUnit, **exponents, factor=doubles, offset=doubles),
        **base(version),
    )
    items = few(st.builds(EnumerationItem, name=texts, value=values), least=1)
    return {
        "units": few(units),
        "enumerations": few(st.builds(Enumeration, name=texts, items=items, **base(version))),
    }


clock_intervals = st.builds(
    ClockInterval,
    interval_variability=maybe(st.sampled_from(["constant", "fixed", "tunable", "triggered"])),
    interval_decimal=maybe(doubles),
    shift_decimal=doubles,
    supports_fraction=st.booleans(),
    resolution=maybe(uint64),
    interval_counter=maybe(uint64),
    shift_counter=uint64,
    priority=maybe(st.integers(0, 2**32 - 1)),
)


def type_specs(kind: Type, enumeration: st.SearchStrategy[Any] = texts) -> st.SearchStrategy[TypeSpec]:
    if kind.is_real:
        return st.builds(TypeSpec, st.just(kind), unit=maybe(texts))
    if kind is Type.ENUMERATION:
        return st.builds(TypeSpec, st.just(kind), enumeration=enumeration)
    if kind is Type.BINARY:
        return st.builds(TypeSpec, st.just(kind), mime_type=maybe(texts))
    if kind is Type.CLOCK:
        return st.builds(TypeSpec, st.just(kind), clock=clock_intervals)
    return st.just(TypeSpec(kind))


def kinds_of_types(version: str) -> st.SearchStrategy[Type]:
    return st.sampled_from([kind for kind in Type if version != "1.0" or kind in TYPES_OF_1_0])


def sized(version: str) -> st.SearchStrategy[tuple[Dimension, ...]]:
    return st.just(()) if version == "1.0" else few(st.builds(Dimension, size=st.integers(0, 3)))


def transformations(version: str) -> st.SearchStrategy[Any]:
    integers = int32 if version == "1.0" else st.integers(-(2**63), 2**64 - 1)

    def pairs(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return few(st.tuples(strategy, strategy), least=1)

    return maybe(
        st.one_of(
            st.builds(LinearTransformation, doubles, doubles),
            st.builds(BooleanMapping, pairs(st.booleans())),
            st.builds(IntegerMapping, pairs(integers)),
            st.builds(EnumerationMapping, pairs(texts)),
        )
    )


def scalars(kind: Type) -> st.SearchStrategy[Any]:
    if kind.is_real:
        return doubles
    if kind is Type.BOOLEAN:
        return st.booleans()
    if kind is Type.BINARY:
        return st.binary(max_size=4)
    if kind in (Type.STRING, Type.ENUMERATION):
        return texts
    return st.integers(*INTEGER_RANGES[kind])


@st.composite
def parameters(draw: st.DrawFn, version: str) -> Parameter:
    kind = draw(kinds_of_types(version).filter(lambda kind: kind is not Type.CLOCK))
    dimensions = draw(sized(version))
    size = 1
    for dimension in dimensions:
        size *= dimension.size
    return Parameter(
        name=draw(texts),
        type=draw(type_specs(kind, maybe(texts))),
        values=tuple(draw(st.lists(scalars(kind), min_size=size, max_size=size))),
        dimensions=dimensions,
        **{name: draw(strategy) for name, strategy in base(version).items()},
    )


@cache  # building a strategy takes longer than drawing from it
def parameter_sets(version: str) -> st.SearchStrategy[ParameterSet]:
    return documents(
        ParameterSet,
        version,
        name=texts,
        parameters=few(parameters(version)),
        **definitions(version),
    )


@cache
def mappings(version: str) -> st.SearchStrategy[ParameterMapping]:
    entries = st.builds(
        MappingEntry,
        source=texts,
        target=texts,
        suppress_unit_conversion=st.booleans(),
        transformation=transformations(version),
        **base(version),
    )
    return documents(
        ParameterMapping,
        version,
        entries=few(entries),
    )


@cache
def dictionaries(version: str) -> st.SearchStrategy[SignalDictionary]:
    entries = st.builds(
        DictionaryEntry,
        name=texts,
        type=kinds_of_types(version).flatmap(type_specs),
        dimensions=sized(version),
        **base(version),
    )
    return documents(
        SignalDictionary,
        version,
        entries=few(entries),
        **definitions(version),
    )


def connectors(version: str) -> st.SearchStrategy[Connector]:
    old = version == "1.0"
    inner = st.none() if old else maybe(doubles)
    dimensions = (
        sized(version) if old else sized(version) | st.just((Dimension(size_connector="n"), Dimension()))
    )
    return st.builds(
        Connector,
        name=texts,
        kind=st.sampled_from(KINDS_OF_1_0 if old else list(Kind)),
        type=kinds_of_types(version).flatmap(type_specs)
        if old
        else maybe(kinds_of_types(version).flatmap(type_specs)),
        dimensions=dimensions,
        clocks=st.just(()) if old else few(texts),
        geometry=maybe(
            st.builds(ConnectorGeometry, doubles, doubles, system_inner_x=inner, system_inner_y=inner)
        ),
        **base(version),
    )


def bindings(version: str) -> st.SearchStrategy[ParameterBinding]:
    mapping = st.builds(
        lambda choice, **rest: MappingReference(**choice, **rest),
        sourced(inline=mappings(version)),
        type=texts,
        source_base=st.sampled_from(["SSD", "component"]),
        **meta(version),
        **base(version, annotated=False),
    )
    return st.builds(
        lambda choice, **rest: ParameterBinding(**choice, **rest),
        sourced(inline=parameter_sets(version)),
        type=texts,
        source_base=st.sampled_from(["SSD", "component"]),
        prefix=texts,
        mapping=maybe(mapping),
        **meta(version),
        **base(version),
    )


def connections(version: str) -> st.SearchStrategy[Connection]:
    indices = st.just(()) if version == "1.0" else few(uint64)
    points = few(doubles)
    return st.builds(
        Connection,
        start_element=maybe(words),
        start_connector=texts,
        end_element=maybe(words),
        end_connector=texts,
        start_indices=indices,
        end_indices=indices,
        suppress_unit_conversion=st.booleans(),
        transformation=transformations(version),
        geometry=maybe(st.builds(ConnectionGeometry, points, points)),
        **base(version),
    )


def element(version: str) -> dict[str, st.SearchStrategy[Any]]:
    geometry = st.builds(
        ElementGeometry,
        doubles,
        doubles,
        doubles,
        doubles,
        rotation=doubles,
        icon_source=maybe(st.just("resources/icon.png")),
        icon_rotation=doubles,
        icon_flip=st.booleans(),
        icon_fixed_aspect_ratio=st.booleans(),
    )
    return {
        "name": words,
        "connectors": few(connectors(version)),
        "geometry": maybe(geometry),
        "bindings": few(bindings(version)),
        **meta(version),
        **base(version),
    }


def components(version: str) -> st.SearchStrategy[Component]:
    implementations = ["any", "ModelExchange", "CoSimulation"]
    return st.builds(
        Component,
        type=st.sampled_from(["application/x-fmu-sharedlibrary", "application/x-ssp-definition"]),
        source=paths if version == "1.0" else maybe(paths),
        implementation=st.sampled_from(implementations + ["ScheduledExecution"] * (version != "1.0")),
        **element(version),
    )


def systems(version: str, depth: int = 1) -> st.SearchStrategy[System]:
    inner = components(version) | st.builds(DictionaryReference, dictionary=texts, **element(version))
    if depth:
        inner = inner | systems(version, depth - 1)
    dictionary = st.builds(
        lambda choice, **rest: DictionaryDefinition(**choice, **rest),
        sourced(inline=dictionaries(version)),
        name=texts,
        type=texts,
        **meta(version),
        **base(version, annotated=False),
    )
    return st.builds(
        System,
        elements=few(inner),
        connections=few(connections(version)),
        dictionaries=few(dictionary),
        system_geometry=maybe(st.builds(SystemGeometry, doubles, doubles, doubles, doubles)),
        notes=few(st.builds(Note, x1=doubles, y1=doubles, x2=doubles, y2=doubles, text=texts)),
        **element(version),
    )


@cache
def structures(version: str, depth: int = 1) -> st.SearchStrategy[SystemStructure]:
    experiment = st.builds(Experiment, maybe(doubles), maybe(doubles), annotations(version))
    return documents(
        SystemStructure,
        version,
        name=texts,
        system=systems(version, depth),
        experiment=maybe(experiment),
        **definitions(version),
    )


def with_unique_ids(value: Any) -> Any:
    """The same with other ids, since an id may occur only once in a file."""
    numbers = count()

    def renumbered(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(map(renumbered, part))
        if not is_dataclass(part):
            return part
        changes = {field.name: renumbered(getattr(part, field.name)) for field in fields(part)}
        if changes.get("id") is not None:
            changes["id"] = f"i{next(numbers)}"
        return replace(part, **changes)

    return renumbered(value)
