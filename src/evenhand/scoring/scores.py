"""Scores of a tally under a measure: overall, by label, and on average.

- *overall*: the counts of all labels are added up, then divided (micro average). Labels that only the system uses are
  included.
- *macro*: the mean of the scores of the labels that occur in the gold standard; precision, recall and F are averaged
  separately. Labels that only the system uses are shown but not included.
- *support*: the same mean, weighted by each label's number of gold units.
- *headline*: the main score of a measure, which `.f1`, `--as value` and `rank` use: the macro F1 of `ts` and `t`, the
  accuracy of `accuracy`, the recall of `leak`, the overall F1 of all others. With `--beta` it is F-beta, while `f1`
  remains F1.

If the gold standard has no units, overall scores, averages and the headline are undefined, even if the system has
units: NaN in Python, null in JSON, a dash in tables. Rows of single labels are 0, as is every other 0/0.

Sources: Sebastiani 2002 for micro and macro averages; Esuli and Sebastiani 2010, section 4.1, for the headline of `ts`
and `t`; Tjong Kim Sang and De Meulder 2003 for the overall F1 of exact match.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import isnan, nan
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Count, Values
from evenhand.dataclass import dataclass
from evenhand.scoring.measure import Formula, MeanOf, WeightedCounts
from evenhand.scoring.prf import acceptor, contingency, f_beta, prf_of_rows, ratio
from evenhand.scoring.tally import Tally
from evenhand.settings import ScoreSettings


@dataclass(frozen=True)
class Average:
    """Precision, recall, F1 and F-beta: means over several labels or, in a `Row`, the scores of one row of counts."""

    precision: float
    recall: float
    f1: float
    f_beta: float


@dataclass(frozen=True)
class Row(Average):
    """Counts and the scores derived from them. `row["TP"]` is a count. Undefined scores are NaN."""

    counts: Mapping[str, float | None] = field(default_factory=dict)
    """Counts by name. None if unknown: true negatives are, without the lengths of sentences."""
    more: Mapping[str, float | None] = field(default_factory=dict)
    """Additional scores by name: the ratios that the measure declares. A measure with true negatives has accuracy,
    specificity, false_positive_rate and kappa."""
    parts: Mapping[str, Row] = field(default_factory=dict)
    """If this row is a mean over parts, such as B³ and MUC: the row of each part."""
    gold: float | None = None
    """The number of gold units; None for a part of a mean."""

    @property
    def support(self) -> float | None:
        """The number of gold units, by the name of scikit-learn."""
        return self.gold

    def __getitem__(self, name: str) -> float:
        value = self.counts[name] if name in self.counts else self.more[name]
        if value is None:
            raise KeyError(f"{name} needs the words or the lengths of sentences, which the files do not have")
        return value

    def __iter__(self) -> Iterator[str]:
        """The names of counts and additional scores."""
        return iter((*self.counts, *self.more))

    def __contains__(self, name: object) -> bool:
        return name in self.counts or name in self.more


_GOLD_COUNTS = ("gold", "key", "words", "tokens")
"""The names of counts of gold units."""
UNDEFINED = Average(nan, nan, nan, nan)
"""The averages of a gold standard without units."""


def headline_of(model: Formula, row: Row) -> float:
    """The main score of a row: the first ratio, the accuracy, or F-beta; NaN if undefined."""
    if model.has_ratios_only:
        return row[model.ratios[0].name]
    return row.recall if model.headline == "accuracy" else row.f_beta


def score_row(model: Formula, tally: Tally, counts: Values, *, is_empty: bool = False) -> Row:
    """The scores of one row of counts; see `score_rows`."""
    return score_rows(model, tally, counts[None], is_empty=is_empty)[0]


def score_rows(model: Formula, tally: Tally, table: Values, *, is_empty: bool = False) -> list[Row]:
    """The scores of each row of a table of counts, (rows, count types of the tally).

    Each score is computed for all rows at once, because a file may have thousands of labels.

    With `is_empty`, the gold standard has no units. Precision, recall and F are then undefined in rows without gold
    units of the measure, and a ratio where its denominator is 0. The accuracy of tokens remains defined.
    """
    if isinstance(model.divided, MeanOf):
        parts = {part.name: score_rows(part, tally, table, is_empty=is_empty) for part in model.parts}
        return [
            _mean_row(model.divided, dict(zip(parts, rows, strict=True))) for rows in zip(*parts.values(), strict=True)
        ]
    column_of = dict(zip(tally.kinds, table.T, strict=True))

    def total(weights: WeightedCounts) -> Values:
        """The weighted sum of some count types in each row; a type that the tally lacks counts 0."""
        sums = np.zeros(len(table))
        for kind, weight in weights.items():
            if kind in column_of:
                sums += weight * column_of[kind]
        return sums

    counts = {kind: _plain(total(weights)) for kind, weights in model.counts.items()}
    more: dict[str, list[float | None]] = {}
    if model.contingency:
        is_known = column_of["token.units"] > 0 if "token.units" in column_of else np.zeros(len(table), dtype=np.bool_)
        by_name = contingency({kind: total(weights) for kind, weights in model.contingency.items()})
        more = {name: _none_unless(is_known, column.tolist()) for name, column in by_name.items()}
        counts["TN"] = _none_unless(is_known, counts["TN"])
    for declared in model.ratios:
        denominator = total(declared.denominator)
        values = ratio(total(declared.numerator), denominator)
        more[declared.name] = (_nan_for_0(denominator, values) if is_empty or model.is_null else values).tolist()
    for columns in (counts, more):
        columns |= {name: [None] * len(table) for name in _unknown(model, tally) if name in columns}
    rows_of_counts = _rows(counts, len(table))
    rows_of_more = _rows(more, len(table))
    if model.has_ratios_only:
        return list(map(ratio_row, rows_of_counts, rows_of_more))
    divided = model.divided
    predicted = total(divided.predicted)
    expected = total(divided.expected)
    scores = list(prf_of_rows(total(divided.correct), predicted, total(divided.matched), expected, model.beta))
    if model.is_null:
        denominators = (predicted, expected, predicted + expected, predicted + expected)
        scores = [_nan_for_0(denominator, column) for denominator, column in zip(denominators, scores, strict=True)]
    elif is_empty:
        scores = [_nan_for_0(expected, column) for column in scores]
    rows_of_scores = zip(*(column.tolist() for column in scores), strict=True)
    return [
        Row(precision, recall, f1, f_beta, counts_of_row, more_of_row)
        for (precision, recall, f1, f_beta), counts_of_row, more_of_row in zip(
            rows_of_scores, rows_of_counts, rows_of_more, strict=True
        )
    ]


def _nan_for_0(denominator: Values, scores: Values) -> Values:
    """Replace the scores with the denominator 0 by NaN."""
    return np.where(denominator == 0, nan, scores)


def ratio_row(counts: Mapping[str, float | None], ratios: Mapping[str, float | None]) -> Row:
    """A row of ratios: precision, recall and F1 are the ratios with these names; NaN if there is none."""
    precision, recall, f1 = (
        nan if value is None else value for value in map(ratios.get, ("precision", "recall", "f1"))
    )
    return Row(precision, recall, f1, f1, counts, ratios)


def _unknown(model: Formula, tally: Tally) -> list[str]:
    """The names of counts and ratios that the files do not determine."""
    if not model.breakdown.known:
        return []
    sums = np.bincount(tally.kind, tally.count, minlength=len(tally.kinds)).tolist()
    total = dict(zip(tally.kinds, sums, strict=True))
    return [
        name
        for name, weights in model.breakdown.known.items()
        if sum(total.get(kind, 0) * weight for kind, weight in weights.items()) <= 0
    ]


def _mean_row(mean: MeanOf, parts: Mapping[str, Row]) -> Row:
    """The mean of the rows of parts, without those that the mean leaves out."""
    counts_response = mean.leaves_out == "absent from both"
    included = [
        row for row in parts.values() if mean.leaves_out is None or row["key"] or (counts_response and row["response"])
    ]
    if not included and any(isnan(row.f1) for row in parts.values()):
        return Row(nan, nan, nan, nan, parts=parts)
    scores = average(included, [1] * len(included))
    return Row(scores.precision, scores.recall, scores.f1, scores.f_beta, parts=parts)


def _rows(columns: Mapping[str, Sequence[float | None]], size: int) -> list[dict[str, float | None]]:
    """The rows of a table of `size` rows that is given as columns by name."""
    if not columns:
        return [{} for _ in range(size)]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _plain(counts: Values) -> list[float | None]:
    """Counts as Python numbers, whole ones as integers."""
    return [int(count) if count.is_integer() else count for count in counts.tolist()]


def _none_unless(is_known: Bools, values: Sequence[float | None]) -> list[float | None]:
    """Replace the values that are not known by None."""
    return [value if known else None for known, value in zip(is_known.tolist(), values, strict=True)]


def averages(rows: Mapping[str, Row], support: Mapping[str, int]) -> tuple[Average, Average]:
    """The macro average over the labels that occur in the gold standard, and the same mean weighted by support."""
    names = [label for label in rows if support.get(label)]
    of_labels = [rows[label] for label in names]
    return average(of_labels, [1] * len(names)), average(of_labels, [support[label] for label in names])


def average(rows: Sequence[Row], weights: Sequence[float]) -> Average:
    """The weighted means of precision, recall, F1 and F-beta; 0 without rows."""
    if not rows:
        return Average(0.0, 0.0, 0.0, 0.0)
    table = np.array([(row.precision, row.recall, row.f1, row.f_beta) for row in rows])
    weight = np.array(weights, dtype=np.float64)[:, None]
    is_defined = ~np.isnan(table)
    if not is_defined.all():  # each mean is over the rows in which this score is defined
        sums = np.where(is_defined, table * weight, 0.0).sum(axis=0)
        whole = np.where(is_defined, weight, 0.0).sum(axis=0)
        return Average(*np.where(whole > 0, ratio(sums, whole), nan).tolist())
    return Average(*((table * weight).sum(axis=0) / weight.sum()).tolist())


@dataclass(frozen=True)
class SentenceCounts:
    """The number of sentences with a word that counts (`total`), and of those that are fully correct."""

    correct: Count
    total: Count

    def __post_init__(self) -> None:
        if self.correct > self.total:
            raise ValueError(f"{self.correct} of {self.total} sentences are correct")

    @property
    def share(self) -> float:
        return self.correct / self.total if self.total else nan


@dataclass(frozen=True)
class MeasureScore:
    """The scores of one system under one measure."""

    model: Formula
    overall: Row
    """All labels together: counts are added up before they are divided (micro average)."""
    macro: Average
    """The mean of the scores of the labels that occur in the gold standard."""
    weighted: Average
    """The same mean, weighted by the number of gold units."""
    labels: Mapping[str, Row]
    confusion: Mapping[str, Mapping[str, float]] | None = None
    """Errors by gold label and system label; the empty string means no label."""
    edges: Mapping[str, Mapping[str, float]] | None = None
    """Boundary errors by the boundary that is correct."""
    supertags: Mapping[str, Row] = field(default_factory=dict)
    """Groups of labels, each scored as one label; averages do not include them."""
    baselines: Mapping[str, float | None] = field(default_factory=dict)
    """The headline of trivial systems: the `rejector` tags nothing, the `acceptor` everything."""
    sentences: SentenceCounts | None = None
    """Fully correct sentences, if words are scored."""
    distances: Mapping[str, Row] = field(default_factory=dict)
    """The attachment of words by the distance to their heads."""
    further: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Additional results of a task by name, as in the JSON, such as the `ranks` of correct links."""

    def __repr__(self) -> str:
        """One line with the headline; tables are shown by the result."""
        if self.model.has_ratios_only:
            values = {declared.name: self.overall.more[declared.name] for declared in self.model.ratios}
            figures = ", ".join(
                f"{name}={value if value is None else f'{value:.4f}'}" for name, value in values.items()
            )
        elif self.model.headline == "accuracy":
            figures = f"accuracy={self.headline:.4f}"
        else:
            name = "f1" if self.beta == 1 else "f_beta"
            figures = f"{name}={self.headline:.4f}, precision={self.precision:.4f}, recall={self.recall:.4f}"
        return f"ModelScore({self.name!r}, {figures}, labels={len(self.labels)})"

    def adding(self, name: str, details: Mapping[str, Any]) -> MeasureScore:
        """The score with additional results, if there are any."""
        return replace(self, further={**self.further, name: dict(details)}) if details else self

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def beta(self) -> float:
        return self.model.beta

    @property
    def headline(self) -> float:
        """The main score: F-beta (F1 unless beta is set), overall or as macro average; an accuracy; or a ratio."""
        return self._head.f_beta if self.model.headline == "macro" else headline_of(self.model, self.overall)

    @property
    def precision(self) -> float:
        return self._head.precision

    @property
    def recall(self) -> float:
        return self._head.recall

    @property
    def f1(self) -> float:
        return self._head.f1

    @property
    def _head(self) -> Average:
        return self.macro if self.model.headline == "macro" else self.overall


