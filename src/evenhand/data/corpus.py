"""Corpus: the annotated text with its documents, sentences and tokens."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import accumulate, chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Ints, Number, Values, empty, ints, ranges
from evenhand.data.tokens import PADDING, Characters, Joined, LineNumbers, Tokens
from evenhand.dataclass import dataclass
from evenhand.settings import Atoms

T = TypeVar("T")


def complete(values: Sequence[T | None]) -> list[T] | None:
    """Return the values, or None if one of them is None."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


@dataclass(frozen=True)
class MultiWords:
    """Tokens that consist of several words (`im` is `in dem`): first word, number of words, form and line of each."""

    first: Ints
    size: Ints
    tokens: Tokens
    lines: Ints = field(default_factory=empty)

    def __len__(self) -> int:
        return len(self.first)

    def within(self, begin: int, end: int) -> MultiWords:
        """Return the tokens of some words, renumbered from the first of these."""
        low, high = np.searchsorted(self.first, (begin, end)).tolist()
        first, size, lines = (column[low:high] for column in (self.first, self.size, self.lines))
        return MultiWords(first - begin, size, self.tokens.slice(low, high), lines)


@dataclass(frozen=True)
class NonTokenLines:
    """Lines of a file other than words: comments, multi-word tokens, empty nodes."""

    word: Ints
    """The word after each line."""
    sentence: Ints
    lines: Tokens

    def __len__(self) -> int:
        return len(self.word)


@dataclass(frozen=True)
class Mask:
    """The tokens among the ids of padded arrays: the positions of ids that were kept, and the bounds of rows."""

    kept: Ints
    bounds: Ints

    def first_difference(self, other: Mask) -> int | None:
        """Return the first row in which another mask keeps other positions; None if there is none."""
        ends, other_ends = (np.searchsorted(mask.kept, mask.bounds) for mask in (self, other))
        rows = min(len(ends), len(other_ends)) - 1
        different = np.flatnonzero(np.diff(ends)[:rows] != np.diff(other_ends)[:rows])
        size = int(ends[different[0] if len(different) else rows])
        positions, other_positions = (
            mask.kept[:size] - np.repeat(mask.bounds[:rows], np.diff(ends_of_mask)[:rows])[:size]
            for mask, ends_of_mask in ((self, ends), (other, other_ends))
        )
        wrong = np.flatnonzero(positions != other_positions)
        if len(wrong):
            return int(np.searchsorted(ends, wrong[0], side="right")) - 1
        return int(different[0]) if len(different) else None


