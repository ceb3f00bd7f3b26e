"""The reports of tags and trees, as golden files."""

from __future__ import annotations

import pytest

import evenhand as eh
from conftest import ROOT, Golden
from evenhand.report import data as csv_report
from evenhand.tasks.trees.tables import summary

EXAMPLES = ROOT / "src" / "evenhand" / "examples"


@pytest.fixture(scope="module")
def tags() -> eh.Results:
    folder = EXAMPLES / "tags"
    return eh.score(folder / "gold.tsv", [folder / f"{name}.tsv" for name in ("hmm", "neural")], task="tags")


def test_golden_trees(golden: Golden) -> None:
    """Rendered output, read by hand; its figures are tested elsewhere."""
    folder = EXAMPLES / "trees"
    golden(str(eh.score(folder / "gold.conllu", folder / "transition.conllu")), "trees.txt")


def test_golden_tags(tags: eh.Results, golden: Golden) -> None:
    golden(str(tags), "tags.txt")


def test_golden_csv(tags: eh.Results, golden: Golden) -> None:
    golden(csv_report.render(tags), "tags.csv")


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
