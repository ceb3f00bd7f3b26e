"""Spans that lose their offsets come back; placed systems have the scores of the published figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotated_texts import AnnotatedText, annotated_texts
from conftest import EXAMPLE, ROOT
from evenhand.grounding.answers import read_answer
from evenhand.grounding.items import Item, KnownLabels, Shape
from evenhand.grounding.placement import Placed, place, place_best, place_marked

SIZES = {"sentence": 1, "50 sentences": 50, "document": None}
OUTER = 3
"""The column of GermEval's outer spans."""


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    path = ROOT / "tests" / "conformance" / "extractions.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def texts(data: Path, name: str, size: int | None) -> list[AnnotatedText]:
    corpus, system = name.split("/")
    if corpus == "germeval2014":
        return annotated_texts(data / corpus / "gold.tsv", size, OUTER)
    if corpus == "example":
        return annotated_texts(EXAMPLE / f"{system}.conll", size)
    return annotated_texts(data / corpus / ("gold.conll" if system == "gold" else f"systems/{system}.conll"), size)


def by_label(items: list[Item]) -> list[Item]:
    """Items as an answer lists them that maps labels to strings."""
    return sorted(items, key=lambda item: item.label)


SHAPES: dict[str, Callable[[list[Item]], list[Item]]] = {
    "list": lambda items: items,
    "by label": by_label,
    "unique": lambda items: list(dict.fromkeys(items)),
}


UNPLACED = ("absent", "repeated")


def spans_of(placed: Placed) -> Counter[tuple[int, int, str]]:
    return Counter((*span, each.item.label) for each in placed.placements for span in each.spans)


ROUND_TRIPS = [
    *(f"wnut17/{name}, {size}" for name in ("gold", "arcada", "flytxt") for size in ("sentence", "50 sentences")),
    *(f"germeval2014/gold-outer, {size}" for size in ("sentence", "50 sentences")),
    *(
        f"example/{name}, {size}"
        for name in ("gold", "gazetteer", "crf", "tagger")
        for size in ("sentence", "document")
    ),
]


def test_all_rows_of_round_trips_are_compared(figures: dict[str, Any]) -> None:
    assert list(figures["round trip"]) == ROUND_TRIPS


@pytest.mark.parametrize("row", ROUND_TRIPS)
def test_spans_without_offsets_come_back(data: Path, figures: dict[str, Any], row: str) -> None:
    name, size = row.split(", ")
    annotated = texts(data, name, SIZES[size])
    figure = dict(figures["round trip"][row])
    assert sum(len(text.spans) for text in annotated) == figure.pop("spans")
    for way, expected in figure.items():
        shape, occurrences = way.split(", ")
        found = Counter[str]()
        for text in annotated:
            items = SHAPES[shape](text.items)
            placed = place(text.document, items, occurrences)
            spans = spans_of(placed)
            found["back"] += (spans & Counter(text.spans)).total()
            found["placed"] += spans.total()
            found["items"] += len(items)
            found["unplaced"] += sum(each.status in UNPLACED for each in placed.placements)
        assert dict(found) == expected, way


SYSTEMS = ("wnut17/arcada", "wnut17/flytxt", "example/gazetteer", "example/crf", "example/tagger")


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("occurrences", ["in-order", "first", "all", "best"])
def test_placed_systems_have_their_exact_counts(
    data: Path, figures: dict[str, Any], name: str, occurrences: Any
) -> None:
    golds, systems = texts(data, f"{name.split('/')[0]}/gold", 1), texts(data, name, 1)
    found = Counter[str]()
    for gold, system in zip(golds, systems, strict=True):
        if occurrences == "best":
            placed = place_best(gold.document, system.items, set(gold.spans))
        else:
            placed = place(gold.document, system.items, occurrences)
        spans = spans_of(placed)
        found["tp"] += (spans & Counter(gold.spans)).total()
        found["predicted"] += spans.total()
        found["gold"] += len(gold.spans)
    expected = figures["string scores"][name][f"exact, {occurrences}"]
    assert dict(found) == {key: expected[key] for key in ("tp", "predicted", "gold")}


def runs(folder: Path) -> list[tuple[str, Shape]]:
    """The names of the runs of language models in a folder, and how their answers are written."""
    shapes: dict[str, Shape] = {"lines": "lines", "lists": "json", "mtsamples": "xml", "vaers": "xml"}
    names = sorted(path.stem for path in folder.glob("*.jsonl") if "gold" not in path.stem)
    return [(name, shapes[name.split(".")[0]]) for name in names]


@pytest.mark.parametrize("corpus", ["clinical", "climate"])
def test_items_of_language_models_are_found_by_the_same_steps(data: Path, figures: dict[str, Any], corpus: str) -> None:
    folder = data / "extractions" / corpus
    counts = {name: grounding(folder, name, shape) for name, shape in runs(folder)}
    kept = {name: figure["grounding"] for name, figure in figures[corpus].items()}
    not_placing = ("documents", "unknown label", "widened")
    assert counts == {
        name: {key: count for key, count in figure.items() if key not in not_placing} for name, figure in kept.items()
    }


def grounding(folder: Path, name: str, shape: Shape) -> dict[str, int]:
    gold = folder / ("gold.conll" if shape != "xml" else f"{name.split('.')[0]}.gold.conll")
    annotated = annotated_texts(gold, None)
    labels = KnownLabels(label for text in annotated for _, _, label in text.spans)
    counts = Counter[str]()
    for text, line in zip(annotated, (folder / f"{name}.jsonl").read_text("utf-8").splitlines(), strict=True):
        answer = read_answer(json.loads(line)["output"], shape, labels, None, text.document.text)
        marked = answer.marked
        placed = place_marked(text.document, marked) if marked else place(text.document, answer.items)
        counts.update(each.status for each in placed.placements)
        counts.update({"items": len(placed.placements), "ambiguous": placed.ambiguous, "text differs": placed.differs})
    return dict(+counts)
