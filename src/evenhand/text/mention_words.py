"""The words and heads of mentions, as numbers that mean the same word on all sides.

Sides share their overt words, which are counted through a document, but not all of their empty nodes. So the number of
a word comes from its place among the overt ones, and the number of an empty node from the overt word that it follows
(before the first word of a sentence: that it precedes) and from its decimal number. Numbers sort as words do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Bools, Ints, ranges
from evenhand.dataclass import dataclass
from evenhand.text.corpus import Corpus

if TYPE_CHECKING:
    from evenhand.text.chains import Chains

_PLACES = 3
"""Before a word (only for the first one of a sentence), the word, behind it."""
_DECIMALS = 1 << 20
NO_HEAD = -1
"""The head of a mention whose file knows no heads."""
Edge = tuple[int, str]
"""A parent and a relation; the parent is a number of a word, or `ROOT`."""
ROOT = -1


@dataclass(frozen=True)
class MentionWords:
    """A row a mention: its words, its head, the sentence of its head, and what the head depends on."""

    first: Ints
    """Where the words of each mention begin in `word`."""
    size: Ints
    word: Ints
    head: Ints
    sentence: Ints
    """Counted from the first one of the document."""
    depends: Ints
    """The code of the edges of an empty head among the extras of the vocabulary; 0: none."""

    def __len__(self) -> int:
        return len(self.first)

    @property
    def is_zero(self) -> Bools:
        """Which mentions have an empty node as their head."""
        found: Bools = (self.head != NO_HEAD) & is_node(self.head)
        return found

    @property
    def last(self) -> Ints:
        """The last word of each mention."""
        found: Ints = self.word[self.first + self.size - 1]
        return found

    @property
    def begin(self) -> Ints:
        """The first word of each mention."""
        found: Ints = self.word[self.first]
        return found

    def flat(self) -> tuple[Ints, Ints]:
        """For each word of each mention, the row and the word."""
        return np.repeat(np.arange(len(self)), self.size), self.word[ranges(self.first, self.size)]

    def take(self, rows: Ints | Bools | slice) -> MentionWords:
        first, size, head, sentence, depends = (
            column[rows] for column in (self.first, self.size, self.head, self.sentence, self.depends)
        )
        return MentionWords(first, size, self.word, head, sentence, depends)

    def recoded(self, code: Callable[[], Ints]) -> MentionWords:
        """The same with other codes of edges, where there are any."""
        return replace(self, depends=code()[self.depends]) if self.depends.any() else self

    def renumbered(self, old: Ints, new: Ints) -> MentionWords:
        """The same in the numbers of another text with as many tokens, given the numbers of all tokens in both."""

        def moved(number: Ints) -> Ints:
            found: Ints = new[np.minimum(np.searchsorted(old, number), len(new) - 1)]
            return found

        return replace(self, word=moved(self.word), head=np.where(self.head == NO_HEAD, NO_HEAD, moved(self.head)))

    @staticmethod
    def concatenate(parts: Sequence[MentionWords]) -> MentionWords:
        before = np.cumsum([0, *(len(part.word) for part in parts[:-1])])
        return MentionWords(
            np.concatenate([part.first + shift for part, shift in zip(parts, before, strict=True)]),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("size", "word", "head")),
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("sentence", "depends")),
        )


def is_node(word: Ints) -> Bools:
    """Which numbers are those of empty nodes."""
    found: Bools = (word // _DECIMALS) % _PLACES != 0
    return found


def number_of(overt: int, decimal: int | None, *, is_first: bool) -> int:
    """The number of a word, given how many overt words the document has up to it; or of an empty node behind it.

    `is_first` says that the node stands before the first word of its sentence.
    """
    if decimal is None:
        return overt * _PLACES * _DECIMALS
    place = (overt + 1) * _PLACES - 1 if is_first else overt * _PLACES + 1
    return place * _DECIMALS + min(decimal, _DECIMALS - 1)


def word_numbers(corpus: Corpus) -> Ints:
    """The number of each token in its document."""
    assert corpus.bounds is not None
    size = int(corpus.bounds[-1])
    decimals = np.full(size, -1) if corpus.decimals is None else corpus.decimals
    is_word = decimals < 0
    overt = np.append(0, np.cumsum(is_word))
    lengths = np.diff(corpus.bounds)
    before_sentence = np.repeat(overt[corpus.bounds[:-1]], lengths)
    before_document = np.repeat(overt[corpus.document_bounds[:-1]], np.diff(corpus.document_bounds))
    is_first = ~is_word & (overt[1:] == before_sentence)
    place = (overt[1:] - before_document) * _PLACES + np.where(is_first, _PLACES - 1, ~is_word)
    found: Ints = place * _DECIMALS + np.where(is_word, 0, np.minimum(decimals, _DECIMALS - 1))
    return found


def words_of(
    chains: Chains,
    corpus: Corpus,
    head: Ints | None = None,
    edges: Callable[[int], tuple[Edge, ...]] = lambda token: (),
) -> MentionWords:
    """The words of mentions in their own text.

    `head` is the place of each head among the words of its mention, and `edges` says what an empty node depends on.
    """
    first, size, token = _tokens(chains, corpus)
    numbers = word_numbers(corpus)
    top = token[first if head is None else first + head]
    sentence, _ = corpus.in_sentences(chains.document, top - corpus.document_bounds[chains.document])
    sentence = sentence - corpus.documents[chains.document]
    of_head = np.full(len(first), NO_HEAD) if head is None else numbers[top]
    depends, extras = np.zeros(len(first), dtype=np.int64), chains.vocabulary.extras
    found = MentionWords(first, size, numbers[token], of_head, sentence, depends)
    for row in np.flatnonzero(found.is_zero).tolist():
        depends[row] = extras.code(edges(int(top[row])))
    return found


def _tokens(chains: Chains, corpus: Corpus) -> tuple[Ints, Ints, Ints]:
    """For each mention where its tokens begin in the last column, and how many they are; tokens of the corpus."""
    start, size = corpus.document_bounds[chains.document] + chains.start, chains.end - chains.start
    token, row = ranges(start, size), np.repeat(np.arange(len(chains)), size)
    is_inside = np.ones(len(token), dtype=np.bool_)
    begins = np.cumsum(size) - size
    for each in np.flatnonzero(chains.shape).tolist():
        gaps = np.array(chains.vocabulary.shapes[int(chains.shape[each])], dtype=np.int64)
        is_inside[begins[each] + gaps] = False
    size = np.bincount(row[is_inside], minlength=len(chains))
    return np.cumsum(size) - size, size, token[is_inside]
