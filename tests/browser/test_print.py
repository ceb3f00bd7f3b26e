"""A page on paper: a summary and the sentences that the reader asks for, on twelve pages at most."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from pages import Open, until


def pages_of(page: Any, sentences: str) -> int:
    page.select_option("#sentences-to-print", label=sentences)
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(format="A4")))


@pytest.mark.long
def test_as_many_sentences_as_asked_for(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"], "#units?right=0")
    few, many = pages_of(page, "0"), pages_of(page, "50")
    assert page.locator("#print .printed").count() == 50
    assert few < many <= 12
    page.emulate_media(media="print")
    assert page.locator("#verdict").is_visible()
    assert page.locator(".printed").first.is_visible()
    assert not page.locator("#filters").is_visible()


@pytest.mark.long
@pytest.mark.parametrize("task", ["chains", "links", "relations", "tags", "trees"])
def test_twelve_pages_are_enough_for_every_task(open_page: Open, example_pages: dict[str, Path], task: str) -> None:
    page = open_page(example_pages[task])
    assert pages_of(page, "50") <= 12


# A report in a notebook's frame: its links lead to the units, not to the notebook


def test_a_figure_in_the_frame_leads_to_its_units(
    browser: Any, example_reports: dict[str, eh.Report], tmp_path: Path
) -> None:
    (tmp_path / "notebook.html").write_text(f"<h1>notebook</h1>{example_reports['spans']._repr_html_()}", "utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "notebook.html").as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("#differences td.number a").first.click()
    frame.locator("#rows .unit").first.wait_for()
    assert "Units are being unpacked" not in frame.locator("#status").inner_text()
    inner = page.frames[1]
    until(page, lambda: inner.url.startswith("about:srcdoc#units?from="))
    assert inner.title() == example_reports["spans"].title
    with page.expect_download() as started:
        frame.locator("#download").click()
    assert Path(started.value.path()).read_text(encoding="utf-8-sig").startswith("system,document,line,")
    page.close()
