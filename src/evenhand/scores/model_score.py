"""What a tally amounts to under a match model: overall, by label, and on average.

- *overall*: the counts of all labels are summed, then divided (micro average). Labels that only the system uses are in.
- *macro*: the mean of the scores of the labels that occur in the gold standard; each of precision, recall and F is
  averaged for itself. Labels that only the system uses are shown but do not enter.
- *support*: the same mean, weighted by the number of gold spans.
- *headline*: the one number of a model, which `.f1`, `--as value` and `rank` use: the macro F1 of `ts` and `t`, the
  accuracy of `accuracy`, the overall F1 of all others. With `--beta` it is F-beta, while `f1` stays F1.

Sources: Sebastiani 2002 for micro and macro averages; Esuli and Sebastiani 2010, section 4.1, for the headline of `ts`
and `t`; Tjong Kim Sang and De Meulder 2003 for the overall F1 of exact match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

import numpy as np

from evenhand.arrays import Bools, Values
from evenhand.dataclass import dataclass
from evenhand.ranges import Count
from evenhand.scores.contingency import acceptor, contingency
from evenhand.scores.match_model import MatchModel, Sum
from evenhand.scores.prf import f_beta, prf_of_rows, ratio
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
    """Counts and the scores that follow from them. `row["TP"]` is a count."""

    counts: Mapping[str, float | None] = field(default_factory=dict)
    """None where a file does not know: true negatives without the lengths of sentences."""
    more: Mapping[str, float | None] = field(default_factory=dict)
    """Further scores, of models with true negatives: accuracy, specificity, false_positive_rate, kappa."""
    parts: Mapping[str, Row] = field(default_factory=dict)
    """The rows that this one is the mean of, where it is one."""

    def __getitem__(self, name: str) -> float:
        found = self.counts[name] if name in self.counts else self.more[name]
        if found is None:
            raise KeyError(f"{name} takes the lengths of sentences, which the files do not have")
        return found


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
        return self.correct / self.total if self.total else 0.0


@dataclass(frozen=True)
class Spread:
    """The mean and the standard deviation of a score over documents; None where no document has one."""

    mean: float | None
    deviation: float | None
    documents: Count


@dataclass(frozen=True)
class ModelScore:
    """What one match model says of one system."""

    model: MatchModel
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
    documents: Mapping[str, Spread] = field(default_factory=dict)
    """Precision, recall and F1 of each document, on average, where a model says which documents have them."""
    ranks: Mapping[str, Mapping[str, float]] | None = None
    """Errors of systems that rank their answers, by kind and the rank of the right answer."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Sentences that no score of the system counts, by their places, and why."""

    def __repr__(self) -> str:
        """One line with the headline; the result that this belongs to shows the tables."""
        if self.model.headline == "accuracy":
            figures = f"accuracy={self.headline:.4f}"
        else:
            name = "f1" if self.beta == 1 else "f_beta"
            figures = f"{name}={self.headline:.4f}, precision={self.precision:.4f}, recall={self.recall:.4f}"
        return f"ModelScore({self.name!r}, {figures}, labels={len(self.labels)})"

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def beta(self) -> float:
        return self.model.beta

    @property
    def headline(self) -> float:
        """The one number of this model: an accuracy, or F-beta (F1 unless beta is set), overall or as macro average."""
        return self.overall.recall if self.model.headline == "accuracy" else self._head.f_beta

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
    model: MatchModel,
    tally: Tally,
    support: Mapping[str, int],
    supertags: Mapping[str, Tally] | None = None,
    *,
    baselines: bool = False,
) -> ModelScore:
    """The scores of a tally; `support` is the number of gold spans by label, `supertags` are tallies of their own."""
    tally = tally.total()
    table = tally.by_label(model.focus)
    names = sorted(table.rows)
    counted = np.array([table.rows[label] for label in names]).reshape(-1, len(tally.kinds))
    rows = dict(zip(names, score_rows(model, tally, counted), strict=True))
    members = [row for label, row in rows.items() if support.get(label)]
    return ModelScore(
        model,
        score_row(model, tally, table.overall),
        *averages(rows, support),
        rows,
        supertags={
            name: score_row(model, each, each.by_label(model.focus).overall) for name, each in (supertags or {}).items()
        },
        baselines=_baselines(model, members) if baselines and model.contingency else {},
    )


def headlines(model: MatchModel, sums: Values) -> Values:
    """The headlines of many sums, (…, labels, what the model divides): of one label, or the mean over several."""
    if model.parts:
        return _mean_of_parts(model, sums)
    right, found, wanted, met = (
        sums[..., place] for place in (0, 1, 2, sums.shape[-1] - 1 if sums.shape[-1] > 3 else 0)
    )
    if model.headline == "accuracy":
        return ratio(met, wanted)[..., 0]
    values = f_beta(right, found, met, wanted, model.beta)
    if model.headline == "overall":
        return values[..., 0]
    occurs = wanted > 0
    return ratio(np.sum(values, axis=-1, where=occurs), occurs.sum(axis=-1))


