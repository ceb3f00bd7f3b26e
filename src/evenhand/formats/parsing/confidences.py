"""Confidences of units as files have them: the fields that hold them, their values, and scores of spans from tokens.

A confidence is a finite number; higher means more confident. A unit without one has NaN. A value that is not a finite
number is an error if confidences are used, and otherwise counts as missing, because it cannot change a figure.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np

from evenhand.arrays import Ints, Values, ranges
from evenhand.data.layers import score_keys
from evenhand.dataclass import dataclass
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings

MISSING = math.nan
_ANY_KEY = re.compile(rb'"(?:score|confidence|probability|prob|confidence_?score)"\s*:', re.IGNORECASE)
_MAX_WIDTH = 40
"""Maximum number of bytes of a number in a column; longer ones are decoded one by one."""
_NO_SCORE = ("", "_", "-")
_NUMBERS = msgspec.json.Decoder(list[float])
_REDUCTIONS = {
    "min": np.minimum.reduceat,
    "mean": np.add.reduceat,
    "product": np.multiply.reduceat,
    "first": lambda column, first: column[first],
}


class ScoreError(ValueError):
    """A confidence that cannot be used; the message is the finding."""


@dataclass(frozen=True)
class ScoreFields:
    """The fields from which confidences are read."""

    field: str | None = None
    """The field that the user names."""
    is_needed: bool = False
    """Whether confidences are used, so bad ones are errors."""

    @staticmethod
    def of(settings: ReadSettings) -> ScoreFields:
        named = settings.parameters.get("score")
        return ScoreFields(None if named is None else str(named), settings.needs_scores)

    def among(self, unit: Mapping[str, Any], usual: Sequence[str] | None = None) -> Sequence[str]:
        """The fields of a unit that hold its confidence; `usual` are those with a usual name, if known."""
        if self.field is not None:
            return (self.field,) if self.field in unit else ()
        return score_keys(unit) if usual is None else usual

    def read(self, unit: Mapping[str, Any], what: str, usual: Sequence[str] | None = None) -> float:
        """The confidence of a unit; NaN if it has none. `what` names the unit in messages."""
        keys = self.among(unit, usual)
        if not keys:
            return MISSING
        values = {key: value for key in keys if not math.isnan(value := self.value(unit[key], what))}
        if self.is_needed and len(set(values.values())) > 1:
            first, second = [f"{key!r} ({unit[key]})" for key in values][:2]
            raise ScoreError(f"{what} has the scores {first} and {second}, which differ")
        return next(iter(values.values()), MISSING)

    def value(self, value: Any, what: str) -> float:
        """A confidence as a number; NaN for null."""
        if value is None:
            return MISSING
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and abs(value) <= sys.float_info.max:
            return float(value)
        if self.is_needed:
            raise ScoreError(bad_score(what, value))
        return MISSING


USUAL = ScoreFields()
"""Fields with usual names."""


def bad_score(what: str, value: object) -> str:
    """The finding about a confidence that is not a finite number."""
    if isinstance(value, float):
        shown = "NaN" if math.isnan(value) else f"{'-' * (value < 0)}infinity"
    else:
        shown = f"{value!r:.40}"
    return f"expected a finite number as the score of {what}, got {shown}"


def score_column(scores: Sequence[float] | Values) -> Values | None:
    """The confidences of a layer as a column; None if no unit has one."""
    column = np.asarray(scores, dtype=np.float64)
    return None if np.isnan(column).all() else column


def may_have_scores(data: bytes, scores: ScoreFields) -> bool:
    """Whether JSON may have a field with a confidence."""
    if scores.field is not None:
        return f'"{scores.field}"'.encode() in data
    return _ANY_KEY.search(data) is not None


def scores_in(line: bytes, key: str, unit: str, scores: ScoreFields) -> list[float]:
    """The confidences of the units under a key of a record, which is decoded again."""
    record = msgspec.json.decode(line)
    units = record.get(key) if isinstance(record, dict) else None
    named = enumerate(units if isinstance(units, list) else (), 1)
    return [scores.read(each, f"{unit} {number}") if isinstance(each, dict) else MISSING for number, each in named]


def scores_to_write(scores: Values) -> list[float | None]:
    """The confidences of units as numbers to write, None for units without one."""
    return [None if math.isnan(score) else score for score in scores.tolist()]


def cell_scores(
    source: Source, settings: ReadSettings, cells: Sequence[str], lines: Sequence[int], what: str = "this token"
) -> Values:
    """The confidences in the cells of a column, NaN for `_`, `-` and empty cells. `what` is the unit of a line."""
    fields, scores = ScoreFields.of(settings), []
    for cell, line in zip(cells, lines, strict=True):
        value: object = cell
        with suppress(ValueError):
            value = float(cell)
        try:
            scores.append(fields.value(None if cell.strip() in _NO_SCORE else value, what))
        except ScoreError as error:
            source.report(line if line >= 0 else None, str(error), "", "score")
            scores.append(MISSING)
    return np.array(scores, dtype=np.float64)


def parse_numbers(data: bytes, start: Ints, end: Ints) -> Values | None:
    """The JSON numbers between these offsets; None if one is not a finite number. At least eight bytes follow."""
    width = int((end - start).max(initial=0)) + 1
    if not len(start):
        return np.zeros(0)
    if width > _MAX_WIDTH or int(start.max()) + width > len(data):
        return None
    cells = np.ndarray((len(data) - width + 1,), dtype=f"V{width}", buffer=data, strides=(1,))[start]
    table = cells.view(np.uint8).reshape(-1, width)
    column, size = np.arange(width), (end - start)[:, None]
    table = np.where(column < size, table, np.where(column == size, np.uint8(ord(",")), np.uint8(ord(" "))))
    try:
        values = np.array(_NUMBERS.decode(b"[" + table.tobytes().rstrip(b" ,") + b"]"), dtype=np.float64)
    except msgspec.DecodeError:
        return None
    return values if len(values) == len(start) and bool(np.isfinite(values).all()) else None


def of_spans(token_scores: Values, start: Ints, end: Ints, reduction: str) -> Values:
    """The confidence of spans from those of their tokens: min, mean, product or first. NaN if a token has none.

    `start` and `end` are indexes into `token_scores`; spans are not empty.
    """
    if not len(start):
        return np.zeros(0)
    lengths = end - start
    tokens = token_scores[ranges(start, lengths)]
    reduced = _REDUCTIONS[reduction](tokens, np.cumsum(lengths) - lengths)
    return reduced / lengths if reduction == "mean" else np.asarray(reduced)
