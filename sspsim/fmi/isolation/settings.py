"""Which components run in processes of their own, and within what limits."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from sspsim.errors import UsageError
from sspsim.fmi.description import Interface

ALL, AUTO = "all", "auto"  # words of --isolate beside names of components


@dataclass(frozen=True, slots=True)
class Isolation:
    """`components`: names, or None for all. Times are in seconds, memory in megabytes; None: no limit.

    Without any of this only those FMUs are isolated that say that they can be instantiated once per process, when
    there are several of them.
    """

    components: tuple[str, ...] | None = ()
    step_timeout: float | None = None
    memory_limit: float | None = None

    def __post_init__(self) -> None:
        for option, limit in (("--step-timeout", self.step_timeout), ("--memory-limit", self.memory_limit)):
            if limit is not None and not 0 < limit < inf:
                raise UsageError(f"{option} must be greater than 0, not {limit:g}; leave it out for no limit")

    @classmethod
    def of(
        cls, words: Sequence[str], step_timeout: float | None = None, memory_limit: float | None = None
    ) -> Isolation:
        """What `--isolate` means: names of components, `all`, or `auto`, which is what happens anyway.

        >>> Isolation.of(["auto", "plant"]).components
        ('plant',)
        """
        names = tuple(word for word in words if word != AUTO)
        return cls(None if ALL in names else names, step_timeout, memory_limit)

    def chosen(self, instances: Sequence[tuple[str, str, Interface]]) -> set[str]:
        """Those instances, given as (name, location of the FMU, interface), that get a process of their own."""
        unknown = set(self.components or ()) - {name for name, _, _ in instances}
        if unknown:
            known = ", ".join(name for name, _, _ in instances)
            raise UsageError(f"--isolate: there is no component {min(unknown)!r}; there are {known}")
        count = Counter(location for _, location, _ in instances)
        wanted = {
            name
            for name, location, interface in instances
            if self.components is None
            or name in self.components
            or (interface.once_per_process and count[location] > 1)
        }
        if wanted and sys.platform == "win32":
            raise UsageError("components cannot be isolated on Windows; run without --isolate")
        if (self.step_timeout or self.memory_limit) and not wanted:
            raise UsageError(
                "--step-timeout and --memory-limit need components that are isolated, and none is: "
                "add --isolate with names of components, or --isolate all"
            )
        return wanted