def undefined(score: MeasureScore) -> MeasureScore:
    """A score with its counts, but without scores: they are undefined if the system lacks this annotation."""
    more = dict.fromkeys(score.overall.more, nan)
    overall = replace(score.overall, precision=nan, recall=nan, f1=nan, f_beta=nan, more=more)
    return replace(score, overall=overall, macro=UNDEFINED, weighted=UNDEFINED, labels={}, confusion=None)


def score_tally(
    model: Formula,
    tally: Tally,
    support: Mapping[str, int],
    supertags: Mapping[str, Tally] | None = None,
    *,
    baselines: bool = False,
    is_empty: bool = False,
    units: float | None = None,
) -> MeasureScore:
    """The scores of a tally.

    `support` is the number of gold units by label, and `supertags` are the tallies of groups of labels. `units` is the
    number of all gold units, of which some may have no label; without it, `support` is added up. With `is_empty`, the
    gold standard has no units, so the overall scores are undefined. `baselines` adds the scores of trivial systems.
    """
    tally = tally.total()
    table = tally.by_label(model.breakdown.focus, shares_unlabeled=model.breakdown.shares_unlabeled)
    names = sorted(table.rows)
    of_labels = model.of_labels()
    counts = np.array([*(table.rows[label] for label in names), table.overall])
    *rows_of_labels, overall = score_rows(of_labels, tally, counts)
    labels = with_support(dict(zip(names, rows_of_labels, strict=True)), support)
    if of_labels is not model or is_empty:
        overall = score_row(model, tally, table.overall, is_empty=is_empty)
    macro, weighted = averages(labels, support)
    gold_labels = [row for label, row in labels.items() if support.get(label)]
    return MeasureScore(
        model,
        with_gold(overall, sum(support.values()) if units is None else units),
        macro,
        weighted,
        labels,
        supertags={name: score_tally(of_labels, counts, {}).overall for name, counts in (supertags or {}).items()},
        baselines=_baselines(model, gold_labels) if baselines and model.contingency else {},
    )


