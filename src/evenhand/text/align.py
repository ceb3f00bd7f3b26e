"""Putting a system's spans on the gold standard's text.

Documents and sentences are always those of the gold standard; a system's span belongs where it begins. Gold and
system must have the same tokens; where one of them has none, its sentences must have the same lengths; where one of
them does not even have those (a span table), there must be equally many sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Ints
from evenhand.problems import InputError
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Spans
from evenhand.text.tokens import first_difference

_SAME_TOKENS = "both sides must have the same tokens in the same order"
_SAME_SENTENCES = "both sides must have the same sentences in the same order"


class Feed:
    """A system's batches, handed out in the portions of the gold standard's batches."""

    def __init__(self, batches: Iterator[Annotation], layer: str = "spans") -> None:
        self.reading: Reading | None = None
        self.breaks_differ = False
        self._batches = batches
        self._layer = layer
        self._rest: _Stretch | None = None

    def take(self, gold: Corpus) -> Spans:
        """The spans of the next portion, which must be the text `gold`, in its sentences."""
        need = _size(gold, by_token=gold.bounds is not None)
        stretch = self._rest
        while stretch is None or len(stretch) < need:
            batch = next(self._batches, None)
            if batch is None:
                raise _ends_early(gold, stretch)
            reading = batch.readings[self._layer]
            self.reading = self.reading.plus(reading) if self.reading else reading
            by_token = gold.bounds is not None and batch.corpus.bounds is not None
            need = _size(gold, by_token)
            stretch = _Stretch.join(stretch, _Stretch.of(batch, self._layer, by_token))
        mine, self._rest = stretch.cut(need)
        _check(gold, mine.corpus)
        if not mine.by_token:
            _check_ends(gold, mine)
            return mine.spans
        assert gold.bounds is not None
        assert mine.corpus.bounds is not None
        self.breaks_differ |= not np.array_equal(gold.bounds, mine.corpus.bounds)
        return _into_sentences(mine.spans, gold.bounds)

    def finish(self, gold: Corpus) -> None:
        """Raise an error if the system goes on where the gold standard has ended."""
        extra = self._rest.corpus if self._rest else None
        while extra is None or not extra.sentences:
            batch = next(self._batches, None)
            if batch is None:
                return
            extra = batch.corpus
        what = f"the token {extra.tokens[0]!r}" if extra.tokens else "another sentence"
        finding = f"found {what} behind the end of the gold standard {gold.source}"
        raise InputError(extra.source, extra.line(0), finding, _SAME_TOKENS if extra.tokens else _SAME_SENTENCES)


@dataclass(frozen=True)
class _Stretch:
    """A part of a system's text. By token, spans are counted from its first token, else in its own sentences."""

    corpus: Corpus
    spans: Spans
    by_token: bool

    def __len__(self) -> int:
        return _size(self.corpus, self.by_token)

    @staticmethod
    def of(batch: Annotation, layer: str, by_token: bool) -> _Stretch:
        spans, bounds = batch.spans(layer), batch.corpus.bounds
        if by_token and bounds is not None:
            first = bounds[spans.scope]
            spans = replace(spans, scope=np.zeros_like(first), start=spans.start + first, end=spans.end + first)
        return _Stretch(batch.corpus, spans, by_token)

    @staticmethod
    def join(left: _Stretch | None, right: _Stretch) -> _Stretch:
        if left is None or not left.corpus.sentences:
            return right
        spans, before = right.spans, len(left)
        if right.by_token:
            spans = replace(spans, start=spans.start + before, end=spans.end + before)
        joined = Spans.concatenate([left.spans, spans], [0, 0 if right.by_token else before])
        return _Stretch(Corpus.concatenate([left.corpus, right.corpus]), joined, right.by_token)

    def cut(self, size: int) -> tuple[_Stretch, _Stretch | None]:
        """The first `size` tokens (or sentences), and the rest if there is any."""
        if size == len(self):
            return self, None
        before, after = _cut(self.corpus, size, self.by_token)
        spans = self.spans
        place = spans.start if self.by_token else spans.scope
        mine, others = spans.take(np.flatnonzero(place < size)), spans.take(np.flatnonzero(place >= size))
        if self.by_token:
            others = replace(others, start=others.start - size, end=others.end - size)
        else:
            others = replace(others, scope=others.scope - size)
        return _Stretch(before, mine, self.by_token), _Stretch(after, others, self.by_token)