@dataclass(frozen=True)
class TokenEdges:
    """The tokens of a file whose atoms are characters. Both columns have an additional entry for the end."""

    atoms: Ints
    """Number of atoms before each token."""
    bounds: Ints
    """Number of tokens before each sentence."""

    def covering(self, sentence: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """Return start and exclusive end, in tokens of the sentence, of the tokens that contain these atoms."""
        before = self.bounds[sentence]
        start = np.searchsorted(self.atoms, first, side="right") - 1
        return start - before, np.searchsorted(self.atoms, last, side="right") - before

    def within(self, first: int, last: int) -> TokenEdges:
        """Return the tokens of some sentences, renumbered from the first of these."""
        bounds = self.bounds[first : last + 1]
        atoms = self.atoms[bounds[0] : bounds[-1] + 1]
        return TokenEdges(atoms - atoms[0], bounds - bounds[0])

    def take(self, rows: Ints, shift: Ints, end: int) -> TokenEdges:
        """Return the tokens of these sentences; `shift` is added to the atoms of each, and `end` is their number."""
        sizes = np.diff(self.bounds)[rows]
        atoms = self.atoms[ranges(self.bounds[rows], sizes)] + np.repeat(shift, sizes)
        return TokenEdges(np.append(atoms, end), np.append(0, np.cumsum(sizes)))


@dataclass(frozen=True)
class Positions:
    """Positions of units as users see them; see `Corpus.positions`."""

    of: Atoms
    """The unit of `start` and `end`."""
    start: Ints
    end: Ints
    token_start: Ints | None
    """The same in tokens of the sentence, if the file has tokens."""
    token_end: Ints | None

    @property
    def columns(self) -> tuple[Ints, Ints, Ints | None, Ints | None]:
        return self.start, self.end, self.token_start, self.token_end

    def rows(self) -> list[tuple[int | None, ...]]:
        """Return start and end, and both in tokens, of each unit; None if unknown."""
        unknown = [-1] * len(self.start)
        listed = [unknown if column is None else column.tolist() for column in self.columns]
        return [tuple(None if value < 0 else value for value in row) for row in zip(*listed, strict=True)]


@dataclass(frozen=True)
class Corpus:
    """A text, or the part of it in one batch."""

    source: str
    sentences: int
    """Number of sentences or, in files without sentences, of texts. Units are matched within them."""
    bounds: Ints | None = None
    """The first token of each sentence, and the end; None if sentence lengths are unknown (span tables)."""
    tokens: Tokens | None = None
    """None if a file has only tags."""
    lines: Ints | LineNumbers = field(default_factory=empty)
    """The line of each token, or of each sentence, counted from `first_line`; empty without a file."""
    first_line: int = 0
    atoms: Atoms = "tokens"
    """The unit of positions: tokens, or characters that are not spaces (then `tokens` are these)."""
    weights: Values | None = None
    raw: Ints | None = None
    """The offset of each sentence's text, including spaces, in the bytes of `tokens`, and the end of the last one."""
    texts: Ints | None = None
    """The offset of each input text in the bytes of `tokens`, and the end of the last one; None if equal to `raw`."""
    spaced: Ints | None = None
    """The same for sentences, without a text, if `tokens` are the characters of tokens joined by blanks."""
    text_of: tuple[Corpus, ...] = ()
    """If the text is the other side's text, which has the same characters: its consecutive parts."""
    token_edges: TokenEdges | None = None
    """The tokens of the file, if atoms are characters but the file has tokens."""
    multiwords: MultiWords | None = None
    """Tokens that consist of several words, if `tokens` are words; None if every word is a token."""
    decimals: Ints | None = None
    """If empty nodes are tokens: the decimal of each (`5.1`: 1), and -1 for each word."""
    asides: NonTokenLines | None = None
    documents: Ints = field(default_factory=lambda: ints([0]))
    """The first sentence of each document."""
    names: tuple[str, ...] = ()
    unnamed: bool = False
    """Whether the file does not name documents, so `names` holds numbers or nothing."""
    marks: Ints = field(default_factory=empty)
    """The first lines of named documents, counted like `lines`."""
    ids: Tokens | None = None
    """Sentence ids, if the file has any. The other side may list them in a different order."""
    is_file: bool = False
    """Whether the file is one document, named by its path."""
    omits_empty: bool = False
    """Whether documents without spans may be missing, as in a table of spans."""
    continues: bool = False
    """Whether the first document continues the last one of the preceding batch."""
    mask: Mask | None = None
    advice: str = ""
    """Additional remedy if the tokens of the other side differ."""

    @cached_property
    def token_count(self) -> int | None:
        return None if self.bounds is None else int(self.bounds[-1])

    @cached_property
    def lengths(self) -> Ints | None:
        return None if self.bounds is None else np.diff(self.bounds)

    @cached_property
    def sentence_of(self) -> npt.NDArray[np.int32]:
        """The sentence of each token, in half the memory of other columns."""
        assert self.lengths is not None
        return np.repeat(np.arange(self.sentences, dtype=np.int32), self.lengths)

    @property
    def has_lines_of_sentences(self) -> bool:
        """Whether `lines` has one entry per sentence, not per token."""
        return len(self.lines) == self.sentences != self.token_count

    @property
    def document_bounds(self) -> Ints:
        """The first token of each document, and the end."""
        assert self.bounds is not None
        return np.append(self.bounds[self.documents], self.bounds[-1])

    def in_sentences(self, document: Ints, token: Ints) -> tuple[Ints, Ints]:
        """Convert token positions in documents to sentences and positions in these; unchanged without bounds."""
        if self.bounds is None:
            return document, token
        index = self.document_bounds[document] + token
        sentence = np.searchsorted(self.bounds, index, side="right") - 1
        return sentence, index - self.bounds[sentence]

    @property
    def document_names(self) -> list[str]:
        """Names of documents: names or ids from the file or, if the file is one text, its path; otherwise empty."""
        size = len(self.documents)
        if self.names:
            return list(self.names)
        if self.ids is not None and size == self.sentences:
            return self.ids.texts(0, size)
        return [os.path.splitext(self.source)[0] if self.is_file else ""] * size

    def document_of(self, sentence: Ints) -> Ints:
        return np.searchsorted(self.documents, sentence, side="right") - 1

    def text(self, sentence: int) -> str:
        """Return the text of a sentence, including spaces; without a text, the tokens joined by spaces."""
        assert self.tokens is not None
        if self.raw is not None:
            text = self.tokens.data[self.raw[sentence] : self.raw[sentence + 1]].decode()
            # The spaces before the next sentence of a text belong to this one.
            return text if self.texts is None else text.rstrip()
        assert self.bounds is not None
        if self.atoms == "characters":
            begin, end = self._text_of_atoms(*self.bounds[sentence : sentence + 2].tolist())
            return self.tokens.data[begin:end].decode()
        return " ".join(self.tokens.texts(*self.bounds[sentence : sentence + 2].tolist()))

    def _text_of_atoms(self, first: int, last: int) -> tuple[int, int]:
        """Return the byte offsets in `tokens` of the text of some atoms; a whole text includes its outer spaces."""
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
        """The offset of each text in the bytes of `tokens`, and the end of the last one; None without a text."""
        bounds = self.raw if self.texts is None else self.texts
        return self.spaced if bounds is None else bounds

    @property
    def has_input_text(self) -> bool:
        """Whether the file has a text, not only tokens."""
        return self.raw is not None or self.texts is not None

    def whole_text(self, first: int, stop: int) -> tuple[str, list[int]] | None:
        """Return the text that contains some sentences, and their offsets; None if it is not one text."""
        if self.raw is None or self.texts is None or self.tokens is None:
            return None
        text, other = (np.searchsorted(self.texts, self.raw[[first, stop - 1]], side="right") - 1).tolist()
        if text != other:
            return None
        begin, end = self.texts[text : text + 2].tolist()
        begins = self.tokens.characters(self.raw[first:stop]) - self.tokens.characters(self.texts[text])
        return self.tokens.data[begin:end].decode(), begins.tolist()

    def with_text_of(self, parts: Sequence[Corpus]) -> Corpus:
        """Return the same atoms in the text of another side, given its consecutive parts."""
        tokens = [part.tokens for part in parts if part.tokens is not None]
        texts = _join_bounds([part.text_bounds for part in parts])
        return replace(self, tokens=Tokens.concatenate(tokens), texts=texts, spaced=None, text_of=tuple(parts))

    def quoted(self, sentence: int, start: int, end: int) -> str | None:
        """Return the text of a unit; without a text, its tokens joined by spaces, or None without tokens."""
        if self.tokens is None or self.bounds is None:
            return None
        if self.text_bounds is None:
            first = int(self.bounds[sentence])
            return " ".join(self.tokens.texts(first + start, first + end))
        begin, stop, _ = self.stretch(ints([sentence]), ints([start]), ints([end]))
        return self.tokens.data[begin[0] : stop[0]].decode()

    @cached_property
    def quotable(self) -> Tokens:
        """The atoms in a text from which units can be quoted: the text or, without one, tokens joined by blanks."""
        assert self.tokens is not None
        if self.text_bounds is not None:
            return self.tokens
        text, starts = self.tokens.spaced()
        return Tokens(text.tobytes() + PADDING, starts[:-1], starts[1:] - 1)

    def quotable_bounds(self, sentence: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Return the byte offsets of units in `quotable`."""
        if self.text_bounds is not None:
            return self.stretch(sentence, start, end)[:2]
        assert self.bounds is not None
        first = self.bounds[sentence]
        last = np.maximum(np.minimum(first + end, len(self.quotable)) - 1, first + start)
        return self.quotable.start[first + start], self.quotable.end[last]

    def windows(self, sentence: Ints, start: Ints, end: Ints, words: int) -> tuple[Ints, Ints]:
        """Return where the windows of `words` words around units begin and end in `quotable`, within sentences."""
        assert self.bounds is not None
        text, begins = self.quotable, self._word_begins
        first = self.bounds[sentence] + start
        last = np.maximum(np.minimum(self.bounds[sentence] + end, len(text)) - 1, first)
        sentence_end = self.bounds[np.searchsorted(self.bounds, last, side="right")] - 1
        before = np.searchsorted(begins, first, side="right") - 1 - words
        low = np.maximum(begins[np.maximum(before, 0)], self.bounds[sentence])
        after = np.searchsorted(begins, last, side="right") + words
        high = np.minimum(np.append(begins, len(text))[np.minimum(after, len(begins))] - 1, sentence_end)
        return text.start[low], text.end[np.maximum(high, last)]

    @cached_property
    def _word_begins(self) -> Ints:
        """The atoms that begin a word: tokens, or characters after a space or at the beginning of a sentence."""
        assert self.bounds is not None
        if self.atoms == "tokens":
            return np.arange(len(self.quotable))
        text = self.quotable
        begins = np.append(True, text.start[1:] > text.end[:-1])[: len(text)]
        begins[self.bounds[:-1][self.bounds[:-1] < len(text)]] = True
        return np.flatnonzero(begins)

    def text_location(self, index: int) -> str | None:
        """Return file and line of the text of an atom, if the text is the other side's."""
        for part in self.text_of:
            if index < (part.token_count or 0):
                return part.location(index)
            index -= part.token_count or 0
        return None

    @property
    def positions_of(self) -> Atoms:
        """The unit of positions that are shown to users."""
        return self.atoms if self.tokens is None or self.bounds is None or self.text_bounds is None else "characters"

    def stretch(self, sentence: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the byte offsets in `tokens` of units and of their texts; a unit ends at the end of its text."""
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
        """Return positions for users: character offsets into the input text, if there is one.

        Offsets count code points from 0, and ends are exclusive. Without a text, positions are unchanged: tokens, or
        characters if a file has only offsets.
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
        """Return sentence, start and end of the atoms at character offsets; the inverse of `positions`.

        None if the text has no such offsets, only spaces there, or an atom that continues after them.
        """
        assert self.tokens is not None
        assert self.bounds is not None
        assert self.raw is not None
        assert self.text_bounds is not None
        text = int(np.searchsorted(self.text_bounds, self.raw[sentence], side="right")) - 1
        begin, stop = self.tokens.characters(self.text_bounds[text : text + 2]).tolist()
        if begin + end > stop:
            return None
        edges = self.tokens.byte_offsets(ints([begin + start, begin + end]))
        first, last = np.searchsorted(self.tokens.start, edges).tolist()
        if first == last or (first and self.tokens.end[first - 1] > edges[0]) or self.tokens.end[last - 1] > edges[1]:
            return None
        found = int(np.searchsorted(self.bounds, first, side="right")) - 1
        return found, first - int(self.bounds[found]), last - int(self.bounds[found])

    def line_numbers(self, indices: Ints) -> Ints:
        """Return the lines of tokens (of sentences, without token positions); -1 if unknown."""
        if self.bounds is not None and self.has_lines_of_sentences:
            indices = np.searchsorted(self.bounds, indices, side="right") - 1
        known = np.flatnonzero((indices >= 0) & (indices < len(self.lines)))
        numbers = np.full(len(indices), -1)
        numbers[known] = self.first_line + self.lines[indices[known]]
        return numbers

    def line(self, index: int) -> int | None:
        """Return the line of one token or sentence; for many, `line_numbers` is much faster."""
        number = int(self.line_numbers(ints([index]))[0])
        return None if number < 0 else number

    def location(self, index: int) -> str:
        """Return `file:line` of a token or sentence, or only the file if the line is unknown."""
        line = self.line(index)
        return self.source if line is None else f"{self.source}:{line}"

    def within(self, first: int, last: int) -> Corpus:
        """Return the sentences from `first` to `last` with everything that belongs to them, except other lines."""
        low = int(np.searchsorted(self.documents, first, side="right")) - 1
        high = int(np.searchsorted(self.documents, last))
        begin, end = (0, 0) if self.bounds is None else self.bounds[[first, last]].tolist()
        lines = slice(first, last) if self.bounds is None or self.has_lines_of_sentences else slice(begin, end)
        edges = slice(first, last + 1)
        return replace(
            self,
            sentences=last - first,
            bounds=None if self.bounds is None else self.bounds[edges] - begin,
            tokens=None if self.tokens is None else self.tokens.slice(begin, end),
            lines=self.lines[lines] if len(self.lines) else self.lines,
            weights=None if self.weights is None else self.weights[begin:end],
            raw=None if self.raw is None else self.raw[edges],  # offsets into all bytes, which tokens keep
            spaced=None if self.spaced is None else self.spaced[edges],
            token_edges=None if self.token_edges is None else self.token_edges.within(first, last),
            multiwords=None if self.multiwords is None else self.multiwords.within(begin, end),
            decimals=None if self.decimals is None else self.decimals[begin:end],
            asides=None,
            documents=np.maximum(self.documents[low:high] - first, 0),
            names=self.names[low:high],
            marks=self.marks[low:high],
            ids=None if self.ids is None else self.ids.slice(first, last),
            continues=bool(self.documents[low] < first) or (first == 0 and self.continues),
            mask=None,
        )

    def take(self, rows: Ints) -> Corpus:
        """Return these sentences in this order, with their lines and only the bytes of their texts or tokens."""
        lines = self.line_numbers(rows if self.bounds is None else self.bounds[rows])
        taken = Corpus(self.source, len(rows), lines=lines, atoms=self.atoms, advice=self.advice)
        if self.bounds is None or self.lengths is None:
            return taken
        sizes, first = self.lengths[rows], self.bounds[rows]
        bounds, edges = np.append(0, np.cumsum(sizes)), self.token_edges
        edges = None if edges is None else edges.take(rows, bounds[:-1] - first, int(bounds[-1]))
        taken = replace(taken, bounds=bounds, token_edges=edges)
        if self.tokens is None:
            return taken
        begins = self.spaced if self.raw is None else self.raw
        if begins is None:
            text, starts = self.tokens.take(ranges(first, sizes)).spaced()
            return replace(taken, tokens=Tokens(text.tobytes() + PADDING, starts[:-1], starts[1:] - 1))
        if self.texts is not None or self.atoms == "tokens":
            return self._take_texts(taken, rows, begins[rows])
        tokens = Characters.within(self.tokens.data, begins[rows], begins[rows + 1])
        raw = None if self.raw is None else tokens.edges
        return replace(taken, tokens=tokens, raw=raw, spaced=tokens.edges if raw is None else None)

    def _take_texts(self, taken: Corpus, rows: Ints, begin: Ints) -> Corpus:
        """Return taken sentences, which begin at these bytes, with the whole texts that contain them."""
        texts, sizes = self.text_bounds, taken.lengths
        assert self.bounds is not None
        assert self.tokens is not None
        assert sizes is not None
        assert texts is not None
        text_of = rows if self.texts is None else np.searchsorted(texts, begin, side="right") - 1
        is_first = np.append(True, (np.diff(text_of) != 0) | (np.diff(rows) != 1))[: len(rows)]
        chosen = text_of[is_first]
        data = [self.tokens.data[first:stop] for first, stop in zip(texts[chosen], texts[chosen + 1], strict=True)]
        edges = np.append(0, np.cumsum(texts[chosen + 1] - texts[chosen]))
        shift = edges[np.cumsum(is_first) - 1] - texts[text_of]
        tokens, shifts = self.tokens.take(ranges(self.bounds[rows], sizes)), np.repeat(shift, sizes)
        return replace(
            taken,
            tokens=Tokens(b"".join([*data, PADDING]), tokens.start + shifts, tokens.end + shifts),
            raw=np.append(begin + shift, edges[-1]),
            texts=None if self.texts is None else edges,
        )

    def atoms_within(self, begin: int, end: int) -> Corpus:
        """Return the atoms from `begin` to `end`, with the sentences that contain them cut at both ends."""
        assert self.bounds is not None
        assert self.tokens is not None
        first, last = int(np.searchsorted(self.bounds, begin, side="right")) - 1, int(np.searchsorted(self.bounds, end))
        return replace(
            self.within(first, last),
            bounds=np.clip(self.bounds[first : last + 1], begin, end) - begin,
            tokens=self.tokens.slice(begin, end),
            lines=self.lines[first:last] if self.has_lines_of_sentences else self.lines[begin:end],
            raw=None,
            texts=self.text_bounds,
        )

    @staticmethod
    def concatenate(parts: Sequence[Corpus], joined: Joined | None = None) -> Corpus:
        """Concatenate batches of one file; for `joined` see `Tokens.concatenate`."""
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
    """Concatenate a column of consecutive parts; None if one part lacks it."""
    columns = complete(parts)
    return None if columns is None else np.concatenate(columns)


def _join_lines(parts: Sequence[Corpus]) -> Ints:
    """Concatenate the lines of sentences, or of tokens if one part has these."""
    lines = [part.lines + part.first_line for part in parts]
    if any(len(part.lines) == part.token_count != part.sentences for part in parts):
        lines = [
            np.repeat(line, part.lengths) if part.lengths is not None and part.has_lines_of_sentences else line
            for line, part in zip(lines, parts, strict=True)
        ]
    return np.concatenate(lines)


def _join_bounds(parts: Sequence[Ints | None]) -> Ints | None:
    """Concatenate bounds of consecutive parts; None if one part lacks them."""
    bounds = complete(parts)
    if bounds is None:
        return None
    before = _before([int(part[-1]) for part in bounds])
    joined = [part[:-1] + shift for part, shift in zip(bounds, before, strict=True)]
    return np.concatenate([*joined, bounds[-1][-1:] + before[-1]])


def _join_texts(parts: Sequence[Corpus]) -> Ints | None:
    """Concatenate the bounds of texts, unless they are equal to the bounds of sentences."""
    if all(part.texts is None and part.raw is not None for part in parts) or not any(
        part.has_input_text for part in parts
    ):
        return None
    return _join_bounds([part.text_bounds for part in parts])


def _join_token_edges(parts: Sequence[TokenEdges | None]) -> TokenEdges | None:
    edges = complete(parts)
    if edges is None:
        return None
    atoms, bounds = _join_bounds([part.atoms for part in edges]), _join_bounds([part.bounds for part in edges])
    assert atoms is not None
    assert bounds is not None
    return TokenEdges(atoms, bounds)


def _join_multiwords(parts: Sequence[Corpus], joined: Joined) -> MultiWords | None:
    multiwords = complete([part.multiwords for part in parts])
    if multiwords is None:
        return None
    words = _before([part.token_count or 0 for part in parts])
    return MultiWords(
        np.concatenate([column.first + shift for column, shift in zip(multiwords, words, strict=True)]),
        np.concatenate([column.size for column in multiwords]),
        Tokens.concatenate([column.tokens for column in multiwords], joined),
        np.concatenate([column.lines + part.first_line for column, part in zip(multiwords, parts, strict=True)]),
    )


def _join_asides(parts: Sequence[Corpus], joined: Joined) -> NonTokenLines | None:
    asides = complete([part.asides for part in parts])
    if asides is None:
        return None
    words, sentences = _before([part.token_count or 0 for part in parts]), _before([part.sentences for part in parts])
    return NonTokenLines(
        np.concatenate([lines.word + shift for lines, shift in zip(asides, words, strict=True)]),
        np.concatenate([lines.sentence + shift for lines, shift in zip(asides, sentences, strict=True)]),
        Tokens.concatenate([lines.lines for lines in asides], joined),
    )


def _before(sizes: Sequence[int]) -> list[int]:
    return list(accumulate(sizes[:-1], initial=0))
