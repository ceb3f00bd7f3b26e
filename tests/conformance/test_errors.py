"""Errors of published systems: as many rows as the score counts, and strings that the text has at their offsets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from unit_counts import check_counts

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "conll2003": (
        *("conll2003/gold.testb.tags", "conll2003/systems/bender.testb.tags"),
        {"match": "exact,fair,ts,t,overlap,iou,semeval,accuracy,leak"},
    ),
    "wnut17": (
        *("wnut17/gold.conll", "wnut17/systems/arcada.conll"),
        {"match": "exact,fair,constrained,contain,semeval,string-set,string-multiset"},
    ),
    "pud": ("ud_en_pud/gold.conllu", "ud_en_pud/systems/LATTICE-18.conllu", {}),
    "corefud": (
        *("shared_tasks/coref/gum/gum-a.key", "shared_tasks/coref/gum/gum-a-2.response"),
        {"match": "mentions,arcs_any,zero"},
    ),
    "ecb": ("coref_ecbp/key.conll", "coref_ecbp/gg-predicted.conll", {"match": "mentions,arcs_any"}),
    "ehealthkd": (
        "relations/ehealthkd-2020/gold/scenario1-main",
        "relations/ehealthkd-2020/Vicomtech/run1/scenario1-main",
        {
            "task": "relations",
            "match": "strict,boundaries,dygie,relaxed,fair,ehealthkd",
            "sentences": "lines",
            "newlines": "one",
            "quotes": "note",
            "unannotated": "skip",
        },
    ),
    "ehealthkd-spans": (
        "relations/ehealthkd-2020/gold/scenario2-taskA",
        "relations/ehealthkd-2020/Vicomtech/run1/scenario2-taskA",
        {"task": "spans", "match": "exact,fair,iou,i2b2-token,i2b2-relaxed,meddocan-merged"},
    ),
    "answers": (
        *("extractions/climate/gold.jsonl", "extractions/climate/lists.gpt-4o-2024-05-13.random_4.jsonl"),
        {"match": "exact,fair,overlap,string-set,string-multiset"},
    ),
    "evalb": ("shared_tasks/evalb/gum.gld", "shared_tasks/evalb/gum-2.tst", {}),
}


@pytest.mark.parametrize("name", CASES)
def test_rows_are_as_many_as_the_score_counts(data: Path, name: str) -> None:
    gold, system, options = CASES[name]
    result = eh.score(data / gold, data / system, **options)
    for match in result:
        check_counts(result, match)


def test_offsets_of_brat_lead_to_the_strings(data: Path) -> None:
    gold, system, options = CASES["ehealthkd-spans"]
    units = eh.errors(data / gold, data / system, all=True, **{**options, "match": "fair"})
    text = (data / gold / "scenario.txt").read_text()
    assert len(units) > 500
    for unit in units:
        parts = [tuple(map(int, part.split("-"))) for part in (unit.parts or f"{unit.start}-{unit.end}").split()]
        assert " ".join(text[start:end] for start, end in parts) == unit.string
        if unit.matched is not None and unit.parts is None:
            assert text[unit.matched_start : unit.matched_end].startswith(unit.matched.split()[0])


def test_tokens_of_answers_lead_to_the_strings(data: Path) -> None:
    gold, system, _ = CASES["answers"]
    lines = (data / gold).read_text().splitlines()
    units = eh.errors(data / gold, data / system, all=True)
    placed = [unit for unit in units if unit.start is not None]
    assert len(placed) > 300
    for unit in placed:
        assert " ".join(json.loads(lines[unit.line - 1])["tokens"][unit.start : unit.end]) == unit.string
