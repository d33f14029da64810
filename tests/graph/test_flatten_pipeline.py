"""One hop and chains of hops: units, transformations, types, folded into one conversion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sspsim.graph.conversion import Conversion
from sspsim.graph.quantity import Quantity
from sspsim.graph.stream import Stream
from sspsim.graph.types import NEVER, Policy, coerce, needed_policy
from sspsim.graph.units import convert
from sspsim.structure import (
    BaseUnit,
    BooleanMapping,
    EnumerationMapping,
    IntegerMapping,
    LinearTransformation,
    Severity,
    Type,
    Unit,
)
from sspsim.structure.types import INTEGER_RANGES

KELVIN = Unit(name="K", base=BaseUnit(K=1))
CELSIUS = Unit(name="degC", base=BaseUnit(K=1, offset=273.15))
FAHRENHEIT = Unit(name="degF", base=BaseUnit(K=1, factor=5 / 9, offset=459.67 * 5 / 9))
REAL = Quantity(Type.REAL)
IN_K, IN_C, IN_F = (Quantity(Type.REAL, unit) for unit in (KELVIN, CELSIUS, FAHRENHEIT))


def folded(*places: Quantity | tuple, relative: bool = False, policy: Policy = Policy.SAFE) -> Stream:
    """A stream along places; a tuple has a transformation and perhaps `True` for a suppressed conversion."""
    first, *others = places
    assert isinstance(first, Quantity)
    stream = Stream(first, relative=relative, policy=policy)
    for place in others:
        quantity, *how = place if isinstance(place, tuple) else (place,)
        stream.hop(quantity, how[0] if how else None, suppress=how[1] if len(how) > 1 else False)
    return stream


def test_example_of_the_standard() -> None:
    transformation = LinearTransformation(2.0, 1.0)
    assert folded(IN_C, (IN_K, transformation)).conversion.of(20.0) == 587.3
    assert folded(IN_C, (IN_K, transformation, True)).conversion.of(20.0) == 41.0


def test_units_are_compared_by_definition_not_by_name() -> None:
    other_kelvin = Unit(name="degC", base=BaseUnit(K=1))  # a file may call kelvin what it likes
    assert convert(CELSIUS, other_kelvin)[:2] == (1.0, 273.15)
    assert convert(
        Unit(name="Nm", base=BaseUnit(kg=1, m=2, s=-2)), Unit(name="N.m", base=BaseUnit(kg=1, m=2, s=-2))
    ) == (
        1.0,
        0.0,
        "",
    )


def test_fahrenheit_to_celsius() -> None:
    conversion = folded(IN_F, IN_C).conversion
    assert conversion.of(212.0) == pytest.approx(100.0, abs=1e-12)
    assert conversion.of(-40.0) == pytest.approx(-40.0, abs=1e-12)


def test_differences_have_no_offset() -> None:
    assert folded(IN_C, IN_K, relative=True).conversion.of(20.0) == 20.0
    target = Quantity(Type.REAL, KELVIN, relative=True)
    assert folded(IN_C, target).conversion.of(20.0) == 20.0


def test_a_connector_without_unit_hands_the_unit_on() -> None:
    assert folded(IN_C, REAL, Quantity(), IN_K).conversion.of(20.0) == 293.15


def test_a_source_without_unit_gets_that_of_the_first_connector_that_has_one() -> None:
    assert folded(REAL, IN_C, IN_K).conversion.of(20.0) == 293.15


def test_chain_is_folded_exactly() -> None:
    there_and_back = folded(IN_K, IN_C, IN_K).conversion
    assert (there_and_back.factor, there_and_back.offset) == (1.0, 0.0)


@given(st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4)), max_size=6), st.floats(-100, 100))
def test_folding_equals_one_step_after_the_other(steps: list[tuple[float, float]], value: float) -> None:
    stepwise, conversion = value, Conversion()
    for factor, offset in steps:
        stepwise = factor * stepwise + offset
        conversion = conversion.then(factor, offset)
    assert conversion.of(value) == pytest.approx(stepwise, rel=1e-9, abs=1e-6)


TABLES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=5, unique_by=lambda entry: entry[0]
)


@given(st.lists(TABLES, max_size=4), st.integers(-1, 7))
def test_folded_tables_equal_one_after_the_other(tables: list[list[tuple[int, int]]], value: int) -> None:
    stepwise, conversion = value, Conversion()
    for table in tables:
        stepwise = dict(table).get(stepwise, stepwise)
        conversion = conversion.then_look_up(table)
    assert conversion.of(value) == stepwise


def test_table_then_factor() -> None:
    """A whole number through a table into a real connector with a factor."""
    integer = Quantity(Type.INTEGER)
    stream = folded(
        integer, (integer, IntegerMapping(((3, 10),))), REAL, (REAL, LinearTransformation(0.5, 1.0))
    )
    assert [stream.conversion.of(v) for v in (3, 4)] == [6.0, 3.0]
    assert not stream.complaints


def test_incompatible_units_are_not_converted() -> None:
    watt = Quantity(Type.REAL, Unit(name="W", base=BaseUnit(kg=1, m=2, s=-3)))
    stream = folded(IN_C, watt)
    assert stream.conversion == Conversion()
    assert [(c.code, c.severity) for c in stream.complaints] == [("V14", None)]


def test_units_known_by_name_only() -> None:
    named = Unit(name="furlong")
    assert convert(named, Unit(name="furlong")).complaint == ""
    assert convert(named, Unit(name="m", base=BaseUnit(m=1))) == (
        1.0,
        0.0,
        "furlong cannot be converted to m: furlong is not defined by base units",
    )


def test_rad_is_noticed_but_converted() -> None:
    rpm = Unit(name="rpm", base=BaseUnit(s=-1, rad=1, factor=0.5))
    hertz = Unit(name="1/s", base=BaseUnit(s=-1))
    factor, offset, complaint = convert(rpm, hertz)
    assert (factor, offset) == (0.5, 0.0)
    assert "rad" in complaint


# Transformations and types

COLOURS = Quantity(Type.ENUMERATION, items=(("red", 1), ("green", 2), ("blue", 3)))
LIGHTS = Quantity(Type.ENUMERATION, items=(("stop", 10), ("go", 20), ("blue", 3)))
MAPPING = EnumerationMapping((("red", "stop"), ("green", "go")))


def test_enumerations_are_mapped_by_name() -> None:
    stream = folded(COLOURS, (LIGHTS, MAPPING))
    assert [stream.conversion.of(v) for v in (1, 2, 3)] == [10, 20, 3]
    assert not stream.complaints


def test_unmapped_item_keeps_its_name_and_must_exist() -> None:
    stream = folded(COLOURS, (LIGHTS, EnumerationMapping((("red", "stop"),))))
    assert [c.text for c in stream.complaints] == ["'green' is no item of the target's enumeration"]
    assert stream.complaints[0].is_error


def test_enumeration_keeps_its_number_without_a_mapping() -> None:
    stream = folded(COLOURS, LIGHTS)
    assert stream.conversion == Conversion()
    assert [(c.code, c.severity) for c in stream.complaints] == [("V15", Severity.WARNING)]


def test_boolean_mapping() -> None:
    boolean = Quantity(Type.BOOLEAN)
    stream = folded(boolean, (boolean, BooleanMapping(((True, False), (False, True)))))
    assert [stream.conversion.of(v) for v in (0, 1)] == [1, 0]


@pytest.mark.parametrize(
    ("source", "target", "transformation"),
    [
        (Quantity(Type.INTEGER), Quantity(Type.INTEGER), LinearTransformation(2.0, 0.0)),
        (REAL, REAL, IntegerMapping(((1, 2),))),
        (Quantity(Type.INTEGER), Quantity(Type.INTEGER), BooleanMapping(((True, False),))),
        (Quantity(Type.INTEGER), Quantity(Type.INTEGER), EnumerationMapping((("a", "b"),))),
        (Quantity(Type.INTEGER), Quantity(Type.INTEGER), IntegerMapping(((1, 2), (1, 3)))),
        (Quantity(Type.INTEGER), Quantity(Type.INT8), IntegerMapping(((1, 200),))),
        (COLOURS, COLOURS, IntegerMapping(((1, 7),))),
    ],
)
def test_transformations_that_do_not_apply(
    source: Quantity, target: Quantity, transformation: object
) -> None:
    stream = folded(source, (target, transformation), policy=Policy.ALL)
    assert [c.code for c in stream.complaints] == ["V15"]
    assert stream.complaints[0].is_error


def test_integer_mapping_ignores_sources_out_of_range() -> None:
    small = Quantity(Type.INT8)
    stream = folded(small, (small, IntegerMapping(((300, 1), (3, 4)))))
    assert stream.conversion.table == ((3, 4),)
    assert not stream.complaints


SAFE = {
    Type.FLOAT32: {Type.FLOAT64},
    Type.INT8: {Type.INT16, Type.INT32, Type.INT64, Type.FLOAT64, Type.FLOAT32},
    Type.UINT8: {
        *(Type.INT16, Type.UINT16, Type.INT32, Type.UINT32, Type.INT64, Type.UINT64),
        *(Type.FLOAT64, Type.FLOAT32),
    },
    Type.INT16: {Type.INT32, Type.INT64, Type.FLOAT64, Type.FLOAT32},
    Type.UINT16: {Type.INT32, Type.UINT32, Type.INT64, Type.UINT64, Type.FLOAT64, Type.FLOAT32},
    Type.INT32: {Type.INT64, Type.FLOAT64},
    Type.UINT32: {Type.INT64, Type.UINT64, Type.FLOAT64},
}


def test_safe_conversions_of_numbers() -> None:
    numbers = [
        Type.FLOAT64,
        Type.FLOAT32,
        *(t for t in INTEGER_RANGES if t not in (Type.INTEGER, Type.ENUMERATION)),
    ]
    for source in numbers:
        found = {target for target in numbers if needed_policy(source, target) == Policy.SAFE}
        assert found == SAFE.get(source, set()), source


def test_names_of_old_and_new_types_mean_the_same() -> None:
    assert needed_policy(Type.REAL, Type.FLOAT64) == 0
    assert needed_policy(Type.INT32, Type.INTEGER) == 0


@pytest.mark.parametrize("kind", [Type.STRING, Type.BINARY, Type.CLOCK])
def test_texts_are_only_converted_to_themselves(kind: Type) -> None:
    assert {t for t in Type if needed_policy(kind, t) != NEVER} == {kind}
    assert {t for t in Type if needed_policy(t, kind) != NEVER} == {kind}


def test_lossy_conversion_needs_permission() -> None:
    assert [c.code for c in folded(REAL, Quantity(Type.INTEGER)).complaints] == ["V11"]
    assert not folded(REAL, Quantity(Type.INTEGER), policy=Policy.ALL).complaints


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (2, Type.REAL, 2.0),
        (2.0, Type.INTEGER, 2),
        (1, Type.BOOLEAN, True),
        (True, Type.INTEGER, 1),
        ("green", Type.ENUMERATION, 2),
        (2**64 - 1, Type.UINT64, 2**64 - 1),
        (b"\0x", Type.BINARY, b"\0x"),
    ],
)
def test_values_that_fit(value: object, kind: Type, expected: object) -> None:
    result = coerce(value, kind, COLOURS.items)  # type: ignore[arg-type]
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (2.5, Type.INTEGER),
        (128, Type.INT8),
        (-1, Type.UINT64),
        (2, Type.BOOLEAN),
        ("pink", Type.ENUMERATION),
        ("text", Type.REAL),
        (1.0, Type.STRING),
        (b"x", Type.REAL),
    ],
)
def test_values_that_do_not_fit(value: object, kind: Type) -> None:
    with pytest.raises(ValueError, match=r"."):
        coerce(value, kind, COLOURS.items)  # type: ignore[arg-type]
