"""Answers of language models on real data: how they are read and placed, and all scores, as the shared figures say."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from annotated_texts import AnnotatedText, annotated_texts
from conftest import EXAMPLE, ROOT
from evenhand.grounding.answers import read_answer, shape_of
from evenhand.grounding.items import Item, KnownLabels, ReadAnswer, Shape
from evenhand.grounding.placement import PlacedItems, place_best, place_items, place_marked
from evenhand.grounding.search import AnswerDocument

CLINICAL = [
    *(f"mtsamples.{run}" for run in ("gpt3.5.1baseline", "gpt3.5.5fiveshot", "gpt4.1baseline", "gpt4.2guideline")),
    "mtsamples.gpt4.5fiveshot",
    *(f"vaers.{run}" for run in ("gpt3.5.1baseline", "gpt3.5.3erroranalysis", "gpt3.5.5fiveshot", "gpt4.1baseline")),
    "vaers.gpt4.5fiveshot",
]
CLIMATE = [
    *(f"lines.{run}" for run in ("gpt-4o-2024-05-13.similarity_5", "gpt-4o-mini.random_3")),
    *(f"lines.Meta-Llama-3.1-{run}" for run in ("70B-Instruct.similarity_5", "405B-Instruct.random_3")),
    *(f"lists.{run}" for run in ("gpt-4o-2024-05-13.random_4", "gpt-4o-mini.similarity_3")),
    *(f"lists.Meta-Llama-3.1-{run}" for run in ("70B-Instruct.similarity_5", "405B-Instruct.similarity_5")),
]
MODELS = "exact,fair,overlap,semeval,strings"
NAMES = {
    "text differs": "text_differs",
    "unknown label": "unknown_labels",
    "skipped lines": "skipped_lines",
    "malformed items": "malformed",
}
STRING_COUNTS = {"tp": ("TP",), "predicted": ("TP", "FP"), "gold": ("TP", "FN")}


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "tests" / "conformance" / "extractions.json").read_text("utf-8"))
    return found


def check_counts(result: eh.Result, wanted: dict[str, Any]) -> None:
    grounding = result.grounding
    assert grounding is not None
    for name, count in {**wanted["grounding"], **wanted.get("reading", {})}.items():
        assert grounding[NAMES.get(name, name)] == count, name
    steps = {name for name in wanted["grounding"] if name in grounding}
    others = {"exact", "spaces", "case", "tokens", "punctuation", "part", "fuzzy", "aligned"} - steps
    assert not any(grounding[name] for name in others | {"given"})
    assert grounding.unplaced == wanted["unplaced"]


def check_scores(result: eh.Result, wanted: dict[str, Any]) -> None:
    for model, score in result.scores.items():
        figures, counts = wanted[model], score.overall.counts
        for name, figure in figures.items():
            if name in ("precision", "recall", "f1"):
                assert round(getattr(score.overall, name), 6) == figure, (model, name)
            elif model.startswith("string-"):
                assert sum(counts[kind] or 0 for kind in STRING_COUNTS[name]) == figure, (model, name)
            else:
                assert counts[name] == figure, (model, name)


@pytest.mark.parametrize("run", CLINICAL)
def test_clinical_runs(data: Path, figures: dict[str, Any], run: str) -> None:
    folder, corpus = data / "extractions/clinical", run.split(".")[0]
    for gold in (f"{corpus}.gold.conll", f"{corpus}.gold.jsonl"):
        result = eh.score(folder / gold, folder / f"{run}.jsonl", match=MODELS)
        check_counts(result, figures["clinical"][run])
        check_scores(result, figures["clinical"][run])


def test_a_folder_with_a_file_a_document(data: Path, figures: dict[str, Any]) -> None:
    folder = data / "extractions/clinical/folders"
    formats = {"system": "extractions"}
    result = eh.score(folder / "gold", folder / "gpt4.5fiveshot", format=formats, match=MODELS)
    check_counts(result, figures["clinical"]["mtsamples.gpt4.5fiveshot"])
    check_scores(result, figures["clinical"]["mtsamples.gpt4.5fiveshot"])


@pytest.mark.parametrize("run", CLIMATE)
def test_climate_runs(data: Path, figures: dict[str, Any], run: str) -> None:
    folder, wanted = data / "extractions/climate", figures["climate"][run]
    result = eh.score(folder / "gold.conll", folder / f"{run}.jsonl", match=MODELS)
    check_counts(result, wanted)
    check_scores(result, wanted)
    grounding = result.grounding
    assert grounding is not None
    assert grounding.upper_bound is not None
    assert round(grounding.upper_bound, 6) == wanted["exact, best"]["f1"]
    assert grounding.bound["TP"] == wanted["exact, best"]["TP"]
    for name, options in {
        "exact, first": {"occurrences": "first"},
        "exact, all": {"occurrences": "all"},
        "exact, fuzzy off": {"fuzzy": "off"},
    }.items():
        other = eh.score(folder / "gold.jsonl", folder / f"{run}.jsonl", match="exact", **options)
        check_scores(other, {"exact": wanted[name]})


def test_without_a_place_is_wrong_at_no_position(data: Path) -> None:
    folder = data / "extractions/climate"
    paths = folder / "gold.conll", folder / "lines.Meta-Llama-3.1-70B-Instruct.similarity_5.jsonl"
    kept, dropped = (eh.score(*paths, match="exact,ts,t", unplaced=choice) for choice in ("fp", "drop"))
    assert (kept["exact"].overall["FP"], dropped["exact"].overall["FP"]) == (307, 299)
    for kind in ("TP", "FN"):
        assert kept["exact"].overall[kind] == dropped["exact"].overall[kind]
    for model in ("ts", "t"):
        assert kept[model] == dropped[model]


@pytest.mark.parametrize("name", ["arcada", "flytxt"])
def test_strings_of_wnut17(data: Path, figures: dict[str, Any], name: str) -> None:
    wanted, gold = figures["string scores"][f"wnut17/{name}"], data / "wnut17/gold.conll"
    folder = data / "extractions/wnut17"
    results = eh.score(
        gold,
        {kind: folder / f"{name}.{kind}.jsonl" for kind in ("list", "dict", "unique")}
        | {"tagger": data / f"wnut17/systems/{name}.conll"},
        match="exact,strings",
    )
    for kind in ("list", "dict", "tagger"):
        check_scores(results[kind], wanted | {"exact": {}})
        assert round(results[kind]["string-set"].f1, 6) == wanted["UniversalNER evaluate.py"]["f1"]
        assert round(100 * results[kind]["string-multiset"].f1, 4) == wanted["UIE scorer.py"]["string-ent-F1"]
    assert results["unique"]["string-set"] == results["list"]["string-set"]
    assert round(results["list"]["exact"].f1, 6) == wanted["exact, in-order"]["f1"]
    assert results["tagger"]["exact"].f1 == results["list"]["exact"].f1


# What is read in released answers of language models: Climate-Change-NER (Volkanovska 2025), clinical (Hu


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
    items = [item.label for item in answer.items]
    tags = 0
    if answer.marked:
        items = [label for _, _, label in answer.marked.spans]
        tags = answer.marked.unclosed + answer.marked.unopened
    return Counter(
        {
            "items": len(items),
            answer.how: 1,
            "malformed": answer.malformed,
            "tags": tags,
            "skipped lines": answer.skipped_lines,
            "respelled": answer.respelled,
            "unknown labels": sum(label not in labels.names for label in items),
        }
    )


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


# Spans that lose their offsets come back; placed systems have the scores of the published figures


SIZES = {"sentence": 1, "50 sentences": 50, "document": None}
OUTER = 3
"""The column of GermEval's outer spans."""


