"""The tables of coreference chains, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from evenhand.problems import SettingError
from evenhand.scores.model_score import ModelScore
from evenhand.table import Cell, Column, Query, Table
from evenhand.table_style import PLAIN, TableStyle
from evenhand.tasks.chains.kinds import ARCS, ARCS_KINDS, ERROR_NAMES, NOUNS
from evenhand.tasks.error_bars import ErrorBars, errors_by_kind
from evenhand.tasks.registry import model_title
from evenhand.tasks.tables import label_tables, score_cells, score_columns, side_by_side

if TYPE_CHECKING:
    from evenhand.result.comparison import Comparison
    from evenhand.result.pairs import Differences, Pair
    from evenhand.result.result import Result, Results

_LEGEND = (
    "tp: a right antecedent; wl: a wrong one; fn: none where the key has one; fp: one where the key has none; tn: none."
)
_MOST_TYPES = 5
"""How many types of mentions have a column each."""


def summary(results: Results) -> Iterator[Table]:
    """All systems under all scores: in full for one, else the F1."""
    if len(results) == 1:
        yield _scores(next(iter(results.values())))
    else:
        yield side_by_side(results, f"F{results.beta:g}", results.models, lambda score: score.headline)


def _scores(result: Result) -> Table:
    """Precision, recall and F1 under every score."""
    rows: list[list[Cell]] = [
        [model_title(result.settings.task, name), *score_cells(score.overall, score.beta)]
        for name, score in result.scores.items()
    ]
    return Table("score", [Column("score", "text"), *score_columns(result)], rows)


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[Table]:
    """All about one system that is not in the summary: what became of mentions."""
    if not alone:
        yield _scores(result)
    shown = [result[name] for name in ARCS if name in result.scores]
    for score in shown:
        yield _arcs(result, score, _LEGEND if score is shown[-1] else "")
    yield from label_tables(result, style, [name for name in result.scores if name not in ARCS])


def _arcs(result: Result, score: ModelScore, remark: str) -> Table:
    """What became of mentions, by type."""
    title = model_title(result.settings.task, score.name)
    columns = [Column(title, "text"), *(Column(kind, "count") for kind in ARCS_KINDS), *score_columns(result)]
    weight = result.gold.labels
    order = sorted(score.labels, key=lambda name: (name != NOUNS, -weight.get(name, 0), name))
    found = [*((name, name, score.labels[name]) for name in order), ("overall", None, score.overall)]
    rows: list[list[Cell]] = [
        [name, *(row.counts[kind] for kind in ARCS_KINDS), *score_cells(row, score.beta)] for name, _, row in found
    ]
    kinds = ("", *ARCS_KINDS, *[""] * (len(columns) - len(ARCS_KINDS) - 1))
    queries = [[query(result, score.name, kind, label) for kind in kinds] for _, label, _ in found]
    weights = [weight.get(name, 0) for name in order]
    return Table(title, columns, rows, 1 if order else 0, remark, weights=weights, queries=queries)


def query(result: Result, model: str, kind: str, label: str | None = None) -> Query | None:
    """The mentions behind a count; a page does not list those that nobody resolves."""
    return None if kind == "tn" else Query(result.name, kind=kind or None, gold=label, by=model)


def error_bars(results: Results, by: str | None = None) -> ErrorBars:
    """Wrong, missing and spurious antecedents under ARCS."""
    models = [model for model in ARCS if model in results.models]
    if not models:
        raise SettingError("The errors of chains come from the scores arcs_any and arcs_nom; score with one of them.")
    return errors_by_kind(results, models, ERROR_NAMES, query)


def transitions(comparison: Comparison, pair: Pair, found: Differences) -> Table:
    """What verdicts were and became, with the types of mentions beside it."""
    types = _types(comparison, pair)
    counts: Counter[tuple[str, str]] = Counter()
    by_type: Counter[tuple[str, str, str]] = Counter()
    for each in found.transitions:
        counts[each.before, each.after] += each.count
        by_type[each.before, each.after, each.gold] += each.count
    columns = [Column(pair.before, "text"), Column(pair.after, "text"), Column("count", "count")]
    columns += [Column("% of these", "share"), Column("% of all", "share")]
    columns += [Column(name, "count") for name in types]
    rows: list[list[Cell]] = []
    queries = []
    for (before, after), count in counts.most_common():
        shares: list[Cell] = [count / found.count, count / pair.different]
        rows.append([before, after, count, *shares, *(by_type[before, after, name] for name in types)])
        asked = [*[None] * (len(columns) - len(types)), *types]
        queries.append([pair.query(found.name, gold=name, before=before, after=after) for name in asked])
    return Table("", columns, rows, queries=queries)


def _types(comparison: Comparison, pair: Pair) -> list[str]:
    """The types of mentions that the systems differ in, nouns and the most frequent ones first; none without POS."""
    if not comparison.gold.labels:
        return []
    counts: Counter[str] = Counter()
    for found in pair.classes.values():
        for each in found.transitions:
            counts[each.gold] += each.count
    order = sorted(counts, key=lambda name: (name != NOUNS, -counts[name], name))
    return order[:_MOST_TYPES]
