"""The reports of tags and trees, as golden files."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.report import csv as csv_report
from evenhand.tasks.trees.tables import summary

GOLDEN = Path(__file__).parent / "golden"
EXAMPLES = ROOT / "src" / "evenhand" / "examples"


@pytest.fixture(scope="module")
def tags() -> eh.Results:
    folder = EXAMPLES / "tags"
    return eh.score(folder / "gold.tsv", [folder / f"{name}.tsv" for name in ("hmm", "neural")], task="tags")


def test_golden_trees() -> None:
    """Rendered output, read by hand; its figures are tested elsewhere."""
    folder = EXAMPLES / "trees"
    assert str(eh.score(folder / "gold.conllu", folder / "transition.conllu")) == (GOLDEN / "trees.txt").read_text()


def test_golden_tags(tags: eh.Results) -> None:
    assert str(tags) == (GOLDEN / "tags.txt").read_text()


def test_golden_csv(tags: eh.Results) -> None:
    assert csv_report.render(tags) == (GOLDEN / "tags.csv").read_text()


def test_many_parsers_have_a_row_each() -> None:
    folder = EXAMPLES / "trees"
    systems = {f"parser {number}": folder / "rules.conllu" for number in range(6)}
    table = list(summary(eh.score(folder / "gold.conllu", systems)))[1]
    assert [column.name for column in table.columns][:3] == ["CoNLL 2018, F1", "Tokens", "Sentences"]
    assert len(table.rows) == 6


def test_many_labels_are_folded() -> None:
    """Lemmas as tags: only the most frequent are listed, and the rest is named."""
    folder = EXAMPLES / "trees"
    shown = str(eh.score(folder / "gold.conllu", folder / "rules.conllu", task="tags", column="lemma"))
    assert "The 50 most frequent of " in shown
    assert len(shown.splitlines()) < 100
