"""What resamples and trials share: scores of summed counts, and random streams that belong to series of them.

A series of resamples or trials has a stream of random numbers of its own, from the seed and its number alone. So it
comes out the same whether it is computed alone or in a run, first or last, here or by another worker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from evenhand.arrays import Values

Statistic = Callable[[Values], Values]
"""From sums of counts, (..., columns), to their scores, (...)."""
Seed = int | Sequence[int]
SERIES = 1000
"""How many resamples or trials a series has, but for the last one."""
ROUNDING = 1e-12
"""Scores that differ by no more than this are equal."""
ONE_THREAD = 2**18
"""Up to how many multiplications a matrix product is left to one thread by OpenBLAS, which NumPy comes with."""
_FEWEST = 4
"""How many rows of a product must be made at a time to be worth it."""


def series_sizes(total: int) -> list[int]:
    """The sizes of the series that so many resamples or trials fall into."""
    return [min(SERIES, total - start) for start in range(0, total, SERIES)]


def stream(seed: Seed, series: int) -> np.random.Generator:
    """The random numbers of a series.

    As a spawn key, the number of a series cannot be taken for a part of the seed: (3, 1) has other series than 3.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(series,)))


def add_up(numbers: Values, rows: Values) -> Values:
    """The sums of rows, each taken as often as `numbers` says, (resamples, types): their matrix product.

    Small products are made some rows at a time, in one thread. More threads gain little there, and lose much on a busy
    machine, such as one where several workers have a series each.
    """
    step = ONE_THREAD // max(1, rows.size)
    if step < _FEWEST or step >= len(numbers):
        return numbers @ rows
    return np.concatenate([numbers[start : start + step] @ rows for start in range(0, len(numbers), step)])
