"""What is said of some documents with links: counts, and on demand units, drawings and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints
from evenhand.dataclass import dataclass
from evenhand.registry import late
from evenhand.tally import Tally
from evenhand.tasks.answers import Answers
from evenhand.tasks.links.linked import Linked
from evenhand.tasks.links.question import Question
from evenhand.tasks.links.shown import Shown
from evenhand.tasks.passage import Numbers, VerdictRows
from evenhand.tasks.places import Places
from evenhand.tasks.spans.drawing import SpanDrawing
from evenhand.tasks.units import Units
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Spans

answers_on_links = late("evenhand.tasks.links.answers:answers_on_links")
link_units = late("evenhand.tasks.links.answers:link_units")


@dataclass(frozen=True)
class Portion:
    """Batches of the gold standard that are judged together, and where each stands."""

    batches: Sequence[Annotation]
    numbers: Sequence[Numbers]

    @cached_property
    def annotation(self) -> Annotation:
        return Annotation.concatenate(self.batches)


@dataclass
class LinkJudgement:
    """What is said of some documents of the gold standard."""

    portion: Portion
    gold: Linked
    shown: Shown
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    """The systems, where somebody looks at the verdicts."""

    @property
    def groups(self) -> Ints:
        """The number of each document."""
        return np.arange(len(self._corpus.documents)) + self.portion.numbers[0].first_document

    @cached_property
    def places(self) -> Places:
        numbers = self.portion.numbers
        documents = np.concatenate([each.documents for each in numbers])
        return Places(self.portion.batches, numbers[0].sentences, documents, numbers[0].first_document)

    @property
    def _corpus(self) -> Corpus:
        return self.portion.annotation.corpus

    def answers(self, by: str) -> Answers:
        questions = list(self.questions.values())
        found: Answers = answers_on_links(self.gold, questions, self._corpus, self.shown)
        return found

    def units(self, by: str) -> Units:
        found: Units = link_units(self.answers(by))
        return found

    def drawing(self) -> SpanDrawing:
        """Spans with their identifiers as labels."""
        return SpanDrawing(
            [self._drawn(side) for side in (self.gold, *(each.system for each in self.questions.values()))]
        )

    def _drawn(self, side: Linked) -> Spans:
        names, labels = self.shown.identifiers.names, self.shown.labels
        codes = {code: labels.code(names[code]) for code in set(side.answer.tolist())}
        sentence, start = self._corpus.in_sentences(side.spans.scope, side.spans.start)
        end = side.spans.end - side.spans.start + start
        if self._corpus.lengths is not None:  # a system's span may go on in the next sentence
            end = np.minimum(end, self._corpus.lengths[sentence])
        label = np.array([codes[code] for code in side.answer.tolist()], dtype=np.int64)
        return replace(side.spans, scope=sentence, start=start, end=end, label=label)

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        corpus, document = self._corpus, self.portion.numbers[0].first_document
        answers = answers_on_links(self.gold, [self.questions[system]], corpus, self.shown)
        units = link_units(answers)
        order = np.lexsort((units.surplus, units.end, units.start, units.sentence))
        bounds = units.partner[0]
        more: Mapping[str, Ints] = {
            "side": units.surplus.astype(np.int64),
            "matched_start": np.where(bounds < 0, -1, bounds >> 32),
            "matched_end": np.where(bounds < 0, -1, bounds & 0xFFFFFFFF),
        }
        rows = VerdictRows(
            corpus=corpus,
            sentence=units.sentence[order],
            start=units.start[order],
            end=units.end[order],
            document=corpus.document_of(units.sentence[order]) + document,
            names=dict(enumerate(corpus.document_names, document)),
            gold=units.gold[0][order],
            system=units.predicted[0][order],
            kind=units.kind[0][order],
            more={name: column[order] for name, column in more.items()},
            gaps=units.gaps(order),
        )
        yield rows, self.portion.numbers[0].sentences
