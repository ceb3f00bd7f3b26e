"""The units of measures as columns, and as an Arrow table that is written while systems are evaluated.

There is one row per unit and system, with the position and the text of the unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import isfinite
from os import PathLike, fspath
from typing import Any

import numpy as np

from evenhand.arrays import Ints
from evenhand.data.vocabulary import StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.formats.arrow import arrow
from evenhand.formats.arrow_write import Sink, table_file, table_format
from evenhand.formats.paths import check_output_not_input
from evenhand.parameters import check_file
from evenhand.pipeline.run import Engine, Job, Run, serial
from evenhand.scoring.measure import Formula, Measure
from evenhand.tasks.evaluation import Evaluation
from evenhand.tasks.registry import model, models_of
from evenhand.tasks.task import CONFIDENCES, Task
from evenhand.tasks.unit_rows import Places, UnitRows
from evenhand.tasks.units import Locations

SIDES = ("gold", "system")
_NUMBERS = ("document", "sentence", "line", "start", "end")
_PLACE = ("document", "document_name", "sentence", "line", "start", "end", "text")
_COLUMNS = ("system", "judge", *_PLACE, "gold_label", "system_label", "verdict")
_POSITIONS = (("positions", "string"), ("token_start", "int64"), ("token_end", "int64"))
Columns = dict[str, Ints | list[Any]]
"""Columns by name: numbers, in which -1 means none, and lists of other values, in which None does."""


def unit_columns(rows: UnitRows, locations: Locations, labels: Sequence[str]) -> Columns:
    """The columns of units; `labels` are the names of their labels.

    Documents and sentences are numbered from 1. Positions are offsets into the input text, if there is one. A further
    place of a unit, such as `head`, has the columns `head` (its text), `head_start`, `head_end` and `head_sentence`.
    """
    position, document = rows.position, locations.document_of[rows.position.sentence]
    positions = locations.positions(position.sentence, position.start, position.end)
    numbers, which = np.unique(document, return_inverse=True)
    names = [locations.name(number) for number in numbers.tolist()]
    columns: Columns = {
        "document": document + 1,
        "document_name": [names[number] for number in which.tolist()],
        "sentence": position.sentence + locations.before + 1,
        "line": np.where(position.start < 0, -1, locations.line_numbers(position.sentence, position.start)),
        "start": positions.start,
        "end": positions.end,
        "text": texts_of(rows, locations),
        "gold_label": _named(rows.gold_label, labels),
        "system_label": _named(rows.predicted, labels),
        "verdict": _named(rows.type, rows.types),
        "score": _known(rows),
        "side": [SIDES[is_extra] for is_extra in rows.is_extra.tolist()],
        "positions": [positions.of] * len(rows),
        "parts": _parts(rows, locations),
    }
    columns["token_start"], columns["token_end"] = (
        np.full(len(rows), -1) if column is None else column for column in (positions.token_start, positions.token_end)
    )
    for name, other in (("matched", rows.matched), *rows.places.items()):
        columns |= _place_columns(name, other, locations, rows.shapes)
    matched = columns["matched"]
    for row, text in rows.matched_strings.items():
        matched[row] = text
    columns |= rows.numbers
    columns |= {name: column.tolist() for name, column in rows.texts.items()}
    return columns | {name: _named(codes, labels) for name, codes in rows.names.items()}


def _known(rows: UnitRows) -> list[float | None]:
    """The confidences of units, None for units without one."""
    if rows.score is None:
        return [None] * len(rows)
    return [score if isfinite(score) else None for score in rows.score.tolist()]


def listed(column: Ints | list[Any]) -> list[Any]:
    """A column as a list, with None for missing values."""
    if isinstance(column, list):
        return column
    return [None if value < 0 else value for value in column.tolist()]


def texts_of(rows: UnitRows, locations: Locations) -> list[str | None]:
    """The strings of units."""
    texts = locations.strings(rows.position, rows.shapes)
    for row, text in rows.strings.items():
        texts[row] = text
    return texts


def _place_columns(name: str, places: Places, locations: Locations, shapes: Sequence[tuple[int, ...]]) -> Columns:
    positions = locations.positions(places.sentence, places.start, places.end)
    return {
        name: locations.strings(places, shapes),
        f"{name}_start": positions.start,
        f"{name}_end": positions.end,
        f"{name}_sentence": np.where(places.start < 0, -1, places.sentence + locations.before + 1),
    }


def _named(codes: Ints, names: Sequence[str]) -> list[str | None]:
    listed = (*names, None)  # -1 is the last
    return [listed[code] for code in codes.tolist()]


def _parts(rows: UnitRows, locations: Locations) -> list[list[tuple[int, int]] | None]:
    """The parts of units with gaps, in the positions that users see."""
    parts: list[list[tuple[int, int]] | None] = [None] * len(rows)
    position = rows.position
    for row in np.flatnonzero((position.shape != 0) & (position.start >= 0)).tolist():
        sentence, start, end, shape = (int(column[row]) for column in vars(position).values())
        parts[row] = locations.parts(sentence, start, end, rows.shapes[shape])
    return parts


def verdict_schema(task: Task) -> Any:
    """The columns of a task's unit table, and their types."""
    types = [(name, "int64" if name in _NUMBERS else "string") for name in _COLUMNS]
    parts = ("parts", arrow.list_(arrow.list_(arrow.int64())))
    confidences = [("score", "float64")] if CONFIDENCES[0] in task.parameters else []
    return arrow.schema([*types, *task.comparison.unit_columns, *confidences, *_POSITIONS, parts])


