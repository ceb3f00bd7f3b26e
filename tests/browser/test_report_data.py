"""Reports on published data in a browser; skipped where the data is absent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from pages import QUICK, Open, count, follow, go, status, wrong_links


def page_of(report: eh.Report, folder: Path) -> Path:
    report.to_html(folder / "page.html")
    return folder / "page.html"


@pytest.fixture(scope="module")
def conll2003(data: Path, browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = data / "conll2003"
    systems = sorted((folder / "systems").glob("*.tags"))
    report = eh.report(folder / "gold.testb.tags", systems, **QUICK)
    return page_of(report, tmp_path_factory.mktemp("conll2003"))


@pytest.mark.long
def test_cells_of_matrices_of_conll2003(open_page: Open, conll2003: Path) -> None:
    page = open_page(conll2003)
    size, wrong = wrong_links(
        page, "#systems > details:is(:nth-of-type(1), :nth-of-type(7), :nth-of-type(16)) td.heat a"
    )
    assert wrong == []
    assert size > 3 * 15


@pytest.mark.long
def test_loc_taken_for_org_in_conll2003(open_page: Open, conll2003: Path, data: Path) -> None:
    folder = data / "conll2003"
    result = eh.score(folder / "gold.testb.tags", folder / "systems" / "florian.testb.tags")
    page = open_page(conll2003)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    link = "#systems a[href='#units?system=florian&right=0&gold=LOC&predicted=ORG']"
    follow(page, lambda: page.click(link))
    assert count(page) == result["fair"].confusion["LOC"]["ORG"] > 0


@pytest.mark.long
def test_transitions_and_bars_of_conll2003(open_page: Open, conll2003: Path) -> None:
    page = open_page(conll2003)
    assert wrong_links(page, ".parts a, #differences td.number a, #pair a")[1] == []


@pytest.mark.long
def test_wnut17(open_page: Open, data: Path, tmp_path: Path) -> None:
    folder = data / "wnut17"
    systems = [folder / "systems" / f"{name}.conll" for name in ("arcada", "flytxt", "uh_ritual")]
    page = open_page(page_of(eh.report(folder / "gold.conll", systems, **QUICK), tmp_path))
    assert wrong_links(page, "td.heat a, .parts a, #differences td.number a")[1] == []
    go(page, "#units?text=%23")
    assert count(page) > 100


@pytest.mark.long
def test_germeval2014(open_page: Open, data: Path, tmp_path: Path) -> None:
    folder = data / "germeval2014"
    report = eh.report(folder / "gold.tsv", folder / "stanza.sixcol.tsv", **QUICK)
    page = open_page(page_of(report, tmp_path))
    assert wrong_links(page, "td.heat a, .parts a, #systems > details:first-of-type td.number a")[1] == []
    assert status(page)
