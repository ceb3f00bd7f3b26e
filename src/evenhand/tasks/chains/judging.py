"""The path of chains in this process: documents are read, matched by name, judged and tallied, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Bools, Ints, distinct
from evenhand.pipeline.run import Run, SideCount
from evenhand.problems import InputError, SettingError
from evenhand.settings import ARCS, Groups, ScoreSettings
from evenhand.tally import Tally, tally_table
from evenhand.tasks.chains.arcs import ARCS_KINDS, NOUNS, Verdicts, all_mentions, is_nominal, judge_any, judge_nominal
from evenhand.tasks.chains.count import count_chains
from evenhand.tasks.chains.repeats import first_only, repeats
from evenhand.text.annotation import Annotation
from evenhand.text.chain_feed import ChainFeed, Open, SeenNames
from evenhand.text.chains import Chains, spans_of
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Tags


class MentionTypes:
    """What mentions are by the key's POS: nominal or not, and of which type."""

    def __init__(self, vocabulary: Vocabulary, nominal: Sequence[str]) -> None:
        self._labels, self._coder, self._tags = vocabulary.labels, vocabulary.columns["pos"], nominal
        self._is_noun: list[bool] = []
        self._label: list[int] = []

    def __call__(self, mentions: Chains, key: Annotation) -> tuple[Bools, Ints] | None:
        """Whether each mention is nominal, and the code of its type; None where the key has no POS."""
        pos = key.layers.get("pos")
        if not isinstance(pos, Tags):
            return None
        code = pos.coded(self._coder)[first_tokens(mentions, key)]
        for name in self._coder.names[len(self._is_noun) :]:
            self._is_noun.append(name in self._tags)
            self._label.append(self._labels.code(name))
        nominal = is_nominal(mentions, code, np.array(self._is_noun, dtype=np.bool_))
        label = np.array(self._label, dtype=np.int64)[code] if len(code) else code
        return nominal, np.where(nominal, self._labels.code(NOUNS), label)


def first_tokens(mentions: Chains, key: Annotation) -> Ints:
    """The place of each mention's first token among all of the batch."""
    return key.corpus.document_starts[mentions.document] + mentions.start


@dataclass(frozen=True)
class ChainPortion:
    """Some documents of the key, and the chains of every system in them."""

    annotation: Annotation
    key: Chains
    """Without repeats."""
    systems: Mapping[str, Chains]
    groups: Ints
    """The number of each document, over the whole run."""
    before: int
    """How many sentences stand before."""
    document: int
    """How many documents stand before."""


Watch = Callable[[ChainPortion], None]


