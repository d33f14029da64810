"""A result as a table for notebooks: each variable with its unit, its range and a small curve."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.results.outline import outline
from sspsim.results.result import Result

SHOWN = 50
WIDTH, HEIGHT = 160, 28


def as_html(result: Result) -> str:
    """A self-contained piece of HTML."""
    names = list(result)
    rows = "".join(_row(result, name) for name in names[:SHOWN])
    more = f"<p>and {len(names) - SHOWN} more variables</p>" if len(names) > SHOWN else ""
    head = "".join(
        f"<th>{title}</th>" for title in ("variable", "unit", "type", "min", "max", "last", "", "")
    )
    return f"<p><b>{escape(repr(result)[1:-1])}</b></p><table><tr>{head}</tr>{rows}</table>{more}"


def _row(result: Result, name: str) -> str:
    signal, values = result.signals[name], result[name]
    numbers = values.dtype.kind in "fiub" and len(values) > 0
    cells = [name, signal.unit or "", str(signal.type)]
    cells += [f"{v:.6g}" for v in (values.min(), values.max(), values[-1])] if numbers else ["", "", ""]
    curve = sparkline(result.time, values) if numbers else ""
    texts = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f"<tr>{texts}<td>{curve}</td><td>{escape(signal.description)}</td></tr>"


def sparkline(time: NDArray[np.float64], values: NDArray[Any]) -> str:
    """A curve of a few hundred bytes: the extremes of each pixel column."""
    finite = np.isfinite(values)
    if not finite.any():
        return ""
    t, v = time[finite], values[finite].astype(float)
    span, height = max(t[-1] - t[0], 1e-300), max(v.max() - v.min(), 1e-300)
    chosen = outline(v, WIDTH)
    x = (t[chosen] - t[0]) / span * WIDTH
    y = HEIGHT - 2 - (v[chosen] - v.min()) / height * (HEIGHT - 4)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    style = 'fill="none" stroke="currentColor" stroke-width="1"'
    return f'<svg width="{WIDTH}" height="{HEIGHT}"><polyline points="{points}" {style}/></svg>'
