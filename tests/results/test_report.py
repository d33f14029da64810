"""The report: complete, escaped, and alive in a real browser."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser, open_browser
from small_ssp import write_ssp

import sspsim
from sspsim.results.folder import run_into
from sspsim.results.report import report
from sspsim.results.result import Result
from sspsim.results.signal import Signal
from sspsim.structure import Type

Cli = Callable[..., Any]


def embedded(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_everything_that_explains_a_run_is_there(fmus: Path, tmp_path: Path, cli: Cli) -> None:
    assert cli("run", fmus / "House.ssp", "--report", "-q", "-o", "out").returncode == 0
    page = (tmp_path / "out" / "report.html").read_text()
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    for text in (
        summary["inputs"][0]["sha256"],
        summary["platform"],
        "house.T_room",
        "W/m2",
        "Heater",
        "anderson",
    ):
        assert text in page
    assert 'src="data:image/svg+xml;base64,' in page
    labels = [curve["name"] for panel in embedded(page)["panels"] for curve in panel["curves"]]
    assert {"heater.P", "house.T_room", "step", "iterations"} <= set(labels)


@pytest.mark.parametrize(("master", "told"), [("auto", "anderson"), ("gauss-jacobi", "gauss-jacobi")])
def test_the_picture_tells_the_masters_of_the_run(fmus: Path, tmp_path: Path, cli: Cli, master, told) -> None:
    assert cli("run", fmus / "Math003.ssp", "--master", master, "--report", "-q", "-o", "out").returncode == 0
    assert cli("report", "out", "-o", "later.html").returncode == 0
    for page in ("out/report.html", "later.html"):
        drawn = re.search(r"data:image/svg\+xml;base64,([^\"]+)", (tmp_path / page).read_text())
        assert drawn and f"cycle 1: {told}" in base64.b64decode(drawn[1]).decode()


def test_a_report_can_be_made_later(fmus: Path, tmp_path: Path, cli: Cli) -> None:
    assert cli("run", fmus / "Math003.ssp", "-q", "-o", "out").returncode == 0
    done = cli("report", "out", "-o", "page.html", "--json")
    assert json.loads(done.stdout) == {
        "report": "page.html",
        "bytes": (tmp_path / "page.html").stat().st_size,
    }


def test_a_failed_run_says_why(fmus: Path, tmp_path: Path, cli: Cli) -> None:
    system = write_ssp(tmp_path / "failing.ssp", {"bad": fmus / "fmi2" / "Misbehave.fmu"}, stop=1.0)
    simulation = sspsim.Simulation(system, step=0.1, parameters={"bad.mode": 1, "bad.from_time": 0.5})
    assert isinstance(run_into(tmp_path / "out", simulation).failure, sspsim.SimulationError)
    assert cli("report", "out").returncode == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert 'class="error"' in page
    assert "bad at t=0.5" in page


def test_troubles_of_a_run_are_among_the_warnings(fmus: Path) -> None:
    text = report(sspsim.simulate(fmus / "Math003.ssp", step=0.1))
    assert "<li>3 steps did not converge</li>" in text


def test_names_cannot_break_the_page() -> None:
    evil = "</script><script>alert(1)</script>"
    page = report(Result(np.arange(3.0), {evil: np.arange(3.0)}, run={"system": evil, "warnings": [evil]}))
    assert evil not in page
    assert embedded(page)["panels"][0]["curves"][0]["name"] == evil


def values_of(curve: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(curve["v"]), dtype="<f4") * curve["unit"] + curve["base"]


def test_no_peak_is_lost_and_the_page_stays_small() -> None:
    time = np.arange(400_000.0)
    values = {f"c{k}.y": np.where(time == 1000 * k, 7.0, np.sin(time / 5000 + k)) for k in range(100)}
    page = report(Result(time, values))
    assert len(page) < 10_000_000
    for k, curve in enumerate(embedded(page)["panels"][0]["curves"]):
        drawn = values_of(curve)
        assert drawn.max() == pytest.approx(7.0, abs=1e-6), k


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def page(fmus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("report") / "report.html"
    target.write_text(report(sspsim.simulate(fmus / "House.ssp", step=300.0)), encoding="utf-8")
    return target


def test_the_browser_has_nothing_to_complain_about(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.requests()
    browser.open(page)
    assert {element.text for element in browser.all("h2")} >= {
        "Curves",
        "Steps",
        "Run",
        "Where the time went",
    }
    assert len(browser.all("canvas")) >= 4
    assert browser.complaints() == []
    assert {address.split(":")[0] for address in browser.requests()} <= {"file", "data"}


def picture(browser: Browser) -> str:
    """What the first chart shows."""
    shown: str = browser.run("return document.querySelector('canvas').toDataURL()")
    return shown


def test_values_that_are_not_finite_do_not_hide_the_others(browser: Browser, tmp_path: Path) -> None:
    time = np.arange(4.0)
    values = {
        "a": np.array([0.0, -np.inf, 2.0, np.nan]),
        "on": np.array([True, False, True, True]),
        "huge": np.array([1.0, 1e300, np.inf, 0.0]),
    }
    units = {"a": Signal("a", Type.REAL, "V"), "huge": Signal("huge", Type.REAL, "W")}
    target = tmp_path / "odd.html"
    target.write_text(report(Result(time, values, units)), encoding="utf-8")
    browser.open(target)
    ranges = browser.run("return charts.map((chart) => [chart.low, chart.high, chart.ticks()[1]])")
    assert ranges[0][:2] == pytest.approx([-0.12, 2.12])
    assert ranges[0][2] == ["0", "0.5", "1.0", "1.5", "2.0"]
    assert ranges[1][1] == pytest.approx(1.06e300)
    assert ranges[2][2] == ["false", "true"]
    assert browser.complaints() == []


def test_dragging_zooms_and_a_button_shows_everything_again(browser: Browser, page: Path) -> None:
    from selenium.webdriver import ActionChains

    browser.open(page)
    whole = picture(browser)
    chart = browser.all("canvas")[0]
    move = ActionChains(browser.driver).move_to_element_with_offset(chart, -100, 0)
    move.click_and_hold().move_by_offset(150, 0).release().perform()
    start, stop = (
        browser.run(f"return Number(document.documentElement.dataset.{key})") for key in ("from", "to")
    )
    assert 0 < start < stop < 86400
    share = 150 / (chart.size["width"] - 74)
    assert stop - start == pytest.approx(share * 86400, rel=0.02)
    assert picture(browser) != whole
    browser.all(".reset")[0].click()
    assert browser.run("return Number(document.documentElement.dataset.to)") == 86400
    assert browser.complaints() == []


def test_a_click_hides_a_curve_and_another_one_brings_it_back(browser: Browser, page: Path) -> None:
    browser.open(page)
    before = picture(browser)
    button = browser.all(".legend button")[0]
    button.click()
    browser.run("document.activeElement.blur()")
    assert button.get_attribute("aria-pressed") == "false"
    assert picture(browser) != before
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert picture(browser) == before


@pytest.mark.parametrize("dark", [False, True])
def test_colours_follow_the_system_and_the_button(browser: Browser, page: Path, dark: bool) -> None:
    browser.open(page, dark=dark)
    background = "return getComputedStyle(document.body).backgroundColor"
    light = sum(map(int, re.findall(r"\d+", browser.run(background))[:3])) > 380
    assert light is not dark
    browser.all("#theme")[0].click()
    assert (sum(map(int, re.findall(r"\d+", browser.run(background))[:3])) > 380) is dark


@pytest.mark.parametrize("width", [360, 760, 1600])
def test_nothing_sticks_out_of_a_window(browser: Browser, page: Path, width: int) -> None:
    browser.open(page, width=width)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    chart = browser.all(".plot canvas")[0]
    assert chart.size["width"] > 0.5 * min(width, 1280) - 60


def test_moving_over_a_chart_tells_values(browser: Browser, page: Path) -> None:
    from selenium.webdriver import ActionChains

    browser.open(page)
    ActionChains(browser.driver).move_to_element(browser.all("canvas")[0]).perform()
    text = browser.all(".tip")[0].text
    assert text.startswith("t = ")
    assert "house.T_room: " in text


def test_the_html_plot_works_without_a_network(browser: Browser, fmus: Path, tmp_path: Path) -> None:
    target = tmp_path / "plot.html"
    sspsim.simulate(fmus / "House.ssp", step=600.0).save_plot(target)
    browser.requests()
    browser.open(target)
    legends = "document.querySelectorAll('[class^=legend][class$=text]')"
    names = f"return [...{legends}].map((e) => e.textContent)"
    browser.wait_until(lambda: len(browser.run(names)) >= 4)
    assert set(browser.run(names)) == {"heater.P", "house.T_ambient", "house.T_room", "house.radiation"}
    assert browser.complaints() == []
    assert {address.split(":")[0] for address in browser.requests()} <= {"file", "data", "blob"}
