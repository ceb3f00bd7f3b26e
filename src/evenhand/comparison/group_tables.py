"""What a score divides, group by group, for several systems: what tests swap and resamples draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evenhand.arrays import Ints, Values, is_ones, ones
from evenhand.dataclass import dataclass
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import divided_table, headlines
from evenhand.statistics.draws import Statistic
from evenhand.statistics.group_types import GroupCounts, group_types
from evenhand.tally import Tally


@dataclass(frozen=True)
class GroupTables:
    """By system a table (groups, columns); equal groups may stand in one row. The statistic is the score of sums."""

    tables: Mapping[str, Values]
    sizes: Ints
    """How many groups each row stands for."""
    statistic: Statistic

    @staticmethod
    def of(model: MatchModel, tallies: Mapping[str, Tally], groups: int, labels: Sequence[str] = ()) -> GroupTables:
        """The counts of tallies; a macro average has columns for every label of the gold standard."""
        sizes = ones(groups)
        if model.headline == "macro":  # so many columns that only types of groups get a row
            kinds = {kind for each in model.divided() for kind in each}
            first, place = group_types([GroupCounts.of_tally(each, kinds) for each in tallies.values()], groups)
            sizes, groups = np.bincount(place), len(first)
            tallies = {name: tally.choose(first) for name, tally in tallies.items()}
        tables = {name: divided_table(model, tally, labels, groups) for name, tally in tallies.items()}
        shape = next(iter(tables.values())).shape[1:]

        def statistic(sums: Values) -> Values:
            return headlines(model, sums.reshape(*sums.shape[:-1], *shape))

        width = shape[0] * shape[1]
        return GroupTables({name: table.reshape(groups, width) for name, table in tables.items()}, sizes, statistic)

    @staticmethod
    def joined(parts: Sequence[GroupTables]) -> GroupTables:
        """Several data sets as one, each with columns of its own; the score is the mean of their scores."""
        ends = np.cumsum([part.columns for part in parts])
        rows = np.cumsum([0, *(len(part.sizes) for part in parts)])

        def statistic(sums: Values) -> Values:
            columns = np.split(sums, ends[:-1], axis=-1)
            scores = [part.statistic(each) for part, each in zip(parts, columns, strict=True)]
            found: Values = np.mean(scores, axis=0)
            return found

        tables = {name: np.zeros((rows[-1], ends[-1])) for name in parts[0].tables}
        for part, row, end in zip(parts, rows, ends, strict=False):
            for name, table in part.tables.items():
                tables[name][row : row + len(table), end - part.columns : end] = table
        return GroupTables(tables, np.concatenate([part.sizes for part in parts]), statistic)

    @property
    def columns(self) -> int:
        return len(next(iter(self.tables.values())).T)

    def differing(self, one: str, other: str) -> int:
        """In how many groups the counts of two systems differ."""
        return int(self.sizes[(self.tables[one] != self.tables[other]).any(axis=1)].sum())

    def score(self, system: str) -> float:
        """The score of all groups."""
        table = self.tables[system]
        return float(self.statistic(table.sum(axis=0) if is_ones(self.sizes) else self.sizes @ table))
