"""Reports in a browser: every number leads to its units, filters compose, addresses and keys work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from declared import EXAMPLES
from evenhand.report.html import unit_data
from pages import (
    QUICK,
    TASKS,
    Open,
    choose,
    count,
    follow,
    fragment_of,
    go,
    listed,
    selected,
    status,
    step_down,
    wrong_links,
)

NUMBERS = "td.number a, .parts a, #pair a"
"""The links of all numbers."""


def test_five_hundred_links_over_all_tasks(open_page: Open, example_pages: dict[str, Path]) -> None:
    """As many links of every page, evenly spread over it; `make test-long` looks at all of them."""
    checked = 0
    for path in example_pages.values():
        size, wrong = wrong_links(open_page(path), NUMBERS, most=500 // len(example_pages) + 1)
        assert wrong == []
        checked += size
    assert checked >= 500


@pytest.mark.long
@pytest.mark.parametrize("task", sorted(EXAMPLES))
def test_every_number_leads_to_as_many_units(open_page: Open, example_pages: dict[str, Path], task: str) -> None:
    page = open_page(example_pages[task])
    size, wrong = wrong_links(page, NUMBERS)
    assert wrong == []
    assert size > 80


def test_a_click_on_a_cell_lists_its_units(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"])
    page.click("#systems details > summary >> nth=0")
    cell = page.locator("#systems > details:first-of-type td.heat a").first
    follow(page, cell.click)
    assert count(page) == int(cell.text_content())
    assert page.evaluate("document.activeElement.id") == "list"


def matching(data: dict[str, Any], system: int, kind: str, gold: str, text: str) -> int:
    found = 0
    for unit, sentence in enumerate(data["sentence"]):
        own_kind, own_gold, _ = data["classes"][data["class"][system][unit]]
        words = data["space"].join(data["sentences"][sentence]["t"]).lower()
        found += (
            data["kinds"][own_kind] == kind and own_gold >= 0 and data["labels"][own_gold] == gold and text in words
        )
    return found


def errors(data: dict[str, Any]) -> int:
    """How many units some system has wrong."""
    wrong = {code for code, (kind, *_) in enumerate(data["classes"]) if data["kinds"][kind] not in data["right"]}
    return sum(any(column[unit] in wrong for column in data["class"]) for unit in range(len(data["sentence"])))


def test_filters_compose(
    open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report]
) -> None:
    data = unit_data(example_reports["spans"])
    page = open_page(example_pages["spans"])
    assert status(page) == f"{errors(data)} of 305 units"
    choose(page, "system", label="crf")
    choose(page, "kind", label="FN")
    choose(page, "gold", label="LOC")
    assert count(page) == matching(data, 1, "FN", "LOC", "") == 32
    page.fill("[name=text]", "THE ")
    assert count(page) == matching(data, 1, "FN", "LOC", "the ")
    assert 0 < count(page) < 32
    follow(page, lambda: page.click("#filters button"))
    assert status(page) == f"{errors(data)} of 305 units"


def test_new_errors_of_one_system_against_another(
    open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report]
) -> None:
    comparison = example_reports["spans"].comparison
    assert comparison is not None
    page = open_page(example_pages["spans"])
    choose(page, "from", label="crf")
    choose(page, "to", label="tagger")
    choose(page, "change", label="new errors")
    assert count(page) == comparison.pair("crf", "tagger").new_errors.count == 20


@pytest.mark.parametrize("task", TASKS)
def test_the_address_restores_the_view(open_page: Open, example_pages: dict[str, Path], task: str) -> None:
    page = open_page(example_pages[task])
    choose(page, "system", index=2)
    page.fill("[name=text]", "a")
    for _ in range(3):
        step_down(page)
    other = open_page(example_pages[task], fragment_of(page))
    assert (status(other), listed(other), selected(other)) == (status(page), listed(page), 3)
    assert other.text_content("#detail") == page.text_content("#detail")
    assert other.input_value("[name=text]") == "a"


def test_back_and_forward(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"])
    for fragment in ("#units?system=crf&kind=FN", "#units?system=crf&kind=LE"):
        go(page, fragment)
    assert status(page) == "8 of 305 units"
    follow(page, page.go_back)
    assert status(page).startswith("69 of 305")
    follow(page, page.go_forward)
    assert fragment_of(page).endswith("LE")
    assert status(page) == "8 of 305 units"


def test_keys(open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report]) -> None:
    page = open_page(example_pages["spans"], "#units?system=crf")
    press = page.keyboard.press
    places = []
    for key in ("j", "j", "k", "ArrowDown", "PageDown", "ArrowUp", "End", "j", "Home", "k"):
        press(key)
        places.append(selected(page))
    assert places == [1, 2, 1, 2, 12, 11, count(page) - 1, count(page) - 1, 0, 0]
    press("/")
    assert page.evaluate("document.activeElement.name") == "text"
    page.keyboard.type("jk")
    assert "text=jk" in fragment_of(page)
    follow(page, lambda: press("Escape"))
    assert status(page) == f"{errors(unit_data(example_reports['spans']))} of 305 units"
    assert page.evaluate("document.activeElement.name") != "text"


def test_the_focus_is_visible(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"], "#units")
    page.keyboard.press("j")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert (page.evaluate("document.activeElement.id"), page.evaluate(outline)) == ("list", "solid")
    page.keyboard.press("Tab")
    assert page.evaluate(outline) == "solid"
    assert page.get_attribute("#list", "aria-activedescendant") == "unit-1"


@pytest.mark.parametrize("fragment", ["#units?system=nobody", "#units?from=crf&to=nobody", "#units?kind=XX"])
def test_what_is_unknown_has_no_units(open_page: Open, example_pages: dict[str, Path], fragment: str) -> None:
    page = open_page(example_pages["spans"], fragment)
    assert count(page) == 0
    assert page.text_content("#detail") == "No unit is like this."


@pytest.mark.parametrize("fragment", ["#%zz", "#units?text=%zz", "#units?unit=99999", "#units?unit=x&other=1"])
def test_a_broken_address_does_no_harm(open_page: Open, example_pages: dict[str, Path], fragment: str) -> None:
    page = open_page(example_pages["spans"], fragment)
    assert status(page).endswith("of 305 units")


@pytest.mark.parametrize("task", TASKS)
def test_a_single_system(open_page: Open, tmp_path: Path, example: Path, task: str) -> None:
    folder, gold, systems = EXAMPLES[task]
    path = example.parent / folder
    page_path = tmp_path / "page.html"
    eh.report(path / gold, path / systems[0], task=task, **QUICK).to_html(page_path)  # type: ignore[arg-type]
    page = open_page(page_path)
    assert wrong_links(page, "td.number a, .parts a")[1] == []
    assert page.query_selector("#differences") is None
    assert page.query_selector("[name=from]") is None


def test_a_limit_carries_errors_first(open_page: Open, tmp_path: Path, example: Path) -> None:
    systems = [example / "crf.conll", example / "tagger.conll"]
    report = eh.report(example / "gold.conll", systems, limit=20, **QUICK)
    report.to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units?right=0")
    assert status(page) == "20 of 20 units"
    assert f"The page carries 20 of {report.units.met} units" in page.text_content("#units")
    assert report.units.met > 285


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("task", TASKS)
def test_the_page_does_not_scroll_sideways(
    open_page: Open, example_pages: dict[str, Path], task: str, scheme: str
) -> None:
    page = open_page(example_pages[task], "#units", viewport={"width": 400, "height": 800}, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert light == (scheme == "light")
