"""Layers and files for tests, and strategies that draw them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from evenhand.data.layers import Spans
from evenhand.data.vocabulary import Vocabulary
from evenhand.tasks.spans.matching import AllPairs, Pairs, SpanMatches
from evenhand.tasks.spans.measures import KINDS

Row = Sequence  # (label, first, last) or (label, first, last, tokens), inclusive and from 1, as in the papers


def layer(sentences: Sequence[Sequence[Row]], vocabulary: Vocabulary) -> Spans:
    """Spans as the papers write them, also those that cover nothing."""
    rows = []
    for sentence, spans in enumerate(sentences):
        for label, first, last, *tokens in spans:
            gaps = tuple(at - first for at in range(first, last + 1) if tokens and at not in tokens[0])
            shape = vocabulary.shapes.code(gaps)
            rows.append((sentence, first - 1, last, vocabulary.labels.code(label), shape))
    columns = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    return Spans.of(vocabulary, *columns[:4], shape=columns[4])


def pair(target: Sequence[Row], system: Sequence[Row]) -> tuple[Spans, Spans]:
    """The two sides of one sentence."""
    return pairs([target], [system])


def pairs(targets: Sequence[Sequence[Row]], systems: Sequence[Sequence[Row]]) -> tuple[Spans, Spans]:
    vocabulary = Vocabulary()
    return layer(targets, vocabulary), layer(systems, vocabulary)


def overlapping(gold: Spans, system: Spans) -> Pairs:
    """All pairs that share a token, which are few enough for one list."""
    (found,) = AllPairs(gold, system)
    return found


def counts(verdicts: SpanMatches) -> dict[str, int]:
    """How many verdicts of each kind there are, without those that do not occur."""
    return dict(Counter(KINDS[kind] for kind in verdicts.kind.tolist()))


def matches(verdicts: SpanMatches) -> list[tuple[int, int, str, int]]:
    """(gold row, system row, kind, step) of every unit."""
    columns = (verdicts.gold, verdicts.system, verdicts.kind, verdicts.step)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [(gold, system, KINDS[kind], step) for gold, system, kind, step in rows]


@st.composite
def rows(draw: st.DrawFn, labels: str = "ABC", length: int = 10, most: int = 7, gaps: bool = True) -> list[Row]:
    """Spans of one sentence: nested, crossing, repeated and discontinuous ones among them."""
    all_rows: list[Row] = []
    for _ in range(draw(st.integers(0, most))):
        label = draw(st.sampled_from(labels))
        first = draw(st.integers(1, length))
        last = draw(st.integers(first, min(first + 5, length)))
        if gaps and last - first >= 2 and draw(st.integers(0, 4)) == 0:
            inner = draw(st.sets(st.sampled_from(range(first + 1, last))))
            all_rows.append((label, first, last, sorted({first, last} | inner)))
        else:
            all_rows.append((label, first, last))
    return all_rows


@st.composite
def tagged(draw: st.DrawFn, labels: Sequence[str] = ("PER", "LOC")) -> tuple[list[int], list[tuple[str, int, int]]]:
    """Sentence lengths, and flat spans (label, start, end) in token positions of the text, each in one sentence."""
    lengths = draw(st.lists(st.integers(1, 7), min_size=1, max_size=5))
    spans, begin = [], 0
    for length in lengths:
        position = begin
        while position < begin + length:
            position += draw(st.integers(0, 3))
            size = draw(st.integers(1, 3))
            if position + size <= begin + length:
                spans.append((draw(st.sampled_from(list(labels))), position, position + size))
                position += size
            else:
                break
        begin += length
    return lengths, spans
