"""The report of a run: one page that explains it and works without a network.

The page brings its own small program for curves (`page/report.js`): zooming, hiding, reading values. A
general plot library would be hundreds of times larger than everything that this page needs.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.results.panels import BOOLEANS, COLOURS, DEFECTS, INTEGERS, Curve, Panel, make_panels, time_scale
from sspsim.results.read import read_result
from sspsim.results.result import Result
from sspsim.results.steps import Steps, read_steps
from sspsim.results.words import duration, great_defects, troubles

POINTS = 240_000  # in a page; more would not be seen, and the page would be slow
SHOWN = 10  # curves of a panel that can be seen at first
TICKS = {BOOLEANS: ["false", "true"], INTEGERS: []}  # words for 0 and 1; whole numbers only
FOLDED = 40  # rows of a table that is shown at once
PARTS = (
    ("doStep", "#0072b2"),
    ("get", "#56b4e9"),
    ("set", "#009e73"),
    ("getState", "#e69f00"),
    ("setState", "#d55e00"),
)


def write_report(folder: Path, picture: str = "", target: Path | None = None) -> Path:
    """Writes the page of a run's folder; `picture` is the system's picture as SVG."""
    target = target or folder / "report.html"
    target.write_text(report(read_result(folder), picture, read_steps(folder)), encoding="utf-8")
    return target


def report(result: Result, picture: str = "", steps: Steps | None = None) -> str:
    """The page as a text."""
    run = result.run
    panels, sections = _Panels(result), _Sections()
    if run.get("error"):
        sections.add("Error", f'<p class="error">{escape(run["error"])}</p>')
    if picture:
        sections.add("System", _picture(picture, result.name))
    numbers = any(v.dtype.kind in "fiub" for v in result.values())
    drawn = make_panels({"": result}) if numbers else []
    sections.add("Curves", panels.section([panel for panel in drawn if panel.title != DEFECTS]))
    step_panels = _step_panels(result, steps)
    sections.add("Steps", panels.section(step_panels, low=True) + _counts(run))
    defects = [panel for panel in drawn if panel.title == DEFECTS]
    sections.add("Coupling defect", panels.section(defects, low=True))
    sections.add("Cycles", _cycles(run))
    sections.add("Where the time went", _bars(run))
    sections.add("Warnings", _warnings(run))
    sections.add("Variables", _variables(result))
    sections.add("Run", _settings(run))
    page = files("sspsim.results").joinpath("page")
    return Template(page.joinpath("report.html").read_text(encoding="utf-8")).substitute(
        title=escape(result.name or "Result"),
        status=escape(str(run.get("status", "done"))),
        lead=_lead(result),
        links=sections.links(),
        sections=sections.html(),
        version=escape(str(run.get("sspsim", ""))),
        style=page.joinpath("report.css").read_text(encoding="utf-8"),
        script=page.joinpath("report.js").read_text(encoding="utf-8"),
        data=panels.data(),
    )


def _picture(svg: str, name: str) -> str:
    """As an image, so that the styles of picture and page do not mix."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<div class="picture"><img alt="{escape(name)}" src="data:image/svg+xml;base64,{data}"></div>'


