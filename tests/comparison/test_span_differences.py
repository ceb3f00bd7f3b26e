"""Differences of two systems on spans: verdicts as classes, surplus, and spans that only moved."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from build import Row
from build import rows as spans_of_a_sentence
from evenhand.results.comparison import Differences, Pair

LENGTH = 15


def spans(*sentences: Sequence[Row]) -> eh.Annotation:
    """Spans as the papers write them, from the first token to the last."""
    return eh.spans(sentences, end="inclusive", first=1, lengths=[LENGTH] * len(sentences))  # type: ignore[arg-type]


def compared(gold: Sequence[Row], a: Sequence[Row], b: Sequence[Row], by: str = "fair") -> Pair:
    systems = {"a": spans(a), "b": spans(b)}
    return eh.compare(spans(gold), systems, by=by, trials=0, resamples=0).pair("a", "b")


def rows(found: Differences) -> list[tuple[str, str, str, int]]:
    return [(each.gold, each.before, each.after, each.count) for each in found.transitions]


def test_fair_is_the_default() -> None:
    one = spans([("PER", 1, 2)])
    assert eh.compare(one, {"a": one, "b": one}, trials=0, resamples=0).by == "fair"


def test_another_wrong_label_is_a_changed_error() -> None:
    pair = compared([("PER", 1, 2)], [("LOC", 1, 2)], [("ORG", 1, 2)])
    assert rows(pair.changed_errors) == [("PER", "LE LOC", "LE ORG", 1)]
    assert (pair.size, pair.different, pair.moved, pair.delta) == (1, 1, 0, 0)


def test_other_bounds_of_the_same_class_are_no_difference() -> None:
    """Both are too small; the span only moved."""
    pair = compared([("PER", 1, 4)], [("PER", 1, 2)], [("PER", 2, 3)])
    assert (pair.size, pair.different, pair.moved) == (1, 0, 1)


def test_other_bounds_of_another_class_are_a_changed_error() -> None:
    pair = compared([("PER", 3, 6)], [("PER", 4, 5)], [("PER", 2, 7)])
    assert rows(pair.changed_errors) == [("PER", "BES PER", "BEL PER", 1)]
    assert pair.moved == 0


def test_a_boundary_error_is_corrected() -> None:
    pair = compared([("PER", 1, 3)], [("PER", 1, 2)], [("PER", 1, 3)])
    assert rows(pair.corrections) == [("PER", "BES PER", "TP PER", 1)]
    assert (pair.size, pair.moved) == (1, 0)


@pytest.mark.parametrize(
    ("system", "verdict"),
    [
        ([("PER", 3, 6)], "TP PER"),
        ([("LOC", 3, 6)], "LE LOC"),
        ([("PER", 4, 5)], "BES PER"),
        ([("PER", 2, 7)], "BEL PER"),
        ([("PER", 5, 8)], "BEO PER"),
        ([("LOC", 5, 8)], "LBE LOC"),
        ([], "FN"),
    ],
)
def test_every_verdict_is_a_class(system: list[Row], verdict: str) -> None:
    """Against a system that has nothing."""
    pair = compared([("PER", 3, 6)], [], system)
    found = [row for each in pair.classes.values() for row in rows(each)]
    assert found == ([] if verdict == "FN" else [("PER", "FN", verdict, 1)])
    assert pair.corrections.count == (verdict == "TP PER")


def test_surplus_is_a_unit_without_a_gold_label() -> None:
    gold = [("PER", 1, 1)]
    pair = compared(gold, gold, [*gold, ("LOC", 5, 6)])
    assert (pair.size, pair.difference) == (2, 0.5)
    assert rows(pair.new_errors) == [("", "TN", "FP LOC", 1)]
    back = compared(gold, [*gold, ("LOC", 5, 6)], gold)
    assert rows(back.corrections) == [("", "FP LOC", "TN", 1)]


def test_surplus_with_another_label_or_bound_is_another_unit() -> None:
    """One disappears, the other is new."""
    for other in (("ORG", 5, 6), ("LOC", 5, 7)):
        pair = compared([], [("LOC", 5, 6)], [other])
        assert (pair.size, pair.corrections.count, pair.new_errors.count) == (2, 1, 1)


def test_surplus_with_other_tokens_between_the_same_bounds_is_another_unit() -> None:
    pair = compared([], [("LOC", 5, 8)], [("LOC", 5, 8, (5, 6, 8))])
    assert (pair.size, pair.corrections.count, pair.new_errors.count) == (2, 1, 1)


def test_surplus_that_both_have_is_one_unit_and_no_difference() -> None:
    pair = compared([("PER", 1, 1)], [("LOC", 5, 6)], [("LOC", 5, 6)])
    assert (pair.size, pair.different) == (2, 0)


def test_repeated_surplus_counts_by_occurrence() -> None:
    twice = [("LOC", 5, 6)] * 2
    pair = compared([], twice, twice[:1])
    assert (pair.size, pair.different) == (2, 1)
    assert rows(pair.corrections) == [("", "FP LOC", "TN", 1)]
    assert compared([], twice, twice).different == 0


def test_repeated_gold_spans_are_units_each() -> None:
    pair = compared([("PER", 1, 2)] * 2, [("PER", 1, 2)], [("PER", 1, 2)] * 2)
    assert (pair.size, pair.corrections.count) == (2, 1)


def test_the_units_of_a_pair_are_gold_spans_and_its_own_surplus() -> None:
    """A third system's surplus is none of theirs."""
    gold = [("PER", 1, 1), ("PER", 3, 3)]
    systems = {"a": spans([("LOC", 5, 5)]), "b": spans([("LOC", 5, 5), ("LOC", 6, 6)]), "c": spans([("ORG", 9, 9)])}
    found = eh.compare(spans(gold), systems, trials=0, resamples=0)
    assert {names: pair.size for names, pair in found.pairs.items()} == {("a", "b"): 4, ("a", "c"): 4, ("b", "c"): 5}
    assert [pair.different for pair in found.pairs.values()] == [1, 2, 3]


