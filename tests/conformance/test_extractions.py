"""Answers of language models on real data: how they are read and placed, and all scores, as the shared figures say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT

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
