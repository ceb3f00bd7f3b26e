"""Exact match: one to one, on label, bounds and tokens."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slow_fair
from build import counts, matches, pair, pairs, rows
from evenhand.tasks.spans.fair import exact, fair
from evenhand.tasks.spans.matching import SpanMatches
from evenhand.tasks.spans.measures import EDGES, LBE


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


# Fair evaluation: the paper's examples, the invariants, and the definition taken literally


EXAMPLES = {
    "(1) TP, FN, FP": ([("A", 1, 2), ("A", 4, 5)], [("A", 1, 2), ("A", 7, 8)], {"TP": 1, "FN": 1, "FP": 1}),
    "(2) and (3) LE": ([("A", 1, 2)], [("B", 1, 2)], {"LE": 1}),
    "(2) and (3) BE": ([("A", 1, 2)], [("A", 2, 2)], {"BES": 1}),
    "(3) LBE": ([("A", 1, 2)], [("B", 2, 3)], {"LBE": 1}),
    "(4) smaller": ([("A", 1, 3)], [("A", 2, 3)], {"BES": 1}),
    "(4) larger": ([("A", 1, 3)], [("A", 1, 4)], {"BEL": 1}),
    "(4) overlapping": ([("A", 1, 3)], [("A", 2, 4)], {"BEO": 1}),
    "(5) left": ([("A", 1, 3), ("B", 4, 7)], [("A", 1, 2), ("B", 3, 5), ("B", 6, 7)], {"BES": 2, "BEO": 1}),
    "(5) right": ([("A", 1, 2), ("B", 3, 5), ("B", 6, 7)], [("A", 1, 3), ("B", 4, 7)], {"BEL": 2, "BEO": 1}),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_of_ortmann_2022(example: str) -> None:
    target, system, expected = EXAMPLES[example]
    assert counts(fair(*pair(target, system))) == expected


def test_a_pair_keeps_what_it_matched() -> None:
    """Two targets merged into one span: the first in pass 1, the second in pass 2 with the same partner."""
    assert matches(fair(*pair([("A", 1, 2), ("A", 3, 4)], [("A", 1, 4)]))) == [(0, 0, "BEL", 1), (1, 0, "BEL", 2)]


def test_a_split_target_gives_a_unit_of_its_own_to_the_second_system_span() -> None:
    assert matches(fair(*pair([("A", 1, 4)], [("A", 1, 2), ("A", 3, 4)]))) == [(0, 0, "BES", 1), (0, 1, "BES", 3)]


@pytest.mark.parametrize(
    ("system", "edge"),
    [
        (("A", 1, 2), "left"),
        (("A", 2, 3), "right"),
        (("A", 2, 2), "none"),
        (("B", 1, 4), "left"),
        (("B", 0, 4), "none"),
    ],
)
def test_the_boundary_that_agrees_footnote_2(system: tuple[str, int, int], edge: str) -> None:
    verdicts = fair(*pair([("A", 1, 3)], [system]))
    assert [EDGES[each] for each in verdicts.edge.tolist()] == [edge]


@given(st.lists(st.tuples(rows(), rows()), max_size=4))
def test_fast_equals_slow(sentences: list[tuple[list, list]]) -> None:
    """The same matches, kinds and passes as the definition taken literally, sentence by sentence."""
    gold, system = pairs([t for t, _ in sentences], [s for _, s in sentences])
    expected, before = [], (0, 0)
    for target_rows, system_rows in sentences:
        for t, s, kind, step in slow_fair.fair(target_rows, system_rows):
            expected.append((t + before[0] if t >= 0 else -1, s + before[1] if s >= 0 else -1, kind, step))
        before = before[0] + len(target_rows), before[1] + len(system_rows)
    assert sorted(matches(fair(gold, system))) == sorted(expected)


@given(rows(), rows())
def test_every_span_counts_once(target: list, system: list) -> None:
    gold, predicted = pair(target, system)
    verdicts = fair(gold, predicted)
    n, m = len(target), len(system)
    assert max(n, m) <= len(verdicts) <= n + m
    steps, found = Counter(verdicts.step.tolist()), Counter(counts(verdicts))
    once = found["TP"] + found["LE"] + steps[1]
    assert n + m == 2 * once + steps[2] + steps[3] + found["FN"] + found["FP"]
    assert sorted({*verdicts.gold.tolist()} - {-1}) == list(range(n))
    assert sorted({*verdicts.system.tolist()} - {-1}) == list(range(m))


@given(rows(), rows(), st.permutations("ABC"), st.integers(0, 50))
def test_relabelling_and_shifting_change_nothing(target: list, system: list, names: list[str], shift: int) -> None:
    def changed(side: list) -> list:
        new = dict(zip("ABC", names, strict=True))
        return [
            (new[row[0]], *(at + shift for at in row[1:3]), *([[t + shift for t in row[3]]] if len(row) > 3 else []))
            for row in side
        ]

    assert matches(fair(*pair(target, system))) == matches(fair(*pair(changed(target), changed(system))))


@given(st.lists(st.tuples(rows(), rows()), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_shuffling_sentences_changes_nothing(sentences: list, chance) -> None:
    shuffled = list(sentences)
    chance.shuffle(shuffled)
    first, second = (fair(*pairs([t for t, _ in each], [s for _, s in each])) for each in (sentences, shuffled))
    assert counts(first) == counts(second)


@given(rows(gaps=False), rows(gaps=False))
def test_swapping_sides_mirrors_simple_overlaps(target: list, system: list) -> None:
    """True where every span overlaps at most one span of the other side."""
    gold, predicted = pair(target, system)
    overlapping = (gold.start[:, None] < predicted.end) & (predicted.start < gold.end[:, None])
    if (overlapping.sum(axis=0) > 1).any() or (overlapping.sum(axis=1) > 1).any():
        return
    mirror = {"BES": "BEL", "BEL": "BES", "FN": "FP", "FP": "FN"}
    mirrored = {mirror.get(kind, kind): n for kind, n in counts(fair(gold, predicted)).items()}
    assert mirrored == counts(fair(predicted, gold))


def test_nothing_matches_across_scopes() -> None:
    """A system span that extends past the end of its sentence meets only the spans of the sentence it begins in."""
    gold, system = pairs([[("A", 1, 2)], [("A", 1, 2)]], [[("A", 2, 9)], []])
    assert matches(fair(gold, system)) == [(0, 0, "BEO", 1), (1, -1, "FN", 0)]


def test_large_scope_numbers_do_not_overflow() -> None:
    gold, system = pair([("A", 1, 4), ("B", 9, 9)], [("A", 1, 2), ("A", 3, 4), ("C", 9, 9)])
    far = 2**40
    moved: SpanMatches = fair(replace(gold, scope=gold.scope + far), replace(system, scope=system.scope + far))
    assert matches(moved) == matches(fair(gold, system))


def test_a_long_chain_of_crossing_spans() -> None:
    """One component of 4,000 spans that each cross their neighbours on the other side."""
    n = 2000
    target = [("A", 4 * i + 1, 4 * i + 4) for i in range(n)]
    system = [("B", 4 * i + 3, 4 * i + 6) for i in range(n)]
    verdicts = fair(*pair(target, system))
    assert (verdicts.kind == LBE).all()
    assert len(verdicts) == n
    assert np.array_equal(verdicts.system, np.arange(n))
