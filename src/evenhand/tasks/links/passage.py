"""The way of links through their files: documents are matched by name and judged, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints
from evenhand.registry import late
from evenhand.settings import ScoreSettings
from evenhand.tally import Tally
from evenhand.tasks import passage
from evenhand.tasks.answers import Answers
from evenhand.tasks.links.hipe import Walked
from evenhand.tasks.links.linked import Identifiers, Linked, SideLinks
from evenhand.tasks.links.other_documents import with_other_documents
from evenhand.tasks.links.question import Question
from evenhand.tasks.links.same_ids import table
from evenhand.tasks.links.shown import Shown
from evenhand.tasks.passage import Numbering, Numbers, Outcome, VerdictRows
from evenhand.tasks.places import Places
from evenhand.tasks.side_count import SideCount
from evenhand.tasks.spans.drawing import SpanDrawing
from evenhand.tasks.spans.question import Relabeling
from evenhand.tasks.units import Units
from evenhand.text.annotation import Annotation
from evenhand.text.characters import same_atoms
from evenhand.text.layers import Spans
from evenhand.text.link_feed import LinkFeed, names_of
from evenhand.text.link_names import LAYER
from evenhand.text.links import in_documents

answers_on_links = late("evenhand.tasks.links.answers:answers_on_links")
link_units = late("evenhand.tasks.links.answers:link_units")
UNLINKED, RESPELLED = "unlinked", "respelled"
"""What is counted for notes: spans without links, and pairs that are wrong only by their spelling."""


class LinkPassage:
    """One pass over the gold standard; every system has its own feed."""

    def __init__(self, asked: passage.Question) -> None:
        self._asked, settings = asked, asked.settings
        opened = [asked.sides.gold(), *(each() for each in asked.sides.systems.values())]
        gold, *systems = same_atoms(opened, "characters" if settings.align == "characters" else "strict")
        others = list(asked.sides.systems.values())
        self._gold = with_other_documents(gold, others)
        strict = settings.align != "position"

        def again() -> Iterator[Annotation]:
            return with_other_documents(asked.sides.gold(), others)

        self._feeds = {
            name: LinkFeed(asked.sides.systems[name], again, strict=strict, stream=stream)
            for name, stream in zip(asked.sides.systems, systems, strict=True)
        }
        self._identifiers, self._names = Identifiers(), dict[str, str]()
        self._gold_side = _Side(settings, "gold", "gold", self._identifiers)
        self._sides = {name: _Side(settings, "system", name, self._identifiers) for name in asked.sides.systems}

    def judgements(self, number: Numbering) -> Iterator[LinkJudgement]:
        for batch in self._gold:
            yield self._judge(batch, number(batch))
        for name, feed in self._feeds.items():
            feed.finish()
            side = self._asked.system_counts[name]
            side.reading, side.mismatches = feed.reading, feed.found

    def finish(self) -> Outcome:
        return Outcome(self._names)

    def _judge(self, batch: Annotation, numbers: Numbers) -> LinkJudgement:
        asked, corpus = self._asked, batch.corpus
        self._note_names(batch)
        own = in_documents(batch.spans(LAYER).into(asked.vocabulary), corpus.documents, corpus.bounds)
        gold = self._gold_side.linked(own, asked.gold_count)
        shown = Shown(self._identifiers, asked.vocabulary.labels)
        found = LinkJudgement(batch, gold, numbers, shown)
        for name, feed in self._feeds.items():
            spans = feed.take(batch).into(asked.vocabulary)
            system = self._sides[name].linked(spans, asked.system_counts[name])
            question = Question(gold, system, found.groups)
            found.tallies[name] = {
                judge.name: judge.count(question) for judge in asked.judges if judge.count is not None
            }
            found.tallies[name] |= question.more
            walks = [each.respelled for each in question.kept.values() if isinstance(each, Walked)]
            asked.system_counts[name].noted[RESPELLED] += max(walks, default=0)
            if asked.is_watched:
                found.questions[name] = question
        return found

    def _note_names(self, batch: Annotation) -> None:
        """The names of documents, numbers where they have none."""
        names = names_of(batch.corpus)
        for name in names.texts(0, len(names)):
            self._names.setdefault(name or str(len(self._names) + 1), batch.corpus.source)


class _Side:
    """How the spans of one side become links, which are counted."""

    def __init__(self, settings: ScoreSettings, side: str, name: str, identifiers: Identifiers) -> None:
        self._relabel = Relabeling(settings, side, name)
        nil_labels = settings["nil_labels"] if side == "system" else ()
        self._links = SideLinks(table(settings["same_ids"], side), nil_labels, only_first=side == "gold")
        self._identifiers = identifiers

    def linked(self, spans: Spans, count: SideCount) -> Linked:
        kept = self._relabel(spans)
        found = self._identifiers.linked(kept, self._links)
        count.add(found.spans.label, spans.vocabulary.labels.values)
        count.noted[UNLINKED] += len(kept) - len(found)
        return found


@dataclass
class LinkJudgement:
    """What is said of some documents of the gold standard."""

    annotation: Annotation
    gold: Linked
    numbers: Numbers
    shown: Shown
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    """The systems, where somebody looks at the verdicts."""

    @property
    def groups(self) -> Ints:
        """The number of each document."""
        return np.arange(len(self.annotation.corpus.documents)) + self.numbers.first_document

    @cached_property
    def places(self) -> Places:
        numbers = self.numbers
        return Places([self.annotation], numbers.sentences, numbers.documents, numbers.first_document)

    def answers(self, by: str) -> Answers:
        questions = list(self.questions.values())
        found: Answers = answers_on_links(self.gold, questions, self.annotation.corpus, self.shown)
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
        sentence, start = self.annotation.corpus.in_sentences(side.spans.scope, side.spans.start)
        end = side.spans.end - side.spans.start + start
        label = np.array([codes[code] for code in side.answer.tolist()], dtype=np.int64)
        return replace(side.spans, scope=sentence, start=start, end=end, label=label)

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        corpus, document = self.annotation.corpus, self.numbers.first_document
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
            names=dict(enumerate(corpus.names, document)),
            gold=units.gold[0][order],
            system=units.predicted[0][order],
            kind=units.kind[0][order],
            more={name: column[order] for name, column in more.items()},
        )
        yield rows, self.numbers.sentences
