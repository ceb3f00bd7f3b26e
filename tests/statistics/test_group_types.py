"""Types of groups, and numbers that tell the differences of rows."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from build import pairs, rows
from evenhand.arrays import Ints, Values, Words
from evenhand.statistics import group_types as module
from evenhand.statistics.group_types import GroupCounts, difference_keys, group_types, table_types
from evenhand.statistics.significance import swappable
from evenhand.tally import Tally
from evenhand.tasks.spans.fair import fair
from evenhand.tasks.spans.tallies import tally_spans


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
    chosen, found = table_types(given_tables)
    assert np.array_equal(rows[chosen], expected)
    assert found.tolist() == sizes.tolist()


def types(tallies: list[Tally], kinds: set[str], groups: int) -> tuple[list[int], list[int]]:
    first, sizes = group_types([GroupCounts.of_tally(tally, kinds, groups) for tally in tallies], groups)
    return first.tolist(), sizes.tolist()


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
    assert len(drawn) == 2
    drawn.clear()
    with patch.object(module, "_weights", equal_weights):
        assert table_types([np.array([[0.0, 1], [1, 0], [0, 1]])])[1].tolist() == [2, 1]
    assert len(drawn) == 2


@given(tables())
def test_keys_are_ordered_as_differences_are_and_so_tell_them(given_tables: list[Values]) -> None:
    keys = difference_keys(given_tables)
    assert keys is not None
    found = [
        (tuple(row), int(key))
        for i, a in enumerate(given_tables)
        for j, b in enumerate(given_tables)
        for row, key in zip((b - a).tolist(), (keys[j] - keys[i]).tolist(), strict=True)
    ]
    by_row = sorted(found)
    for (row, key), (next_row, next_key) in pairwise(by_row):
        assert (key < next_key) == (row < next_row)
    assert all((key == 0) == (not any(row)) for row, key in found)


@given(tables())
def test_what_may_be_swapped_is_the_same_with_keys(given_tables: list[Values]) -> None:
    a, b, *_ = given_tables
    keys = difference_keys(given_tables)
    assert keys is not None
    sizes = np.arange(len(a)) % 3
    with_keys, without = swappable(a, b, sizes, keys[1] - keys[0]), swappable(a, b, sizes)
    for column in ("least", "total", "rows", "sizes"):
        assert np.array_equal(getattr(with_keys, column), getattr(without, column))


def test_shares_and_huge_counts_have_no_keys() -> None:
    assert difference_keys([np.array([[1 / 3]]), np.array([[0.0]])]) is None
    huge = np.full((1, 3), 2.0**30)
    assert difference_keys([huge, 0 * huge]) is None
    assert difference_keys([huge, huge + 1]) is not None
