"""Lenient match: overlap, contain, constrained overlap and intersection over union."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build import overlapping, pair, rows
from evenhand.errors import SettingError
from evenhand.tasks.spans.matching import equal_spans
from evenhand.tasks.spans.overlap import HIT_MODELS, hits

LIBRARY = ("ORG", 2, 5)  # "the [Ronald Reagan Presidential Library] in"


def found(model: str, target: list, system: list, **options: float) -> tuple[list[int], list[int]]:
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
    assert found(model, *TABLE_1, **options) == expected


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
    assert {model for model in HIT_MODELS if found(model, [LIBRARY], [system]) == ([0], [0])} == models


def test_one_span_over_all_the_text_is_perfect_under_overlap_and_contain() -> None:
    """Every gold span is hit and the only system span hits: recall 3/3, precision 1/1 (the paper's criticism)."""
    target = [("A", 1, 2), ("A", 4, 4), ("A", 7, 9)]
    assert found("overlap", target, [("A", 1, 9)]) == ([0, 1, 2], [0])
    assert found("contain", target, [("A", 1, 9)]) == ([0, 1, 2], [0])


def test_several_system_spans_on_one_gold_span_count_for_precision_each_and_for_recall_once() -> None:
    assert found("overlap", [("A", 1, 4)], [("A", 1, 1), ("A", 3, 3), ("B", 2, 2)]) == ([0], [0, 1])


def test_tokens_in_gaps_are_not_shared() -> None:
    target = [("A", 1, 3, [1, 3])]
    assert found("overlap", target, [("A", 2, 2)]) == ([], [])
    assert found("contain", target, [("A", 1, 3)]) == ([0], [0])
    assert found("iou", target, [("A", 1, 3)], threshold=2 / 3) == ([0], [0])
    assert found("iou", [("A", 1, 3)], target, threshold=2 / 3) == ([0], [0])
    assert found("contain", [("A", 1, 3)], target) == ([], [])


def test_intersection_over_union_meets_a_threshold_that_equals_it() -> None:
    """As products, 0.55 * 20 > 11 in floating point."""
    assert found("iou", [("A", 1, 1)], [("A", 1, 3)], threshold=1 / 3) == ([0], [0])
    assert found("iou", [("A", 1, 11)], [("A", 1, 20)], threshold=0.55) == ([0], [0])
    assert found("iou", [("A", 1, 11)], [("A", 1, 20)], threshold=0.5500001) == ([], [])


@given(st.integers(1, 200), st.integers(0, 200), st.integers(1, 300), st.integers(0, 300))
def test_thresholds_that_are_fractions_are_compared_exactly(shared: int, more: int, part: int, rest: int) -> None:
    union, whole = shared + more, part + rest
    hit = found("iou", [("A", 1, shared)], [("A", 1, union)], threshold=part / whole)
    assert (hit == ([0], [0])) == (Fraction(shared, union) >= Fraction(part, whole))


def test_an_unknown_model_is_an_error() -> None:
    with pytest.raises(SettingError, match="'near' does not say when a span is a hit; name one of overlap, contain"):
        found("near", [LIBRARY], [LIBRARY])


@given(rows(), rows())
def test_overlap_hits_are_all_others(target: list, system: list) -> None:
    gold_hits, system_hits = map(set, found("overlap", target, system))
    for model in HIT_MODELS:
        gold, predicted = found(model, target, system)
        assert set(gold) <= gold_hits
        assert set(predicted) <= system_hits


@given(rows(), rows())
def test_models_that_coincide(target: list, system: list) -> None:
    """Contain is constrained overlap without missing tokens; no bound at all is overlap; equal token sets are iou 1."""
    most = 10
    assert found("contain", target, system) == found("constrained", target, system, spurious=most, missing=0)
    assert found("overlap", target, system) == found("constrained", target, system, spurious=most, missing=most)
    assert found("overlap", target, system) == found("iou", target, system, threshold=0.0)
    equal = equal_spans(*pair(target, system))
    strict = found("iou", target, system, threshold=1.0)
    assert strict == found("constrained", target, system, spurious=0, missing=0)
    assert set(equal[0].tolist()) <= set(strict[0])
    assert set(equal[1].tolist()) <= set(strict[1])


@given(rows(), rows(), st.integers(0, 3), st.integers(0, 3))
def test_swapping_sides_swaps_spurious_and_missing(target: list, system: list, spurious: int, missing: int) -> None:
    gold, predicted = found("constrained", target, system, spurious=spurious, missing=missing)
    assert found("constrained", system, target, spurious=missing, missing=spurious) == (predicted, gold)
