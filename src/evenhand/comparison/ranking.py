"""Rankings: ranks of systems under several measures with their intervals, correlations of measures, and clusters.

Ranks count from 1 for the highest headline; systems with equal headlines share the best of their ranks (1 2 2 4). The
change of a rank is the number of ranks gained against the first measure. Intervals are percentile intervals of
the bootstrap over documents, or over sentences if documents are too few to test. A macro average in a resample is over
the labels that occur in its gold standard. Correlations are between the headlines of all systems under two measures.

Source: Esuli and Sebastiani 2010, section 5 (Tables 2 and 3), for ranks under several measures and their correlation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from math import isnan
from string import ascii_uppercase
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from evenhand.arrays import Count, Difference, Ints, Share, Values
from evenhand.dataclass import dataclass
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import divided_table, headlines
from evenhand.scoring.tally import Tally
from evenhand.statistics.bootstrap import (
    GroupCounts,
    Seed,
    bootstrap,
    drawn_numbers,
    group_types,
    interval,
    series_sizes,
)
from evenhand.statistics.significance import kendall, ranks, spearman

Headlines = Mapping[str, Mapping[str, float]]
"""By measure and system."""
Samples = Mapping[str, Mapping[str, Values]]
"""The headlines of resamples, by measure and system."""
_MAX_CELLS = 1 << 25
"""Maximum number of values that are resampled at once."""


@dataclass(frozen=True)
class Detectable:
    """What a test set can show of two systems that do not differ significantly (`statistics.power`)."""

    difference: Share | None
    """The smallest true difference that is significant with this power; None if there is none, or no estimate."""
    power: Share
    alpha: Share
    """The level of the test, divided by the number of pairs."""
    groups: Count
    """The number of documents or sentences."""
    estimate: Literal["drawn", "rough", "refused"]
    """`rough` with few groups, `refused` with too few."""


@dataclass(frozen=True)
class ClusterPlacement:
    """The cluster of a system, and the comparison that put it there."""

    cluster: str
    """A letter; after Z come AA, AB and so on."""
    against: str | None
    """The best system of the cluster that was open; None for the best of all."""
    p_holm: Share | None
    """Of the difference from that system, corrected for the number of pairs."""
    detectable: Detectable | None = None
    """What the test set can show of that difference, if it is not significant."""


@dataclass(frozen=True)
class Clusters:
    """All systems with their clusters, and how these were made."""

    model: str
    """The measure whose scores were compared."""
    alpha: Share
    trials: Count
    systems: Mapping[str, ClusterPlacement]

    def __getitem__(self, system: str) -> str:
        return self.systems[system].cluster


def placements(
    order: Sequence[str], p_values: Mapping[tuple[str, str], float], alpha: float
) -> dict[str, ClusterPlacement]:
    """Clusters of significance: systems that are not significantly worse than the best of their group share a letter.

    Systems are ordered by their scores under the first measure, the best first; equal scores by name. The first one
    opens cluster A. Each further system is compared with the best system of the open cluster. With p the p-value of
    that difference (approximate randomization), corrected for all n (n - 1) / 2 pairs of the n systems (Holm), the
    system joins the cluster if p >= alpha. Otherwise it opens the next cluster, and is its best system. alpha is
    1 - level: 0.05 unless another level is chosen.

    So the best system of a cluster is significantly better than the best one of the next. Two other systems with
    different letters need not differ significantly, and two with the same letter need not be equally good.

    Sources: Holm 1979 for the correction; Freitag et al. 2023 (WMT23 Metrics Shared Task) for clusters that are formed
    from the best system downwards. They compare a system with the whole open cluster, Evenhand with its best system.
    """
    best, number = order[0], 0
    placements = {best: ClusterPlacement(_letters(number), None, None)}
    for system in order[1:]:
        against, p = best, p_values[best, system]
        if p < alpha:
            best, number = system, number + 1
        placements[system] = ClusterPlacement(_letters(number), against, p)
    return placements


def _letters(number: int) -> str:
    """A to Z, AA to ZZ, and so on."""
    before, last = divmod(number, len(ascii_uppercase))
    return (_letters(before - 1) if before else "") + ascii_uppercase[last]


@dataclass(frozen=True)
class RankInterval:
    """Score, rank and interval of a system under one measure."""

    score: float
    """NaN if it is undefined."""
    rank: Annotated[int, Meta(ge=1)] | None
    """None if its score is undefined."""
    change: int
    """Number of ranks gained against the first measure."""
    interval: tuple[Difference, Difference] | None


@dataclass(frozen=True)
class Correlation:
    """Rank correlation of two measures; None if all systems have the same score, or a score is undefined."""

    models: tuple[str, str]
    spearman: Difference | None
    kendall: Difference | None


def rank_intervals(scores: Headlines, samples: Samples, level: float) -> dict[str, dict[str, RankInterval]]:
    """The rank intervals of all systems under every measure."""
    by_measure: dict[str, dict[str, RankInterval]] = {}
    first: dict[str, int] = {}
    for model, by_system in scores.items():
        defined = {system: score for system, score in by_system.items() if not isnan(score)}
        values = ranks(list(defined.values()), ties="first")
        placed = {system: int(rank) for system, rank in zip(defined, values, strict=True)}
        first = first or placed
        bounds = {system: interval(values, level) for system, values in samples.get(model, {}).items()}
        by_measure[model] = {
            system: RankInterval(score, placed.get(system), _change(first, placed, system), bounds.get(system))
            for system, score in by_system.items()
        }
    return by_measure


def _change(first: Mapping[str, int], placed: Mapping[str, int], system: str) -> int:
    return first[system] - placed[system] if system in first and system in placed else 0


def correlations(scores: Headlines) -> list[Correlation]:
    """Spearman's rho and Kendall's tau-b of all pairs of measures."""
    correlations = []
    for (one, of_one), (other, of_other) in combinations(scores.items(), 2):
        first, second = list(of_one.values()), list(of_other.values())
        undefined = any(map(isnan, (*first, *second)))
        rho, tau = (None, None) if undefined else (spearman(first, second), kendall(first, second))
        correlations.append(Correlation((one, other), rho, tau))
    return correlations


@dataclass(frozen=True)
class TypicalGroups:
    """One group of each type. Groups of one type have the same counts under all systems.

    They may differ in counts that headlines do not depend on.
    """

    tallies: Mapping[str, Mapping[str, Tally]]
    """By system and scorer; their groups are the types."""
    sizes: Ints
    """Number of groups of each type."""

    @staticmethod
    def of(models: Sequence[Formula], tallies: Mapping[str, Mapping[str, Tally]], groups: int) -> TypicalGroups:
        scorers = dict.fromkeys(model.scorer for model in models)
        kinds = {kind for model in models for counts in model.columns() for kind in counts}
        counts = [GroupCounts.of_tally(tally[scorer], kinds) for tally in tallies.values() for scorer in scorers]
        first, type_of = group_types(counts, groups)
        chosen = {name: {scorer: tally[scorer].choose(first) for scorer in scorers} for name, tally in tallies.items()}
        return TypicalGroups(chosen, np.bincount(type_of))

    def totals(self, tallies: Mapping[str, Mapping[str, Tally]]) -> dict[str, dict[str, Tally]]:
        """The totals of the counts that headlines depend on; fractions are added up one by one."""
        return {
            name: {
                scorer: tallies[name][scorer] if tally.has_fractions else tally.repeated(self.sizes).total()
                for scorer, tally in by_scorer.items()
            }
            for name, by_scorer in self.tallies.items()
        }


def resample_headlines(
    models: Sequence[Formula], typical: TypicalGroups, gold_labels: Sequence[str], resamples: int, seed: Seed
) -> dict[str, dict[str, Values]]:
    """The headlines of every system in resamples of the groups, which are the same for all measures and systems."""
    tallies, sizes = typical.tallies, typical.sizes
    samples: dict[str, dict[str, Values]] = {model.name: {} for model in models}
    wide = [model for model in models if model.headline == "macro" and len(gold_labels) * len(sizes) * 3 > _MAX_CELLS]
    for model, (system, by_scorer) in product(wide, tallies.items()):
        samples[model.name][system] = _wide_headlines(
            model, by_scorer[model.scorer], gold_labels, sizes, resamples, seed
        )
    others = [model for model in models if model not in wide]
    for part in _parts(list(tallies), len(others) * len(gold_labels) * len(sizes)) if others else ():
        tables = _tables(others, [tallies[system] for system in part], gold_labels, len(sizes))
        counts = np.concatenate([table.reshape(len(part), len(sizes), -1) for table in tables], axis=2)
        sums = bootstrap(counts.swapaxes(0, 1).reshape(len(sizes), -1), sizes, resamples, seed)
        sums, begin = sums.reshape(resamples, len(part), -1), 0
        for model, table in zip(others, tables, strict=True):
            end = begin + table.shape[1] * table.shape[2]
            columns = sums[:, :, begin:end].reshape(resamples, len(part), *table.shape[1:])
            samples[model.name] |= zip(part, headlines(model, columns).T, strict=True)
            begin = end
    return samples


def _tables(
    models: Sequence[Formula], tallies: Sequence[Mapping[str, Tally]], labels: Sequence[str], groups: int
) -> list[Values]:
    """For each measure a table (systems x groups, labels, numerators and denominators)."""
    scorers = dict.fromkeys(model.scorer for model in models)
    joined = {scorer: Tally.concatenate([tally[scorer] for tally in tallies], groups) for scorer in scorers}
    return [divided_table(model, joined[model.scorer], labels, len(tallies) * groups) for model in models]


def _parts(systems: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Split systems into parts whose tables, each of about `size` rows, fit into memory."""
    step = max(1, _MAX_CELLS // max(1, size * 3))
    return (systems[begin : begin + step] for begin in range(0, len(systems), step))


def _wide_headlines(
    model: Formula, tally: Tally, labels: Sequence[str], sizes: Ints, resamples: int, seed: Seed
) -> Values:
    """Macro averages of resamples, if a table of all groups and labels is too large.

    The tally's groups are types of groups, and `sizes` counts them. Most have few labels, so only non-zero counts are
    multiplied and added up. Sums of whole numbers do not depend on the order, so the headlines equal the table's.
    """
    rows, column, counts = tally.weighed(model.columns(), labels)
    order = np.argsort(column, kind="stable")
    order = order[np.searchsorted(column[order], 0) :]
    group, column, counts = rows[order], column[order], counts[:, order]
    first = np.flatnonzero(np.diff(column, prepend=-1))
    samples = [np.zeros(0)]
    for series, size in enumerate(series_sizes(resamples)):
        for numbers in drawn_numbers(sizes, size, seed, series):
            sums = np.zeros((len(numbers), len(labels), len(counts)))
            if len(first):
                drawn = numbers[:, group]
                for index, row in enumerate(counts):
                    sums[:, column[first], index] = np.add.reduceat(drawn * row, first, axis=1)
            samples.append(headlines(model, sums))
    return np.concatenate(samples)
