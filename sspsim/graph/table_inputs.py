"""Tables that feed the inputs of the root system."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches

from sspsim.errors import UsageError
from sspsim.fmi.table import Table, describe
from sspsim.graph.flat import FlatSystem, Input, Instance, Link, Port


def with_table(system: FlatSystem, table: Table) -> FlatSystem:
    """The system with a component more, whose columns feed the inputs of the same names.

    A column of another unit than its input, or without any input, is an error: it was meant to do something.
    """
    inputs = {entry.name: entry for entry in system.inputs}
    chosen = [_input(inputs, column.name, table.file) for column in table.columns]
    for column, entry in zip(table.columns, chosen, strict=True):
        if column.unit and entry.unit and column.unit != entry.unit:
            raise UsageError(
                f"{table.file}: column {column.name!r} is in {column.unit}, its input in {entry.unit}; "
                "convert the column"
            )
    description, findings = describe(table, {entry.name: entry.type for entry in chosen})
    assert description.co_simulation
    place = len(system.instances)
    fed = {entry.name for entry in chosen}
    return replace(
        system,
        instances=(
            *system.instances,
            Instance((table.file,), table.file, description, description.co_simulation),
        ),
        links=(*system.links, *(_moved(link, place, e.name) for e in chosen for link in e.links)),
        inputs=tuple(entry for entry in system.inputs if entry.name not in fed),
        diagnostics=(*system.diagnostics, *findings),
    )


def _input(inputs: dict[str, Input], name: str, file: str) -> Input:
    if name in inputs:
        return inputs[name]
    close = get_close_matches(name, inputs, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(inputs) or 'none'}"
    raise UsageError(f"{file}: column {name!r} is no input of the system; {hint}")


def _moved(link: Link, place: int, column: str) -> Link:
    return replace(link, source=Port(place, column))