def _size(corpus: Corpus, by_token: bool) -> int:
    return corpus.token_count or 0 if by_token else corpus.sentences


def _cut(corpus: Corpus, size: int, by_token: bool) -> tuple[Corpus, Corpus]:
    """A system's text before and from a token or sentence on; its documents do not count and are dropped."""
    if corpus.bounds is None:
        return (
            Corpus(corpus.source, size, lines=corpus.lines[:size]),
            Corpus(corpus.source, corpus.sentences - size, lines=corpus.lines[size:]),
        )
    bounds, token = corpus.bounds, size if by_token else int(corpus.bounds[size])
    before = np.append(bounds[: np.searchsorted(bounds, token)], token)
    after = np.append(token, bounds[np.searchsorted(bounds, token, side="right") :]) - token
    first, second = slice(0, token), slice(token, int(bounds[-1]))
    return tuple(  # type: ignore[return-value]
        Corpus(
            corpus.source,
            len(part) - 1,
            part,
            corpus.tokens.slice(where.start, where.stop) if corpus.tokens else None,
            corpus.lines[where],
        )
        for part, where in ((before, first), (after, second))
    )


def _into_sentences(spans: Spans, bounds: Ints) -> Spans:
    """Spans counted from the first token of a text, in the sentences with these bounds."""
    sentence = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))[spans.start]
    first = bounds[sentence]
    return replace(spans, scope=sentence, start=spans.start - first, end=spans.end - first)


def _check(gold: Corpus, system: Corpus) -> None:
    """Raise an error at the first difference of two texts of the same size."""
    if gold.bounds is None or system.bounds is None:
        return
    if gold.tokens is not None and system.tokens is not None:
        place = first_difference(gold.tokens, system.tokens)
        if place is not None:
            finding = f"found the token {system.tokens[place]!r} where {_place(gold, place)} has {gold.tokens[place]!r}"
            raise InputError(system.source, system.line(place), finding, _SAME_TOKENS)
    elif not np.array_equal(gold.bounds, system.bounds):
        shared = min(len(gold.bounds), len(system.bounds))
        sentence = int((gold.bounds[:shared] != system.bounds[:shared]).argmax()) - 1
        lengths = [int(np.diff(each)[sentence]) for each in (gold.bounds, system.bounds)]
        place = int(gold.bounds[sentence])
        finding = f"this sentence has {lengths[1]} tokens where the one at {_place(gold, place)} has {lengths[0]}"
        raise InputError(system.source, system.line(place), finding, _SAME_SENTENCES)


def _check_ends(gold: Corpus, mine: _Stretch) -> None:
    """Raise an error if a span of a table reaches beyond its sentence, where the gold standard knows its length."""
    if gold.lengths is None:
        return
    beyond = np.flatnonzero(mine.spans.end > gold.lengths[mine.spans.scope])
    if len(beyond):
        sentence, end = int(mine.spans.scope[beyond[0]]), int(mine.spans.end[beyond[0]])
        finding = f"a span of this sentence ends at token {end}, but the sentence has {gold.lengths[sentence]} tokens"
        raise InputError(mine.corpus.source, mine.corpus.line(sentence), finding, _SAME_SENTENCES)


def _ends_early(gold: Corpus, stretch: _Stretch | None) -> InputError:
    """The error for a system that is too short; an earlier difference goes first."""
    if stretch is None:
        return InputError(gold.source, gold.line(0), "the system has ended before this line", _SAME_SENTENCES)
    system, have = stretch.corpus, len(stretch)
    if have:
        _check(_cut(gold, have, stretch.by_token)[0], system)
    line = system.line(len(system.lines) - 1)
    if gold.tokens is not None and stretch.by_token:
        what, remedy = f"the token {gold.tokens[have]!r}", _SAME_TOKENS
    else:
        what, remedy = "another sentence" if not stretch.by_token else "another token", _SAME_SENTENCES
    finding = f"the system ends here, but {_place(gold, have)} has {what}"
    return InputError(system.source, line, finding, remedy)


def _place(corpus: Corpus, index: int) -> str:
    line = corpus.line(index)
    return corpus.source if line is None else f"{corpus.source}:{line}"
