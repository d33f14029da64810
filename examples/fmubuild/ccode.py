"""The generated C side of a model's interface: struct Model, its start values and the table of value references."""

from __future__ import annotations

from .model import Model, Variable

MAX_STATES = 64

_HEADER = """\
/* Generated from the description of {name}. */
#ifndef INTERFACE_H
#define INTERFACE_H

#include "model.h"

typedef {enumeration} Enumeration;

struct Model {{
    double time;
    double stop_time;
{saved}
    double end_of_saved; /* what follows is not part of a saved state */
{unsaved}
}};

#endif
"""

_TABLES = """\
/* Generated from the description of {name}. */
#include "core.h"
#include "interface.h"

static const Model start_values = {{
{starts}
}};

const Info info = {{
    .guid = "{guid}",
    .start_values = &start_values,
    .size = sizeof(Model),
    .saved_size = offsetof(Model, end_of_saved),
    .n_fields = {n_fields},
    .n_states = {n_states},
    .n_indicators = {n_indicators},
    .substeps = {substeps},
    .can_save_state = {can_save_state},
    .once_per_process = {once_per_process},
    .model_exchange = {model_exchange},
}};

const Field fields[] = {{
{fields}
}};

const StateField state_fields[] = {{
{states}
}};

const uint32_t indicator_fields[] = {{
{indicators}
}};
"""


def interface_header(model: Model, fmi: int) -> str:
    """The struct of the model's variables."""
    return _HEADER.format(
        name=model.name,
        enumeration="int64_t" if fmi == 3 else "int32_t",
        saved="\n".join(f"    {m.declaration};" for m in model.members if m.saved),
        unsaved="\n".join(f"    {m.declaration};" for m in model.members if not m.saved),
    )


def interface_tables(model: Model, fmi: int) -> str:
    """What the core must know about the model: its capabilities, start values, and the way to its members."""
    if len(model.states) > MAX_STATES:
        raise ValueError(f"{model.name} has more than {MAX_STATES} states")
    by_name = model.by_name()
    starts = [f"    .{m.name} = {m.start}," for m in model.members if m.start is not None]
    states = [
        f"    {{offsetof(Model, {by_name[str(d.derivative_of)].member}), offsetof(Model, {d.member})}},"
        for d in model.derivatives
    ]
    return _TABLES.format(
        name=model.name,
        guid=model.guid,
        n_fields=len(model.variables),
        n_states=len(model.states),
        n_indicators=len(model.indicators),
        substeps=model.option("substeps", 16),
        can_save_state=int(model.option("save_state", True)),
        once_per_process=int(model.option("once_per_process")),
        model_exchange=int(model.option("model_exchange")),
        starts="\n".join(starts) or "    .time = 0,",
        fields="\n".join(_field(model, v, fmi) for v in model.variables),
        states="\n".join(states) or "    {0, 0},",
        indicators="\n".join(f"    offsetof(Model, {v.member})," for v in model.indicators) or "    0,",
    )


def _field(model: Model, variable: Variable, fmi: int) -> str:
    count, size_member = 1, None
    for dimension in variable.dimensions:
        if isinstance(dimension, int):
            count *= dimension
        else:
            size_member = model.by_name()[dimension].member
    size_offset = f"offsetof(Model, {size_member})" if size_member else "0"
    knowns = int(variable.is_known and variable.causality != "independent")
    return (
        f"    {{{_table_type(variable, fmi)}, offsetof(Model, {variable.member}), {count}, {size_offset}, {variable.capacity}, "
        f"{_settable_in(variable)}, {knowns}}}, /* {variable.reference}: {variable.name} */"
    )


def _table_type(variable: Variable, fmi: int) -> str:
    if not variable.exists_in(fmi):
        return "TYPE_NONE"
    if variable.type == "Enumeration":
        return "TYPE_INT64" if fmi == 3 else "TYPE_INT32"
    return "TYPE_" + variable.type.upper()


def _settable_in(variable: Variable) -> str:
    if variable.causality == "structuralParameter":
        return "CONFIGURATION"
    if variable.causality == "input" or variable.variability == "tunable":
        return "INSTANTIATED | INITIALIZATION | RUNNING"
    if variable.causality == "parameter" or variable.is_state:
        return "INSTANTIATED | INITIALIZATION"
    return "0"