@pytest.fixture(scope="module")
def figures_extractions_placed() -> dict[str, Any]:
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


def spans_of(placed: PlacedItems) -> Counter[tuple[int, int, str]]:
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


def test_all_rows_of_round_trips_are_compared(figures_extractions_placed: dict[str, Any]) -> None:
    assert list(figures_extractions_placed["round trip"]) == ROUND_TRIPS


@pytest.mark.parametrize("row", ROUND_TRIPS)
def test_spans_without_offsets_come_back(data: Path, figures_extractions_placed: dict[str, Any], row: str) -> None:
    name, size = row.split(", ")
    annotated = texts(data, name, SIZES[size])
    figure = dict(figures_extractions_placed["round trip"][row])
    assert sum(len(text.spans) for text in annotated) == figure.pop("spans")
    for way, expected in figure.items():
        shape, occurrences = way.split(", ")
        counts = Counter[str]()
        for text in annotated:
            items = SHAPES[shape](text.items)
            placed = place_items(text.document, items, occurrences)
            spans = spans_of(placed)
            counts["back"] += (spans & Counter(text.spans)).total()
            counts["placed"] += spans.total()
            counts["items"] += len(items)
            counts["unplaced"] += sum(each.status in UNPLACED for each in placed.placements)
        assert dict(counts) == expected, way


