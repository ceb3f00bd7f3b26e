"""Every output goes from the system given first to those given later, regardless of their number and scores."""

from __future__ import annotations

import csv
import io
from itertools import combinations, permutations
from pathlib import Path

import pytest

import evenhand as eh
from conftest import ROOT
from declared import EXAMPLES
from evenhand.report import data as csv_report
from evenhand.report import latex
from evenhand.report import text as markdown
from evenhand.report.comparison_tables import readable_pairs, summary_of_comparison
from evenhand.report.html.sections import pair_data

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
        found = eh.report(gold, given, task=task, **FEW)
        comparison = found.comparison
        assert comparison is not None
        wanted = list(combinations(found.results, 2))
        assert list(comparison.pairs) == wanted
        assert [(each["from"], each["to"]) for each in comparison.to_dict()["pairs"]] == wanted
        assert [(pair.before, pair.after) for pair in readable_pairs(comparison)] == wanted
        scores, pairs, *others = summary_of_comparison(comparison)
        assert [row[0] for row in scores.rows] == list(found.results)
        changes = [table for table in (pairs, *others) if table.columns[0].name == "from"]
        assert all([tuple(row[:2]) for row in table.rows] == wanted for table in changes)
        rows = csv.DictReader(io.StringIO(csv_report.render(comparison)))
        assert list(dict.fromkeys((row["from"], row["to"]) for row in rows)) == wanted
        names = list(found.results)
        assert [(names[row[0]], names[row[1]]) for row in pair_data(found)["pairs"]] == wanted


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
