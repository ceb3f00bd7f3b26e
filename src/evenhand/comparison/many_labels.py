"""Resamples of a macro average over so many labels that a table of all groups and labels would be too large.

Most groups have few labels, so that only the counts that are there are multiplied and added up. Whole numbers have the
same sums in any order, so that the headlines are those of the table.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import headlines
from evenhand.statistics.draws import Seed, series_sizes
from evenhand.statistics.resample import drawn_numbers
from evenhand.tally import Tally


def wide_headlines(
    model: MatchModel, tally: Tally, labels: Sequence[str], sizes: Ints, resamples: int, seed: Seed
) -> Values:
    """The headlines of resamples; the tally's groups are types of groups, of which there are `sizes`."""
    rows, column, counts = tally.weighed(model.divided(), labels)
    order = np.argsort(column, kind="stable")
    order = order[np.searchsorted(column[order], 0) :]
    group, column, counts = rows[order], column[order], counts[:, order]
    first = np.flatnonzero(np.diff(column, prepend=-1))
    found = [np.zeros(0)]
    for series, size in enumerate(series_sizes(resamples)):
        for numbers in drawn_numbers(sizes, size, seed, series):
            sums = np.zeros((len(numbers), len(labels), len(counts)))
            if len(first):
                drawn = numbers[:, group]
                for place, row in enumerate(counts):
                    sums[:, column[first], place] = np.add.reduceat(drawn * row, first, axis=1)
            found.append(headlines(model, sums))
    return np.concatenate(found)
