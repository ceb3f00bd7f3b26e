"""The way of chains through their files: documents are matched by name and judged, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, distinct
from evenhand.problems import InputError
from evenhand.tally import Tally, tally_table
from evenhand.tasks.answers import Answers
from evenhand.tasks.chains.answers import judged_arcs, mention_units
from evenhand.tasks.chains.count import count_chains
from evenhand.tasks.chains.drawing import ChainDrawing
from evenhand.tasks.chains.kinds import ARCS
from evenhand.tasks.chains.mention_types import MentionTypes
from evenhand.tasks.chains.repeats import first_only, repeats
from evenhand.tasks.passage import Numbering, Numbers, Outcome, Question, VerdictRows
from evenhand.tasks.places import Places
from evenhand.tasks.side_count import SideCount
from evenhand.tasks.units import Units
from evenhand.text.annotation import Annotation
from evenhand.text.chain_feed import ChainFeed, SeenNames
from evenhand.text.chains import Chains, spans_of

UNTYPED = "mentions"
"""What all mentions are, where there are no POS."""


class ChainPassage:
    """One pass over the key; every system has its own feed."""

    def __init__(self, asked: Question) -> None:
        self._asked = asked
        strict = asked.settings.align == "strict"
        self._feeds = {
            name: ChainFeed(read, asked.sides.gold, strict=strict) for name, read in asked.sides.systems.items()
        }
        self._seen, self._has_words = SeenNames(), False
        self._types = MentionTypes(asked.vocabulary, asked.settings["nominal"])
        names = [judge.name for judge in asked.judges]
        self._arcs = [name for name in ARCS if name in names]
        self._scores = [model for model in asked.settings.match if model not in ARCS] if "chains" in names else []
        for side in (asked.gold_count, *asked.system_counts.values()):
            side.chains = 0

    def judgements(self, number: Numbering) -> Iterator[ChainJudgement]:
        batch = None
        for batch in self._asked.sides.gold():
            yield self._judge(batch, number(batch))
        assert batch is not None  # a reader yields one batch at least, or raises
        for name, feed in self._feeds.items():
            feed.finish()
            side = self._asked.system_counts[name]
            side.reading, side.mismatches = feed.reading, feed.found
        if not self._has_words:
            raise InputError(batch.corpus.source, None, "there is no word in it", "give a gold standard that has some")

    def finish(self) -> Outcome:
        return Outcome(self._seen.sources)

    def _judge(self, batch: Annotation, numbers: Numbers) -> ChainJudgement:
        asked = self._asked
        self._seen.add(batch)
        self._has_words |= bool(batch.corpus.sentences)
        chains = batch.chains().into(asked.vocabulary)
        key = first_only(chains)
        asked.gold_count.repeated += len(chains) - len(key)
        self._count(asked.gold_count, key, batch)
        systems = {name: feed.take(batch).into(asked.vocabulary) for name, feed in self._feeds.items()}
        found = ChainJudgement(batch, key, systems, numbers, self._types, asked)
        for name, response in systems.items():
            side = asked.system_counts[name]
            side.repeated += int(np.count_nonzero(repeats(response, *spans_of(response))))
            self._count(side, response, batch)
            found.tallies[name] = found.counts(key, response, self._scores, self._arcs, found.groups)
        return found

    def _count(self, side: SideCount, chains: Chains, key: Annotation) -> None:
        """Count mentions, by type where that is known, and chains."""
        side.chains = (side.chains or 0) + len(distinct(chains.chain))
        types = self._types(chains, key)
        if types is None:
            side.unlabeled += len(chains)
        else:
            side.add(types[1], self._asked.vocabulary.labels.values)


@dataclass
class ChainJudgement:
    """What is said of some documents of the key."""

    annotation: Annotation
    key: Chains
    """Without repeats."""
    systems: Mapping[str, Chains]
    numbers: Numbers
    types: MentionTypes
    asked: Question
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)

    @property
    def groups(self) -> Ints:
        """The number of each document."""
        return np.arange(len(self.annotation.corpus.names)) + self.numbers.first_document

    @cached_property
    def places(self) -> Places:
        numbers = self.numbers
        return Places([self.annotation], numbers.sentences, numbers.documents, numbers.first_document)

    def counts(
        self, key: Chains, response: Chains, scores: Sequence[str], arcs: Sequence[str], groups: Ints
    ) -> dict[str, Tally]:
        """By judge, the counts of a response with any side as the key; `groups` is the group of each document."""
        found = {}
        if scores:
            singletons = self.asked.settings["singletons"]
            kinds, table = count_chains(key, response, len(groups), scores, singletons=singletons)
            found["chains"] = tally_table(kinds, table, groups)
        for by in arcs:
            judged = judged_arcs(by, key, self.annotation, [response], self.types)
            found[by] = judged.tally(groups, self.asked.vocabulary.labels.values)
        return found

    def answers(self, by: str) -> Answers:
        found = judged_arcs(by, self.key, self.annotation, list(self.systems.values()), self.types)
        answers = found.answers(self.annotation.corpus)
        if "pos" in self.annotation.layers:
            return answers
        return replace(answers, label=np.full(len(answers), self.asked.vocabulary.labels.code(UNTYPED)))

    def units(self, by: str) -> Units:
        return mention_units(self.answers(by))

    def drawing(self) -> ChainDrawing:
        return ChainDrawing([self.key, *self.systems.values()], self.annotation.corpus)

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        corpus, document = self.annotation.corpus, self.numbers.first_document
        found = judged_arcs(judge, self.key, self.annotation, [self.systems[system]], self.types)
        units = mention_units(found.answers(corpus))
        assert units.antecedent is not None
        rows = VerdictRows(
            corpus,
            units.sentence,
            units.start,
            units.end,
            found.mentions.document + document,
            dict(enumerate(corpus.names, document)),
            units.gold[0],
            units.predicted[0],
            units.kind[0],
            {"gold_antecedent": units.antecedent[0], "system_antecedent": units.antecedent[1]},
        )
        yield rows, self.numbers.sentences
