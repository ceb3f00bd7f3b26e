"""The words of many spans in lower case, as they stand in the bytes of their file, all at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from evenhand.arrays import Bytes, Ints, ranges
from evenhand.tasks.places import Places
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Spans
from evenhand.text.tokens import PADDING, Tokens

_FIRST_WIDE = 0x80
"""The first byte that is not ASCII."""


def words_in_lower_case(batches: list[Annotation], spans: Spans, places: Places) -> Tokens | None:
    """The words of spans that follow each other batch by batch; None where a file has none."""
    if any(batch.corpus.tokens is None or batch.corpus.bounds is None for batch in batches):
        return None
    first = np.cumsum([0, *(batch.corpus.sentences for batch in batches)])
    bounds = np.searchsorted(spans.scope, first).tolist()
    found = []
    for (begin, behind), sentences, batch in zip(pairwise(bounds), first.tolist(), batches, strict=False):
        mine = slice(begin, behind)
        text, start, end = _written(batch.corpus, spans.scope[mine] - sentences, spans.start[mine], spans.end[mine])
        found.append(_lowered(text, start, end))
    words = Tokens.concatenate(found)
    rows = np.flatnonzero(spans.shape)
    whole = [words_without_gaps(spans, row, places).lower() for row in rows.tolist()]
    return _changed(words, rows, Tokens.of(whole))


def words_without_gaps(spans: Spans, row: int, places: Places) -> str:
    """The words of a span without those that it leaves out."""
    (tokens,) = spans.take(slice(row, row + 1)).token_sets()
    scope = int(spans.scope[row])
    return " ".join(places.words(scope, token, token + 1) or "" for token in sorted(tokens))


def _written(corpus: Corpus, scope: Ints, start: Ints, end: Ints) -> tuple[Bytes, Ints, Ints]:
    """Tokens with blanks between them, or what the text has between the first and the last character.

    These are bytes behind each other, and where those of each span begin and end.
    """
    tokens = corpus.tokens
    assert tokens is not None
    assert corpus.bounds is not None
    first, behind = corpus.bounds[scope] + start, corpus.bounds[scope] + end
    if corpus.atoms == "characters":
        text, edges = Tokens(tokens.data, tokens.start[first], tokens.end[behind - 1]).spaced()
        return text, edges[:-1], edges[1:] - 1
    text, place = tokens.take(ranges(first, behind - first)).spaced()
    size = np.append(0, np.cumsum(behind - first))
    return text, place[size[:-1]], place[size[1:]] - 1


def _lowered(text: Bytes, start: Ints, end: Ints) -> Tokens:
    """The same in lower case; letters that are not ASCII may have other lengths then, or depend on their neighbours."""
    text += ((text - np.uint8(ord("A"))) < 26).view(np.uint8) << np.uint8(5)
    words = Tokens(text.tobytes() + PADDING, start, end)
    rows = np.flatnonzero(np.maximum.reduceat(text, start) >= _FIRST_WIDE) if len(start) else start
    return _changed(words, rows, _lowered_together(words.take(rows)))


def _lowered_together(words: Tokens) -> Tokens:
    """The words in lower case. A NUL between them keeps letters apart that depend on their neighbours."""
    text, edges = words.spaced()
    text[edges[1:] - 1] = 0
    found = text.tobytes().decode().lower().encode()
    behind = np.flatnonzero(np.frombuffer(found, dtype=np.uint8) == 0)
    if len(behind) != len(words):  # there is one within words, too
        return Tokens.of([words[row].lower() for row in range(len(words))])
    return Tokens(found + PADDING, np.append(0, behind[:-1] + 1)[: len(words)], behind)


def _changed(words: Tokens, rows: Ints, others: Tokens) -> Tokens:
    """Words of which some are others."""
    if not len(rows):
        return words
    joined = Tokens.concatenate([words, others])
    start, end = joined.start[: len(words)], joined.end[: len(words)]
    start[rows], end[rows] = joined.start[len(words) :], joined.end[len(words) :]
    return Tokens(joined.data, start, end)
