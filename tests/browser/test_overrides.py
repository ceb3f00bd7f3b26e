"""A page on a gold standard with overrides: errors of the gold standard lead to their units."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evenhand as eh
from pages import QUICK, Open, count, wrong_links


@pytest.mark.long
def test_every_count_leads_to_as_many_units_with_overrides(open_page: Open, tmp_path: Path, example: Path) -> None:
    gold, systems = example / "gold.conll", [example / "crf.conll", example / "tagger.conll"]
    rows = eh.read(gold).spans().rows()
    records = [
        {"sentence": scope + 1, "start": start, "end": end, "label": label, "verdict": "spurious"}
        for label, scope, start, end in rows[::5]
    ]
    path = tmp_path / "overrides.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    report = eh.report(gold, systems, overrides=path, overrides_as="kind", match="exact,fair", **QUICK)
    report.to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units?system=crf&kind=GE")
    assert count(page) == report.results["crf"]["fair"].overall["GE"] > 0
    assert "GE" in page.locator("#list .verdict.bad").first.text_content()
    size, wrong = wrong_links(page, "td.number a, figure svg a")
    assert wrong == []
    assert size > 50
