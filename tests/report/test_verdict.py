"""The verdict on top of a page, and what would mislead, in words."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from declared import EXAMPLES
from evenhand.report import data as csv_report
from evenhand.report import latex
from evenhand.report import text as markdown
from evenhand.report.comparison_tables import readable_pairs, summary_of_comparison
from evenhand.report.html.sections import pair_data
from evenhand.report.verdict import cautions, method, other_leaders, p_words, verdict
from pages import QUICK


@pytest.fixture(scope="module")
def wnut17(data: Path) -> eh.Report:
    folder = data / "wnut17"
    systems = [folder / "systems" / f"{name}.conll" for name in ("uh_ritual", "arcada", "mic-cis", "flytxt")]
    return eh.report(folder / "gold.conll", systems, align="position")


def test_wnut17_has_no_sure_winner(wnut17: eh.Report) -> None:
    assert verdict(wnut17) == [
        "uh_ritual leads arcada by 0.37 points, p = 0.78: not significant; this test set can detect differences of about 4.7 "
        "points or more.",
        "Both beat mic-cis.",
        "flytxt is not significantly worse than uh_ritual; this test set can detect differences of about 4.7 points or "
        "more.",
    ]
    assert method(wnut17) == (
        "Points of fair F1. p: approximate randomization of sentences, corrected for 6 pairs (Holm); "
        "below 0.05 is significant."
    )


def test_a_sure_winner(example: Path) -> None:
    systems = [example / f"{name}.conll" for name in ("gazetteer", "crf", "tagger")]
    report = eh.report(example / "gold.conll", systems)
    assert verdict(report) == [
        "tagger leads crf by 14.52 points, p = 0.023: a significant difference.",
        "tagger also beats gazetteer.",
    ]


def test_the_best_may_beat_whom_the_next_one_does_not() -> None:
    folder = Path(eh.__file__).parent / "examples" / "links"
    systems = [folder / f"{name}.jsonl" for name in ("popularity", "context", "reranker")]
    assert verdict(eh.report(folder / "gold.jsonl", systems)) == [
        "reranker leads context by 12.74 points, p = 0.062: not significant; this test set can detect differences of about "
        "18.3 points or more (rough: only 10 documents).",
        "reranker also beats popularity; context is not significantly better; this test set can detect differences of "
        "about 26.3 points or more (rough: only 10 documents).",
    ]


def test_two_systems(example: Path) -> None:
    systems = {"one": example / "crf.conll", "same": example / "crf.conll"}
    assert verdict(eh.report(example / "gold.conll", systems, **QUICK)) == ["one and same have identical predictions."]
    untested = eh.report(example / "gold.conll", [example / "crf.conll", example / "tagger.conll"], trials=0)
    assert verdict(untested) == ["tagger leads crf by 14.52 points; no test was made."]
    assert method(untested) == "Points of fair F1."


def test_one_system_has_its_score_and_interval(example: Path) -> None:
    report = eh.report(example / "gold.conll", example / "crf.conll")
    low, high = report.ranking["fair"]["crf"].interval or (0, 0)
    interval = f"(95 % interval {100 * low:.2f} to {100 * high:.2f}, by documents)"
    assert verdict(report) == [f"crf has 76.50 fair F1 {interval}."]
    assert method(report) == ""


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
    assert report.by == "fair"
    assert report.results.models == ("fair", "exact")
    assert verdict(report)[0].startswith("tagger leads crf by 14.52 points")
    assert method(report).startswith("Points of fair F1. ")
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
        "and 3 more; 1,161 spans); this causes 47 % of its errors."
    )


def test_what_was_repaired_is_said_on_top(wnut17: eh.Report) -> None:
    assert cautions(wnut17) == [
        "mic-cis: 13 spans are ill-formed in IOB2 and kept: an I- that continues nothing begins a span, as in conlleval "
        "(repair: begin; the first one: line 3078, 'I-group')."
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
        "three: 1 of 2 gold labels never occurs in its output (B; 2 words); this causes 100 % of its errors."
    )


def test_what_holds_for_all_systems_is_said_once() -> None:
    assert cautions(of_tags("A B", one="A C", two="A C"))[:2] == [
        "all systems: 1 of 2 gold labels never occurs in its output (B; 1 word); this causes 100 % of its errors.",
        "all systems: 1 of its 2 labels never occurs in the gold standard (C; 1 word).",
    ]


# Every output goes from the system given first to those given later, regardless of their number and scores


FEW = {"trials": 100, "resamples": 50}
NER = ROOT / "src" / "evenhand" / "examples" / "ner"


def files_of(task: str) -> tuple[Path, list[Path]]:
    folder, gold, systems = EXAMPLES[task]
    path = ROOT / "src" / "evenhand" / "examples" / folder
    return path / gold, [path / system for system in systems]


@pytest.mark.parametrize("task", list(EXAMPLES))
def test_pairs_go_from_the_first_system_to_later_ones_in_all_orders(task: str) -> None:
    gold, files = files_of(task)
    assert len(files) == 3
    for given in (files, files[::-1]):
        report = eh.report(gold, given, task=task, **FEW)
        comparison = report.comparison
        assert comparison is not None
        wanted = list(combinations(report.results, 2))
        assert list(comparison.pairs) == wanted
        assert [(each["from"], each["to"]) for each in comparison.to_dict()["pairs"]] == wanted
        assert [(pair.before, pair.after) for pair in readable_pairs(comparison)] == wanted
        scores, pairs, *others = summary_of_comparison(comparison)
        assert [row[0] for row in scores.rows] == list(report.results)
        changes = [table for table in (pairs, *others) if table.columns[0].name == "from"]
        assert all([tuple(row[:2]) for row in table.rows] == wanted for table in changes)
        rows = csv.DictReader(io.StringIO(csv_report.render(comparison)))
        assert list(dict.fromkeys((row["from"], row["to"]) for row in rows)) == wanted
        names = list(report.ordered)  # as the units of a page
        assert [(names[row[0]], names[row[1]]) for row in pair_data(report)["pairs"]] == wanted


def test_a_third_system_does_not_turn_the_pair_of_the_first_two() -> None:
    two = eh.compare(NER / "gold.conll", [NER / "crf.conll", NER / "tagger.conll"], **FEW)
    three = eh.compare(NER / "gold.conll", [NER / f"{name}.conll" for name in ("crf", "tagger", "gazetteer")], **FEW)
    (row,) = next(table.rows for table in summary_of_comparison(two) if table.columns[0].name == "from")
    first, *_ = next(table.rows for table in summary_of_comparison(three) if table.columns[0].name == "from")
    assert (row[:3], row[-3:]) == (["crf", "tagger", "+14.52"], [82, 20, 15])
    assert (first[:3], first[-3:]) == (row[:3], row[-3:])
    for text in (str(three), markdown.render_markdown(three), latex.render(three)):
        assert "tagger to crf" not in text


def test_the_order_of_systems_turns_pairs_and_keeps_their_figures() -> None:
    files = [NER / f"{name}.conll" for name in ("crf", "tagger", "gazetteer")]
    found = [eh.compare(NER / "gold.conll", list(order), **FEW) for order in permutations(files)]
    for one, other in combinations(found, 2):
        for (before, after), pair in one.pairs.items():
            if (before, after) in other.pairs:
                assert other.pairs[before, after].delta == pair.delta
                continue
            turned = other.pairs[after, before]
            assert turned.delta == -pair.delta
            assert (turned.corrections.count, turned.new_errors.count) == (
                pair.new_errors.count,
                pair.corrections.count,
            )


def test_a_baseline_that_is_given_last_comes_first() -> None:
    files = [NER / f"{name}.conll" for name in ("crf", "tagger", "gazetteer")]
    comparison = eh.compare(NER / "gold.conll", files, baseline="gazetteer", **FEW)
    assert [(pair.before, pair.after) for pair in readable_pairs(comparison)] == [
        ("gazetteer", "crf"),
        ("gazetteer", "tagger"),
    ]


def test_a_lead_of_less_than_a_hundredth_of_a_point_is_a_tie() -> None:
    report = eh.report(NER / "gold.conll", [NER / "crf.conll", NER / "tagger.conll"], **FEW)
    assert report.comparison is not None
    ((names, pair),) = report.comparison.pairs.items()
    for delta, tied in ((0.00004, True), (-0.00004, True), (0.00006, False)):
        comparison = replace(report.comparison, pairs={names: replace(pair, delta=delta)})
        first = verdict(replace(report, comparison=comparison))[0]
        assert (first == "tagger and crf are tied: their scores differ by less than 0.01 points.") == tied
        assert "0.00 points" not in first


def test_measures_that_another_system_leads_are_named() -> None:
    names = [f"m{number}" for number in range(7)]
    scores = {name: {"a": 0.5, "b": 0.6} for name in names}
    assert list(other_leaders(scores, "a")) == ["By m0, m1, m2, m3, m4 and 2 more, b leads."]
