"""Scores of a tally under a measure: overall, by label, and on average.

- *overall*: the counts of all labels are summed, then divided (micro average), including labels that only the system
  uses.
- *macro*: the mean of the scores of the labels that occur in the gold standard; precision, recall and F are averaged
  separately. Labels that only the system uses are shown but not included.
- *support*: the same mean, weighted by the number of gold spans.
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
    """Precision, recall and F of several labels, averaged; or of one row of counts."""

    precision: float
    recall: float
    f1: float
    f_beta: float


@dataclass(frozen=True)
class Row(Average):
    """Counts and the scores derived from them. `row["TP"]` is a count. Undefined scores are NaN."""

    counts: Mapping[str, float | None] = field(default_factory=dict)
    """None if unknown: true negatives without the lengths of sentences."""
    more: Mapping[str, float | None] = field(default_factory=dict)
    """Additional scores: declared ratios; with true negatives accuracy, specificity, false_positive_rate and kappa."""
    parts: Mapping[str, Row] = field(default_factory=dict)
    """The rows that this one is the mean of, if it is a mean."""
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
    """The main score of a row: a ratio, an accuracy, or F-beta; NaN if undefined."""
    if model.has_ratios_only:
        return row[model.ratios[0].name]
    return row.recall if model.headline == "accuracy" else row.f_beta


def score_row(model: Formula, tally: Tally, counts: Values, *, is_empty: bool = False) -> Row:
    """The scores of one row of counts; see `score_rows`."""
    return score_rows(model, tally, counts[None], is_empty=is_empty)[0]


def score_rows(model: Formula, tally: Tally, table: Values, *, is_empty: bool = False) -> list[Row]:
    """The scores of rows of counts by kind, computed as columns because a file may have thousands of labels.

    With `is_empty`, the gold standard has no units: scores are then undefined if the measure expects no units, and
    ratios if their denominator is 0. The accuracy of tokens remains defined.
    """
    if isinstance(model.divided, MeanOf):
        parts = {part.name: score_rows(part, tally, table, is_empty=is_empty) for part in model.parts}
        return [
            _mean_row(model.divided, dict(zip(parts, rows, strict=True))) for rows in zip(*parts.values(), strict=True)
        ]
    column_of = dict(zip(tally.kinds, table.T, strict=True))

    def total(weights: WeightedCounts) -> Values:
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
        more = {name: _where(is_known, column.tolist()) for name, column in by_name.items()}
        counts["TN"] = _where(is_known, counts["TN"])
    for declared in model.ratios:
        whole = total(declared.denominator)
        is_open = is_empty or model.is_null
        more[declared.name] = _undefined(whole, ratio(total(declared.numerator), whole), is_empty=is_open).tolist()
    for columns in (counts, more):
        columns |= {name: [None] * len(table) for name in _unknown(model, tally) if name in columns}
    if model.has_ratios_only:
        return list(map(ratio_row, _rows(counts, len(table)), _rows(more, len(table))))
    divided, expected = model.divided, total(model.divided.expected)
    prf = prf_of_rows(total(divided.correct), total(divided.predicted), total(divided.matched), expected, model.beta)
    if model.is_null:
        predicted = total(divided.predicted)
        wholes = (predicted, expected, predicted + expected, predicted + expected)
        scores = [_undefined(whole, column, is_empty=True) for whole, column in zip(wholes, prf, strict=True)]
    else:
        scores = [_undefined(expected, column, is_empty=is_empty) for column in prf]
    scored = zip(*(column.tolist() for column in scores), strict=True)
    rows = zip(scored, _rows(counts, len(table)), _rows(more, len(table)), strict=True)
    return [Row(p, r, f1, f_beta, row, additional) for (p, r, f1, f_beta), row, additional in rows]


def _undefined(whole: Values, scores: Values, *, is_empty: bool) -> Values:
    """Replace scores with the denominator 0 by NaN, if the gold standard is empty."""
    return np.where(whole == 0, nan, scores) if is_empty else scores


def ratio_row(counts: Mapping[str, float | None], ratios: Mapping[str, float | None]) -> Row:
    """A row of ratios: precision, recall and F1 are the ratios with these names, or undefined."""
    precision, recall, f1 = (
        nan if value is None else value for value in map(ratios.get, ("precision", "recall", "f1"))
    )
    return Row(precision, recall, f1, f1, counts, ratios)


def _unknown(model: Formula, tally: Tally) -> list[str]:
    """The counts and ratios that the files do not determine."""
    if not model.breakdown.known:
        return []
    sums = np.bincount(tally.kind, tally.count, minlength=len(tally.kinds)).tolist()
    total = dict(zip(tally.kinds, sums, strict=True))
    return [
        name
        for name, weights in model.breakdown.known.items()
        if sum(total.get(kind, 0) * weight for kind, weight in weights.items()) <= 0
    ]


def _mean_row(mean: MeanOf, rows: Mapping[str, Row]) -> Row:
    has_both = mean.leaves_out == "absent from both"
    counted = [row for row in rows.values() if mean.leaves_out is None or row["key"] or (has_both and row["response"])]
    if not counted and any(isnan(row.f1) for row in rows.values()):
        return Row(nan, nan, nan, nan, parts=rows)
    scores = average(counted, [1] * len(counted))
    return Row(scores.precision, scores.recall, scores.f1, scores.f_beta, parts=rows)


def _rows(columns: Mapping[str, Sequence[float | None]], size: int) -> Iterator[dict[str, float | None]]:
    if not columns:
        return ({} for _ in range(size))
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def _plain(counts: Values) -> list[float | None]:
    """Counts as Python numbers, whole ones as integers."""
    return [int(count) if count.is_integer() else count for count in counts.tolist()]


def _where(is_known: Bools, values: Sequence[float | None]) -> list[float | None]:
    return [value if known else None for known, value in zip(is_known.tolist(), values, strict=True)]


def averages(rows: Mapping[str, Row], support: Mapping[str, int]) -> tuple[Average, Average]:
    """The macro average of labels that occur in the gold standard, and the same mean weighted by support."""
    names = [label for label in rows if support.get(label)]
    members = [rows[label] for label in names]
    return average(members, [1] * len(names)), average(members, [support[label] for label in names])


def average(rows: Sequence[Row], weights: Sequence[float]) -> Average:
    if not rows:
        return Average(0.0, 0.0, 0.0, 0.0)
    table = np.array([(row.precision, row.recall, row.f1, row.f_beta) for row in rows])
    weight = np.array(weights, dtype=np.float64)[:, None]
    is_defined = ~np.isnan(table)
    if not is_defined.all():  # the mean of the defined scores, of each kind
        sums = np.where(is_defined, table * weight, 0.0).sum(axis=0)
        whole = np.where(is_defined, weight, 0.0).sum(axis=0)
        return Average(*np.where(whole > 0, ratio(sums, whole), nan).tolist())
    return Average(*((table * weight).sum(axis=0) / weight.sum()).tolist())


@dataclass(frozen=True)
class SentenceCounts:
    """The number of fully correct sentences, among those with a word that counts."""

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
    """All labels together: counts are summed before they are divided (micro average)."""
    macro: Average
    """The mean of the scores of the labels that occur in the gold standard."""
    weighted: Average
    """The same mean, weighted by the number of gold units."""
    labels: Mapping[str, Row]
    confusion: Mapping[str, Mapping[str, float]] | None = None
    """Errors by gold label and system label; the empty string means no label."""
    edges: Mapping[str, Mapping[str, float]] | None = None
    """Boundary errors by the boundary that agrees."""
    supertags: Mapping[str, Row] = field(default_factory=dict)
    """Groups of labels as one label each, not included in averages."""
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
    """A score with its counts only: the system lacks this annotation, so all scores are undefined."""
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
    """The scores of a tally; `support` is the number of gold units by label, `supertags` are tallies of label groups.

    `units` is the number of all gold units, which may include some without a label. With `is_empty`, the gold standard
    has no units, so the overall scores are undefined.
    """
    tally = tally.total()
    table = tally.by_label(model.breakdown.focus, shares_unlabeled=model.breakdown.shares_unlabeled)
    names, of_labels = sorted(table.rows), model.of_labels()
    *scored, overall = score_rows(of_labels, tally, np.array([*(table.rows[label] for label in names), table.overall]))
    rows = with_support(dict(zip(names, scored, strict=True)), support)
    members = [row for label, row in rows.items() if support.get(label)]
    if of_labels is not model or is_empty:
        overall = score_row(model, tally, table.overall, is_empty=is_empty)
    return MeasureScore(
        model,
        with_gold(overall, sum(support.values()) if units is None else units),
        *averages(rows, support),
        rows,
        supertags={name: score_tally(of_labels, counts, {}).overall for name, counts in (supertags or {}).items()},
        baselines=_baselines(model, members) if baselines and model.contingency else {},
    )


def with_support(rows: Mapping[str, Row], support: Mapping[str, int]) -> dict[str, Row]:
    """The rows of labels with their numbers of gold units, given the numbers of the task's units."""
    return {label: with_gold(row, support.get(label, 0)) for label, row in rows.items()}


