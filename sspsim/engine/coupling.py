"""Who feeds whom within a cycle: what its members assume, hand on late and have to be stepped for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sspsim.fmi.codes import Bank, Code
from sspsim.plan import Wiring


@dataclass(frozen=True, slots=True)
class Coupling:
    """`assumed`: iterated reals (0 to count - 1) that are used before they are computed. `late`: the slots of reals
    that are used in the cycle, but not iterated, each with whether it is used before it is computed when one
    component follows the other. `fed[j]`: the components that iterated real j feeds. `leaving`: get calls (component,
    number) of integers and texts that nobody in the cycle uses.
    """

    assumed: tuple[int, ...]
    late: tuple[tuple[int, bool], ...]
    fed: tuple[tuple[int, ...], ...]
    leaving: tuple[tuple[int, int], ...]


def couple(
    wirings: Sequence[Wiring], components: Sequence[int], first: int, count: int, *, simultaneous: bool
) -> Coupling:
    """The iterated reals of the `components` are `count` slots from `first` on."""
    made: dict[int, tuple[int, bool]] = {}  # real slot -> (position of its component, whether iterated)
    used: dict[int, set[int]] = {}  # real slot -> positions of the components that use it
    for position, i in enumerate(components):
        for calls, iterated in ((wirings[i].iterated, True), (wirings[i].handed_on, False)):
            for call in calls:
                if call.code <= Code.FLOAT32:
                    made.update({call.first + k: (position, iterated) for k in range(call.count)})
        for feed in (feed for call in wirings[i].sets for feed in call.feeds):
            if feed.bank == Bank.REAL:
                used.setdefault(feed.slot, set()).add(position)
    broken = {
        slot for slot, (position, _) in made.items() if min(used.get(slot, {len(components)})) <= position
    }
    late = [slot for slot, (_, iterated) in sorted(made.items()) if slot in used and not iterated]
    return Coupling(
        tuple(j for j in range(count) if first + j in (used if simultaneous else broken)),
        tuple((slot, slot in broken) for slot in late),
        tuple(tuple(components[p] for p in sorted(used.get(first + j, ()))) for j in range(count)),
        tuple(_leaving(wirings, components)),
    )


def _leaving(wirings: Sequence[Wiring], components: Sequence[int]) -> Iterator[tuple[int, int]]:
    used = {(feed.bank, feed.slot) for i in components for call in wirings[i].sets for feed in call.feeds}
    for i in components:
        for k, call in enumerate(wirings[i].handed_on, len(wirings[i].iterated)):
            bank = call.code.bank
            if bank is not Bank.REAL and used.isdisjoint((bank, call.first + n) for n in range(call.count)):
                yield i, k
