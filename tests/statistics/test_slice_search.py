"""The search for slices: its statistic, the adjusted p-values, and the list without shadows, on small data."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.arrays import Ints, Values
from evenhand.statistics.bootstrap import stream
from evenhand.statistics.slice_search import FLIPS, Membership, SearchSettings, membership, search, without_shadows


def units(seed: int, documents: int = 30, size: int = 20, rate: float = 0.1) -> tuple[list[Ints], Ints, Values]:
    """Two attributes with three and two values, the documents, and errors; value 2 of the first is worse."""
    random = np.random.default_rng(seed)
    first, second = random.integers(0, 3, documents * size), random.integers(0, 2, documents * size)
    error = random.random(documents * size) < rate + 0.4 * (first == 2)
    return [first, second], np.repeat(np.arange(documents), size), error.astype(np.float64)


def contributions(members: Membership, error: Values, slice: int, contrast: str) -> Values:
    """u_ds, literally."""
    inside = np.isin(np.arange(len(error)), members.units(slice))
    of_document = []
    for document in range(members.documents):
        own = members.document == document
        if contrast == "zero":
            of_document.append((error[own & inside] / inside.sum()).sum())
        else:
            weight = inside / inside.sum() - ~inside / (~inside).sum()
            of_document.append(((error - error.mean()) * weight)[own].sum())
    return np.array(of_document)


def test_slices_are_values_and_pairs_with_enough_units_and_documents() -> None:
    document = np.repeat(np.arange(10), 10)
    common = np.repeat([0, 1], 50)  # value 0 in the documents 0 to 4, which are too few
    rare = np.array([0] * 19 + [1] * 81)
    spread = np.tile([0, 1], 50)
    members = membership([common, rare, spread], document)
    assert members.parts == (((2, 0),), ((2, 1),))
    members = membership([spread, np.tile([3, 3, 5, -1], 25)], document)
    assert members.parts == (
        ((0, 0),),
        ((0, 1),),
        ((1, 3),),
        ((1, 5),),
        ((0, 0), (1, 3)),
        ((0, 0), (1, 5)),
        ((0, 1), (1, 3)),
    )
    assert members.units(4).tolist() == list(range(0, 100, 4))
    assert [part.tolist() for part in members.counts()] == [[50, 50, 50, 25, 25, 25, 25], [10] * 7]


@pytest.mark.parametrize("contrast", ["rest", "zero"])
def test_the_statistic_is_the_clustered_difference(contrast: str) -> None:
    attributes, document, error = units(0)
    members = membership(attributes, document)
    tests = search(members, error, SearchSettings(contrast))
    for slice in range(members.slices):
        moved = contributions(members, error, slice, contrast)
        assert tests.statistic[slice] == pytest.approx(moved.sum() / sqrt((moved**2).sum()))
        assert tests.error[slice] == pytest.approx(sqrt((moved**2).sum()))
        inside = error[members.units(slice)].mean()
        assert moved.sum() == pytest.approx(inside - (tests.outside[slice] if contrast == "rest" else 0))


@pytest.mark.parametrize("two_sided", [True, False])
def test_adjusted_p_step_down(two_sided: bool) -> None:
    """Each slice is compared with the maxima over the slices that are not rejected before it."""
    attributes, document, error = units(1)
    members = membership(attributes, document)
    tests = search(members, error, SearchSettings(two_sided=two_sided, seed=3))
    moved = np.stack([contributions(members, error, slice, "rest") for slice in range(members.slices)], axis=1)
    signs = 2 * stream(3, 0).integers(0, 2, (FLIPS, members.documents), dtype=np.int8) - 1
    trials = signs @ moved / np.sqrt((moved**2).sum(axis=0))
    size = np.abs(tests.statistic) if two_sided else tests.statistic
    trials = np.abs(trials) if two_sided else trials
    before, remaining = 0.0, np.argsort(-size).tolist()
    while remaining:
        reached = (trials[:, remaining].max(axis=1) >= size[remaining[0]] - 1e-6).sum()
        before = max(before, (1 + reached) / (FLIPS + 1))
        assert tests.p[remaining.pop(0)] == pytest.approx(before)
    assert tests.critical == pytest.approx(np.sort(trials.max(axis=1))[-50], rel=1e-5)


def test_the_list_has_no_shadows() -> None:
    """Value 2 of the first attribute is worse; its pairs with the second one are rejected, but not listed."""
    attributes, document, error = units(2)
    members = membership(attributes, document)
    tests = search(members, error, SearchSettings())
    rejected = [members.parts[slice] for slice in np.flatnonzero(tests.p <= 0.05)]
    assert set(rejected) == {((0, 2),), ((0, 2), (1, 0)), ((0, 2), (1, 1))}
    (listed,) = without_shadows(members, error, tests, SearchSettings())
    assert members.parts[listed.slice] == ((0, 2),)
    assert listed.units.tolist() == members.units(listed.slice).tolist()
    assert (listed.inside, listed.outside) == pytest.approx(
        (error[attributes[0] == 2].mean(), error[attributes[0] != 2].mean())
    )


def test_later_slices_are_tested_on_the_units_that_are_left() -> None:
    attributes, document, error = units(3, rate=0.05)
    error[(attributes[0] == 1) & (attributes[1] == 1)] = 1.0
    members = membership(attributes, document)
    first, second, *_ = without_shadows(members, error, search(members, error, SearchSettings()), SearchSettings())
    assert members.parts[first.slice] == ((0, 1), (1, 1))
    left = ~np.isin(np.arange(len(error)), first.units)
    inside = np.isin(np.arange(len(error)), second.units)
    assert (second.inside, second.outside) == pytest.approx((error[inside].mean(), error[left & ~inside].mean()))


def test_units_without_errors_or_differences_have_no_slices() -> None:
    attributes, document, error = units(0)
    members = membership(attributes, document)
    for constant in (0.0, 1.0):
        tests = search(members, np.full(len(error), constant), SearchSettings())
        assert not tests.statistic.any()
        assert (tests.p == 1).all()
        assert np.isnan(tests.detectable()).all()


def test_the_power_at_the_detectable_difference() -> None:
    attributes, document, error = units(0)
    tests = search(membership(attributes, document), error, SearchSettings())
    for spread, delta in zip(tests.error, tests.detectable(), strict=True):
        null = sqrt(spread**2 + delta**2 / 30)
        assert NormalDist().cdf((delta - tests.critical * null) / spread) == pytest.approx(0.8)


@given(st.integers(0, 2**16), st.sampled_from(["rest", "zero"]), st.booleans())
def test_listed_slices_are_rejected(seed: int, contrast: str, two_sided: bool) -> None:
    attributes, document, error = units(seed, documents=12)
    settings = SearchSettings(contrast, two_sided)
    members = membership(attributes, document)
    tests = search(members, error, settings)
    listed = without_shadows(members, error, tests, settings)
    assert all(tests.p[row.slice] <= 0.05 for row in listed)
    assert len(np.unique(np.concatenate([row.units for row in listed] or [[]]))) == sum(
        len(row.units) for row in listed
    )


def test_documents_in_several_blocks_give_the_same_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random signs differ, but the statistics do not."""
    attributes, document, error = units(0)
    members = membership(attributes, document)
    whole = search(members, error, SearchSettings())
    monkeypatch.setattr("evenhand.statistics.slice_search._CELLS", 7 * members.slices)
    parts = search(members, error, SearchSettings())
    assert parts.statistic == pytest.approx(whole.statistic)
    assert parts.p == pytest.approx(whole.p, abs=0.05)
