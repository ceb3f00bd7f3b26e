"""A page on paper: a summary and the sentences that the reader asks for, on twelve pages at most."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pages import Open


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
