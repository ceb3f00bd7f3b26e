"""The tables of a result, as data: every output format renders these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from evenhand.report.style import PLAIN, TableStyle
from evenhand.result.result import Result, Results
from evenhand.scores.model_score import Average, ModelScore, Row
from evenhand.tally import NO_LABEL

Cell = str | float | None
Kind = Literal["text", "label", "count", "percent", "share", "bar"]
"""Text stands on the left of its column, labels and numbers on the right.

A percent is a score, which may be shown as a fraction, too; a share is a percentage whatever scores are.
"""

MATRIX = "gold \\ system"
"""How the first column of a confusion matrix is headed."""
MOST_LABELS = 10
"""How many labels a confusion matrix shows: what fits into a terminal."""
MOST_ROWS = 50
"""How many labels are listed; lemmas can be tags, too."""
COUNT_NAMES = {"gold_hits": "gold hit", "system_hits": "system hits", "system": "found"}
SHOWN_SCORES = {"accuracy": "acc.", "specificity": "spec.", "kappa": "kappa"}
"""The scores of contingency tables that fit beside the others, and their short names."""
ERROR_NAMES = {
    "LE": "wrong label",
    "BES": "boundaries too narrow",
    "BEL": "boundaries too wide",
    "BEO": "boundaries cross",
    "LBE": "wrong label and boundaries",
    "FN": "missing",
    "FP": "spurious",
}


@dataclass(frozen=True)
class Column:
    name: str
    kind: Kind


@dataclass(frozen=True)
class Table:
    """Named columns and rows, of which the last `summary_rows` sum up the others.

    The title stands in place of the first column's name, where there is one; `remark` stands below. `rivals` are the
    rows of systems among which the best score of every column is set off, and where systems are `beside` each other,
    the best of every row is. `weights` says how frequent the rows are, where there may be too many to show.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    summary_rows: int = 0
    remark: str = ""
    rivals: Sequence[Sequence[int]] = ()
    beside: bool = False
    weights: Sequence[float] = ()


def summary(results: Results) -> Table:
    """All systems under all models: precision, recall and F side by side."""
    many = len(results) > 1
    columns = [Column("system", "text")] if many else []
    columns.append(Column("model", "text"))
    columns += score_columns(results)
    rows: list[list[Cell]] = []
    for name, result in results.items():
        for place, score in enumerate(result.scores.values()):
            shown: list[Cell] = [name if place == 0 else ""] if many else []
            is_macro = score.model.headline == "macro"
            average = score.macro if is_macro else score.overall
            rows.append(
                [*shown, f"{score.name} (macro)" if is_macro else score.name, *score_cells(average, score.beta)]
            )
    models = len(results.models)
    rivals = [range(model, len(rows), models) for model in range(models)] if many else ()
    return Table("", columns, rows, rivals=rivals)


def tables(result: Result, style: TableStyle = PLAIN) -> Iterator[Table]:
    """Everything about one system: a table a model, the error types, the confusion matrix."""
    for score in result.scores.values():
        if score.name != "accuracy":
            yield of_labels(result, score, style=style)
    fair = result.scores.get("fair") or result.scores.get("weighted")
    if fair is not None:
        yield _error_types(result, fair)
        yield confusion(fair, "confusion (errors only)", ("FN", "FP"))


def score_columns(results: Results | Result) -> list[Column]:
    """The columns of precision, recall and F."""
    beta = results.beta
    names = ["prec.", "recall", "F1"] + ([f"F{beta:g}"] if beta != 1 else [])
    return [Column(name, "percent") for name in names]


def score_cells(average: Average, beta: float) -> list[Cell]:
    found: list[Cell] = [average.precision, average.recall, average.f1]
    return found if beta == 1 else [*found, average.f_beta]


