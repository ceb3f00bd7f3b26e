"""Results as CSV: the rows that data frames have, with nothing where a value is missing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from evenhand.report.rows import Value, rows_of
from evenhand.result.display import Framed

_BEFORE_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""What spreadsheets take for the beginning of a formula."""


def render(subject: Framed) -> str:
    """The rows; text that a spreadsheet would run as a formula stands behind a single quote, numbers as they are."""
    found = rows_of(subject)
    return "".join(_line(row) for row in (tuple(found.columns), *found.rows))


def _line(row: Iterable[Value]) -> str:
    """One row; the writer quotes no carriage returns unless lines end with them, which they shall not."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\r\n").writerow(map(_safe, row))
    return file.getvalue().removesuffix("\r\n") + "\n"


def _safe(value: Value) -> Value:
    """Text that is no formula; what already stands behind quotes gets a further one, so that both stay apart."""
    is_formula = isinstance(value, str) and value.lstrip("'").startswith(_BEFORE_FORMULAS)
    return f"'{value}" if is_formula else value