def test_a_second_boundary_error_is_surplus() -> None:
    """Two halves for one span: the first is its verdict, the second an error of its own; both are corrected at once."""
    pair = compared([("PER", 1, 4)], [("PER", 1, 2), ("PER", 3, 4)], [("PER", 1, 4)])
    assert (pair.size, pair.different) == (2, 2)
    assert rows(pair.corrections) == [("", "BES PER", "TN", 1), ("PER", "BES PER", "TP PER", 1)]


def test_tn_means_that_a_span_is_no_surplus_here() -> None:
    """The second half is surplus in a, and in b what the gold span is matched with."""
    pair = compared([("PER", 1, 4)], [("PER", 1, 2), ("PER", 3, 4)], [("PER", 3, 4)])
    assert (pair.size, pair.different, pair.moved) == (2, 1, 1)
    assert rows(pair.corrections) == [("", "BES PER", "TN", 1)]


def test_exact_match_knows_right_and_wrong_only() -> None:
    gold, a, b = [("PER", 1, 3), ("LOC", 5, 5)], [("PER", 1, 2), ("LOC", 5, 5)], [("PER", 1, 3), ("ORG", 5, 5)]
    pair = compared(gold, a, b, by="exact")
    assert (pair.size, pair.different, pair.moved) == (4, 4, 0)
    assert rows(pair.corrections) == [("", "FP PER", "TN", 1), ("PER", "FN", "TP PER", 1)]
    assert rows(pair.new_errors) == [("", "TN", "FP ORG", 1), ("LOC", "TP LOC", "FN", 1)]
    assert rows(compared(gold, a, b).new_errors) == [("LOC", "TP LOC", "LE ORG", 1)]


def test_the_score_may_fall_where_errors_become_fewer() -> None:
    """The first has 3 TP and 3 FP, F1 = 6/9; the second 1 TP and 2 FN, F1 = 2/4."""
    gold = [("PER", 1, 1), ("PER", 3, 3), ("PER", 5, 5)]
    a = [*gold, ("LOC", 7, 7), ("LOC", 9, 9), ("LOC", 11, 11)]
    pair = compared(gold, a, gold[:1])
    assert (pair.corrections.count, pair.new_errors.count) == (3, 2)
    assert pair.delta == pytest.approx(2 / 4 - 6 / 9)


def test_excluded_labels_are_no_units() -> None:
    gold, a = spans([("PER", 1, 1), ("LOC", 3, 3)]), spans([("LOC", 3, 3), ("LOC", 5, 5)])
    found = eh.compare(gold, {"a": a, "b": gold}, exclude="LOC", trials=0, resamples=0).pair("a", "b")
    assert (found.size, rows(found.corrections)) == (1, [("PER", "FN", "TP PER", 1)])


def test_levels_that_are_separate() -> None:
    """An inner span for an outer one is right across levels, and wrong in both of them within."""
    gold, a, b = eh.tags([["O|B-A"]]), eh.tags([["B-A|O"]]), eh.tags([["O|B-A"]])
    pooled = eh.compare(gold, {"a": a, "b": b}, trials=0, resamples=0)
    apart = eh.compare(gold, {"a": a, "b": b}, levels="separate", trials=0, resamples=0)
    assert (pooled.scores, pooled.pair("a", "b").different) == ({"a": 1, "b": 1}, 0)
    assert (apart.scores, apart.pair("a", "b").corrections.count) == ({"a": 0, "b": 1}, 2)


# What always holds

