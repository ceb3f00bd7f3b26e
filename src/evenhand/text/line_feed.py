"""Putting a system's spans on the gold standard's lines, where either text may lack some or be spelled otherwise.

Lines are aligned in their order. Two are the same if their letters and digits are, whatever their case. A gold line
that is not the next line of the system is missing there, and the system's line waits for a later one. Lines that are
left over at the end of a file are extra. Positions count the characters of the line on each side, so that a space for
another character moves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints, empty
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.document_feed import Mismatches
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans


class LineFeed(Feed):
    """A system's lines, handed out in the batches of the gold standard."""

    def __init__(self, batches: Iterator[Annotation], layer: str = "spans") -> None:
        super().__init__(batches, layer)
        self._found = Mismatches()
        self._gold_file: str | None = None
        self._gold_lines = 0
        self._batch: Annotation | None = None
        self._after = next(batches, None)
        self._begin = 0
        """The first line of the batch that no gold line is aligned with."""
        self._load()

    def take(self, gold: Corpus) -> Spans:
        """The spans of the gold standard's lines."""
        if self._gold_file not in (None, gold.source) and self._after is not None:
            self._end_file()
        self._gold_file = gold.source
        if self._batch is not None and not self._begin and _are_equal(gold, self._batch.corpus):
            self._begin, self._gold_lines = gold.sentences, self._gold_lines + gold.sentences
            return self._batch.spans(self._layer)
        wanted, parts, first, missing = _lines(gold), list[Spans](), 0, np.ones(gold.sentences, dtype=np.bool_)
        while self._batch is not None:
            lines = _lines(self._batch.corpus)
            place = _aligned(wanted, first, lines, self._begin)
            met = np.flatnonzero(place >= 0)
            missing[place[met]] = False
            parts.append(self._moved(self._batch.spans(self._layer), place, wanted, lines))
            if len(met):
                self._begin, first = int(met[-1]) + 1, int(place[met[-1]]) + 1
            if self._begin < len(lines) or not self._goes_on:
                break
            self._load()
        self._found.missing += [str(self._gold_lines + line + 1) for line in np.flatnonzero(missing).tolist()]
        self._gold_lines += gold.sentences
        return Spans.concatenate(parts, [0] * len(parts)) if parts else _no_spans()

    def finish(self, gold: Corpus) -> None:
        """At the end, lines that are left are extra."""
        while self._batch is not None:
            self._leave()

    @property
    def mismatches(self) -> Mismatches:
        return self._found

    @property
    def _goes_on(self) -> bool:
        """Whether the next batch belongs to the same file."""
        batch, after = self._batch, self._after
        return batch is not None and after is not None and after.corpus.source == batch.corpus.source

    def _load(self) -> None:
        self._batch, self._after, self._begin = self._after, next(self._batches, None), 0
        if self._batch is not None:
            reading = self._batch.readings[self._layer]
            self.reading = self.reading.plus(reading) if self.reading else reading

    def _leave(self) -> None:
        """Go on with the next batch; what is left of this one is extra."""
        assert self._batch is not None
        self._found.extra += [str(line + 1) for line in range(self._begin, self._batch.corpus.sentences)]
        self._load()

    def _end_file(self) -> None:
        while self._goes_on:
            self._leave()
        self._leave()

    def _moved(self, spans: Spans, place: Ints, wanted: list[str], lines: list[str]) -> Spans:
        """Spans of lines in the gold lines that these are, which `place` has; others are left out."""
        spans = spans.take(np.flatnonzero(place[spans.scope] >= 0)) if len(spans) else spans
        here = np.flatnonzero(place >= 0).tolist()
        texts = {line: (wanted[int(place[line])], lines[line]) for line in here}
        texts = {line: both for line, both in texts.items() if both[0] != both[1]}
        self._found.words += len(texts)
        return replace(_respelled(spans, texts), scope=place[spans.scope])


def _are_equal(gold: Corpus, system: Corpus) -> bool:
    """Whether two texts have the same lines, to the last byte."""
    if gold.tokens is None or system.tokens is None or gold.raw is None or system.raw is None:
        return False
    return np.array_equal(gold.raw, system.raw) and gold.tokens.data == system.tokens.data


def _no_spans() -> Spans:
    return Spans.of(Vocabulary(), empty(), empty(), empty(), empty())


def _lines(corpus: Corpus) -> list[str]:
    """The lines of a text, without spaces at their ends."""
    return [corpus.text(line).rstrip() for line in range(corpus.sentences)]


def _aligned(wanted: list[str], first: int, lines: list[str], begin: int) -> Ints:
    """For each line of a system, the gold line that it is, -1 for none; from these lines on."""
    place, line = np.full(len(lines), -1), begin
    for number in range(first, len(wanted)):
        if line == len(lines):
            break
        if wanted[number] == lines[line] or _plain(wanted[number]) == _plain(lines[line]):
            place[line] = number
            line += 1
    return place


def _plain(line: str) -> str:
    """The letters and digits of a line."""
    return "".join(filter(str.isalnum, line)).lower()


def _respelled(spans: Spans, texts: dict[int, tuple[str, str]]) -> Spans:
    """Spans with positions in the gold standard's spelling; `texts` are both spellings of lines that differ."""
    rows = np.flatnonzero(np.isin(spans.scope, list(texts)))
    if not len(rows):
        return spans
    start, end, shape = spans.start.copy(), spans.end.copy(), spans.shape.copy()
    for row, tokens in zip(rows.tolist(), spans.take(rows).token_sets(), strict=True):
        gold, own = texts[int(spans.scope[row])]
        offsets = [at for at, character in enumerate(own) if not character.isspace()]
        places = sorted({_atom(gold, offsets[token]) for token in tokens})
        start[row], end[row] = places[0], places[-1] + 1
        gaps = set(range(places[0], places[-1])).difference(places)
        shape[row] = spans.vocabulary.shapes.code(tuple(sorted(gap - places[0] for gap in gaps)))
    return replace(spans, start=start, end=end, shape=shape)


def _atom(text: str, offset: int) -> int:
    """How many characters that are no spaces stand before an offset; behind the text, all characters count."""
    return sum(not character.isspace() for character in text[:offset]) + max(0, offset - len(text))
