"""The first screen of a page: who is better, the main errors, what to fix first, and the first erroneous sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from pages import QUICK, Open, count, follow, go, selected


@pytest.fixture(scope="module")
def wnut17(data: Path, browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, path = data / "wnut17", tmp_path_factory.mktemp("wnut17") / "page.html"
    systems = [folder / "systems" / f"{name}.conll" for name in ("uh_ritual", "arcada", "mic-cis", "flytxt")]
    eh.report(folder / "gold.conll", systems, align="position").to_html(path)
    return path


def bottom(page: Any, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    return float(box["y"] + box["height"])


def test_thirty_seconds_with_wnut17(open_page: Open, wnut17: Path) -> None:
    """All within 1440 x 900: the verdict, the kinds of errors, what to fix first, the first erroneous unit."""
    page = open_page(wnut17, viewport={"width": 1440, "height": 900})
    verdict = page.inner_text("#verdict")
    assert verdict.startswith("uh_ritual leads arcada by 0.37 points, p = 0.78: no evidence of a difference.")
    assert "Both beat mic-cis." in verdict
    assert "13 spans are ill-formed" in page.inner_text("#cautions")
    assert "missing: person" in page.inner_text("#fix-first")
    for selector in ("#verdict", ".parts", ".fixes tbody tr:last-child", "#list .unit"):
        assert bottom(page, selector) <= 900, selector
    assert page.locator("#list .unit").first.inner_text().split() != []


def test_systems_stand_by_score_with_what_is_sure(open_page: Open, wnut17: Path) -> None:
    page = open_page(wnut17)
    rows = page.locator(".all-systems tbody tr")
    assert rows.locator("th").all_inner_texts() == ["uh_ritual", "arcada", "flytxt", "mic-cis"]
    assert rows.locator(".standing").all_inner_texts() == [
        "best",
        "no evidence, p = 0.78",
        "no evidence, p = 0.16",
        "lower, p = 0.028",
    ]
    assert rows.locator(".best").all_inner_texts() == ["46.56"]


def test_what_to_fix_first_leads_to_its_units(open_page: Open, wnut17: Path) -> None:
    page = open_page(wnut17)
    row = page.locator(".fixes:visible tbody tr").first
    assert row.locator("th, .number").all_inner_texts() == ["missing: person", "180", "+16.20"]
    assert row.locator(".example").count() == 3
    words = row.locator(".example mark").nth(1).inner_text()
    follow(page, row.locator(".number a").click)
    assert count(page) == 180
    follow(page, row.locator(".example a").nth(1).click)
    assert count(page) == 180
    assert page.inner_text(f"#unit-{selected(page)} .words") == words
    page.select_option("#fix-first select", label="mic-cis")
    assert page.locator(".fixes:visible").count() == 1
    follow(page, page.locator(".fixes:visible .number a").first.click)
    assert page.input_value("[name=system]") == "=mic-cis"


def test_one_system_has_its_score_and_no_rival(open_page: Open, tmp_path: Path, example: Path) -> None:
    eh.report(example / "gold.conll", example / "crf.conll", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    assert page.inner_text("#verdict").startswith("crf has 76.50 fair F1 (95 % interval ")
    assert "against the best" not in page.inner_text("#overview")
    assert page.locator("#fix-first select").count() == 0
    assert page.locator("#pair").count() == 0


def test_text_of_the_data_stays_text_on_the_first_screen(open_page: Open, tmp_path: Path) -> None:
    word, name = "<img/src=x>", "<s>&amp;"
    for file, tag in (("gold", "B-<b>"), (name, "O")):
        (tmp_path / f"{file.replace('/', '_')}.conll").write_text(f"{word} {tag}\nend O\n\n")
    systems = {name: tmp_path / f"{name}.conll"}
    eh.report(tmp_path / "gold.conll", systems, format="conll", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    assert name in page.inner_text("#verdict")
    assert page.inner_text("#fix-first mark") == word
    assert page.inner_text(".fixes tbody th") == "missing: <b>"
    go(page, "#units?right=any")
    assert page.inner_text("#list td.words") == word
