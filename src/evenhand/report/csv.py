"""Results as CSV: one row a system, model and label, with `overall`, `macro` and `support` as rows of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from evenhand.result.result import Result, Results
from evenhand.scores.spans import Average, ModelScore, Row

COUNTS = ("TP", "FP", "FN", "LE", "BE", "BES", "BEL", "BEO", "LBE")
COLUMNS = ("system", "model", "row", "label", "gold", "predicted", *COUNTS, "precision", "recall", "f1", "f_beta")
"""`row` tells labels (`label`) from `overall`, `macro` and `support`, whatever labels are called."""


def render(results: Results) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for result in results.values():
        for score in result.scores.values():
            writer.writerows(_rows(result, score))
    return file.getvalue()


def _rows(result: Result, score: ModelScore) -> Iterator[list[object]]:
    name, gold = (result.name, score.name), result.gold
    yield [*name, "overall", "", gold.units, result.units, *_counts(score.overall), *_scores(score.overall)]
    for kind, average in (("macro", score.macro), ("support", score.support)):
        yield [*name, kind, "", "", "", *[""] * len(COUNTS), *_scores(average)]
    for label, row in score.labels.items():
        sizes = gold.labels.get(label, 0), result.labels.get(label, 0)
        yield [*name, "label", label, *sizes, *_counts(row), *_scores(row)]


def _counts(row: Row) -> list[object]:
    return [row.counts.get(kind, "") for kind in COUNTS]


def _scores(average: Average) -> list[object]:
    return [average.precision, average.recall, average.f1, average.f_beta]
