"""`evaluate`: the error type of every unit, from annotations in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Unpack

from evenhand.data.vocabulary import Vocabulary
from evenhand.parameters import checked_arguments
from evenhand.pipeline.inputs import Side, known_options, prepare, sides_of
from evenhand.pipeline.run import Job
from evenhand.pipeline.unit_table import Columns, listed, unit_columns, unit_measure
from evenhand.tasks.evaluation import Evaluation

if TYPE_CHECKING:
    from evenhand.keywords import Keywords


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
    gold: Side, systems: Side | Sequence[Side] | Mapping[str, Side] | None = None, **options: Unpack[Keywords]
) -> list[Verdict]:
    """Evaluate systems and return the error type of every unit, in the order of the text, one system after the other.

    Inputs and options are as in `score`. Units are counted by the first measure in `match` that has error types: of
    spans, `fair` unless you choose `exact`. All units are held in memory; for large files, `score` only keeps counts.
    """
    gold, sides = sides_of(gold, systems)
    prepared = prepare(gold, sides, options)
    job = Job(gold, sides, prepared, prepared.settings.match, "total")
    measure, formula = unit_measure(job)
    vocabulary, verdicts = Vocabulary(), dict[str, list[Verdict]]()

    def collect(evaluation: Evaluation) -> None:
        for name in evaluation.tallies:
            rows = evaluation.unit_rows(name, measure, formula).in_text_order()
            columns = unit_columns(rows, evaluation.locations, vocabulary.labels.values)
            verdicts.setdefault(name, []).extend(verdicts_of(name, columns))

    job.run([collect], vocabulary)
    return [verdict for of_system in verdicts.values() for verdict in of_system]


def verdicts_of(system: str, columns: Columns) -> Iterator[Verdict]:
    """The rows of a unit table as verdicts."""
    names = ("document", "document_name", "sentence", "start", "end", "text", "gold_label", "system_label", "verdict")
    rows = zip(*(listed(columns[name]) for name in names), strict=True)
    return (Verdict(system, name or str(document), *others) for document, name, *others in rows)
