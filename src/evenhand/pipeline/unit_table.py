"""Error types of all units as an Arrow table, written while systems are evaluated.

There is one row per unit and system, with the position and the text of the unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from os import PathLike, fspath
from typing import Any

import numpy as np

from evenhand.arrays import Bools, Ints, ranges
from evenhand.data.tokens import PADDING, Tokens
from evenhand.data.vocabulary import StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.formats.arrow import arrow
from evenhand.formats.arrow_write import Sink, named, strings, table_file, table_format
from evenhand.formats.paths import check_output_not_input
from evenhand.parameters import check_file
from evenhand.pipeline.run import Engine, Job, Run, serial
from evenhand.tasks.evaluation import OTHER_SENTENCES, Evaluation, VerdictRows
from evenhand.tasks.registry import models_of
from evenhand.tasks.task import Task
from evenhand.tasks.units import parts_of

SIDES = ("gold", "system")
_NUMBERS = ("document", "sentence", "line", "start", "end")
_PLACE = ("document", "document_name", "sentence", "line", "start", "end", "text")
_COLUMNS = ("system", "judge", *_PLACE, "gold_label", "system_label", "verdict")
_POSITIONS = (("positions", "string"), ("token_start", "int64"), ("token_end", "int64"))
_START = "_start"
"""Suffix of columns that have a counterpart with `_end`."""


def verdict_schema(task: Task) -> Any:
    """The columns of a task's unit table, and their types."""
    types = [(name, "int64" if name in _NUMBERS else "string") for name in _COLUMNS]
    parts = ("parts", arrow.list_(arrow.list_(arrow.int64())))
    return arrow.schema([*types, *task.comparison.unit_columns, *_POSITIONS, parts])


@dataclass
class VerdictTable:
    """Writes units to a Parquet or Arrow file."""

    sink: Sink
    judge: str
    kinds: tuple[str, ...]
    labels: StringIndex[str]

    def add(self, system: str, units: VerdictRows, before: int) -> None:
        """Write some units; `before` is the number of sentences before their text."""
        size = len(units)
        if not size:
            return
        texts = _texts(units)
        inside = units.start >= 0
        rows, corpus = np.flatnonzero(inside), units.corpus
        positions = corpus.positions(units.sentence[rows], units.start[rows], units.end[rows])
        parts: list[Any] = [None] * size
        for row, gaps in units.gaps.items():
            bounds = parts_of(int(units.start[row]), int(units.end[row]), gaps)
            parts[row] = _parts(units, row, bounds) if len(bounds) > 1 else None
        columns = {
            "system": [system] * size,
            "judge": [self.judge] * size,
            "document": units.document + 1,
            "document_name": _names(units),
            "sentence": units.sentence + before + 1,
            "line": _lines(units, inside),
            "start": _spread(positions.start, rows, size),
            "end": _spread(positions.end, rows, size),
            "text": texts,
            "gold_label": named(units.gold, self.labels.values),
            "system_label": named(units.system, self.labels.values),
            "verdict": named(units.kind, self.kinds),
            "positions": [positions.of] * size,
            "token_start": _spread(positions.token_start, rows, size),
            "token_end": _spread(positions.token_end, rows, size),
            "parts": parts,
        }
        self.sink.add(columns | _more(units, texts, before))


def _spread(values: Ints | None, rows: Ints, size: int) -> Any:
    """Values of some rows as a column; null for all others."""
    column = np.full(size, -1)
    column[rows] = -1 if values is None else values
    return arrow.array(column, mask=column < 0)


