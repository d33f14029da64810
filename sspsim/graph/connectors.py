"""From connectors to signals, and to what is behind those of components."""

from __future__ import annotations

from sspsim.fmi.description import Variable
from sspsim.graph.arrays import in_words, may_agree
from sspsim.graph.direction import TAKING
from sspsim.graph.quantity import (
    Quantity,
    at_component,
    defaulting,
    differs_in_type,
    of_variable,
)
from sspsim.graph.report import Report, did_you_mean, listed
from sspsim.graph.signal import Signal
from sspsim.graph.tree import Node
from sspsim.graph.units import are_convertible, same
from sspsim.structure import Connector, Kind, Type

KIND_OF_CAUSALITY = {
    "input": Kind.INPUT,
    "output": Kind.OUTPUT,
    "parameter": Kind.PARAMETER,
    "calculatedParameter": Kind.CALCULATED_PARAMETER,
    "structuralParameter": Kind.STRUCTURAL_PARAMETER,
}


def add_signals(root: Node, report: Report) -> None:
    """Gives every node of a tree its signals."""
    for node in root.walk():
        for connector in node.element.connectors:
            if connector.name not in node.connectors:  # else V04 has been reported
                add_connector(node, connector, report)


def add_connector(node: Node, connector: Connector, report: Report) -> Signal | None:
    """The signal of a connector; None if the implementation of the component has nothing of that name."""
    declared = node.scope.quantity(connector.type)
    sizes = tuple(d.size if d.size is not None else d.size_connector for d in connector.dimensions)
    signal = Signal(node, connector.name, _kind(connector), declared, connector.origin, sizes=sizes)
    if node.description:
        variable = node.description.by_name.get(connector.name)
        if variable is None:
            node.unknown[connector.name] = connector
            return None
        _put_before_variable(signal, variable, report)
    elif node.inner:
        inner = node.inner.connectors.get(connector.name)
        if inner is None:
            node.unknown[connector.name] = connector
            return None
        _put_before_system(signal, inner, report)
    node.connectors[connector.name] = signal
    return signal


def undeclared(node: Node, name: str) -> Connector | None:
    """A connector that a component does not declare, although what is behind it has one of that name."""
    if node.description and (variable := node.description.by_name.get(name)):
        return Connector(name=name, kind=kind_of(variable))
    if node.inner and (inner := node.inner.connectors.get(name)):
        return Connector(name=name, kind=inner.kind)
    return None


def variable_signal(node: Node, variable: Variable) -> Signal:
    """The signal of a variable of an FMU."""
    signal = node.variables.get(variable.name)
    if signal is None:
        assert node.description
        quantity = of_variable(variable, node.description)
        kind, origin = kind_of(variable), node.element.origin
        signal = Signal(node, variable.name, kind, quantity, origin, variable, variable.dimensions)
        node.variables[variable.name] = signal
    return signal


def kind_of(variable: Variable) -> Kind:
    """The kind of connector that a variable of an FMU asks for."""
    if variable.variability == "constant":
        return Kind.CONSTANT
    return KIND_OF_CAUSALITY.get(variable.causality, Kind.LOCAL)


def _kind(connector: Connector) -> Kind:
    """The kind that decides on the direction: clocks that tick by themselves are outputs."""
    clock = connector.type.clock if connector.type else None
    ticks = clock is not None and clock.interval_variability not in (None, "triggered")
    return Kind.OUTPUT if ticks else connector.kind


def _put_before_variable(signal: Signal, variable: Variable, report: Report) -> None:
    """Joins a connector with the variable of the FMU behind it."""
    behind = variable_signal(signal.owner, variable)
    _compare(signal, behind.quantity, variable, report)
    signal.quantity = at_component(signal.quantity, behind.quantity)
    if variable.dimensions or signal.sizes:
        _compare_sizes(signal, variable, report)
    if signal.kind is Kind.UNSPECIFIED:
        signal.kind = behind.kind
    elif signal.kind is Kind.INOUT:
        report.error("V07", f"{signal}: inout is only for references to signal dictionaries", signal.origin)
    elif signal.kind is not behind.kind and signal.kind not in _accepted(
        variable, signal.owner.description.fmi if signal.owner.description else 2
    ):
        _report_kind(signal, behind.kind, f"the causality in its FMU is {variable.causality}", report)
    if signal.kind in TAKING:
        behind.behind.append(signal)
    else:
        signal.behind.append(behind)


