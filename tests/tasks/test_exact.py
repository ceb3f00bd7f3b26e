"""Exact match: one to one, on label, bounds and tokens."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given

from build import counts, matches, pair, rows
from evenhand.tasks.spans.fair import exact


def test_equal_spans_are_right_and_all_others_are_wrong() -> None:
    target, system = [("A", 1, 2), ("B", 4, 4)], [("A", 1, 2), ("A", 4, 4)]
    assert counts(exact(*pair(target, system))) == {"TP": 1, "FN": 1, "FP": 1}


def test_a_repeated_span_counts_once_for_each_time_the_other_side_has_it() -> None:
    assert counts(exact(*pair([("A", 1, 2)] * 3, [("A", 1, 2)] * 2))) == {"TP": 2, "FN": 1}
    assert counts(exact(*pair([("A", 1, 2)], [("A", 1, 2)] * 2))) == {"TP": 1, "FP": 1}


def test_repeated_spans_pair_in_the_order_of_the_input() -> None:
    found = matches(exact(*pair([("B", 3, 3), ("A", 1, 1), ("A", 1, 1)], [("A", 1, 1), ("B", 3, 3), ("A", 1, 1)])))
    assert found == [(0, 1, "TP", 0), (1, 0, "TP", 0), (2, 2, "TP", 0)]


def test_gaps_belong_to_a_span() -> None:
    assert counts(exact(*pair([("A", 1, 3, [1, 3])], [("A", 1, 3)]))) == {"FN": 1, "FP": 1}
    assert counts(exact(*pair([("A", 1, 3, [1, 3])], [("A", 1, 3, [1, 3])]))) == {"TP": 1}


@given(rows(), rows())
def test_true_positives_are_the_intersection_of_multisets(target: list, system: list) -> None:
    def multiset(side: list) -> Counter:
        return Counter(
            (row[0], row[1], row[2], tuple(row[3] if len(row) > 3 else range(row[1], row[2] + 1))) for row in side
        )

    shared = (multiset(target) & multiset(system)).total()
    found = Counter(counts(exact(*pair(target, system))))
    assert (found["TP"], found["FN"], found["FP"]) == (shared, len(target) - shared, len(system) - shared)


@given(rows(), rows())
def test_positions_too_wide_for_one_integer_are_told_apart(target: list, system: list) -> None:
    gold, predicted = pair(target, system)
    far = 2**40
    wide = [
        replace(side, scope=side.scope + far * side.start, start=side.start + far, end=side.end + far)
        for side in (gold, predicted)
    ]
    assert matches(exact(*wide)) == matches(exact(gold, predicted))
