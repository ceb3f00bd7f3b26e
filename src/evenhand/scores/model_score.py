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

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from math import nan
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Values
from evenhand.dataclass import dataclass
from evenhand.ranges import Count
from evenhand.scores.contingency import acceptor
from evenhand.scores.match_model import MatchModel
from evenhand.scores.prf import f_beta, ratio
from evenhand.scores.row import Average, Row, averages, headline_of, score_row, score_rows
from evenhand.tally import Tally


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
    further: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What else a task says, by name and as the JSON has it, such as the `ranks` of right links."""

    def __repr__(self) -> str:
        """One line with the headline; the result that this belongs to shows the tables."""
        if self.model.is_measured:
            figures = ", ".join(f"{each.name}={self._shown(each.name)}" for each in self.model.measures)
        elif self.model.headline == "accuracy":
            figures = f"accuracy={self.headline:.4f}"
        else:
            name = "f1" if self.beta == 1 else "f_beta"
            figures = f"{name}={self.headline:.4f}, precision={self.precision:.4f}, recall={self.recall:.4f}"
        return f"ModelScore({self.name!r}, {figures}, labels={len(self.labels)})"

    def adding(self, name: str, details: Mapping[str, Any]) -> ModelScore:
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
    model: MatchModel,
    tally: Tally,
    support: Mapping[str, int],
    supertags: Mapping[str, Tally] | None = None,
    *,
    baselines: bool = False,
    is_empty: bool = False,
) -> ModelScore:
    """The scores of a tally; `support` is the number of gold spans by label, `supertags` are tallies of their own.

    `is_empty` tells that the gold standard has no unit, which makes the overall scores undefined.
    """
    tally = tally.total()
    table = tally.by_label(model.focus, shares_unlabeled=model.shares_unlabeled)
    names, of_labels = sorted(table.rows), model.of_labels()
    *scored, overall = score_rows(of_labels, tally, np.array([*(table.rows[label] for label in names), table.overall]))
    rows = dict(zip(names, scored, strict=True))
    members = [row for label, row in rows.items() if support.get(label)]
    return ModelScore(
        model,
        overall if of_labels is model and not is_empty else score_row(model, tally, table.overall, is_empty=is_empty),
        *averages(rows, support),
        rows,
        supertags={name: score_tally(model.of_labels(), each, {}).overall for name, each in (supertags or {}).items()},
        baselines=_baselines(model, members) if baselines and model.contingency else {},
    )


def headlines(model: MatchModel, sums: Values) -> Values:
    """The headlines of many sums, (…, labels, what the model divides): of one label, or the mean over several."""
    if model.parts:
        return _mean_of_parts(model, sums)
    right, found, wanted, met = (
        sums[..., place] for place in (0, 1, 2, sums.shape[-1] - 1 if sums.shape[-1] > 3 else 0)
    )
    if model.headline in ("accuracy", "measure"):
        return ratio(met, wanted)[..., 0]
    values = f_beta(right, found, met, wanted, model.beta)
    if model.headline == "overall":
        return values[..., 0]
    occurs = wanted > 0
    return ratio(np.sum(values, axis=-1, where=occurs), occurs.sum(axis=-1))


def headline(model: MatchModel, tally: Tally, gold_labels: Sequence[str], *, is_empty: bool = False) -> float:
    """The headline of all groups together; NaN if the gold standard has no unit and the model wants nothing of it."""
    sums = divided_table(model, tally.total(), gold_labels, 1)
    return nan if is_empty and not _wanted(model, sums) else float(headlines(model, sums)[0])


def _wanted(model: MatchModel, sums: Values) -> bool:
    """Whether the gold standard has anything that the model, or one of its parts, counts."""
    begins = np.cumsum([0, *(len(part.divided()) for part in model.parts[:-1])])
    return bool(sums[..., begins + 2].any())


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


def _baselines(model: MatchModel, rows: Sequence[Row]) -> dict[str, float | None]:
    shares = [row.more["positive"] for row in rows]
    known = [share for share in shares if share is not None]
    accepted = [acceptor(share, model.beta) for share in known]
    return {"rejector": 0.0, "acceptor": sum(accepted) / len(accepted) if accepted else None}
