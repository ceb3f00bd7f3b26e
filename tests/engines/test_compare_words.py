"""Comparisons of systems whose words differ, and of a system with itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from conftest import EXAMPLE, ROOT

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
TREES = [EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "transition", "neural")]
TAGS = [EXAMPLES / "tags" / f"{name}.tsv" for name in ("gold", "lexicon", "hmm", "neural")]
SPANS = [EXAMPLE / f"{name}.conll" for name in ("gold", "gazetteer", "crf", "tagger")]


def test_parsers_are_compared_on_all_words() -> None:
    found = eh.compare(TREES[0], TREES[1:], trials=100, resamples=100)
    assert (found.left_out, found.gold.units) == (0, 855)
    assert found.notes[0].startswith("las on the 836 words that all systems have: rules 69.74, ")
    assert (found.to_dict()["gold"]["left_out"], found.to_dict()["gold"]["units"]) == (0, 855)
    assert found.to_dict()["shared"]["units"] == 836
    assert {pair.size for pair in found.pairs.values()} == {855}
    assert found.oracle.overall.units == 855
    assert list(found.scores.values()) == pytest.approx(found.oracle.overall.scores)


def test_a_parser_with_the_tokens_of_the_gold_standard_leaves_out_nothing() -> None:
    found = eh.compare(TREES[0], {"gold": TREES[0], "copy": TREES[0]}, trials=0, resamples=0)
    assert (found.left_out, found.gold.units, found.scores) == (0, 855, {"gold": 1, "copy": 1})


@pytest.mark.parametrize("by", ["las", "uas", "ls"])
@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_parser_never_differs_from_itself(place: int, by: str) -> None:
    """Even where its heads are words that the gold standard does not have."""
    third = TREES[1 + place % 3]
    found = eh.compare(TREES[0], {"a": TREES[place], "copy": TREES[place], "c": third}, by=by, trials=50, resamples=50)
    pair = found.pair("a", "copy")
    assert pair.significance is not None
    assert (pair.different, pair.moved, pair.delta) == (0, 0, 0)
    assert (pair.significance.p, pair.significance.p_holm, pair.mcnemar, pair.interval) == (1, 1, 1, (0, 0))
    first, second = found.pair("a", "c"), found.pair("copy", "c")
    assert (first.different, first.delta) == (second.different, second.delta)
    assert first.different > 0
    assert found.all_answers[0, 1] == 1


@pytest.mark.parametrize("files", [SPANS, TAGS], ids=["spans", "tags"])
@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_no_system_differs_from_itself(files: list[Path], interval: str) -> None:
    gold, one, *_, third = files
    task = "tags" if files is TAGS else "spans"
    systems = {"a": one, "copy": one, "c": third}
    found = eh.compare(gold, systems, task=task, interval=interval, trials=50, resamples=50)  # type: ignore[arg-type]
    pair = found.pair("a", "copy")
    assert pair.significance is not None
    assert (pair.different, pair.moved, pair.delta, pair.significance.p, pair.interval) == (0, 0, 0, 1, (0, 0))
    assert "no difference at all: a and copy." in found.notes


def test_published_parsers(data: Path) -> None:
    folder = data / "ud_en_pud"
    systems = sorted((folder / "systems").iterdir())
    found = eh.compare(folder / "gold.conllu", systems, trials=50, resamples=50)
    assert len(found.pairs) == 10
    assert (found.left_out, found.gold.units) == (0, 21_176)
    assert found.shared is not None
    assert found.shared.units == 21_090
    assert {pair.size for pair in found.pairs.values()} == {21_176}
    for (a, b), pair in found.pairs.items():
        assert pair.delta == pytest.approx((pair.corrections.count - pair.new_errors.count) / 21_176)
        assert pair.delta == pytest.approx(found.scores[b] - found.scores[a])
    assert sum(found.difficulty.values()) == 21_176
    twice = eh.compare(
        folder / "gold.conllu", {"a": systems[0], "copy": systems[0], "c": systems[1]}, trials=50, resamples=50
    )
    assert (twice.pair("a", "copy").different, twice.pair("a", "copy").interval) == (0, (0, 0))


def test_a_word_that_a_system_lacks_is_wrong_for_that_system_only() -> None:
    """`can not` for `cannot` in the second system: its root is missing."""
    gold = eh.trees([[(2, "nsubj"), (0, "root"), (2, "obj")]], tokens=[["I", "cannot", "sing"]])
    same = eh.trees([[(2, "nsubj"), (0, "root"), (1, "obj")]], tokens=[["I", "cannot", "sing"]])
    cut = eh.trees([[(2, "nsubj"), (0, "root"), (2, "advmod"), (2, "obj")]], tokens=[["I", "can", "not", "sing"]])
    found = eh.compare(gold, {"same": same, "cut": cut}, align="characters", trials=0, resamples=0)
    pair = found.pair("same", "cut")
    assert (found.left_out, pair.size) == (0, 3)
    # `I` depends on `cannot` in the first; the `can` of the second is not a word of the gold standard.
    assert found.scores == {"same": 2 / 3, "cut": 0}
    assert found.shared is not None
    assert (found.shared.units, found.shared.scores) == (2, {"same": 0.5, "cut": 0})
    new = [(each.gold, each.after, each.change) for each in pair.new_errors.transitions]
    assert new == [("nsubj", "nsubj", "head"), ("root", "missing", "both")]
    assert [(each.gold, each.change) for each in pair.changed_errors.transitions] == [("obj", "head")]


def test_heads_that_the_gold_standard_does_not_have_are_told_apart() -> None:
    """Both systems cut `cannot`, and `sing` depends on its first half in one and on its second in the other."""
    gold = eh.trees([[(0, "root"), (1, "obj")]], tokens=[["cannot", "sing"]])
    first = eh.trees([[(0, "root"), (1, "advmod"), (1, "obj")]], tokens=[["can", "not", "sing"]])
    second = eh.trees([[(0, "root"), (1, "advmod"), (2, "obj")]], tokens=[["can", "not", "sing"]])
    found = eh.compare(gold, {"a": first, "b": second, "c": first}, align="characters", trials=0, resamples=0)
    assert [pair.different for pair in found.pairs.values()] == [1, 0, 1]
    assert [each.change for each in found.pair("a", "b").changed_errors.transitions] == ["head"]
