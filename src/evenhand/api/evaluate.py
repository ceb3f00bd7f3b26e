"""`evaluate`: the error type of every unit, from annotations in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evenhand.data.vocabulary import Vocabulary
from evenhand.parameters import checked_arguments
from evenhand.pipeline.inputs import Side, known_options, prepare, sides_of
from evenhand.pipeline.run import Job
from evenhand.pipeline.unit_table import unit_scorer
from evenhand.tasks.evaluation import Evaluation, VerdictRows
from evenhand.tasks.units import parts_of


class Verdict(NamedTuple):
    """A unit and its error type under one system."""

    system: str
    document: str
    """The name of the document or, if it has none, its number from 1."""
    sentence: int
    """The number of the sentence, from 1."""
    start: int | None
    """The first position: a character of the text if the input has one, else a token of the sentence, from 0.

    None if the unit is not in the gold text, such as a word that only the system has.
    """
    end: int | None
    """The end, exclusive."""
    text: str | None
    gold: str | None
    """The gold label; None for a unit that only the system has."""
    predicted: str | None
    """The label of the system; None for a unit that it lacks."""
    type: str
    """The error type: `TP`, `LE`, `FN` … for spans, `right` and `wrong` for tags (see the definitions)."""


@checked_arguments(known_options)
def evaluate(
    gold: Side, systems: Side | Sequence[Side] | Mapping[str, Side] | None = None, **options: Any
) -> list[Verdict]:
    """Evaluate systems and return the error type of every unit, in the order of the text, one system after the other.

    Inputs and options are as in `score`. Units are those of the first measure in `match` that has error types: of
    spans, `fair` unless you choose `exact`. All units are held in memory; for large files, `score` only keeps counts.
    """
    gold, sides = sides_of(gold, systems)
    prepared = prepare(gold, sides, options)
    job = Job(gold, sides, prepared, prepared.settings.match, "total")
    scorer, types = unit_scorer(job), prepared.task.error_types.of_tables
    vocabulary, verdicts = Vocabulary(), dict[str, list[Verdict]]()

    def collect(evaluation: Evaluation) -> None:
        labels = vocabulary.labels.values
        for name in evaluation.tallies:
            for rows, before in evaluation.rows(name, scorer):
                verdicts.setdefault(name, []).extend(_verdicts(name, rows, before, labels, types))

    job.run([collect], vocabulary)
    return [verdict for of_system in verdicts.values() for verdict in of_system]


def _verdicts(
    system: str, rows: VerdictRows, before: int, labels: Sequence[str], types: Sequence[str]
) -> Iterator[Verdict]:
    corpus, inside = rows.corpus, np.flatnonzero(rows.start >= 0)
    positions = corpus.positions(rows.sentence[inside], rows.start[inside], rows.end[inside])
    bounds = dict(zip(inside.tolist(), zip(positions.start.tolist(), positions.end.tolist(), strict=True), strict=True))
    columns = (rows.document, rows.sentence, rows.gold, rows.system, rows.kind)
    for row, (document, sentence, gold, predicted, kind) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        text = None if rows.other_text is None else rows.other_text[row]
        if row in bounds:
            gaps = rows.gaps.get(row, ())
            parts = [
                corpus.quoted(sentence, *part) for part in parts_of(int(rows.start[row]), int(rows.end[row]), gaps)
            ]
            text = " ".join(part or "" for part in parts) if any(parts) else None
        yield Verdict(
            system,
            rows.names.get(document) or str(document + 1),
            before + sentence + 1,
            *bounds.get(row, (None, None)),
            text,
            labels[gold] if gold >= 0 else None,
            labels[predicted] if predicted >= 0 else None,
            types[kind],
        )
