"""The tables of entity links, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.alignment.documents import AlignmentIssues
from evenhand.data.annotation import ReadInfo
from evenhand.errors import SettingError
from evenhand.scoring.scores import MeasureScore
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings
from evenhand.tables import PLAIN, Cell, Column, Query, Table, TableStyle
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.links.matching import RESPELLED, UNLINKED
from evenhand.tasks.links.task import ERROR_NAMES, KINDS
from evenhand.tasks.tables import (
    ErrorBars,
    document_notes,
    errors_by_kind,
    label_notes,
    label_table,
    reading_notes,
    unit_notes,
)

if TYPE_CHECKING:
    from evenhand.results.comparison import Comparison, Differences, Pair
    from evenhand.results.result import GoldSummary, Result, Results

# == tasks/links/notes.py: What a reader of scores of links should know about the files


def notes(
    gold: GoldSummary, gold_count: SideSummary, name: str, side: SideSummary, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Documents, words and links that are not as they should be."""
    mismatches = side.mismatches or AlignmentIssues()
    found = reading_notes("gold", gold.name, gold.reading, read_as.repair)
    found += reading_notes("system", name, side.reading or ReadInfo(), read_as.repair)
    found += document_notes(name, mismatches)
    if mismatches.by_order:
        found.append(f"system {name}: no document has a name of the gold standard's, so that the order counts.")
    if mismatches.words:
        words = "1 token is" if mismatches.words == 1 else f"{mismatches.words:,} tokens are"
        found.append(f"system {name}: {words} spelled otherwise than in the gold standard ({mismatches.first_word}).")
    if respelled := side.noted[RESPELLED]:
        links = "1 link is" if respelled == 1 else f"{respelled:,} links are"
        found.append(f"system {name}: under hipe-strict, {links} wrong only as tokens are spelled otherwise.")
    found += _unlinked("gold", gold.name, gold_count) + _unlinked("system", name, side)
    found += unit_notes(gold, name, side.units, "link", identical=identical)
    return (*found, *label_notes(gold, name, side.labels, "link"))


def _unlinked(which: str, name: str, side: SideSummary) -> list[str]:
    count = side.noted[UNLINKED]
    spans = "1 span has no link and takes" if count == 1 else f"{count:,} spans have no link and take"
    return [f"{which} {name}: {spans} no part."] if count else []


def is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all links are right."""
    judges = [judge for judge in ("fair", "typed_all", "all") if judge in tallies and len(tallies[judge])]
    return bool(judges) and all(tallies[judge].kinds_met <= {"TP"} for judge in judges)


# == tasks/links/tables.py (primary)


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


def _by_label(result: Result, score: MeasureScore, style: TableStyle) -> Table:
    """Counts and scores by label; of the gold standard, the links that the model looks at."""
    table = label_table(result, score, query, style)
    rows = [list(row) for row in table.rows]
    for cells, row in zip(rows, (*score.labels.values(), score.overall), strict=False):
        cells[1] = row.counts["gold"] if "gold" in row.counts else sum(row[kind] for kind in row.counts if kind != "FP")
    return replace(table, rows=rows)


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


def _documents(scores: list[MeasureScore]) -> Table:
    """Means over documents."""
    measures = {"precision": "prec.", "recall": "recall", "f1": "F1"}
    columns = [Column("means over documents", "text")]
    columns += [Column(name, "percent") for measure in measures.values() for name in (measure, "±")]
    rows: list[list[Cell]] = []
    for score in scores:
        spreads = [score.further["documents"][measure] for measure in measures]
        rows.append([score.name, *(spread[name] for spread in spreads for name in ("mean", "deviation"))])
    return Table("means over documents", columns, rows, remark="±: the standard deviation.")


def _kinds(result: Result, score: MeasureScore) -> Table:
    """How the errors divide."""
    errors = sum(score.overall[kind] for kind in ERROR_NAMES)
    columns = [Column("kind of error", "text"), Column("count", "count"), Column("%", "share"), Column("", "bar")]
    rows: list[list[Cell]] = []
    for kind, name in ERROR_NAMES.items():
        share = score.overall[kind] / errors if errors else 0.0
        rows.append([f"{kind:<10}{name}", score.overall[kind], share, share])
    queries = [[Query(result.name, kind=kind)] * len(columns) for kind in ERROR_NAMES]
    return Table(f"kinds of errors ({score.name})", columns, rows, queries=queries)


def _ranks(score: MeasureScore) -> Iterator[Table]:
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
    for transition in found.transitions:
        counts[transition.before.partition(" ")[0], transition.after.partition(" ")[0]] += transition.count
    columns = [Column(pair.before, "text"), Column(pair.after, "text"), Column("count", "count")]
    columns += [Column("% of these", "share"), Column("% of all", "share")]
    rows: list[list[Cell]] = [
        [before, after, count, count / found.count, count / pair.different]
        for (before, after), count in counts.most_common()
    ]
    return Table("", columns, rows)
