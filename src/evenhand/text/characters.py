"""Characters as atoms: for files that count in characters, and for systems that tokenise in their own way.

The atoms of a text are then its characters without spaces, so that texts are equal whatever their tokens and spaces
are. Offsets in files count code points, or UTF-16 units where a tool does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, ints, ranges
from evenhand.problems import InputError
from evenhand.settings import Offsets
from evenhand.text.annotation import Annotation
from evenhand.text.layers import Spans, Tags
from evenhand.text.tokens import PADDING, Tokens

_ASCII_SPACES = np.array([chr(byte).isspace() and byte < 128 for byte in range(256)])
_WIDE_SPACES = ints([code for code in range(128, 0x3001) if chr(code).isspace()])


@dataclass(frozen=True)
class Texts:
    """Several texts as atoms, and the way from their own offsets to them."""

    tokens: Tokens
    """One token a character that is no space."""
    bounds: Ints
    """Where each text begins, in atoms, with the end of the last one behind."""
    raw: Ints
    """Where each text begins in the bytes of `tokens`, with the end of the last one behind."""
    _atoms_before: Ints
    """For each character of all texts, how many atoms stand before it; one more entry at the end."""
    _first: Ints
    """Where each text begins, in characters; one more entry at the end."""
    _units_before: Ints | None
    """For each character, how many UTF-16 units stand before it; None where units are characters."""

    @staticmethod
    def of(texts: Sequence[str], offsets: Offsets = "codepoints") -> Texts:
        data = "".join(texts).encode()
        text = np.frombuffer(data, dtype=np.uint8)
        start = np.flatnonzero((text & 0xC0) != 0x80)
        kept = ~_spaces(np.append(text, np.zeros(2, dtype=np.uint8)), start)
        end = np.append(start[1:], len(data))[: len(start)]
        first = np.append(0, np.cumsum([len(each) for each in texts], dtype=np.int64))
        before = np.append(0, np.cumsum(kept))
        units = None
        if offsets == "utf16" and (text >= 0xF0).any():
            units = np.append(0, np.cumsum(1 + (text[start] >= 0xF0)))
        raw = np.append(start, len(data))[first]
        return Texts(Tokens(data + PADDING, start[kept], end[kept]), before[first], raw, before, first, units)

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
        found = self._atoms_before[np.where(outside, 0, character)] - self.bounds[text]
        return np.where(outside, -1, found)


def _spaces(text: Bytes, start: Ints) -> Bools:
    """Which characters are spaces, given where each begins in the bytes."""
    found: Bools = _ASCII_SPACES[text[start]]
    wide = np.flatnonzero((text[start] >= 0xC2) & (text[start] < 0xF0))
    lead = text[start[wide]].astype(np.int64)
    second = text[start[wide] + 1].astype(np.int64) & 0x3F
    last = start[wide] + 1 + (lead >= 0xE0)
    third = text[last].astype(np.int64) & 0x3F
    code = np.where(lead >= 0xE0, ((lead & 0x0F) << 12) | (second << 6) | third, ((lead & 0x1F) << 6) | second)
    found[wide[np.isin(code, _WIDE_SPACES)]] = True
    return found


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
    data = np.frombuffer(tokens.data, dtype=np.uint8)[ranges(tokens.start, lengths)]
    start = np.flatnonzero((data & 0xC0) != 0x80)
    end = np.append(start[1:], len(data))[: len(start)]
    kept = ~_spaces(np.append(data, np.zeros(2, dtype=np.uint8)), start)
    atoms_before_byte = np.zeros(len(data) + 1, dtype=np.int64)
    atoms_before_byte[start + 1] = kept
    # For each token, how many atoms stand before it; one more entry at the end.
    before = np.cumsum(atoms_before_byte)[np.append(0, np.cumsum(lengths))]
    layers: dict[str, Spans | Tags] = {
        name: _spans_to_characters(layer, before, corpus.bounds)
        for name, layer in annotation.layers.items()
        if isinstance(layer, Spans)
    }
    changed = replace(
        corpus,
        atoms="characters",
        bounds=before[corpus.bounds],
        tokens=Tokens(data.tobytes() + PADDING, start[kept], end[kept]),
        raw=None,
        lines=np.repeat(corpus.lines, np.diff(before)) if len(corpus.lines) else corpus.lines,
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
        lines=corpus.lines[first] if len(corpus.lines) else corpus.lines,
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
