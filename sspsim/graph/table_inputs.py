"""Tables that feed the inputs of the root system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from sspsim.errors import UsageError
from sspsim.fmi.table import Column, Table, describe
from sspsim.graph.flat import ENVIRONMENT, FlatSystem, Input, Instance, Link, Output, Port
from sspsim.graph.report import did_you_mean
from sspsim.graph.units import UNCHANGED, UnitConversion, convert
from sspsim.structure import Kind, Unit

Elements = dict[str, tuple[Input, int]]


def with_table(system: FlatSystem, table: Table, units: Mapping[str, Unit]) -> FlatSystem:
    """The system with a component more, whose columns feed the inputs of the same names.

    The unit of a caption is one of `units`. A column that cannot be converted to its input's unit, or without
    any input, is an error: it was meant to do something.
    """
    elements: Elements = dict(_elements(system.inputs))
    feeds: list[Link] = []
    for column in table.columns:
        entry, element = _element(elements, column.name, table.file)
        conversion = _conversion(table, column, entry, units)
        feeds += _feeds(column, entry, element, len(system.instances), conversion)
    description, findings = describe(table, {c.name: elements[c.name][0].type for c in table.columns})
    assert description.co_simulation
    outputs = list(_outputs(system, feeds))
    through = {output.name for output in outputs}
    return replace(
        system,
        instances=(
            *system.instances,
            Instance((table.file,), table.file, description, description.co_simulation),
        ),
        links=(*system.links, *(link for link in feeds if link.target.instance != ENVIRONMENT)),
        inputs=_left(system.inputs, {elements[c.name][0].name for c in table.columns}),
        outputs=(*system.outputs, *outputs),
        fixed_outputs=tuple(output for output in system.fixed_outputs if output.name not in through),
        diagnostics=(*system.diagnostics, *findings),
    )


def _elements(inputs: Iterable[Input]) -> Iterator[tuple[str, tuple[Input, int]]]:
    """Inputs by the name of their column; arrays have a column for each element."""
    for entry in inputs:
        if entry.kind is Kind.INPUT:
            count = max((link.source.element for link in entry.links), default=0) + 1
            for k in range(count):
                yield (entry.name if count == 1 else f"{entry.name}[{k + 1}]"), (entry, k)


def _element(elements: Elements, name: str, file: str) -> tuple[Input, int]:
    if name not in elements:
        hint = did_you_mean(name, elements) or f"it has {', '.join(elements) or 'none'}"
        raise UsageError(f"{file}: column {name!r} is no input of the system; {hint}")
    return elements[name]


def _left(inputs: Iterable[Input], fed: set[str]) -> tuple[Input, ...]:
    return tuple(entry for entry in inputs if entry.name not in fed)


def _conversion(table: Table, column: Column, entry: Input, units: Mapping[str, Unit]) -> UnitConversion:
    """From the unit of a caption to that of the input."""
    if column.unit is None or entry.unit is None or not entry.type.is_real:
        return UNCHANGED
    source, target = (units.get(name, Unit(name=name)) for name in (column.unit, entry.unit))
    conversion = convert(source, target)
    if conversion.complaint:
        raise UsageError(f"{table.file}: column {column.name!r}: {conversion.complaint}; convert the column")
    return conversion


def _feeds(
    column: Column, entry: Input, element: int, place: int, conversion: UnitConversion
) -> Iterator[Link]:
    """What a column feeds: from the unit of its caption, then along the links of the input."""
    for link in entry.links:
        if link.source.element == element:
            factor, offset = link.factor * conversion.factor, link.factor * conversion.offset + link.offset
            yield link._replace(source=Port(place, column.name), factor=factor, offset=offset)


def _outputs(system: FlatSystem, feeds: Iterable[Link]) -> Iterator[Output]:
    """Outputs of the system that only show one of its inputs."""
    fixed = {output.name: output for output in system.fixed_outputs}
    for link in feeds:
        if link.target.instance == ENVIRONMENT and (shown := fixed.get(link.target.variable)):
            change = (link.factor, link.offset)
            yield Output(shown.name, link.source, *change, link.table, shown.type, shown.unit)
