"""The way of chains through their files: documents are matched by name and judged, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from evenhand.alignment.mentions import ChainFeed, SeenNames
from evenhand.arrays import Ints, Values, distinct
from evenhand.data.annotation import Annotation
from evenhand.data.structures import Chains, spans_of, words_of
from evenhand.dataclass import dataclass
from evenhand.errors import InputError
from evenhand.scoring.tally import Tally, tally_table
from evenhand.tasks.chains.arcs import MentionTypes
from evenhand.tasks.chains.comparison import ChainDrawing, JudgedMentions, judged_arcs, mention_units
from evenhand.tasks.chains.measures import (
    Overlap,
    Table,
    count_b_cubed,
    count_blanc,
    count_ceaf_e,
    count_ceaf_m,
    count_lea,
    count_muc,
    overlap_of,
)
from evenhand.tasks.chains.mentions import (
    MatchedSides,
    MentionMatch,
    Side,
    count_mor,
    count_zeros,
    first_only,
    mention_numbers,
    repeats,
    without_repeats,
    without_singletons,
)
from evenhand.tasks.chains.tables import COPIES
from evenhand.tasks.chains.task import ARCS, MELA
from evenhand.tasks.evaluation import EvaluationRequest, Numbering, Offsets, Outcome, SideSummary, VerdictRows
from evenhand.tasks.units import Locations, Predictions, Units

# == tasks/chains/count.py: All that scores of chains divide, by document.


_COUNTED: dict[str, Callable[[Overlap], Table]] = {
    "muc": count_muc,
    "b_cubed": count_b_cubed,
    "ceaf_m": count_ceaf_m,
    "ceaf_e": count_ceaf_e,
    "blanc": count_blanc,
    "lea": count_lea,
}


def count_chains(
    key: Chains, response: Chains, documents: int, scores: Collection[str], *, singletons: bool
) -> tuple[tuple[str, ...], Values]:
    """All that scores of chains divide, by document.

    - `mentions`: recall = common mentions / mentions of the key, precision = common mentions / mentions of the
      response.
    - `mela`: the mean of the F1 of `muc`, `b_cubed` and `ceaf_e`, which is the score of the CoNLL shared tasks; its
      precision and recall are the means of theirs.

    A document that the response does not have counts as one without mentions. Any 0/0 is 0.

    Sources: Pradhan et al. 2011 and 2012 for MELA.
    """
    response = without_repeats(key, response)
    if not singletons:
        key, response = without_singletons(key), without_singletons(response)
    found = overlap_of(key, response, documents)
    table = _count_mentions(found)
    wanted = {*scores, *(MELA if "mela" in scores else ())}
    for name, count in _COUNTED.items():
        if name in wanted:
            table |= count(found)
    return tuple(table), np.stack(list(table.values()), axis=1)


def _count_mentions(found: Overlap) -> Table:
    """Mentions and chains of both sides, which most scores divide by, and the mentions that are common."""
    table = {"mentions.common": found.by_document(found.document, found.common)}
    for name, side in (("key", found.key), ("response", found.response)):
        table[f"mentions.{name}"] = found.by_document(side.document, side.size)
        table[f"chains.{name}"] = found.by_document(side.document)
    return table


# == tasks/chains/matched_count.py: All that scores of chains divide where mentions are matched,


def _count_muc(found: MatchedSides) -> Table:
    """With copies of mentions, the links that are common depend on the side whose chains are cut up."""
    key, response = count_muc(found.of_key), count_muc(found.of_response)
    return {**key, "muc.common_response": response["muc.common"]}


def _count_b_cubed(found: MatchedSides) -> Table:
    return {**_of_key(count_b_cubed(found.of_key)), **_of_response(count_b_cubed(found.of_response))}


def _count_lea(found: MatchedSides) -> Table:
    return {**_of_key(count_lea(found.of_key)), **_of_response(count_lea(found.of_response))}


_COUNTED_MATCHED_COUNT: dict[str, Callable[[MatchedSides], Table]] = {
    "muc": _count_muc,
    "b_cubed": _count_b_cubed,
    "ceaf_m": lambda found: count_ceaf_m(found.shared),
    "ceaf_e": lambda found: count_ceaf_e(found.shared),
    "blanc": lambda found: count_blanc(found.of_key),
    "lea": _count_lea,
    "mor": count_mor,
    "zero": count_zeros,
}


def count_matched(found: MatchedSides, scores: Collection[str]) -> tuple[tuple[str, ...], Values]:
    """The kinds of counts that these scores need, and their numbers, a row a document."""
    table = _count_mentions_matched_count(found)
    wanted = {*scores, *(MELA if "mela" in scores else ())}
    for name, count in _COUNTED_MATCHED_COUNT.items():
        if name in wanted:
            table |= count(found)
    return tuple(table), np.stack(list(table.values()), axis=1)


def _count_mentions_matched_count(found: MatchedSides) -> Table:
    """Mentions once each, with all of their copies, and chains."""

    def by_document(document: Ints) -> Values:
        return np.bincount(document, minlength=found.documents).astype(np.float64)

    sides: dict[str, Side] = {"key": found.key, "response": found.response}
    common = by_document(found.key.mentions.document[found.is_matched])
    table = {"mentions.common": common, "distinct.common": common}
    table |= {f"distinct.{name}": by_document(side.mentions.document) for name, side in sides.items()}
    table |= {f"mentions.{name}": by_document(side.chains.document) for name, side in sides.items()}
    return table | {f"chains.{name}": by_document(side.sizes.document) for name, side in sides.items()}


def _of_key(table: Table) -> Table:
    return {kind: values for kind, values in table.items() if kind.endswith(".key")}


def _of_response(table: Table) -> Table:
    return {kind: values for kind, values in table.items() if kind.endswith(".response")}


# == tasks/chains/passage.py (primary)


UNTYPED = "mentions"
"""What all mentions are, where there are no POS."""


class ChainPassage:
    """One pass over the key; every system has its own feed."""

    def __init__(self, asked: EvaluationRequest) -> None:
        self._asked = asked
        strict = asked.settings.align == "strict"
        self._feeds = {
            name: ChainFeed(read, asked.sides.gold, strict=strict, called=asked.called)
            for name, read in asked.sides.systems.items()
        }
        self._seen, self._has_words = SeenNames(), False
        self._types = MentionTypes(asked.vocabulary, asked.settings["nominal"])
        names = [judge.name for judge in asked.scorers]
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

    def _judge(self, batch: Annotation, numbers: Offsets) -> ChainJudgement:
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

    def _note_repeats(self, side: SideSummary, number: int) -> None:
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

    def _count(self, side: SideSummary, chains: Chains, key: Annotation) -> None:
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
    numbers: Offsets
    types: MentionTypes
    asked: EvaluationRequest
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)

    @property
    def groups(self) -> Ints:
        """The number of each document."""
        return np.arange(len(self.annotation.corpus.names)) + self.numbers.first_document

    @cached_property
    def places(self) -> Locations:
        numbers = self.numbers
        return Locations([self.annotation], numbers.sentences, numbers.documents, numbers.first_document)

    def counts(
        self, key: Chains, response: Chains, scores: Sequence[str], arcs: Sequence[str], groups: Ints
    ) -> dict[str, Tally]:
        """By judge, the counts of a response with any side as the key; `groups` is the group of each document."""
        counts = {}
        if scores:
            counts["chains"] = tally_table(*self._counted(key, response, len(groups), scores), groups)
        numbers = self._numbers(key, [response]) if arcs else None
        for by in arcs:
            judged = judged_arcs(by, key, self.annotation, [response], self.types, numbers)
            counts[by] = judged.tally(groups, self.asked.vocabulary.labels.values)
        return counts

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

    def answers(self, by: str) -> Predictions:
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