def headline(model: MatchModel, tally: Tally, gold_labels: Sequence[str]) -> float:
    """The headline of all groups together."""
    return float(headlines(model, divided_table(model, tally.total(), gold_labels, 1))[0])


def divided_table(model: MatchModel, tally: Tally, gold_labels: Sequence[str], groups: int) -> Values:
    """By group and label (or for all labels together), what precision and recall divide."""
    return tally.by_group(groups, model.divided(), gold_labels if model.headline == "macro" else None)


def _mean_of_parts(model: MatchModel, sums: Values) -> Values:
    """The means of the headlines of parts, without those that the model leaves out."""
    values, counted, begin = [], [], 0
    for part in model.parts:
        size = len(part.divided())
        columns = sums[..., begin : begin + size]
        values.append(headlines(part, columns))
        counted.append(_is_counted(model, columns[..., 0, 1], columns[..., 0, 2]))
        begin += size
    return ratio(np.sum(values, axis=0, where=counted), np.sum(counted, axis=0))


def _is_counted(model: MatchModel, found: Values, wanted: Values) -> Bools:
    """Whether a part enters the mean, given what the system and the gold standard have of it."""
    if model.leaves_out is None:
        return np.ones(wanted.shape, dtype=np.bool_)
    return (wanted > 0) | (found > 0) if model.leaves_out == "absent from both" else wanted > 0


def score_row(model: MatchModel, tally: Tally, counts: Values) -> Row:
    """The scores of one row of counts by kind."""
    return score_rows(model, tally, counts[None])[0]


def score_rows(model: MatchModel, tally: Tally, table: Values) -> list[Row]:
    """The scores of rows of counts by kind, worked out as columns: a file may have thousands of labels."""
    if model.parts:
        parts = {part.name: score_rows(part, tally, table) for part in model.parts}
        return [_mean_row(model, dict(zip(parts, rows, strict=True))) for rows in zip(*parts.values(), strict=True)]
    column_of = dict(zip(tally.kinds, table.T, strict=True))

    def total(parts: Sum) -> Values:
        terms = (weight * column_of[kind] for kind, weight in parts.items() if kind in column_of)
        return sum(terms, start=np.zeros(len(table)))

    shown = {kind: _plain(total(parts)) for kind, parts in model.counts.items()}
    more: dict[str, list[float | None]] = {}
    if model.contingency:
        is_known = column_of["token.units"] > 0 if "token.units" in column_of else np.zeros(len(table), dtype=np.bool_)
        found = contingency({kind: total(parts) for kind, parts in model.contingency.items()})
        more = {name: _where(is_known, column.tolist()) for name, column in found.items()}
        shown["TN"] = _where(is_known, shown["TN"])
    if model.aligned:
        more["aligned_accuracy"] = list(ratio(total(model.met), total(model.aligned)).tolist())
    columns = prf_of_rows(total(model.right), total(model.found), total(model.met), total(model.wanted), model.beta)
    scores = zip(*(column.tolist() for column in columns), strict=True)
    rows = zip(scores, _rows(shown, len(table)), _rows(more, len(table)), strict=True)
    return [Row(p, r, f1, f_beta, counts, further) for (p, r, f1, f_beta), counts, further in rows]


def _mean_row(model: MatchModel, rows: Mapping[str, Row]) -> Row:
    """The mean of the rows of a model's parts."""
    has_both = model.leaves_out == "absent from both"
    counted = [row for row in rows.values() if model.leaves_out is None or row["key"] or (has_both and row["response"])]
    mean = _average(counted, [1] * len(counted))
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
    return _average(members, [1] * len(names)), _average(members, [support[label] for label in names])


def _average(rows: Sequence[Row], weights: Sequence[float]) -> Average:
    if not rows:
        return Average(0.0, 0.0, 0.0, 0.0)
    table = np.array([(row.precision, row.recall, row.f1, row.f_beta) for row in rows])
    return Average(*(float(value) for value in np.average(table, axis=0, weights=weights)))


def _baselines(model: MatchModel, rows: Sequence[Row]) -> dict[str, float | None]:
    shares = [row.more["positive"] for row in rows]
    known = [share for share in shares if share is not None]
    accepted = [acceptor(share, model.beta) for share in known]
    return {"rejector": 0.0, "acceptor": sum(accepted) / len(accepted) if accepted else None}
