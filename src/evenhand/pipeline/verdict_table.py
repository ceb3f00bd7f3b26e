"""Verdicts as a table: a row a unit and system, with its place and its text, for queries of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints, ranges
from evenhand.formats.arrow_sink import Sink, named, strings
from evenhand.tasks.passage import VerdictRows
from evenhand.tasks.task import Task
from evenhand.text.labels import Codes
from evenhand.text.tokens import PADDING, Tokens

SIDES = ("gold", "system")


def verdict_schema(arrow: Any, task: Task) -> Any:
    """The columns of the verdicts of a task, and their types."""
    text, number = arrow.string(), arrow.int64()
    columns = [("system", text), ("judge", text), ("document", number), ("document_name", text)]
    columns += [("sentence", number), ("line", number), ("start", number), ("end", number), ("text", text)]
    columns += [("gold_label", text), ("system_label", text), ("verdict", text)]
    return arrow.schema([*columns, *((name, getattr(arrow, kind)()) for name, kind in task.verdict_columns)])


@dataclass
class VerdictTable:
    """Writes units to a file."""

    sink: Sink
    arrow: Any
    judge: str
    kinds: tuple[str, ...]
    labels: Codes[str]

    def add(self, system: str, units: VerdictRows, before: int) -> None:
        """Write some units; so many sentences stand before their text."""
        arrow, size = self.arrow, len(units)
        if not size:
            return
        texts = _texts(arrow, units)
        inside = units.start >= 0
        columns = {
            "system": arrow.array([system] * size, arrow.string()),
            "judge": arrow.array([self.judge] * size, arrow.string()),
            "document": arrow.array(units.document + 1),
            "document_name": _names(arrow, units),
            "sentence": arrow.array(units.sentence + before + 1),
            "line": _lines(arrow, units, inside),
            "start": arrow.array(units.start, mask=~inside),
            "end": arrow.array(units.end, mask=~inside),
            "text": texts,
            "gold_label": named(arrow, units.gold, self.labels.values).dictionary_decode(),
            "system_label": named(arrow, units.system, self.labels.values).dictionary_decode(),
            "verdict": named(arrow, units.kind, self.kinds).dictionary_decode(),
        }
        for name, values in units.more.items():
            columns[name] = self._more(name, values, texts)
        self.sink.add(columns)

    def _more(self, name: str, values: Ints, texts: Any) -> Any:
        """A further column: a side, the text of another unit, or numbers."""
        if name == "side":
            return named(self.arrow, values, SIDES).dictionary_decode()
        found = self.arrow.array(values, mask=values < 0)
        return texts.take(found) if name.endswith("antecedent") else found


def _names(arrow: Any, units: VerdictRows) -> Any:
    if not units.names:
        return arrow.nulls(len(units), arrow.string())
    number, place = np.unique(units.document, return_inverse=True)
    names = arrow.array([units.names.get(each) for each in number.tolist()], arrow.string())
    return names.take(arrow.array(place))


def _lines(arrow: Any, units: VerdictRows, inside: Bools) -> Any:
    """The line of the first token of each unit; null where a file has no lines."""
    corpus = units.corpus
    if not len(corpus.lines):
        return arrow.nulls(len(units), arrow.int64())
    by_sentence = corpus.bounds is None or corpus.has_lines_of_sentences
    return arrow.array(corpus.first_line + corpus.lines[units.sentence if by_sentence else units.first], mask=~inside)


def _texts(arrow: Any, units: VerdictRows) -> Any:
    """The text of each unit, with single spaces between tokens; null where a file has no text."""
    corpus = units.corpus
    if corpus.tokens is None or corpus.bounds is None:
        return arrow.nulls(len(units), arrow.string())
    first, size = units.first, np.where(units.start < 0, 0, units.end - units.start)
    if corpus.atoms == "characters":
        tokens = corpus.tokens
        return strings(arrow, Tokens(tokens.data, tokens.start[first], tokens.end[first + size - 1]))
    found = _joined(corpus.tokens, first, size)
    if units.other_text is None:
        return strings(arrow, found)
    others = units.other_text
    data = b"".join((found.data, others.data))
    other = units.start < 0
    start = np.where(other, others.start + len(found.data), found.start)
    return strings(arrow, Tokens(data, start, np.where(other, others.end + len(found.data), found.end)))


def _joined(tokens: Tokens, first: Ints, size: Ints) -> Tokens:
    """So many tokens each from the first ones on, with blanks between."""
    if (size <= 1).all():
        known = tokens.take(np.minimum(first, max(len(tokens) - 1, 0)))
        return Tokens(known.data, known.start, np.where(size == 0, known.start, known.end))
    text, edges = tokens.take(ranges(first, size)).spaced()
    last = np.cumsum(size)
    return Tokens(text.tobytes() + PADDING, edges[last - size], np.maximum(edges[last] - 1, edges[last - size]))
