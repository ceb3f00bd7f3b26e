"""What a tally amounts to under a match model: overall, by label, and on average.

- *overall*: the counts of all labels are summed, then divided (micro average). Labels that only the system uses are in.
- *macro*: the mean of the scores of the labels that occur in the gold standard; each of precision, recall and F is
  averaged for itself. Labels that only the system uses are shown but do not enter.
- *support*: the same mean, weighted by the number of gold spans.
- *headline*: the one number of a model, which `.f1`, `--as value` and `rank` use: the macro F1 of `ts` and `t`, the
  accuracy of `accuracy`, the recall of `leak`, the overall F1 of all others. With `--beta` it is F-beta, while `f1`
  stays F1.

A gold standard without any unit leaves overall scores, averages and the headline undefined, even if the system has
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

# == scores/row.py: Rows of scores: counts by kind as the figures that a match m


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


def headline_of(model: Formula, row: Row) -> float:
    """The one number of a row: a measure, an accuracy, or F-beta; NaN if it is undefined."""
    if model.has_ratios_only:
        return row[model.ratios[0].name]
    return row.recall if model.headline == "accuracy" else row.f_beta


def score_row(model: Formula, tally: Tally, counts: Values, *, is_empty: bool = False) -> Row:
    """The scores of one row of counts by kind; `is_empty` as in `score_rows`."""
    return score_rows(model, tally, counts[None], is_empty=is_empty)[0]


def score_rows(model: Formula, tally: Tally, table: Values, *, is_empty: bool = False) -> list[Row]:
    """The scores of rows of counts by kind, worked out as columns: a file may have thousands of labels.

    `is_empty` tells that the gold standard has no unit: scores are then undefined if the model wants nothing of it,
    and measures if there is nothing to divide by. The accuracy of tokens remains defined.
    """
    if isinstance(model.divided, MeanOf):
        parts = {part.name: score_rows(part, tally, table, is_empty=is_empty) for part in model.parts}
        return [
            _mean_row(model.divided, dict(zip(parts, rows, strict=True))) for rows in zip(*parts.values(), strict=True)
        ]
    column_of = dict(zip(tally.kinds, table.T, strict=True))

    def total(parts: WeightedCounts) -> Values:
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
    for measure in model.ratios:
        below = total(measure.denominator)
        more[measure.name] = _undefined(below, ratio(total(measure.numerator), below), is_empty=is_empty).tolist()
    for column in (shown, more):
        column |= {name: [None] * len(table) for name in _unknown(model, tally) if name in column}
    if model.has_ratios_only:
        rows = zip(_rows(shown, len(table)), _rows(more, len(table)), strict=True)
        return [measured_row(counts, measures) for counts, measures in rows]
    wanted = total(model.divided.expected)
    columns = prf_of_rows(
        total(model.divided.correct), total(model.divided.predicted), total(model.divided.matched), wanted, model.beta
    )
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


def _unknown(model: Formula, tally: Tally) -> list[str]:
    """The counts and measures that files do not tell."""
    if not model.breakdown.known:
        return []
    sums = np.bincount(tally.kind, tally.count, minlength=len(tally.kinds)).tolist()
    have = dict(zip(tally.kinds, sums, strict=True))
    wanted = model.breakdown.known.items()
    return [name for name, parts in wanted if sum(have.get(kind, 0) * weight for kind, weight in parts.items()) <= 0]


def _mean_row(mean: MeanOf, rows: Mapping[str, Row]) -> Row:
    """The mean of the rows of a model's parts."""
    has_both = mean.leaves_out == "absent from both"
    counted = [row for row in rows.values() if mean.leaves_out is None or row["key"] or (has_both and row["response"])]
    if not counted and any(isnan(row.f1) for row in rows.values()):
        return Row(nan, nan, nan, nan, parts=rows)
    scores = average(counted, [1] * len(counted))
    return Row(scores.precision, scores.recall, scores.f1, scores.f_beta, parts=rows)


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


# == scores/model_score.py (primary)