class ChainRun:
    """One pass over the key; every system has its own feed."""

    def __init__(
        self, systems: Mapping[str, Open], gold: Open, vocabulary: Vocabulary, settings: ScoreSettings
    ) -> None:
        strict = settings.align == "strict"
        self._gold, self._vocabulary, self._settings = gold, vocabulary, settings
        self._feeds = {name: ChainFeed(read, gold, strict=strict) for name, read in systems.items()}
        self._seen = SeenNames()
        self._types = MentionTypes(vocabulary, settings.nominal)
        self._parts: dict[str, dict[str, list[Tally]]] = {name: {} for name in systems}
        self.run = Run(SideCount(chains=0), {name: SideCount(chains=0) for name in systems})

    def __call__(self, groups: Groups, watch: Watch | None = None) -> Run:
        """Score all documents; groups are documents, or all of them together."""
        if groups == "sentence":
            raise SettingError("Scores of chains are no sums over sentences; choose total, document or finest.")
        run = self.run
        for batch in self._gold():
            portion = self._portion(batch)
            for name, response in portion.systems.items():
                self._judge(name, portion, response)
                self._add_up(name, groups)
            if watch is not None:
                watch(portion)
            run.add_text(batch.corpus, batch.reading)
        if not run.sentences:
            raise InputError(batch.corpus.source, None, "there is no word in it", "give a gold standard that has some")
        for name, feed in self._feeds.items():
            feed.finish()
            run.systems[name].reading, run.systems[name].mismatches = feed.reading, feed.found
        run.tallies = {
            name: {judge: _merged(parts, groups) for judge, parts in found.items()}
            for name, found in self._parts.items()
        }
        run.names = self._seen.sources
        run.supertags, run.levels = {name: {} for name in run.systems}, dict.fromkeys(run.systems, 1)
        return run

    def _portion(self, batch: Annotation) -> ChainPortion:
        self._seen.add(batch)
        chains = batch.chains().into(self._vocabulary)
        key = first_only(chains)
        self.run.gold.repeated += len(chains) - len(key)
        self._count(self.run.gold, key, batch)
        documents = len(batch.corpus.names)
        number = np.arange(documents) + self.run.documents
        systems = {name: feed.take(batch).into(self._vocabulary) for name, feed in self._feeds.items()}
        return ChainPortion(batch, key, systems, number, self.run.sentences, self.run.documents)

    def _count(self, side: SideCount, chains: Chains, key: Annotation) -> None:
        """Count mentions, by type where that is known, and chains."""
        side.chains = (side.chains or 0) + len(distinct(chains.chain))
        types = self._types(chains, key)
        if types is None:
            side.unlabeled += len(chains)
        else:
            side.add(types[1], self._vocabulary.labels.values)

    def _judge(self, name: str, portion: ChainPortion, response: Chains) -> None:
        side = self.run.systems[name]
        side.repeated += int(np.count_nonzero(repeats(response, *spans_of(response))))
        self._count(side, response, portion.annotation)
        scores = [model for model in self._settings.match if model not in ARCS]
        if scores:
            kinds, table = count_chains(
                portion.key, response, len(portion.groups), scores, singletons=self._settings.singletons
            )
            self._add(name, "chains", tally_table(kinds, table, portion.groups))
        for by in ARCS:
            if by in self._settings.match:
                self._add(name, by, self._arcs(by, portion, response))

    def _arcs(self, by: str, portion: ChainPortion, response: Chains) -> Tally:
        found = judged_arcs(by, portion.key, portion.annotation, [response], self._types)
        return arcs_tally(found, portion.groups, self._vocabulary.labels.values)

    def _add(self, name: str, judge: str, tally: Tally) -> None:
        self._parts[name].setdefault(judge, []).append(tally)

    def _add_up(self, name: str, groups: Groups) -> None:
        """Totals take little room when they are added up."""
        for parts in self._parts[name].values():
            if groups == "total" and len(parts) > 16:
                parts[:] = [_merged(parts, groups)]

    @property
    def types(self) -> MentionTypes:
        return self._types


def _merged(parts: Sequence[Tally], groups: Groups) -> Tally:
    """The sum of tallies by document; a total is added up document by document, whatever the batches were."""
    found = Tally.merge(parts)
    return found.total() if groups == "total" else found


@dataclass(frozen=True)
class JudgedMentions:
    """The mentions of all sides, what they are under each response, and their types where there are POS."""

    mentions: Chains
    verdicts: Verdicts
    label: Ints | None


def judged_arcs(
    by: str, key: Chains, annotation: Annotation, responses: Sequence[Chains], types: MentionTypes
) -> JudgedMentions:
    """The verdicts on all mentions; `annotation` has the POS."""
    found = all_mentions(key, responses)
    typed = types(found.mentions, annotation)
    if by == "arcs_any":
        return JudgedMentions(found.mentions, judge_any(found), None if typed is None else typed[1])
    assert typed is not None  # without POS, nobody asks for it
    nominal, label = typed
    return JudgedMentions(found.mentions, judge_nominal(found, nominal), label)


def arcs_tally(found: JudgedMentions, groups: Ints, labels: Sequence[str]) -> Tally:
    """The counts of verdicts under the first response; `groups` is the group of each document."""
    group, nothing = groups[found.mentions.document], np.full(len(found.mentions), -1)
    label = nothing if found.label is None else found.label
    return Tally.of(labels, ARCS_KINDS, group, label, nothing, found.verdicts.kind[0])
