"""Characters as atoms, for files with character offsets and for systems with their own tokenisation.

The atoms of a text are its characters without spaces, so texts are compared regardless of tokens and spaces. Offsets in
files count code points, UTF-16 units or bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from evenhand.arrays import BitRank, Bools, Ints, bit_positions, bits_where, empty, ints
from evenhand.data.annotation import Annotation, Layer
from evenhand.data.corpus import Corpus, TokenEdges
from evenhand.data.layers import Spans
from evenhand.data.structures import Relations
from evenhand.data.tokens import PADDING, Characters, Tokens, atoms, continues_character, is_ascii
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError
from evenhand.settings import Align


@dataclass(frozen=True)
class Texts:
    """Several texts as atoms, with the conversion of their offsets to atoms."""

    tokens: Characters
    """One token per character that is not a space."""
    bounds: Ints
    """The first atom of each text, and the end."""
    _atoms_before: BitRank
    """Number of atoms before each byte of the data."""
    _first_atom: Ints
    """Number of atoms before each text in the data."""
    _first: Ints
    """The first character of each text in the data."""
    _end: Ints
    _continued: Ints | None
    """For each byte that continues a character, the number of characters before it; None if all have one byte."""
    _units_before: Ints | None
    """Number of units (UTF-16 or bytes) before each character; None if units are characters."""

    @staticmethod
    def of(texts: Sequence[str], offsets: str = "codepoints") -> Texts:
        encoded = [text.encode() for text in texts]
        end = np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)))
        start = np.append(0, end[:-1])[: len(end)]
        return Texts.within(b"".join([*encoded, PADDING]), start, end, offsets)

    @staticmethod
    def within(data: bytes, start: Ints, end: Ints, offsets: str = "codepoints", *, has_controls: bool = True) -> Texts:
        """Return the texts in UTF-8 data from bytes `start` to `end`; the data ends with `PADDING`.

        `has_controls` is whether it may contain control characters other than line ends.
        """
        text = np.frombuffer(data, dtype=np.uint8)[: -len(PADDING)]
        before = BitRank.of(atoms(text, has_controls=has_controls))
        first_atom = before(start)
        bounds = np.append(0, np.cumsum(before(end) - first_atom))
        first, stop, continued, units = start, end, None, None
        if not is_ascii(text):
            more = bit_positions(bits_where(text, continues_character))
            first, stop = (offset - np.searchsorted(more, offset) for offset in (start, end))
            continued = more - np.arange(len(more))
            if offsets == "utf16" and (text >= 0xF0).any():
                units = np.append(0, np.cumsum(1 + (np.delete(text, more) >= 0xF0)))
            elif offsets == "bytes":
                units = np.flatnonzero(np.append(~continues_character(text), True))
        tokens = Characters.within(data, start, end)
        return Texts(tokens, bounds, before, first_atom, first, stop, continued, units)

    @property
    def raw(self) -> Ints:
        """The offset of each text in the bytes of `tokens`, and the end."""
        return self.tokens.edges

    def corpus(self, source: str, lines: Ints | None = None, first_line: int = 0) -> Corpus:
        """Return a corpus in which each text is a document, optionally with the line of each."""
        return Corpus(
            source,
            len(self.bounds) - 1,
            self.bounds,
            self.tokens,
            empty() if lines is None else lines,
            first_line,
            "characters",
            raw=self.raw,
            documents=np.arange(len(self.bounds) - 1),
        )

    def corpora(self, sources: Sequence[str]) -> Iterator[Corpus]:
        """Yield one corpus per text, each of which is a file."""
        (data, start, end), *_ = self.tokens.parts
        bounds, raw = (np.stack([np.zeros_like(start), size], axis=1) for size in (np.diff(self.bounds), end - start))
        for row, source in enumerate(sources):
            tokens = Characters.within(data, start[row : row + 1], end[row : row + 1])
            yield Corpus(source, 1, bounds[row], tokens, atoms="characters", raw=raw[row], is_file=True)

    def positions(self, text: Ints, offset: Ints) -> Ints:
        """Convert offsets into texts to atoms, counted from the text's first one; -1 for offsets outside the text."""
        return self.atoms_before(text, self.bytes_before(text, offset))

    def bytes_before(self, text: Ints, offset: Ints) -> Ints:
        """Convert offsets into texts to bytes of the data; -1 for offsets outside the text."""
        first = self._first[text]
        if self._units_before is None:
            character = first + offset
        else:
            unit = self._units_before[first] + offset
            character = np.searchsorted(self._units_before, unit)
            index = np.minimum(character, len(self._units_before) - 1)
            character = np.where(self._units_before[index] == unit, character, -1)
        outside = (character < first) | (character > self._end[text])
        if outside.any():
            character = np.where(outside, first, character)
        if self._continued is not None:
            character = character + np.searchsorted(self._continued, character, side="right")
        character[outside] = -1
        return character

    def atoms_before(self, text: Ints, byte: Ints) -> Ints:
        """Return the number of atoms of a text before each byte of the data; -1 for the byte -1."""
        atoms: Ints = self._atoms_before(byte) - self._first_atom[text]
        atoms[byte < 0] = -1
        return atoms


