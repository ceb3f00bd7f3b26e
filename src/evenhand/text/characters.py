"""Characters as atoms: for files that count in characters, and for systems that tokenise in their own way.

The atoms of a text are then its characters without spaces, so that texts are equal whatever their tokens and spaces
are. Offsets in files count code points, or UTF-16 units where a tool does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, Words, ints, ranges
from evenhand.problems import InputError, SettingError
from evenhand.settings import Align, Offsets
from evenhand.text.annotation import Annotation
from evenhand.text.layers import Spans, Tags
from evenhand.text.tokens import PADDING, Characters, Tokens, masks

_WIDE_SPACES = ints([code for code in range(128, 0x3001) if chr(code).isspace()])
_BEGINS = bytes(byte < 0x80 or byte >= 0xC0 for byte in range(256))
"""Which bytes begin a character."""
_IS_ATOM = bytes(_BEGINS[byte] and not (byte < 0x80 and chr(byte).isspace()) for byte in range(256))
"""Which bytes begin a character that is no space, wide spaces aside."""
_MAYBE_WIDE = bytes(byte in {chr(code).encode()[0] for code in _WIDE_SPACES.tolist()} for byte in range(256))
"""Which bytes can begin a wide space."""
_ONE_EACH = np.uint64(0x0101010101010101)


@dataclass(frozen=True)
class Rank:
    """How many of the marked bytes stand before a place; marks are summed by eights, eight bytes as one number."""

    words: Words
    before: Ints

    @staticmethod
    def of(marks: Bools) -> Rank:
        padded = np.zeros((len(marks) // 8 + 1) * 8, dtype=np.uint8)
        padded[: len(marks)] = marks
        words = padded.view("<u8")
        return Rank(words, np.append(0, np.cumsum(_marks(words))))

    def __call__(self, place: Ints) -> Ints:
        word = place >> 3
        found: Ints = self.before[word] + _marks(self.words[word] & masks(place & 7))
        return found


def _marks(words: Words) -> Ints:
    """The sum of the eight bytes of each word."""
    return ((words * _ONE_EACH) >> np.uint64(56)).astype(np.int64)


@dataclass(frozen=True)
class Texts:
    """Several texts as atoms, and the way from their own offsets to them."""

    tokens: Tokens
    """One token a character that is no space."""
    bounds: Ints
    """Where each text begins, in atoms, with the end of the last one behind."""
    raw: Ints
    """Where each text begins in the bytes of `tokens`, with the end of the last one behind."""
    _atoms_before: Rank
    """For each byte of all texts, how many atoms stand before it."""
    _first: Ints
    """Where each text begins, in characters; one more entry at the end."""
    _byte_of: Ints | None
    """Where each character begins in the bytes; None where every character is one byte."""
    _units_before: Ints | None
    """For each character, how many UTF-16 units stand before it; None where units are characters."""

    @staticmethod
    def of(texts: Sequence[str], offsets: Offsets = "codepoints") -> Texts:
        data = "".join(texts).encode()
        begins = _atoms(data)
        first = np.append(0, np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))))
        raw, byte_of, units = first, None, None
        if not data.isascii():
            byte_of = np.append(np.flatnonzero(np.frombuffer(data.translate(_BEGINS), dtype=np.bool_)), len(data))
            text, raw = np.frombuffer(data, dtype=np.uint8), byte_of[first]
            if offsets == "utf16" and (text >= 0xF0).any():
                units = np.append(0, np.cumsum(1 + (text[byte_of[:-1]] >= 0xF0)))
        before = Rank.of(begins)
        return Texts(Characters(data + PADDING, begins), before(raw), raw, before, first, byte_of, units)

    def places(self, text: Ints, offset: Ints) -> Ints:
        """Offsets into texts as atoms, counted from the text's first one; -1 where there is no such offset."""
        first, behind = self._first[text], self._first[text + 1]
        if self._units_before is None:
            character = first + offset
        else:
            wanted = self._units_before[first] + offset
            character = np.searchsorted(self._units_before, wanted)
            at = np.minimum(character, len(self._units_before) - 1)
            character = np.where(self._units_before[at] == wanted, character, -1)
        outside = (offset < 0) | (character < first) | (character > behind)
        character = np.where(outside, 0, character)
        place = character if self._byte_of is None else self._byte_of[character]
        return np.where(outside, -1, self._atoms_before(place) - self.bounds[text])


def _atoms(data: bytes) -> Bools:
    """Which bytes of a text begin a character that is no space."""
    if data.isascii():
        text = np.frombuffer(data, dtype=np.uint8)
        plain: Bools = text > ord(" ")
        # Control characters that are no spaces are atoms, but rare.
        if np.count_nonzero(text < ord(" ")) == 0:
            return plain
    kept = np.frombuffer(data.translate(_IS_ATOM), dtype=np.bool_)
    if data.isascii():
        return kept
    text = np.frombuffer(data + PADDING, dtype=np.uint8)
    wide = np.flatnonzero(np.frombuffer(data.translate(_MAYBE_WIDE), dtype=np.bool_))
    code = _codes(text, wide)
    kept = kept.copy()
    kept[wide[np.isin(code, _WIDE_SPACES)]] = False
    return kept


