"""Scores of span match models: what their tallies amount to, overall, by label, and on average."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evenhand.scores.prf import prf
from evenhand.scores.weights import PRESETS, Weights
from evenhand.settings import Focus
from evenhand.tally import NO_LABEL, Tally

Counts = dict[str, float]
EXACT_KINDS = ("TP", "FP", "FN")
FAIR_KINDS = ("TP", "LE", "BES", "BEL", "BEO", "LBE", "FN", "FP")
BOUNDARY_KINDS = ("BES", "BEL", "BEO")


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

    counts: Mapping[str, float] = field(default_factory=dict)

    def __getitem__(self, kind: str) -> float:
        return self.counts[kind]


@dataclass(frozen=True)
class ModelScore:
    """What one match model says of one system."""

    name: str
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
    beta: float = 1.0

    @property
    def headline(self) -> float:
        """The one number of this model: overall F-beta, which is F1 unless beta was set."""
        return self.overall.f_beta

    @property
    def precision(self) -> float:
        return self.overall.precision

    @property
    def recall(self) -> float:
        return self.overall.recall

    @property
    def f1(self) -> float:
        return self.overall.f1


def exact_score(tally: Tally, support: Mapping[str, int], beta: float = 1.0) -> ModelScore:
    """Precision, recall and F under exact match: every pair of unequal spans is an FN and an FP."""
    counts = _by_label(tally, "target", EXACT_KINDS)
    return _score("exact", counts, PRESETS["fair"], support, beta, EXACT_KINDS)


def fair_score(
    tally: Tally,
    support: Mapping[str, int],
    *,
    name: str = "fair",
    weights: Weights = PRESETS["fair"],
    focus: Focus = "target",
    beta: float = 1.0,
) -> ModelScore:
    """Precision, recall and F of fair verdicts under a weight table, with the confusion matrix.

    Everything but FP counts for the gold label; with the focus on the system, LE and LBE count for the system's.
    """
    counts = _by_label(tally, focus, FAIR_KINDS)
    score = _score(name, counts, weights, support, beta, FAIR_KINDS)
    return ModelScore(
        name, score.overall, score.macro, score.support, score.labels, _confusion(tally), _edges(tally), beta
    )


def _by_label(tally: Tally, focus: Focus, kinds: Sequence[str]) -> dict[str, Counts]:
    """Counts by label and kind, the parts behind points joined; labels in the order of their names."""
    found: dict[str, Counts] = defaultdict(lambda: dict.fromkeys(kinds, 0))
    for (_, gold, system, kind), count in tally.total().cells().items():
        base = kind.partition(".")[0]
        for label in (gold, system):
            if label != NO_LABEL:
                found[label][base] += 0
        label = system if gold == NO_LABEL or (focus == "system" and base in ("LE", "LBE")) else gold
        found[label][base] += count
    return dict(sorted(found.items()))


def _score(
    name: str,
    counts: Mapping[str, Counts],
    weights: Weights,
    support: Mapping[str, int],
    beta: float,
    kinds: Sequence[str],
) -> ModelScore:
    total = {kind: sum(row[kind] for row in counts.values()) for kind in kinds}
    rows = {label: _row(row, weights, beta) for label, row in counts.items()}
    gold_labels = [label for label in rows if support.get(label)]
    members = [rows[label] for label in gold_labels]
    return ModelScore(
        name,
        _row(total, weights, beta),
        _average(members, [1] * len(members)),
        _average(members, [support[label] for label in gold_labels]),
        rows,
        beta=beta,
    )


def _row(counts: Counts, weights: Weights, beta: float) -> Row:
    precision, recall, f1, f_beta = (float(value) for value in prf(*weights.apply(counts), beta))
    shown = dict(counts)
    if "BES" in counts:
        shown["BE"] = sum(counts[kind] for kind in BOUNDARY_KINDS)
    return Row(precision, recall, f1, f_beta, shown)


def _average(rows: Sequence[Row], weights: Sequence[float]) -> Average:
    if not rows:
        return Average(0.0, 0.0, 0.0, 0.0)
    table = np.array([(row.precision, row.recall, row.f1, row.f_beta) for row in rows])
    return Average(*(float(value) for value in np.average(table, axis=0, weights=weights)))


def _confusion(tally: Tally) -> dict[str, dict[str, float]]:
    """Errors by gold and system label: LE and LBE off the diagonal, BE on it, FN under "", FP in the row ""."""
    found: dict[str, dict[str, float]] = {}
    for (_, gold, system, kind), count in sorted(tally.total().cells().items()):
        if kind != "TP":
            row = found.setdefault(gold, {})
            row[system] = row.get(system, 0) + count
    return found


def _edges(tally: Tally) -> dict[str, dict[str, float]]:
    """BE and LBE by the boundary that agrees (Ortmann 2022, footnote 2)."""
    found = {kind: dict.fromkeys(("left", "right", "none"), 0.0) for kind in ("BE", "LBE")}
    for (*_, kind), count in tally.total().cells().items():
        base, _, edge = kind.partition(".")
        if base in BOUNDARY_KINDS or base == "LBE":
            found["LBE" if base == "LBE" else "BE"][edge or "none"] += count
    return {kind: {edge: int(count) for edge, count in row.items()} for kind, row in found.items()}
