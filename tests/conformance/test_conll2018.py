"""The CoNLL 2018 shared task: all thirteen metrics of eight parsers on two treebanks, one of them with multi-word tokens.

The figures are those that the task's evaluation script prints, in percent.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh

TREEBANKS = ("ud_en_pud", "ud_de_gsd")


def _systems() -> list[Any]:
    all_systems = []
    for treebank in TREEBANKS:
        figures = json.loads((Path(__file__).parent / f"{treebank}.json").read_text())["systems"]
        all_systems += [pytest.param(treebank, name, figures[name], id=f"{treebank}-{name}") for name in figures]
    assert len(all_systems) == 8
    return all_systems


@pytest.mark.parametrize(("treebank", "name", "figures"), _systems())
def test_precision_recall_f1_and_aligned_accuracy(
    data: Path, treebank: str, name: str, figures: dict[str, list[float | None]]
) -> None:
    folder = data / treebank
    result = eh.score(folder / "gold.conllu", folder / "systems" / f"{name}.conllu", match="conll18")
    by_name = {}
    for metric in figures:
        row = result[f"conll18-{metric.lower()}"].overall
        scores = (row.precision, row.recall, row.f1, row.more.get("aligned_accuracy"))
        by_name[metric] = [None if score is None else round(100 * score, 2) for score in scores]
    assert by_name == figures
    assert len(by_name) == 13


@pytest.mark.parametrize("treebank", TREEBANKS)
def test_tokens_sentences_and_words_have_no_aligned_accuracy(data: Path, treebank: str) -> None:
    gold = data / treebank / "gold.conllu"
    result = eh.score(gold, gold, match="conll18")
    without = [name for name in result.scores if "aligned_accuracy" not in result[name].overall.more]
    assert without == ["conll18-tokens", "conll18-sentences", "conll18-words"]


@pytest.mark.parametrize("treebank", TREEBANKS)
def test_a_gold_standard_is_perfect_against_itself(data: Path, treebank: str) -> None:
    gold = data / treebank / "gold.conllu"
    result = eh.score(gold, gold)
    assert {result[name].f1 for name in result.scores} == {1.0}
