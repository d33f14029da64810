"""The generated C side of a model's interface: struct Model, its start values and the table of value references."""

from __future__ import annotations

from .model import Model, Variable

_HEADER = """\
/* Generated from the description of {name}. */
#ifndef INTERFACE_H
#define INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_NAME "{name}"
#define MODEL_GUID "{guid}"
#define FMI1_NAME(function) {name}_##function
#define N_FIELDS {n_fields}
#define N_STATES {n_states}
#define N_INDICATORS {n_indicators}
#define SUBSTEPS {substeps}
#define CAN_SAVE_STATE {can_save}
#define ONCE_PER_PROCESS {once}
#define MINIMAL_API {minimal}
#define MODEL_EXCHANGE {model_exchange}
#define STRING_CAPACITY 256
#define BINARY_CAPACITY 256

typedef {enumeration} Enumeration;
typedef struct {{ size_t size; uint8_t bytes[BINARY_CAPACITY]; }} Binary;

typedef struct {{
    double time;
    double stop_time;
{saved}
    char end_of_saved; /* what follows is not part of a saved state */
{unsaved}
}} Model;

#define SAVED_SIZE offsetof(Model, end_of_saved)

#endif
"""

_TABLES = """\
/* Generated from the description of {name}. */
#include "core.h"

const Model start_values = {{
{starts}
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
    """The struct of the model's variables and what the core must know about the model at compile time."""
    return _HEADER.format(
        name=model.name,
        guid=model.guid,
        n_fields=len(model.variables),
        n_states=len(model.states),
        n_indicators=len(model.indicators),
        substeps=model.option("substeps", 16),
        can_save=int(model.option("save_state", True)),
        once=int(model.option("once_per_process")),
        minimal=int(model.option("minimal_api")),
        model_exchange=int(model.option("model_exchange")),
        enumeration="int64_t" if fmi == 3 else "int32_t",
        saved="\n".join(f"    {m.declaration};" for m in model.members if m.saved),
        unsaved="\n".join(f"    {m.declaration};" for m in model.members if not m.saved),
    )


def interface_tables(model: Model, fmi: int) -> str:
    """Start values and the tables from value references to members."""
    by_name = model.by_name()
    starts = [f"    .{m.name} = {m.start}," for m in model.members if m.start is not None]
    states = [
        f"    {{offsetof(Model, {by_name[str(d.derivative_of)].member}), offsetof(Model, {d.member})}},"
        for d in model.derivatives
    ]
    return _TABLES.format(
        name=model.name,
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
        f"    {{{_table_type(variable, fmi)}, offsetof(Model, {variable.member}), {count}, {size_offset}, "
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
