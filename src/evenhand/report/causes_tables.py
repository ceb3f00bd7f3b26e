"""Where systems fail, in sentences, a table of slices, and rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from evenhand.comparison.units import Unit
from evenhand.errors import counted
from evenhand.report.comparison_tables import p_text
from evenhand.report.document import ReportDocument, Section
from evenhand.report.verdict import points as points_text
from evenhand.results.causes import Causes, FoundSlice
from evenhand.tables import UNDEFINED, Cell, Column, DisplayTable, TableStyle

NOT_WHY = "This shows where the system fails, not why."
NOT_WHY_OF_TWO = "This shows where the systems differ, not why."
_LONGEST_EXAMPLE = 30


def causes_document(causes: Causes, style: TableStyle) -> ReportDocument:
    """The size of the search, the list of slices, and what the test set could show."""
    sentences = " ".join(summary_sentences(causes))
    tables = [found_table(causes)] if causes.found else []
    sections = [Section(sentences, tables), Section(" ".join(closing_sentences(causes)), [])]
    return ReportDocument(opening(causes), sections, causes.notes, causes.signature)


def opening(causes: Causes) -> str:
    """The systems and their errors."""
    size = f"{counted(causes.size, causes.unit)} in {counted(causes.groups, causes.of.removesuffix('s'))}"
    wrong = ", ".join(
        f"{name} {counted(count, 'error')} ({100 * count / max(1, causes.size):.1f} %)"
        for name, count in causes.wrong.items()
    )
    return f"{wrong}; {size}; measure {causes.by}"


def summary_sentences(causes: Causes) -> Iterator[str]:
    """How many slices were searched and found."""
    searched, name = f"{counted(len(causes.slices), 'slice')} searched", causes.systems[-1]
    significant = f"{causes.significant:,}" if causes.significant else "none"
    if len(causes.systems) == 2:
        different = "differs significantly from" if causes.two_sided else "is significantly worse than"
        found = f"{name} {different} {causes.systems[0]} in {significant}"
    else:
        found = f"{name} has significantly more errors in {significant}"
    yield f"{searched}; {found}."
    if len(causes.found) < causes.significant:
        listed = "slice" if len(causes.found) == 1 else counted(len(causes.found), "slice")
        yield f"The others overlap the {listed} listed here."
    if len(causes.found) > 1:
        yield "From the second line on, only units outside the slices above are counted."


def closing_sentences(causes: Causes) -> Iterator[str]:
    """What the data could show, and what the list does not show."""
    if not causes.slices:
        yield "No slice has enough units (20 inside and outside, in 8 documents)."
        return
    if causes.detectable is None:
        yield "Most slices are too small to show any difference."
    else:
        least = points_text(causes.detectable)
        yield f"In half of the slices, only differences of about {least} points or more can be shown (80 % power)."
    yield NOT_WHY if len(causes.systems) == 1 else NOT_WHY_OF_TWO


def found_table(causes: Causes) -> DisplayTable:
    """The slices of the list."""
    two = len(causes.systems) == 2
    columns = [
        Column("slice", "text"),
        Column(f"{causes.unit}s", "count"),
        Column(causes.of, "count"),
        Column("difference" if two else "errors inside", "label"),
        Column("elsewhere" if two else "outside", "label"),
        Column("points", "label"),
        Column("p", "label"),
        Column("examples", "text"),
    ]
    remark = "Points: what the score would gain without these errors"
    remark += ", of the second system minus the first." if two else "."
    differences = " Differences: errors of the second system minus those of the first, in points." if two else ""
    return DisplayTable("", columns, [_row(found, two=two) for found in causes.found], remark=f"{remark}{differences}")


def _row(found: FoundSlice, *, two: bool) -> list[Cell]:
    sign = "+" if two else ""
    rates = [f"{100 * rate:{sign}.1f}" + ("" if two else " %") for rate in (found.inside, found.outside)]
    points = UNDEFINED if found.points is None else points_text(found.points, sign)
    examples = "; ".join(example_text(unit) for unit in found.examples)
    return [found.slice, found.units, found.documents, *rates, points, p_text(found.p), examples]


def example_text(unit: Unit) -> str:
    """A unit in a few words: its string, and what the last system predicts."""
    string = unit.words or PurePath(unit.place).name
    if len(string) > _LONGEST_EXAMPLE:
        string = f"{string[: _LONGEST_EXAMPLE - 1]}…"
    return f"{string} ({list(unit.answers.values())[-1]})"