def _codes(text: Bytes, start: Ints) -> Ints:
    """The code points of characters of two or three bytes."""
    lead, second, third = (text[start + at].astype(np.int64) for at in range(3))
    two = ((lead & 0x1F) << 6) | (second & 0x3F)
    return np.where(lead >= 0xE0, ((lead & 0x0F) << 12) | ((second & 0x3F) << 6) | (third & 0x3F), two)


def to_characters(annotation: Annotation) -> Annotation:
    """The same annotation with characters instead of tokens as atoms; its tags are left behind."""
    corpus = annotation.corpus
    if corpus.atoms == "characters":
        return annotation
    if corpus.tokens is None or corpus.bounds is None:
        finding = "there is no text in it, so that its positions cannot be counted in characters"
        raise InputError(corpus.source, None, finding, "give a file with tokens")
    tokens = corpus.tokens
    lengths = tokens.end - tokens.start
    data = np.frombuffer(tokens.data, dtype=np.uint8)[ranges(tokens.start, lengths)].tobytes()
    begins = _atoms(data)
    # For each token, how many atoms stand before it; one more entry at the end.
    before = Rank.of(begins)(np.append(0, np.cumsum(lengths)))
    layers: dict[str, Spans | Tags] = {
        name: _spans_to_characters(layer, before, corpus.bounds)
        for name, layer in annotation.layers.items()
        if isinstance(layer, Spans)
    }
    changed = replace(
        corpus,
        atoms="characters",
        bounds=before[corpus.bounds],
        tokens=Characters(data + PADDING, begins),
        raw=None,
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
        left_out = [at for gap in gaps for at in range(int(before[token + gap]), int(before[token + gap + 1]))]
        shape[row] = spans.vocabulary.shapes.code(tuple(at - int(start[row]) for at in left_out))
    return replace(spans, start=start - before[first], end=end - before[first], shape=shape)


def same_atoms(streams: Sequence[Iterator[Annotation]], align: Align) -> list[Iterator[Annotation]]:
    """All sides in tokens or, if the user asks for it or one of them has no tokens, all sides in characters."""
    firsts, streams = zip(*(peeked(stream) for stream in streams), strict=True)
    in_characters = any(first is not None and first.corpus.atoms == "characters" for first in firsts)
    if in_characters and align == "position":
        raise SettingError("Texts with offsets have no tokens to align by position; choose another --align.")
    if in_characters or align == "characters":
        return [map(to_characters, stream) for stream in streams]
    return list(streams)


def peeked(stream: Iterator[Annotation]) -> tuple[Annotation | None, Iterator[Annotation]]:
    """The first batch, and all of them."""
    first = next(stream, None)
    return first, stream if first is None else chain([first], stream)


def to_tokens(annotation: Annotation) -> tuple[Annotation, Ints]:
    """The same annotation with what stands between spaces as tokens, and the rows of spans that do not fit.

    A span that begins or ends inside such a token grows to cover it.
    """
    corpus = annotation.corpus
    if corpus.atoms == "tokens":
        return annotation, ints([])
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    characters, spans = corpus.tokens, annotation.spans()
    begins = np.ones(len(characters) + 1, dtype=np.bool_)
    begins[1:-1] = characters.start[1:] != characters.end[:-1]
    begins[corpus.bounds] = True
    token_of = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)[:-1]
    last = np.flatnonzero(begins)[1:] - 1
    scope_start = corpus.bounds[spans.scope]
    start, end = scope_start + spans.start, scope_start + spans.end
    shape, torn = _gaps_in_tokens(spans, token_of, start)
    misfits = np.flatnonzero(~begins[start] | ~begins[end] | torn)
    token_start = token_of[scope_start]
    layer = replace(
        spans,
        start=token_of[start] - token_start,
        end=token_of[end - 1] + 1 - token_start,
        shape=shape,
    )
    changed = replace(
        corpus,
        atoms="tokens",
        bounds=token_of[corpus.bounds],
        tokens=Tokens(characters.data, characters.start[first], characters.end[last]),
        lines=corpus.lines[first] if len(corpus.lines) == len(characters) else corpus.lines,
        raw=None,
    )
    return replace(annotation, corpus=changed, layers={"spans": layer}), misfits


def _gaps_in_tokens(spans: Spans, token_of: Ints, start: Ints) -> tuple[Ints, Bools]:
    """The codes of the tokens that spans leave out, and which spans leave out a part of a token (it then belongs)."""
    shape, torn = np.zeros(len(spans), dtype=np.int64), np.zeros(len(spans), dtype=np.bool_)
    for row in np.flatnonzero(spans.shape).tolist():
        gaps = spans.vocabulary.shapes[int(spans.shape[row])]
        tokens = token_of[int(start[row]) + np.arange(int(spans.end[row] - spans.start[row]))]
        left_out, inside = set(tokens[list(gaps)].tolist()), set(np.delete(tokens, list(gaps)).tolist())
        torn[row] = bool(left_out & inside)
        shape[row] = spans.vocabulary.shapes.code(tuple(sorted(t - int(tokens[0]) for t in left_out - inside)))
    return shape, torn
