"""The tables of coreference chains, as data."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.report.tables import Cell, Column, Table, score_cells, score_columns
from evenhand.result.result import Result, Results
from evenhand.scores.model_score import ModelScore
from evenhand.tasks.chains.kinds import ARCS, ARCS_KINDS, NOUNS
from evenhand.tasks.chains.models import MODELS

CHAIN_NAMES = dict(
    zip(
        [model.name for model in MODELS],
        ("mentions", "MUC", "B³", "CEAFm", "CEAFe", "BLANC", "LEA", "MELA", "ARCS any", "ARCS nom"),
        strict=True,
    )
)
"""What the literature calls these scores."""
ARCS_LEGEND = (
    "tp: a right antecedent; wl: a wrong one; fn: none where the key has one; fp: one where the key has none; tn: none."
)
_MOST_COLUMNS = 5
"""With how many systems each has a column; with more, it has a row."""


def chain_summary(results: Results) -> Table:
    """All systems under all scores: in full for one, else the F1."""
    if len(results) == 1:
        return scores_of(next(iter(results.values())))
    head = f"F{results.beta:g}"
    beside = len(results) <= _MOST_COLUMNS
    if beside:
        columns = [Column(head, "text"), *(Column(name, "percent") for name in results)]
        rows: list[list[Cell]] = [
            [CHAIN_NAMES[model], *(result[model].headline for result in results.values())] for model in results.models
        ]
    else:
        columns = [Column(head, "text"), *(Column(CHAIN_NAMES[model], "percent") for model in results.models)]
        rows = [[name, *(result[model].headline for model in results.models)] for name, result in results.items()]
    return Table(head, columns, rows, rivals=() if beside else [range(len(rows))], beside=beside)


def scores_of(result: Result) -> Table:
    """Precision, recall and F1 under every score."""
    rows: list[list[Cell]] = [
        [CHAIN_NAMES[name], *score_cells(score.overall, score.beta)] for name, score in result.scores.items()
    ]
    return Table("score", [Column("score", "text"), *score_columns(result)], rows)


def chain_tables(result: Result, *, alone: bool) -> Iterator[Table]:
    """All about one system that is not in the summary, where it is alone there or not."""
    if not alone:
        yield scores_of(result)
    shown = [result[name] for name in ARCS if name in result.scores]
    for score in shown:
        yield _arcs(result, score, ARCS_LEGEND if score is shown[-1] else "")


def _arcs(result: Result, score: ModelScore, remark: str) -> Table:
    """What became of mentions, by type."""
    columns = [Column(CHAIN_NAMES[score.name], "text"), *(Column(kind, "count") for kind in ARCS_KINDS)]
    order = sorted(score.labels, key=lambda name: (name != NOUNS, -result.gold.labels.get(name, 0), name))
    rows: list[list[Cell]] = []
    for name, row in [*((name, score.labels[name]) for name in order), ("overall", score.overall)]:
        rows.append([name, *(row.counts[kind] for kind in ARCS_KINDS), *score_cells(row, score.beta)])
    summary = 1 if order else 0
    weights = [result.gold.labels.get(name, 0) for name in order]
    return Table(CHAIN_NAMES[score.name], [*columns, *score_columns(result)], rows, summary, remark, weights=weights)
