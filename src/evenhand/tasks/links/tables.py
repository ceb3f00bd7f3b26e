"""The tables of entity links, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.problems import SettingError
from evenhand.scores.model_score import ModelScore
from evenhand.table import Cell, Column, Query, Table
from evenhand.table_style import PLAIN, TableStyle
from evenhand.tasks.error_bars import ErrorBars, errors_by_kind
from evenhand.tasks.links.kinds import ERROR_NAMES, KINDS
from evenhand.tasks.tables import Ask, label_table

if TYPE_CHECKING:
    from evenhand.result.comparison import Comparison
    from evenhand.result.pairs import Differences, Pair
    from evenhand.result.result import Result, Results


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[Table]:
    """A table by label for every model, means over documents, kinds of errors, ranks of right identifiers."""
    for score in result.scores.values():
        yield _by_label(result, score, style).folded()
    averaged = [score for score in result.scores.values() if "documents" in score.further]
    if averaged and result.gold.documents > 1:
        yield _documents(averaged)
    if "fair" in result.scores:
        yield _kinds(result, result["fair"])
        yield from _ranks(result["fair"])


def _by_label(result: Result, score: ModelScore, style: TableStyle) -> Table:
    """Counts and scores by label; of the gold standard, the links that the model looks at."""
    table = label_table(result, score, _asking(result, score.name), style)
    rows = [list(row) for row in table.rows]
    for cells, row in zip(rows, (*score.labels.values(), score.overall), strict=False):
        cells[1] = row.counts["gold"] if "gold" in row.counts else sum(row[kind] for kind in row.counts if kind != "FP")
    return replace(table, rows=rows)


def _asking(result: Result, model: str) -> Ask:
    return lambda label, count: query(result, model, count, label)


def query(result: Result, model: str, count: str, label: str | None = None) -> Query | None:
    """The links behind a count of the kinds of errors; other models count other units."""
    if model != "fair":
        return None
    if count == "gold":
        return Query(result.name, of="gold", gold=label)
    if count not in KINDS:
        return None
    if count == "FP" and label is not None:
        return Query(result.name, kind=count, label=label)
    return Query(result.name, kind=count, gold=label)


def _documents(scores: list[ModelScore]) -> Table:
    """Means over documents."""
    measures = {"precision": "prec.", "recall": "recall", "f1": "F1"}
    columns = [Column("means over documents", "text")]
    columns += [Column(name, "percent") for measure in measures.values() for name in (measure, "±")]
    rows: list[list[Cell]] = []
    for score in scores:
        spreads = [score.further["documents"][measure] for measure in measures]
        rows.append([score.name, *(each[name] for each in spreads for name in ("mean", "deviation"))])
    return Table("means over documents", columns, rows, remark="±: the standard deviation.")


def _kinds(result: Result, score: ModelScore) -> Table:
    """How the errors divide."""
    errors = sum(score.overall[kind] for kind in ERROR_NAMES)
    columns = [Column("kind of error", "text"), Column("count", "count"), Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for kind, name in ERROR_NAMES.items():
        share = score.overall[kind] / errors if errors else 0.0
        rows.append([f"{kind:<10}{name}", score.overall[kind], share, share])
    queries = [[Query(result.name, kind=kind)] * len(columns) for kind in ERROR_NAMES]
    return Table(f"kinds of errors ({score.name})", columns, rows, queries=queries)


def _ranks(score: ModelScore) -> Iterator[Table]:
    """At which rank right identifiers are, where the first one is wrong."""
    ranks = score.further["ranks"]
    names = list(dict.fromkeys(rank for row in ranks.values() for rank in row))
    names.sort(key=lambda rank: (not rank.isdecimal(), int(rank) if rank.isdecimal() else 0))
    if not any(name.isdecimal() for name in names):
        return
    columns = [Column("rank of the right identifier", "text"), *(Column(name, "count") for name in names)]
    rows: list[list[Cell]] = [[f"LE.{error}", *(row.get(name, 0) for name in names)] for error, row in ranks.items()]
    yield Table("ranks", columns, rows)


def error_bars(results: Results, by: str | None = None) -> ErrorBars:
    """The kinds of linking errors."""
    if "fair" not in results.models:
        raise SettingError("The kinds of linking errors come from the match model fair; score with it too.")
    return errors_by_kind(results, ["fair"], ERROR_NAMES, query)


def transitions(comparison: Comparison, pair: Pair, found: Differences) -> Table:
    """What verdicts were and became, whatever the identifiers."""
    counts: Counter[tuple[str, str]] = Counter()
    for each in found.transitions:
        counts[each.before.partition(" ")[0], each.after.partition(" ")[0]] += each.count
    columns = [Column(pair.before, "text"), Column(pair.after, "text"), Column("count", "count")]
    columns += [Column("% of these", "share"), Column("% of all", "share")]
    rows: list[list[Cell]] = [
        [before, after, count, count / found.count, count / pair.different]
        for (before, after), count in counts.most_common()
    ]
    return Table("", columns, rows)
