"""The network of a system: all elements, all signals, and what leads from one to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sspsim.formats.ssp import Package
from sspsim.garbage import no_collection
from sspsim.graph.bindings import GivenValue, apply_bindings, apply_given, apply_set
from sspsim.graph.connections import connect, settle_directions
from sspsim.graph.connectors import add_signals, report_unknown
from sspsim.graph.dictionaries import Dictionaries
from sspsim.graph.report import Report
from sspsim.graph.signal import Hop
from sspsim.graph.tree import Describe, Node, expand
from sspsim.graph.types import Policy
from sspsim.structure import ParameterSet


@dataclass(frozen=True)
class Choices:
    """What the user decides about a system beyond its files."""

    values: Mapping[str, GivenValue] = field(default_factory=dict)
    parameter_sets: tuple[ParameterSet, ...] = ()
    conversions: Policy = Policy.SAFE
    allow_missing: bool = False
    strict: bool = False


@dataclass(frozen=True)
class Network:
    """The expanded system, with everything that was found on the way."""

    root: Node
    hops: tuple[Hop, ...]
    report: Report
    choices: Choices


@no_collection()
def build_network(package: Package, describe: Describe, choices: Choices | None = None) -> Network:
    """Expands a package, applies its bindings and what the user gives, and connects everything."""
    choices = choices or Choices()
    report = Report(strict=choices.strict)
    with package.sources.session() as session:
        root = expand(package, session, describe, report, allow_missing=choices.allow_missing)
        add_signals(root, report)
        dictionaries = Dictionaries(package, session, report)
        dictionaries.open_windows(root)
        apply_bindings(root, package, session, report)
    for parameters in choices.parameter_sets:
        apply_set(root, parameters, "", None, "user's parameter set", report, parameters.origin)
    apply_given(root, choices.values)
    hops = connect(root, report)
    report_unknown(root, report)
    dictionaries.settle()
    settle_directions(root, hops, report)
    return Network(root, tuple(hops), report, choices)
