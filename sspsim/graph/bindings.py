"""Parameter bindings: which value goes to which signal.

Names are matched from the element that carries the binding inwards. Bindings are applied from inner to outer
elements and in the order of the document, so that the last one on each signal is the one that counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sspsim.errors import InputError, UsageError
from sspsim.formats.sources import Session
from sspsim.formats.ssp import Package
from sspsim.graph.connectors import variable_signal
from sspsim.graph.quantity import ANYTHING, Scope
from sspsim.graph.report import Report, did_you_mean, listed
from sspsim.graph.signal import Bound, Signal
from sspsim.graph.tree import Node
from sspsim.structure import (
    Component,
    MappingEntry,
    Origin,
    Parameter,
    ParameterBinding,
    ParameterMapping,
    ParameterSet,
    Scalar,
)

GivenValue = Scalar | Iterable[Scalar]


class Named(NamedTuple):
    """A value and the name that it is addressed to."""

    name: str
    bound: Bound


def apply_bindings(root: Node, package: Package, session: Session, report: Report) -> None:
    """Applies all bindings in the files."""
    reader = _Reader(package, session)
    for node in root.walk():
        for binding in node.element.bindings:
            if (parameters := reader.parameters(node, binding)) is not None:
                mapping = reader.mapping(node, binding)
                apply_set(node, parameters, binding.prefix, mapping, _level(node), report, binding.origin)


def apply_set(
    node: Node,
    parameters: ParameterSet,
    prefix: str,
    mapping: ParameterMapping | None,
    level: str,
    report: Report,
    origin: Origin | None,
) -> None:
    """Applies a parameter set to a node."""
    scope = Scope("", parameters.version, parameters.units, parameters.enumerations)
    named = {prefix + p.name: _bound(p, scope, level) for p in parameters.parameters}
    values = (
        _mapped(named, mapping, report) if mapping else [Named(name, bound) for name, bound in named.items()]
    )
    lost = []
    for name, bound in values:
        signals = list(addressed(node, name))
        for signal in signals:
            signal.bound.append(bound)
        if not signals:
            lost.append(name)
    if lost:
        message = (
            f"{len(lost)} of {len(values)} bound values are for nothing in {_level(node)}: {listed(lost)}"
        )
        report.info(
            "V19", message, origin, did_you_mean(lost[0], known_names(node)) if len(lost) == 1 else ""
        )


def apply_given(root: Node, values: Mapping[str, GivenValue]) -> None:
    """Applies what the user gives by name; a name that means nothing is an error."""
    for name, value in values.items():
        signals = list(addressed(root, name))
        if not signals:
            hint = did_you_mean(name, known_names(root))
            raise UsageError(f"there is no variable or connector {name!r}" + (f"; {hint}" if hint else ""))
        for signal in signals:
            signal.bound.append(_given(value, signal))


def addressed(node: Node, name: str) -> Iterator[Signal]:
    """All signals that a name means, seen from a node; dots may separate elements or belong to names.

    A variable of an FMU needs no connector.
    """
    if node.inner:
        yield from addressed(node.inner, name)
    elif name in node.connectors:
        yield node.connectors[name]
    elif node.description and (variable := node.description.by_name.get(name)):
        yield variable_signal(node, variable)
    if node.children:
        dot = name.find(".")
        while dot >= 0:
            if child := node.children.get(name[:dot]):
                yield from addressed(child, name[dot + 1 :])
            dot = name.find(".", dot + 1)


class _Reader:
    """Finds the content of bindings and mappings; what cannot be found was reported on reading."""

    def __init__(self, package: Package, session: Session) -> None:
        self.package = package
        self.session = session

    def parameters(self, node: Node, binding: ParameterBinding) -> ParameterSet | None:
        """The parameter set of a binding."""
        if binding.inline or not binding.source:
            return binding.inline
        return self.package.parameter_sets.get(self.location(node, binding.source, binding.source_base))

    def mapping(self, node: Node, binding: ParameterBinding) -> ParameterMapping | None:
        """The mapping of a binding; one that cannot be read maps nothing."""
        mapping = binding.mapping
        if mapping is None or mapping.inline:
            return mapping.inline if mapping else None
        location = self.location(node, mapping.source or "", mapping.source_base)
        return self.package.mappings.get(location) or ParameterMapping(version="1.0")

    def location(self, node: Node, source: str, base: str) -> str:
        """Where a file is, relative to the document or inside the component."""
        try:
            if base != "component":
                return self.session.resolve(node.scope.location, source)
            return self.session.inside(node.location, source) if node.location else ""
        except InputError:
            return ""


def _bound(parameter: Parameter, scope: Scope, level: str) -> Bound:
    shape = tuple(dimension.size or 0 for dimension in parameter.dimensions)
    return Bound(
        parameter.values, scope.quantity(parameter.type), shape, origin=parameter.origin, level=level
    )


def _mapped(named: Mapping[str, Bound], mapping: ParameterMapping, report: Report) -> list[Named]:
    """Only what is mapped, under the names that it is mapped to."""
    found = []
    for entry in mapping.entries:
        if entry.source in named:
            found.append(Named(entry.target, _through(named[entry.source], entry)))
        else:
            message = f"the mapping names a parameter {entry.source!r} that is not in the set"
            report.warning("V19", message, entry.origin, did_you_mean(entry.source, named))
    return found


def _through(bound: Bound, entry: MappingEntry) -> Bound:
    return Bound(
        bound.values,
        bound.quantity,
        bound.shape,
        entry.transformation,
        entry.suppress_unit_conversion,
        bound.origin,
        bound.level,
        entry.origin,
    )


def _level(node: Node) -> str:
    """Where in the hierarchy a binding stands."""
    if not node.path:
        return "the root system"
    return f"{'component' if isinstance(node.element, Component) else 'system'} {node.name!r}"


def _given(value: GivenValue, signal: Signal) -> Bound:
    if isinstance(value, str) and signal.sizes:
        value = value.replace(",", " ").split()
    if isinstance(value, float | int | bool | str | bytes):
        return Bound((value,), ANYTHING, level="user")
    return Bound(tuple(value), ANYTHING, level="user")


def known_names(node: Node) -> list[str]:
    """What could have been meant: everything that has a name at this level or one below."""
    if node.inner:
        return known_names(node.inner)
    names = list(node.description.by_name) if node.description else list(node.connectors)
    for name, child in node.children.items():
        inner = known_names(child) if not child.children else list(child.connectors)
        names += [f"{name}.{other}" for other in inner]
    return names