def with_support(rows: Mapping[str, Row], support: Mapping[str, int]) -> dict[str, Row]:
    """The rows of labels with their numbers of gold units: `support`, unless the measure counts other units."""
    return {label: with_gold(row, support.get(label, 0)) for label, row in rows.items()}


def with_gold(row: Row, units: float) -> Row:
    """A row with its number of gold units: `units`, unless the measure counts other units, such as words."""
    return replace(row, gold=next((row.counts[name] for name in _GOLD_COUNTS if name in row.counts), units))


def headlines(model: Formula, sums: Values) -> Values:
    """The headline of each of many sums of counts, (…, labels, `Formula.columns`).

    A measure whose headline is a macro average has one row of columns per gold label, and any other measure has one row
    for all labels.
    """
    if isinstance(model.divided, MeanOf):
        return _mean_of_parts(model.divided, sums)
    correct, predicted, expected = (sums[..., column] for column in range(3))
    matched = sums[..., 3] if sums.shape[-1] > 3 else correct
    if model.headline in ("accuracy", "ratio"):
        return ratio(matched, expected)[..., 0]
    values = f_beta(correct, predicted, matched, expected, model.beta)
    if model.headline == "overall":
        return values[..., 0]
    occurs = expected > 0
    return ratio(np.sum(values, axis=-1, where=occurs), occurs.sum(axis=-1))


