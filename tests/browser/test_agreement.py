"""The page of an agreement: places in conflict first, a lane for each annotator, numbers that lead to places."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from pages import Open, choose, follow, fragment_of, go


@pytest.fixture(scope="module")
def agreement_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three annotators of two documents, one of which cyd lacks."""
    spans = {
        "ana": {"d1": [("PER", 0, 2), ("LOC", 4, 5)], "d2": [("ORG", 0, 1)]},
        "ben": {"d1": [("PER", 0, 2), ("ORG", 4, 5)], "d2": []},
        "cyd": {"d1": [("PER", 0, 2), ("ORG", 4, 5)]},
    }
    words = {"d1": ["Ada", "Keller", "flew", "to", "<b>Oslo", "."], "d2": ["Nordic", "sued", "."]}
    sides = {
        name: eh.spans(given, tokens={each: words[each] for each in given}, name=name) for name, given in spans.items()
    }
    path = tmp_path_factory.mktemp("agreement") / "page.html"
    eh.agree(sides, resamples=0).to_html(path)
    return path


def test_places_in_conflict_come_first(open_page: Open, agreement_page: Path) -> None:
    page = open_page(agreement_page)
    assert page.text_content("#status") == "3 of 3 places"
    states = page.locator(".place .state").all_text_contents()
    assert states == ["undecided", "decided", "agreed"]
    assert page.locator(".place h3 bdi:first-child").all_text_contents() == ["Nordic", "<b>Oslo", "Ada Keller"]


def test_every_annotator_has_a_lane_and_nobody_is_the_gold_standard(open_page: Open, agreement_page: Path) -> None:
    page = open_page(agreement_page)
    lanes = page.locator(".place").first.locator(".side").all_text_contents()
    assert lanes == ["", "ana", "ben", "cyd (lacks it)", "vote"]
    decided = page.locator(".place.decided")
    assert decided.locator(".bar.here").all_text_contents() == ["LOC", "ORG", "ORG", "ORG"]
    assert "gold" not in page.text_content("#places") + page.text_content("#figures")


def test_numbers_lead_to_as_many_places(open_page: Open, agreement_page: Path) -> None:
    page = open_page(agreement_page)
    links = page.locator("#conflicts td a")
    found = links.evaluate_all("nodes => nodes.map((node) => [node.textContent, node.getAttribute('href')])")
    assert len(found) > 10
    for number, address in found:
        go(page, address)
        assert page.locator(".place").count() == int(number), address


def test_figures_lead_to_places(open_page: Open, agreement_page: Path) -> None:
    page = open_page(agreement_page)
    follow(page, page.locator("#figures th a", has_text="ana – ben").click)
    assert page.text_content("#status") == "2 of 3 places"
    assert page.locator("select[name=pair]").input_value() == "ana\tben"
    follow(page, page.locator("#figures th a", has_text="ORG").click)
    assert page.locator(".place h3 bdi:first-child").all_text_contents() == ["Nordic", "<b>Oslo"]


def test_filters_change_the_address(open_page: Open, agreement_page: Path) -> None:
    page = open_page(agreement_page)
    choose(page, "state", label="agreed")
    assert fragment_of(page) == "#places?state=agreed"
    assert page.text_content("#status") == "1 of 3 places"


def test_a_page_fits_a_telephone(open_page: Open, agreement_page: Path) -> None:
    page = open_page(agreement_page, viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
