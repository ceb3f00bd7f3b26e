"""Sentences or texts of a system by their ids, in the order of the gold standard's.

Where both sides have ids, these say what belongs together, whatever the order; `document_feed` finds them. What a
system lacks counts as empty. Where the two sides have no id in common, as two tools number texts in their own ways, the
order counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from evenhand.arrays import empty
from evenhand.dataclass import dataclass
from evenhand.text.annotation import Annotation, Layer, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.document_feed import DocumentFeed, Mismatches, Naming, Open, Piece
from evenhand.text.encodings import OUTSIDE_TAGS
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags
from evenhand.text.listed_tokens import ListedTokens, with_lists
from evenhand.text.tokens import PADDING, Tokens

_WIDE = 64
"""Up to how many bytes for each token what stands between them is kept."""


def _ids(corpus: Corpus) -> Tokens:
    """The id of each sentence, which is empty where it has none."""
    return Tokens.of([""] * corpus.sentences) if corpus.ids is None else corpus.ids


_NAMING = Naming(
    _ids, lambda corpus: True, may_repeat=True, remedy="give every record an id of its own, the same on both sides"
)


class IdFeed:
    """Hands out a system's text for each batch of the gold standard, put together from where it stands."""

    def __init__(self, stream: Iterator[Annotation], sides: tuple[Open, Open], layer: str) -> None:
        """`sides` open system and gold standard anew."""
        self.found = Mismatches()
        self._layer, self._source = layer, ""
        self._reading, self._unsaid = Reading(), Reading()
        self._documents = DocumentFeed(sides, _NAMING, self.found, self._receive, stream)

    def take(self, gold: Corpus) -> Annotation:
        """The text that has the ids of the gold standard's, with how it was read since the last time."""
        pieces = list(self._documents.pieces(_ids(gold)))
        if len(pieces) == 1 and isinstance(pieces[0], Piece) and pieces[0].size == pieces[0].batch.corpus.sentences:
            return replace(pieces[0].batch, readings={self._layer: self.reading()})
        parts, begin = list[TextPart](), 0
        for piece in pieces:
            parts.append(
                TextPart(cut_out(gold, begin, begin + 1)) if isinstance(piece, str) else part_of(piece, self._layer)
            )
            begin += parts[-1].corpus.sentences
        corpus = _joined([part.corpus for part in parts])
        if (np.asarray(corpus.lines) < 0).any():
            corpus = replace(corpus, lines=empty())
        layers: dict[str, Layer] = {self._layer: joined_spans(parts)}
        tags = _tags(parts)
        if tags is not None:
            layers["tags" if self._layer == "spans" else f"{self._layer}-tags"] = tags
        return Annotation(replace(corpus, source=self._source), layers, {self._layer: self.reading()}, self._source)

    def finish(self) -> None:
        self._documents.finish()

    def reading(self) -> Reading:
        """How the file was read since somebody asked."""
        unsaid = self._unsaid
        self._unsaid = replace(self._reading, repaired=0, first_repair=None, skipped={}, kept={})
        return unsaid

    def _receive(self, batch: Annotation) -> None:
        self._reading, self._source = batch.readings[self._layer], batch.corpus.source
        self._unsaid = self._reading.plus(self._unsaid)


@dataclass(frozen=True)
class TextPart:
    """Some sentences of a system, and what it has there; nothing where it lacks them."""

    corpus: Corpus
    spans: Spans | None = None
    tags: Tags | None = None


def part_of(piece: Piece, layer: str) -> TextPart:
    batch, end = piece.batch, piece.first + piece.size
    spans, tags, bounds = batch.spans(layer), batch.tags(layer), batch.corpus.bounds
    mine = spans.take(np.flatnonzero((spans.scope >= piece.first) & (spans.scope < end)))
    if tags is not None and bounds is not None:
        tags = tags.slice(*bounds[[piece.first, end]].tolist())
    return TextPart(cut_out(batch.corpus, piece.first, end), replace(mine, scope=mine.scope - piece.first), tags)


