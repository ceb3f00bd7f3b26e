"""The way of constituents through their files: sentences are matched by their order and judged, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints
from evenhand.dataclass import dataclass
from evenhand.tally import Tally
from evenhand.tasks import passage
from evenhand.tasks.answers import Answers
from evenhand.tasks.constituents.answers import BracketDrawing, JudgedBrackets
from evenhand.tasks.constituents.brackets import kept
from evenhand.tasks.constituents.forest import Forest, ForestFeed, Selection
from evenhand.tasks.constituents.kinds import LEFT_OUT, SENTENCE_KINDS, counts_errors
from evenhand.tasks.constituents.question import Question
from evenhand.tasks.constituents.sentences import ERROR, SKIP, compared
from evenhand.tasks.passage import Numbering, Numbers, Outcome, VerdictRows
from evenhand.tasks.places import Places
from evenhand.tasks.side_count import SideCount
from evenhand.tasks.spans.question import Relabeling
from evenhand.tasks.units import Units
from evenhand.text.annotation import Annotation
from evenhand.text.constituent_names import TAGS
from evenhand.text.layers import Spans

STATUS = {ERROR: "error", SKIP: "skip"}
MENDED = "mended"
"""What is counted for notes: sentences whose quotes were mended."""


class ConstituentPassage:
    """One pass over the gold standard; every system has its own feed."""

    def __init__(self, asked: passage.Question) -> None:
        self._asked, settings, vocabulary = asked, asked.settings, asked.vocabulary
        self._feeds = {name: ForestFeed(opened(), vocabulary) for name, opened in asked.sides.systems.items()}
        self._selection = Selection(settings["prm"], vocabulary.columns[TAGS], vocabulary)
        self._relabel_gold = Relabeling(settings, "gold", "gold")
        self._relabel = {name: Relabeling(settings, "system", name) for name in self._feeds}

    def judgements(self, number: Numbering) -> Iterator[ConstituentJudgement]:
        for batch in self._asked.sides.gold():
            yield self._judge(batch, number(batch))
        for name, feed in self._feeds.items():
            feed.finish()
            self._asked.system_counts[name].reading = feed.reading

    def finish(self) -> Outcome:
        return Outcome()

    def _judge(self, batch: Annotation, numbers: Numbers) -> ConstituentJudgement:
        asked, gold = self._asked, Forest.of(batch, self._asked.vocabulary)
        spans = self._relabel_gold(gold.brackets)
        self._count(gold, spans, asked.gold_count)
        found = ConstituentJudgement(batch, numbers)
        for name, feed in self._feeds.items():
            system, side = feed.take(gold), asked.system_counts[name]
            own = self._relabel[name](system.brackets)
            self._count(system, own, side)
            sentences = compared(gold, system, self._selection)
            question = Question(sentences, (spans, own), self._selection, numbers.groups, asked.settings["cutoff"])
            tallies = {each.name: each.count(question) for each in asked.judges if each.count is not None}
            found.tallies[name] = tallies | {LEFT_OUT: _left_out(question, numbers)}
            for status, what in STATUS.items():
                side.noted[what] += int(np.count_nonzero(sentences.status == status))
            side.noted[MENDED] += len(sentences.mended)
            if asked.is_watched:
                found.questions[name] = question
        return found

    def _count(self, forest: Forest, spans: Spans, count: SideCount) -> None:
        """Count the brackets of a side, whatever becomes of their sentences."""
        everywhere = np.ones(len(forest), dtype=np.bool_)
        own = kept(forest, spans, self._selection.keeps_words(forest), everywhere, self._selection)
        count.add(own.label, spans.vocabulary.labels.values)


def _left_out(question: Question, numbers: Numbers) -> Tally:
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
    numbers: Numbers
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    """The systems, if verdicts are collected."""
    _drawn: bool = False
    """Whether the units that were asked for last count sentences with errors."""

    @property
    def groups(self) -> Ints:
        return self.numbers.groups

    @cached_property
    def places(self) -> Places:
        return Places([self.annotation], self.numbers.sentences, self.numbers.documents, self.numbers.first_document)

    @cached_property
    def _judged(self) -> dict[bool, JudgedBrackets]:
        """The brackets, by whether sentences with errors count."""
        questions = list(self.questions.values())
        return {counts_errors: JudgedBrackets(questions, counts_errors) for counts_errors in (False, True)}

    def answers(self, by: str) -> Answers:
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
