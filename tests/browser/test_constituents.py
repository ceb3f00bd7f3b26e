"""The page of constituents: every number leads to its units, and trees are drawn with their wrong brackets marked."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from conftest import ROOT
from pages import QUICK, Open, go, wrong_links

FOLDER = ROOT / "src" / "evenhand" / "examples" / "constituents"
SYSTEMS = ("chunks", "pcfg", "neural")


@pytest.fixture(scope="module")
def page_of_trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "constituents.html"
    systems = [FOLDER / f"{name}.mrg" for name in SYSTEMS]
    eh.report(FOLDER / "gold.mrg", systems, task="constituents", **QUICK).to_html(path)
    return path


@pytest.mark.long
def test_every_number_leads_to_as_many_units(open_page: Open, page_of_trees: Path) -> None:
    page = open_page(page_of_trees)
    size, wrong = wrong_links(page, "td.number a")
    assert wrong == []
    assert size > 100
    size, wrong = wrong_links(page, ".parts a")
    assert wrong == []
    assert size >= 3


def test_trees_are_drawn_side_by_side(open_page: Open, page_of_trees: Path) -> None:
    """Sentence 1: pcfg has both phrases under VP, so that NP is missing and PP too narrow."""
    page = open_page(page_of_trees)
    go(page, "#units?system=pcfg&kind=BES&gold=PP")
    drawings = page.eval_on_selector_all("svg.tree", "all => all.map((each) => each.getAttribute('aria-label'))")
    assert len(drawings) == 4
    gold, _, pcfg, _ = drawings
    assert "NP over “a rock off the coast” (missed by 3 of 3 systems)" in gold
    assert "PP over “on a rock” (wrong)" in pcfg
    marked = page.eval_on_selector_all(
        "svg.tree:nth-of-type(1) .wrong text", "all => all.map((each) => each.textContent)"
    )
    assert "PP" in marked
    assert page.locator("svg.tree .here").count() == 1
