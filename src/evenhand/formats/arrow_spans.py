"""Lists of spans from Arrow tables: structs with start, end and label, a list a row.

Positions count from 0. Ends are exclusive, but for those of Prodigy's token positions. As in JSON lines, a span may
have a `level`, and `parts` if it has gaps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.arrays import Ints, empty, ints, zeros
from evenhand.dataclass import dataclass
from evenhand.formats.arrow import arrow
from evenhand.formats.arrow_layout import LABEL, Annotated
from evenhand.formats.arrow_lists import Lists, distinct, integers, is_integer, is_list, nulls, plain, used_ones
from evenhand.formats.arrow_rows import Rows
from evenhand.formats.json_spans import Ground, Span, shapes
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans

_COUNT = "count from 0, and let the end stand behind the span"


@dataclass(frozen=True)
class SpanColumns:
    """The spans of some rows, as columns."""

    row: Ints
    start: Ints
    end: Ints
    names: list[str]
    """The distinct labels."""
    label: Ints
    """The place of each label among them."""
    level: Ints
    parts: Any
    """An Arrow array of lists, or None."""

    def span(self, at: int) -> Span:
        """One span, as messages show it."""
        level, parts = int(self.level[at]), None if self.parts is None else self.parts[at].as_py()
        name = self.names[self.label[at]]
        read = [tuple(each or ()) for each in parts or ()] or None
        return Span(int(self.start[at]), int(self.end[at]), name, read, level)

    def take(self, kept: Ints) -> SpanColumns:
        columns = {name: getattr(self, name)[kept] for name in ("row", "start", "end", "label", "level")}
        return replace(self, **columns, parts=None if self.parts is None else self.parts.take(kept))


class SpanReader:
    """Reads the spans of one column."""

    def __init__(self, annotated: Annotated, vocabulary: Vocabulary) -> None:
        self._column, self._names, self._fields = annotated.column, annotated.names, annotated.fields
        self._vocabulary = vocabulary

    def check(self, rows: Rows, found: Lists) -> None:
        """Report rows with nulls, and with numbers of labels that have no name."""
        assert self._fields is not None
        has_null, is_empty = found.has_null, arrow.types.is_null(found.values.type)
        for name in () if is_empty else (self._fields.start, self._fields.end, LABEL):
            has_null = has_null | found.marked(nulls(plain(found.values.field(name))))
        rows.report_nulls(has_null, self._column)
        if self._names is not None:
            self._check_numbers(rows, found, self._names)

    def _check_numbers(self, rows: Rows, found: Lists, names: tuple[str, ...]) -> None:
        number = integers(plain(found.values.field(LABEL)))
        for row in rows.left(found.marked((number < 0) | (number >= len(names)))):
            finding = f"found a label without a name where those of {self._column!r} are for 0 to {len(names) - 1}"
            rows.report(row, finding, "give every span a label that has a name")

    def _columns(self, found: Lists) -> SpanColumns:
        assert self._fields is not None
        values, size = found.values, len(found.values)
        start = integers(plain(values.field(self._fields.start)))
        end = integers(plain(values.field(self._fields.end))) + int(self._fields.is_inclusive)
        label = plain(values.field(LABEL))
        names, place = distinct(label) if self._names is None else (list(self._names), integers(label))
        row = np.repeat(np.arange(len(found.bounds) - 1), found.lengths)
        types = {field.name: field.type for field in values.type}
        level = zeros(size)
        if "level" in types and is_integer(types["level"]):
            level = integers(values.field("level"))
        parts = values.field("parts") if "parts" in types and _is_of_parts(types["parts"]) else None
        return SpanColumns(row, start, end, names, place, level, parts)

    def read(self, rows: Rows, found: Lists, ground: Ground) -> Spans:
        """The spans of rows without nulls, in atoms; one that covers none is a problem, and left out."""
        if not len(found.values):
            return Spans.of(self._vocabulary, *(empty() for _ in range(4)))
        columns = self._columns(found)
        start, end = ground.place(columns.row, columns.start), ground.place(columns.row, columns.end)
        wrong = (start < 0) | (end <= start) | (columns.start < 0) | (columns.level < 0)
        for at in np.flatnonzero(wrong).tolist():
            self._report(rows, columns, at, ground)
        nameless = [place for place, name in enumerate(columns.names) if not name]
        for at in np.flatnonzero(np.isin(columns.label, nameless) & ~wrong).tolist() if nameless else ():
            rows.report(int(columns.row[at]), f"{columns.span(at)} has an empty label", "name its label")
        if wrong.any():
            kept = np.flatnonzero(~wrong)
            columns, start, end = columns.take(kept), start[kept], end[kept]
        spans = Spans.of(self._vocabulary, columns.row, start, end, self._codes(columns), columns.level)
        return spans if columns.parts is None else self._with_gaps(rows, columns, spans, ground)

    def _report(self, rows: Rows, columns: SpanColumns, at: int, ground: Ground) -> None:
        row, span = int(columns.row[at]), columns.span(at)
        if span.level < 0:
            rows.report(row, f"{span} is on the level {span.level}", "count levels from 0")
        elif span.start < 0:
            rows.report(row, f"{span} begins before its text", _COUNT)
        else:
            rows.report(row, *ground.fault(row, span))

    def _codes(self, columns: SpanColumns) -> Ints:
        """The vocabulary's codes of labels; only those that a span has join it."""
        used, place = used_ones(columns.label, len(columns.names))
        codes = ints([self._vocabulary.labels.code(columns.names[each]) for each in used.tolist()])
        return codes[place]

    def _with_gaps(self, rows: Rows, columns: SpanColumns, spans: Spans, ground: Ground) -> Spans:
        """The spans with the shapes of those that have parts, which are looked at one by one."""
        whole: dict[int, Span] = {}
        for at in np.flatnonzero(integers(columns.parts.value_lengths())).tolist():
            span = columns.span(at)
            if all(len(part) == 2 and None not in part for part in span.parts or ()):
                whole[at] = span
            else:
                finding = f"a part of {span} is not two numbers"
                rows.report(int(columns.row[at]), finding, "list parts as [start, end]")
        if not whole:
            return spans
        some, shape = ints(list(whole)), np.zeros(len(spans), dtype=np.int64)
        shape[some] = shapes(list(whole.values()), spans.take(some), ground, rows.report)
        return replace(spans, shape=shape)


def _is_of_parts(column: Any) -> bool:
    """Whether a type is one of lists of lists of whole numbers."""
    return is_list(column) and is_list(column.value_type) and is_integer(column.value_type.value_type)
