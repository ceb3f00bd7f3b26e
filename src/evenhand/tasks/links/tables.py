"""Tables, notes and error distributions of entity links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evenhand.alignment.documents import AlignmentIssues
from evenhand.errors import SettingError, counted
from evenhand.scoring.scores import MeasureScore
from evenhand.settings import ReadSettings
from evenhand.tables import PLAIN, Cell, Column, DisplayTable, Query, TableStyle
from evenhand.tasks import tables as shared
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.links.matching import RESPELLED, UNLINKED
from evenhand.tasks.links.task import ERROR_NAMES, KINDS, NO_RANK, rank_order

if TYPE_CHECKING:
    from evenhand.results.result import GoldSummary, Result, Results


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[DisplayTable]:
    """A table by label for every measure, means over documents, error types, and ranks of right identifiers."""
    for score in result.scores.values():
        yield shared.label_table(result, score, query, style, support=shared.gold_units).folded()
    averaged = [score for score in result.scores.values() if "documents" in score.further]
    if averaged and result.gold.documents > 1:
        yield _documents(averaged)
    if "fair" in result.scores:
        yield shared.error_type_table(result, result["fair"], ERROR_NAMES, "kinds of errors (fair)")
        yield from _ranks(result["fair"])


def query(result: Result, model: str, count: str, label: str | None = None) -> Query | None:
    """The links of a count of error types; other measures count other units."""
    if model != "fair" or count not in ("gold", *KINDS):
        return None
    if count == "gold":
        return Query(result.name, of="gold", gold=label)
    if count == "FP" and label is not None:
        return Query(result.name, kind=count, label=label)
    return Query(result.name, kind=count, gold=label)


def _documents(scores: list[MeasureScore]) -> DisplayTable:
    measures = {"precision": "prec.", "recall": "recall", "f1": "F1"}
    columns = [Column("means over documents", "text")]
    columns += [Column(name, "percent") for measure in measures.values() for name in (measure, "±")]
    rows: list[list[Cell]] = []
    for score in scores:
        means = [score.further["documents"][measure] for measure in measures]
        rows.append([score.name, *(mean[name] for mean in means for name in ("mean", "deviation"))])
    return DisplayTable("means over documents", columns, rows, remark="±: the standard deviation.")


def _ranks(score: MeasureScore) -> Iterator[DisplayTable]:
    ranks = score.further["ranks"]
    names = sorted({rank for row in ranks.values() for rank in row}, key=rank_order)
    if names in ([], [NO_RANK]):
        return
    columns = [Column("rank of the right identifier", "text"), *(Column(name, "count") for name in names)]
    rows: list[list[Cell]] = [[f"LE.{error}", *(row.get(name, 0) for name in names)] for error, row in ranks.items()]
    yield DisplayTable("ranks", columns, rows)


def error_bars(results: Results, by: str | None = None) -> shared.ErrorBars:
    """The distribution of linking error types."""
    if "fair" not in results.models:
        raise SettingError("The kinds of linking errors come from the measure fair; score with it too.")
    return shared.errors_by_kind(results, ["fair"], ERROR_NAMES, query)


def notes(
    gold: GoldSummary, gold_count: SideSummary, name: str, side: SideSummary, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Notes on documents, spelling, and spans without links."""
    mismatches = side.mismatches or AlignmentIssues()
    notes = shared.file_notes(gold, name, side, read_as.repair) + shared.document_notes(name, mismatches)
    if mismatches.by_order:
        notes.append(f"system {name}: no document name matches the gold standard; documents are matched by order.")
    if mismatches.words:
        tokens = shared.with_verb(mismatches.words, "token")
        notes.append(f"system {name}: {tokens} spelled differently in the gold standard ({mismatches.first_word}).")
    if respelled := side.noted[RESPELLED]:
        links = shared.with_verb(respelled, "link")
        notes.append(f"system {name}: under hipe-strict, {links} wrong only because tokens are spelled differently.")
    for file, summary in ((f"gold {gold.name}", gold_count), (f"system {name}", side)):
        if unlinked := summary.noted[UNLINKED]:
            notes.append(f"{file}: ignored {counted(unlinked, 'span')} without a link.")
    notes += shared.unit_notes(name, side.units, "link", identical=identical)
    return (*notes, *shared.label_notes(gold, name, side.labels, "link"))