def to_characters(annotation: Annotation) -> Annotation:
    """Return the annotation with characters instead of tokens as atoms, without its tags."""
    corpus = annotation.corpus
    if corpus.atoms == "characters" or annotation.extractions is not None:
        return annotation
    if corpus.tokens is None or corpus.bounds is None:
        finding = "it contains no text, so its positions cannot be counted in characters"
        raise InputError(corpus.source, None, finding, "use a file with tokens")
    tokens, spaced = corpus.tokens, None
    if not corpus.has_input_text:
        # The text for display has blanks between tokens, which are not atoms.
        text, edges = tokens.spaced()
        spaced = edges[corpus.bounds]
    else:
        # A text has only spaces between tokens.
        text = np.frombuffer(tokens.data, dtype=np.uint8)[: tokens.size]
        edges = np.append(tokens.start, tokens.size)
    # The number of atoms before each token, and in total.
    before = BitRank.of(atoms(text))(edges)
    layers: dict[str, Layer] = {
        name: _spans_to_characters(layer, before, corpus.bounds) if isinstance(layer, Spans) else layer
        for name, layer in annotation.layers.items()
        if isinstance(layer, Spans | Relations)
    }
    changed = replace(
        corpus,
        atoms="characters",
        bounds=before[corpus.bounds],
        tokens=Characters.within(text.tobytes(), ints([0]), ints([len(text)])),
        spaced=spaced,
        token_edges=TokenEdges(before, corpus.bounds),
        lines=np.repeat(corpus.lines, np.diff(before)) if len(corpus.lines) == len(tokens) else corpus.lines,
    )
    return replace(annotation, corpus=changed, layers=layers)


def _spans_to_characters(spans: Spans, before: Ints, bounds: Ints) -> Spans:
    first = bounds[spans.scope]
    start, end = before[first + spans.start], before[first + spans.end]
    shape = spans.shape.copy()
    for row in np.flatnonzero(spans.shape).tolist():
        token = int(first[row] + spans.start[row])
        gaps = spans.vocabulary.shapes[int(spans.shape[row])]
        left_out = [atom for gap in gaps for atom in range(int(before[token + gap]), int(before[token + gap + 1]))]
        shape[row] = spans.vocabulary.shapes.code(tuple(atom - int(start[row]) for atom in left_out))
    return replace(spans, start=start - before[first], end=end - before[first], shape=shape)


def same_atoms(streams: Sequence[Iterator[Annotation]], align: Align) -> list[Iterator[Annotation]]:
    """Convert all sides to characters if the user requests it or one side has no tokens."""
    firsts, streams = zip(*(peek(stream) for stream in streams), strict=True)
    in_characters = any(first is not None and first.corpus.atoms == "characters" for first in firsts)
    if in_characters and align == "position":
        raise SettingError("Texts with offsets have no tokens to align by position; choose another --align.")
    if in_characters or align == "characters":
        return [map(to_characters, stream) for stream in streams]
    return list(streams)


def peek(stream: Iterator[Annotation]) -> tuple[Annotation | None, Iterator[Annotation]]:
    """Return the first batch and an iterator over all batches."""
    first = next(stream, None)
    return first, stream if first is None else chain([first], stream)


def to_tokens(annotation: Annotation, layer: str = "spans") -> tuple[Annotation, Ints]:
    """Return the annotation with tokens separated by spaces, and the rows of spans that do not fit these.

    A span that begins or ends inside a token is expanded to cover it.
    """
    corpus = annotation.corpus
    if corpus.atoms == "tokens":
        return annotation, ints([])
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    characters, spans = corpus.tokens, annotation.spans(layer)
    begins = np.ones(len(characters) + 1, dtype=np.bool_)
    begins[1:-1] = characters.start[1:] != characters.end[:-1]
    begins[corpus.bounds] = True
    token_of = np.cumsum(begins) - 1
    first, last = np.flatnonzero(begins)[:-1], np.flatnonzero(begins)[1:] - 1
    scope_start = corpus.bounds[spans.scope]
    start, end = scope_start + spans.start, scope_start + spans.end
    shape, torn = _gaps_in_tokens(spans, token_of, start)
    misfits = np.flatnonzero(~begins[start] | ~begins[end] | torn)
    token_start = token_of[scope_start]
    moved = {"start": token_of[start] - token_start, "end": token_of[end - 1] + 1 - token_start}
    changed = replace(
        corpus,
        atoms="tokens",
        bounds=token_of[corpus.bounds],
        tokens=Tokens(characters.data, characters.start[first], characters.end[last]),
        lines=corpus.lines[first] if len(corpus.lines) == len(characters) else corpus.lines,
        raw=None,
        texts=None,
        spaced=None,
        token_edges=None,
    )
    return replace(annotation, corpus=changed, layers={layer: replace(spans, **moved, shape=shape)}), misfits


def _gaps_in_tokens(spans: Spans, token_of: Ints, start: Ints) -> tuple[Ints, Bools]:
    """Return the codes of the tokens that spans leave out, and which spans leave out a part of a token (it is kept)."""
    shape, torn = np.zeros(len(spans), dtype=np.int64), np.zeros(len(spans), dtype=np.bool_)
    for row in np.flatnonzero(spans.shape).tolist():
        gaps = spans.vocabulary.shapes[int(spans.shape[row])]
        tokens = token_of[int(start[row]) + np.arange(int(spans.end[row] - spans.start[row]))]
        left_out, inside = set(tokens[list(gaps)].tolist()), set(np.delete(tokens, list(gaps)).tolist())
        torn[row] = bool(left_out & inside)
        shape[row] = spans.vocabulary.shapes.code(tuple(sorted(t - int(tokens[0]) for t in left_out - inside)))
    return shape, torn
