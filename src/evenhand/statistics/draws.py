"""What resamples and trials share: scores of summed counts, and random streams that belong to blocks of them.

A block of resamples or trials has a stream of random numbers of its own, from the seed and its number alone. So it
comes out the same whether it is computed alone or in a run, first or last, here or by another worker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from evenhand.arrays import Values

Statistic = Callable[[Values], Values]
"""From sums of counts, (..., columns), to their scores, (...)."""
Seed = int | Sequence[int]
BLOCK = 1000
"""How many resamples or trials a block has, but for the last one."""
ROUNDING = 1e-12
"""Scores that differ by no more than this are equal."""
ONE_THREAD = 2**18
"""Up to how many multiplications a matrix product is left to one thread by OpenBLAS, which NumPy comes with."""
_FEWEST = 4
"""How many rows a piece of a product must have to be worth it."""


def blocks(total: int) -> list[int]:
    """The sizes of the blocks that so many resamples or trials fall into."""
    return [min(BLOCK, total - start) for start in range(0, total, BLOCK)]


def stream(seed: Seed, block: int) -> np.random.Generator:
    """The random numbers of a block.

    As a spawn key, the number of a block cannot be taken for a part of the seed: (3, 1) has other blocks than 3.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block,)))


def add_up(numbers: Values, rows: Values) -> Values:
    """The sums of rows, each taken as often as `numbers` says, (resamples, types): their matrix product.

    Small products are made piece by piece in one thread. More threads gain little there, and lose much on a busy
    machine, such as one where several workers have a block each.
    """
    step = ONE_THREAD // max(1, rows.size)
    if step < _FEWEST or step >= len(numbers):
        return numbers @ rows
    return np.concatenate([numbers[start : start + step] @ rows for start in range(0, len(numbers), step)])
