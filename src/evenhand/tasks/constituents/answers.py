"""What several systems say of the same brackets.

A unit is a bracket of the gold standard, or one that only systems have. Where sentences with errors count as wrong, all
sentences are compared: their gold brackets are missing under a system that failed on them, and its own are spurious.
Where they are left out, units are those of sentences that are valid under some system, and systems are compared in the
sentences that are valid under all of them. Positions count all words of the gold standard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.tasks.answers import Answers
from evenhand.tasks.constituents.brackets import kept, matching
from evenhand.tasks.constituents.kinds import CLASS_KINDS, UNSCORED
from evenhand.tasks.constituents.question import Question
from evenhand.tasks.spans.answers import answers_on_spans, span_class, span_units
from evenhand.tasks.spans.kinds import FN, TP
from evenhand.tasks.spans.verdicts import Matching, Verdicts
from evenhand.tasks.units import Row, Rows, Units
from evenhand.text.layers import Spans

_KIND_BITS = 4
_KIND = (1 << _KIND_BITS) - 1


def answer_in_words(code: int, labels: Sequence[str]) -> str:
    """A verdict with the label that the system gave, where it gave one."""
    kind, label = CLASS_KINDS[code & _KIND], (code >> _KIND_BITS) - 1
    return kind if label < 0 or kind in ("FN", "TN", "unscored") else f"{kind} {labels[label]}"


@dataclass(frozen=True)
class JudgedBrackets:
    """The brackets of the gold standard and of several systems, and what was matched with what."""

    questions: Sequence[Question]
    counts_errors: bool = False
    """Whether sentences that a system failed on are wrong, and not left out."""

    @cached_property
    def _keep(self) -> Bools:
        """The words of the gold standard that are looked at; with the quotes that the first system has put back."""
        first = self.questions[0]
        keep = first.selection.keeps_words(first.sentences.gold)
        for question in reversed(self.questions):
            bounds = question.sentences.gold.bounds
            for sentence in question.sentences.mended:
                if question.sentences.valid[sentence]:
                    words = slice(*bounds[sentence : sentence + 2].tolist())
                    keep[words] = question.sentences.keep_gold[words]
        return keep

    @cached_property
    def _matchable(self) -> Bools:
        """For every system, the valid sentences in which it is scored on these words."""
        rows = []
        for question in self.questions:
            gold = question.sentences.gold
            other = np.bincount(gold.sentence_of[question.sentences.keep_gold != self._keep], minlength=len(gold))
            rows.append(question.sentences.valid & (other == 0))
        return np.array(rows)

    @cached_property
    def scored(self) -> Bools:
        """For every system, the sentences in which it is scored."""
        if not self.counts_errors:
            return self._matchable
        failed: Bools = np.array([question.sentences.failed for question in self.questions])
        return self._matchable | failed

    @cached_property
    def gold(self) -> Spans:
        """The brackets of the gold standard in sentences that are valid under some system."""
        first = self.questions[0]
        somewhere: Bools = np.logical_or.reduce(self.scored, axis=0)
        return kept(first.sentences.gold, first.spans[0], self._keep, somewhere, first.selection)

    @cached_property
    def matched(self) -> list[tuple[Spans, Matching, Ints]]:
        """The brackets of every system, what they are matched with, and the rows of the gold standard's brackets."""
        found = []
        for question, scored, matchable in zip(self.questions, self.scored, self._matchable, strict=True):
            own = question.sentences
            system = kept(own.system, question.spans[1], own.keep_system, scored, question.selection)
            rows = np.flatnonzero(matchable[self.gold.scope])  # words of other sentences differ
            found.append((system, matching(self.gold.take(rows), system, question.selection), rows))
        return found

    def in_text(self, spans: Spans) -> Spans:
        """Brackets of either side, whose positions count all words of the gold standard."""
        words, bounds = np.flatnonzero(self._keep), self.questions[0].sentences.gold.bounds
        first, before = bounds[spans.scope], np.append(0, np.cumsum(self._keep))
        begin, last = before[first], before[bounds[spans.scope + 1]] - 1
        # Brackets of a sentence with other words may reach beyond the gold standard's words.
        start, end = np.minimum(begin + spans.start, last), np.minimum(begin + spans.end - 1, last)
        return replace(spans, start=words[start] - first, end=words[end] + 1 - first)

    @cached_property
    def all_answers(self) -> Answers:
        """What every system says of every unit; nothing, where it is not scored."""
        judged = [(self.in_text(system), self._verdicts(found, rows)) for system, found, rows in self.matched]
        found = answers_on_spans(self.in_text(self.gold), judged)
        unscored = ~self.scored[:, found.sentence]
        nothing = span_class(np.array([UNSCORED]), np.array([-1]))[0]
        shown = np.where(unscored, nothing, found.shown)
        return replace(
            found,
            answer=shown,
            shown=shown,
            right=found.right & ~unscored,
            part=np.where(unscored, -1, found.part),
            verdict=shown & _KIND,
        )

    def _verdicts(self, found: Matching, rows: Ints) -> Verdicts:
        """Verdicts on all brackets of the gold standard, of which these rows were matched."""
        own, size = found.verdicts(), len(self.gold)
        partner = np.full(size, -1)
        kind = np.full(size, FN)
        partner[rows], kind[rows] = own.system[: len(rows)], own.kind[: len(rows)]
        surplus = slice(len(rows), None)
        gold = np.append(np.arange(size), np.append(rows, -1)[own.gold[surplus]])
        nothing = np.zeros(len(gold), dtype=np.int64)
        return Verdicts(
            np.append(kind, own.kind[surplus]), gold, np.append(partner, own.system[surplus]), nothing, nothing
        )

    def answers(self) -> Answers:
        """Of the units in sentences that are valid under all systems."""
        every = self.all_answers
        shared: Bools = np.logical_and.reduce(self.scored, axis=0)[every.sentence]
        return every.take(shared)

    def units(self) -> Units:
        """All units as an error browser shows them."""
        found = span_units(self.all_answers)
        unscored = found.kind == UNSCORED
        return replace(
            found, gold=np.where(unscored, -1, found.gold), predicted=np.where(unscored, -1, found.predicted)
        )


class BracketDrawing:
    """Rows of label, start, end and a mark: for the gold standard by how many systems a bracket is missed.

    For a system the mark is 1 where its bracket is wrong.
    """

    def __init__(self, judged: JudgedBrackets) -> None:
        self._judged = judged

    def sides(self, sentence: int) -> list[Rows]:
        return [tuple(side.get(sentence, ())) for side in self._by_sentence]

    @cached_property
    def _by_sentence(self) -> list[dict[int, list[Row]]]:
        judged = self._judged
        missed = np.zeros(len(judged.gold), dtype=np.int64)
        sides = []
        for system, found, rows in judged.matched:
            missed[rows[found.gold_kind != TP]] += 1
            sides.append(_rows(judged.in_text(system), (found.system_kind != TP).astype(np.int64)))
        return [_rows(judged.in_text(judged.gold), missed), *sides]


def _rows(spans: Spans, mark: Ints) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    columns = (spans.scope, spans.label, spans.start, spans.end, mark)
    for sentence, *row in zip(*(column.tolist() for column in columns), strict=True):
        found.setdefault(sentence, []).append(tuple(row))
    return found
