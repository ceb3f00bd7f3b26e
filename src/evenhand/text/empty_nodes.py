"""Empty nodes of two sides: which tokens of a system are which of the gold standard's.

Overt words are aligned by themselves, in their order. An empty node of one side is that of the other side which follows
the same overt word (before the first word of a sentence: precedes the same one) and has the same decimal number: `5.1`
is `5.1` of the same sentence. Of a mention with an empty node that only the system has, the gold standard has no equal.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cached_property

import numpy as np

from evenhand.arrays import Ints
from evenhand.dataclass import dataclass
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus

Key = tuple[int, int, int]
"""Where an empty node stands between words, its decimal number, and how many with the same stand before it."""


@dataclass(frozen=True)
class TokenKinds:
    """Some tokens of a text, from `begin` to `end`: overt words, and empty nodes between them.

    In files that know no empty nodes, all tokens are words.
    """

    corpus: Corpus
    begin: int
    end: int

    def __len__(self) -> int:
        return self.end - self.begin

    @cached_property
    def all(self) -> Ints:
        return np.arange(self.begin, self.end)

    @cached_property
    def decimals(self) -> Ints:
        """The decimal numbers of empty nodes, and -1 for words."""
        decimals = self.corpus.decimals
        return np.full(len(self), -1) if decimals is None else decimals[self.begin : self.end]

    @cached_property
    def words(self) -> Ints:
        """The overt words."""
        return self.all[self.decimals < 0]

    @cached_property
    def nodes(self) -> Ints:
        """The empty nodes."""
        return self.all[self.decimals >= 0]

    @property
    def sentence_starts(self) -> Ints:
        """Where sentences begin, counted from the first token."""
        assert self.corpus.bounds is not None
        first, behind = np.searchsorted(self.corpus.bounds, (self.begin, self.end))
        found: Ints = self.corpus.bounds[first:behind] - self.begin
        return found

    def keys(self) -> list[Key]:
        """The keys of empty nodes: behind the word i they stand at 2i + 1, before the first of a sentence at 2i."""
        bounds = self.corpus.bounds
        assert bounds is not None
        before = np.searchsorted(self.words, self.nodes)
        sentence = np.searchsorted(bounds, self.nodes, side="right") - 1
        place = 2 * before - (before > np.searchsorted(self.words, bounds[sentence]))
        known: Counter[tuple[int, int]] = Counter()
        found = []
        for each in zip(place.tolist(), self.decimals[self.nodes - self.begin].tolist(), strict=True):
            found.append((*each, known[each]))
            known[each] += 1
        return found


class NodeAlignment:
    """A document of a system whose words are as many as the gold standard's; tokens count from its first one."""

    def __init__(self, gold: TokenKinds, system: TokenKinds) -> None:
        known = dict(zip(gold.keys(), (gold.nodes - gold.begin).tolist(), strict=True))
        keys = dict(zip((system.nodes - system.begin).tolist(), system.keys(), strict=True))
        self._words = gold.words - gold.begin
        self._own = {node: key for node, key in keys.items() if key not in known}
        """The empty nodes that only the system has."""
        self._token = np.full(len(system), -1)
        """The token of the gold standard for each of the system's; -1 for those of its own."""
        self._token[system.words - system.begin] = self._words
        for node, key in keys.items():
            self._token[node] = known.get(key, -1)
        shared = len(keys) - len(self._own)
        self.one_sided = len(keys) + len(known) - 2 * shared
        """How many empty nodes only one side has."""

    def moved(self, chains: Chains) -> Chains:
        """The mentions of this document in tokens of the gold standard."""
        if not len(chains):
            return chains
        # Most mentions have no empty node in them that makes a difference, and only move.
        is_break = np.diff(self._token, prepend=self._token[0] - 1) != 1
        breaks = np.append(0, np.cumsum(is_break | (self._token < 0)))
        is_torn = (breaks[chains.end] > breaks[chains.start + 1]) | (self._token[chains.start] < 0)
        start, shape = self._token[chains.start], chains.shape.copy()
        end = start + chains.end - chains.start
        for row in np.flatnonzero(is_torn).tolist():
            gaps = set(chains.vocabulary.shapes[int(shape[row])])
            first = int(chains.start[row])
            tokens = [token for token in range(first, int(chains.end[row])) if token - first not in gaps]
            start[row], end[row], own_shape = self._placed(tokens)
            shape[row] = chains.vocabulary.shapes.code(own_shape)
        return replace(chains, start=start, end=end, shape=shape)

    def _placed(self, tokens: list[int]) -> tuple[int, int, tuple[int, ...]]:
        """Start, end and shape of a mention of some of the system's tokens."""
        known = {int(self._token[token]) for token in tokens} - {-1}
        own = tuple(sorted(_number(self._own[token]) for token in tokens if token in self._own))
        anchor = self._anchor(self._own[tokens[0]]) if not known else min(known)
        end = max(known, default=anchor) + 1
        gaps = tuple(token - anchor for token in range(anchor, end) if token not in known)
        return anchor, end, own + gaps

    def _anchor(self, key: Key) -> int:
        """The word of the gold standard that an empty node stands behind, or the next one to it."""
        last = len(self._words) - 1
        return int(self._words[min(key[0] // 2, last)]) if last >= 0 else 0


def _number(key: Key) -> int:
    """An empty node in the shape of a mention: a negative number, which no other node has."""
    place, decimal, repeated = key
    return -1 - ((place << 64) | (decimal << 32) | repeated)


def have_same_nodes(gold: TokenKinds, system: TokenKinds) -> bool:
    """Whether documents have empty nodes at the same places, or none at all."""
    if not len(gold.nodes) and not len(system.nodes):
        return True
    same_sentences = np.array_equal(gold.sentence_starts, system.sentence_starts)
    return same_sentences and np.array_equal(gold.decimals, system.decimals)
