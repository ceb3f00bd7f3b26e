"""Rankings: systems by their headlines under several match models, how sure that is, and how the models agree.

Ranks count from 1 for the highest headline; systems with equal headlines share the best of their ranks (1 2 2 4). The
change of a rank is that from the first model: the places that a system gains. Intervals are percentile intervals of
the bootstrap over documents, or over sentences if documents are too few to test. A macro average in a resample is over
the labels that occur in its gold standard. Correlations are between the headlines of all systems under two models.

Source: Esuli and Sebastiani 2010, section 5 (Tables 2 and 3), for ranks under several models and their correlation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from math import isnan
from string import ascii_uppercase
from typing import Annotated

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

# == comparison/clusters.py: Clusters of significance: systems that are not significantly


@dataclass(frozen=True)
class Placement:
    """The cluster of a system, and the comparison that put it there."""

    cluster: str
    """A letter; after Z come AA, AB and so on."""
    against: str | None
    """The best system of the cluster that was open; None for the best of all."""
    p_holm: Share | None
    """Of the difference from that system, corrected for the number of pairs."""


@dataclass(frozen=True)
class Clusters:
    """All systems with their clusters, and how these were made."""

    model: str
    """The match model whose scores were compared."""
    alpha: Share
    trials: Count
    systems: Mapping[str, Placement]

    def __getitem__(self, system: str) -> str:
        return self.systems[system].cluster


def placements(order: Sequence[str], p_values: Mapping[tuple[str, str], float], alpha: float) -> dict[str, Placement]:
    """Clusters of significance: systems that are not significantly worse than the best of their group share a letter.

    Systems are taken by their scores under the first match model, the best first; equal scores by name. The first one
    opens cluster A. Each further system is compared with the best system of the cluster that is open. With p the
    p-value of that difference (approximate randomization), corrected for all n (n - 1) / 2 pairs of the n systems
    (Holm), the system joins the cluster if p >= alpha. Otherwise it opens the next cluster, and is the best of that
    one. alpha is 1
    - level: 0.05 unless another level is chosen.

    So the best system of a cluster is significantly better than the best one of the next. Two other systems need not
    differ significantly because their letters differ, nor be equally good because they share one.

    Sources: Holm 1979 for the correction; Freitag et al. 2023 (WMT23 Metrics Shared Task) for clusters that are found
    on the way down from the best system. They compare a system with all of the open cluster, Evenhand with its best.
    """
    best, number = order[0], 0
    placements = {best: Placement(_letters(number), None, None)}
    for system in order[1:]:
        against, p = best, p_values[best, system]
        if p < alpha:
            best, number = system, number + 1
        placements[system] = Placement(_letters(number), against, p)
    return placements


def _letters(number: int) -> str:
    """A to Z, AA to ZZ, and so on."""
    before, last = divmod(number, len(ascii_uppercase))
    return (_letters(before - 1) if before else "") + ascii_uppercase[last]


# == comparison/ranking.py (primary)


Headlines = Mapping[str, Mapping[str, float]]
"""By match model and system."""
Samples = Mapping[str, Mapping[str, Values]]
"""The headlines of resamples, by match model and system."""
_MOST_CELLS = 1 << 25
"""How many numbers are resampled at once."""


@dataclass(frozen=True)
class RankInterval:
    """A system under one match model."""

    score: float
    """NaN if it is undefined."""
    rank: Annotated[int, Meta(ge=1)] | None
    """None if its score is undefined."""
    change: int
    """How many places it is better than under the first model."""
    interval: tuple[Difference, Difference] | None


@dataclass(frozen=True)
class Correlation:
    """How far two match models order the systems alike; None if one of them sees no difference or is undefined."""

    models: tuple[str, str]
    spearman: Difference | None
    kendall: Difference | None


def standings(scores: Headlines, samples: Samples, level: float) -> dict[str, dict[str, RankInterval]]:
    """Every system under every match model."""
    standings: dict[str, dict[str, RankInterval]] = {}
    first: dict[str, int] = {}
    for model, by_system in scores.items():
        defined = {system: score for system, score in by_system.items() if not isnan(score)}
        values = ranks(list(defined.values()), ties="first")
        placed = {system: int(rank) for system, rank in zip(defined, values, strict=True)}
        first = first or placed
        bounds = {system: interval(each, level) for system, each in samples.get(model, {}).items()}
        standings[model] = {
            system: RankInterval(score, placed.get(system), _change(first, placed, system), bounds.get(system))
            for system, score in by_system.items()
        }
    return standings


def _change(first: Mapping[str, int], placed: Mapping[str, int], system: str) -> int:
    """How many places a system is better than under the first model."""
    return first[system] - placed[system] if system in first and system in placed else 0


def correlations(scores: Headlines) -> list[Correlation]:
    """Spearman's rho and Kendall's tau-b for every two models."""
    values = {model: list(by_system.values()) for model, by_system in scores.items()}
    return [_correlation(one, other, values[one], values[other]) for one, other in combinations(values, 2)]


def _correlation(one: str, other: str, scores: Sequence[float], others: Sequence[float]) -> Correlation:
    if any(map(isnan, (*scores, *others))):
        return Correlation((one, other), None, None)
    return Correlation((one, other), spearman(scores, others), kendall(scores, others))


@dataclass(frozen=True)
class TypicalGroups:
    """Groups on which all systems do the same are one type: only one of each is looked at.

    Of the kinds that headlines do not depend on, groups of one type may have different counts.
    """

    tallies: Mapping[str, Mapping[str, Tally]]
    """By system and judge; their groups are the types."""
    sizes: Ints
    """How many groups each type stands for."""

    @staticmethod
    def of(models: Sequence[Formula], tallies: Mapping[str, Mapping[str, Tally]], groups: int) -> TypicalGroups:
        judges = dict.fromkeys(model.scorer for model in models)
        kinds = {kind for model in models for each in model.columns() for kind in each}
        judged = [GroupCounts.of_tally(tally[judge], kinds) for tally in tallies.values() for judge in judges]
        first, place = group_types(judged, groups)
        chosen = {name: {judge: tally[judge].choose(first) for judge in judges} for name, tally in tallies.items()}
        return TypicalGroups(chosen, np.bincount(place))

    def totals(self, tallies: Mapping[str, Mapping[str, Tally]]) -> dict[str, dict[str, Tally]]:
        """The totals of the tallies, as far as headlines depend on them; fractions are added up one by one."""
        return {
            name: {
                judge: tallies[name][judge] if tally.has_fractions else tally.repeated(self.sizes).total()
                for judge, tally in each.items()
            }
            for name, each in self.tallies.items()
        }


def resampled(
    models: Sequence[Formula], typical: TypicalGroups, gold_labels: Sequence[str], resamples: int, seed: Seed
) -> dict[str, dict[str, Values]]:
    """The headlines of every system in resamples of the groups, which are the same for all models and systems."""
    tallies, sizes = typical.tallies, typical.sizes
    found: dict[str, dict[str, Values]] = {model.name: {} for model in models}
    wide = [model for model in models if model.headline == "macro" and len(gold_labels) * len(sizes) * 3 > _MOST_CELLS]
    for model, (system, each) in product(wide, tallies.items()):
        found[model.name][system] = _wide_headlines(model, each[model.scorer], gold_labels, sizes, resamples, seed)
    others = [model for model in models if model not in wide]
    for part in _parts(list(tallies), len(others) * len(gold_labels) * len(sizes)) if others else ():
        tables = _tables(others, [tallies[system] for system in part], gold_labels, len(sizes))
        counts = np.concatenate([table.reshape(len(part), len(sizes), -1) for table in tables], axis=2)
        sums = bootstrap(counts.swapaxes(0, 1).reshape(len(sizes), -1), sizes, resamples, seed)
        sums, begin = sums.reshape(resamples, len(part), -1), 0
        for model, table in zip(others, tables, strict=True):
            end = begin + table.shape[1] * table.shape[2]
            columns = sums[:, :, begin:end].reshape(resamples, len(part), *table.shape[1:])
            found[model.name] |= zip(part, headlines(model, columns).T, strict=True)
            begin = end
    return found


def _tables(
    models: Sequence[Formula], tallies: Sequence[Mapping[str, Tally]], labels: Sequence[str], groups: int
) -> list[Values]:
    """For each model what it divides, (systems x groups, labels, what it divides)."""
    judges = dict.fromkeys(model.scorer for model in models)
    joined = {judge: Tally.beside([tally[judge] for tally in tallies], groups) for judge in judges}
    return [divided_table(model, joined[model.scorer], labels, len(tallies) * groups) for model in models]


def _parts(systems: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Systems in parts whose tables, each of about this size, are not too large together."""
    step = max(1, _MOST_CELLS // max(1, size * 3))
    return (systems[begin : begin + step] for begin in range(0, len(systems), step))


def _wide_headlines(
    model: Formula, tally: Tally, labels: Sequence[str], sizes: Ints, resamples: int, seed: Seed
) -> Values:
    """The headlines of resamples, averaged over so many labels that a table of all groups and labels is too large.

    The tally's groups are types of groups, of which there are `sizes`. Most have few labels, so that only the counts
    that are there are multiplied and added up. Whole numbers have the same sums in any order, so that the headlines
    are those of the table.
    """
    rows, column, counts = tally.weighed(model.columns(), labels)
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
