"""The way of constituents through their files: sentences are matched by their order and judged, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.data.annotation import Annotation
from evenhand.data.layers import Spans
from evenhand.data.names import TAGS
from evenhand.dataclass import dataclass
from evenhand.scoring.tally import Tally
from evenhand.tasks import evaluation as passage
from evenhand.tasks.constituents.evalb import ERROR, SKIP, Forest, ForestFeed, Selection, Sentences, compared
from evenhand.tasks.constituents.parseval import kept, matching
from evenhand.tasks.constituents.task import CLASS_KINDS, LEFT_OUT, SENTENCE_KINDS, UNSCORED, counts_errors
from evenhand.tasks.evaluation import Numbering, Offsets, Outcome, SideSummary, VerdictRows
from evenhand.tasks.spans.comparison import answers_on_spans, span_class, span_units
from evenhand.tasks.spans.matching import Matching, SpanMatches
from evenhand.tasks.spans.scorers import LabelFilter
from evenhand.tasks.spans.task import FN, TP
from evenhand.tasks.units import Locations, Predictions, Row, Rows, Units

# == tasks/constituents/question.py: One system against the gold standard in one portion: what th


@dataclass(frozen=True)
class BracketPair:
    """Two sides, of which it is known what sentences can be scored."""

    sentences: Sentences
    spans: tuple[Spans, Spans]
    """All brackets of both sides, with their labels renamed and chosen."""
    selection: Selection
    groups: Ints
    """The group of each sentence."""
    cutoff: int
    """Up to how many words a sentence is short."""

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.spans[0].vocabulary.labels.values)

    @cached_property
    def gold(self) -> Spans:
        """The gold standard's brackets that are looked at; positions count the words that are."""
        found = self.sentences
        return kept(found.gold, self.spans[0], found.keep_gold, found.valid, self.selection)

    @cached_property
    def system(self) -> Spans:
        found = self.sentences
        return kept(found.system, self.spans[1], found.keep_system, found.valid, self.selection)

    @cached_property
    def matching(self) -> Matching:
        return matching(self.gold, self.system, self.selection)

    @cached_property
    def failed(self) -> tuple[Spans, Spans]:
        """The brackets of both sides in sentences that the system failed on."""
        found = self.sentences
        return (
            kept(found.gold, self.spans[0], found.keep_gold, found.failed, self.selection),
            kept(found.system, self.spans[1], found.keep_system, found.failed, self.selection),
        )

    @cached_property
    def is_short(self) -> Bools:
        """Which sentences are short."""
        found: Bools = self.selection.lengths(self.sentences.gold) <= self.cutoff
        return found


# == tasks/constituents/answers.py: What several systems say of the same brackets.


_KIND_BITS = 4
_KIND = (1 << _KIND_BITS) - 1


def answer_in_words(code: int, labels: Sequence[str]) -> str:
    """A verdict with the label that the system gave, where it gave one."""
    kind, label = CLASS_KINDS[code & _KIND], (code >> _KIND_BITS) - 1
    return kind if label < 0 or kind in ("FN", "TN", "unscored") else f"{kind} {labels[label]}"


@dataclass(frozen=True)
class JudgedBrackets:
    """The brackets of the gold standard and of several systems, and what was matched with what."""

    questions: Sequence[BracketPair]
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
    def all_answers(self) -> Predictions:
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

    def _verdicts(self, found: Matching, rows: Ints) -> SpanMatches:
        """Verdicts on all brackets of the gold standard, of which these rows were matched."""
        own, size = found.verdicts(), len(self.gold)
        partner = np.full(size, -1)
        kind = np.full(size, FN)
        partner[rows], kind[rows] = own.system[: len(rows)], own.kind[: len(rows)]
        surplus = slice(len(rows), None)
        gold = np.append(np.arange(size), np.append(rows, -1)[own.gold[surplus]])
        nothing = np.zeros(len(gold), dtype=np.int64)
        return SpanMatches(
            np.append(kind, own.kind[surplus]), gold, np.append(partner, own.system[surplus]), nothing, nothing
        )

    def answers(self) -> Predictions:
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
    rows: dict[int, list[Row]] = {}
    columns = (spans.scope, spans.label, spans.start, spans.end, mark)
    for sentence, *row in zip(*(column.tolist() for column in columns), strict=True):
        rows.setdefault(sentence, []).append(tuple(row))
    return rows


# == tasks/constituents/passage.py (primary)


STATUS = {ERROR: "error", SKIP: "skip"}
MENDED = "mended"
"""What is counted for notes: sentences whose quotes were mended."""