@dataclass(frozen=True)
class Sentences:
    """How many sentences are fully correct, of those with a word that counts."""

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
    """What one match model says of one system."""

    model: Formula
    overall: Row
    """All labels together: counts are summed before the division (micro average)."""
    macro: Average
    """The mean of the scores of the labels that occur in the gold standard."""
    support: Average
    """The same mean, weighted by the number of gold spans."""
    labels: Mapping[str, Row]
    confusion: Mapping[str, Mapping[str, float]] | None = None
    """Errors by gold label and system label; the empty string is "no label"."""
    edges: Mapping[str, Mapping[str, float]] | None = None
    """Boundary errors by the boundary that agrees."""
    supertags: Mapping[str, Row] = field(default_factory=dict)
    """Several labels taken as one, beside the labels and outside of all averages."""
    baselines: Mapping[str, float | None] = field(default_factory=dict)
    """The headline of trivial systems: the `rejector` finds nothing, the `acceptor` everything."""
    sentences: Sentences | None = None
    """Sentences that are fully correct, where words are scored."""
    distances: Mapping[str, Row] = field(default_factory=dict)
    """The attachment of words by the distance to their heads."""
    further: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What else a task says, by name and as the JSON has it, such as the `ranks` of right links."""

    def __repr__(self) -> str:
        """One line with the headline; the result that this belongs to shows the tables."""
        if self.model.has_ratios_only:
            figures = ", ".join(f"{measure.name}={self._shown(measure.name)}" for measure in self.model.ratios)
        elif self.model.headline == "accuracy":
            figures = f"accuracy={self.headline:.4f}"
        else:
            name = "f1" if self.beta == 1 else "f_beta"
            figures = f"{name}={self.headline:.4f}, precision={self.precision:.4f}, recall={self.recall:.4f}"
        return f"ModelScore({self.name!r}, {figures}, labels={len(self.labels)})"

    def adding(self, name: str, details: Mapping[str, Any]) -> MeasureScore:
        """The score with further details; there may be none."""
        return replace(self, further={**self.further, name: dict(details)}) if details else self

    def _shown(self, measure: str) -> str:
        value = self.overall.more[measure]
        return "None" if value is None else f"{value:.4f}"

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def beta(self) -> float:
        return self.model.beta

    @property
    def headline(self) -> float:
        """The one number of this model: F-beta (F1 unless beta is set), overall or as macro average, or another."""
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


def score_tally(
    model: Formula,
    tally: Tally,
    support: Mapping[str, int],
    supertags: Mapping[str, Tally] | None = None,
    *,
    baselines: bool = False,
    is_empty: bool = False,
) -> MeasureScore:
    """The scores of a tally; `support` is the number of gold spans by label, `supertags` are tallies of their own.

    `is_empty` tells that the gold standard has no unit, which makes the overall scores undefined.
    """
    tally = tally.total()
    table = tally.by_label(model.breakdown.focus, shares_unlabeled=model.breakdown.shares_unlabeled)
    names, of_labels = sorted(table.rows), model.of_labels()
    *scored, overall = score_rows(of_labels, tally, np.array([*(table.rows[label] for label in names), table.overall]))
    rows = dict(zip(names, scored, strict=True))
    members = [row for label, row in rows.items() if support.get(label)]
    return MeasureScore(
        model,
        overall if of_labels is model and not is_empty else score_row(model, tally, table.overall, is_empty=is_empty),
        *averages(rows, support),
        rows,
        supertags={name: score_tally(model.of_labels(), each, {}).overall for name, each in (supertags or {}).items()},
        baselines=_baselines(model, members) if baselines and model.contingency else {},
    )


def headlines(model: Formula, sums: Values) -> Values:
    """The headlines of many sums, (…, labels, what the model divides): of one label, or the mean over several."""
    if isinstance(model.divided, MeanOf):
        return _mean_of_parts(model.divided, sums)
    right, found, wanted, met = (
        sums[..., place] for place in (0, 1, 2, sums.shape[-1] - 1 if sums.shape[-1] > 3 else 0)
    )
    if model.headline in ("accuracy", "ratio"):
        return ratio(met, wanted)[..., 0]
    values = f_beta(right, found, met, wanted, model.beta)
    if model.headline == "overall":
        return values[..., 0]
    occurs = wanted > 0
    return ratio(np.sum(values, axis=-1, where=occurs), occurs.sum(axis=-1))


def headline(model: Formula, tally: Tally, gold_labels: Sequence[str], *, is_empty: bool = False) -> float:
    """The headline of all groups together; NaN if the gold standard has no unit and the model wants nothing of it."""
    sums = divided_table(model, tally.total(), gold_labels, 1)
    return nan if is_empty and not _wanted(model, sums) else float(headlines(model, sums)[0])


def _wanted(model: Formula, sums: Values) -> bool:
    """Whether the gold standard has anything that the model, or one of its parts, counts."""
    begins = np.cumsum([0, *(len(part.columns()) for part in model.parts[:-1])])
    return bool(sums[..., begins + 2].any())


def divided_table(model: Formula, tally: Tally, gold_labels: Sequence[str], groups: int) -> Values:
    """By group and label (or for all labels together), what precision and recall divide."""
    return tally.by_group(groups, model.columns(), gold_labels if model.headline == "macro" else None)


def _mean_of_parts(mean: MeanOf, sums: Values) -> Values:
    """The means of the headlines of parts, without those that the model leaves out."""
    values, counted, begin = [], [], 0
    for part in mean.parts:
        size = len(part.columns())
        columns = sums[..., begin : begin + size]
        values.append(headlines(part, columns))
        counted.append(_is_counted(mean, columns[..., 0, 1], columns[..., 0, 2]))
        begin += size
    return ratio(np.sum(values, axis=0, where=counted), np.sum(counted, axis=0))


def _is_counted(mean: MeanOf, found: Values, wanted: Values) -> Bools:
    """Whether a part enters the mean, given what the system and the gold standard have of it."""
    if mean.leaves_out is None:
        return np.ones(wanted.shape, dtype=np.bool_)
    return (wanted > 0) | (found > 0) if mean.leaves_out == "absent from both" else wanted > 0


def _baselines(model: Formula, rows: Sequence[Row]) -> dict[str, float | None]:
    shares = [row.more["positive"] for row in rows]
    known = [share for share in shares if share is not None]
    accepted = [acceptor(share, model.beta) for share in known]
    return {"rejector": 0.0, "acceptor": sum(accepted) / len(accepted) if accepted else None}


# == scores/system_scores.py: The scores of one system, worked out when somebody asks: a r


class SystemScores(Mapping[str, MeasureScore]):
    """By match model, in the order in which models were named."""

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
    ) -> None:
        """`is_empty` tells that the gold standard has no unit; `other_units` are models that count other units."""
        self.models = {model.name: model for model in models}
        self._tallies, self._supertags = tallies, supertags
        self._levels, self._support, self._is_empty, self._other_units = levels, support, is_empty, other_units
        self._baselines = bool(settings.parameters.get("baselines"))
        self._scores: dict[str, MeasureScore] = {}

    def __getitem__(self, name: str) -> MeasureScore:
        if name not in self._scores:
            model = self.models[name]
            found = score_tally(
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
            )
            found = found if model.extra_scores is None else model.extra_scores(found, self._tallies)
            if self._may_be_undefined(name) and isnan(found.overall.recall):
                found = replace(found, macro=UNDEFINED, support=UNDEFINED)
            self._scores[name] = found
        return self._scores[name]

    def _may_be_undefined(self, name: str) -> bool:
        """Whether the gold standard has no unit of a model, if the model wants nothing of it."""
        return self._is_empty or name in self._other_units

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def _added_up(self, model: Formula, tallies: Mapping[str, Tally]) -> Tally:
        """The counts of a model's judge, with those of the text, once for every level, and of what is beside it."""
        found = tallies[model.scorer].total()
        if model.text_tally is not None and model.text_tally in self._tallies:
            text = self._tallies[model.text_tally].total()
            found += replace(text, count=text.count * self._levels)
        if model.also_run is not None and model.also_run in tallies:
            found += tallies[model.also_run].total()
        return found
