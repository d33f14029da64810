"""The page with a picture, alive in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, open_browser
from nested_ssp import nested_system

from sspsim.drawing.draw import draw
from sspsim.loading import load

VIEW = "return document.querySelector('#sheet > svg').getAttribute('viewBox').split(' ').map(Number)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def page(fmus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    draw(load(nested_system(folder / "street.ssp", fmus)), folder / "street.html")
    return folder / "street.html"


def hover(browser: Browser, name: str) -> None:
    from selenium.webdriver import ActionChains

    title = browser.all(f'[data-box="{name}"] .title')[0]
    ActionChains(browser.driver).move_to_element(title).perform()


def test_a_page_without_complaints_and_without_a_network(browser: Browser, page: Path) -> None:
    browser.requests()
    browser.open(page)
    assert browser.complaints() == []
    assert {address.split(":")[0] for address in browser.requests()} <= {"file", "data"}


def test_hovering_tells_ports_values_and_units_and_shows_the_wires(browser: Browser, page: Path) -> None:
    browser.open(page)
    hover(browser, "home.heater")
    about = browser.all("#about")[0]
    assert about.is_displayed()
    assert "home.heater" in about.text
    assert "Real = 290 K" in about.text
    bright = browser.all("[data-from]:not(.faint)")
    ends = {(w.get_attribute("data-from"), w.get_attribute("data-to")) for w in bright}
    assert ("home.house", "home.heater") in ends
    assert all("home.heater" in pair for pair in ends)


def test_a_click_goes_into_a_system_and_escape_comes_back(browser: Browser, page: Path) -> None:
    from selenium.webdriver import ActionChains, Keys

    browser.open(page)
    whole = browser.run(VIEW)
    browser.all('[data-box="home"] .title')[0].click()
    inside = browser.run(VIEW)
    assert inside[2] < whole[2]
    assert browser.run("return document.querySelector('[data-box=home]').getBoundingClientRect().width") > 400
    ActionChains(browser.driver).send_keys(Keys.ESCAPE).perform()
    assert browser.run(VIEW) == whole


@pytest.mark.parametrize("dark", [False, True])
def test_the_colours_follow_the_system(browser: Browser, page: Path, dark: bool) -> None:
    browser.open(page, dark=dark)
    script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    paper, ink = browser.run(script, ".bg", "fill"), browser.run(script, "text.title", "fill")
    light = [sum(map(int, colour[4:-1].split(","))) for colour in (paper, ink)]
    assert (light[0] < light[1]) is dark
