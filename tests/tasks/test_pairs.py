"""Pairs of spans that share tokens."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from build import pair, pairs, rows
from evenhand.tasks.spans.pairs import Overlaps, Pairs, listed, overlapping, sizes


def triples(found: Pairs) -> list[tuple[int, int, int]]:
    """(gold row, system row, shared tokens) of every pair."""
    return list(zip(found.left.tolist(), found.right.tolist(), found.shared.tolist(), strict=True))


def test_every_pair_that_shares_a_token_whatever_the_labels() -> None:
    gold, system = pair([("A", 1, 4), ("B", 5, 6)], [("A", 1, 4), ("C", 4, 5), ("B", 7, 8)])
    assert triples(overlapping(gold, system)) == [(0, 0, 4), (0, 1, 1), (1, 1, 1)]


def test_pairs_are_ordered_by_gold_row_then_by_system_row() -> None:
    gold, system = pair([("A", 5, 8), ("A", 1, 6)], [("A", 6, 6), ("A", 1, 9), ("A", 5, 5)])
    assert triples(overlapping(gold, system)) == [(0, 0, 1), (0, 1, 4), (0, 2, 1), (1, 0, 1), (1, 1, 6), (1, 2, 1)]


def test_repeated_spans_are_pairs_of_their_own() -> None:
    gold, system = pair([("A", 1, 2)] * 2, [("A", 2, 2)] * 2)
    assert triples(overlapping(gold, system)) == [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)]


def test_neighbours_and_nested_spans() -> None:
    gold, system = pair([("A", 3, 5)], [("A", 1, 2), ("A", 4, 4), ("A", 6, 7), ("A", 1, 9)])
    assert triples(overlapping(gold, system)) == [(0, 1, 1), (0, 3, 3)]


def test_a_span_that_lies_in_a_gap_is_no_pair() -> None:
    gold, system = pair([("A", 1, 4, [1, 4])], [("A", 2, 3), ("A", 3, 4), ("A", 1, 4, [1, 2, 4])])
    assert triples(overlapping(gold, system)) == [(0, 1, 1), (0, 2, 2)]


def test_spans_of_different_scopes_are_no_pair() -> None:
    gold, system = pairs([[("A", 1, 2)], [("A", 1, 2)]], [[], [("A", 2, 9)]])
    assert triples(overlapping(gold, system)) == [(1, 0, 1)]


def test_nothing_overlaps_where_a_side_is_empty() -> None:
    assert triples(overlapping(*pair([], [("A", 1, 2)]))) == []
    assert triples(overlapping(*pair([("A", 1, 2)], []))) == []


def test_spans_that_cover_nothing_share_nothing() -> None:
    gold, system = pair([("A", 2, 1), ("A", 1, 3)], [("A", 2, 1), ("A", 1, 3)])
    assert triples(overlapping(gold, system)) == [(1, 1, 3)]
    assert sizes(gold).tolist() == [0, 3]


def test_sizes_leave_gaps_out() -> None:
    gold, _ = pair([("A", 1, 4), ("B", 2, 2), ("A", 1, 6, [1, 2, 6])], [])
    assert sizes(gold).tolist() == [4, 1, 3]


@given(rows(gaps=False), rows(gaps=False), st.integers(1, 4))
def test_pairs_that_share_several_tokens_are_counted_before_they_are_listed(
    one: list, other: list, shared: int
) -> None:
    gold, system = pair(one, other)
    found = Overlaps(gold, system, shared)
    wanted = {(left, right) for left, right, tokens in triples(overlapping(gold, system)) if tokens >= shared}
    assert set(zip(*(side.tolist() for side in found.rows()), strict=True)) == wanted
    assert len(found) == len(wanted) == sum(int(side.sum()) for side in found.by_row(len(gold), len(system)))


def test_too_many_pairs_are_not_listed() -> None:
    """So many for each span, and 65,536 in any case."""
    for size, is_listed in ((250, True), (300, False)):
        gold, system = pair([("A", 1, 9)] * size, [("A", 1, 9)] * size)
        assert (listed(gold, system) is not None) == is_listed


@given(st.lists(st.tuples(rows(), rows()), max_size=3))
def test_pairs_are_those_of_the_definition(sentences: list[tuple[list, list]]) -> None:
    gold, system = pairs([t for t, _ in sentences], [s for _, s in sentences])
    expected = [
        (left, right, len(tokens & others))
        for left, tokens in enumerate(gold.token_sets())
        for right, others in enumerate(system.token_sets())
        if gold.scope[left] == system.scope[right] and tokens & others
    ]
    assert triples(overlapping(gold, system)) == expected
    assert sizes(gold).tolist() == [len(tokens) for tokens in gold.token_sets()]


@given(rows(), rows())
def test_large_scope_numbers_do_not_overflow(target: list, system: list) -> None:
    gold, predicted = pair(target, system)
    far = [replace(side, scope=side.scope + 2**40) for side in (gold, predicted)]
    assert triples(overlapping(*far)) == triples(overlapping(gold, predicted))
