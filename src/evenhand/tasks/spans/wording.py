"""The words of many spans, from the bytes of their file: each different one is decoded once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from evenhand.arrays import Ints, ranges
from evenhand.tasks.places import Places
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Spans


def words_in_lower_case(batches: list[Annotation], spans: Spans, places: Places) -> list[str] | None:
    """The words of spans that follow each other batch by batch; None where a file has none."""
    if any(batch.corpus.tokens is None or batch.corpus.bounds is None for batch in batches):
        return None
    found, known = list[str](), dict[bytes, str]()
    first = np.cumsum([0, *(batch.corpus.sentences for batch in batches)])
    bounds = np.searchsorted(spans.scope, first).tolist()
    for (begin, behind), sentences, batch in zip(pairwise(bounds), first.tolist(), batches, strict=False):
        mine = slice(begin, behind)
        for raw in _written(batch.corpus, spans.scope[mine] - sentences, spans.start[mine], spans.end[mine]):
            if raw not in known:
                known[raw] = raw.decode().lower()
            found.append(known[raw])
    for row in np.flatnonzero(spans.shape).tolist():
        found[row] = words_without_gaps(spans, row, places).lower()
    return found


def words_without_gaps(spans: Spans, row: int, places: Places) -> str:
    """The words of a span without those that it leaves out."""
    (tokens,) = spans.take(slice(row, row + 1)).token_sets()
    scope = int(spans.scope[row])
    return " ".join(places.words(scope, token, token + 1) or "" for token in sorted(tokens))


def _written(corpus: Corpus, scope: Ints, start: Ints, end: Ints) -> Iterator[bytes]:
    """Tokens with blanks between them; or what the text has between the first and the last character."""
    tokens = corpus.tokens
    assert tokens is not None
    assert corpus.bounds is not None
    first, behind = corpus.bounds[scope] + start, corpus.bounds[scope] + end
    if corpus.atoms == "characters":
        data, edges = tokens.data, (tokens.start[first].tolist(), tokens.end[behind - 1].tolist())
    else:
        text, place = tokens.take(ranges(first, behind - first)).spaced()
        size = np.append(0, np.cumsum(behind - first))
        data, edges = text.tobytes(), (place[size[:-1]].tolist(), (place[size[1:]] - 1).tolist())
    return (data[one:other] for one, other in zip(*edges, strict=True))
