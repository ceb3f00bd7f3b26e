"""Agreement: one system as the key for another, and the answers that both have right."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from build import Row
from build import rows as spans_of_a_sentence

LENGTH = 15


def spans(*sentences: Sequence[Row]) -> eh.Annotation:
    return eh.spans(sentences, end="inclusive", first=1, lengths=[LENGTH] * len(sentences))  # type: ignore[arg-type]


def tags(answers: str) -> eh.Annotation:
    return eh.tags([answers.split()])


def compared(gold: eh.Annotation, **systems: eh.Annotation) -> eh.Comparison:
    task = "spans" if gold.name == "spans" else "tags"
    return eh.compare(gold, systems, task=task, trials=0, resamples=0)


def test_words_with_equal_answers() -> None:
    """Two of four tags are equal, of which one is right; a has two right, b one."""
    found = compared(tags("A A C D"), a=tags("A A X X"), b=tags("A Y X Y"))
    assert found.all_answers.tolist() == [[1, 0.5], [0.5, 1]]
    assert found.correct_answers.tolist() == [[1, pytest.approx(2 / 3)], [pytest.approx(2 / 3), 1]]


def test_trees_agree_in_what_they_are_compared_by() -> None:
    """The same heads, and one relation of two."""
    gold = eh.trees([[(2, "nsubj"), (0, "root")]])
    systems = {"a": eh.trees([[(2, "nsubj"), (0, "root")]]), "b": eh.trees([[(2, "obj"), (0, "root")]])}
    for by, share in (("las", 0.5), ("uas", 1), ("ls", 0.5)):
        found = eh.compare(gold, systems, by=by, trials=0, resamples=0)
        assert found.all_answers[0, 1] == share


def test_spans_agree_by_f1() -> None:
    """Two equal spans of three and four: 2 · 2 / 7, whatever the gold standard has."""
    a = [("PER", 1, 1), ("LOC", 3, 4), ("ORG", 6, 6)]
    b = [("PER", 1, 1), ("LOC", 3, 4), ("ORG", 6, 7), ("ORG", 9, 9)]
    found = compared(spans([("PER", 1, 1)]), a=spans(a), b=spans(b))
    assert found.all_answers[0, 1] == pytest.approx(4 / 7)
    assert found.correct_answers.tolist() == [[1, 1], [1, 1]]


def test_repeated_spans_agree_as_often_as_both_have_them() -> None:
    twice = [("PER", 1, 1)] * 2
    found = compared(spans([]), a=spans(twice), b=spans(twice[:1]))
    assert found.all_answers[0, 1] == pytest.approx(2 / 3)


def test_spans_with_other_tokens_are_other_spans() -> None:
    found = compared(spans([]), a=spans([("A", 1, 4)]), b=spans([("A", 1, 4, (1, 2, 4))]))
    assert found.all_answers[0, 1] == 0


def test_correct_answers_of_systems_that_have_none_right() -> None:
    found = compared(tags("A A"), a=tags("X X"), b=tags("X A"))
    assert found.correct_answers.tolist() == [[0, 0], [0, 1]]


def test_the_most_alike_come_first() -> None:
    found = compared(tags("A C D A"), a=tags("A C D X"), b=tags("A C D Y"), c=tags("X Y Z Y"))
    assert list(found.alike) == [("a", "b", 0.75), ("b", "c", 0.25), ("a", "c", 0)]


def test_the_paper_s_reason_for_pairing_responses() -> None:
    """Tuggener 2017, appendix: 1 - difference is the accuracy of one response with the other as the key."""
    found = compared(tags("A C D"), a=tags("A C X"), b=tags("A D Y"))
    assert found.all_answers[0, 1] == pytest.approx(1 - found.pair("a", "b").difference)


WORDS = st.lists(st.tuples(*[st.sampled_from("ACX")] * 4), min_size=1, max_size=10)


@settings(max_examples=40)
@given(WORDS)
def test_agreement_of_taggers_is_their_accuracy_against_each_other(words: list[tuple[str, ...]]) -> None:
    gold, *systems = (eh.tags([[row[side] for row in words]]) for side in range(4))
    comparison = compared(gold, **dict(zip("abc", systems, strict=True)))
    for row, key in enumerate(systems):
        scores = eh.score(key, dict(zip("abc", systems, strict=True)), task="tags")
        assert comparison.all_answers[row].tolist() == pytest.approx(
            [each["accuracy"].headline for each in scores.values()]
        )


SENTENCES = st.lists(st.tuples(*[spans_of_a_sentence(length=6, most=4)] * 4), min_size=1, max_size=3)


@settings(max_examples=40)
@given(SENTENCES)
def test_agreement_on_spans_is_their_exact_f1_against_each_other(sentences: list[tuple[list[Row], ...]]) -> None:
    gold, *systems = (spans(*(sentence[side] for sentence in sentences)) for side in range(4))
    named = dict(zip("abc", systems, strict=True))
    comparison = compared(gold, **named)
    for row, key in enumerate(systems):
        scores = eh.score(key, named, match="exact")
        against = [each["exact"].f1 for each in scores.values()]
        assert comparison.all_answers[row].tolist() == pytest.approx([0 if isnan(f1) else f1 for f1 in against])
    right = [result["exact"].overall["TP"] for result in eh.score(gold, named, match="exact").values()]
    assert comparison.correct_answers.diagonal().tolist() == [float(count > 0) for count in right]
