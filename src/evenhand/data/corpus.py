"""The text that everybody annotated: documents, sentences, tokens."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import accumulate, chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Ints, Number, Values, empty, ints
from evenhand.data.tokens import Joined, LineNumbers, Tokens
from evenhand.dataclass import dataclass
from evenhand.settings import Atoms

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
class NonTokenLines:
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
class TokenEdges:
    """The tokens of a file whose atoms are characters. Both columns have one more entry, for the end."""

    atoms: Ints
    """How many atoms there are before each token."""
    bounds: Ints
    """How many tokens there are before each sentence."""

    def covering(self, sentence: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """The tokens, counted in their sentence, that begin with or contain these atoms; the end is exclusive."""
        before = self.bounds[sentence]
        start = np.searchsorted(self.atoms, first, side="right") - 1
        return start - before, np.searchsorted(self.atoms, last, side="right") - before

    def within(self, first: int, last: int) -> TokenEdges:
        """Those of some sentences, counted anew."""
        bounds = self.bounds[first : last + 1]
        atoms = self.atoms[bounds[0] : bounds[-1] + 1]
        return TokenEdges(atoms - atoms[0], bounds - bounds[0])


@dataclass(frozen=True)
class Positions:
    """Positions of units as users see them; see `Corpus.positions`."""

    of: Atoms
    """What `start` and `end` count."""
    start: Ints
    end: Ints
    token_start: Ints | None
    """The same in tokens of the sentence, where the file has tokens."""
    token_end: Ints | None

    @property
    def columns(self) -> tuple[Ints, Ints, Ints | None, Ints | None]:
        return self.start, self.end, self.token_start, self.token_end

    def rows(self) -> list[tuple[int | None, ...]]:
        """Start and end, and the same in tokens, of each unit; None for what is not known."""
        unknown = [-1] * len(self.start)
        listed = [unknown if column is None else column.tolist() for column in self.columns]
        return [tuple(None if each < 0 else each for each in row) for row in zip(*listed, strict=True)]


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
    """What positions count: tokens, or characters that are not spaces (`tokens` then holds these)."""
    weights: Values | None = None
    """What each token weighs, where a column says."""
    raw: Ints | None = None
    """Where the text of each sentence begins in the bytes of `tokens`, spaces and all, and where the last one ends."""
    texts: Ints | None = None
    """Where each input text begins in the bytes of `tokens`, and where the last one ends; None where `raw` has that."""
    spaced: Ints | None = None
    """The same of sentences, where `tokens` are the characters of tokens with blanks between, without a text."""
    text_of: tuple[Corpus, ...] = ()
    """Where the text is that of another side, which has the same characters: its parts, one after the other."""
    token_edges: TokenEdges | None = None
    """The tokens of the file, where atoms are characters though it has tokens."""
    multiwords: MultiWords | None = None
    """The tokens that are several words, where `tokens` are words; none where every word is a token."""
    decimals: Ints | None = None
    """Where empty nodes are tokens: the decimal number of each (`5.1`: 1), and -1 for each word."""
    asides: NonTokenLines | None = None
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
    is_file: bool = False
    """Whether the file is one document, which its path names."""
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

    @property
    def document_names(self) -> list[str]:
        """What documents are called: by their names, their ids or, where a file is one text, its path; else empty."""
        size = len(self.documents)
        if self.names:
            return list(self.names)
        if self.ids is not None and size == self.sentences:
            return self.ids.texts(0, size)
        return [os.path.splitext(self.source)[0] if self.is_file else ""] * size

    def document_of(self, sentence: Ints) -> Ints:
        return np.searchsorted(self.documents, sentence, side="right") - 1

    def text(self, sentence: int) -> str:
        """The text of a sentence, spaces and all; where a file has tokens only, these with spaces between."""
        assert self.tokens is not None
        if self.raw is not None:
            text = self.tokens.data[self.raw[sentence] : self.raw[sentence + 1]].decode()
            # A sentence that is cut out of a text is followed by the spaces before the next one.
            return text if self.texts is None else text.rstrip()
        assert self.bounds is not None
        if self.atoms == "characters":
            begin, end = self._text_of_atoms(*self.bounds[sentence : sentence + 2].tolist())
            return self.tokens.data[begin:end].decode()
        return " ".join(self.tokens.texts(*self.bounds[sentence : sentence + 2].tolist()))

    def _text_of_atoms(self, first: int, last: int) -> tuple[int, int]:
        """Where the text of some atoms begins and ends in the bytes of `tokens`; a whole text has its outer spaces."""
        assert self.tokens is not None
        if first == last:
            return 0, 0
        tokens, texts = self.tokens, self.texts
        begin, end = int(tokens.start[first]), int(tokens.end[last - 1])
        if texts is None:
            return begin, end
        low, high = int(texts[np.searchsorted(texts, begin, "right") - 1]), int(texts[np.searchsorted(texts, end)])
        is_whole = (first == 0 or tokens.end[first - 1] <= low) and (last == len(tokens) or tokens.start[last] >= high)
        return (low, high) if is_whole else (begin, end)

    @property
    def text_bounds(self) -> Ints | None:
        """Where each text begins in the bytes of `tokens`, and where the last one ends; None without a text."""
        found = self.raw if self.texts is None else self.texts
        return self.spaced if found is None else found

    @property
    def has_input_text(self) -> bool:
        """Whether the file has a text, not only tokens."""
        return self.raw is not None or self.texts is not None

    def whole_text(self, first: int, stop: int) -> tuple[str, list[int]] | None:
        """The text that some sentences are cut out of, and where each begins in it; None if that is not one text."""
        if self.raw is None or self.texts is None or self.tokens is None:
            return None
        text, other = (np.searchsorted(self.texts, self.raw[[first, stop - 1]], side="right") - 1).tolist()
        if text != other:
            return None
        begin, end = self.texts[text : text + 2].tolist()
        begins = self.tokens.characters(self.raw[first:stop]) - self.tokens.characters(self.texts[text])
        return self.tokens.data[begin:end].decode(), begins.tolist()

    def with_text_of(self, parts: Sequence[Corpus]) -> Corpus:
        """The same atoms in the text of another side, given parts of that one after the other."""
        tokens = [part.tokens for part in parts if part.tokens is not None]
        texts = _join_bounds([part.text_bounds for part in parts])
        return replace(self, tokens=Tokens.concatenate(tokens), texts=texts, spaced=None, text_of=tuple(parts))

    def quoted(self, sentence: int, start: int, end: int) -> str | None:
        """The text of a unit, as it is in the file; tokens with spaces between, or None, without a text."""
        if self.tokens is None or self.bounds is None:
            return None
        if self.text_bounds is None:
            first = int(self.bounds[sentence])
            return " ".join(self.tokens.texts(first + start, first + end))
        begin, stop, _ = self.stretch(ints([sentence]), ints([start]), ints([end]))
        return self.tokens.data[begin[0] : stop[0]].decode()

    def text_place(self, index: int) -> str | None:
        """File and line of the text of an atom, where that is the text of another side."""
        for part in self.text_of:
            if index < (part.token_count or 0):
                return part.place(index)
            index -= part.token_count or 0
        return None

    @property
    def positions_of(self) -> Atoms:
        """What positions that leave Evenhand count."""
        return self.atoms if self.tokens is None or self.bounds is None or self.text_bounds is None else "characters"

    def stretch(self, sentence: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """Where units begin and end in the bytes of `tokens`, and where their texts begin there.

        A unit that reaches into the next text ends with its own one.
        """
        assert self.tokens is not None
        assert self.bounds is not None
        assert self.text_bounds is not None
        first = self.bounds[sentence] + start
        last = np.minimum(self.bounds[sentence] + end, len(self.tokens)) - 1
        begin, texts = self.tokens.start[first], self.text_bounds
        text = np.searchsorted(texts, begin, side="right") - 1
        stop = self.tokens.end[last]
        beyond = np.flatnonzero(stop > texts[text + 1])
        if len(beyond):
            stop[beyond] = self.tokens.end[np.searchsorted(self.tokens.start, texts[text[beyond] + 1]) - 1]
        return begin, stop, texts[text]

    def positions(self, sentence: Ints, start: Ints, end: Ints) -> Positions:
        """Positions that leave Evenhand: character offsets into the input text, where there is one.

        Offsets count code points from 0, and ends are exclusive. Without a text, positions stay what they are: tokens,
        or characters where a file names offsets only.
        """
        if self.tokens is None or self.bounds is None or self.text_bounds is None:
            tokens = (start, end) if self.atoms == "tokens" else (None, None)
            return Positions(self.atoms, start, end, *tokens)
        begin, stop, text = self.stretch(sentence, start, end)
        before = self.tokens.characters(text)
        offsets = (self.tokens.characters(begin) - before, self.tokens.characters(stop) - before)
        if self.atoms == "tokens":
            return Positions("characters", *offsets, start, end)
        if self.token_edges is None:
            return Positions("characters", *offsets, None, None)
        first = self.bounds[sentence]
        return Positions("characters", *offsets, *self.token_edges.covering(sentence, first + start, first + end - 1))

    def atoms_at(self, sentence: int, start: int, end: int) -> tuple[int, int, int] | None:
        """The inverse of `positions`, for offsets into the text of a sentence: a sentence, and atoms there.

        None where the text has no such offsets, only spaces there, or an atom that goes on beyond them.
        """
        assert self.tokens is not None
        assert self.bounds is not None
        assert self.raw is not None
        assert self.text_bounds is not None
        text = int(np.searchsorted(self.text_bounds, self.raw[sentence], side="right")) - 1
        begin, stop = self.tokens.characters(self.text_bounds[text : text + 2]).tolist()
        if begin + end > stop:
            return None
        edges = self.tokens.places_of(ints([begin + start, begin + end]))
        first, last = np.searchsorted(self.tokens.start, edges).tolist()
        if first == last or (first and self.tokens.end[first - 1] > edges[0]) or self.tokens.end[last - 1] > edges[1]:
            return None
        found = int(np.searchsorted(self.bounds, first, side="right")) - 1
        return found, first - int(self.bounds[found]), last - int(self.bounds[found])

    def line_numbers(self, indices: Ints) -> Ints:
        """The lines of some tokens (of sentences, where token positions are unknown); -1 where there is none."""
        if self.bounds is not None and self.has_lines_of_sentences:
            indices = np.searchsorted(self.bounds, indices, side="right") - 1
        known = np.flatnonzero((indices >= 0) & (indices < len(self.lines)))
        numbers = np.full(len(indices), -1)
        numbers[known] = self.first_line + self.lines[indices[known]]
        return numbers

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
            texts=self.text_bounds if self.has_input_text else None,  # in all bytes, which tokens keep
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
            texts=_join_texts(parts),
            spaced=_join_bounds([part.spaced for part in parts]),
            token_edges=_join_token_edges([part.token_edges for part in parts]),
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
            np.repeat(line, part.lengths) if part.lengths is not None and part.has_lines_of_sentences else line
            for line, part in zip(lines, parts, strict=True)
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


def _join_texts(parts: Sequence[Corpus]) -> Ints | None:
    """The bounds of texts, where those of sentences do not say them."""
    if all(part.texts is None and part.raw is not None for part in parts) or not any(
        part.has_input_text for part in parts
    ):
        return None
    return _join_bounds([part.text_bounds for part in parts])


def _join_token_edges(parts: Sequence[TokenEdges | None]) -> TokenEdges | None:
    found = complete(parts)
    if found is None:
        return None
    atoms, bounds = _join_bounds([part.atoms for part in found]), _join_bounds([part.bounds for part in found])
    assert atoms is not None
    assert bounds is not None
    return TokenEdges(atoms, bounds)


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


def _join_asides(parts: Sequence[Corpus], joined: Joined) -> NonTokenLines | None:
    found = complete([part.asides for part in parts])
    if found is None:
        return None
    words, sentences = _before([part.token_count or 0 for part in parts]), _before([part.sentences for part in parts])
    return NonTokenLines(
        np.concatenate([each.word + shift for each, shift in zip(found, words, strict=True)]),
        np.concatenate([each.sentence + shift for each, shift in zip(found, sentences, strict=True)]),
        Tokens.concatenate([each.lines for each in found], joined),
    )


def _before(sizes: Sequence[int]) -> list[int]:
    """How much stands before each of successive parts."""
    return list(accumulate(sizes[:-1], initial=0))
