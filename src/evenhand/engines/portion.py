"""Batches of all sides that are judged together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags

PORTION = 1 << 14
"""How many gold spans are judged at a time: enough that the cost of a call does not count."""


@dataclass
class Side:
    """The spans and tags of one side, batch by batch."""

    spans: list[Spans] = field(default_factory=list)
    tags: list[Tags | None] = field(default_factory=list)

    def all_tags(self) -> Tags | None:
        found = [each for each in self.tags if each is not None]
        return Tags.concatenate(found) if len(found) == len(self.tags) else None


class Portion:
    """Batches that wait to be judged together; sentences are counted from the portion's first one."""

    def __init__(self, systems: Iterable[str]) -> None:
        self.gold = Side()
        self.systems = {name: Side() for name in systems}
        self.first_sentences: list[int] = []
        self.sentences = 0
        self._corpora: list[Corpus] = []
        self._groups: list[Ints] = []

    def add(self, gold: Annotation, layer: str, systems: Mapping[str, Feed], words: Vocabulary, groups: Ints) -> None:
        """Add a batch of the gold standard and as much of every system; `groups` is the group of each sentence."""
        self.gold.spans.append(gold.spans(layer).into(words))
        self.gold.tags.append(gold.tags(layer))
        for name, feed in systems.items():
            self.systems[name].spans.append(feed.take(gold.corpus).into(words))
            self.systems[name].tags.append(feed.tags)
        self._corpora.append(gold.corpus)
        self._groups.append(groups)
        self.first_sentences.append(self.sentences)
        self.sentences += gold.corpus.sentences

    def __len__(self) -> int:
        return sum(map(len, self.gold.spans))

    @property
    def groups(self) -> Ints:
        """The group of each sentence."""
        return np.concatenate(self._groups)

    @property
    def lengths(self) -> Ints | None:
        """How many tokens each sentence has, where the files say."""
        found = [corpus.lengths for corpus in self._corpora if corpus.lengths is not None]
        return np.concatenate(found) if len(found) == len(self._corpora) else None

    @property
    def weights(self) -> Values | None:
        """What each token weighs, where a column says."""
        found = [corpus.weights for corpus in self._corpora if corpus.weights is not None]
        return np.concatenate(found) if len(found) == len(self._corpora) else None

    def joined(self, parts: Sequence[Spans]) -> Spans:
        return Spans.concatenate(parts, self.first_sentences)
