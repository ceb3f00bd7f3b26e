"""The page of confidences: the result in a sentence, then a slider over the thresholds; wide and narrow screens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from pages import STUCK, VIOLATIONS, WIDTHS, Open, axe

NER = ROOT / "src" / "evenhand" / "examples" / "ner"
GOLD, SCORED = NER / "gold.conll", NER / "scored.jsonl"
VIEWS = [
    pytest.param(viewport, scheme, marks=[] if (viewport["width"], scheme) == (390, "dark") else pytest.mark.long)
    for viewport in WIDTHS
    for scheme in ("light", "dark")
]


def spans(spans: list[tuple[Any, ...]]) -> eh.Annotation:
    return eh.spans([spans], lengths=[10])


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The bundled example; two systems of three and of two spans."""
    folder = tmp_path_factory.mktemp("confidences")
    gold = spans([("PER", 0, 1), ("LOC", 2, 3)])
    systems = {
        "crf": spans([("PER", 0, 1, 0.9), ("LOC", 5, 6, 0.75), ("LOC", 2, 3, 0.5)]),
        "flair": spans([("PER", 0, 1, 0.25), ("LOC", 2, 4, 0.125)]),
    }
    example, two = eh.confidence(GOLD, SCORED, by_label=True, resamples=50), eh.confidence(gold, systems, by_label=True)
    example.to_html(folder / "example.html")
    two.to_html(folder / "two.html", title="Two <b>systems</b>")
    return {"example": folder / "example.html", "two": folder / "two.html"}


def shown(page: Any) -> list[str]:
    """The threshold, and the figures there."""
    names = ("shown", "precision", "recall", "f", "predicted", "wrong")
    return [page.text_content(f"#{name}") for name in names]


def test_the_page_begins_with_the_result(open_page: Open, pages: dict[str, Path]) -> None:
    page = open_page(pages["example"])
    first = page.text_content("main p")
    assert first.startswith("F1 is highest at threshold 0.34: 78.9 (78.2 cross-fitted")
    assert "At 95 % precision, recall is 40.7 %." in first
    assert shown(page) == ["0.34", "81.1 %", "76.8 %", "78.9 %", "270", "spans, 51 wrong"]


def test_the_slider_shows_each_threshold(open_page: Open, pages: dict[str, Path]) -> None:
    page = open_page(pages["two"])
    assert page.title() == "Two <b>systems</b>"
    assert shown(page) == ["0.5", "66.7 %", "100.0 %", "80.0 %", "3", "spans, 1 wrong"]
    page.focus("#points")
    page.keyboard.press("Home")
    assert shown(page) == ["0.9", "100.0 %", "50.0 %", "66.7 %", "1", "span, 0 wrong"]
    assert page.get_attribute("#points", "aria-valuetext") == "0.9"
    assert (page.get_attribute("#dot", "cx"), page.get_attribute("#dot", "cy")) == ("50", "0")
    page.keyboard.press("ArrowRight")
    assert shown(page) == ["0.75", "50.0 %", "50.0 %", "50.0 %", "2", "spans, 1 wrong"]
    page.click("#best")
    assert shown(page)[0] == "0.5"
    page.select_option("#system", label="flair")
    assert shown(page) == ["0.25", "100.0 %", "50.0 %", "66.7 %", "1", "span, 0 wrong"]
    assert page.get_attribute("#points", "max") == "1"


def test_tables_name_their_system(open_page: Open, pages: dict[str, Path]) -> None:
    assert open_page(pages["two"]).eval_on_selector_all("#tables h3", "all => all.map((each) => each.textContent)") == [
        "crf",
        "flair",
    ]
    assert open_page(pages["example"]).locator("#tables h3").count() == 0


@pytest.mark.parametrize(("viewport", "scheme"), VIEWS)
@pytest.mark.parametrize("name", ["example", "two"])
def test_pages_are_accessible_on_wide_and_narrow_screens(
    open_page: Open, pages: dict[str, Path], name: str, viewport: dict[str, int], scheme: str
) -> None:
    page = open_page(pages[name], viewport=viewport, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    assert page.evaluate(STUCK) == []
    page.evaluate(axe())
    assert page.evaluate(VIOLATIONS) == []
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the threshold"
