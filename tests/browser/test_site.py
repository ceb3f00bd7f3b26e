"""The site: pictures are taken of pages that are ready, the home page, and what the search lists first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from pages import VIOLATIONS, WIDTHS, axe
from website.camera import opened
from website.gallery import photograph
from website.search import first_results

SITE = ROOT / "build" / "site" / "html"
built = pytest.mark.skipif(not (SITE / "search.html").exists(), reason="the site is not built (make site)")
LATE = "<p>Units are being unpacked</p><script>setTimeout(() => { document.querySelector('p').textContent = 'All 3 units'; document.documentElement.dataset.ready = 'true'; }, 300);</script>"


def test_a_picture_waits_until_the_page_is_ready(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "late.html"
    page.write_text(LATE)
    with opened(browser, page, (300, 200)) as tab:
        assert tab.inner_text("p") == "All 3 units"


def test_a_page_that_does_not_become_ready_is_an_error(browser: Any, tmp_path: Path) -> None:
    page, picture = tmp_path / "broken.html", tmp_path / "picture.png"
    page.write_text("<p>Units are being unpacked</p>")
    with pytest.raises(TimeoutError, match=r"broken\.html was not ready after 0\.2 seconds"):
        photograph(browser, page, picture, patience=200)
    assert not picture.exists()


WANTED = {
    "bootstrap": "reference/definitions/statistics",
    "iob": "reference/definitions/scores",
    "kappa": "reference/definitions/agreement",
    "elas": "reference/definitions/trees",
    "las": "reference/definitions/trees",
    "muc": "reference/definitions/chains",
    "ceaf": "reference/definitions/chains",
    "f1": "explanation/measures",
    "significance": "tutorials/better",
    "germeval": "how-to/germeval",
    "brat": "reference/formats",
    "jsonl": "reference/formats",
    "spacy": "how-to/coming-from/spacy",
    "seqeval": "how-to/coming-from/seqeval",
    "install": "how-to/install",
}


@built
def test_the_search_lists_the_page_that_readers_want_first(browser: Any) -> None:
    found = dict(first_results(browser, SITE, WANTED))
    assert found == {word: f"{page}.html" for word, page in WANTED.items()}


@built
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_screen_of_the_home_page_has_claim_picture_output_and_install_line(browser: Any, scheme: str) -> None:
    tab = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    tab.goto((SITE / "index.html").as_uri())
    shown = {
        "claim": tab.get_by_role("heading", name="Every score, every error, and whether the difference is real"),
        "install": tab.get_by_text("pip install"),
        "output": tab.get_by_text("tagger leads crf by").locator("xpath=ancestor::pre"),
        "picture": tab.locator(f".hero img.only-{scheme}"),
    }
    bottoms = {}
    for name, element in shown.items():
        assert element.is_visible(), name
        box = element.bounding_box()
        bottoms[name] = box["y"] + box["height"]
    assert {name: bottom for name, bottom in bottoms.items() if bottom > 900} == {}
    tab.close()


@built
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["index", "search", "reference/definitions/trees", "explanation/comparison"])
def test_pages_of_the_site_have_no_violations(browser: Any, page: str, scheme: str) -> None:
    tab = browser.new_page(viewport=WIDTHS[0], color_scheme=scheme)
    tab.goto((SITE / f"{page}.html").as_uri())
    tab.evaluate(axe())
    assert tab.evaluate(VIOLATIONS) == []
    tab.close()


@built
@pytest.mark.parametrize("page", ["index", "tutorials/first-score", "reference/definitions/spans", "gallery"])
def test_no_page_is_wider_than_a_phone(browser: Any, page: str) -> None:
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    tab.goto((SITE / f"{page}.html").as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    tab.close()
