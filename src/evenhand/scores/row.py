"""Rows of scores: counts by kind as the figures that a match model shows of a label, or of all labels together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from math import isnan, nan

import numpy as np

from evenhand.arrays import Bools, Values
from evenhand.dataclass import dataclass
from evenhand.scores.contingency import contingency
from evenhand.scores.match_model import MatchModel, Sum
from evenhand.scores.prf import prf_of_rows, ratio
from evenhand.tally import Tally


@dataclass(frozen=True)
class Average:
    """Precision, recall and F of several labels, averaged; or of one row of counts."""

    precision: float
    recall: float
    f1: float
    f_beta: float


@dataclass(frozen=True)
class Row(Average):
    """Counts and the scores that follow from them. `row["TP"]` is a count. Scores that are undefined are NaN."""

    counts: Mapping[str, float | None] = field(default_factory=dict)
    """None where a file does not know: true negatives without the lengths of sentences."""
    more: Mapping[str, float | None] = field(default_factory=dict)
    """Further scores: of models with true negatives accuracy, specificity, false_positive_rate, kappa; measures that
    a model declares.
    """
    parts: Mapping[str, Row] = field(default_factory=dict)
    """The rows that this one is the mean of, where it is one."""

    def __getitem__(self, name: str) -> float:
        found = self.counts[name] if name in self.counts else self.more[name]
        if found is None:
            raise KeyError(f"{name} takes what the files do not have: the words or the lengths of sentences")
        return found

    def __iter__(self) -> Iterator[str]:
        """The names of counts and further scores."""
        return iter((*self.counts, *self.more))

    def __contains__(self, name: object) -> bool:
        return name in self.counts or name in self.more


UNDEFINED = Average(nan, nan, nan, nan)
"""The averages of a gold standard without any unit."""


def headline_of(model: MatchModel, row: Row) -> float:
    """The one number of a row: a measure, an accuracy, or F-beta; NaN if it is undefined."""
    if model.is_measured:
        return row[model.measures[0].name]
    return row.recall if model.headline == "accuracy" else row.f_beta


def score_row(model: MatchModel, tally: Tally, counts: Values, *, is_empty: bool = False) -> Row:
    """The scores of one row of counts by kind; `is_empty` as in `score_rows`."""
    return score_rows(model, tally, counts[None], is_empty=is_empty)[0]


def score_rows(model: MatchModel, tally: Tally, table: Values, *, is_empty: bool = False) -> list[Row]:
    """The scores of rows of counts by kind, worked out as columns: a file may have thousands of labels.

    `is_empty` tells that the gold standard has no unit: scores are then undefined if the model wants nothing of it,
    and measures if there is nothing to divide by. The accuracy of tokens remains defined.
    """
    if model.parts:
        parts = {part.name: score_rows(part, tally, table, is_empty=is_empty) for part in model.parts}
        return [_mean_row(model, dict(zip(parts, rows, strict=True))) for rows in zip(*parts.values(), strict=True)]
    column_of = dict(zip(tally.kinds, table.T, strict=True))

    def total(parts: Sum) -> Values:
        found = np.zeros(len(table))
        for kind, weight in parts.items():
            if kind in column_of:
                found += weight * column_of[kind]
        return found

    shown = {kind: _plain(total(parts)) for kind, parts in model.counts.items()}
    more: dict[str, list[float | None]] = {}
    if model.contingency:
        is_known = column_of["token.units"] > 0 if "token.units" in column_of else np.zeros(len(table), dtype=np.bool_)
        found = contingency({kind: total(parts) for kind, parts in model.contingency.items()})
        more = {name: _where(is_known, column.tolist()) for name, column in found.items()}
        shown["TN"] = _where(is_known, shown["TN"])
    for each in model.measures:
        below = total(each.below)
        more[each.name] = _undefined(below, ratio(total(each.above), below), is_empty=is_empty).tolist()
    for column in (shown, more):
        column |= {name: [None] * len(table) for name in _unknown(model, tally) if name in column}
    if model.is_measured:
        rows = zip(_rows(shown, len(table)), _rows(more, len(table)), strict=True)
        return [measured_row(counts, measures) for counts, measures in rows]
    wanted = total(model.wanted)
    columns = prf_of_rows(total(model.right), total(model.found), total(model.met), wanted, model.beta)
    scores = zip(*(_undefined(wanted, column, is_empty=is_empty).tolist() for column in columns), strict=True)
    scored = zip(scores, _rows(shown, len(table)), _rows(more, len(table)), strict=True)
    return [Row(p, r, f1, f_beta, counts, further) for (p, r, f1, f_beta), counts, further in scored]


def _undefined(whole: Values, scores: Values, *, is_empty: bool) -> Values:
    """Scores, which are NaN where the gold standard is empty and there is nothing to divide by."""
    return np.where(whole == 0, nan, scores) if is_empty else scores


def measured_row(counts: Mapping[str, float | None], measures: Mapping[str, float | None]) -> Row:
    """A row of measures: precision, recall and F1 are those that are called so, and undefined where none is."""
    precision, recall, f1 = (
        nan if value is None else value for value in map(measures.get, ("precision", "recall", "f1"))
    )
    return Row(precision, recall, f1, f1, counts, measures)


def _unknown(model: MatchModel, tally: Tally) -> list[str]:
    """The counts and measures that files do not tell."""
    if not model.known:
        return []
    sums = np.bincount(tally.kind, tally.count, minlength=len(tally.kinds)).tolist()
    have = dict(zip(tally.kinds, sums, strict=True))
    wanted = model.known.items()
    return [name for name, parts in wanted if sum(have.get(kind, 0) * weight for kind, weight in parts.items()) <= 0]


def _mean_row(model: MatchModel, rows: Mapping[str, Row]) -> Row:
    """The mean of the rows of a model's parts."""
    has_both = model.leaves_out == "absent from both"
    counted = [row for row in rows.values() if model.leaves_out is None or row["key"] or (has_both and row["response"])]
    if not counted and any(isnan(row.f1) for row in rows.values()):
        return Row(nan, nan, nan, nan, parts=rows)
    mean = average(counted, [1] * len(counted))
    return Row(mean.precision, mean.recall, mean.f1, mean.f_beta, parts=rows)


def _rows(columns: Mapping[str, Sequence[float | None]], size: int) -> Iterator[dict[str, float | None]]:
    """Named columns as dictionaries."""
    if not columns:
        return ({} for _ in range(size))
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def _plain(counts: Values) -> list[float | None]:
    """Counts, whole numbers as integers."""
    return [int(count) if count.is_integer() else count for count in counts.tolist()]


def _where(is_known: Bools, values: Sequence[float | None]) -> list[float | None]:
    return [value if known else None for known, value in zip(is_known.tolist(), values, strict=True)]


def averages(rows: Mapping[str, Row], support: Mapping[str, int]) -> tuple[Average, Average]:
    """The macro average of labels that occur in the gold standard, and the same mean by how often they do."""
    names = [label for label in rows if support.get(label)]
    members = [rows[label] for label in names]
    return average(members, [1] * len(names)), average(members, [support[label] for label in names])


def average(rows: Sequence[Row], weights: Sequence[float]) -> Average:
    if not rows:
        return Average(0.0, 0.0, 0.0, 0.0)
    table = np.array([(row.precision, row.recall, row.f1, row.f_beta) for row in rows])
    weight = np.array(weights, dtype=np.float64)[:, None]
    return Average(*((table * weight).sum(axis=0) / weight.sum()).tolist())
