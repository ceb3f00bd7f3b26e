"""The same seed gives the same figures, whether one process computes all series or two of them share the work."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from evenhand.statistics.bootstrap import bootstrap, bootstrap_series, series_sizes
from evenhand.statistics.significance import random_swaps, swappable

ROWS = np.random.default_rng(5).integers(0, 6, (40, 3)).astype(np.float64)
OTHERS = np.random.default_rng(6).integers(0, 6, (40, 3)).astype(np.float64)
SIZES = np.random.default_rng(7).integers(1, 30, 40)


def in_two_processes(compute: Callable[[int, int], np.ndarray], sizes: list[int]) -> list[np.ndarray]:
    """Every series by whichever of two processes is free."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        return list(pool.map(compute, sizes, range(len(sizes))))


def resampled(size: int, series: int) -> np.ndarray:
    return bootstrap_series(ROWS, SIZES, size, 3, series)


def swapped(size: int, series: int) -> np.ndarray:
    return random_swaps(swappable(ROWS, OTHERS, SIZES), size, 3, series)


def test_resamples_of_two_processes() -> None:
    shared = in_two_processes(resampled, series_sizes(4_500))
    assert np.array_equal(np.concatenate(shared), bootstrap(ROWS, SIZES, 4_500, 3))


def test_trials_of_two_processes() -> None:
    sizes = series_sizes(4_500)
    shared = in_two_processes(swapped, sizes)
    alone = [swapped(size, series) for series, size in enumerate(sizes)]
    assert all(np.array_equal(one, other) for one, other in zip(shared, alone, strict=True))
    assert [len(series) for series in shared] == [1000, 1000, 1000, 1000, 500]