def headline(model: Formula, tally: Tally, gold_labels: Sequence[str], *, is_empty: bool = False) -> float:
    """The headline of all groups together; NaN if the gold standard is empty, and has no units of the measure."""
    sums = divided_table(model, tally.total(), gold_labels, 1)
    return nan if is_empty and not _expects_units(model, sums) else float(headlines(model, sums)[0])


def _expects_units(model: Formula, sums: Values) -> bool:
    """Whether the gold standard has units that the measure, or one of its parts, counts."""
    first_columns = np.cumsum([0, *(len(part.columns()) for part in model.parts[:-1])])
    return bool(sums[..., first_columns + 2].any())  # the third column of each part has its gold units


def divided_table(model: Formula, tally: Tally, gold_labels: Sequence[str], groups: int) -> Values:
    """The sums that precision and recall divide, (groups, labels, columns); see `headlines` for the labels."""
    return tally.by_group(groups, model.columns(), gold_labels if model.headline == "macro" else None)


def _mean_of_parts(mean: MeanOf, sums: Values) -> Values:
    """The means of the headlines of parts, without the parts that the mean leaves out."""
    values = list[Values]()
    is_included = list[Bools]()
    first_column = 0
    for part in mean.parts:
        size = len(part.columns())
        columns = sums[..., first_column : first_column + size]
        predicted, expected = columns[..., 0, 1], columns[..., 0, 2]
        values.append(headlines(part, columns))
        is_included.append(_is_included(mean, predicted, expected))
        first_column += size
    return ratio(np.sum(values, axis=0, where=is_included), np.sum(is_included, axis=0))