def _put_before_system(signal: Signal, inner: Signal, report: Report) -> None:
    """Joins a connector of a component with that of the system which the component refers to."""
    signal.quantity = defaulting(signal.quantity, inner.quantity)
    signal.sizes = signal.sizes or inner.sizes
    if signal.kind is Kind.UNSPECIFIED:
        signal.kind = inner.kind
    elif signal.kind is not inner.kind and inner.kind is not Kind.UNSPECIFIED:
        _report_kind(signal, inner.kind, f"in the system behind it the kind is {inner.kind}", report)
    if inner.kind in TAKING:
        inner.behind.append(signal)
    else:
        signal.behind.append(inner)


def _accepted(variable: Variable, fmi: int) -> set[Kind]:
    kinds = {kind_of(variable), KIND_OF_CAUSALITY.get(variable.causality, Kind.LOCAL)}
    if fmi == 1 and variable.causality == "calculatedParameter":
        kinds.add(Kind.OUTPUT)  # FMI 1 says output with the variability parameter
    return kinds


def _report_kind(signal: Signal, actual: Kind, what: str, report: Report) -> None:
    message = f"{signal} is declared as {signal.kind}, but {what}"
    if (signal.kind in TAKING) != (actual in TAKING):
        report.error("V10", message, signal.origin, f"declare it as {actual}")
    else:
        report.warning("V10", message, signal.origin, f"declare it as {actual}")


def _compare(signal: Signal, actual: Quantity, variable: Variable, report: Report) -> None:
    """Type and unit of a connector against those of its variable; the FMU wins."""
    declared = signal.quantity
    if differs_in_type(declared, actual):
        message = f"{signal} is declared as {declared.type}, its FMU has {variable.type}, which counts"
        report.warning("V11", message, signal.origin, f"declare it as {variable.type}")
    unit, actual_unit = declared.unit, actual.unit
    if unit is None or declared.type is Type.BINARY:
        return
    if actual_unit is None:
        message = f"{signal} is declared with the unit {unit.name}, its FMU names none"
        report.warning("V12", message, signal.origin)
    elif not same(unit, actual_unit):
        outcome = "it is converted" if are_convertible(unit, actual_unit) else "the FMU's counts"
        message = f"{signal} is declared with the unit {unit.name}, its FMU has {actual_unit.name}: {outcome}"
        report.warning("V12", message, signal.origin)


def _compare_sizes(signal: Signal, variable: Variable, report: Report) -> None:
    """The dimensions of a connector against those of its variable, which count."""
    if signal.sizes and not may_agree(signal.sizes, variable.dimensions):
        declared, actual = in_words(signal.sizes), in_words(variable.dimensions)
        message = f"{signal} is declared as {declared}, its FMU has {actual}, which counts"
        report.warning("V11", message, signal.origin, "declare the dimensions that the FMU has")
    signal.sizes = variable.dimensions


def report_unknown(root: Node, report: Report) -> None:
    """V09: connectors that do not exist; one finding for each component, since tools declare their wrappers'."""
    for node in root.walk():
        ignored = [c for name, c in node.unknown.items() if name not in node.refused]
        if ignored:
            whose = "variables of its FMU" if node.description else "connectors of its system"
            names = [connector.name for connector in ignored]
            message = (
                f"component {node.name!r}: these connectors are no {whose}, they are ignored: {listed(names)}"
            )
            known = node.description.by_name if node.description and len(names) == 1 else ()
            hint = did_you_mean(names[0], known)
            report.warning("V09", message, ignored[0].origin, hint)