def of_labels(result: Result, score: ModelScore, unit: str = "label", style: TableStyle = PLAIN) -> Table:
    """Counts and scores by label, then overall and the averages."""
    kinds = [kind for kind in score.model.counts if kind not in ("BE", "gold")]
    more = [name for name in SHOWN_SCORES if name in score.overall.more]
    columns = [Column(unit, "text"), Column("gold", "count")]
    columns += [Column(COUNT_NAMES.get(kind, kind), "count") for kind in kinds] + score_columns(result)
    columns += [Column(SHOWN_SCORES[name], "percent") for name in more]

    def cells(row: Row) -> list[Cell]:
        return [
            *(row.counts[kind] for kind in kinds),
            *score_cells(row, score.beta),
            *(row.more[name] for name in more),
        ]

    rows: list[list[Cell]] = [
        [label, result.gold.labels.get(label, 0), *cells(row)] for label, row in score.labels.items()
    ]
    nothing: list[Cell] = [None] * (len(kinds) + 1)
    blank: list[Cell] = [None] * len(more)
    rows.append(["overall", result.gold.units, *cells(score.overall)])
    rows.append(["macro average", *nothing, *score_cells(score.macro, score.beta), *blank])
    rows.append(["support average", *nothing, *score_cells(score.support, score.beta), *blank])
    rows += [[f"{name} (supertag)", None, *cells(row)] for name, row in score.supertags.items()]
    weights = [result.gold.labels.get(label, 0) for label in score.labels]
    remark = _baselines(score, style)
    return Table(score.name, columns, rows, 3 + len(score.supertags), remark, weights=weights)


def _baselines(score: ModelScore, style: TableStyle) -> str:
    found = {name: "unknown" if value is None else style.score(value) for name, value in score.baselines.items()}
    listed = ", ".join(f"{name} {value}" for name, value in found.items())
    return f"Trivial baselines, macro F: {listed}." if listed else ""


def _error_types(result: Result, score: ModelScore) -> Table:
    """How the errors divide; the traditional view beside the fair one, where it was scored."""
    errors = sum(score.overall[kind] for kind in ERROR_NAMES)
    columns = [Column("error type", "text"), Column("count", "count"), Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for kind, name in ERROR_NAMES.items():
        share = score.overall[kind] / errors if errors else 0.0
        rows.append([f"{kind:<4}{name}", score.overall[kind], share, share])
    remark = ""
    if "exact" in result.scores:
        fp, fn = result["exact"].overall["FP"], result["exact"].overall["FN"]
        if fp + fn:
            shares = f"{fp:,.0f} FP ({fp / (fp + fn):.0%}) and {fn:,.0f} FN ({fn / (fp + fn):.0%})"
            remark = f"Exact match counts {shares} instead."
    return Table(f"error types ({score.name})", columns, rows, remark=remark)


def confusion(score: ModelScore, title: str, one_sided: tuple[str, str]) -> Table:
    """Gold labels as rows, system labels as columns; errors only, so that the diagonal holds boundary errors.

    `one_sided` is what units are called that only the gold standard or only the system has.
    """
    cells = score.confusion or {}
    weight = _errors_by_label(score)
    shown = sorted(sorted(weight, key=lambda label: -weight[label])[:MOST_LABELS])
    columns = [Column(MATRIX, "text"), *(Column(label, "count") for label in shown)]
    columns.append(Column(one_sided[0], "count"))
    rows: list[list[Cell]] = [
        [label, *(cells.get(label, {}).get(other, 0) for other in (*shown, NO_LABEL))] for label in shown
    ]
    rows.append([one_sided[1], *(cells.get(NO_LABEL, {}).get(other, 0) for other in shown), None])
    remark = ""
    if len(shown) < len(weight):
        remark = f"The {len(shown)} labels with the most errors of {len(weight)}; --as json has them all."
    return Table(title, columns, rows, remark=remark)


def _errors_by_label(score: ModelScore) -> dict[str, float]:
    """In how many errors each label is on either side; twice in those that have it on both."""
    found = dict.fromkeys(score.labels, 0.0)
    for gold, row in (score.confusion or {}).items():
        for system, count in row.items():
            for label in (gold, system):
                if label in found:
                    found[label] += count
    return found


def folded(table: Table) -> Table:
    """The most frequent rows and those that sum up, if there are too many for a screen."""
    labels = len(table.weights)
    if labels <= MOST_ROWS:
        return table
    kept = sorted(sorted(range(labels), key=lambda row: -table.weights[row])[:MOST_ROWS])
    rows = [table.rows[row] for row in (*kept, *range(labels, len(table.rows)))]
    hint = f"The {MOST_ROWS} most frequent of {labels:,}; --as json has them all."
    return replace(table, rows=rows, remark=f"{hint} {table.remark}".strip(), weights=())