def _is_included(mean: MeanOf, predicted: Values, expected: Values) -> Bools:
    """Whether the mean includes a part, given the part's numbers of predicted and of gold units."""
    if mean.leaves_out is None:
        return np.ones(expected.shape, dtype=np.bool_)
    return (expected > 0) | (predicted > 0) if mean.leaves_out == "absent from both" else expected > 0


def _baselines(model: Formula, rows: Sequence[Row]) -> dict[str, float | None]:
    """The macro average of trivial systems: one that labels nothing, and one that labels everything."""
    shares = [row.more["positive"] for row in rows]
    known = [share for share in shares if share is not None]
    accepted = [acceptor(share, model.beta) for share in known]
    return {"rejector": 0.0, "acceptor": sum(accepted) / len(accepted) if accepted else None}


class SystemScores(Mapping[str, MeasureScore]):
    """The scores of one system by measure, computed on demand."""

    def __init__(
        self,
        models: Sequence[Formula],
        tallies: Mapping[str, Tally],
        supertags: Mapping[str, Mapping[str, Tally]],
        levels: int,
        support: Mapping[str, int],
        settings: ScoreSettings,
        *,
        is_empty: bool = False,
        other_units: Collection[str] = (),
        lacking: Collection[str] = (),
        units: float | None = None,
    ) -> None:
        """`tallies` are by scorer, `supertags` by supertag and scorer, and `support` has the gold units by label.

        `levels` is the number of nesting levels that are scored separately. With `is_empty`, the gold standard has no
        units. `other_units` are the names of measures that count other units than the task. `lacking` are the names of
        measures of an annotation that the system does not have: their score of 0 is undefined. `units` is the number of
        gold units.
        """
        self.models = {model.name: model for model in models}
        self._tallies = tallies
        self._supertags = supertags
        self._levels = levels
        self._support = support
        self._is_empty = is_empty
        self._other_units = other_units
        self._lacking = lacking
        self._units = units
        self._baselines = bool(settings.parameters.get("baselines"))
        self._scores: dict[str, MeasureScore] = {}

    def __getitem__(self, name: str) -> MeasureScore:
        if name not in self._scores:
            model = self.models[name]
            score = score_tally(
                model,
                self._added_up(model, self._tallies),
                self._support,
                {
                    tag: self._added_up(model, tallies)
                    for tag, tallies in self._supertags.items()
                    if model.scorer in tallies
                },
                baselines=self._baselines,
                is_empty=self._may_be_undefined(name),
                units=self._units,
            )
            score = score if model.extra_scores is None else model.extra_scores(score, self._tallies)
            if self._may_be_undefined(name) and isnan(score.overall.recall):
                score = replace(score, macro=UNDEFINED, weighted=UNDEFINED)
            if name in self._lacking and score.headline == 0:
                score = undefined(score)
            self._scores[name] = score
        return self._scores[name]

    def _may_be_undefined(self, name: str) -> bool:
        """Whether the gold standard may have no units of a measure."""
        return self._is_empty or name in self._other_units

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def _added_up(self, model: Formula, tallies: Mapping[str, Tally]) -> Tally:
        """The counts of a measure: from its scorer, from the text (once per level), and from its additional scorer."""
        tally = tallies[model.scorer].total()
        if model.text_tally is not None and model.text_tally in self._tallies:
            text = self._tallies[model.text_tally].total()
            tally += replace(text, count=text.count * self._levels)
        if model.also_run is not None and model.also_run in tallies:
            tally += tallies[model.also_run].total()
        return tally
