"""Folding routes: all hops of a value in one conversion, and values that are known before the run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sspsim.graph.arrays import flat_index, shape
from sspsim.graph.report import Report
from sspsim.graph.signal import WHOLE, Bound, Hop, Signal
from sspsim.graph.static import Static, carry
from sspsim.graph.stream import Complaint, Stream
from sspsim.graph.trace import CONSTANT, Route
from sspsim.graph.types import Policy
from sspsim.structure import Origin, Scalar


class Folding:
    """Folds routes and reports what is wrong on them, each at the connection or binding where it is wrong."""

    def __init__(self, report: Report, policy: Policy) -> None:
        self.report = report
        self.policy = policy
        self.checked: set[int] = set()  # hops that were looked at, by their id

    def stream(self, hops: Sequence[Hop]) -> Stream:
        """A value that is computed during the run, at the end of its way."""
        first, last = hops[0].source.quantity, hops[-1].target.quantity
        stream = Stream(first, relative=first.relative or last.relative, policy=self.policy)
        for hop in hops:
            self.checked.add(id(hop))
            stream.hop(hop.target.quantity, hop.transformation, suppress=hop.suppress_unit_conversion)
            if stream.complaints:
                self._complain(stream.complaints, str(hop), hop.origin)
                stream.complaints.clear()
        return stream

    def values(self, route: Route) -> tuple[Scalar, ...]:
        """The bound value of a route as it arrives; nothing if it cannot."""
        assert route.bound
        assert route.entry
        return self.carried(route.bound, route.entry, route.entry_hops, route.entry_index)

    def carried(
        self, bound: Bound, entry: Signal, hops: Sequence[Hop] = (), index: tuple[int, ...] = WHOLE
    ) -> tuple[Scalar, ...]:
        """A value that is bound to a signal, or one element of it, at the end of its way."""
        last = hops[-1].target if hops else entry
        relative = entry.quantity.relative or last.quantity.relative
        static = self._at_entry(bound, entry, relative)
        if index:
            try:
                # What the user types has no shape of its own.
                sizes = bound.shape or (shape(last.variable) if last.variable else ())
                static = static._replace(values=(static.values[flat_index(index, sizes)],))
            except ValueError as problem:
                self.report.error("V21", f"{entry}: {problem}", bound.origin)
                return ()
        for hop in hops:
            self.checked.add(id(hop))
            suppress = hop.suppress_unit_conversion
            static = carry(
                static, hop.target.quantity, hop.transformation, suppress=suppress, relative=relative
            )
            if self._complain(static.complaints, str(hop), hop.origin or bound.origin):
                return ()
        return static.values

    def _at_entry(self, bound: Bound, entry: Signal, relative: bool) -> Static:
        static = Static(bound.values, bound.quantity)
        if bound.level == CONSTANT:
            return static
        suppress = bound.suppress_unit_conversion
        static = carry(static, entry.quantity, bound.transformation, suppress=suppress, relative=relative)
        failed = self._complain(static.complaints, f"value of {entry}", bound.origin)
        return Static((), static.quantity) if failed else static

    def _complain(self, complaints: Iterable[Complaint], what: str, origin: Origin | None) -> bool:
        """Reports what is wrong on a hop; True if nothing gets through."""
        failed = False
        for complaint in complaints:
            message = f"{what}: {complaint.text}"
            if complaint.severity is None:
                self.report.doubt(complaint.code, message, origin, complaint.hint)
            else:
                self.report.add(complaint.severity, complaint.code, message, origin, complaint.hint)
                failed = failed or complaint.is_error
        return failed
