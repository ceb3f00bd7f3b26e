"""Intervals of figures of agreement, from resamples of documents."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evenhand.agreement.statistics import Statistic
from evenhand.api.significance import Resampling
from evenhand.arrays import Bools
from evenhand.result.agreement_figures import Interval
from evenhand.statistics.group_types import table_types
from evenhand.statistics.intervals import interval as percentile
from evenhand.statistics.resample import bootstrap


def intervals_of(
    figures: Mapping[str, Statistic], kept: Bools, resampling: Resampling
) -> tuple[dict[str, Interval], list[str]]:
    """Percentile intervals of what is defined, by path, and notes; `kept` documents have two annotators at least."""
    statistics = {path: each for path, each in figures.items() if each.total() is not None}
    if not resampling.resamples or not statistics:
        return {}, []
    if kept.sum() < 2:
        return {}, ["nothing can be resampled, as fewer than two documents have two annotators: no intervals."]
    tables = [each.table[kept] for each in statistics.values()]
    first, place = table_types(tables)
    rows = np.concatenate(tables, axis=1)[first]
    sums = bootstrap(rows, np.bincount(place), resampling.resamples, resampling.seed)
    parts = np.split(sums, np.cumsum([table.shape[1] for table in tables])[:-1], axis=1)
    found = {}
    for (path, each), part in zip(statistics.items(), parts, strict=True):
        values = each.value(part)
        values = values[~np.isnan(values)]
        if len(values):
            found[path] = Interval(*percentile(values, resampling.level))
    return found, []
