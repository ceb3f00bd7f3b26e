"""The passage of tasks whose units are there before anybody annotates them, and get one label each.

Sentences with a label, documents with a class, given mentions with a type: gold standard and systems have the same
units, and a system is right where its label is. A task says where its units are (`units`) and has the rest from here:
alignment of tokens, portions, verdicts (right, wrong, missing), comparisons and the page. Units of a task are handed
over as spans, each with its label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, others, pack
from evenhand.tally import Tally
from evenhand.tasks.answers import Answers
from evenhand.tasks.passage import Numbering, Outcome, Question, VerdictRows
from evenhand.tasks.places import Places
from evenhand.tasks.spans.drawing import SpanDrawing
from evenhand.tasks.spans.portion import PORTION, Portion
from evenhand.tasks.spans.question import Relabeling
from evenhand.tasks.units import Units
from evenhand.tasks.words.kinds import EXTRA, MISSING, TAG_KINDS
from evenhand.tasks.words.tallies import tally_words
from evenhand.tasks.words.verdicts import WordVerdicts
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation
from evenhand.text.characters import same_atoms
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans

KINDS = (*TAG_KINDS, MISSING)
"""The verdicts on units."""
UnitsOf = Callable[[Annotation, Vocabulary], Spans]
"""The units of a batch, as spans with labels."""


class LabeledUnitPassage:
    """One pass over the gold standard; every system has its own feed."""

    def __init__(self, asked: Question, judge: str, units: UnitsOf) -> None:
        """`judge` is the name under which the counts are kept."""
        self._asked, self._judge_name, self._units = asked, judge, units
        streams = [self._as_spans(open_side()) for open_side in (asked.sides.gold, *asked.sides.systems.values())]
        self._gold, *systems = same_atoms(streams, asked.settings.align)
        by_position = asked.settings.align == "position"
        self._feeds = {
            name: Feed(stream, "spans", by_position=by_position)
            for name, stream in zip(asked.sides.systems, systems, strict=True)
        }
        self._relabel = {name: Relabeling(asked.settings, "system", name) for name in asked.sides.systems}
        self._relabel_gold = Relabeling(asked.settings, "gold", "gold")

    def _as_spans(self, stream: Iterator[Annotation]) -> Iterator[Annotation]:
        """Batches whose only layer of spans are the units."""
        for batch in stream:
            units = self._units(batch, self._asked.vocabulary)
            readings = {"spans": batch.reading}
            yield replace(batch, layers={**batch.layers, "spans": units}, readings=readings)

    def judgements(self, number: Numbering) -> Iterator[LabeledUnitJudgement]:
        portion, corpus = self._portion(), None
        for batch in self._gold:
            corpus = batch.corpus
            portion.add(batch, number(batch))
            if len(portion) >= PORTION:
                yield self._judge(portion)
                portion = self._portion()
        assert corpus is not None  # a reader yields one batch at least, or raises
        if portion.sentences:
            yield self._judge(portion)
        for name, feed in self._feeds.items():
            feed.finish(corpus)
            self._asked.system_counts[name].reading = feed.reading

    def finish(self) -> Outcome:
        return Outcome()

    def _portion(self) -> Portion:
        return Portion(self._asked.vocabulary, "spans")

    def _judge(self, portion: Portion) -> LabeledUnitJudgement:
        asked, names = self._asked, self._asked.vocabulary.labels.values
        gold = self._relabel_gold(portion.gold(keeps_tags=False).spans)
        asked.gold_count.add(gold.label, names)
        found = LabeledUnitJudgement(portion, gold)
        for name, feed in self._feeds.items():
            system = self._relabel[name](portion.take(feed).spans)
            side = asked.system_counts[name]
            side.add(system.label, names)
            labels = SystemLabels(gold, system)
            side.missing += int(np.count_nonzero(labels.partner < 0))
            found.systems[name] = labels
            if asked.asks(self._judge_name):
                found.tallies[name] = {self._judge_name: tally_words(labels.verdicts, names, portion.groups)}
            else:
                found.tallies[name] = {}
        return found


@dataclass
class SystemLabels:
    """The units of one system beside those of the gold standard."""

    gold: Spans
    system: Spans

    @cached_property
    def partner(self) -> Ints:
        """The system's row for each unit of the gold standard; -1 where it has none."""
        columns = [(self.gold.scope, self.system.scope), (self.gold.start, self.system.start)]
        mine, theirs = pack(*columns, (self.gold.end, self.system.end))
        order = np.argsort(theirs, kind="stable")
        place = np.searchsorted(theirs[order], mine)
        known = place < len(order)
        found = np.full(len(mine), -1)
        found[known] = order[place[known]]
        found[known] = np.where(theirs[found[known]] == mine[known], found[known], -1)
        return found

    @property
    def label(self) -> Ints:
        """The system's label for each unit of the gold standard; -1 where it has none."""
        return np.append(self.system.label, -1)[self.partner]

    @cached_property
    def verdicts(self) -> WordVerdicts:
        met = np.flatnonzero(self.partner >= 0)
        missing = np.flatnonzero(self.partner < 0)
        extra = others(len(self.system), self.partner[met])
        nobody, nothing = np.full(len(missing), -1), np.full(len(extra), -1)
        wrong = (self.label[met] != self.gold.label[met]).astype(np.int64)
        return WordVerdicts(
            (*TAG_KINDS, MISSING, EXTRA),
            np.concatenate((wrong, np.full(len(missing), 2), np.full(len(extra), 3))),
            np.concatenate((met, missing, nothing)),
            np.concatenate((self.partner[met], nobody, extra)),
            np.concatenate((self.gold.label[met], self.gold.label[missing], nothing)),
            np.concatenate((self.label[met], nobody, self.system.label[extra])),
            np.concatenate((self.gold.scope[met], self.gold.scope[missing], self.system.scope[extra])),
        )