def cut_out(corpus: Corpus, first: int, last: int) -> Corpus:
    """Some sentences with the line of each, and only the bytes that their tokens take."""
    part = corpus.part(first, last)
    begins = np.arange(first, last) if corpus.bounds is None else corpus.bounds[first:last]
    edges = None if corpus.token_edges is None else corpus.token_edges.within(first, last)
    part = replace(part, lines=corpus.line_numbers(begins), first_line=0, multiwords=None, token_edges=edges)
    tokens = part.tokens
    if corpus.text_bounds is not None:
        return _with_texts(part, corpus, first, last)
    if isinstance(tokens, ListedTokens):
        tokens = tokens.alone(partial(_alone, tokens))
    elif tokens:
        tokens = _alone(tokens)
    return replace(part, tokens=tokens)


def _with_texts(part: Corpus, corpus: Corpus, first: int, last: int) -> Corpus:
    """Some sentences of a corpus with the bytes of their texts, spaces and all."""
    texts, tokens = corpus.text_bounds, part.tokens
    assert texts is not None
    assert tokens is not None
    begin, end = (texts if corpus.raw is None else corpus.raw)[[first, last]].tolist()
    low = int(np.searchsorted(texts, begin, side="right")) - 1
    high = max(low, int(np.searchsorted(texts, end)))  # of empty texts, several begin at the same byte
    begin, end = texts[[low, high]].tolist()
    alone = Tokens(tokens.data[begin:end] + PADDING, tokens.start - begin, tokens.end - begin)
    return replace(
        part,
        tokens=alone,
        raw=None if corpus.raw is None else corpus.raw[first : last + 1] - begin,
        texts=None if corpus.texts is None else corpus.texts[low : high + 1] - begin,
        spaced=None if corpus.spaced is None else corpus.spaced[first : last + 1] - begin,
    )


def _joined(parts: Sequence[Corpus]) -> Corpus:
    corpus = Corpus.concatenate(parts)
    if corpus.tokens is None or corpus.bounds is None:
        return corpus
    return replace(corpus, tokens=with_lists(corpus.tokens, [part.tokens for part in parts], corpus.bounds))


def _alone(tokens: Tokens) -> Tokens:
    """The same tokens in the bytes that they take, with what stands between them where that is not much."""
    start, end = tokens.start, tokens.end
    first, last = int(start[0]), int(end[-1])
    if last - first > _WIDE * len(start) or (start[1:] < end[:-1]).any():
        # Tokens that were escaped stand behind all others of their block.
        text, edges = tokens.spaced()
        return Tokens(text.tobytes() + PADDING, edges[:-1], edges[1:] - 1)
    return Tokens(tokens.data[first:last] + PADDING, start - first, end - first)


def joined_spans(parts: Sequence[TextPart]) -> Spans:
    first = np.cumsum([0, *(part.corpus.sentences for part in parts)]).tolist()
    some = [(part.spans, begin) for part, begin in zip(parts, first, strict=False) if part.spans is not None]
    if not some:
        return Spans.of(Vocabulary(), empty(), empty(), empty(), empty())
    return Spans.concatenate([spans for spans, _ in some], [begin for _, begin in some])


def _tags(parts: Sequence[TextPart]) -> Tags | None:
    """The tags of all parts, where the system has some; a reader's table of tags only grows."""
    known = [part.tags for part in parts if part.tags is not None]
    if not known or len(known) < sum(part.spans is not None for part in parts):
        return None
    names = max((tags.names for tags in known), key=len)
    outside = next((code for code, name in enumerate(names) if name in OUTSIDE_TAGS), len(names))
    names = names if outside < len(names) else (*names, "O")
    codes = [np.full(part.corpus.token_count or 0, outside) if part.tags is None else part.tags.code for part in parts]
    return Tags(np.concatenate(codes), names)
