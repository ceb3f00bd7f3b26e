"""Verdicts as a table: a row a unit and system, with its place and its text, for queries of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints, ranges
from evenhand.dataclass import dataclass
from evenhand.formats.arrow import arrow
from evenhand.formats.arrow_sink import Sink, named, strings
from evenhand.tasks.passage import VerdictRows
from evenhand.tasks.task import Task
from evenhand.text.labels import Codes
from evenhand.text.tokens import PADDING, Tokens

SIDES = ("gold", "system")
_NUMBERS = ("document", "sentence", "line", "start", "end")
_PLACE = ("document", "document_name", "sentence", "line", "start", "end", "text")
_COLUMNS = ("system", "judge", *_PLACE, "gold_label", "system_label", "verdict")


def verdict_schema(task: Task) -> Any:
    """The columns of the verdicts of a task, and their types."""
    types = [(name, "int64" if name in _NUMBERS else "string") for name in _COLUMNS]
    return arrow.schema([*types, *task.verdict_columns])


@dataclass
class VerdictTable:
    """Writes units to a file."""

    sink: Sink
    judge: str
    kinds: tuple[str, ...]
    labels: Codes[str]

    def add(self, system: str, units: VerdictRows, before: int) -> None:
        """Write some units; so many sentences stand before their text."""
        size = len(units)
        if not size:
            return
        texts = _texts(units)
        inside = units.start >= 0
        columns = {
            "system": [system] * size,
            "judge": [self.judge] * size,
            "document": units.document + 1,
            "document_name": _names(units),
            "sentence": units.sentence + before + 1,
            "line": _lines(units, inside),
            "start": arrow.array(units.start, mask=~inside),
            "end": arrow.array(units.end, mask=~inside),
            "text": texts,
            "gold_label": named(units.gold, self.labels.values),
            "system_label": named(units.system, self.labels.values),
            "verdict": named(units.kind, self.kinds),
        }
        self.sink.add(columns | {name: _more(name, values, texts) for name, values in units.more.items()})


def _more(name: str, values: Ints, texts: Any) -> Any:
    """A further column: a side, the text of another unit, or numbers."""
    if name == "side":
        return named(values, SIDES)
    found = arrow.array(values, mask=values < 0)
    return texts.take(found) if name.endswith("antecedent") else found


def _names(units: VerdictRows) -> Any:
    if not units.names:
        return arrow.nulls(len(units))
    number, place = np.unique(units.document, return_inverse=True)
    return named(place, [units.names.get(each) for each in number.tolist()])


def _lines(units: VerdictRows, inside: Bools) -> Any:
    """The line of the first token of each unit; null where a file has no lines."""
    corpus = units.corpus
    if not len(corpus.lines):
        return arrow.nulls(len(units))
    by_sentence = corpus.bounds is None or corpus.has_lines_of_sentences
    return arrow.array(corpus.first_line + corpus.lines[units.sentence if by_sentence else units.first], mask=~inside)


def _texts(units: VerdictRows) -> Any:
    """The text of each unit, with single spaces between tokens; null where a file has no text."""
    corpus = units.corpus
    if corpus.tokens is None or corpus.bounds is None:
        return arrow.nulls(len(units), arrow.string())
    first, size = units.first, np.where(units.start < 0, 0, units.end - units.start)
    if corpus.atoms == "characters":
        tokens = corpus.tokens
        found = Tokens(tokens.data, tokens.start[first], tokens.end[first + np.maximum(size, 1) - 1])
    else:
        found = _joined(corpus.tokens, first, size)
    if units.other_text is None:
        return strings(found)
    rows = np.arange(len(units)) + np.where(units.start < 0, len(units), 0)
    return strings(Tokens.concatenate([found, units.other_text]).take(rows))


def _joined(tokens: Tokens, first: Ints, size: Ints) -> Tokens:
    """So many tokens each from the first ones on, with blanks between."""
    if (size <= 1).all():
        known = tokens.take(np.minimum(first, max(len(tokens) - 1, 0)))
        return Tokens(known.data, known.start, np.where(size == 0, known.start, known.end))
    text, edges = tokens.take(ranges(first, size)).spaced()
    last = np.cumsum(size)
    return Tokens(text.tobytes() + PADDING, edges[last - size], np.maximum(edges[last] - 1, edges[last - size]))
