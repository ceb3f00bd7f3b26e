"""The clusters of a ranking: every pair of systems is tested under the first model."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from evenhand.api.significance import Resampling, Testing
from evenhand.comparison.clusters import Clusters, placements
from evenhand.comparison.group_tables import GroupTables
from evenhand.result.notes import notes_on_tests
from evenhand.result.ranking import Ranking


def alpha_of(level: float) -> float:
    """The p-value below which a difference is significant, by the confidence level of intervals."""
    return round(1 - level, 12)  # 0.05, where 1 - 0.95 is a little more


def with_clusters(ranking: Ranking, counted: GroupTables | None, resampling: Resampling) -> Ranking:
    """The ranking with its clusters; without any where there is nothing to test."""
    if counted is None or not counted.columns or not resampling.trials:
        return ranking
    pairs = list(combinations(ranking.systems, 2))
    tests = {
        pair: change.significance
        for pair, change in Testing(counted, replace(resampling, resamples=0))(pairs).items()
        if change.significance is not None
    }
    alpha = alpha_of(resampling.level)
    found = placements(ranking.systems, {pair: test.p_holm for pair, test in tests.items()}, alpha)
    notes = notes_on_tests(
        [test for test in tests.values() if test.groups], len(pairs), ranking.groups or "", ranking.task, alpha
    )
    clusters = Clusters(ranking.models[0], alpha, resampling.trials, found)
    return replace(ranking, clusters=clusters, notes=(*ranking.notes, *notes))
