"""Curves over time as a picture file, or as a page that can be zoomed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import log10
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from sspsim.errors import UsageError
from sspsim.results.panels import (
    BOOLEANS,
    COLOURS,
    DEFECTS,
    INTEGERS,
    UNITLESS,
    Curve,
    Panel,
    event_times,
    make_panels,
    step_limits,
    step_panel,
    time_scale,
)
from sspsim.results.result import Result
from sspsim.results.steps import Steps

DASHES = ("-", "--", ":", "-.")
WEB_DASHES = ("solid", "dash", "dot", "dashdot")
LEGEND_ROWS, LEGEND_COLUMNS = 14, 4
MANY = 100_000  # points, from which on the graphics card helps
PIECES, PIECES_OF_PAGE = 2_000, 400_000  # that are drawn: for each curve of a file, for all curves of a page
EVENTS = "events"
NO_UNITS = (BOOLEANS, INTEGERS, DEFECTS, UNITLESS)
PICTURES = (".png", ".svg", ".pdf")


StepLogs = Mapping[str, Steps | None]


def draw(
    runs: Mapping[str, Result],
    target: Path,
    names: Sequence[str] = (),
    *,
    steps: bool = False,
    step_logs: StepLogs = MappingProxyType({}),
) -> None:
    """Draws the named variables, or all numbers, into a file; its suffix says the format.

    `steps`: with a panel for step sizes and events; the sizes come from `step_logs`, else from the rows.
    """
    if target.suffix == ".html":
        text = page(runs, names, steps=steps, step_logs=step_logs)
        target.write_text(text, encoding="utf-8")
    elif target.suffix in PICTURES:
        figure(runs, names, steps=steps, step_logs=step_logs).savefig(target, dpi=150)
    else:
        raise UsageError(f"{target}: choose a name that ends with {', '.join(PICTURES)} or .html")


def figure(
    runs: Mapping[str, Result],
    names: Sequence[str] = (),
    *,
    steps: bool = False,
    step_logs: StepLogs = MappingProxyType({}),
) -> Any:
    """A matplotlib figure: one panel per unit; `steps` adds one with step sizes and events."""
    from matplotlib.figure import Figure

    panels = make_panels(runs, names)
    scale, unit = time_scale(runs)
    heights = [2.6] * len(panels) + ([1.3] if steps else [])
    width = 8.5 + 1.7 * max(_legend_columns(len(panel.curves)) for panel in panels)
    fig = Figure(figsize=(width, 0.8 + sum(heights)), layout="constrained")
    rows = fig.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axes, panel in zip(rows, panels, strict=False):
        _fill(axes, panel, scale)
    if steps:
        _fill_steps(rows[-1], runs, step_logs, scale)
    rows[-1].set_xlabel(f"time / {unit}")
    title = " / ".join(dict.fromkeys(run.name for run in runs.values() if run.name))
    fig.suptitle(title, fontsize="medium", x=0.01, ha="left")
    return fig


def _fill(axes: Any, panel: Panel, scale: float) -> None:
    for curve in (whole.thinned(PIECES) for whole in panel.curves):
        axes.plot(
            curve.time / scale,
            curve.values,
            label=curve.label,
            linewidth=1.4,
            color=curve.colour,
            linestyle=DASHES[curve.run % len(DASHES)],
            drawstyle="steps-post" if curve.held else "default",
        )
    axes.set_ylabel(panel.title)
    axes.grid(alpha=0.3)
    axes.margins(x=0.01)
    axes.ticklabel_format(axis="y", useOffset=False)
    axes.spines[["top", "right"]].set_visible(False)
    if panel.title == BOOLEANS:
        axes.set_ylim(-0.1, 1.1)
        axes.set_yticks([0, 1], ["false", "true"])
    elif panel.title == INTEGERS:
        axes.yaxis.get_major_locator().set_params(integer=True)
    _add_legend(axes)


def _legend_columns(curves: int) -> int:
    return min(-(-curves // LEGEND_ROWS), LEGEND_COLUMNS)


def _add_legend(axes: Any) -> None:
    """Beside the panel; of very many curves the first ones and the number of the others."""
    lines, labels = axes.get_legend_handles_labels()
    columns = _legend_columns(len(labels))
    if len(labels) > (most := LEGEND_ROWS * LEGEND_COLUMNS):
        labels = [*labels[: most - 1], f"and {len(labels) - most + 1} more"]
    axes.legend(
        lines[: len(labels)],
        labels,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
        ncols=columns,
        fontsize="small" if columns == 1 else "x-small",
    )


def _fill_steps(axes: Any, runs: Mapping[str, Result], step_logs: StepLogs, scale: float) -> None:
    panel = step_panel(runs, step_logs)
    _fill(axes, panel, scale)
    axes.set_yscale("log")
    low, high = step_limits(panel)
    axes.set_ylim(low, high)
    for which in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        which(lambda value, _position: f"{value:g}" if f"{value:e}"[0] in "125" else "")
    for run in runs.values():
        events = event_times(run) / scale
        axes.vlines(events, 0, 0.12, transform=axes.get_xaxis_transform(), linewidth=0.8, label=EVENTS)
    _add_legend(axes)


def page(
    runs: Mapping[str, Result],
    names: Sequence[str] = (),
    *,
    steps: bool = False,
    step_logs: StepLogs = MappingProxyType({}),
) -> str:
    """A page with interactive curves; the program that draws them is in it, so it works without a network."""
    from plotly.graph_objects import Scatter, Scattergl
    from plotly.subplots import make_subplots

    panels = make_panels(runs, names) + ([step_panel(runs, step_logs)] if steps else [])
    scale, unit = time_scale(runs)
    pieces = PIECES_OF_PAGE // (4 * sum(len(panel.curves) for panel in panels))
    points = sum(len(curve.thinned(pieces).time) for panel in panels for curve in panel.curves)
    kind = Scattergl if points > MANY else Scatter
    fig = make_subplots(rows=len(panels), cols=1, shared_xaxes=True, vertical_spacing=0.12 / len(panels))
    for row, panel in enumerate(panels, 1):
        for curve in panel.curves:
            fig.add_trace(kind(**_trace(curve.thinned(pieces), scale, panel, row)), row=row, col=1)
        fig.update_yaxes(title_text=escape(panel.title), minexponent=7, row=row, col=1)
        fig.update_layout({_legend_name(row): _legend(row, len(panels))})
    if steps:
        limits = [log10(limit) for limit in step_limits(panels[-1])]
        fig.update_yaxes(type="log", range=limits, row=len(panels), col=1)
        for run in runs.values():
            fig.add_trace(kind(**_events(run, scale, 10 ** limits[0], len(panels))), row=len(panels), col=1)
    fig.update_xaxes(title_text=f"time / {unit}", row=len(panels), col=1)
    title = " / ".join(dict.fromkeys(run.name for run in runs.values() if run.name))
    fig.update_layout(
        title=escape(title),
        template="plotly_white",
        hovermode="x unified",
        showlegend=True,
        height=max(480, 300 * len(panels)),
    )
    text: str = fig.to_html(include_plotlyjs=True, full_html=True, config={"displaylogo": False})
    return text


def _trace(curve: Curve, scale: float, panel: Panel, row: int) -> dict[str, Any]:
    return {
        "x": curve.time / scale,
        "y": curve.values.astype(float),
        "name": escape(curve.label),
        "legend": _legend_name(row),
        "mode": "lines",
        "line": {
            "color": curve.colour,
            "dash": WEB_DASHES[curve.run % len(WEB_DASHES)],
            "shape": "hv" if curve.held else "linear",
            "width": 1.6,
        },
        "hovertemplate": f"%{{y:.6g}} {'' if panel.title in NO_UNITS else escape(panel.title)}",
    }


def _events(run: Result, scale: float, at: float, row: int) -> dict[str, Any]:
    """Short lines at the bottom of the panel with the steps."""
    times = event_times(run) / scale
    return {
        "x": times,
        "y": np.full(len(times), at),
        "name": EVENTS,
        "legend": _legend_name(row),
        "mode": "markers",
        "marker": {"symbol": "line-ns-open", "size": 14, "color": COLOURS[0]},
        "hovertemplate": EVENTS,
    }


def _legend_name(row: int) -> str:
    return f"legend{row if row > 1 else ''}"


def _legend(row: int, count: int) -> dict[str, Any]:
    """Beside its own panel."""
    return {
        "y": 1 - (row - 1) / count,
        "yanchor": "top",
        "x": 1.01,
        "font": {"size": 11},
        "maxheight": 0.9 / count,
    }
