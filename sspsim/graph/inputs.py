"""Root inputs from a table: its columns feed the connectors of the outermost system that have their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sspsim.errors import UsageError
from sspsim.fmi.table import Column, Table, TableDescription
from sspsim.graph.flat import ENVIRONMENT, FlatSystem, Input, Instance, Link, Output, Port
from sspsim.graph.report import did_you_mean, listed
from sspsim.graph.units import UNCHANGED, UnitConversion, convert
from sspsim.structure import Kind, Type, Unit


def types_of_columns(system: FlatSystem, table: Table) -> dict[str, Type]:
    """The types that the columns of a table need; a column that is for nothing is an error."""
    elements = dict(_elements(system.inputs))
    unknown = [column.name for column in table.columns if column.name not in elements]
    if unknown:
        hint = did_you_mean(unknown[0], elements) or f"the inputs are {listed(elements) or 'none'}"
        raise UsageError(f"{table.file}: the system has no input {unknown[0]!r}; {hint}")
    return {column.name: elements[column.name][0].type for column in table.columns}


def with_inputs(
    system: FlatSystem, table: Table, description: TableDescription, units: Mapping[str, Unit]
) -> FlatSystem:
    """The system with a table as one more component; `units` are those that its captions may name."""
    assert description.co_simulation
    path = (table.file,)
    instance = Instance(path, table.file, description, description.co_simulation)
    elements = dict(_elements(system.inputs))
    feeds: list[Link] = []
    for column in table.columns:
        entry, element = elements[column.name]
        conversion = _conversion(table, column, entry, units)
        feeds += _feeds(column, entry, element, len(system.instances), conversion)
    fixed = {output.name: output for output in system.fixed_outputs}
    outputs = [
        Output(k.target.variable, k.source, k.factor, k.offset, k.table, was.type, was.unit)
        for k in feeds
        if k.target.instance == ENVIRONMENT and (was := fixed.get(k.target.variable))
    ]
    through = {output.name for output in outputs}
    return replace(
        system,
        instances=(*system.instances, instance),
        links=(*system.links, *(k for k in feeds if k.target.instance != ENVIRONMENT)),
        outputs=(*system.outputs, *outputs),
        fixed_outputs=tuple(output for output in system.fixed_outputs if output.name not in through),
    )


def _elements(inputs: Sequence[Input]) -> Iterator[tuple[str, tuple[Input, int]]]:
    """Inputs by the name of their column; arrays have a column for each element."""
    for entry in inputs:
        if entry.kind is not Kind.INPUT:
            continue
        count = max((link.source.index for link in entry.links), default=0) + 1
        for k in range(count):
            yield (entry.name if count == 1 else f"{entry.name}[{k + 1}]"), (entry, k)


def _feeds(
    column: Column, entry: Input, element: int, number: int, conversion: UnitConversion
) -> Iterator[Link]:
    """What a column feeds: from the unit of its caption, then along the links of the connector."""
    source = Port(number, column.name)
    for link in entry.links:
        if link.source.index == element:
            factor, offset = link.factor * conversion.factor, link.factor * conversion.offset + link.offset
            yield replace(link, source=source, factor=factor, offset=offset)


def _conversion(table: Table, column: Column, entry: Input, units: Mapping[str, Unit]) -> UnitConversion:
    """From the unit of a caption to that of the connector."""
    if column.unit is None or entry.unit is None or not entry.type.is_real:
        return UNCHANGED
    source, target = (units.get(name, Unit(name=name)) for name in (column.unit, entry.unit))
    conversion = convert(source, target)
    if conversion.complaint:
        raise UsageError(f"{table.file}: column {column.name!r}: {conversion.complaint}")
    return conversion
