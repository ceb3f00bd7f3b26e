"""The text that everybody annotated: documents, sentences, tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from itertools import accumulate, chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Ints, Number, Values, empty, ints
from evenhand.dataclass import dataclass
from evenhand.settings import Atoms
from evenhand.text.line_numbers import LineNumbers
from evenhand.text.tokens import Joined, Tokens

T = TypeVar("T")


def complete(found: Sequence[T | None]) -> list[T] | None:
    """What all parts have, or None where one has none."""
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None


@dataclass(frozen=True)
class MultiWords:
    """Tokens that are several words (`im` is `in dem`): the first word of each, how many there are, line and form."""

    first: Ints
    size: Ints
    tokens: Tokens
    lines: Ints = field(default_factory=empty)

    def __len__(self) -> int:
        return len(self.first)

    def within(self, begin: int, end: int) -> MultiWords:
        """Those of some words, which are counted anew."""
        low, high = np.searchsorted(self.first, (begin, end)).tolist()
        first, size, lines = (column[low:high] for column in (self.first, self.size, self.lines))
        return MultiWords(first - begin, size, self.tokens.slice(low, high), lines)


@dataclass(frozen=True)
class Asides:
    """Lines beside the words of a file, as they stand there: comments, multi-word tokens, empty nodes."""

    word: Ints
    """The word that each line stands before."""
    sentence: Ints
    """The sentence that it belongs to."""
    lines: Tokens

    def __len__(self) -> int:
        return len(self.word)


@dataclass(frozen=True)
class Mask:
    """Which ids of padded arrays are tokens: the places of those that were kept, among all, and the bounds of rows."""

    kept: Ints
    bounds: Ints

    def first_difference(self, other: Mask) -> int | None:
        """The first row in which another mask keeps other places; None where all are the same."""
        mine, theirs = (np.searchsorted(each.kept, each.bounds) for each in (self, other))
        rows = min(len(mine), len(theirs)) - 1
        different = np.flatnonzero(np.diff(mine)[:rows] != np.diff(theirs)[:rows])
        size = int(mine[different[0] if len(different) else rows])
        places = [
            each.kept[:size] - np.repeat(each.bounds[:rows], np.diff(ends)[:rows])[:size]
            for each, ends in ((self, mine), (other, theirs))
        ]
        wrong = np.flatnonzero(places[0] != places[1])
        if len(wrong):
            return int(np.searchsorted(mine, wrong[0], side="right")) - 1
        return int(different[0]) if len(different) else None


@dataclass(frozen=True)
class Corpus:
    """A text, or the part of it that one batch holds.

    `bounds` says where sentences begin, in tokens, with the end of the last one behind; it is None where a file
    names sentences but not their lengths (span tables). `tokens` is None where a file has tags only. `lines` gives
    the line of each token, or of each sentence, counted from `first_line`; it is empty for text from no file.
    """

    source: str
    sentences: int
    """Sentences or, in files that know none, whole texts: what is matched is matched within them."""
    bounds: Ints | None = None
    tokens: Tokens | None = None
    lines: Ints | LineNumbers = field(default_factory=empty)
    first_line: int = 0
    atoms: Atoms = "tokens"
    """What positions count: tokens, or characters that are no spaces (`tokens` then holds these)."""
    weights: Values | None = None
    """What each token weighs, where a column says."""
    raw: Ints | None = None
    """Where the text of each sentence begins in the bytes of `tokens`, spaces and all, and where the last one ends."""
    multiwords: MultiWords | None = None
    """The tokens that are several words, where `tokens` are words; none where every word is a token."""
    decimals: Ints | None = None
    """Where empty nodes are tokens: the decimal number of each (`5.1`: 1), and -1 for each word."""
    asides: Asides | None = None
    """Where a file has such lines, for those who write it again."""
    documents: Ints = field(default_factory=lambda: ints([0]))
    """The first sentence of each document."""
    names: tuple[str, ...] = ()
    """What the documents are called, where a file says."""
    unnamed: bool = False
    """Whether no document has a name of its own, so that `names` holds their numbers, or nothing."""
    marks: Ints = field(default_factory=empty)
    """The lines in which documents with names begin, counted as `lines` are."""
    ids: Tokens | None = None
    """What each sentence (or text) is identified by, where a file says: it may stand elsewhere on the other side."""
    continues: bool = False
    """Whether the first document is the last one of the batch before."""
    mask: Mask | None = None
    """Which ids are its tokens, where it was made from ids with padding."""
    advice: str = ""
    """What else to do if the tokens of the other side differ."""

    @cached_property
    def token_count(self) -> int | None:
        return None if self.bounds is None else int(self.bounds[-1])

    @cached_property
    def lengths(self) -> Ints | None:
        """The number of tokens of each sentence."""
        return None if self.bounds is None else np.diff(self.bounds)

    @cached_property
    def sentence_of(self) -> npt.NDArray[np.int32]:
        """The sentence of each token, in half the room that other columns take."""
        assert self.lengths is not None
        return np.repeat(np.arange(self.sentences, dtype=np.int32), self.lengths)

    @property
    def has_lines_of_sentences(self) -> bool:
        """Whether `lines` has an entry a sentence, not an entry a token."""
        return len(self.lines) == self.sentences != self.token_count

    @property
    def document_bounds(self) -> Ints:
        """Where documents begin, in tokens, and where the last one ends."""
        assert self.bounds is not None
        return np.append(self.bounds[self.documents], self.bounds[-1])

    def in_sentences(self, document: Ints, token: Ints) -> tuple[Ints, Ints]:
        """The sentences of tokens that are counted from the first of their document, and their places there.

        Where sentences are not known, that is as it was.
        """
        if self.bounds is None:
            return document, token
        place = self.document_bounds[document] + token
        sentence = np.searchsorted(self.bounds, place, side="right") - 1
        return sentence, place - self.bounds[sentence]

    def document_of(self, sentence: Ints) -> Ints:
        return np.searchsorted(self.documents, sentence, side="right") - 1

    def text(self, sentence: int) -> str:
        """The text of a sentence, spaces and all; where a file has tokens only, these with spaces between."""
        assert self.tokens is not None
        if self.raw is not None:
            return self.tokens.data[self.raw[sentence] : self.raw[sentence + 1]].decode()
        assert self.bounds is not None
        return " ".join(self.tokens.texts(*self.bounds[sentence : sentence + 2].tolist()))

    def line_numbers(self, indices: Ints) -> Ints:
        """The lines of some tokens (of sentences, where token positions are unknown); -1 where there is none."""
        if self.bounds is not None and self.has_lines_of_sentences:
            indices = np.searchsorted(self.bounds, indices, side="right") - 1
        known = np.flatnonzero((indices >= 0) & (indices < len(self.lines)))
        found = np.full(len(indices), -1)
        found[known] = self.first_line + self.lines[indices[known]]
        return found

    def line(self, index: int) -> int | None:
        """The line of one of them; `line_numbers` answers for many in the time that this takes for a few."""
        found = int(self.line_numbers(ints([index]))[0])
        return None if found < 0 else found

    def place(self, index: int) -> str:
        """The same with the file before it, as messages name places."""
        line = self.line(index)
        return self.source if line is None else f"{self.source}:{line}"

    def part(self, first: int, last: int, begin: int | None = None, end: int | None = None) -> Corpus:
        """The sentences from one up to another one; they may begin and end with a token within a sentence.

        Documents and asides are left behind, and what is known of each token but its place and form.
        """
        if self.bounds is None:
            return Corpus(self.source, last - first, lines=self.lines[first:last], first_line=self.first_line)
        bounds = self.bounds[first : last + 1].copy()
        bounds[0], bounds[-1] = bounds[0] if begin is None else begin, bounds[-1] if end is None else end
        begin, end = bounds[[0, -1]].tolist()
        return Corpus(
            self.source,
            last - first,
            bounds - begin,
            None if self.tokens is None else self.tokens.slice(begin, end),
            self.lines[first:last] if self.has_lines_of_sentences else self.lines[begin:end],
            self.first_line,
            self.atoms,
            multiwords=None if self.multiwords is None else self.multiwords.within(begin, end),
            advice=self.advice,
        )

    @staticmethod
    def concatenate(parts: Sequence[Corpus], joined: Joined | None = None) -> Corpus:
        """Batches of one file, joined in their order; for `joined` see `Tokens.concatenate`."""
        if len(parts) == 1:
            return parts[0]
        joined = {} if joined is None else joined
        first_sentence = np.cumsum([0, *(part.sentences for part in parts)])
        documents = [part.documents[int(part.continues and i > 0) :] for i, part in enumerate(parts)]
        tokens, ids = complete([part.tokens for part in parts]), complete([part.ids for part in parts])
        return Corpus(
            source=parts[0].source,
            sentences=int(first_sentence[-1]),
            bounds=_join_bounds([part.bounds for part in parts]),
            tokens=None if tokens is None else Tokens.concatenate(tokens, joined),
            lines=_join_lines(parts),
            weights=join_columns([part.weights for part in parts]),
            raw=_join_bounds([part.raw for part in parts]),
            decimals=join_columns([part.decimals for part in parts]),
            documents=np.concatenate(
                [starts + shift for starts, shift in zip(documents, first_sentence, strict=False)]
            ),
            names=tuple(
                chain.from_iterable(part.names[int(part.continues and i > 0) :] for i, part in enumerate(parts))
            ),
            unnamed=all(part.unnamed for part in parts),
            marks=np.concatenate([part.marks + part.first_line for part in parts]),
            ids=None if ids is None else Tokens.concatenate(ids, joined),
            continues=parts[0].continues,
            atoms=parts[0].atoms,
            multiwords=_join_multiwords(parts, joined),
            asides=_join_asides(parts, joined),
            advice=parts[0].advice,
        )


def join_columns(parts: Sequence[npt.NDArray[Number] | None]) -> npt.NDArray[Number] | None:
    """The column of successive parts, if all have one."""
    found = complete(parts)
    return None if found is None else np.concatenate(found)


def _join_lines(parts: Sequence[Corpus]) -> Ints:
    """The lines of successive parts: those of sentences, or of tokens if one has these."""
    lines = [part.lines + part.first_line for part in parts]
    if any(len(part.lines) == part.token_count != part.sentences for part in parts):
        lines = [
            np.repeat(each, part.lengths) if part.lengths is not None and part.has_lines_of_sentences else each
            for each, part in zip(lines, parts, strict=True)
        ]
    return np.concatenate(lines)


def _join_bounds(parts: Sequence[Ints | None]) -> Ints | None:
    """Bounds of successive parts, counted from the first one's begin, if all have some."""
    found = complete(parts)
    if found is None:
        return None
    before = _before([int(part[-1]) for part in found])
    joined = [part[:-1] + shift for part, shift in zip(found, before, strict=True)]
    return np.concatenate([*joined, found[-1][-1:] + before[-1]])


def _join_multiwords(parts: Sequence[Corpus], joined: Joined) -> MultiWords | None:
    found = complete([part.multiwords for part in parts])
    if found is None:
        return None
    words = _before([part.token_count or 0 for part in parts])
    return MultiWords(
        np.concatenate([each.first + shift for each, shift in zip(found, words, strict=True)]),
        np.concatenate([each.size for each in found]),
        Tokens.concatenate([each.tokens for each in found], joined),
        np.concatenate([each.lines + part.first_line for each, part in zip(found, parts, strict=True)]),
    )


def _join_asides(parts: Sequence[Corpus], joined: Joined) -> Asides | None:
    found = complete([part.asides for part in parts])
    if found is None:
        return None
    words, sentences = _before([part.token_count or 0 for part in parts]), _before([part.sentences for part in parts])
    return Asides(
        np.concatenate([each.word + shift for each, shift in zip(found, words, strict=True)]),
        np.concatenate([each.sentence + shift for each, shift in zip(found, sentences, strict=True)]),
        Tokens.concatenate([each.lines for each in found], joined),
    )


def _before(sizes: Sequence[int]) -> list[int]:
    """How much stands before each of successive parts."""
    return list(accumulate(sizes[:-1], initial=0))
