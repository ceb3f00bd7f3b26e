"""The page of a task from outside: every number leads to its units, which are drawn as labelled spans."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from evenhand.tasks.registry import TASKS
from foreign import TOPICS
from pages import QUICK, Open, wrong_links


@pytest.mark.long
def test_numbers_lead_to_units(open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, example: Path) -> None:
    monkeypatch.setitem(TASKS.__dict__, "_plugins", {"topics": TOPICS})
    systems = {name: eh.read(example / f"{name}.conll") for name in ("gazetteer", "crf", "tagger")}
    eh.report(eh.read(example / "gold.conll"), systems, task="topics", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units?system=crf&gold=LOC&predicted=PER")
    assert page.text_content("#status") == "1 of 87 units"
    assert page.text_content("#list .unit .verdict >> nth=1") == "✗ PER"
    assert page.locator(".bar.here").all_text_contents() == ["LOC", "LOC", "LOC"]
    assert page.locator(".bar").all_text_contents() == ["LOC", "LOC", "PER", "LOC"]
    size, wrong = wrong_links(page, "td.number a, .parts a")
    assert wrong == []
    assert size > 50
