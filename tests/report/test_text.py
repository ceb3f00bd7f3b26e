"""The text report, golden files, and how a result shows itself."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import evenhand as eh
from conftest import Golden
from evenhand.report import data as csv_report
from evenhand.report import text as text_report


@pytest.fixture
def results(example: Path) -> eh.Results:
    return eh.score(example / "gold.conll", [example / f"{name}.conll" for name in ("crf", "tagger")])


@pytest.mark.parametrize("name", ["one.txt", "two.txt"])
def test_golden_text(results: eh.Results, name: str, golden: Golden) -> None:
    """Rendered output, read and approved by hand; its figures are tested elsewhere."""
    shown = str(results["crf"]) if name == "one.txt" else str(results)
    golden(shown, name)


def test_golden_text_of_other_models(example: Path, golden: Golden) -> None:
    """Tables with true negatives, with hits and with SemEval's counts, a supertag and the trivial baselines."""
    match = "ts,overlap,semeval-partial"
    result = eh.score(example / "gold.conll", example / "crf.conll", match=match, supertag="ENTITY", baselines=True)
    golden(str(result), "models.txt")


def test_golden_csv(results: eh.Results, golden: Golden) -> None:
    golden(csv_report.render(results), "two.csv")


def test_csv_has_a_row_for_every_system_model_and_label(results: eh.Results) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_report.render(results))))
    assert len(rows) == 2 * 2 * (3 + 4)
    (row,) = [r for r in rows if (r["system"], r["model"], r["row"]) == ("tagger", "fair", "overall")]
    assert float(row["f1"]) == results["tagger"]["fair"].f1
    assert (row["gold"], row["predicted"], row["TP"]) == ("285", "271", "243")


def test_lines_fit_into_eighty_columns(results: eh.Results) -> None:
    lines = [line for line in str(results).splitlines() if not line.startswith(("Note:", "evenhand:"))]
    assert max(map(len, lines)) <= 80


def test_wide_characters_are_aligned() -> None:
    sides = eh.spans([[("人名", 0, 1), ("LOC", 2, 3)]]), eh.spans([[("人名", 0, 1)]])
    lines = str(eh.score(*sides, match="exact")).splitlines()
    wide, narrow = (next(line for line in lines if line.startswith(label)) for label in ("人名", "LOC"))
    assert len(wide) + 2 == len(narrow)


def test_a_confusion_matrix_of_many_labels_says_what_it_leaves_out() -> None:
    gold = eh.spans([[(f"L{i:02}", i, i + 1)] for i in range(30)])
    system = eh.spans([[(f"L{(i + 1) % 30:02}", i, i + 1)] for i in range(30)])
    assert "The 10 labels with the most errors of 30; --as json has them all." in str(eh.score(gold, system))


def test_a_result_shows_itself(results: eh.Results) -> None:
    assert repr(results) == str(results) == text_report.render(results)
    assert repr(eh.spans([[("A", 0, 1)]] * 3, name="gold")) == "<Annotation gold: 3 sentences, 3 spans>"
