"""The verdict on top of a page, and what would mislead, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.report.verdict import cautions, how, p_words, verdict
from pages import QUICK


@pytest.fixture(scope="module")
def wnut17(data: Path) -> eh.Report:
    folder = data / "wnut17"
    systems = [folder / "systems" / f"{name}.conll" for name in ("uh_ritual", "arcada", "mic-cis", "flytxt")]
    return eh.report(folder / "gold.conll", systems, align="position")


def test_wnut17_has_no_sure_winner(wnut17: eh.Report) -> None:
    assert verdict(wnut17) == [
        "uh_ritual leads arcada by 0.37 points, p = 0.78: no evidence of a difference.",
        "Both beat mic-cis.",
        "No evidence that flytxt is worse than uh_ritual.",
    ]
    assert how(wnut17) == (
        "Points of fair F1. p: approximate randomization of sentences, corrected for 6 pairs (Holm); "
        "below 0.05 is evidence."
    )


def test_a_sure_winner(example: Path) -> None:
    systems = [example / f"{name}.conll" for name in ("gazetteer", "crf", "tagger")]
    report = eh.report(example / "gold.conll", systems)
    assert verdict(report) == [
        "tagger leads crf by 14.52 points, p = 0.023: evidence of a difference.",
        "tagger also beats gazetteer.",
    ]


def test_the_best_may_beat_whom_the_next_one_does_not() -> None:
    folder = Path(eh.__file__).parent / "examples" / "links"
    systems = [folder / f"{name}.jsonl" for name in ("popularity", "context", "reranker")]
    assert verdict(eh.report(folder / "gold.jsonl", systems)) == [
        "reranker leads context by 12.74 points, p = 0.062: no evidence of a difference.",
        "reranker also beats popularity; no evidence that context does.",
    ]


def test_two_systems(example: Path) -> None:
    systems = {"one": example / "crf.conll", "same": example / "crf.conll"}
    assert verdict(eh.report(example / "gold.conll", systems, **QUICK)) == ["one and same say the same of every unit."]
    untested = eh.report(example / "gold.conll", [example / "crf.conll", example / "tagger.conll"], trials=0)
    assert verdict(untested) == ["tagger leads crf by 14.52 points; no test was made."]
    assert how(untested) == "Points of fair F1."


def test_one_system_has_its_score_and_interval(example: Path) -> None:
    report = eh.report(example / "gold.conll", example / "crf.conll")
    low, high = report.ranking["fair"]["crf"].interval or (0, 0)
    interval = f"(95 % interval {100 * low:.2f} to {100 * high:.2f}, by documents)"
    assert verdict(report) == [f"crf has 76.50 fair F1 {interval}."]
    assert how(report) == ""


def test_another_measure_may_have_another_leader() -> None:
    """`whole` has one span of two right; `parts` has the bounds of both wrong, but every token."""
    gold = eh.tags([["B-A", "I-A", "O", "B-A", "I-A", "I-A", "I-A"]])
    whole = eh.tags([["B-A", "I-A", "O", "O", "O", "O", "O"]])
    parts = eh.tags([["B-A", "O", "O", "B-A", "I-A", "I-A", "O"]])
    report = eh.report(gold, {"whole": whole, "parts": parts}, task="spans", match="fair,t", **QUICK)
    assert verdict(report)[0].startswith("whole leads parts by 66.67 points")
    assert "By t macro F1, parts leads." in verdict(report)


def test_the_score_that_is_compared_is_always_scored(example: Path) -> None:
    systems = [example / "crf.conll", example / "tagger.conll"]
    report = eh.report(example / "gold.conll", systems, match="exact", **QUICK)
    assert report.primary == "fair"
    assert report.results.models == ("fair", "exact")
    assert verdict(report)[0].startswith("tagger leads crf by 14.52 points")
    assert how(report).startswith("Points of fair F1. ")
    assert "points of fair F1 to gain" in report.to_html()


@pytest.mark.parametrize(
    ("p", "said"),
    [(1.0, "p = 1.00"), (0.7794, "p = 0.78"), (0.0234, "p = 0.023"), (0.0046, "p = 0.0046"), (0.00001, "p < 0.0001")],
)
def test_two_digits_of_p(p: float, said: str) -> None:
    assert p_words(p) == said


def test_labels_that_germeval_2014_has_and_the_system_lacks(data: Path) -> None:
    folder = data / "germeval2014"
    report = eh.report(folder / "gold.tsv", folder / "stanza.sixcol.tsv", **QUICK)
    assert cautions(report)[0] == (
        "stanza.sixcol: 8 of 12 gold labels never occur in its output (LOCderiv, LOCpart, ORGderiv, ORGpart, OTHderiv "
        "and 3 more; 1,161 spans): 47 % of its errors are that."
    )


def test_what_was_repaired_is_said_on_top(wnut17: eh.Report) -> None:
    assert cautions(wnut17) == [
        "mic-cis: 13 spans are ill-formed in IOB2 and taken as they stand (repair: begin; the first one: line 3078, "
        "'I-group')."
    ]


def test_what_a_user_leaves_out_is_said_on_top(example: Path) -> None:
    systems = [example / "crf.conll", example / "tagger.conll"]
    report = eh.report(example / "gold.conll", systems, exclude="MISC", map="LOC=PLACE", **QUICK)
    assert cautions(report)[:2] == [
        "these labels do not count (--exclude): MISC.",
        "labels are renamed (--map): LOC to PLACE.",
    ]


def of_tags(gold: str, **systems: str) -> Any:
    answers = {name: eh.tags([tags.split()], encoding="plain") for name, tags in systems.items()}
    return eh.report(eh.tags([gold.split()], encoding="plain"), answers, task="tags", **QUICK)


def test_labels_that_one_side_lacks() -> None:
    assert cautions(of_tags("A B B", one="A B A", two="B B A", three="A A A"))[0] == (
        "three: 1 of 2 gold labels never occurs in its output (B; 2 words): 100 % of its errors are that."
    )


def test_what_holds_for_all_systems_is_said_once() -> None:
    assert cautions(of_tags("A B", one="A C", two="A C"))[:2] == [
        "all systems: 1 of 2 gold labels never occurs in its output (B; 1 word): 100 % of its errors are that.",
        "all systems: 1 of its 2 labels never occurs in the gold standard (C; 1 word).",
    ]
