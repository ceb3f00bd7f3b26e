"""Rankings: systems by their headlines under several match models, how sure that is, and how the models agree.

Ranks count from 1 for the highest headline; systems with equal headlines share the best of their ranks (1 2 2 4). The
change of a rank is that from the first model: the places that a system gains. Intervals are percentile intervals of
the bootstrap over documents, or over sentences where there is one document. A macro average in a resample is over the
labels that occur in its gold standard. Correlations are between the headlines of all systems under two models.

Source: Esuli and Sebastiani 2010, section 5 (Tables 2 and 3), for ranks under several models and their correlation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.dataclass import dataclass
from evenhand.ranges import Difference
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import divided_table, headlines
from evenhand.statistics.correlation import kendall, ranks, spearman
from evenhand.statistics.draws import Seed, series_sizes
from evenhand.statistics.group_types import GroupCounts, group_types
from evenhand.statistics.intervals import interval
from evenhand.statistics.resample import bootstrap, drawn_numbers
from evenhand.tally import Tally

Headlines = Mapping[str, Mapping[str, float]]
"""By match model and system."""
Samples = Mapping[str, Mapping[str, Values]]
"""The headlines of resamples, by match model and system."""
_MOST_CELLS = 1 << 25
"""How many numbers are resampled at once."""


@dataclass(frozen=True)
class Standing:
    """A system under one match model."""

    score: float
    rank: int
    change: int
    """How many places it is better than under the first model."""
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class Correlation:
    """How far two match models order the systems alike; None where one of them sees no difference at all."""

    models: tuple[str, str]
    spearman: Difference | None
    kendall: Difference | None


def standings(scores: Headlines, samples: Samples, level: float) -> dict[str, dict[str, Standing]]:
    """Every system under every match model."""
    found: dict[str, dict[str, Standing]] = {}
    first: dict[str, int] = {}
    for model, by_system in scores.items():
        values = ranks(list(by_system.values()), ties="first")
        placed = {system: int(rank) for system, rank in zip(by_system, values, strict=True)}
        first = first or placed
        bounds = {system: interval(each, level) for system, each in samples.get(model, {}).items()}
        found[model] = {
            system: Standing(score, placed[system], first[system] - placed[system], bounds.get(system))
            for system, score in by_system.items()
        }
    return found


def correlations(scores: Headlines) -> list[Correlation]:
    """Spearman's rho and Kendall's tau-b for every two models."""
    values = {model: list(by_system.values()) for model, by_system in scores.items()}
    return [
        Correlation((one, other), spearman(values[one], values[other]), kendall(values[one], values[other]))
        for one, other in combinations(values, 2)
    ]


def resampled(
    models: Sequence[MatchModel],
    tallies: Mapping[str, Mapping[str, Tally]],
    gold_labels: Sequence[str],
    groups: int,
    resamples: int,
    seed: Seed,
) -> dict[str, dict[str, Values]]:
    """The headlines of every system in resamples of the groups, which are the same for all models and systems.

    Groups on which all systems do the same are one type: only one of each is looked at, and only their number is drawn.
    """
    judges = dict.fromkeys(model.judge for model in models)
    judged, kinds = (each[judge] for each in tallies.values() for judge in judges), _kinds(models)
    first, place = group_types([GroupCounts.of_tally(tally, kinds) for tally in judged], groups)
    sizes = np.bincount(place)
    found: dict[str, dict[str, Values]] = {model.name: {} for model in models}
    wide = [model for model in models if model.headline == "macro" and len(gold_labels) * len(sizes) * 3 > _MOST_CELLS]
    for model, (system, each) in product(wide, tallies.items()):
        rows = each[model.judge].choose(first)
        found[model.name][system] = _wide_headlines(model, rows, gold_labels, sizes, resamples, seed)
    others = [model for model in models if model not in wide]
    for part in _parts(others, list(tallies), len(gold_labels) * len(sizes)):
        chosen = {(system, model.judge): tallies[system][model.judge] for system, model in part}
        chosen = {key: tally.choose(first) for key, tally in chosen.items()}
        tables = [divided_table(model, chosen[system, model.judge], gold_labels, len(first)) for system, model in part]
        counts = np.concatenate([table.reshape(len(sizes), -1) for table in tables], axis=1)
        sums, begin = bootstrap(counts, sizes, resamples, seed), 0
        for (system, model), table in zip(part, tables, strict=True):
            size = table.shape[1] * table.shape[2]
            columns = sums[:, begin : begin + size].reshape(resamples, *table.shape[1:])
            found[model.name][system] = headlines(model, columns)
            begin += size
    return found


def _kinds(models: Sequence[MatchModel]) -> set[str]:
    """The kinds that headlines depend on."""
    return {kind for model in models for each in model.divided() for kind in each}


def _parts(models: Sequence[MatchModel], systems: Sequence[str], size: int) -> Iterator[list[tuple[str, MatchModel]]]:
    """Systems and models in parts whose tables, each of about this size, are not too large together."""
    step = max(1, _MOST_CELLS // max(1, size * len(models) * 3))
    for begin in range(0, len(systems) if models else 0, step):
        yield [(system, model) for system in systems[begin : begin + step] for model in models]


def _wide_headlines(
    model: MatchModel, tally: Tally, labels: Sequence[str], sizes: Ints, resamples: int, seed: Seed
) -> Values:
    """The headlines of resamples, averaged over so many labels that a table of all groups and labels is too large.

    The tally's groups are types of groups, of which there are `sizes`. Most have few labels, so that only the counts
    that are there are multiplied and added up. Whole numbers have the same sums in any order, so that the headlines
    are those of the table.
    """
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
