"""What is read in released answers of language models: Climate-Change-NER (Volkanovska 2025), clinical (Hu et al. 2024)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evenhand.grounding.answers import read_answer, shape_of
from evenhand.grounding.items import KnownLabels, ReadAnswer

LISTS = {
    "gpt-4o-2024-05-13.random_4": {"items": 581, "ok": 13, "repaired": 161, "salvaged": 3},
    "gpt-4o-mini.similarity_3": {"items": 587, "ok": 44, "repaired": 132, "salvaged": 1},
    "Meta-Llama-3.1-70B-Instruct.similarity_5": {
        "items": 532,
        "ok": 8,
        "repaired": 154,
        "salvaged": 15,
        "malformed": 26,
        "unknown labels": 2,
    },
    "Meta-Llama-3.1-405B-Instruct.similarity_5": {
        "items": 712,
        "ok": 7,
        "repaired": 168,
        "salvaged": 2,
        "unknown labels": 1,
    },
}
LINES = {
    "gpt-4o-2024-05-13.similarity_5": (578, 140),
    "gpt-4o-mini.random_3": (606, 28),
    "Meta-Llama-3.1-70B-Instruct.similarity_5": (543, 27),
    "Meta-Llama-3.1-405B-Instruct.random_3": (522, 25),
}
TAGGED = {
    "mtsamples.gpt3.5.1baseline": {"items": 190, "unknown labels": 1},
    "mtsamples.gpt3.5.5fiveshot": {"items": 258},
    "mtsamples.gpt4.1baseline": {"items": 319},
    "mtsamples.gpt4.2guideline": {"items": 343},
    "mtsamples.gpt4.5fiveshot": {"items": 326},
    "vaers.gpt3.5.1baseline": {"items": 146},
    "vaers.gpt3.5.3erroranalysis": {"items": 209, "unknown labels": 1},
    "vaers.gpt3.5.5fiveshot": {"items": 419},
    "vaers.gpt4.1baseline": {"items": 486},
    "vaers.gpt4.5fiveshot": {"items": 574},
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_climate_entities(data: Path, name: str) -> None:
    shape, counts = read(data / "extractions/climate/gold.jsonl", f"lists.{name}.jsonl")
    assert shape == "json"
    assert counts == LISTS[name]


@pytest.mark.parametrize("name", LINES)
def test_lines_of_climate_entities(data: Path, name: str) -> None:
    shape, counts = read(data / "extractions/climate/gold.jsonl", f"lines.{name}.jsonl")
    items, skipped = LINES[name]
    assert shape == "lines"
    assert counts == {"items": items, "ok": 177, "skipped lines": skipped}


@pytest.mark.parametrize("name", TAGGED)
def test_tags_in_clinical_texts(data: Path, name: str) -> None:
    corpus, documents = name.split(".")[0], {"mtsamples": 201, "vaers": 286}
    shape, counts = read(data / f"extractions/clinical/{corpus}.gold.jsonl", f"{name}.jsonl")
    assert shape == "xml"
    assert counts == {**TAGGED[name], "ok": documents[corpus]}


def read(gold: Path, name: str) -> tuple[str, Counter[str]]:
    """The shape of the answers, and the counts of what is read in them, as far as there are any."""
    documents, answers = records(gold), [record["output"] for record in records(gold.parent / name)]
    labels = KnownLabels(tag[2:] for document in documents for tag in document["tags"] if tag != "O")
    shape = shape_of(answers)
    counts: Counter[str] = Counter()
    for document, answer in zip(documents, answers, strict=True):
        counts += counted(read_answer(answer, shape, labels, None, " ".join(document["tokens"])), labels)
    return shape, counts


def counted(answer: ReadAnswer, labels: KnownLabels) -> Counter[str]:
    found = [item.label for item in answer.items]
    tags = 0
    if answer.marked:
        found = [label for _, _, label in answer.marked.spans]
        tags = answer.marked.unclosed + answer.marked.unopened
    return Counter(
        {
            "items": len(found),
            answer.how: 1,
            "malformed": answer.malformed,
            "tags": tags,
            "skipped lines": answer.skipped_lines,
            "respelled": answer.respelled,
            "unknown labels": sum(label not in labels.names for label in found),
        }
    )


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
