"""Variables of components by their names."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from sspsim.errors import UsageError
from sspsim.fmi.description import Variable
from sspsim.graph.flat import FlatSystem
from sspsim.plan import element_count
from sspsim.structure import Scalar


def find_variable(system: FlatSystem, name: str) -> tuple[int, Variable]:
    """The instance and the variable that `component.variable` names; both names may contain dots."""
    for i, instance in enumerate(system.instances):
        prefix = f"{instance.name}."
        if name.startswith(prefix) and name.removeprefix(prefix) in instance.description.by_name:
            return i, instance.description.by_name[name.removeprefix(prefix)]
    names = [f"{i.name}.{v.name}" for i in system.instances for v in i.description.variables]
    close = get_close_matches(name, names, 3)
    raise UsageError(
        f"there is no variable {name!r}{'; do you mean ' + ' or '.join(close) + '?' if close else ''}"
    )


def require_free(system: FlatSystem, i: int, variable: Variable) -> None:
    """A connected input cannot be set by hand."""
    for link in system.links:
        if (link.target.instance, link.target.variable) == (i, variable.name):
            source = f"{system.instances[link.source.instance].name}.{link.source.variable}"
            name = f"{system.instances[i].name}.{variable.name}"
            raise UsageError(f"{name} is connected: it gets its value from {source}")


def scalars(variable: Variable, value: Scalar | Sequence[Scalar]) -> tuple[Scalar, ...]:
    """As many values as the variable has."""
    values = tuple(value) if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) else (value,)
    if len(values) != element_count(variable):
        raise UsageError(f"{variable.name} has {element_count(variable)} values, not {len(values)}")
    return values
