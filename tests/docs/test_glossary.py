"""The glossary explains every key of a signature, and the words that the README promises."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.tasks.registry import TASKS, parameters_of

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
GLOSSARY = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
SPANS = "exact,weighted,ts,t,constrained,iou"


def keys(signature: str) -> set[str]:
    return {pair.partition(":")[0] for pair in signature.split("|")}


def explained() -> set[str]:
    """The keys in the first column of the legend."""
    legend = GLOSSARY.partition("## The signature")[2]
    return {key for row in re.findall(r"^\| (`.+?) \|", legend, re.MULTILINE) for key in re.findall("`(.+?)`", row)}


@pytest.mark.parametrize(
    ("gold", "system", "options"),
    [
        ("ner/gold.conll", "ner/crf.conll", {"match": SPANS, "supertag": "ENTITY"}),
        ("ner/gold.conll", "ner/prompted.jsonl", {"match": "exact,strings", "unplaced": "drop"}),
        ("tags/gold.tsv", "tags/hmm.tsv", {"task": "tags"}),
        ("trees/gold.conllu", "trees/rules.conllu", {}),
        ("chains/gold.conll", "chains/rules.conll", {}),
    ],
    ids=["spans", "answers", "tags", "trees", "chains"],
)
def test_every_key_of_a_signature_is_explained(tmp_path: Path, gold: str, system: str, options: dict[str, str]) -> None:
    gold_file, system_file = EXAMPLES / gold, EXAMPLES / system
    assert keys(eh.score(gold_file, system_file, **options).signature) - explained() == set()
    copy = shutil.copy(gold_file, tmp_path)
    found = eh.compare(gold_file, {"a": system_file, "b": copy}, trials=0, resamples=0, **_common(options))
    assert keys(found.signature) - explained() == set()
    ranking = eh.rank(gold_file, {"a": system_file}, resamples=0, **_common(options))
    assert keys(ranking.signature) - explained() == set()


def _common(options: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in options.items() if name == "task"}


@pytest.mark.parametrize("task", list(TASKS))
def test_every_key_that_a_task_declares_is_explained(task: str) -> None:
    declared = {each.signature_key for each in parameters_of(task)} | set(TASKS[task].rules.signature)
    assert declared - explained() - {""} == set()


def test_every_key_of_an_agreement_is_explained() -> None:
    annotators = [EXAMPLES / "letters" / name for name in ("rules.jsonl", "model.jsonl")]
    assert keys(eh.agree(annotators, resamples=10, gamma=True, samples=2).signature) - explained() == set()


@pytest.mark.parametrize("as_script", [False, True])
def test_every_key_of_germeval_is_explained(tmp_path: Path, as_script: bool) -> None:
    (tmp_path / "both.tsv").write_text("1\tBonn\tB-LOC\tO\tB-LOC\tO\n")
    assert keys(eh.germeval(tmp_path / "both.tsv", as_script=as_script).signature) - explained() == set()


@pytest.mark.parametrize("word", ["unit", "verdict", "measure", "scope", "group", "atoms", "signature"])
def test_the_words_of_every_page_are_explained(word: str) -> None:
    assert f"| **{word}** |" in GLOSSARY
