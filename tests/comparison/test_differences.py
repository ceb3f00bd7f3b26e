"""Differences of two systems on tags and trees: corrections, new errors, changed errors, and what changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
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
    found: list[list[list[tuple[int, str]]]] = [[], [], []]
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 5))
        for side in found:
            side.append([(draw(st.integers(0, word)), draw(st.sampled_from("xyz"))) for word in range(size)])
    return found


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