SENTENCES = st.lists(st.tuples(*[spans_of_a_sentence()] * 3), min_size=1, max_size=3)
ERRORS = ("LE", "BES", "BEL", "BEO", "LBE", "FN", "FP")


def sides(sentences: list[tuple[list[Row], ...]]) -> tuple[eh.Annotation, ...]:
    """Gold standard, a and b: nested, crossing, repeated and discontinuous spans among them."""
    return tuple(spans(*(sentence[side] for sentence in sentences)) for side in range(3))


def is_empty(sentences: list[tuple[list[Row], ...]]) -> bool:
    """Whether the gold standard has no span, so no score and no difference of scores is defined."""
    return not any(gold for gold, *_ in sentences)


def same(delta: float) -> Any:
    """Exactly this difference, or undefined if it is."""
    return pytest.approx(delta, rel=0, abs=0, nan_ok=True)


@settings(max_examples=40)
@given(SENTENCES)
def test_corrections_and_new_errors_are_the_difference_of_the_errors(sentences: list[tuple[list[Row], ...]]) -> None:
    """corrections - new errors = E(a) - E(b), and TP likewise."""
    gold, a, b = sides(sentences)
    pair = eh.compare(gold, {"a": a, "b": b}, trials=0, resamples=0).pair("a", "b")
    scores = {name: result["fair"].overall for name, result in eh.score(gold, {"a": a, "b": b}).items()}
    errors = {name: sum(score[kind] for kind in ERRORS) for name, score in scores.items()}
    assert pair.corrections.count - pair.new_errors.count == errors["a"] - errors["b"]
    found = [each for found in pair.classes.values() for each in found.transitions]
    gained = sum(each.count for each in found if each.after.startswith("TP"))
    lost = sum(each.count for each in found if each.before.startswith("TP"))
    assert gained - lost == scores["b"]["TP"] - scores["a"]["TP"]
    assert pair.delta == pytest.approx(scores["b"].f1 - scores["a"].f1, nan_ok=True)
    assert isnan(pair.delta) == is_empty(sentences)


@settings(max_examples=40)
@given(SENTENCES)
def test_the_units_of_one_system_are_its_tp_and_errors(sentences: list[tuple[list[Row], ...]]) -> None:
    """And outputs that are the same differ nowhere, even where a third one is beside them."""
    gold, a, b = sides(sentences)
    found = eh.compare(gold, {"a": a, "twin": a, "b": b}, trials=0, resamples=0)
    pair, score = found.pair("a", "twin"), eh.score(gold, a)["fair"].overall
    assert pair.size == score["TP"] + sum(score[kind] for kind in ERRORS)
    assert (pair.different, pair.moved) == (0, 0)
    assert isnan(pair.delta) if is_empty(sentences) else pair.delta == 0
    assert [each.transitions for each in pair.classes.values()] == [[], [], []]
    first, second = found.pair("a", "b"), found.pair("twin", "b")
    assert (first.size, first.moved) == (second.size, second.moved)
    assert first.delta == same(second.delta)
    assert [rows(each) for each in first.classes.values()] == [rows(each) for each in second.classes.values()]


@settings(max_examples=40)
@given(SENTENCES, st.sampled_from(["fair", "exact"]))
def test_a_pair_that_is_swapped(sentences: list[tuple[list[Row], ...]], by: str) -> None:
    gold, a, b = sides(sentences)
    ahead = eh.compare(gold, {"a": a, "b": b}, by=by, trials=0, resamples=0).pair("a", "b")
    back = eh.compare(gold, {"b": b, "a": a}, by=by, trials=0, resamples=0).pair("b", "a")
    assert (back.size, back.different, back.moved) == (ahead.size, ahead.different, ahead.moved)
    assert back.delta == same(-ahead.delta)
    for one, other in (("correction", "new_error"), ("new_error", "correction"), ("changed_error", "changed_error")):
        turned = [(gold, after, before, count) for gold, before, after, count in rows(back.classes[other])]
        assert sorted(turned) == sorted(rows(ahead.classes[one]))


@settings(max_examples=40)
@given(SENTENCES)
def test_exact_match_has_no_changed_errors(sentences: list[tuple[list[Row], ...]]) -> None:
    """corrections - new errors = (FN + FP)(a) - (FN + FP)(b)."""
    gold, a, b = sides(sentences)
    pair = eh.compare(gold, {"a": a, "b": b}, by="exact", trials=0, resamples=0).pair("a", "b")
    scores = eh.score(gold, {"a": a, "b": b}, match="exact")
    wrong = {name: result["exact"].overall["FN"] + result["exact"].overall["FP"] for name, result in scores.items()}
    assert (pair.changed_errors.count, pair.moved) == (0, 0)
    assert pair.corrections.count - pair.new_errors.count == wrong["a"] - wrong["b"]
