"""SemEval match: one to one, whatever the order of the spans."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build import overlapping, pair, pairs, rows
from evenhand.data.layers import Spans
from evenhand.tasks.spans.matching import equal_spans
from evenhand.tasks.spans.overlap import PAIR_KINDS, semeval

Unit = tuple[str, int, int]


def judged(gold: Spans, system: Spans) -> list[Unit]:
    """(kind, gold row, system row) of every unit."""
    paired = semeval(gold, system, [overlapping(gold, system)])
    columns = zip(paired.kind.tolist(), paired.gold.tolist(), paired.system.tolist(), strict=True)
    return [(PAIR_KINDS[kind], left, right) for kind, left, right in columns]


def found(target: list, system: list) -> list[Unit]:
    return judged(*pair(target, system))


def contents(target: list, system: list) -> Counter:
    """The units with the spans themselves for their rows."""

    def span(side: list, row: int) -> tuple | None:
        if row < 0:
            return None
        label, first, last, *tokens = side[row]
        return label, first, last, tuple(tokens[0] if tokens else range(first, last + 1))

    return Counter((kind, span(target, left), span(system, right)) for kind, left, right in found(target, system))


def by_definition(gold: Spans, system: Spans) -> list[Unit]:
    """The best of all pairs of free spans, again and again."""

    def described(spans: Spans) -> list[tuple]:
        gaps = [spans.vocabulary.shapes[code] for code in spans.shape.tolist()]
        return [(start, end, label, gap) for (label, _, start, end), gap in zip(spans.rows(), gaps, strict=True)]

    ours, theirs = described(gold), described(system)
    candidates = []
    for left, tokens in enumerate(gold.token_sets()):
        for right, others in enumerate(system.token_sets()):
            if gold.scope[left] == system.scope[right] and tokens & others:
                a, b = ours[left], theirs[right]
                exact, same = (*a[:2], a[3]) == (*b[:2], b[3]), a[2] == b[2]
                kind = ("exact" if exact else "overlap") + ("_same" if same else "_other")
                rank = (0, not same, 0) if exact else (1, -len(tokens & others), not same)
                candidates.append((rank, a, b, left, right, kind))
    partners: dict[int, tuple[int, str]] = {}
    taken: set[int] = set()
    for *_, left, right, kind in sorted(candidates):
        if left not in partners and right not in taken:
            partners[left] = right, kind
            taken.add(right)
    units = [
        (partners[left][1], left, partners[left][0]) if left in partners else ("missing", left, -1)
        for left in range(len(gold))
    ]
    return units + [("spurious", -1, right) for right in range(len(system)) if right not in taken]


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ([("A", 3, 5)], [("exact_same", 0, 0)]),
        ([("B", 3, 5)], [("exact_other", 0, 0)]),
        ([("A", 5, 6)], [("overlap_same", 0, 0)]),
        ([("B", 4, 4)], [("overlap_other", 0, 0)]),
        ([], [("missing", 0, -1)]),
        ([("A", 6, 6)], [("missing", 0, -1), ("spurious", -1, 0)]),
    ],
)
def test_the_scenarios_of_segura_bedmar_2013(system: list, expected: list[Unit]) -> None:
    assert found([("A", 3, 5)], system) == expected


def test_nothing_but_spurious_spans() -> None:
    assert found([], [("A", 1, 1), ("B", 2, 2)]) == [("spurious", -1, 0), ("spurious", -1, 1)]


def test_an_exact_pair_with_another_label_comes_before_an_overlap_with_the_same() -> None:
    system = [("A", 1, 4), ("B", 1, 3)]
    assert found([("A", 1, 3)], system) == [("exact_other", 0, 1), ("spurious", -1, 0)]


def test_more_shared_tokens_come_before_the_same_label() -> None:
    assert found([("A", 1, 5)], [("A", 1, 2), ("B", 3, 5)]) == [("overlap_other", 0, 1), ("spurious", -1, 0)]


def test_the_same_label_decides_between_as_many_shared_tokens() -> None:
    assert found([("B", 1, 4)], [("A", 1, 2), ("B", 3, 4)]) == [("overlap_same", 0, 1), ("spurious", -1, 0)]


def test_the_earlier_span_decides_next() -> None:
    assert found([("A", 1, 4)], [("A", 3, 4), ("A", 1, 2)]) == [("overlap_same", 0, 1), ("spurious", -1, 0)]
    assert found([("A", 3, 4), ("A", 1, 2)], [("A", 1, 4)]) == [("missing", 0, -1), ("overlap_same", 1, 0)]


def test_the_shorter_of_two_spans_with_one_start_decides_next() -> None:
    assert found([("A", 3, 4)], [("A", 4, 6), ("A", 4, 5)]) == [("overlap_same", 0, 1), ("spurious", -1, 0)]


def test_the_name_of_a_label_decides_not_the_order_of_reading() -> None:
    assert found([("A", 1, 4)], [("C", 1, 2), ("B", 1, 2)]) == [("overlap_other", 0, 1), ("spurious", -1, 0)]
    assert found([("A", 1, 4)], [("C", 1, 4), ("B", 1, 4)]) == [("exact_other", 0, 1), ("spurious", -1, 0)]


def test_the_gaps_decide_last() -> None:
    """The span without a gap goes first, whichever is read first; were it the other, both would find a partner."""
    whole, gapped = ("A", 1, 3), ("A", 1, 3, [1, 3])
    system = [("B", 1, 1), ("B", 2, 2)]
    assert found([whole, gapped], system) == [("overlap_other", 0, 0), ("missing", 1, -1), ("spurious", -1, 1)]
    assert found([gapped, whole], system) == [("missing", 0, -1), ("overlap_other", 1, 0), ("spurious", -1, 1)]


def test_equal_bounds_with_other_gaps_are_an_overlap() -> None:
    assert found([("A", 1, 3, [1, 3])], [("A", 1, 3)]) == [("overlap_same", 0, 0)]


def test_a_pair_taken_leaves_the_next_best_to_the_others() -> None:
    """4 shared tokens go first, so that the second gold span is left with the span that shares 1."""
    target, system = [("A", 1, 5), ("A", 6, 9)], [("A", 5, 9), ("A", 1, 3)]
    assert found(target, system) == [("overlap_same", 0, 1), ("overlap_same", 1, 0)]
    assert found(target, system[:1]) == [("missing", 0, -1), ("overlap_same", 1, 0)]


def test_repeated_spans_pair_once_each() -> None:
    assert found([("A", 1, 2)] * 2, [("A", 1, 2)] * 3) == [
        ("exact_same", 0, 0),
        ("exact_same", 1, 1),
        ("spurious", -1, 2),
    ]


def test_table_1_of_esuli_and_sebastiani_2010() -> None:
    target, system = [("c", 2, 3), ("c", 8, 9)], [("c", 2, 4), ("c", 8, 8), ("c", 9, 9)]
    assert found(target, system) == [("overlap_same", 0, 0), ("overlap_same", 1, 1), ("spurious", -1, 2)]


@given(st.lists(st.tuples(rows(), rows()), max_size=3))
def test_fast_equals_the_definition(sentences: list[tuple[list, list]]) -> None:
    gold, system = pairs([t for t, _ in sentences], [s for _, s in sentences])
    assert judged(gold, system) == by_definition(gold, system)


@given(rows(), rows(), st.randoms(use_true_random=False))
def test_shuffling_either_side_changes_nothing(target: list, system: list, chance) -> None:
    shuffled = [chance.sample(side, len(side)) for side in (target, system)]
    assert contents(*shuffled) == contents(target, system)


@given(rows(), rows())
def test_every_span_is_in_one_row_only(target: list, system: list) -> None:
    units = found(target, system)
    assert [left for _, left, _ in units if left >= 0] == list(range(len(target)))
    assert sorted(right for *_, right in units if right >= 0) == list(range(len(system)))
    assert all((left < 0) == (kind == "spurious") and (right < 0) == (kind == "missing") for kind, left, right in units)


@given(rows(), rows())
def test_exact_pairs_with_the_same_label_are_the_equal_spans(target: list, system: list) -> None:
    units = found(target, system)
    left, right = equal_spans(*pair(target, system))
    assert {(a, b) for kind, a, b in units if kind == "exact_same"} == set(
        zip(left.tolist(), right.tolist(), strict=True)
    )


@given(rows(), rows())
def test_no_pair_of_free_spans_is_left(target: list, system: list) -> None:
    gold, predicted = pair(target, system)
    units = judged(gold, predicted)
    missing = {left for kind, left, _ in units if kind == "missing"}
    spurious = {right for kind, _, right in units if kind == "spurious"}
    every = overlapping(gold, predicted)
    assert not any(
        a in missing and b in spurious for a, b in zip(every.left.tolist(), every.right.tolist(), strict=True)
    )