def with_gold(row: Row, units: float) -> Row:
    """A row with the number of gold units; a measure of other units, such as words, counts its own."""
    return replace(row, gold=next((row.counts[name] for name in _GOLD_COUNTS if name in row.counts), units))


def headlines(model: Formula, sums: Values) -> Values:
    """The headlines of many sums, (…, labels, `Formula.columns`): of one label, or the mean over several."""
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
    """The headline of all groups together; NaN if the gold standard has no units that the measure expects."""
    sums = divided_table(model, tally.total(), gold_labels, 1)
    return nan if is_empty and not _expects_units(model, sums) else float(headlines(model, sums)[0])


def _expects_units(model: Formula, sums: Values) -> bool:
    """Whether the gold standard has units that the measure, or one of its parts, counts."""
    begins = np.cumsum([0, *(len(part.columns()) for part in model.parts[:-1])])
    return bool(sums[..., begins + 2].any())


def divided_table(model: Formula, tally: Tally, gold_labels: Sequence[str], groups: int) -> Values:
    """The sums that precision and recall divide, by group and label, or for all labels together."""
    return tally.by_group(groups, model.columns(), gold_labels if model.headline == "macro" else None)


def _mean_of_parts(mean: MeanOf, sums: Values) -> Values:
    """The means of the headlines of parts, without those that are left out."""
    values, counted, begin = [], [], 0
    for part in mean.parts:
        size = len(part.columns())
        columns = sums[..., begin : begin + size]
        values.append(headlines(part, columns))
        counted.append(_is_counted(mean, columns[..., 0, 1], columns[..., 0, 2]))
        begin += size
    return ratio(np.sum(values, axis=0, where=counted), np.sum(counted, axis=0))


def _is_counted(mean: MeanOf, predicted: Values, expected: Values) -> Bools:
    """Whether a part is included in the mean."""
    if mean.leaves_out is None:
        return np.ones(expected.shape, dtype=np.bool_)
    return (expected > 0) | (predicted > 0) if mean.leaves_out == "absent from both" else expected > 0


def _baselines(model: Formula, rows: Sequence[Row]) -> dict[str, float | None]:
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
        """With `is_empty`, the gold standard has no units; `other_units` are measures of other units.

        `lacking` are measures of annotation that the system does not have: a score of 0 is then undefined.
        """
        self.models = {model.name: model for model in models}
        self._tallies, self._supertags = tallies, supertags
        self._levels, self._support, self._is_empty, self._other_units = levels, support, is_empty, other_units
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
        """The counts of the scorer, of the text (once per level), and of the scorer that ran in addition."""
        tally = tallies[model.scorer].total()
        if model.text_tally is not None and model.text_tally in self._tallies:
            text = self._tallies[model.text_tally].total()
            tally += replace(text, count=text.count * self._levels)
        if model.also_run is not None and model.also_run in tallies:
            tally += tallies[model.also_run].total()
        return tally
