"""What a saved ranking looks like, and the ranking that it holds."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from evenhand.comparison.clusters import Clusters
from evenhand.comparison.ranking import Correlation, Standing
from evenhand.ranges import Count, Share
from evenhand.result.contract import undefined
from evenhand.result.ranking import Ranking
from evenhand.result.schema import SavedInterval, bounds


class SavedStanding(Struct):
    score: Share | None
    rank: Annotated[int, Meta(ge=1)] | None
    change: int
    interval: SavedInterval | None


class SavedRanked(Struct):
    name: str
    standings: dict[str, SavedStanding]


class SavedResampling(Struct):
    resamples: Count
    of: str | None
    level: Share
    seed: int
    few_documents: Count | None = None


class SavedSkipped(Struct):
    name: str
    reason: str


class SavedRanking(Struct):
    task: str
    signature: str
    notes: tuple[str, ...]
    name: str
    models: list[str]
    resampling: SavedResampling
    systems: list[SavedRanked]
    correlations: list[Correlation]
    data_sets: dict[str, SavedRanking] | None = None
    clusters: Clusters | None = None
    skipped: list[SavedSkipped] = []
    before: dict[str, dict[str, Share | None]] = {}


def ranking_of(saved: SavedRanking) -> Ranking:
    standings = {
        model: {each.name: _standing(each.standings[model]) for each in saved.systems} for model in saved.models
    }
    if not standings or any(len(each) != len(saved.systems) or not each for each in standings.values()):
        raise ValueError("systems need names of their own, and there must be one at least, under one model at least")
    clusters = saved.clusters
    if clusters is not None and (
        clusters.model not in standings or {*clusters.systems} != {*standings[clusters.model]}
    ):
        raise ValueError("clusters must be under a model that was ranked, and have every system")
    made, data_sets = saved.resampling, saved.data_sets
    return Ranking(
        saved.name,
        standings,
        saved.correlations,
        made.level,
        made.resamples,
        made.seed,
        made.of,
        saved.signature,
        saved.notes,
        saved.task,
        None if data_sets is None else {name: ranking_of(each) for name, each in data_sets.items()},
        clusters,
        {each.name: each.reason for each in saved.skipped},
        {
            model: {each.name: undefined(saved.before[model][each.name]) for each in saved.systems}
            for model in saved.before
        },
        made.few_documents,
    )


def _standing(saved: SavedStanding) -> Standing:
    return Standing(undefined(saved.score), saved.rank, saved.change, bounds(saved.interval))
