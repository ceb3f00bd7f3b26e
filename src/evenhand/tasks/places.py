"""Where units are: in which file and line, in which sentence and document, and the text around them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np

from evenhand.arrays import Bools, Ints, distinct, ints
from evenhand.settings import Atoms
from evenhand.text.annotation import Annotation, extra_layer
from evenhand.text.corpus import Corpus, Positions
from evenhand.text.layers import Tags


class Nowhere(Protocol):
    """Positions that no sentence has, for units that stand nowhere in the text."""

    def has(self, start: Ints) -> Bools:
        """Which positions are such ones."""

    def text(self, start: int) -> str:
        """What the unit at such a position is."""


class Places:
    """Some sentences of the gold standard: batches that follow each other."""

    def __init__(
        self,
        batches: Sequence[Annotation],
        sentences: int,
        document_of: Ints,
        first_document: int = 0,
        nowhere: Nowhere | None = None,
    ) -> None:
        """`sentences` stand before, and `document_of` is the document of each sentence, over the whole file.

        `first_document` is the first one of these batches, where documents have names; `nowhere` knows the texts of
        units that have no place.
        """
        self._nowhere = nowhere
        self._first_document = first_document
        self._batches = batches
        self._first: list[int] = np.cumsum([0, *(batch.corpus.sentences for batch in batches)]).tolist()
        self.before, self.document_of = sentences, document_of
        self._names: list[str] | None = None
        self._texts: dict[int, str | None] = {}

    def corpus(self, sentence: int) -> tuple[Corpus, int]:
        """The batch that holds a sentence, and its number there."""
        batch = bisect_right(self._first, sentence) - 1
        return self._batches[batch].corpus, sentence - self._first[batch]

    def number(self, sentence: int) -> int:
        """The number of a sentence in the file, from 1."""
        return self.before + sentence + 1

    def document(self, number: int) -> str:
        """What a document is called: its name or, where it has none, its number from 1."""
        return self.name(number) or str(number + 1)

    def name(self, number: int) -> str | None:
        """The name of a document, where it has one."""
        if self._names is None:
            corpora = [batch.corpus for batch in self._batches]
            self._names = [
                name for i, each in enumerate(corpora) for name in each.document_names[int(each.continues and i > 0) :]
            ]
        at = number - self._first_document
        return (self._names[at] or None) if 0 <= at < len(self._names) else None

    def place(self, sentence: int, token: int) -> str:
        """File and line of a token."""
        corpus, own = self.corpus(sentence)
        token = int(self._within(ints([token]))[0])
        return corpus.place(own if corpus.bounds is None else int(corpus.bounds[own]) + token)

    def _within(self, token: Ints) -> Ints:
        """Places of tokens; what stands nowhere belongs to the first one of its sentence."""
        return token if self._nowhere is None else np.where(self.is_nowhere(token), 0, token)

    def is_nowhere(self, start: Ints) -> Bools:
        """Which units, by their first positions, stand nowhere in the text."""
        return np.zeros(len(start), dtype=np.bool_) if self._nowhere is None else self._nowhere.has(start)

    def lines(self, sentence: Ints, token: Ints) -> list[int | None]:
        """The lines of some tokens, where the file has lines."""
        return [None if line < 0 else line for line in self.line_numbers(sentence, token).tolist()]

    def line_numbers(self, sentence: Ints, token: Ints) -> Ints:
        """The same, with -1 for None."""
        found, token = np.full(len(sentence), -1), self._within(token)
        batch = np.searchsorted(self._first, sentence, side="right") - 1
        for number in distinct(batch).tolist():
            rows, corpus = np.flatnonzero(batch == number), self._batches[number].corpus
            own = sentence[rows] - self._first[number]
            found[rows] = corpus.line_numbers(own if corpus.bounds is None else corpus.bounds[own] + token[rows])
        return found

    def places(self, sentence: Ints, token: Ints) -> list[str]:
        """Files and lines of some tokens."""
        sources = [self.corpus(each)[0].source for each in sentence.tolist()]
        lines = self.lines(sentence, token)
        return [source if line is None else f"{source}:{line}" for source, line in zip(sources, lines, strict=True)]

    def text(self, sentence: int) -> str | None:
        """The sentence, which its units share; None where the file has no text."""
        if sentence not in self._texts:
            self._texts[sentence] = self._text(sentence)
        return self._texts[sentence]

    def _text(self, sentence: int) -> str | None:
        corpus, own = self.corpus(sentence)
        if corpus.tokens is None or corpus.bounds is None:
            return None
        return corpus.text(own)

    def pieces(self, sentence: int, edges: Collection[int]) -> tuple[list[int], list[str]]:
        """Of a text of characters: where pieces begin, which are words cut at some edges, and their texts.

        A piece has the spaces behind it.
        """
        corpus, own = self.corpus(sentence)
        assert corpus.tokens is not None
        assert corpus.bounds is not None
        begin, end = corpus.bounds[own : own + 2].tolist()
        start, behind = corpus.tokens.start[begin:end], corpus.tokens.end[begin:end]
        is_cut = np.append(True, start[1:] > behind[:-1])
        is_cut[[edge for edge in edges if 0 < edge < end - begin]] = True
        cuts = np.flatnonzero(is_cut) if end > begin else np.zeros(0, dtype=np.int64)
        limits = np.append(start[cuts], behind[-1:])
        data = corpus.tokens.data
        texts = [data[one:other].decode() for one, other in zip(limits[:-1].tolist(), limits[1:].tolist(), strict=True)]
        return cuts.tolist(), texts

    def words(self, sentence: int, start: int, end: int, gaps: Sequence[int] = ()) -> str | None:
        """The text of some tokens, or characters, of a sentence; or a unit without a position.

        Of a unit with gaps (atoms counted from its start), the parts, with a space between.
        """
        if (nowhere := self.nowhere_text(start)) is not None:
            return nowhere
        corpus, own = self.corpus(sentence)
        found = [corpus.quoted(own, *part) for part in parts_of(start, end, gaps)]
        return " ".join(part or "" for part in found) if any(found) else found[0]

    def positions(self, sentence: Ints, start: Ints, end: Ints) -> Positions:
        """Positions as users see them: offsets into the input text, if there is one; -1 without a position."""
        batch = np.searchsorted(self._first, sentence, side="right") - 1
        columns = np.full((4, len(sentence)), -1)
        outside = self.is_nowhere(start)
        for number in distinct(batch).tolist():
            rows = np.flatnonzero((batch == number) & ~outside)
            found = self._batches[number].corpus.positions(sentence[rows] - self._first[number], start[rows], end[rows])
            for column, values in zip(columns, found.columns, strict=True):
                column[rows] = -1 if values is None else values
        return Positions(self.positions_of, *columns)

    @property
    def positions_of(self) -> Atoms:
        """What these count."""
        return self._batches[0].corpus.positions_of if self._batches else "tokens"

    def parts(self, sentence: int, start: int, end: int, gaps: Sequence[int]) -> list[tuple[int, int]] | None:
        """The parts of a unit with gaps (atoms counted from its start), as `positions` counts; None without gaps."""
        parts = parts_of(start, end, gaps)
        if len(parts) == 1:
            return None
        begins, ends = ints(parts).T
        found = self.positions(np.full(len(parts), sentence), begins, ends)
        return list(zip(found.start.tolist(), found.end.tolist(), strict=True))

    def text_place(self, sentence: int, start: int) -> str | None:
        """File and line of the text that offsets count in, where that is the text of a system."""
        corpus, own = self.corpus(sentence)
        if not corpus.text_of or corpus.bounds is None or self.is_nowhere(ints([start]))[0]:
            return None
        return corpus.text_place(int(corpus.bounds[own]) + start)

    def nowhere_text(self, start: int) -> str | None:
        """What a unit is that stands nowhere in the text; None for all others."""
        if self._nowhere is None or not self._nowhere.has(ints([start]))[0]:
            return None
        return self._nowhere.text(start)

    def mention(self, sentence: int, start: int, end: int) -> str:
        """The words of a mention or, where the file has none, its place."""
        return self.words(sentence, start, end) or self.place(sentence, start)

    def word(self, index: int) -> str:
        """A word by its place in the batches, or where there are no words, its number in its sentence."""
        corpus = self._batches[0].corpus
        assert corpus.bounds is not None
        if corpus.tokens is not None:
            return corpus.tokens[index]
        return f"word {index - int(corpus.bounds[np.searchsorted(corpus.bounds, index, side='right') - 1]) + 1}"

    @property
    def lengths(self) -> Ints | None:
        """How many tokens each sentence has, where the file knows."""
        found = [batch.corpus.lengths for batch in self._batches if batch.corpus.lengths is not None]
        return np.concatenate(found) if len(found) == len(self._batches) else None

    def layer(self, name: str) -> tuple[Ints, Sequence[str], Ints] | None:
        """The codes of a layer of tags, their names, and where sentences begin in it."""
        layers = [batch.layers.get(extra_layer(name), batch.layers.get(name)) for batch in self._batches]
        bounds = [batch.corpus.bounds for batch in self._batches]
        codes, starts, before = list[Ints](), list[Ints](), 0
        names: Sequence[str] = ()
        for layer, bound in zip(layers, bounds, strict=True):
            if not isinstance(layer, Tags) or bound is None:
                return None
            codes.append(layer.code)
            starts.append(bound[:-1] + before)
            before += int(bound[-1])
            names = layer.names
        return np.concatenate(codes), names, np.concatenate(starts)


def parts_of(start: int, end: int, gaps: Sequence[int]) -> list[tuple[int, int]]:
    """What a unit covers, in atoms; gaps are counted from its start, and negative ones are not in the text."""
    found, begin = list[tuple[int, int]](), start
    for gap in (start + gap for gap in gaps if gap >= 0):
        if gap > begin:
            found.append((begin, gap))
        begin = gap + 1
    return [*found, (begin, end)]


def tokens_of(corpus: Corpus, sentence: int) -> Sequence[str]:
    """The tokens of a sentence, or characters; their numbers where the file has none."""
    if corpus.bounds is None:
        return ()
    begin, end = corpus.bounds[sentence : sentence + 2].tolist()
    return _numbers(end - begin) if corpus.tokens is None else corpus.tokens.texts(begin, end)


@lru_cache(1024)
def _numbers(size: int) -> tuple[str, ...]:
    """The numbers of so many tokens, which files of tags alone have in many sentences."""
    return tuple(str(number) for number in range(1, size + 1))
