"""Types of groups, and of their differences."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from build import pairs, rows
from evenhand.arrays import Ints, Values, Words
from evenhand.scoring.tally import Tally
from evenhand.statistics import bootstrap as module
from evenhand.statistics.bootstrap import GroupCounts, group_types, table_types
from evenhand.statistics.significance import swappable
from evenhand.tasks.spans.fair import fair
from evenhand.tasks.spans.scorers import tally_spans


@st.composite
def tables(draw: st.DrawFn, part: float = 0.25) -> list[Values]:
    """Counts of some systems by group, as multiples of a part; few values, so that rows are often equal."""
    systems, groups, columns = draw(st.integers(2, 4)), draw(st.integers(0, 12)), draw(st.integers(1, 3))
    size = systems * groups * columns
    numbers = draw(st.lists(st.one_of(st.integers(0, 2), st.integers(-9, 400)), min_size=size, max_size=size))
    return list(part * np.array(numbers, dtype=np.float64).reshape(systems, groups, columns))


@given(st.one_of(tables(), tables(part=1 / 3)))
def test_types_are_the_different_rows_of_all_tables_in_their_order(given_tables: list[Values]) -> None:
    rows = np.concatenate(given_tables, axis=1)
    expected, sizes = np.unique(rows, axis=0, return_counts=True)
    first, place = table_types(given_tables)
    assert np.array_equal(rows[first], expected)
    assert np.array_equal(expected[place], rows)
    assert np.bincount(place).tolist() == sizes.tolist()


def types(tallies: list[Tally], kinds: set[str], groups: int) -> tuple[list[int], list[int]]:
    first, place = group_types([GroupCounts.of_tally(tally, kinds) for tally in tallies], groups)
    return first.tolist(), np.bincount(place).tolist()


@given(st.lists(st.tuples(rows(), rows()), min_size=1, max_size=6))
def test_types_of_groups_are_those_with_equal_counts(sentences: list) -> None:
    gold, system = pairs([t for t, _ in sentences * 2], [s for _, s in sentences * 2])
    whole = tally_spans(fair(gold, system), gold, system, np.arange(len(sentences) * 2))
    counts = [
        frozenset((cell[1:], n) for cell, n in whole.cells().items() if cell[0] == group)
        for group in range(len(sentences) * 2)
    ]
    first, sizes = types([whole], set(whole.kinds), len(counts))
    assert [counts[group] for group in first] == list(dict.fromkeys(counts))
    assert sizes == list(Counter(counts).values())


@given(st.lists(st.tuples(st.sampled_from((1, 2, 2**30)), st.sampled_from((1, 2**30 + 1, 2**40))), min_size=1))
def test_types_of_large_groups_are_those_with_equal_counts(counts: list[tuple[int, int]]) -> None:
    """Two cells a group, in two tallies of which the second has the cells of the first swapped."""
    group, label = np.repeat(np.arange(len(counts)), 2), np.tile((0, 1), len(counts))
    kind = np.zeros_like(label)
    tallies = [
        Tally.of(("A", "B"), ("TP",), group, each, each, kind, np.array(counts).ravel()) for each in (label, 1 - label)
    ]
    first, sizes = types(tallies, {"TP"}, len(counts))
    assert [counts[at] for at in first] == list(dict.fromkeys(counts))
    assert sizes == list(Counter(counts).values())


def tally_of(cells: list[tuple[int, int, int]], count: Ints | Values | None = None) -> Tally:
    """A tally of (group, label, kind), which is not added up beforehand."""
    group, label, kind = np.array(cells).T
    labels, kinds = ("A", "B"), ("TP", "FN", "close")
    cell = Tally.cell_of(labels, kinds, label, label, kind)
    return Tally(labels, kinds, group, cell, np.ones(len(group), dtype=np.int64) if count is None else count)


def test_rows_of_one_cell_mean_their_sum() -> None:
    cells = [(0, 1, 0), (0, 1, 0), (0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0), (2, 0, 0)]
    assert types([tally_of(cells, np.array([1, 1, 1, 1, 2, 2, 1]))], {"TP"}, 3) == ([0], [3])
    assert types([tally_of(cells, np.array([0.5, 1.5, 1, 1, 2, 2, 1]))], {"TP"}, 4) == ([0, 3], [3, 1])


def test_other_kinds_and_counts_of_0_do_not_matter() -> None:
    cells = [(0, 0, 0), (0, 1, 2), (1, 0, 0), (1, 1, 1)]
    assert types([tally_of(cells, np.array([1, 5, 1, 0]))], {"TP", "FN"}, 2) == ([0], [2])
    assert types([tally_of(cells)], {"TP", "FN"}, 2) == ([0, 1], [1, 1])


def test_groups_that_share_a_number_by_chance_are_told_apart() -> None:
    """The first weights are all the same, so that only the number of units tells."""
    cells = [(0, 0, 0), (1, 1, 0), (2, 0, 1), (3, 0, 0), (4, 0, 0), (4, 0, 0)]
    draw, drawn = module._weights, []

    def equal_weights(size: int, random: np.random.Generator) -> Words:
        drawn.append(size)
        return np.ones(size, dtype=np.uint64) if len(drawn) == 1 else draw(size, random)

    with patch.object(module, "_weights", equal_weights):
        assert types([tally_of(cells)], {"TP", "FN", "close"}, 5) == ([0, 1, 2, 4], [2, 1, 1, 1])
    assert len(drawn) == 4
    drawn.clear()
    with patch.object(module, "_weights", equal_weights):
        assert table_types([np.array([[0.0, 1], [1, 0], [0, 1]])])[1].tolist() == [0, 1, 0]
    assert len(drawn) == 4


@given(st.one_of(tables(), tables(part=1 / 3)))
def test_what_may_be_swapped_is_the_different_differences_in_their_order(given_tables: list[Values]) -> None:
    a, b, *_ = given_tables
    sizes = np.arange(len(a)) % 3
    larger = [max(row, tuple(-each for each in row)) for row in map(tuple, (b - a).tolist())]
    expected = Counter(dict.fromkeys(sorted(larger), 0))
    for row, size in zip(larger, sizes.tolist(), strict=True):
        expected[row] += size if any(row) else 0
    expected = +expected
    for swaps in (swappable(a, b, sizes), swappable(b, a, sizes)):
        assert [tuple(row) for row in swaps.rows.tolist()] == list(expected)
        assert swaps.sizes.tolist() == list(expected.values())
        assert np.allclose(swaps.total, sizes @ (a + b))
        assert np.allclose(2 * swaps.least + swaps.sizes @ swaps.rows, swaps.total)
