"""`evaluate`: one row per unit, with the counts of `score`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.tasks.registry import TASKS

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
RIGHT = {"spans": "TP", "relations": "TP", "links": "TP", "constituents": "TP", "chains": "tp", "records": "TP"}
"""The error type of correct units; `right` for others."""


def test_units_of_lists() -> None:
    gold, system = eh.tags([["B-PER", "I-PER", "O"], ["B-LOC"]]), eh.tags([["B-PER", "O", "O"], ["B-ORG"]])
    assert eh.evaluate(gold, system) == [
        eh.Verdict("tags", "1", 1, 0, 2, None, "PER", "PER", "BES"),
        eh.Verdict("tags", "1", 2, 0, 1, None, "LOC", "ORG", "LE"),
    ]


def test_positions_are_offsets_into_the_text() -> None:
    texts = ["Ada met Bob.", "Cy left Rome."]
    gold = eh.spans([[("PER", 0, 3), ("PER", 8, 11)], [("PER", 0, 2)]], text=texts, end="exclusive")
    system = eh.spans([[("PER", 0, 3)], [("PER", 0, 2), ("LOC", 8, 12)]], text=texts, end="exclusive")
    verdicts = eh.evaluate(gold, {"model": system})
    assert [(verdict.text, verdict.type) for verdict in verdicts] == [
        ("Ada", "TP"),
        ("Bob", "FN"),
        ("Cy", "TP"),
        ("Rome", "FP"),
    ]
    for verdict in verdicts:
        assert texts[verdict.sentence - 1][verdict.start : verdict.end] == verdict.text


def test_one_system_after_the_other(example: Path) -> None:
    verdicts = eh.evaluate(example / "gold.conll", [example / "crf.conll", example / "tagger.conll"])
    systems = [verdict.system for verdict in verdicts]
    assert systems == sorted(systems)
    assert Counter(systems) == {"crf": 289, "tagger": 291}


@pytest.mark.parametrize("task", list(TASKS))
def test_every_task_has_units(task: str) -> None:
    example = TASKS[task].example
    gold, system = (EXAMPLES / example.folder / name for name in (example.gold, example.systems[0]))
    verdicts = eh.evaluate(gold, system, task=task, **({"match": "arcs"} if task == "chains" else {}))
    assert {verdict.type for verdict in verdicts} <= set(TASKS[task].error_types.of_tables)
    assert sum(verdict.type == RIGHT.get(task, "right") for verdict in verdicts) > 0
    assert {verdict.system for verdict in verdicts} == {system.stem}


@pytest.mark.parametrize("match", ["exact", "fair"])
def test_counts_are_those_of_the_score(example: Path, match: str) -> None:
    gold, system = example / "gold.conll", example / "tagger.conll"
    counts = Counter(verdict.type for verdict in eh.evaluate(gold, system, match=match))
    overall = eh.score(gold, system, match=match)[match].overall
    assert counts == {kind: overall[kind] for kind in counts}
    assert counts["TP"] == 243


def test_measures_without_error_types_are_refused(example: Path) -> None:
    with pytest.raises(eh.SettingError, match="Only exact, fair, weighted give verdicts on spans"):
        eh.evaluate(example / "gold.conll", example / "crf.conll", match="ts")


def test_an_unknown_option_is_refused(example: Path) -> None:
    with pytest.raises(eh.SettingError, match="did you mean match"):
        eh.evaluate(example / "gold.conll", example / "crf.conll", mtach="exact")
