"""Curves over time as a picture file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sspsim.errors import InputError, UsageError
from sspsim.results.result import Result


def draw(result: Result, target: Path, names: Sequence[str]) -> None:
    """Draws the named variables, or all numbers, into a file; its suffix says the format."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("plots need matplotlib; install it with: pip install 'sspsim[plot]'") from None
    missing = [name for name in names if name not in result]
    if missing:
        raise InputError(f"the result has no variable {missing[0]!r}; it has {', '.join(list(result)[:8])}, ...")
    chosen = names or [name for name in result if result[name].dtype.kind in "fiu"]
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    for name in chosen:
        axes.plot(result.time, result[name], label=name, linewidth=1.4)
    axes.set_xlabel("time [s]")
    axes.grid(alpha=0.3)
    if chosen:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.savefig(target)