class _Sections:
    """Headings with what stands under them; empty ones are left out."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def add(self, title: str, content: str) -> None:
        if content:
            self.found.append((title, content))

    def links(self) -> str:
        return " ".join(f'<a href="#{_anchor(title)}">{title}</a>' for title, _ in self.found)

    def html(self) -> str:
        return "\n".join(
            f'<section id="{_anchor(title)}"><h2>{title}</h2>{content}</section>'
            for title, content in self.found
        )


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


class _Panels:
    """Numbers all panels of the page and packs their curves."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.panels: list[dict[str, Any]] = []
        numbers = sum(v.dtype.kind in "fiub" for v in result.values())
        self.pieces = max(25, POINTS // (4 * max(1, numbers)))

    def section(self, panels: Sequence[Panel], *, low: bool = False) -> str:
        """Places for panels; the program on the page fills them."""
        if not panels:
            return ""
        kind = "panel low" if low else "panel"
        places = []
        for panel in panels:
            title = escape(panel.title)
            canvas = f'<canvas role="img" aria-label="{title} over time"></canvas><div class="tip"></div>'
            places.append(
                f'<h3>{title}</h3><div class="{kind}" data-panel="{len(self.panels)}">'
                f'<div class="plot">{canvas}</div><div class="legend"></div></div>'
            )
            curves = [self._packed(k, curve) for k, curve in enumerate(panel.curves)]
            self.panels.append({"curves": curves, "ticks": TICKS.get(panel.title)})
        many = sum(len(panel.curves) for panel in panels) > 2 * SHOWN
        find = (
            '<input class="find" type="search" placeholder="find a curve" aria-label="find a curve">'
            if many
            else ""
        )
        words = f"drag to zoom{self._fewer(panels)}"
        tools = f'<button type="button" class="reset">whole time</button>{find}<span>{words}</span>'
        return f'<div class="tools">{tools}</div>{"".join(places)}'

    def _fewer(self, panels: Sequence[Panel]) -> str:
        rows = max((len(curve.time) for panel in panels for curve in panel.curves), default=0)
        return f"; curves have {4 * self.pieces} of {rows} points at most" if rows > 4 * self.pieces else ""

    def _packed(self, place: int, curve: Curve) -> dict[str, Any]:
        drawn = curve.thinned(self.pieces)
        values = drawn.values.astype(float)
        finite = values[np.isfinite(values)]
        base = float(finite[0]) if len(finite) else 0.0
        unit = float(np.abs(finite - base).max(initial=0.0)) or 1.0
        same_time = drawn.time is self.result.time
        return {
            "name": curve.label,
            "colour": curve.colour,
            "held": curve.held,
            "on": place < SHOWN,
            "words": self._words(curve.label),
            "base": base,
            "unit": unit,
            "t": None if same_time else _packed(drawn.time.astype("<f8")),
            "v": _packed(((values - base) / unit).astype("<f4")),
        }

    def _words(self, name: str) -> str:
        return self.result.signals[name].description if name in self.result.signals else ""

    def data(self) -> str:
        """For the program on the page; `<` is written so that no text can end the script element."""
        time = self.result.time
        span = [float(time[0]), float(time[-1])] if len(time) > 1 else [0.0, 1.0]
        shared = _packed(time.astype("<f8")) if len(time) <= 4 * self.pieces else ""
        found = {
            "time": span,
            "scale": time_scale({"": self.result}),
            "shared": shared,
            "panels": self.panels,
        }
        return json.dumps(found, allow_nan=False).replace("<", "\\u003c")


def _packed(values: NDArray[Any]) -> str:
    return base64.b64encode(values.tobytes()).decode()


def _step_panels(result: Result, steps: Steps | None) -> list[Panel]:
    """From the step log if there is one, else from the rows."""
    if steps is None or not len(steps.time):
        rows = Curve("distance of rows", result.time[1:], np.diff(result.time))
        return [Panel("step / s", (rows,))] if len(result.time) > 1 else []
    curves = {"step / s": steps.step, "iterations": steps.iterations}
    return [
        Panel(title, (Curve(title.split(" ")[0], steps.time, values, COLOURS[k], held=True),))
        for k, (title, values) in enumerate(curves.items())
    ]


def _lead(result: Result) -> str:
    run = result.run
    if "statistics" not in run:
        return escape(f"{len(result)} variables, {len(result.time)} rows")
    span = f"t = {run['start']:.12g} to {run['reached']:.12g} s"
    text = f"{run['file']}: {span} with {run['master']}, {run['date']}"
    if "steps" in run["statistics"]:
        text += f"; {run['statistics']['steps']} steps in {duration(run['statistics']['wall_clock_seconds'])}"
    return escape(text)


def _counts(run: Mapping[str, Any]) -> str:
    """All plain numbers among the statistics."""
    rows = [
        (name.removesuffix("_seconds").replace("_", " "), _number(name, value))
        for name, value in run.get("statistics", {}).items()
        if isinstance(value, int | float)
    ]
    facts = "".join(f"<div><dt>{escape(name)}</dt><dd>{value}</dd></div>" for name, value in rows)
    return f'<dl class="facts">{facts}</dl>' if rows else ""


def _number(name: str, value: float) -> str:
    return duration(value) if name.endswith("seconds") else f"{value:g}"


def _bars(run: Mapping[str, Any]) -> str:
    components = run.get("statistics", {}).get("components", {})
    totals = {
        name: sum(calls.get(p, {}).get("seconds", 0.0) for p, _ in PARTS)
        for name, calls in components.items()
    }
    longest = max(totals.values(), default=0.0)
    if longest <= 0:
        return ""
    keys = "".join(f'<span><i style="background:{colour}"></i>{part}</span>' for part, colour in PARTS)
    rows = "".join(
        _bar(name, components[name], totals[name], longest)
        for name in sorted(totals, key=lambda n: -totals[n])
    )
    return f'<div class="keys">{keys}</div><div class="bars">{rows}</div>'


def _bar(name: str, calls: Mapping[str, Any], total: float, longest: float) -> str:
    pieces = "".join(
        f'<span style="width:{100 * found["seconds"] / longest:.2f}%;background:{colour}" '
        f'title="{part}: {found["calls"]} calls, {duration(found["seconds"])}"></span>'
        for part, colour in PARTS
        if (found := calls.get(part)) and found["calls"]
    )
    return (
        f'<div class="name">{escape(name)}</div><div class="track">{pieces}</div>'
        f'<div class="value">{duration(total)}</div>'
    )


def _cycles(run: Mapping[str, Any]) -> str:
    """How each cycle was solved, and how well where nothing was iterated."""
    rows = []
    for cycle in run.get("statistics", {}).get("cycles", ()):
        if len(cycle["components"]) > 1:
            defect = cycle.get("defect", {})
            known = (defect.get("greatest"), defect.get("time"), defect.get("suggested_step"))
            numbers = ("" if value is None else f"{value:.4g}" for value in known)
            names = ", ".join(cycle["components"])
            rows.append((names, cycle["master"], cycle["why"], str(cycle["iterations"]), *numbers))
    heads = ("components", "master", "why", "iterations", "greatest defect", "at t / s", "suggested step / s")
    return _table(heads, rows, numbers=(3, 4, 5, 6)) if rows else ""


def _warnings(run: Mapping[str, Any]) -> str:
    statistics = run.get("statistics", {})
    found = (run.get("warnings", ()), troubles(statistics), great_defects(statistics), run.get("notices", ()))
    texts = [text for group in found for text in group]
    return f'<ul class="notes">{"".join(f"<li>{escape(text)}</li>" for text in texts)}</ul>' if texts else ""


def _variables(result: Result) -> str:
    rows = [
        (
            signal.name,
            str(signal.type),
            signal.unit or "",
            *_extremes(result[signal.name]),
            signal.description,
        )
        for signal in result.signals.values()
    ]
    table = _table(("variable", "type", "unit", "min", "max", "last", "description"), rows, numbers=(3, 4, 5))
    return (
        table
        if len(rows) <= FOLDED
        else f"<details><summary>{len(rows)} variables</summary>{table}</details>"
    )


def _extremes(values: NDArray[Any]) -> tuple[str, str, str]:
    if values.dtype.kind not in "fiub" or not len(values):
        return ("", "", "")
    return (f"{values.min():.6g}", f"{values.max():.6g}", f"{values[-1]:.6g}")


def _settings(run: Mapping[str, Any]) -> str:
    """Everything that is needed to do it again."""
    plain = ("system", "file", "start", "stop", "step", "output_step", "master", "date", "python", "platform")
    rows = [(name.replace("_", " "), str(run[name])) for name in plain if run.get(name) is not None]
    rows += [(name.replace("_", " "), str(value)) for name, value in run.get("settings", {}).items()]
    rows += [("command", " ".join(run["command"]))] if run.get("command") else []
    parts = [_table(("setting", "value"), rows)]
    if run.get("components"):
        found = [(c["name"], c["model"], str(c["fmi"]), c.get("tool", "")) for c in run["components"]]
        parts.append("<h3>Components</h3>" + _table(("name", "model", "FMI", "made by"), found))
    if run.get("inputs"):
        inputs = [(entry["file"], entry["sha256"]) for entry in run["inputs"]]
        parts.append("<h3>Inputs</h3>" + _table(("file", "SHA-256"), inputs))
    packages = {"sspsim": run.get("sspsim", ""), **run.get("packages", {})}
    parts.append("<h3>Versions</h3>" + _table(("package", "version"), packages.items()))
    return "".join(parts)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    def cell(tag: str, k: int, text: str) -> str:
        kind = "n" if k in numbers else "wrap"
        return f'<{tag} class="{kind}">{escape(text)}</{tag}>'

    head = "".join(cell("th", k, text) for k, text in enumerate(heads)) if any(heads) else ""
    body = "".join(f"<tr>{''.join(cell('td', k, text) for k, text in enumerate(row))}</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'
