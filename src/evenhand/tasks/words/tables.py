"""What the tables of tags and trees have in common: the queries for their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from evenhand.scores.model_score import ModelScore
from evenhand.table import Cell, Query, Table
from evenhand.tally import NO_LABEL
from evenhand.tasks.tables import Ask, confusion_table
from evenhand.tasks.words.kinds import EXTRA

if TYPE_CHECKING:
    from evenhand.result.result import Result


def asking(result: Result, right: Sequence[str] = ("right",)) -> Ask:
    """The queries behind a table by label, under a score that counts these verdicts as right.

    A page does not carry words that only the system has, so that it cannot list all that the system found.
    """
    system, has_extra = result.name, _has_extra(result)

    def ask(label: str | None, count: str) -> Query | None:
        if count == "system":
            return None if has_extra else Query(system, of="system", predicted=label)
        if count == "correct":
            return Query(system, kind=",".join(right), gold=label)
        return Query(system, gold=label) if count == "gold" else Query(system, label=label)

    return ask


def _has_extra(result: Result) -> bool:
    """Whether a system has words that the gold standard has not."""
    tally = result.tallies.get(result.settings.task)
    return tally is not None and EXTRA in tally.kinds and bool((tally.kind == tally.kinds.index(EXTRA)).any())


def confusion(result: Result) -> Iterator[Table]:
    """Wrong labels, whatever else is right."""

    def ask(gold: str | None, predicted: str) -> Query | None:
        return None if gold == NO_LABEL else Query(result.name, gold=gold, predicted=predicted)

    return confusion_table(result, ask)


def sentences(score: ModelScore) -> Cell:
    """The share of sentences that are fully correct."""
    return None if score.sentences is None else score.sentences.share


def rivals(rows: Sequence[object]) -> Sequence[Sequence[int]]:
    """The rows of systems, where there are several."""
    return [range(len(rows))] if len(rows) > 1 else ()