class ConstituentPassage:
    """One pass over the gold standard; every system has its own feed."""

    def __init__(self, asked: passage.EvaluationRequest) -> None:
        self._asked, settings, vocabulary = asked, asked.settings, asked.vocabulary
        self._feeds = {name: ForestFeed(opened(), vocabulary) for name, opened in asked.sides.systems.items()}
        self._selection = Selection(settings["prm"], vocabulary.columns[TAGS], vocabulary)
        self._relabel_gold = LabelFilter(settings, "gold", "gold")
        self._relabel = {name: LabelFilter(settings, "system", name) for name in self._feeds}

    def judgements(self, number: Numbering) -> Iterator[ConstituentJudgement]:
        for batch in self._asked.sides.gold():
            yield self._judge(batch, number(batch))
        for name, feed in self._feeds.items():
            feed.finish()
            self._asked.system_counts[name].reading = feed.reading

    def finish(self) -> Outcome:
        return Outcome()

    def _judge(self, batch: Annotation, numbers: Offsets) -> ConstituentJudgement:
        asked, gold = self._asked, Forest.of(batch, self._asked.vocabulary)
        spans = self._relabel_gold(gold.brackets)
        self._count(gold, spans, asked.gold_count)
        found = ConstituentJudgement(batch, numbers)
        for name, feed in self._feeds.items():
            system, side = feed.take(gold), asked.system_counts[name]
            own = self._relabel[name](system.brackets)
            self._count(system, own, side)
            sentences = compared(gold, system, self._selection)
            question = BracketPair(sentences, (spans, own), self._selection, numbers.groups, asked.settings["cutoff"])
            tallies = {judge.name: judge.count(question) for judge in asked.scorers if judge.count is not None}
            found.tallies[name] = tallies | {LEFT_OUT: _left_out(question, numbers)}
            for status, what in STATUS.items():
                side.noted[what] += int(np.count_nonzero(sentences.status == status))
            side.noted[MENDED] += len(sentences.mended)
            if asked.keep_units:
                found.questions[name] = question
        return found

    def _count(self, forest: Forest, spans: Spans, count: SideSummary) -> None:
        """Count the brackets of a side, whatever becomes of their sentences."""
        everywhere = np.ones(len(forest), dtype=np.bool_)
        own = kept(forest, spans, self._selection.keeps_words(forest), everywhere, self._selection)
        count.add(own.label, spans.vocabulary.labels.values)


def _left_out(question: BracketPair, numbers: Offsets) -> Tally:
    """The sentences that are left out: places as gold labels, reasons as those of the system."""
    names: dict[str, int] = {}
    rows: list[tuple[int, ...]] = []
    for sentence, reason in sorted(question.sentences.reasons.items()):
        place = question.sentences.system.place(sentence) or f"sentence {numbers.sentences + sentence + 1}"
        codes = [names.setdefault(text, len(names)) for text in (place, reason)]
        status = STATUS[int(question.sentences.status[sentence])]
        rows.append((int(numbers.groups[sentence]), *codes, SENTENCE_KINDS.index(status)))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return Tally.of(tuple(names), SENTENCE_KINDS, *columns)


@dataclass
class ConstituentJudgement:
    """What is said of some sentences of the gold standard."""

    annotation: Annotation
    numbers: Offsets
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    questions: dict[str, BracketPair] = field(default_factory=dict)
    """The systems, if verdicts are collected."""
    _drawn: bool = False
    """Whether the units that were asked for last count sentences with errors."""

    @property
    def groups(self) -> Ints:
        return self.numbers.groups

    @cached_property
    def places(self) -> Locations:
        return Locations([self.annotation], self.numbers.sentences, self.numbers.documents, self.numbers.first_document)

    @cached_property
    def _judged(self) -> dict[bool, JudgedBrackets]:
        """The brackets, by whether sentences with errors count."""
        questions = list(self.questions.values())
        return {counts_errors: JudgedBrackets(questions, counts_errors) for counts_errors in (False, True)}

    def answers(self, by: str) -> Predictions:
        return self._judged[counts_errors(by)].answers()

    def units(self, by: str) -> Units:
        self._drawn = counts_errors(by)
        return self._judged[self._drawn].units()

    def drawing(self) -> BracketDrawing:
        return BracketDrawing(self._judged[self._drawn])

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        corpus, document = self.annotation.corpus, self.numbers.first_document
        units = JudgedBrackets([self.questions[system]], counts_errors(judge)).units()
        order = np.lexsort((units.surplus, units.end, units.start, units.sentence))
        bounds = units.partner[0][order]
        more = {
            "side": units.surplus[order].astype(np.int64),
            "matched_start": np.where(bounds < 0, -1, bounds >> 32),
            "matched_end": np.where(bounds < 0, -1, bounds & 0xFFFFFFFF),
        }
        columns = (units.sentence, units.start, units.end)
        sentence, start, end = (column[order] for column in columns)
        verdicts = (units.gold[0][order], units.predicted[0][order], units.kind[0][order])
        documents = corpus.document_of(sentence) + document
        yield VerdictRows(corpus, sentence, start, end, documents, {}, *verdicts, more), self.numbers.sentences
