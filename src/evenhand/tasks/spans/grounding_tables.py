"""Tables on the answers of language models: how they were read, and where their strings were found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.grounding.counts import AMBIGUOUS, MOST_LISTED, NOWHERE, READINGS, STEPS, UNKNOWN, GroundingCounts
from evenhand.table import Cell, Column, Table
from evenhand.tasks.spans.override_tables import before_and_after
from evenhand.tasks.tables import summary as summary_of_scores

if TYPE_CHECKING:
    from evenhand.result.result import Result, Results

_ALWAYS = ("documents", "items", *NOWHERE, "ambiguous", "malformed", "unparsable")
"""The counts that are shown, be they 0."""
_NAMES = {
    "several": "several lists",
    "skipped_lines": "skipped lines",
    "unknown_labels": "unknown label",
    "text_differs": "text differs",
}
_WHY = (*NOWHERE, UNKNOWN, AMBIGUOUS)
_LISTED = (
    "absent: not in the text. repeated: named more often than it occurs. ambiguous: it occurs more often than it is "
    "named. unknown label: the gold standard has none of this name."
)
_REMARK = (
    "Found by: the first step that found the string. absent: not in the text; repeated: named more often than it "
    "occurs; both count as wrong. Upper bound: exact F1 if every string stood where it scores best, with a look at the "
    "gold standard; no score."
)


def summary(results: Results) -> Iterator[Table]:
    """The scores of all systems, what overrides change and, of language models, how answers were read and placed."""
    yield from summary_of_scores(results)
    yield from before_and_after(results)
    grounded = {name: result.grounding for name, result in results.items() if result.grounding is not None}
    if grounded:
        yield _answers(grounded)
        yield _places(grounded)


def _answers(grounded: Mapping[str, GroundingCounts]) -> Table:
    names = (
        "documents",
        "missing",
        *READINGS,
        "several",
        "malformed",
        "skipped_lines",
        "unclosed_tags",
        "unopened_tags",
    )
    return _counts("answers of language models", grounded, (*names, "text_differs"))


def _places(grounded: Mapping[str, GroundingCounts]) -> Table:
    names = ("items", *STEPS, *NOWHERE, "outside", "ambiguous", "merged", "widened", "respelled", "unknown_labels")
    table = _counts("grounding", grounded, (*names, "capped"))
    bounds = [each.upper_bound for each in grounded.values()]
    if all(bound is None for bound in bounds):
        return table
    rows = [[*row, bound] for row, bound in zip(table.rows, bounds, strict=True)]
    return Table(table.title, [*table.columns, Column("upper bound", "percent")], rows, remark=_REMARK)


def _counts(title: str, grounded: Mapping[str, GroundingCounts], names: Sequence[str]) -> Table:
    """A row a system, and a column for every count that some system has."""
    shown = [name for name in names if name in _ALWAYS or any(each[name] for each in grounded.values())]
    columns = [Column("system", "text"), *(Column(_NAMES.get(name, name.replace("_", " ")), "count") for name in shown)]
    rows: list[list[Cell]] = [[name, *(each[count] for count in shown)] for name, each in grounded.items()]
    return Table(title, columns, rows)


def listing(result: Result) -> Iterator[Table]:
    """The items of a language model that are worth a look, in their documents."""
    grounding = result.grounding
    if grounding is None or not grounding.listed:
        return
    columns = [Column(name, "text") for name in ("string", "label", "why", "document")]
    listed = sorted(grounding.listed, key=lambda each: _WHY.index(each.status))
    rows: list[list[Cell]] = [[each.text, each.label, each.status, each.document] for each in listed]
    left = f"The first {len(rows):,} of them. " if len(rows) >= MOST_LISTED else ""
    yield Table("strings to look at", columns, rows, remark=f"{left}{_LISTED}")
