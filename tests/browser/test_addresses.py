"""Addresses of views: they name documents, places and spans, so that they hold in a page that is made anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from declared import EXAMPLES
from pages import QUICK, TASKS, Open, follow, fragment_of, step_down

pytestmark = pytest.mark.long


def chosen(page: Any, keys: int = 3) -> str:
    """The address after so many steps down the list."""
    for _ in range(keys):
        step_down(page)
    return fragment_of(page)


def drawn(page: Any) -> list[str]:
    """The unit that is drawn: where it is, its words, and the gold standard's label."""
    texts: list[str] = page.eval_on_selector_all(
        "#detail .place, #detail dl:first-of-type dd", "all => all.map((each) => each.textContent)"
    )
    return texts


def test_a_unit_is_named_by_document_sentence_span_and_label(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["chains"], "#units?right=any")
    units = [chosen(page, 1).partition("&unit=")[2] for _ in range(3)]
    invented = "news%2Fferry_0~2~4-5~name~system"
    assert units == ["news%2Fferry_0~1~3-4~name", "news%2Fferry_0~1~7-12~name", invented]


@pytest.mark.parametrize("task", TASKS)
def test_an_address_holds_in_a_page_of_other_systems(
    open_page: Open, example_pages: dict[str, Path], tmp_path: Path, task: str
) -> None:
    page = open_page(example_pages[task], "#units?of=gold")
    address = chosen(page, 7)
    name, gold, systems = EXAMPLES[task]
    folder = ROOT / "src" / "evenhand" / "examples" / name
    fewer = [folder / system for system in reversed(systems[1:])]
    eh.report(folder / gold, fewer, task=task, **QUICK).to_html(tmp_path / "page.html")  # type: ignore[arg-type]
    other = open_page(tmp_path / "page.html", address)
    assert drawn(other) == drawn(page)
    assert "~" in address


def test_every_unit_has_an_address_of_its_own(open_page: Open, tmp_path: Path) -> None:
    """Spans that are there twice, and one that only a system has."""
    gold = eh.spans([[("A", 0, 1), ("A", 0, 1)]], end="exclusive")
    system = eh.spans([[("A", 0, 1), ("B", 2, 3)]], end="exclusive")
    eh.report(gold, system, **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units?right=any")
    assert chosen(page, 1).endswith("&unit=1~1~0-1~A~2")
    assert chosen(page, 1).endswith("&unit=1~1~2-3~B~system")


def test_parts_of_a_page_have_addresses(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"], "#system-crf")
    assert page.evaluate("document.getElementById('system-crf').open")
    page.click("#system-tagger > summary")
    assert fragment_of(page) == "#system-tagger"
    assert page.locator("#differences-Oracle").count() == 1


def test_a_pair_has_an_address(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"], "#differences?from=crf&to=gazetteer")
    assert page.text_content("#pair p").startswith("crf to gazetteer:")
    page.locator("#pair select").last.select_option(label="tagger")
    assert fragment_of(page) == "#differences?from=crf&to=tagger"
    assert page.text_content("#pair p").startswith("crf to tagger:")


def test_what_a_system_should_fix_first_has_an_address(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"], "#fix-first?system=crf")
    assert page.text_content(".fixes:not([hidden]) caption") == "What crf should fix first"
    page.locator("#fix-first select").select_option(label="tagger")
    assert fragment_of(page) == "#fix-first?system=tagger"


def test_examples_of_what_to_fix_lead_to_their_units(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"])
    link = page.locator(".fixes:not([hidden]) .example a").first
    words = link.locator("mark").text_content()
    follow(page, link.click)
    assert "unit=" in fragment_of(page)
    assert page.text_content("#detail dl dd") == words