@dataclass
class VerdictTable:
    """Writes units to a Parquet or Arrow file."""

    sink: Sink
    judge: str
    labels: StringIndex[str]

    def add(self, system: str, rows: UnitRows, locations: Locations) -> None:
        size = len(rows)
        if not size:
            return
        columns = unit_columns(rows.in_text_order(), locations, self.labels.values)
        named: Mapping[str, Any] = {"system": [system] * size, "judge": [self.judge] * size, **columns}
        self.sink.add({name: _arrow(column) for name, column in named.items()})


def _arrow(column: Ints | list[Any]) -> Any:
    return arrow.array(column, mask=column < 0) if isinstance(column, np.ndarray) else column


def unit_measure(job: Job) -> tuple[Measure, Formula]:
    """The measure whose error types describe the units of a job."""
    task, settings, scorers = job.prepared.task, job.prepared.settings, [scorer.name for scorer in job.scorers]
    known = task.comparison.unit_scorers or [measure.scorer.name for measure in task.measures]
    scorer = next((name for name in known if name in scorers), None)
    function = next((name for name in settings.match if name in settings.functions), None)
    if scorer is None and function is not None:
        return model(task.name, function), model(task.name, function).prepare(settings)
    if scorer is None:
        names = [measure.name for measure in models_of(task.name) if measure.scorer.name in known]
        raise SettingError(f"Only {', '.join(names)} give verdicts on {task.name}; add one of these measures.")
    measure = next(measure for measure in models_of(task.name) if measure.scorer.name == scorer)
    return measure, measure.prepare(settings)


def recording(path: str | PathLike[str]) -> Engine:
    """An engine that also writes all units to a Parquet or Arrow file, depending on its suffix."""
    check_file(path)
    return partial(_run_and_record, fspath(path))


def _run_and_record(path: str, job: Job) -> Run:
    measure, formula = unit_measure(job)
    form, schema = table_format(path), verdict_schema(job.prepared.task)
    check_output_not_input(path, job.paths)
    vocabulary = Vocabulary()
    with table_file(path, form, schema) as sink:
        table = VerdictTable(sink, measure.scorer.name, vocabulary.labels)

        def record(evaluation: Evaluation) -> None:
            for name in evaluation.tallies:
                table.add(name, evaluation.unit_rows(name, measure, formula), evaluation.locations)

        return serial(job, [record], vocabulary)
