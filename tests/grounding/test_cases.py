"""What is read in the answers of the cases: items, how, malformed items, skipped lines, tags without a partner."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.grounding.answers import read_answer
from evenhand.grounding.items import KnownLabels
from evenhand.grounding.placement import place_items, place_marked
from evenhand.grounding.search import AnswerDocument

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "cases.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_cases_are_read_as_they_stand(case: dict[str, Any]) -> None:
    labels = KnownLabels(case["labels"])
    answer = read_answer(case["output"], case["shape"], labels, case.get("label"), case["text"])
    items = [(item.text, item.label) for item in answer.items]
    tags = {}
    if answer.marked:
        items = [(answer.marked.text[start:end], label) for start, end, label in answer.marked.spans]
        counts = {"unopened": answer.marked.unopened, "unclosed": answer.marked.unclosed}
        tags = {name: count for name, count in counts.items() if count}
    assert items == [(item["text"], item["label"]) for item in case["items"]]
    assert answer.how == case.get("how", "ok")
    assert (answer.malformed, answer.skipped_lines) == (case.get("malformed", 0), case.get("skipped_lines", 0))
    assert tags == case.get("tags", {})


def test_there_are_66_cases() -> None:
    assert len(CASES) == 66


# Where the items of the cases are placed: their statuses and spans, ambiguous items, changed texts


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_cases_are_placed_as_they_stand(case: dict[str, Any]) -> None:
    text = case["text"]
    breaks = [at + 1 for at, character in enumerate(text) if character == "\n"] if case.get("sentences") else []
    document = AnswerDocument(text, breaks)
    answer = read_answer(case["output"], case["shape"], KnownLabels(case["labels"]), case.get("label"), text)
    if answer.marked:
        placed = place_marked(document, answer.marked)
    else:
        placed = place_items(document, answer.items, case.get("strategy", "in-order"))
    items = [
        {"text": each.item.text, "label": each.item.label, "status": each.status, "spans": [*map(list, each.spans)]}
        for each in placed.placements
    ]
    assert items == case["items"]
    assert placed.ambiguous == case.get("ambiguous", 0)
    assert placed.differs is not case.get("same_text", True)


def test_entities_stay_where_the_document_has_some_as_tokens() -> None:
    document = "a & quot ; lump & quot ; here"
    answer = read_answer("a <PER>&quot;lump&quot;</PER> here", "xml", KnownLabels(["PER"]), None, document)
    assert answer.marked
    assert answer.marked.text == "a &quot;lump&quot; here"
