"""The way of chains through their files: documents are matched by name and judged, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints, Values, distinct
from evenhand.dataclass import dataclass
from evenhand.problems import InputError
from evenhand.tally import Tally, tally_table
from evenhand.tasks.answers import Answers
from evenhand.tasks.chains.answers import JudgedMentions, judged_arcs, mention_units
from evenhand.tasks.chains.count import count_chains
from evenhand.tasks.chains.drawing import ChainDrawing
from evenhand.tasks.chains.kinds import ARCS
from evenhand.tasks.chains.matched_count import count_matched
from evenhand.tasks.chains.matched_sides import MatchedSides, mention_numbers
from evenhand.tasks.chains.mention_match import MentionMatch
from evenhand.tasks.chains.mention_types import MentionTypes
from evenhand.tasks.chains.notes import COPIES
from evenhand.tasks.chains.repeats import first_only, repeats
from evenhand.tasks.passage import Numbering, Numbers, Outcome, Question, VerdictRows
from evenhand.tasks.places import Places
from evenhand.tasks.side_count import SideCount
from evenhand.tasks.units import Units
from evenhand.text.annotation import Annotation
from evenhand.text.chain_feed import ChainFeed, SeenNames
from evenhand.text.chains import Chains, spans_of
from evenhand.text.mention_words import words_of

UNTYPED = "mentions"
"""What all mentions are, where there are no POS."""


class ChainPassage:
    """One pass over the key; every system has its own feed."""

    def __init__(self, asked: Question) -> None:
        self._asked = asked
        strict = asked.settings.align == "strict"
        self._feeds = {
            name: ChainFeed(read, asked.sides.gold, strict=strict, called=asked.called)
            for name, read in asked.sides.systems.items()
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
        first = first_only(chains)
        self._note_repeats(asked.gold_count, len(chains) - len(first))
        self._count(asked.gold_count, first, batch)
        key = first if asked.settings["repeats"] == "first" else chains
        systems = {name: self._response(name, batch) for name in self._feeds}
        found = ChainJudgement(batch, key, systems, numbers, self._types, asked)
        for name, response in systems.items():
            side = asked.system_counts[name]
            self._note_repeats(side, int(np.count_nonzero(repeats(response, *spans_of(response)))))
            self._count(side, response, batch)
            found.tallies[name] = found.counts(key, response, self._scores, self._arcs, found.groups)
        return found

    def _note_repeats(self, side: SideCount, number: int) -> None:
        if self._asked.settings["repeats"] == "first":
            side.repeated += number
        else:
            side.noted[COPIES] += number

    def _response(self, name: str, batch: Annotation) -> Chains:
        """The mentions of a system in some documents of the key; with words where those of the key have them."""
        chains = self._feeds[name].take(batch).into(self._asked.vocabulary)
        if chains.words is not None or batch.chains().words is None:
            return chains
        if len(chains) and self._asked.settings["mention_match"] == "head":
            finding = f"the system {name} does not say what the heads of its mentions are"
            raise InputError(
                self._feeds[name].source, None, finding, "give CorefUD, or --mention-match partial or exact"
            )
        return replace(chains, words=words_of(chains, batch.corpus))

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
    """Without repeats, where the first chain has a mention."""
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
            found["chains"] = tally_table(*self._counted(key, response, len(groups), scores), groups)
        numbers = self._numbers(key, [response]) if arcs else None
        for by in arcs:
            judged = judged_arcs(by, key, self.annotation, [response], self.types, numbers)
            found[by] = judged.tally(groups, self.asked.vocabulary.labels.values)
        return found

    def _counted(
        self, key: Chains, response: Chains, documents: int, scores: Sequence[str]
    ) -> tuple[tuple[str, ...], Values]:
        """The counts of scores, by document."""
        settings, way = self.asked.settings, MentionMatch.of(self.asked.settings)
        singletons, copies = settings["singletons"], settings["repeats"] == "last"
        if way.is_plain and not copies:
            return count_chains(key, response, documents, scores, singletons=singletons)
        found = MatchedSides.of(key, response, documents, way, singletons=singletons, copies=copies)
        return count_matched(found, scores)

    def _numbers(self, key: Chains, responses: Sequence[Chains]) -> list[Ints] | None:
        """Which mentions are the same, where that is not just those of the same tokens."""
        way = MentionMatch.of(self.asked.settings)
        return None if way.is_plain else mention_numbers(key, responses, way)

    def _judged(self, by: str, systems: Sequence[Chains]) -> JudgedMentions:
        numbers = self._numbers(self.key, systems)
        return judged_arcs(by, self.key, self.annotation, systems, self.types, numbers)

    def answers(self, by: str) -> Answers:
        found = self._judged(by, list(self.systems.values()))
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
        found = self._judged(judge, [self.systems[system]])
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
            gaps=units.gaps(np.arange(len(units.start))),
        )
        yield rows, self.numbers.sentences
