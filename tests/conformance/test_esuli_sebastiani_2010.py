"""Esuli and Sebastiani 2010: the example of Table 1, and the English rows of Table 2 from the participants' files."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import evenhand as eh

# The quick brown fox jumps over the lazy dog: tokens 1 to 9.
TRUE = [["O", "B-C", "I-C", "O", "O", "O", "O", "B-C", "I-C"]]
PREDICTED = [["O", "B-C", "I-C", "I-C", "O", "O", "O", "B-C", "B-C"]]


@pytest.fixture(scope="module")
def ranking(data: Path) -> eh.Ranking:
    folder = data / "conll2003"
    systems = {path.name.partition(".")[0]: path for path in sorted((folder / "systems").glob("*.tags"))}
    assert len(systems) == 16
    return eh.rank(folder / "gold.testb.tags", systems, match="exact,ts,t", resamples=0)


def test_table_1() -> None:
    """5 TP, 2 FP, 1 FN; exact match finds nothing, overlap everything; with half the weight .818."""
    result = eh.score(eh.tags(TRUE), eh.tags(PREDICTED), match="exact,overlap,ts")
    assert result["exact"].f1 == 0
    assert result["overlap"].f1 == 1
    assert [result["ts"].overall[kind] for kind in ("TP", "FP", "FN", "TN")] == [5, 2, 1, 9]
    assert result["ts"].f1 == pytest.approx(10 / 13)
    half = eh.score(eh.tags(TRUE), eh.tags(PREDICTED), match="ts", separator_weight=0.5)
    assert half["ts"].f1 == pytest.approx(9 / 11)
    assert (f"{result['ts'].f1:.3f}", f"{half['ts'].f1:.3f}") == ("0.769", "0.818")


def test_table_2_english(data: Path, ranking: eh.Ranking) -> None:
    with (data / "conll2003" / "expected.tsv").open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            assert round(ranking["ts"][row["system"]].score, 6) == float(row["TS_F1_macro"])
            assert round(ranking["t"][row["system"]].score, 6) == float(row["T_F1_macro"])


def test_order_of_table_2_english(ranking: eh.Ranking) -> None:
    """In exact-match ranks; the paper's labels 5 and 8 are swapped (see docs/reference/definitions/spans.md)."""
    by_ts = sorted(ranking.systems, key=lambda system: ranking["ts"][system].rank)
    found = [ranking["exact"][system].rank for system in by_ts]
    assert found == [1, 2, 3, 4, 11, 5, 6, 8, 10, 7, 9, 14, 15, 13, 12, 16]


@pytest.mark.parametrize(("system", "close", "missed"), [("munro", 201, 628), ("carrerasa", 78, 675)])
def test_close_and_missed_spans(data: Path, system: str, close: int, missed: int) -> None:
    """Section 5: munro has 157.6 % more close matches and 6.9 % fewer missed ones than carrerasa."""
    folder = data / "conll2003"
    result = eh.score(folder / "gold.testb.tags", folder / "systems" / f"{system}.testb.tags", match="ts")
    assert (result["ts"].overall["close"], result["ts"].overall["missed"]) == (close, missed)