@dataclass
class LabeledUnitJudgement:
    """What is said of one portion."""

    portion: Portion
    gold: Spans
    systems: dict[str, SystemLabels] = field(default_factory=dict)
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)

    @property
    def groups(self) -> Ints:
        return self.portion.groups

    @cached_property
    def places(self) -> Places:
        return self.portion.places

    def answers(self, by: str) -> Answers:
        """Of the units that all systems have."""
        labels = np.stack([each.label for each in self.systems.values()])
        rows = np.flatnonzero((labels >= 0).all(axis=0))
        gold, said = self.gold.take(rows), labels[:, rows]
        return Answers(
            label=gold.label,
            is_surplus=np.zeros(len(rows), dtype=np.bool_),
            answer=said,
            shown=said,
            right=said == gold.label,
            part=np.full(said.shape, -1),
            sentence=gold.scope,
            start=gold.start,
            end=gold.end,
            left_out=len(self.gold) - len(rows),
        )

    def units(self, by: str) -> Units:
        """All units of the gold standard, also those that not all systems have."""
        gold, said = self.gold, np.stack([each.label for each in self.systems.values()])
        right = said == gold.label
        kind = np.where(said < 0, KINDS.index(MISSING), np.where(right, 0, 1))
        nothing, surplus = np.full(said.shape, -1), np.zeros(len(gold), dtype=np.bool_)
        labels = np.broadcast_to(gold.label, said.shape)
        columns = (gold.scope, gold.start, gold.end, gold.label, surplus)
        return Units(*columns, kind, labels, said, said, right, nothing)

    def drawing(self) -> SpanDrawing:
        return SpanDrawing([self.gold, *(each.system for each in self.systems.values())])

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        labels, first = self.systems[system], 0
        kind = np.where(labels.partner < 0, 2, (labels.label != self.gold.label).astype(np.int64))
        for batch, numbers in zip(self.portion.batches, self.portion.numbers, strict=True):
            corpus = batch.corpus
            rows = np.flatnonzero((self.gold.scope >= first) & (self.gold.scope < first + corpus.sentences))
            sentence = self.gold.scope[rows] - first
            units = VerdictRows(
                corpus,
                sentence,
                self.gold.start[rows],
                self.gold.end[rows],
                corpus.document_of(sentence) + numbers.first_document,
                dict(enumerate(corpus.names, numbers.first_document)),
                self.gold.label[rows],
                labels.label[rows],
                kind[rows],
            )
            yield units, numbers.sentences
            first += corpus.sentences
