"""Verdicts as a table: a row a unit and system, with its place and its text, for queries of any kind."""

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
from evenhand.formats.arrow_columns import arrow
from evenhand.formats.arrow_write import Sink, named, strings, table_file, table_format
from evenhand.formats.paths import refuse_overwriting
from evenhand.parameters import check_file
from evenhand.pipeline.run import Engine, Job, Run
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
"""How columns end that have a counterpart with `_end`."""


def verdict_schema(task: Task) -> Any:
    """The columns of the verdicts of a task, and their types."""
    types = [(name, "int64" if name in _NUMBERS else "string") for name in _COLUMNS]
    parts = ("parts", arrow.list_(arrow.list_(arrow.int64())))
    return arrow.schema([*types, *task.verdict_columns, *_POSITIONS, parts])


@dataclass
class VerdictTable:
    """Writes units to a file."""

    sink: Sink
    judge: str
    kinds: tuple[str, ...]
    labels: StringIndex[str]

    def add(self, system: str, units: VerdictRows, before: int) -> None:
        """Write some units; so many sentences stand before their text."""
        size = len(units)
        if not size:
            return
        texts = _texts(units)
        inside = units.start >= 0
        rows, corpus = np.flatnonzero(inside), units.corpus
        positions = corpus.positions(units.sentence[rows], units.start[rows], units.end[rows])
        parts: list[Any] = [None] * size
        for row, gaps in units.gaps.items():
            places = parts_of(int(units.start[row]), int(units.end[row]), gaps)
            parts[row] = _parts(units, row, places) if len(places) > 1 else None
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
    found = np.full(size, -1)
    found[rows] = -1 if values is None else values
    return arrow.array(found, mask=found < 0)


def _parts(units: VerdictRows, row: int, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of a unit, in positions as users see them."""
    start, end = np.array(places).T
    found = units.corpus.positions(np.full(len(places), units.sentence[row]), start, end)
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


def _more(units: VerdictRows, texts: Any, before: int) -> dict[str, Any]:
    """Further columns: a side, texts of other units, sentences, positions in these, or numbers."""
    found, more = dict[str, Any](), dict(units.more)
    for name in [name.removesuffix(_START) for name in units.more if name.endswith(_START)]:
        start, end = more.pop(f"{name}_start"), more.pop(f"{name}_end")
        sentence, rows = more.get(f"{name}_sentence", units.sentence), np.flatnonzero(start >= 0)
        positions = units.corpus.positions(sentence[rows], start[rows], end[rows])
        found[f"{name}_start"] = _spread(positions.start, rows, len(units))
        found[f"{name}_end"] = _spread(positions.end, rows, len(units))
    for name, values in more.items():
        if name == "side":
            found[name] = named(values, SIDES)
        elif name in OTHER_SENTENCES:
            found[name] = values + before + 1
        else:
            numbers = arrow.array(values, mask=values < 0)
            found[name] = texts.take(numbers) if name.endswith("antecedent") else numbers
    return found


def _names(units: VerdictRows) -> Any:
    if not units.names:
        return arrow.nulls(len(units))
    number, place = np.unique(units.document, return_inverse=True)
    return named(place, [units.names.get(each) or None for each in number.tolist()])


def _lines(units: VerdictRows, inside: Bools) -> Any:
    """The line of the first token of each unit; null where a file has no lines."""
    corpus = units.corpus
    if not len(corpus.lines):
        return arrow.nulls(len(units))
    by_sentence = corpus.bounds is None or corpus.has_lines_of_sentences
    return arrow.array(corpus.first_line + corpus.lines[units.sentence if by_sentence else units.first], mask=~inside)


def _texts(units: VerdictRows) -> Any:
    """The text of each unit; with single spaces between tokens, where these are all that a file has, or none at all.

    Of a unit with gaps, the parts have a space between.
    """
    corpus = units.corpus
    if corpus.tokens is None or corpus.bounds is None:
        return arrow.nulls(len(units), arrow.string())
    if corpus.text_bounds is not None:
        inside = np.flatnonzero(units.start >= 0)
        edges = np.zeros((2, len(units)), dtype=np.int64)
        columns = (units.sentence, units.start, units.end)
        edges[:, inside] = corpus.stretch(*(column[inside] for column in columns))[:2]
        found = Tokens(corpus.tokens.data, *edges)
    else:
        size = np.where(units.start < 0, 0, units.end - units.start)
        found = _joined(corpus.tokens, units.first, size)
    other, rows = [found], np.arange(len(units))
    if units.other_text is not None:
        rows = rows + np.where(units.start < 0, len(units), 0)
        other.append(units.other_text)
    if units.gaps:
        whole = [_without_gaps(units, row, gaps) for row, gaps in units.gaps.items()]
        rows[list(units.gaps)] = sum(map(len, other)) + np.arange(len(whole))
        other.append(Tokens.of(whole))
    return strings(found if len(other) == 1 else Tokens.concatenate(other).take(rows))


def _without_gaps(units: VerdictRows, row: int, gaps: Sequence[int]) -> str:
    places = parts_of(int(units.start[row]), int(units.end[row]), gaps)
    return " ".join(units.corpus.quoted(int(units.sentence[row]), *place) or "" for place in places)


def _joined(tokens: Tokens, first: Ints, size: Ints) -> Tokens:
    """So many tokens each from the first ones on, with blanks between."""
    if (size <= 1).all():
        known = tokens.take(np.minimum(first, max(len(tokens) - 1, 0)))
        return Tokens(known.data, known.start, np.where(size == 0, known.start, known.end))
    text, edges = tokens.take(ranges(first, size)).spaced()
    last = np.cumsum(size)
    return Tokens(text.tobytes() + PADDING, edges[last - size], np.maximum(edges[last] - 1, edges[last - size]))


# == engines/recording.py: Verdicts that are written to a file while systems are judged


def recording(path: str | PathLike[str]) -> Engine:
    """An engine that also writes all verdicts to a Parquet or Arrow file, as its name says."""
    check_file(path)
    return partial(_recorded, fspath(path))


def _recorded(path: str, work: Job) -> Run:
    form, schema = table_format(path), verdict_schema(work.prepared.task)
    refuse_overwriting(path, work.places)
    task, asked = work.prepared.task, [judge.name for judge in work.judges]
    judge = next((judge for judge in task.verdict_judges if judge in asked), None)
    if judge is None:
        names = [model.name for model in models_of(task.name) if model.judge.name in task.verdict_judges]
        raise SettingError(f"Verdicts on {task.name} are those of {', '.join(names)}; name one of these match models.")
    vocabulary = Vocabulary()
    with table_file(path, form, schema) as sink:
        table = VerdictTable(sink, judge, task.verdict_kinds, vocabulary.labels)
        run = work.run([partial(_record, table, judge)], vocabulary)
        run.settle_groups(work.groups)
        return run


def _record(table: VerdictTable, judge: str, judgement: Evaluation) -> None:
    """Write the verdicts of one portion, system by system."""
    for name in judgement.tallies:
        for rows, before in judgement.rows(name, judge):
            table.add(name, rows, before)
