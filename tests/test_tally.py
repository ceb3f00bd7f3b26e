"""Tallies: counts that add up, in any order and from any number of parts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from build import pairs, rows
from evenhand.arrays import ints
from evenhand.scoring.tally import Tally
from evenhand.tasks.spans.fair import exact, fair
from evenhand.tasks.spans.matching import equal_spans
from evenhand.tasks.spans.scorers import tally_rest, tally_spans

SENTENCES = st.lists(st.tuples(rows(), rows()), min_size=1, max_size=6)


def tally(sentences: list, first: int = 0) -> Tally:
    """A tally with a group a sentence, numbered from `first`."""
    gold, system = pairs([t for t, _ in sentences], [s for _, s in sentences])
    return tally_spans(fair(gold, system), gold, system, np.arange(len(sentences)) + first)


@given(SENTENCES, st.data())
def test_parts_add_up_to_the_whole(sentences: list, data: st.DataObject) -> None:
    """Any cut into shards, merged in any order; the parts have vocabularies of their own."""
    cut = data.draw(st.integers(0, len(sentences)))
    parts = [tally(sentences[:cut]), tally(sentences[cut:], first=cut)]
    assert Tally.merge(data.draw(st.permutations(parts))) == tally(sentences)


@given(SENTENCES)
def test_groups_add_up_to_the_total(sentences: list) -> None:
    whole = tally(sentences)
    groups = [whole.choose(ints([group])).shifted(group) for group in range(len(sentences))]
    assert Tally.merge(groups) == whole
    assert Tally.merge([group.total() for group in groups]) == whole.total()


@given(SENTENCES, SENTENCES)
def test_tallies_beside_each_other_keep_their_groups(left: list, right: list) -> None:
    """Each tally has a vocabulary of its own."""
    groups = max(len(left), len(right))
    assert Tally.beside([tally(left), tally(right)], groups) == tally(left) + tally(right).shifted(groups)


@given(SENTENCES)
def test_groups_may_be_repeated(sentences: list) -> None:
    times = np.arange(len(sentences)) % 3
    repeated = [sentence for sentence, number in zip(sentences, times, strict=True) for _ in range(number)]
    assert tally(sentences).repeated(times).total() == tally(repeated).total()


def test_rows_that_agree_are_one_row() -> None:
    whole = tally([([("A", 1, 1)], [("A", 1, 1)])] * 3).total()
    assert whole.cells() == {(0, "A", "A", "TP"): 3}


def test_no_label_is_the_empty_string() -> None:
    assert tally([([("A", 1, 1)], [("B", 3, 3)])]).cells() == {(0, "A", "", "FN"): 1, (0, "", "B", "FP"): 1}


def test_fractions_stay_fractions() -> None:
    one = np.array([0])
    half = Tally.of(["A"], ["TP"], one, one, one, one, np.array([0.5]))
    assert (half + half).cells() == {(0, "A", "A", "TP"): 1.0}
    assert (half + half).count.dtype == np.float64


def test_many_labels_take_no_more_room_than_they_need() -> None:
    labels = [f"label-{i}" for i in range(10_000)]
    code = np.arange(10_000)
    whole = Tally.of(labels, ["TP"], np.zeros_like(code), code, code, np.zeros_like(code))
    assert len(whole) == 10_000
    assert whole.count.tolist() == [1] * 10_000


@given(SENTENCES, st.booleans())
def test_counts_without_verdicts_on_equal_spans_are_the_same(sentences: list, in_total: bool) -> None:
    gold, system = pairs([t for t, _ in sentences], [s for _, s in sentences])
    groups = np.zeros(len(sentences), dtype=np.int64) if in_total else np.arange(len(sentences))
    equal, others = equal_spans(gold, system)
    missing, surplus = np.delete(np.arange(len(gold)), equal), np.delete(np.arange(len(system)), others)
    for judge in (exact, fair):
        rest = judge(gold.take(missing), system.take(surplus))
        found = tally_rest(equal, rest, (missing, surplus), gold, system, groups)
        assert found == tally_spans(judge(gold, system), gold, system, groups)
