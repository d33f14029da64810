"""Signal dictionaries: shared signals, and the windows on them that references open anywhere below."""

from __future__ import annotations

from sspsim.errors import InputError
from sspsim.formats.sources import Session
from sspsim.formats.ssp import Package
from sspsim.graph.quantity import Scope, defaulting
from sspsim.graph.report import Report, did_you_mean
from sspsim.graph.signal import Signal
from sspsim.graph.tree import Node
from sspsim.structure import DictionaryReference, Kind, SignalDictionary, System
from sspsim.structure.dictionary import DictionaryDefinition

Entries = dict[str, Signal]


class Dictionaries:
    """All dictionaries of an expanded tree; every instance of a system has its own."""

    def __init__(self, package: Package, session: Session, report: Report) -> None:
        self.package = package
        self.session = session
        self.report = report
        self.entries: dict[tuple[Node, str], Entries] = {}
        self.windows: list[tuple[Signal, Signal]] = []

    def open_windows(self, root: Node) -> None:
        """Puts the shared signals behind the connectors of all references."""
        for node in root.walk():
            if isinstance(node.element, DictionaryReference):
                self._open(node, node.element)

    def settle(self) -> None:
        """Decides which window each signal is written through, once all connections and bindings are known.

        A bound value only counts where no connection writes the signal.
        """
        for writes in (_is_connected, _is_bound):
            for window, entry in self.windows:
                if not writes(window) or window in entry.behind:
                    continue
                if entry.behind and writes is _is_connected:
                    message = f"{entry} is written through {entry.behind[0]} and through {window}"
                    self.report.error(
                        "V24", message, window.origin, "a signal of a dictionary has one writer"
                    )
                elif not entry.behind:
                    entry.behind.append(window)
                    window.behind.clear()

    def _open(self, node: Node, reference: DictionaryReference) -> None:
        found = _lookup(node, reference.dictionary)
        if isinstance(found, list):
            message = (
                f"reference {node.name!r}: no system around it has a dictionary {reference.dictionary!r}"
            )
            self.report.error("V24", message, reference.origin, did_you_mean(reference.dictionary, found))
            return
        entries = self._entries(*found)
        if entries is None:
            return
        for window in node.connectors.values():
            entry = entries.get(window.name)
            if entry is None:
                message = f"{window}: dictionary {reference.dictionary!r} has no such entry"
                self.report.error("V24", message, window.origin, did_you_mean(window.name, entries))
                continue
            window.quantity = defaulting(window.quantity, entry.quantity)
            window.behind.append(entry)
            self.windows.append((window, entry))

    def _entries(self, owner: Node, definition: DictionaryDefinition) -> Entries | None:
        key = (owner, definition.name)
        if key not in self.entries:
            dictionary = self._content(owner, definition)
            if dictionary is None:
                return None
            scope = Scope("", dictionary.version, dictionary.units, dictionary.enumerations)
            self.entries[key] = {
                entry.name: Signal(
                    owner,
                    f"{definition.name}/{entry.name}",
                    Kind.INOUT,
                    scope.quantity(entry.type),
                    entry.origin,
                )
                for entry in dictionary.entries
            }
        return self.entries[key]

    def _content(self, owner: Node, definition: DictionaryDefinition) -> SignalDictionary | None:
        if definition.inline or not definition.source:
            return definition.inline
        try:
            location = self.session.resolve(owner.scope.location, definition.source)
        except InputError:
            return None  # has been reported on reading
        return self.package.dictionaries.get(location)


def _lookup(node: Node, name: str) -> tuple[Node, DictionaryDefinition] | list[str]:
    """The nearest dictionary of a name, from the own system outwards; all names if there is none."""
    known: list[str] = []
    outer = node.parent
    while outer is not None:
        assert isinstance(outer.element, System)
        for definition in outer.element.dictionaries:
            if definition.name == name:
                return outer, definition
            known.append(definition.name)
        outer = outer.parent
    return known


def _is_connected(window: Signal) -> bool:
    return bool(window.inbound)


def _is_bound(window: Signal) -> bool:
    return bool(window.bound)
