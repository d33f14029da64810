"""What the variables of one FMU depend on, as its model structure tells; where it tells nothing, on
everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sspsim.fmi.description import Description, Unknown, Variable

Names = frozenset[str]
Dependencies = Mapping[str, Names | None]  # None, or not in it: not told, so on everything

SET_ONCE = ("constant", "fixed")  # variabilities of what does not change after the initialisation


def feedthrough(description: Description) -> Dependencies:
    """What acts on each output at once, without a step in between."""
    return {u.variable: _names(u) for u in description.outputs}


def initial_feedthrough(description: Description) -> Dependencies:
    """The same during the initialisation: as the initial unknowns say, else as the outputs say.

    An initial unknown that names another one depends on what that one depends on.
    """
    direct = {u.variable: _names(u) for u in description.initial_unknowns}
    found: dict[str, Names | None] = {u.variable: _names(u) for u in description.outputs}
    found.update((name, _closure(name, direct)) for name in direct)
    return found


def influences(description: Description) -> Dependencies:
    """For each output all that can change it in the course of a step, also through states; None: nobody
    knows.

    No direct feedthrough is no proof: the output of an integrator has none, yet it moves with the input. Only
    an FMU that declares its states and their derivatives proves anything, and only for continuous outputs,
    since the discrete states, which others may depend on, appear in no model structure. If no output names
    anything but inputs, the tool has left states out of its lists, and each output may depend on all of them.
    """
    states = _states(description)
    derivative_of = {state: _names(u) for u in description.derivatives if (state := states.get(u.variable))}
    found: dict[str, Names | None] = {
        v.name: frozenset() for v in description.variables if v.variability in SET_ONCE
    }
    if not derivative_of or len(derivative_of) < len(description.derivatives):
        return found
    by_reference = {description.by_name[state].reference: state for state in derivative_of}
    left_out = frozenset() if _names_more_than_inputs(description) else _hidden(description, derivative_of)
    for unknown in description.outputs:
        variable = description.by_name[unknown.variable]
        names = _names(unknown)
        if names is None or variable.variability != "continuous" or not variable.type.is_real:
            continue
        if variable.reference in by_reference:  # the output is a state, whatever its dependencies say
            names |= {by_reference[variable.reference]}
        found[variable.name] = _settled(description, derivative_of, names | left_out)
    return found


def _names_more_than_inputs(description: Description) -> bool:
    """Whether some output is said to depend on a state or on time."""
    inputs = {variable.name for variable in description.inputs}
    return any(not inputs.issuperset(unknown.dependencies or ()) for unknown in description.outputs)


def _hidden(description: Description, states: Iterable[str]) -> Names:
    """The states that are no outputs themselves."""
    shown = {description.by_name[unknown.variable].reference for unknown in description.outputs}
    return frozenset(state for state in states if description.by_name[state].reference not in shown)


def _names(unknown: Unknown) -> Names | None:
    return None if unknown.dependencies is None else frozenset(unknown.dependencies)


def _closure(name: str, direct: Mapping[str, Names | None]) -> Names | None:
    """All that can be reached from a name, without the steps in between."""
    reached: set[str] = {name}
    ends: set[str] = set()
    pending = [name]
    while pending:
        names = direct[pending.pop()]
        if names is None:
            return None
        ends |= names - direct.keys()
        pending += (new := (names & direct.keys()) - reached)
        reached |= new
    return frozenset(ends)


def _states(description: Description) -> dict[str, str]:
    """The state by the name of its derivative."""
    return {v.name: v.derivative_of for v in description.variables if v.derivative_of}


def _settled(
    description: Description, derivative_of: Mapping[str, Names | None], names: Names
) -> Names | None:
    """What is behind the given names when states are followed to what moves them."""
    ends = _closure("", {**derivative_of, "": names})
    if ends is None or not all(_is_told(description.by_name.get(name)) for name in ends):
        return None
    return ends


def _is_told(variable: Variable | None) -> bool:
    """Whether one knows what moves a variable that is no state: time, or what is set from outside."""
    return variable is not None and (
        variable.causality in ("independent", "input", "parameter", "structuralParameter")
        or variable.variability in SET_ONCE
    )
