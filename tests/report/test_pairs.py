"""Tables show each pair from the better to the worse system, as if systems had been named in this order."""

from __future__ import annotations

import pytest

import evenhand as eh
from conftest import ROOT
from declared import EXAMPLES
from evenhand.report.pair_tables import ordered_pairs

FEW = {"trials": 100, "resamples": 50}


@pytest.mark.parametrize("task", list(EXAMPLES))
def test_pairs_are_those_of_systems_named_from_best_to_worst(task: str) -> None:
    folder, gold, systems = EXAMPLES[task]
    path = ROOT / "src" / "evenhand" / "examples" / folder
    files = [path / system for system in systems]
    given = eh.compare(path / gold, files, task=task, **FEW)
    by_score = sorted(files, key=lambda file: -given.scores[file.stem])
    named = eh.compare(path / gold, by_score, task=task, **FEW)
    assert len(files) == 3
    assert any(pair.delta > 0 for pair in given.pairs.values())
    assert ordered_pairs(given) == ordered_pairs(named) == list(named.pairs.values())


def test_a_comparison_of_two_keeps_its_order() -> None:
    folder = ROOT / "src" / "evenhand" / "examples" / "ner"
    comparison = eh.compare(folder / "gold.conll", [folder / "crf.conll", folder / "tagger.conll"], **FEW)
    assert ordered_pairs(comparison) == [comparison.pair("crf", "tagger")]
