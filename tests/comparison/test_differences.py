"""Differences of two systems on tags and trees: corrections, new errors, changed errors, and what changed."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from build import Row
from build import rows as spans_of_a_sentence
from evenhand.results.comparison import Differences, Pair


def compared(gold: eh.Annotation, a: eh.Annotation, b: eh.Annotation, **options: object) -> Pair:
    """The pair a, b without tests and intervals."""
    return eh.compare(gold, {"a": a, "b": b}, trials=0, resamples=0, **options).pair("a", "b")  # type: ignore[arg-type]


def tagged(gold: str, a: str, b: str) -> Pair:
    return compared(*(eh.tags([each.split()]) for each in (gold, a, b)), task="tags")


def rows(found: Differences) -> list[tuple[object, ...]]:
    return [(each.gold, each.before, each.after, each.change, each.count) for each in found.transitions]


# Tags


def test_the_second_system_is_right() -> None:
    pair = tagged("DET NOUN VERB", "DET VERB VERB", "DET NOUN VERB")
    assert rows(pair.corrections) == [("NOUN", "VERB", "NOUN", "", 1)]
    assert (pair.size, pair.different, pair.delta) == (3, 1, pytest.approx(1 / 3))
    assert (pair.corrections.share, len(pair.new_errors), len(pair.changed_errors)) == (1, 0, 0)


def test_the_first_system_was_right() -> None:
    pair = tagged("DET NOUN VERB", "DET NOUN VERB", "DET VERB VERB")
    assert rows(pair.new_errors) == [("NOUN", "NOUN", "VERB", "", 1)]
    assert (pair.corrections.count, pair.changed_errors.count, pair.delta) == (0, 0, pytest.approx(-1 / 3))


def test_both_are_wrong_in_other_ways() -> None:
    pair = tagged("DET NOUN VERB", "DET VERB VERB", "DET ADJ VERB")
    assert rows(pair.changed_errors) == [("NOUN", "VERB", "ADJ", "", 1)]
    assert (pair.corrections.count, pair.new_errors.count, pair.delta) == (0, 0, 0)


def test_the_same_error_is_no_difference() -> None:
    pair = tagged("DET NOUN VERB", "DET VERB VERB", "DET VERB VERB")
    assert (pair.different, pair.difference, pair.delta, pair.moved) == (0, 0, 0, 0)
    assert [(each.count, each.share, list(each.transitions)) for each in pair.classes.values()] == [(0, 0, [])] * 3


def test_transitions_come_by_frequency_and_then_by_name() -> None:
    pair = tagged("A A A C C", "X X Y X Y", "A A A C C")
    assert rows(pair.corrections) == [
        ("A", "X", "A", "", 2),
        ("A", "Y", "A", "", 1),
        ("C", "X", "C", "", 1),
        ("C", "Y", "C", "", 1),
    ]


def test_changed_errors_with_equal_answers_are_told_by_their_gold_labels() -> None:
    pair = tagged("A C C", "X X X", "Y Y Y")
    assert rows(pair.changed_errors) == [("C", "X", "Y", "", 2), ("A", "X", "Y", "", 1)]
    assert [each.share_of_class for each in pair.changed_errors.transitions] == pytest.approx([2 / 3, 1 / 3])


def test_sentences_add_up() -> None:
    gold, a, b = [["A"], ["C"], ["A"]], [["X"], ["C"], ["X"]], [["A"], ["X"], ["A"]]
    pair = compared(eh.tags(gold), eh.tags(a), eh.tags(b), task="tags")
    assert rows(pair.corrections) == [("A", "X", "A", "", 2)]
    assert rows(pair.new_errors) == [("C", "C", "X", "", 1)]


def test_only_the_labels_that_were_asked_for() -> None:
    """By gold label, as everywhere: the words with other gold labels are no units."""
    gold, a, b = eh.tags([["A", "C", "C"]]), eh.tags([["X", "X", "C"]]), eh.tags([["A", "C", "A"]])
    pair = compared(gold, a, b, task="tags", labels="C")
    assert (pair.size, pair.corrections.count, pair.new_errors.count) == (2, 1, 1)


def test_labels_that_are_mapped_together_differ_no_more() -> None:
    gold, a, b = eh.tags([["NN", "NN"]]), eh.tags([["NN", "NE"]]), eh.tags([["NE", "NN"]])
    assert compared(gold, a, b, task="tags").different == 2
    assert compared(gold, a, b, task="tags", map={"NE": "NN"}).different == 0


def test_a_pair_that_was_not_compared() -> None:
    plain = eh.tags([["DET"]])
    found = eh.compare(plain, {"a": plain, "b": plain}, task="tags", trials=0, resamples=0)
    with pytest.raises(KeyError, match="b and a were not compared in this order; there are a and b"):
        found.pair("b", "a")


# Trees

GOLD = [(2, "nsubj"), (0, "root"), (2, "obj"), (2, "punct")]


def trees(**changed: tuple[int, str]) -> eh.Annotation:
    """The gold tree with other heads and relations for some words."""
    words = ["They", "sing", "songs", "."]
    found = [changed.get(word.strip(".").lower() or "stop", arc) for word, arc in zip(words, GOLD, strict=True)]
    return eh.trees([found], tokens=[words])


@pytest.mark.parametrize(
    ("arc", "change", "las", "uas", "ls"),
    [
        ((1, "obj"), "head", 1, 1, 0),
        ((2, "iobj"), "relation", 1, 0, 1),
        ((1, "iobj"), "both", 1, 1, 1),
    ],
)
def test_what_changed(arc: tuple[int, str], change: str, las: int, uas: int, ls: int) -> None:
    """A head, a relation or both; how many differences that makes by each score."""
    for by, count in (("las", las), ("uas", uas), ("ls", ls)):
        pair = compared(trees(), trees(songs=arc), trees(), by=by)
        assert (pair.size, pair.different, pair.corrections.count) == (4, count, count)
        assert rows(pair.corrections) == [("obj", arc[1], "obj", change, 1)] * count
        assert pair.delta == pytest.approx(count / 4)


def test_las_is_the_default() -> None:
    found = eh.compare(trees(), {"a": trees(songs=(1, "obj")), "b": trees(songs=(2, "iobj"))}, trials=0, resamples=0)
    assert (found.task, found.by) == ("trees", "las")
    assert rows(found.pair("a", "b").changed_errors) == [("obj", "obj", "iobj", "both", 1)]


def test_an_error_that_changes_in_one_half_only() -> None:
    """Both have the head wrong; by the head alone they are the same."""
    a, b = trees(songs=(1, "obj")), trees(songs=(1, "iobj"))
    assert rows(compared(trees(), a, b).changed_errors) == [("obj", "obj", "iobj", "relation", 1)]
    assert compared(trees(), a, b, by="uas").different == 0
    assert rows(compared(trees(), a, b, by="ls").new_errors) == [("obj", "obj", "iobj", "relation", 1)]


def test_equal_relations_with_other_heads_are_told_apart_from_the_rest() -> None:
    """As nn to nn in Table 6 of Tuggener 2017, which hides that heads changed."""
    a, b = trees(songs=(4, "obj"), they=(3, "nsubj")), trees(songs=(2, "obj"), they=(4, "nsubj"))
    pair = compared(trees(), a, b)
    assert rows(pair.corrections) == [("obj", "obj", "obj", "head", 1)]
    assert rows(pair.changed_errors) == [("nsubj", "nsubj", "nsubj", "head", 1)]


def test_subtypes_of_conllu_differ_where_they_are_kept(tmp_path: Path) -> None:
    """Other trees have no subtypes: their relations are taken as they stand."""
    a, b = trees(songs=(2, "obj:agent")), trees(songs=(2, "obj:topic"))
    changed = [("obj", "obj:agent", "obj:topic", "relation", 1)]
    assert rows(compared(trees(), a, b).changed_errors) == changed
    gold, *systems = (tmp_path / f"{name}.conllu" for name in ("gold", "a", "b"))
    for path, relation in ((gold, "obj"), (systems[0], "obj:agent"), (systems[1], "obj:topic")):
        path.write_text(f"1\tSing\t_\tVERB\t_\t_\t0\troot\t_\t_\n2\tsongs\t_\tNOUN\t_\t_\t1\t{relation}\t_\t_\n")
    cut, kept = (eh.compare(gold, systems, subtypes=kept, trials=0, resamples=0) for kept in (False, True))
    assert (cut.pair("a", "b").different, cut.scores) == (0, {"a": 1, "b": 1})
    assert rows(kept.pair("a", "b").changed_errors) == changed


def test_punctuation_can_be_left_out() -> None:
    a = trees(stop=(3, "punct"))
    assert compared(trees(), a, trees()).size == 4
    for policy in ("relation", "form"):
        pair = compared(trees(), a, trees(), punctuation=policy)
        assert (pair.size, pair.different) == (3, 0)


# What always holds

WORDS = st.lists(st.tuples(*[st.sampled_from("ACDX")] * 3), min_size=1, max_size=12)


@settings(max_examples=40)
@given(st.lists(WORDS, min_size=1, max_size=3))
def test_the_difference_of_accuracies_is_what_was_corrected(sentences: list[list[tuple[str, str, str]]]) -> None:
    """accuracy(b) - accuracy(a) = (corrections - new errors) / N."""
    gold, a, b = (eh.tags([[row[side] for row in words] for words in sentences]) for side in range(3))
    pair, back = compared(gold, a, b, task="tags"), compared(gold, b, a, task="tags")
    scores = eh.score(gold, {"a": a, "b": b}, task="tags")
    flat = [row for words in sentences for row in words]
    assert pair.size == len(flat)
    assert pair.difference == sum(first != second for _, first, second in flat) / len(flat)
    assert pair.delta == pytest.approx((pair.corrections.count - pair.new_errors.count) / pair.size)
    assert pair.delta == pytest.approx(scores["b"]["accuracy"].headline - scores["a"]["accuracy"].headline)
    assert back.different == pair.different
    assert (back.corrections.count, back.new_errors.count) == (pair.new_errors.count, pair.corrections.count)
    turned = [(each.gold, each.after, each.before, each.count) for each in back.changed_errors.transitions]
    ahead = [(each.gold, each.before, each.after, each.count) for each in pair.changed_errors.transitions]
    assert sorted(turned) == sorted(ahead)


@st.composite
def three_trees(draw: st.DrawFn) -> list[list[list[tuple[int, str]]]]:
    """Sentences of gold standard and two systems; heads stand before their words, so that all lead to the root."""
    all_trees: list[list[list[tuple[int, str]]]] = [[], [], []]
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 5))
        for side in all_trees:
            side.append([(draw(st.integers(0, word)), draw(st.sampled_from("xyz"))) for word in range(size)])
    return all_trees


@settings(max_examples=40)
@given(three_trees(), st.sampled_from(["las", "uas", "ls"]))
def test_the_difference_of_attachment_is_what_was_corrected(sides: list[list[list[tuple[int, str]]]], by: str) -> None:
    gold, a, b = (eh.trees(side) for side in sides)
    pair = compared(gold, a, b, by=by)
    scores = eh.score(gold, {"a": a, "b": b})
    assert pair.delta == pytest.approx((pair.corrections.count - pair.new_errors.count) / pair.size)
    assert pair.delta == pytest.approx(scores["b"][by].headline - scores["a"][by].headline)
    part = {"las": slice(0, 2), "uas": slice(0, 1), "ls": slice(1, 2)}[by]
    flat = [[arc[part] for words in side for arc in words] for side in sides]
    assert pair.different == sum(first != second for first, second in zip(*flat[1:], strict=True))
    for found in pair.classes.values():
        for each in found.transitions:
            assert (each.before == each.after) == (each.change == "head")


# Differences of two systems on spans: verdicts as classes, surplus, and spans that only moved


LENGTH = 15


def spans(*sentences: Sequence[Row]) -> eh.Annotation:
    """Spans as the papers write them, from the first token to the last."""
    return eh.spans(sentences, end="inclusive", first=1, lengths=[LENGTH] * len(sentences))  # type: ignore[arg-type]


def compared_span_differences(gold: Sequence[Row], a: Sequence[Row], b: Sequence[Row], by: str = "fair") -> Pair:
    systems = {"a": spans(a), "b": spans(b)}
    return eh.compare(spans(gold), systems, by=by, trials=0, resamples=0).pair("a", "b")


def rows_span_differences(found: Differences) -> list[tuple[str, str, str, int]]:
    return [(each.gold, each.before, each.after, each.count) for each in found.transitions]


def test_fair_is_the_default() -> None:
    one = spans([("PER", 1, 2)])
    assert eh.compare(one, {"a": one, "b": one}, trials=0, resamples=0).by == "fair"


def test_another_wrong_label_is_a_changed_error() -> None:
    pair = compared_span_differences([("PER", 1, 2)], [("LOC", 1, 2)], [("ORG", 1, 2)])
    assert rows_span_differences(pair.changed_errors) == [("PER", "LE LOC", "LE ORG", 1)]
    assert (pair.size, pair.different, pair.moved, pair.delta) == (1, 1, 0, 0)


def test_other_bounds_of_the_same_class_are_no_difference() -> None:
    """Both are too small; the span only moved."""
    pair = compared_span_differences([("PER", 1, 4)], [("PER", 1, 2)], [("PER", 2, 3)])
    assert (pair.size, pair.different, pair.moved) == (1, 0, 1)


def test_other_bounds_of_another_class_are_a_changed_error() -> None:
    pair = compared_span_differences([("PER", 3, 6)], [("PER", 4, 5)], [("PER", 2, 7)])
    assert rows_span_differences(pair.changed_errors) == [("PER", "BES PER", "BEL PER", 1)]
    assert pair.moved == 0


def test_a_boundary_error_is_corrected() -> None:
    pair = compared_span_differences([("PER", 1, 3)], [("PER", 1, 2)], [("PER", 1, 3)])
    assert rows_span_differences(pair.corrections) == [("PER", "BES PER", "TP PER", 1)]
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
    pair = compared_span_differences([("PER", 3, 6)], [], system)
    found = [row for each in pair.classes.values() for row in rows_span_differences(each)]
    assert found == ([] if verdict == "FN" else [("PER", "FN", verdict, 1)])
    assert pair.corrections.count == (verdict == "TP PER")


def test_surplus_is_a_unit_without_a_gold_label() -> None:
    gold = [("PER", 1, 1)]
    pair = compared_span_differences(gold, gold, [*gold, ("LOC", 5, 6)])
    assert (pair.size, pair.difference) == (2, 0.5)
    assert rows_span_differences(pair.new_errors) == [("", "TN", "FP LOC", 1)]
    back = compared_span_differences(gold, [*gold, ("LOC", 5, 6)], gold)
    assert rows_span_differences(back.corrections) == [("", "FP LOC", "TN", 1)]


def test_surplus_with_another_label_or_bound_is_another_unit() -> None:
    """One disappears, the other is new."""
    for other in (("ORG", 5, 6), ("LOC", 5, 7)):
        pair = compared_span_differences([], [("LOC", 5, 6)], [other])
        assert (pair.size, pair.corrections.count, pair.new_errors.count) == (2, 1, 1)


def test_surplus_with_other_tokens_between_the_same_bounds_is_another_unit() -> None:
    pair = compared_span_differences([], [("LOC", 5, 8)], [("LOC", 5, 8, (5, 6, 8))])
    assert (pair.size, pair.corrections.count, pair.new_errors.count) == (2, 1, 1)


def test_surplus_that_both_have_is_one_unit_and_no_difference() -> None:
    pair = compared_span_differences([("PER", 1, 1)], [("LOC", 5, 6)], [("LOC", 5, 6)])
    assert (pair.size, pair.different) == (2, 0)


def test_repeated_surplus_counts_by_occurrence() -> None:
    twice = [("LOC", 5, 6)] * 2
    pair = compared_span_differences([], twice, twice[:1])
    assert (pair.size, pair.different) == (2, 1)
    assert rows_span_differences(pair.corrections) == [("", "FP LOC", "TN", 1)]
    assert compared_span_differences([], twice, twice).different == 0


def test_repeated_gold_spans_are_units_each() -> None:
    pair = compared_span_differences([("PER", 1, 2)] * 2, [("PER", 1, 2)], [("PER", 1, 2)] * 2)
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
    pair = compared_span_differences([("PER", 1, 4)], [("PER", 1, 2), ("PER", 3, 4)], [("PER", 1, 4)])
    assert (pair.size, pair.different) == (2, 2)
    assert rows_span_differences(pair.corrections) == [("", "BES PER", "TN", 1), ("PER", "BES PER", "TP PER", 1)]


def test_tn_means_that_a_span_is_no_surplus_here() -> None:
    """The second half is surplus in a, and in b what the gold span is matched with."""
    pair = compared_span_differences([("PER", 1, 4)], [("PER", 1, 2), ("PER", 3, 4)], [("PER", 3, 4)])
    assert (pair.size, pair.different, pair.moved) == (2, 1, 1)
    assert rows_span_differences(pair.corrections) == [("", "BES PER", "TN", 1)]


def test_exact_match_knows_right_and_wrong_only() -> None:
    gold, a, b = [("PER", 1, 3), ("LOC", 5, 5)], [("PER", 1, 2), ("LOC", 5, 5)], [("PER", 1, 3), ("ORG", 5, 5)]
    pair = compared_span_differences(gold, a, b, by="exact")
    assert (pair.size, pair.different, pair.moved) == (4, 4, 0)
    assert rows_span_differences(pair.corrections) == [("", "FP PER", "TN", 1), ("PER", "FN", "TP PER", 1)]
    assert rows_span_differences(pair.new_errors) == [("", "TN", "FP ORG", 1), ("LOC", "TP LOC", "FN", 1)]
    assert rows_span_differences(compared_span_differences(gold, a, b).new_errors) == [("LOC", "TP LOC", "LE ORG", 1)]


def test_the_score_may_fall_where_errors_become_fewer() -> None:
    """The first has 3 TP and 3 FP, F1 = 6/9; the second 1 TP and 2 FN, F1 = 2/4."""
    gold = [("PER", 1, 1), ("PER", 3, 3), ("PER", 5, 5)]
    a = [*gold, ("LOC", 7, 7), ("LOC", 9, 9), ("LOC", 11, 11)]
    pair = compared_span_differences(gold, a, gold[:1])
    assert (pair.corrections.count, pair.new_errors.count) == (3, 2)
    assert pair.delta == pytest.approx(2 / 4 - 6 / 9)


def test_excluded_labels_are_no_units() -> None:
    gold, a = spans([("PER", 1, 1), ("LOC", 3, 3)]), spans([("LOC", 3, 3), ("LOC", 5, 5)])
    found = eh.compare(gold, {"a": a, "b": gold}, exclude="LOC", trials=0, resamples=0).pair("a", "b")
    assert (found.size, rows_span_differences(found.corrections)) == (1, [("PER", "FN", "TP PER", 1)])


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
    comparison = eh.compare(gold, {"a": a, "twin": a, "b": b}, trials=0, resamples=0)
    pair, score = comparison.pair("a", "twin"), eh.score(gold, a)["fair"].overall
    assert pair.size == score["TP"] + sum(score[kind] for kind in ERRORS)
    assert (pair.different, pair.moved) == (0, 0)
    assert isnan(pair.delta) if is_empty(sentences) else pair.delta == 0
    assert [difference.transitions for difference in pair.classes.values()] == [[], [], []]
    first, second = comparison.pair("a", "b"), comparison.pair("twin", "b")
    assert (first.size, first.moved) == (second.size, second.moved)
    assert first.delta == same(second.delta)
    assert [rows_span_differences(difference) for difference in first.classes.values()] == [
        rows_span_differences(difference) for difference in second.classes.values()
    ]


@settings(max_examples=40)
@given(SENTENCES, st.sampled_from(["fair", "exact"]))
def test_a_pair_that_is_swapped(sentences: list[tuple[list[Row], ...]], by: str) -> None:
    gold, a, b = sides(sentences)
    ahead = eh.compare(gold, {"a": a, "b": b}, by=by, trials=0, resamples=0).pair("a", "b")
    back = eh.compare(gold, {"b": b, "a": a}, by=by, trials=0, resamples=0).pair("b", "a")
    assert (back.size, back.different, back.moved) == (ahead.size, ahead.different, ahead.moved)
    assert back.delta == same(-ahead.delta)
    for one, other in (("correction", "new_error"), ("new_error", "correction"), ("changed_error", "changed_error")):
        turned = [
            (gold, after, before, count) for gold, before, after, count in rows_span_differences(back.classes[other])
        ]
        assert sorted(turned) == sorted(rows_span_differences(ahead.classes[one]))


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
