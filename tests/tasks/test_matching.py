"""Pairs of spans that share tokens."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from build import overlapping, pair, pairs, rows
from conftest import ROOT
from evenhand.arrays import ints
from evenhand.errors import PAIRS
from evenhand.tasks.spans import matching as listing
from evenhand.tasks.spans.matching import AllPairs, Pairs, shared_count, shared_ranges, sizes, taken, token_ranges
from peaks import PEAK

PILE = f"""
import sys
import evenhand as eh
gold = eh.spans([[("ABC"[n % 3], n, 600_000 - n) for n in range(1448)]], end="exclusive")
system = eh.spans([[("ABC"[n * 2 // 3 % 3], n, 600_000 - n - n % 2) for n in range(1448)]], end="exclusive")
eh.score(gold, system, match=sys.argv[1])
{PEAK}"""


MANY = f"""
import sys
import evenhand as eh
sides = [[("ABC"[n % 3], n, 1_000_000 - n) for n in range(20_000)], [("BCA"[n % 3], n, 999_999 - n) for n in range(60)]]
gold, system = (eh.spans([side], end="exclusive") for side in (sides if sys.argv[2] == "gold" else reversed(sides)))
eh.score(gold, system, match=sys.argv[1])
{PEAK}"""
"""400 KB of spans on one side and 1 KB on the other."""


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


def test_ranges_leave_gaps_out() -> None:
    gold, _ = pair([("A", 3, 5), ("A", 2, 6, [2, 3, 6]), ("A", 2, 1)], [])
    assert token_ranges(gold) == [[(2, 5)], [(1, 3), (5, 6)], []]


@given(rows(), rows())
def test_shared_ranges_are_the_tokens_of_both(target: list, system: list) -> None:
    gold, predicted = pair(target, system)
    for ranges, tokens in zip(token_ranges(gold), gold.token_sets(), strict=True):
        assert {token for first, behind in ranges for token in range(first, behind)} == tokens
        for others, more in zip(token_ranges(predicted), predicted.token_sets(), strict=True):
            shared = shared_ranges(ranges, others)
            assert {token for first, behind in shared for token in range(first, behind)} == tokens & more
            assert shared_count(ranges, others) == len(tokens & more)


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


def test_pairs_are_taken_whose_spans_are_both_free() -> None:
    left, right = ints([3, 3, 1, 1, 2]), ints([0, 4, 0, 4, 4])
    assert taken(left, right).tolist() == [0, 3]


MODELS = "exact,fair,ts,t,overlap,contain,constrained,iou,semeval"


@given(st.lists(rows(), min_size=3, max_size=3), st.lists(rows(), min_size=3, max_size=3), st.integers(1, 20))
def test_figures_are_the_same_where_scopes_are_listed_one_by_one(one: list, other: list, together: int) -> None:
    gold, system = (eh.spans(side, end="inclusive", first=1) for side in (one, other))
    expected = eh.score(gold, system, match=MODELS)
    with patch.object(listing, "TOGETHER", together):
        found = eh.score(gold, system, match=MODELS)
    assert found.tallies == expected.tallies


def test_scopes_with_many_pairs_are_listed_one_by_one() -> None:
    pile = [("A", 1, 9)] * 600
    gold, system = pairs([pile, [], pile], [pile, pile, pile])
    lists = list(AllPairs(gold, system))
    assert [(len(each), set(gold.scope[each.left].tolist())) for each in lists] == [(360_000, {0}), (360_000, {2})]


def test_too_many_pairs_in_a_sentence_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PAIRS.variable, "99")
    few, many = [("A", 2, 9)] * 9, [("A", 2, 9)] * 10
    gold = eh.spans([few, few, many], end="exclusive")
    assert eh.score(gold, eh.spans([few, many, few], end="exclusive"), match=MODELS).scores["overlap"].f1 == 1
    with pytest.raises(eh.EvenhandError) as raised:
        eh.score(gold, gold, match="overlap")
    assert str(raised.value) == (
        "spans: 10 gold and 10 system spans of one sentence or document make 100 overlapping pairs"
        " (the first gold span there is 'A' from 3 to 9); check its spans, or set EVENHAND_MAX_PAIRS to more than 99."
    )
    assert eh.score(gold, gold).scores["fair"].f1 == 1


@pytest.mark.parametrize("models", ["fair", "overlap", "semeval", "ts"])
def test_the_most_pairs_that_are_taken_need_little_memory(models: str) -> None:
    """1,448 gold and as many system spans on one token, of up to 600,000 tokens: below 500 MB."""
    run = [sys.executable, "-c", PILE, models]
    done = subprocess.run(run, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT / "src")}, check=True)
    assert float(done.stdout) < 500


@pytest.mark.parametrize("larger", ["gold", "system"])
def test_many_long_spans_against_few_need_little_memory(larger: str) -> None:
    """A bit for each token of each span took 2.6 GB."""
    run = [sys.executable, "-c", MANY, "fair", larger]
    done = subprocess.run(run, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT / "src")}, check=True)
    assert float(done.stdout) < 500
