"""The texts in which strings are looked for: the sentences or the documents of a batch, and the way to their atoms."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.text.characters import Texts
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Spans

if TYPE_CHECKING:
    from evenhand.grounding.document import Document

LabeledOffsets = tuple[int, int, str]
"""Start and end in a text, and a label."""


@dataclass(frozen=True)
class UnitText:
    """One text: what the file has; else tokens with blanks between them, and sentences with line feeds between them."""

    first: int
    """Its first sentence in the batch."""
    text: str
    sentences: tuple[int, ...]
    """Those of its sentences that have a text."""
    edges: tuple[int, ...]
    """Where each of these begins."""

    def document(self) -> Document:
        """The text as one to look for strings in, which keeps what is found out about it."""
        from evenhand.grounding.document import Document  # slow to load

        return Document(self.text, self.edges[1:])

    def place(self, offset: int) -> tuple[int, int]:
        """The sentence of an offset, and the offset there."""
        at = max(0, bisect_right(self.edges, offset) - 1)
        return self.sentences[at], offset - self.edges[at]


class UnitTexts:
    """The texts of a batch: a text a sentence, or a text a document."""

    def __init__(self, corpus: Corpus, *, by_document: bool) -> None:
        self._corpus, self._tokens = corpus, _token_texts(corpus) if corpus.atoms == "tokens" else None
        self._texts = _character_texts(corpus) if self._tokens is None else self._tokens.texts
        firsts = corpus.documents.tolist() if by_document else range(corpus.sentences)
        self.units = [self._unit(first, behind) for first, behind in pairwise([*firsts, corpus.sentences])]

    def _unit(self, first: int, behind: int) -> UnitText:
        sentences = tuple(sentence for sentence in range(first, behind) if self._texts[sentence])
        whole = self._corpus.whole_text(first, behind) if sentences else None
        if whole is not None:
            text, begins = whole
            return UnitText(first, text, sentences, tuple(begins[sentence - first] for sentence in sentences))
        edges, place = list[int](), 0
        for sentence in sentences:
            edges.append(place)
            place += len(self._texts[sentence]) + 1
        text = "\n".join(self._texts[sentence] for sentence in sentences)
        return UnitText(first, text, sentences, tuple(edges))

    def atoms(self, unit: Sequence[int], spans: Sequence[tuple[int, int]]) -> tuple[Ints, Ints, Ints, Bools]:
        """For spans in texts: sentence, first atom and the one behind the last, and which grew to whole tokens.

        A span may end in another sentence than it begins in; it belongs where it begins.
        """
        first, last = (
            np.array([self.units[at].place(offset) for at, offset in zip(unit, offsets, strict=True)], dtype=np.int64)
            for offsets in ([start for start, _ in spans], [end - 1 for _, end in spans])
        )
        (sentence, begin), (other, end) = first.reshape(-1, 2).T, last.reshape(-1, 2).T
        assert self._corpus.bounds is not None
        reach = self._corpus.bounds[other] - self._corpus.bounds[sentence]
        if self._tokens is not None:
            start, behind, grew = self._tokens.covered(sentence, begin, other, end + 1)
        else:
            start, behind = self._characters.places(sentence, begin), self._characters.places(other, end + 1)
            grew = np.zeros(len(start), dtype=np.bool_)
        return sentence, start, behind + reach, grew

    @cached_property
    def _characters(self) -> Texts:
        return Texts.of(self._texts)

    def offsets(self, spans: Spans) -> list[list[LabeledOffsets]]:
        """Spans by text, in offsets; one that reaches into the next text ends with its own."""
        if not len(spans):
            return [[] for _ in self.units]
        unit_of = np.repeat(
            np.arange(len(self.units)),
            np.diff([*(unit.first for unit in self.units), self._corpus.sentences]),
        ).tolist()
        found: list[list[LabeledOffsets]] = [[] for _ in self.units]
        edge = {
            sentence: edge for unit in self.units for sentence, edge in zip(unit.sentences, unit.edges, strict=True)
        }
        bounds = self._corpus.bounds
        assert bounds is not None
        last = np.searchsorted(bounds, bounds[spans.scope] + spans.end - 1, side="right") - 1
        behind = bounds[spans.scope] + spans.end - bounds[last]
        rows = zip(spans.rows(), last.tolist(), behind.tolist(), strict=True)
        known: dict[int, tuple[list[int], list[int]]] = {}
        for (label, sentence, start, _), other, end in rows:
            for each in (sentence, other):
                if each not in known:
                    known[each] = self._edges(each)
            unit, first = self.units[unit_of[sentence]], known[sentence][0][start] + edge[sentence]
            reach = known[other][1][end - 1] + edge[other] if unit_of[other] == unit_of[sentence] else len(unit.text)
            found[unit_of[sentence]].append((first, reach, label))
        return found

    def _edges(self, sentence: int) -> tuple[list[int], list[int]]:
        """Where the atoms of a sentence begin and end in its text."""
        if self._tokens is not None:
            return self._tokens.edges(sentence)
        begins = [at for at, character in enumerate(self._texts[sentence]) if not character.isspace()]
        return begins, [at + 1 for at in begins]


@dataclass(frozen=True)
class _TokenTexts:
    """Sentences as tokens with blanks between them, which follow each other with one character between; or as texts."""

    texts: list[str]
    bounds: Ints
    start: Ints
    end: Ints

    def covered(self, sentence: Ints, begin: Ints, other: Ints, end: Ints) -> tuple[Ints, Ints, Bools]:
        """The tokens that spans touch, counted in their first and last sentences; which spans are less than these."""
        starts = np.append(self.start, 0)
        begin, end = begin + starts[self.bounds[sentence]], end + starts[self.bounds[other]]
        one = np.searchsorted(self.end, begin, side="right")
        behind = np.searchsorted(self.start, end, side="left")
        grew = (self.start[one] != begin) | (self.end[behind - 1] != end)
        return one - self.bounds[sentence], behind - self.bounds[other], grew

    def edges(self, sentence: int) -> tuple[list[int], list[int]]:
        begin, behind = self.bounds[sentence : sentence + 2].tolist()
        shift = int(self.start[begin]) if begin < behind else 0
        return (self.start[begin:behind] - shift).tolist(), (self.end[begin:behind] - shift).tolist()


def _token_texts(corpus: Corpus) -> _TokenTexts:
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    if corpus.has_input_text:
        start, end = (corpus.tokens.characters(edge) for edge in (corpus.tokens.start, corpus.tokens.end))
        return _TokenTexts(list(map(corpus.text, range(corpus.sentences))), corpus.bounds, start, end)
    words = corpus.tokens.texts(0, len(corpus.tokens))
    lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    end = np.cumsum(lengths + 1) - 1
    texts = [" ".join(words[begin:behind]) for begin, behind in pairwise(corpus.bounds.tolist())]
    return _TokenTexts(texts, corpus.bounds, end - lengths, end)


def _character_texts(corpus: Corpus) -> list[str]:
    """What the file has, or tokens that became characters with blanks between them."""
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    if corpus.raw is not None:
        return list(map(corpus.text, range(corpus.sentences)))
    data, start, end = corpus.tokens.data, corpus.tokens.start, corpus.tokens.end
    return [
        data[start[begin] : end[behind - 1]].decode() if begin < behind else ""
        for begin, behind in pairwise(corpus.bounds.tolist())
    ]
