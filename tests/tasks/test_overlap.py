"""Lenient match: overlap, contain, constrained overlap and intersection over union."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build import overlapping, pair, pairs, rows
from evenhand.data.layers import Spans
from evenhand.errors import SettingError
from evenhand.tasks.spans.matching import equal_spans
from evenhand.tasks.spans.overlap import HIT_MEASURES, PAIR_KINDS, hits, semeval

LIBRARY = ("ORG", 2, 5)  # "the [Ronald Reagan Presidential Library] in"


def hit_rows(model: str, target: list, system: list, **options: float) -> tuple[list[int], list[int]]:
    """The gold spans that are hit and the system spans that hit, as rows."""
    gold, predicted = pair(target, system)
    result = hits(model, gold, predicted, [overlapping(gold, predicted)], **options)
    return result.gold.nonzero()[0].tolist(), result.system.nonzero()[0].tolist()


TABLE_1 = [("c", 2, 3), ("c", 8, 9)], [("c", 2, 4), ("c", 8, 8), ("c", 9, 9)]
"""The [quick brown] fox jumps over the [lazy dog], and the [quick brown fox] ... [lazy] [dog]."""


@pytest.mark.parametrize(
    ("model", "options", "expected"),
    [
        ("overlap", {}, ([0, 1], [0, 1, 2])),
        ("contain", {}, ([0], [0])),
        ("constrained", {}, ([0, 1], [0, 1, 2])),
        ("constrained", {"missing": 0}, ([0], [0])),
        ("constrained", {"spurious": 0}, ([1], [1, 2])),
        ("constrained", {"spurious": 0, "missing": 0}, ([], [])),
        ("iou", {}, ([0, 1], [0, 1, 2])),
        ("iou", {"threshold": 0.6}, ([0], [0])),
        ("iou", {"threshold": 0.7}, ([], [])),
    ],
)
def test_table_1_of_esuli_and_sebastiani_2010(model: str, options: dict, expected: tuple) -> None:
    """Every span of both sides overlaps, so overlap F1 is 1; the others depend on their bounds."""
    assert hit_rows(model, *TABLE_1, **options) == expected


def test_exact_match_is_0_in_table_1_of_esuli_and_sebastiani_2010() -> None:
    assert [len(side) for side in equal_spans(*pair(*TABLE_1))] == [0, 0]


@pytest.mark.parametrize(
    ("system", "models"),
    [
        (("ORG", 2, 5), {"overlap", "contain", "constrained", "iou"}),
        (("ORG", 3, 5), {"overlap", "constrained", "iou"}),
        (("ORG", 1, 4), {"overlap", "constrained", "iou"}),
        (("ORG", 1, 7), {"overlap", "contain", "iou"}),
        (("ORG", 5, 6), {"overlap"}),
        (("ORG", 6, 6), set()),
        (("PER", 2, 5), set()),
    ],
)
def test_the_library_of_esuli_and_sebastiani_2010(system: tuple, models: set[str]) -> None:
    assert {model for model in HIT_MEASURES if hit_rows(model, [LIBRARY], [system]) == ([0], [0])} == models


def test_one_span_over_all_the_text_is_perfect_under_overlap_and_contain() -> None:
    """Every gold span is hit and the only system span hits: recall 3/3, precision 1/1 (the paper's criticism)."""
    target = [("A", 1, 2), ("A", 4, 4), ("A", 7, 9)]
    assert hit_rows("overlap", target, [("A", 1, 9)]) == ([0, 1, 2], [0])
    assert hit_rows("contain", target, [("A", 1, 9)]) == ([0, 1, 2], [0])


def test_several_system_spans_on_one_gold_span_count_for_precision_each_and_for_recall_once() -> None:
    assert hit_rows("overlap", [("A", 1, 4)], [("A", 1, 1), ("A", 3, 3), ("B", 2, 2)]) == ([0], [0, 1])


def test_tokens_in_gaps_are_not_shared() -> None:
    target = [("A", 1, 3, [1, 3])]
    assert hit_rows("overlap", target, [("A", 2, 2)]) == ([], [])
    assert hit_rows("contain", target, [("A", 1, 3)]) == ([0], [0])
    assert hit_rows("iou", target, [("A", 1, 3)], threshold=2 / 3) == ([0], [0])
    assert hit_rows("iou", [("A", 1, 3)], target, threshold=2 / 3) == ([0], [0])
    assert hit_rows("contain", [("A", 1, 3)], target) == ([], [])


def test_intersection_over_union_meets_a_threshold_that_equals_it() -> None:
    """As products, 0.55 * 20 > 11 in floating point."""
    assert hit_rows("iou", [("A", 1, 1)], [("A", 1, 3)], threshold=1 / 3) == ([0], [0])
    assert hit_rows("iou", [("A", 1, 11)], [("A", 1, 20)], threshold=0.55) == ([0], [0])
    assert hit_rows("iou", [("A", 1, 11)], [("A", 1, 20)], threshold=0.5500001) == ([], [])


@given(st.integers(1, 200), st.integers(0, 200), st.integers(1, 300), st.integers(0, 300))
def test_thresholds_that_are_fractions_are_compared_exactly(shared: int, more: int, part: int, rest: int) -> None:
    union, whole = shared + more, part + rest
    hit = hit_rows("iou", [("A", 1, shared)], [("A", 1, union)], threshold=part / whole)
    assert (hit == ([0], [0])) == (Fraction(shared, union) >= Fraction(part, whole))


def test_an_unknown_model_is_an_error() -> None:
    with pytest.raises(SettingError, match="'near' does not define hits; use one of overlap, contain"):
        hit_rows("near", [LIBRARY], [LIBRARY])


@given(rows(), rows())
def test_overlap_hits_are_all_others(target: list, system: list) -> None:
    gold_hits, system_hits = map(set, hit_rows("overlap", target, system))
    for model in HIT_MEASURES:
        gold, predicted = hit_rows(model, target, system)
        assert set(gold) <= gold_hits
        assert set(predicted) <= system_hits


@given(rows(), rows())
def test_models_that_coincide(target: list, system: list) -> None:
    """Contain is constrained overlap without missing tokens; no bound at all is overlap; equal token sets are iou 1."""
    most = 10
    assert hit_rows("contain", target, system) == hit_rows("constrained", target, system, spurious=most, missing=0)
    assert hit_rows("overlap", target, system) == hit_rows("constrained", target, system, spurious=most, missing=most)
    assert hit_rows("overlap", target, system) == hit_rows("iou", target, system, threshold=0.0)
    equal = equal_spans(*pair(target, system))
    strict = hit_rows("iou", target, system, threshold=1.0)
    assert strict == hit_rows("constrained", target, system, spurious=0, missing=0)
    assert set(equal[0].tolist()) <= set(strict[0])
    assert set(equal[1].tolist()) <= set(strict[1])


@given(rows(), rows(), st.integers(0, 3), st.integers(0, 3))
def test_swapping_sides_swaps_spurious_and_missing(target: list, system: list, spurious: int, missing: int) -> None:
    gold, predicted = hit_rows("constrained", target, system, spurious=spurious, missing=missing)
    assert hit_rows("constrained", system, target, spurious=missing, missing=spurious) == (predicted, gold)


# SemEval match: one to one, whatever the order of the spans


Unit = tuple[str, int, int]


def judged(gold: Spans, system: Spans) -> list[Unit]:
    """(kind, gold row, system row) of every unit."""
    paired = semeval(gold, system, [overlapping(gold, system)])
    columns = zip(paired.kind.tolist(), paired.gold.tolist(), paired.system.tolist(), strict=True)
    return [(PAIR_KINDS[kind], left, right) for kind, left, right in columns]


def found_semeval(target: list, system: list) -> list[Unit]:
    return judged(*pair(target, system))


def contents(target: list, system: list) -> Counter:
    """The units with the spans themselves for their rows."""

    def span(side: list, row: int) -> tuple | None:
        if row < 0:
            return None
        label, first, last, *tokens = side[row]
        return label, first, last, tuple(tokens[0] if tokens else range(first, last + 1))

    return Counter(
        (kind, span(target, left), span(system, right)) for kind, left, right in found_semeval(target, system)
    )


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
    assert found_semeval([("A", 3, 5)], system) == expected


def test_nothing_but_spurious_spans() -> None:
    assert found_semeval([], [("A", 1, 1), ("B", 2, 2)]) == [("spurious", -1, 0), ("spurious", -1, 1)]


def test_an_exact_pair_with_another_label_comes_before_an_overlap_with_the_same() -> None:
    system = [("A", 1, 4), ("B", 1, 3)]
    assert found_semeval([("A", 1, 3)], system) == [("exact_other", 0, 1), ("spurious", -1, 0)]


def test_more_shared_tokens_come_before_the_same_label() -> None:
    assert found_semeval([("A", 1, 5)], [("A", 1, 2), ("B", 3, 5)]) == [("overlap_other", 0, 1), ("spurious", -1, 0)]


def test_the_same_label_decides_between_as_many_shared_tokens() -> None:
    assert found_semeval([("B", 1, 4)], [("A", 1, 2), ("B", 3, 4)]) == [("overlap_same", 0, 1), ("spurious", -1, 0)]


def test_the_earlier_span_decides_next() -> None:
    assert found_semeval([("A", 1, 4)], [("A", 3, 4), ("A", 1, 2)]) == [("overlap_same", 0, 1), ("spurious", -1, 0)]
    assert found_semeval([("A", 3, 4), ("A", 1, 2)], [("A", 1, 4)]) == [("missing", 0, -1), ("overlap_same", 1, 0)]


def test_the_shorter_of_two_spans_with_one_start_decides_next() -> None:
    assert found_semeval([("A", 3, 4)], [("A", 4, 6), ("A", 4, 5)]) == [("overlap_same", 0, 1), ("spurious", -1, 0)]


def test_the_name_of_a_label_decides_not_the_order_of_reading() -> None:
    assert found_semeval([("A", 1, 4)], [("C", 1, 2), ("B", 1, 2)]) == [("overlap_other", 0, 1), ("spurious", -1, 0)]
    assert found_semeval([("A", 1, 4)], [("C", 1, 4), ("B", 1, 4)]) == [("exact_other", 0, 1), ("spurious", -1, 0)]


def test_the_gaps_decide_last() -> None:
    """The span without a gap goes first, whichever is read first; were it the other, both would find a partner."""
    whole, gapped = ("A", 1, 3), ("A", 1, 3, [1, 3])
    system = [("B", 1, 1), ("B", 2, 2)]
    assert found_semeval([whole, gapped], system) == [("overlap_other", 0, 0), ("missing", 1, -1), ("spurious", -1, 1)]
    assert found_semeval([gapped, whole], system) == [("missing", 0, -1), ("overlap_other", 1, 0), ("spurious", -1, 1)]


def test_equal_bounds_with_other_gaps_are_an_overlap() -> None:
    assert found_semeval([("A", 1, 3, [1, 3])], [("A", 1, 3)]) == [("overlap_same", 0, 0)]


def test_a_pair_taken_leaves_the_next_best_to_the_others() -> None:
    """4 shared tokens go first, so that the second gold span is left with the span that shares 1."""
    target, system = [("A", 1, 5), ("A", 6, 9)], [("A", 5, 9), ("A", 1, 3)]
    assert found_semeval(target, system) == [("overlap_same", 0, 1), ("overlap_same", 1, 0)]
    assert found_semeval(target, system[:1]) == [("missing", 0, -1), ("overlap_same", 1, 0)]


def test_repeated_spans_pair_once_each() -> None:
    assert found_semeval([("A", 1, 2)] * 2, [("A", 1, 2)] * 3) == [
        ("exact_same", 0, 0),
        ("exact_same", 1, 1),
        ("spurious", -1, 2),
    ]


def test_table_1_of_esuli_and_sebastiani_2010_semeval() -> None:
    target, system = [("c", 2, 3), ("c", 8, 9)], [("c", 2, 4), ("c", 8, 8), ("c", 9, 9)]
    assert found_semeval(target, system) == [("overlap_same", 0, 0), ("overlap_same", 1, 1), ("spurious", -1, 2)]


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
    units = found_semeval(target, system)
    assert [left for _, left, _ in units if left >= 0] == list(range(len(target)))
    assert sorted(right for *_, right in units if right >= 0) == list(range(len(system)))
    assert all((left < 0) == (kind == "spurious") and (right < 0) == (kind == "missing") for kind, left, right in units)


@given(rows(), rows())
def test_exact_pairs_with_the_same_label_are_the_equal_spans(target: list, system: list) -> None:
    units = found_semeval(target, system)
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
