"""Rankings from their saved form."""

from __future__ import annotations

from evenhand.comparison.ranking import Correlation, Standing
from evenhand.result.ranking import Ranking
from evenhand.result.schema import SavedRanking, SavedStanding, bounds


def ranking_of(saved: SavedRanking) -> Ranking:
    standings = {
        model: {each.name: _standing(each.standings[model]) for each in saved.systems} for model in saved.models
    }
    if not standings or any(len(each) != len(saved.systems) or not each for each in standings.values()):
        raise ValueError("systems need names of their own, and there must be one at least, under one model at least")
    made, data_sets = saved.resampling, saved.data_sets
    return Ranking(
        saved.name,
        standings,
        [Correlation(each.models, each.spearman, each.kendall) for each in saved.correlations],
        made.level,
        made.resamples,
        made.seed,
        made.of,
        saved.signature,
        saved.notes,
        saved.task,
        None if data_sets is None else {name: ranking_of(each) for name, each in data_sets.items()},
    )


def _standing(saved: SavedStanding) -> Standing:
    return Standing(saved.score, saved.rank, saved.change, bounds(saved.interval))
