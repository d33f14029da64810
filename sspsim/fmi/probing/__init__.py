"""Trust, but verify: tries out what an FMU declares, alone and in a process of its own."""

from sspsim.fmi.probing.probe import CHECKS, Finding, probe

__all__ = ["CHECKS", "Finding", "probe"]
