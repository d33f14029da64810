"""How a process was ended, in words."""

from __future__ import annotations

import signal


def signal_name(number: int) -> str:
    """A signal in words; those for applications have numbers only.

    >>> signal_name(11)
    'SIGSEGV (Segmentation fault)'
    >>> signal_name(40)
    'signal 40 (Real-time signal 6)'
    """
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return f"{name} ({signal.strsignal(number)})"