def _parts(units: VerdictRows, row: int, bounds: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of a unit, in the positions that users see."""
    start, end = np.array(bounds).T
    positions = units.corpus.positions(np.full(len(bounds), units.sentence[row]), start, end)
    return list(zip(positions.start.tolist(), positions.end.tolist(), strict=True))


def _more(units: VerdictRows, texts: Any, before: int) -> dict[str, Any]:
    """The task's extra columns: a side, texts of other units, sentences, positions in these, or numbers."""
    columns, more = dict[str, Any](), dict(units.more)
    for name in [name.removesuffix(_START) for name in units.more if name.endswith(_START)]:
        start, end = more.pop(f"{name}_start"), more.pop(f"{name}_end")
        sentence, rows = more.get(f"{name}_sentence", units.sentence), np.flatnonzero(start >= 0)
        positions = units.corpus.positions(sentence[rows], start[rows], end[rows])
        columns[f"{name}_start"] = _spread(positions.start, rows, len(units))
        columns[f"{name}_end"] = _spread(positions.end, rows, len(units))
    for name, values in more.items():
        if name == "side":
            columns[name] = named(values, SIDES)
        elif name in OTHER_SENTENCES:
            columns[name] = values + before + 1
        else:
            numbers = arrow.array(values, mask=values < 0)
            columns[name] = texts.take(numbers) if name.endswith("antecedent") else numbers
    return columns


def _names(units: VerdictRows) -> Any:
    if not units.names:
        return arrow.nulls(len(units))
    numbers, index = np.unique(units.document, return_inverse=True)
    return named(index, [units.names.get(number) or None for number in numbers.tolist()])


def _lines(units: VerdictRows, inside: Bools) -> Any:
    """The line of the first token of each unit; null if the file has no lines."""
    corpus = units.corpus
    if not len(corpus.lines):
        return arrow.nulls(len(units))
    by_sentence = corpus.bounds is None or corpus.has_lines_of_sentences
    return arrow.array(corpus.first_line + corpus.lines[units.sentence if by_sentence else units.first], mask=~inside)


def _texts(units: VerdictRows) -> Any:
    """The text of each unit, if the file has any. Tokens without a text, and parts of units, are joined by spaces."""
    corpus = units.corpus
    if corpus.tokens is None or corpus.bounds is None:
        return arrow.nulls(len(units), arrow.string())
    if corpus.text_bounds is not None:
        inside = np.flatnonzero(units.start >= 0)
        edges = np.zeros((2, len(units)), dtype=np.int64)
        columns = (units.sentence, units.start, units.end)
        edges[:, inside] = corpus.stretch(*(column[inside] for column in columns))[:2]
        texts = Tokens(corpus.tokens.data, *edges)
    else:
        size = np.where(units.start < 0, 0, units.end - units.start)
        texts = _joined(corpus.tokens, units.first, size)
    other, rows = [texts], np.arange(len(units))
    if units.other_text is not None:
        rows = rows + np.where(units.start < 0, len(units), 0)
        other.append(units.other_text)
    if units.gaps:
        whole = [_without_gaps(units, row, gaps) for row, gaps in units.gaps.items()]
        rows[list(units.gaps)] = sum(map(len, other)) + np.arange(len(whole))
        other.append(Tokens.of(whole))
    return strings(texts if len(other) == 1 else Tokens.concatenate(other).take(rows))


def _without_gaps(units: VerdictRows, row: int, gaps: Sequence[int]) -> str:
    parts = parts_of(int(units.start[row]), int(units.end[row]), gaps)
    return " ".join(units.corpus.quoted(int(units.sentence[row]), *part) or "" for part in parts)


def _joined(tokens: Tokens, first: Ints, size: Ints) -> Tokens:
    """The texts of `size` tokens from each of the `first` ones on, joined by spaces."""
    if (size <= 1).all():
        known = tokens.take(np.minimum(first, max(len(tokens) - 1, 0)))
        return Tokens(known.data, known.start, np.where(size == 0, known.start, known.end))
    text, edges = tokens.take(ranges(first, size)).spaced()
    last = np.cumsum(size)
    return Tokens(text.tobytes() + PADDING, edges[last - size], np.maximum(edges[last] - 1, edges[last - size]))


def unit_scorer(job: Job) -> str:
    """The scorer whose error types describe the units of a job."""
    task, scorers = job.prepared.task, [scorer.name for scorer in job.scorers]
    known = task.comparison.unit_scorers or [measure.scorer.name for measure in task.measures]
    scorer = next((name for name in known if name in scorers), None)
    if scorer is None:
        names = [measure.name for measure in models_of(task.name) if measure.scorer.name in known]
        raise SettingError(f"Only {', '.join(names)} give verdicts on {task.name}; add one of these measures.")
    return scorer


def recording(path: str | PathLike[str]) -> Engine:
    """An engine that also writes all units to a Parquet or Arrow file, depending on its suffix."""
    check_file(path)
    return partial(_run_and_record, fspath(path))


def _run_and_record(path: str, job: Job) -> Run:
    task, scorer = job.prepared.task, unit_scorer(job)
    form, schema = table_format(path), verdict_schema(task)
    check_output_not_input(path, job.paths)
    vocabulary = Vocabulary()
    with table_file(path, form, schema) as sink:
        table = VerdictTable(sink, scorer, task.error_types.of_tables, vocabulary.labels)

        def record(evaluation: Evaluation) -> None:
            for name in evaluation.tallies:
                for rows, before in evaluation.rows(name, scorer):
                    table.add(name, rows, before)

        return serial(job, [record], vocabulary)
