"""Gamma: agreement on the places and labels of units at once, against texts whose units are moved at random.

The dissimilarity of two units is d(u, v) = ((|b_u - b_v| + |e_u - e_v|) / (l_u + l_v))² + [labels differ]. Units of two
annotators are aligned one to one, and a unit that is left alone costs 1. The disorder is the least total cost of an
alignment, divided by the mean number of units. gamma = 1 - observed disorder / mean disorder of samples.

A sample has two texts. Each takes one of the two annotators at random and moves its units by a random whole number of
atoms; units that then begin behind the end of the document go on at its begin. The two numbers differ by half the mean
length of units at least. Over several documents, disorders are multiplied by the mean numbers of units and added up.

Source: Mathet, Widlöcher and Métivier 2015, for two annotators.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from evenhand.agreement.units import Units
from evenhand.arrays import Ints, Values, ranges
from evenhand.statistics.draws import Seed
from evenhand.tasks.chains.assignment import best_cells

_ALONE = 1.0
"""What a unit costs that is aligned with none."""
_REACH = 2**0.5
"""Up to how many times the sum of their lengths units may be apart and still be worth aligning."""


def disorder(one: Units, other: Units) -> float:
    """The disorder of two annotators' units; there must be some."""
    units = len(one) + len(other)
    left, right = _near(one, other)
    gain = 2 * _ALONE - dissimilarity(one.take(left), other.take(right))
    worth = gain > 0
    left, right, gain = left[worth], right[worth], gain[worth]
    chosen = best_cells(left, right, gain)
    return float((units * _ALONE - gain[chosen].sum()) / (units / 2))


def dissimilarity(one: Units, other: Units) -> Values:
    """d(u, v) of units in pairs."""
    apart = np.abs(one.start - other.start) + np.abs(one.end - other.end)
    found: Values = (apart / (one.length + other.length)) ** 2 + (one.label != other.label)
    return found


def _near(one: Units, other: Units) -> tuple[Ints, Ints]:
    """The rows of all pairs whose places may be worth aligning; units are in the order of the text."""
    reach = np.ceil(_REACH * (one.length + other.length.max(initial=0)))
    first = np.searchsorted(other.start, one.start - reach)
    count = np.searchsorted(other.start, one.start + reach, side="right") - first
    return np.repeat(np.arange(len(one)), count), ranges(first, count)


def gamma(documents: Iterable[tuple[Units, Units, int]], samples: int, seed: Sequence[int]) -> float | None:
    """gamma of two annotators over documents, each with its number of atoms.

    None where there are no units, and where samples have no disorder but the annotators do.
    """
    observed = expected = 0.0
    found = False
    for number, (one, other, length) in enumerate(documents):
        units = (len(one) + len(other)) / 2
        if units:
            found = True
            observed += units * disorder(one, other)
            expected += units * sampled_disorder(one, other, length, samples, (*seed, number))
    if not found or observed > expected == 0:
        return None
    return 1 - observed / expected if observed else 1.0


def sampled_disorder(one: Units, other: Units, length: int, samples: int, seed: Seed) -> float:
    """The mean disorder of samples of a document with so many atoms."""
    random = np.random.default_rng(seed)
    return float(np.mean([disorder(*_sample(one, other, length, random)) for _ in range(samples)]))


def _sample(one: Units, other: Units, length: int, random: np.random.Generator) -> tuple[Units, Units]:
    """Two texts with units at random places."""
    lengths = np.append(one.length, other.length)
    least = min(lengths.mean() / 2, (length - 1) / 2)  # so that there is always another number
    while True:
        chosen = [(one, other)[side] for side in random.integers(0, 2, 2).tolist()]
        if any(map(len, chosen)):
            break
    first = int(random.integers(0, length))
    second = int(random.integers(0, length))
    while abs(first - second) < least:
        second = int(random.integers(0, length))
    return _moved(chosen[0], first, length), _moved(chosen[1], second, length)


def _moved(units: Units, by: int, length: int) -> Units:
    """Units at other places, in the order of the text; what would begin behind its end goes on at its begin."""
    start = units.start + by
    start = np.where(start >= length, start - length, start)
    order = np.argsort(start, kind="stable")
    moved = replace(units, start=start, end=start + units.length)
    return moved.take(order)