SYSTEMS = ("wnut17/arcada", "wnut17/flytxt", "example/gazetteer", "example/crf", "example/tagger")


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("occurrences", ["in-order", "first", "all", "best"])
def test_placed_systems_have_their_exact_counts(
    data: Path, figures_extractions_placed: dict[str, Any], name: str, occurrences: Any
) -> None:
    golds, systems = texts(data, f"{name.split('/')[0]}/gold", 1), texts(data, name, 1)
    counts = Counter[str]()
    for gold, system in zip(golds, systems, strict=True):
        if occurrences == "best":
            placed = place_best(gold.document, system.items, set(gold.spans))
        else:
            placed = place_items(gold.document, system.items, occurrences)
        spans = spans_of(placed)
        counts["tp"] += (spans & Counter(gold.spans)).total()
        counts["predicted"] += spans.total()
        counts["gold"] += len(gold.spans)
    expected = figures_extractions_placed["string scores"][name][f"exact, {occurrences}"]
    assert dict(counts) == {key: expected[key] for key in ("tp", "predicted", "gold")}


def runs(folder: Path) -> list[tuple[str, Shape]]:
    """The names of the runs of language models in a folder, and how their answers are written."""
    shapes: dict[str, Shape] = {"lines": "lines", "lists": "json", "mtsamples": "xml", "vaers": "xml"}
    names = sorted(path.stem for path in folder.glob("*.jsonl") if "gold" not in path.stem)
    return [(name, shapes[name.split(".")[0]]) for name in names]


@pytest.mark.parametrize("corpus", ["clinical", "climate"])
def test_items_of_language_models_are_found_by_the_same_steps(
    data: Path, figures_extractions_placed: dict[str, Any], corpus: str
) -> None:
    folder = data / "extractions" / corpus
    counts = {name: grounding(folder, name, shape) for name, shape in runs(folder)}
    kept = {name: figure["grounding"] for name, figure in figures_extractions_placed[corpus].items()}
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
        placed = place_marked(text.document, marked) if marked else place_items(text.document, answer.items)
        counts.update(each.status for each in placed.placements)
        counts.update({"items": len(placed.placements), "ambiguous": placed.ambiguous, "text differs": placed.differs})
    return dict(+counts)


# The speed corpus of extractions: 100,000 strings, and by which steps they are found


STEPS = {
    "exact": 87_461,
    "case": 4_498,
    "absent": 3_539,
    "spaces": 1_978,
    "fuzzy": 1_658,
    "punctuation": 803,
    "tokens": 63,
}
LABELS = KnownLabels(["PER", "LOC", "ORG"])


def corpus(data: Path, folder: Path, noise: float) -> tuple[list[str], list[str]]:
    """The texts, and the lines of the system's file."""
    script = data / "extractions" / "make_speed.py"
    if not script.is_file():
        pytest.skip(f"the script that writes the speed corpus is not at {script}")
    subprocess.run([sys.executable, script, data, folder, str(noise)], check=True)
    texts = [json.loads(line)["text"] for line in (folder / "speed.gold.jsonl").read_text("utf-8").split("\n")[:-1]]
    return texts, (folder / "speed.system.jsonl").read_text("utf-8").split("\n")[:-1]


def ground(texts: list[str], lines: list[str]) -> Counter[str]:
    steps = Counter[str]()
    for text, line in zip(texts, lines, strict=True):
        answer = read_answer(json.loads(line)["entities"], "json", LABELS, None, text)
        steps.update([each.status for each in place_items(AnswerDocument(text), answer.items).placements])
    return steps


@pytest.mark.long
def test_strings_are_found_by_the_same_steps(data: Path, tmp_path: Path) -> None:
    assert ground(*corpus(data, tmp_path, 1.0)) == STEPS
