"""How far two lists of scores agree in the order of what they score."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Values


def ranks(values: npt.ArrayLike, ties: Literal["average", "first"] = "average") -> Values:
    """The rank of each score; the best, which is the highest, has rank 1.

    Equal scores share their ranks: all have the mean of them ("average": 1, 2.5, 2.5, 4), as rank correlations need it,
    or all have the best of them ("first": 1, 2, 2, 4), as the tables of shared tasks print it.

    Source: Kendall 1945 for the mean of ranks.
    """
    _, place, sizes = np.unique(-_scores(values), return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    first = last - sizes + 1
    shared: Values = (first + last) / 2 if ties == "average" else first.astype(np.float64)
    return shared[place]


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> float | None:
    """Spearman's rho, the Pearson correlation of average ranks.

    rho = sum((r - m) (s - m)) / sqrt(sum((r - m)²) sum((s - m)²)), where r and s are the ranks of x and y, and
    m = (n + 1) / 2 is the mean of both. None with fewer than two scores, or where all of one side are equal.

    Source: Spearman 1904.
    """
    first, second = _paired(x, y)
    middle = (len(first) + 1) / 2
    return _cosine(ranks(first) - middle, ranks(second) - middle)


def kendall(x: npt.ArrayLike, y: npt.ArrayLike) -> float | None:
    """Kendall's tau-b, the surplus of pairs in the same order over those in opposite order, corrected for ties.

    tau-b = sum(a b) / sqrt(sum(a²) sum(b²)) over all pairs i, j, where a = sign(x_i - x_j) and b = sign(y_i - y_j);
    which is (C - D) / sqrt((P - T) (P - U)) with C concordant and D discordant of P = n (n - 1) / 2 pairs, T of
    which are tied in x and U in y. None with fewer than two scores, or where all of one side are equal.

    Source: Kendall 1945.
    """
    first, second = _paired(x, y)
    return _cosine(_orders(first), _orders(second))


def _orders(scores: Values) -> Values:
    """The sign of the difference of every pair of scores, each pair in both directions."""
    return np.sign(np.subtract.outer(scores, scores)).ravel()


def _cosine(first: Values, second: Values) -> float | None:
    """The sum of products over the root of the product of the sums of squares; None where that is 0."""
    size = float(first @ first) * float(second @ second)
    return float(first @ second) / float(np.sqrt(size)) if size else None


def _paired(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Values, Values]:
    first, second = _scores(x), _scores(y)
    if len(first) != len(second):
        raise ValueError(f"{len(first)} scores cannot be correlated with {len(second)}; give two for each system")
    return first, second


def _scores(values: npt.ArrayLike) -> Values:
    return np.asarray(values, dtype=np.float64)
