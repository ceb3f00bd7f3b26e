"""The oracle: what systems solve together, by label and by sentence, and how many solve each unit."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from build import Row
from build import rows as spans_of_a_sentence
from evenhand.comparison.differences import Bound

LENGTH = 15


def spans(*sentences: Sequence[Row]) -> eh.Annotation:
    return eh.spans(sentences, end="inclusive", first=1, lengths=[LENGTH] * len(sentences))  # type: ignore[arg-type]


def compared(gold: eh.Annotation, **systems: eh.Annotation) -> eh.Comparison:
    return eh.compare(gold, systems, trials=0, resamples=0)


def tagged(gold: list[str], **systems: list[str]) -> eh.Comparison:
    """Tags of words, a text a sentence."""
    named = {name: eh.tags([each.split() for each in found]) for name, found in systems.items()}
    return eh.compare(eh.tags([each.split() for each in gold]), named, task="tags", trials=0, resamples=0)


def test_a_bound_by_hand() -> None:
    """Seven of ten units are solved; the second system has six of them, the first five."""
    bound = Bound(10, (5, 6), 7)
    assert (bound.scores, bound.upper_bound) == ([0.5, 0.6], 0.7)
    assert (bound.gain(0), bound.gain(1)) == (pytest.approx(0.2), pytest.approx(0.1))
    assert bound.gain_over_best == pytest.approx(0.1)


def test_a_bound_of_nothing_is_undefined() -> None:
    bound = Bound(0, (0, 0), 0)
    assert len(bound.scores) == 2
    assert all(map(isnan, (*bound.scores, bound.upper_bound, bound.gain(0), bound.gain_over_best)))


# Words


def test_words_that_one_system_at_least_has_right() -> None:
    tagging = tagged(["A A C D"], a=["A X X X"], b=["X A X X"], c=["A A X X"])
    assert tagging.oracle.overall == Bound(4, (1, 1, 2), 2)
    assert tagging.difficulty == {0: 2, 1: 0, 2: 2, 3: 0}
    assert tagging.oracle.best == 2
    assert tagging.oracle.exact is None


def test_labels_come_by_frequency_and_then_by_name() -> None:
    tagging = tagged(["D C C A"], a=["X C X A"], b=["D X X A"])
    assert list(tagging.oracle.labels) == ["C", "A", "D"]
    assert tagging.oracle.labels == {"C": Bound(2, (1, 0), 1), "A": Bound(1, (1, 1), 1), "D": Bound(1, (0, 1), 1)}
    assert list(tagging.labels) == ["C", "A", "D"]
    assert tagging.labels["C"].scores == {"a": 0.5, "b": 0}


def test_fully_correct_sentences_and_their_bound() -> None:
    """The first under both, the second under both together, the third under none."""
    found = tagged(["A C", "A C", "A C"], a=["A C", "A X", "X C"], b=["A C", "X C", "X X"])
    assert found.oracle.sentences == Bound(3, (1, 1), 2)


def test_of_equal_systems_the_first_is_the_best() -> None:
    assert tagged(["A C"], a=["A X"], b=["X C"]).oracle.best == 0
    assert tagged(["A C"], a=["X X"], b=["X C"], c=["A X"]).oracle.best == 1


def test_there_is_nothing_to_gain_where_one_system_is_right() -> None:
    found = tagged(["A C D"], a=["A C D"], b=["A X X"])
    assert (found.oracle.overall.upper_bound, found.oracle.overall.gain(0)) == (1, 0)
    assert found.oracle.labels["C"].gain(found.oracle.best) == 0


# Spans

GOLD = [("PER", 1, 1), ("PER", 3, 3), ("LOC", 5, 5)]


def three(*shared: Row) -> eh.Comparison:
    """Three systems; those of b and c have an ORG of their own, and all have what is shared."""
    a = [GOLD[0], GOLD[2], *shared]
    b = [GOLD[0], GOLD[1], ("ORG", 7, 7), *shared]
    c = [GOLD[0], ("ORG", 7, 7), ("ORG", 9, 9), *shared]
    return compared(spans(GOLD), a=spans(a), b=spans(b), c=spans(c))


def test_difficulty_of_gold_spans_and_surplus() -> None:
    """3 systems: PER 1. 2: ORG 9, which a and b do not have. 1: PER 3, LOC 5, and ORG 7, which a does not have."""
    assert three().difficulty == {0: 0, 1: 3, 2: 1, 3: 1}


def test_surplus_that_all_systems_have_is_solved_by_none() -> None:
    assert three(("ORG", 11, 11)).difficulty == {0: 1, 1: 3, 2: 1, 3: 1}


def test_labels_and_the_overall_bound_are_of_gold_spans_only() -> None:
    oracle = three(("ORG", 11, 11)).oracle
    assert oracle.overall == Bound(3, (2, 2, 1), 3)
    assert oracle.labels == {"PER": Bound(2, (1, 2, 1), 2), "LOC": Bound(1, (1, 0, 0), 1)}


def test_bounds_under_exact_match() -> None:
    """All three gold spans are found by somebody; the wrong spans of all systems are ORG 11 alone."""
    assert three().oracle.exact == {"precision": 1, "recall": 1, "f1": 1}
    assert three(("ORG", 11, 11)).oracle.exact == {"precision": 0.75, "recall": 1, "f1": pytest.approx(6 / 7)}


def test_wrong_bounds_that_all_have_are_wrong_under_exact_match() -> None:
    """One of two gold spans, and a span too small that both have."""
    comparison = compared(
        spans([("PER", 1, 3), ("LOC", 5, 5)]), a=spans([("PER", 1, 2), ("LOC", 5, 5)]), b=spans([("PER", 1, 2)])
    )
    assert comparison.oracle.exact == {"precision": 0.5, "recall": 0.5, "f1": 0.5}


def test_repeated_wrong_spans_are_shared_by_occurrence() -> None:
    """Both have ORG 7 once, and one of them twice."""
    gold = [("PER", 1, 1)]
    found = compared(spans(gold), a=spans([*gold, ("ORG", 7, 7), ("ORG", 7, 7)]), b=spans([*gold, ("ORG", 7, 7)]))
    assert found.oracle.exact == {"precision": 0.5, "recall": 1, "f1": pytest.approx(2 / 3)}
    assert found.difficulty == {0: 1, 1: 1, 2: 1}


def test_sentences_of_spans() -> None:
    """Right under both; under both together; surplus of a alone; and one without any unit, which does not count."""
    gold = spans([("PER", 1, 1)], [("PER", 1, 1), ("LOC", 3, 3)], [], [])
    a = spans([("PER", 1, 1)], [("PER", 1, 1)], [("ORG", 5, 5)], [])
    b = spans([("PER", 1, 1)], [("LOC", 3, 3)], [], [])
    assert compared(gold, a=a, b=b).oracle.sentences == Bound(3, (1, 2), 3)


def test_a_boundary_error_is_not_solved() -> None:
    found = compared(spans([("PER", 1, 3)]), a=spans([("PER", 1, 2)]), b=spans([("PER", 2, 3)]))
    assert found.oracle.overall == Bound(1, (0, 0), 0)
    assert found.difficulty == {0: 1, 1: 0, 2: 0}


SENTENCES = st.lists(st.tuples(*[spans_of_a_sentence(length=6, most=4)] * 4), min_size=1, max_size=3)


@settings(max_examples=40)
@given(SENTENCES)
def test_bounds_and_difficulty_agree(sentences: list[tuple[list[Row], ...]]) -> None:
    gold, *systems = (spans(*(sentence[side] for sentence in sentences)) for side in range(4))
    comparison = compared(gold, **dict(zip("abc", systems, strict=True)))
    overall, size = comparison.oracle.overall, sum(len(sentence[0]) for sentence in sentences)
    assert overall.units == size == comparison.gold.units
    assert max(overall.right) <= overall.solved <= sum(overall.right)
    for place in range(3):
        assert overall.right[place] == sum(bound.right[place] for bound in comparison.oracle.labels.values())
    surplus = sum(comparison.difficulty.values()) - size
    assert surplus >= 0
    # What no system solves is a gold span that nobody has or surplus that all have.
    assert size - overall.solved <= comparison.difficulty[0] <= size - overall.solved + surplus
    assert comparison.difficulty[3] <= overall.solved
    assert comparison.oracle.exact is not None
    assert comparison.oracle.exact["recall"] == pytest.approx(overall.upper_bound, nan_ok=True)
    assert isnan(overall.upper_bound) == (size == 0)
    scores = eh.score(gold, dict(zip("abc", systems, strict=True)), match="exact")
    exact = [result["exact"].f1 for result in scores.values()]
    if size:
        assert comparison.oracle.exact["f1"] >= max(exact) - 1e-12
    else:
        assert all(map(isnan, (comparison.oracle.exact["f1"], *exact)))
