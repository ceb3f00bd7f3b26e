"""Tables of records: scores, fields, error types and answers; and notes on files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING

from evenhand.alignment.documents import AlignmentIssues
from evenhand.data.vocabulary import list_names
from evenhand.errors import WARNING, SettingError, counted
from evenhand.scoring.scores import Row
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings
from evenhand.tables import PLAIN, Cell, Column, DisplayTable, Query, TableStyle
from evenhand.tasks import tables as shared
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.records.alignment import GREEDY, NOT_NEAR
from evenhand.tasks.records.answers import MALFORMED, STATUSES
from evenhand.tasks.records.evaluation import WRAPPED, WRAPPER
from evenhand.tasks.records.task import ANSWERS, ERROR_NAMES, GROUNDED, KINDS

if TYPE_CHECKING:
    from evenhand.results.result import GoldSummary, Result, Results


def summary(results: Results) -> Iterator[DisplayTable]:
    """All systems side by side, then how their answers were read, and the shares of values in the text."""
    yield from shared.summary(results)
    shares = {"gold": "gold in text", "system": "in text"}
    shares = shares if any(GROUNDED in result.facts for result in results.values()) else {}
    rows: list[list[Cell]] = []
    for name, result in results.items():
        answers, grounded = result.facts.get(ANSWERS, {}), result.facts.get(GROUNDED, {})
        rows.append([name, *(answers.get(status, 0) for status in STATUSES), *map(grounded.get, shares)])
    counts = [Column(status, "count") for status in STATUSES]
    titles = [Column(title, "percent") for title in shares.values()]
    yield DisplayTable("answers", [Column("answers", "text"), *counts, *titles], rows)


def details(result: Result, style: TableStyle = PLAIN, *, alone: bool = True) -> Iterator[DisplayTable]:
    """Fields with their verdicts and scores, error types, and confused fields."""
    for name in ("exact", "relaxed", "soft", "word-set", "word-list"):
        if name in result.scores and not (name == "relaxed" and "fair" in result.scores):
            yield shared.label_table(result, result[name], query, style, support=itemgetter("gold")).folded()
    if "fair" in result.scores:
        without = ("split", "merged", "moved")
        yield shared.label_table(result, result["fair"], query, style, without, _gold_leaves).folded()
        yield shared.error_type_table(result, result["fair"], ERROR_NAMES, "error types (fair)")
    yield from shared.confusion_table(result)


def _gold_leaves(row: Row) -> float:
    return sum(row[kind] for kind in KINDS if kind not in ("FP", "RP", "HP"))


def query(result: Result, model: str, count: str, label: str | None = None) -> Query | None:
    """The values of a count of verdicts."""
    if model != "fair" or count not in ("gold", *KINDS):
        return None
    if count == "gold":
        return Query(result.name, of="gold", gold=label)
    if count in ("FP", "RP", "HP") and label is not None:
        return Query(result.name, kind=count, label=label)
    return Query(result.name, kind=count, gold=label)


def error_bars(results: Results, by: str | None = None) -> shared.ErrorBars:
    """The distribution of error types."""
    if "fair" not in results.models:
        raise SettingError("The error types of records come from the measure fair; score with it too.")
    return shared.errors_by_kind(results, ["fair"], ERROR_NAMES, query)


def is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all values are right."""
    tally = tallies.get("verdicts")
    return tally is not None and tally.kinds_seen - {"text", "weighted text"} in ({"TP"}, {"TP", "weighted TP"})


def notes(
    gold: GoldSummary, gold_count: SideSummary, name: str, side: SideSummary, read_as: ReadSettings, *, identical: bool
) -> tuple[str, ...]:
    """Notes on documents, answers, fields and large lists."""
    issues, noted = side.mismatches or AlignmentIssues(), side.noted
    notes = []
    answered = sum(noted[status] for status in STATUSES)
    if unparsable := noted["unparsable"]:
        verb = "is unparsable and counts" if unparsable == 1 else "are unparsable and count"
        notes.append(f"{WARNING}system {name}: {unparsable:,} of {counted(answered, 'answer')} {verb} as empty.")
    notes += shared.file_notes(gold, name, side, read_as.repair)
    others = sorted(side.labels.keys() - gold.labels.keys())
    for number, what, text in (
        (len(issues.missing), "document", f"lacks {{}} ({list_names(issues.missing)})"),
        (len(issues.extra), "document", f"left out {{}} that gold does not have ({list_names(issues.extra)})"),
        (len(others), "field", f"has {{}} that the gold standard lacks, counted as spurious: {list_names(others)}"),
        (noted[WRAPPED], "single value", "compared {} with a list"),
        (noted[MALFORMED], "malformed triple", "left out {}"),
    ):
        if number:
            notes.append(f"system {name}: {text.replace('{}', counted(number, what), 1)}.")
    for count_name, count in sorted(noted.items()):
        prefix, _, item = count_name.partition(": ")
        if prefix == WRAPPER and 2 * count > answered:
            answers = counted(count, "answer")
            notes.append(f"system {name}: the values of {answers} are under {item!r}; try --at {item}.")
        elif prefix == GREEDY:
            notes.append(
                f"{WARNING}system {name}: lists {item} are too long for exact alignment and are paired greedily."
            )
        elif prefix == NOT_NEAR:
            notes.append(f"system {name}: lists {item} are too long for a search of similar values.")
    if identical:
        notes.append(f"{WARNING}system {name} is identical to the gold standard. Is this the right file?")
    return tuple(notes)
