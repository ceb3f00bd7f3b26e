"""Coreference chains: mentions in clusters, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Bools, Ints, concatenate, empty, pack, ranges, zeros
from evenhand.dataclass import dataclass
from evenhand.text.labels import Vocabulary
from evenhand.text.mention_words import MentionWords

Mention = tuple[int, int, int, int, tuple[int, ...]]
"""Document, chain, start, end, and the tokens that it leaves out, counted from its start."""


@dataclass(frozen=True)
class Chains:
    """Mentions in the order in which they begin in their file: columns of equal length.

    A mention covers the tokens [start, end) of its document, counted from the document's first one, so that it may
    cross sentences. Mentions may nest, cross and repeat. Documents follow each other.
    """

    vocabulary: Vocabulary
    document: Ints
    """The document of each mention, counted from the first one."""
    start: Ints
    end: Ints
    chain: Ints
    """The chain of each mention: a number that no chain of another document has."""
    shape: Ints
    """The code of the tokens that a mention leaves out (0: none), see `Vocabulary`."""
    words: MentionWords | None = None
    """Their words and heads, where the format knows heads; else None."""

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Ints | Bools | slice) -> Chains:
        columns = (self.document, self.start, self.end, self.chain, self.shape)
        document, start, end, chain, shape = (column[rows] for column in columns)
        words = None if self.words is None else self.words.take(rows)
        return Chains(self.vocabulary, document, start, end, chain, shape, words)

    def numbered(self) -> Chains:
        """The same with chains numbered from 0, without gaps."""
        return replace(self, chain=np.unique(self.chain, return_inverse=True)[1])

    def in_order(self) -> Ints:
        """The number of each mention's chain, from 0 in the order of their first mentions."""
        _, first, inverse = np.unique(self.chain, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[inverse]

    def into(self, vocabulary: Vocabulary) -> Chains:
        """The same mentions with the codes of another vocabulary."""
        if vocabulary is self.vocabulary:
            return self
        mine, shape = self.vocabulary, self.shape
        shape = mine.shapes.into(vocabulary.shapes)[shape] if shape.any() else shape
        words = self.words and self.words.recoded(lambda: mine.extras.into(vocabulary.extras))
        return replace(self, vocabulary=vocabulary, shape=shape, words=words)

    def documents(self, rows: Ints) -> Chains:
        """The mentions of some documents, which are numbered anew in this order; -1 stands for an empty one."""
        first = np.searchsorted(self.document, rows)
        size = np.where(rows >= 0, np.searchsorted(self.document, rows, side="right") - first, 0)
        found = self.take(ranges(first, size))
        return replace(found, document=np.repeat(np.arange(len(rows)), size))

    def rows(self) -> list[Mention]:
        """Every mention in plain Python."""
        columns = (self.document, self.chain, self.start, self.end, self.shape)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [(*row, self.vocabulary.shapes[shape]) for *row, shape in rows]

    def clusters(self, documents: int) -> list[list[list[tuple[int, int]]]]:
        """By document and chain the mentions (start, end), in plain Python; gaps are filled."""
        found: list[dict[int, list[tuple[int, int]]]] = [{} for _ in range(documents)]
        for document, chain, start, end, _ in self.rows():
            found[document].setdefault(chain, []).append((start, end))
        return [list(each.values()) for each in found]

    @staticmethod
    def of(vocabulary: Vocabulary, document: Ints, start: Ints, end: Ints, chain: Ints) -> Chains:
        """Mentions without gaps."""
        return Chains(vocabulary, document, start, end, chain, zeros(len(start)))

    @staticmethod
    def none(vocabulary: Vocabulary) -> Chains:
        return Chains.of(vocabulary, empty(), empty(), empty(), empty())

    @staticmethod
    def concatenate(parts: Sequence[Chains], documents: Sequence[int]) -> Chains:
        """Mentions one after the other; the documents of part i are moved by `documents[i]`."""
        if len(parts) == 1 and documents[0] == 0:
            return parts[0]
        first = parts[0].vocabulary
        parts = [part.into(first) for part in parts]
        chains = np.cumsum([0, *(int(part.chain.max(initial=-1)) + 1 for part in parts)])
        return Chains(
            first,
            np.concatenate([part.document + shift for part, shift in zip(parts, documents, strict=True)]),
            np.concatenate([part.start for part in parts]),
            np.concatenate([part.end for part in parts]),
            np.concatenate([part.chain + shift for part, shift in zip(parts, chains, strict=False)]),
            concatenate([part.shape for part in parts]),
            _joined_words(parts),
        )


def _joined_words(parts: Sequence[Chains]) -> MentionWords | None:
    """The words of successive parts, if all parts with mentions have them."""
    found = [part.words for part in parts if part.words is not None]
    if not found or any(part.words is None and len(part) for part in parts):
        return None
    return MentionWords.concatenate(found)


def spans_of(*sides: Chains) -> list[Ints]:
    """A number for each mention, for every side: equal for mentions of the same tokens, and sorted as these are."""
    whole = Chains.concatenate([replace(side, words=None) for side in sides], [0] * len(sides))
    key, _ = pack(*((column, empty()) for column in (whole.document, whole.start, whole.end, whole.shape)))
    return np.split(key, np.cumsum([len(side) for side in sides])[:-1])
