"""Align a system's spans with the gold standard's text.

Documents and sentences are always the gold standard's; a system's span belongs to the sentence in which it begins. Both
sides must have the same tokens, or the same characters if these are the atoms. If one side has no tokens, or tokens are
aligned by position, sentences must have the same lengths. With a span table, which has no lengths, the number of
sentences must be the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from evenhand.alignment.documents import (
    GOLD_AND_PREDICTION,
    AlignmentIssues,
    SentencesById,
    SideNames,
    other_length,
    other_number,
    shorter,
)
from evenhand.alignment.parts import Batches, Follower, first_sentences
from evenhand.arrays import Bools, Ints, empty
from evenhand.data.annotation import Annotation, tags_layer
from evenhand.data.corpus import Corpus, complete, join_columns
from evenhand.data.layers import Spans, Tags
from evenhand.data.tokens import Tokens, first_difference, have_same_codes, have_same_lists
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, counted

SAME_TOKENS = (
    "both sides must have the same tokens in the same order, unless you choose --align position (other spellings) or "
    "--align characters (other tokens of the same text)"
)
SAME_TEXT = "both sides must have the same text, spaces aside"
SAME_SENTENCES = "both sides must have the same sentences in the same order"


@dataclass(frozen=True)
class AlignedSpans:
    """What a system has in a part of the gold standard, in the gold standard's sentences."""

    spans: Spans
    tags: Tags | None = None
    """Its tags, if its file has one per token."""
    encoding: str | None = None
    """The encoding of its tags."""
    texts: Sequence[Corpus] | None = None
    """The batches of the gold standard in the text of the system, if only the system has a text."""
    answers: Any = None
    """The strings of a language model (`tasks.spans.grounding`)."""


def check_tokens(gold: Corpus, system: Corpus, first: int = 0, begin: int = 0, size: int | None = None) -> None:
    """Raise an error at the first token of the system, from `begin`, that differs from the gold token, from `first`."""
    if gold.tokens is None or system.tokens is None:
        return
    size = len(system.tokens) if size is None else size
    gold_tokens, tokens = gold.tokens.slice(first, first + size), system.tokens.slice(begin, begin + size)
    if have_same_codes(gold_tokens, tokens) or have_same_lists(gold_tokens, tokens):
        return
    index = first_difference(gold_tokens, tokens)
    if index is None:
        return
    location = gold.location(first + index)
    if gold.atoms == "characters":
        finding = f"found the text {_around(tokens, index)!r} where {location} has {_around(gold_tokens, index)!r}"
    else:
        finding = f"found the token {tokens[index]!r} where {location} has {gold_tokens[index]!r}"
    raise InputError(system.source, system.line(begin + index), finding, remedy_for(gold), "text")


def _around(characters: Tokens, index: int, width: int = 10) -> str:
    """Return the characters before and after an index, including spaces."""
    first, last = max(index - width, 0), min(index + width, len(characters)) - 1
    return characters.data[characters.start[first] : characters.end[last]].decode()


def remedy_for(corpus: Corpus, *, by_position: bool = False) -> str:
    """Return what both sides must have in common."""
    if corpus.tokens is None or by_position:
        return SAME_SENTENCES
    remedy = SAME_TEXT if corpus.atoms == "characters" else SAME_TOKENS
    return f"{remedy}; {corpus.advice}" if corpus.advice else remedy


class SpanFollower(Follower):
    """Reads a system with the same tokens (or characters, or sentences) as the gold standard."""

    def __init__(
        self,
        batches: Iterator[Annotation],
        layer: str = "spans",
        *,
        by_position: bool = False,
        keeps_tags: bool = True,
        sides: SideNames = GOLD_AND_PREDICTION,
        by_id: SentencesById | None = None,
    ) -> None:
        """With `by_position`, tokens may differ, but sentences must have the same lengths.

        `sides` are the names of the two sides in messages. `by_id` has put the batches into the order of the gold
        standard.
        """
        self._batches, self._layer, self._by_position, self._sides = batches, layer, by_position, sides
        self._by_id, self.issues = by_id, None if by_id is None else by_id.issues
        self._layers = (layer, tags_layer(layer)) if keeps_tags else (layer,)
        self._waiting: list[Annotation] = []
        """What was read, but not taken yet."""
        self._last: Annotation | None = None
        self._compared = 0
        """Number of tokens of the waiting text that were compared with the gold standard's."""
        self._by_token = True
        """Whether tokens are counted; else sentences, because one side has no tokens."""
        self._before: tuple[str, int] | None = None
        """The source of the gold standard's last batch that was taken, and its number of sentences."""
        self._unit = "tokens"
        """What its file has for each token, in messages."""

    def follow(self, gold: Batches, *, is_last: bool) -> Bools | None:
        if self._last is None and not self._read():  # a reader yields at least one batch: an annotation without any
            raise InputError(self._sides.here, None, "it is empty", SAME_SENTENCES)
        corpora = [batch.corpus for batch in gold]
        assert self._last is not None
        self._by_token = corpora[0].bounds is not None and self._last.corpus.bounds is not None
        need = sum(map(self._size, corpora))
        while self._read_size < need and self._read():
            pass
        has = self._read_size
        self._compare(corpora, is_complete=has >= need)
        if has < need:
            raise self._ends_early(corpora, has)
        if is_last and (has > need or self._read()):
            raise self._continues(corpora[-1].source, corpora[-1].sentences, need)
        if not self._by_token:
            return None
        ends, own_ends = _sentence_ends(corpora), self._ends
        if np.array_equal(ends, own_ends[: len(ends)]):
            return None
        own_edges = np.append(0, own_ends)
        ends_here: Bools = own_edges[np.searchsorted(own_edges, ends).clip(max=len(own_ends))] == ends
        return ends_here

    def take(self, gold: Batches) -> AlignedSpans:
        corpora = [batch.corpus for batch in gold]
        size = sum(map(self._size, corpora))
        pieces = self._taken(size, sum(corpus.sentences for corpus in corpora))
        self._compared -= size
        self._before = corpora[-1].source, corpora[-1].sentences
        tags = complete([piece.tags(self._layer) for piece in pieces]) if len(self._layers) > 1 else None
        spans = Spans.of(Vocabulary(), *[empty()] * 4)
        if pieces:
            spans = Spans.concatenate([piece.spans(self._layer) for piece in pieces], first_sentences(pieces))
        if self._by_token:
            spans = self._in_gold_sentences(spans, corpora, [piece.corpus for piece in pieces])
        else:
            _check_span_ends(corpora, [piece.corpus for piece in pieces], spans)
        texts = _gold_in_text(corpora, [piece.corpus for piece in pieces])
        encoding = None if self.reading is None else self.reading.encoding
        return AlignedSpans(spans, Tags.concatenate(tags) if tags else None, encoding, texts)

    def finish(self) -> None:
        if self._before is not None and (self._read_size or self._read()):
            raise self._continues(*self._before, 0)
        if self._by_id is not None and self.reading is not None:
            self._by_id.finish()
            self.reading = self._by_id.reading

    def _in_gold_sentences(self, spans: Spans, gold: Sequence[Corpus], system: Sequence[Corpus]) -> Spans:
        """Spans in the sentences of the gold standard in which they begin."""
        bounds, own = (np.append(0, _sentence_ends(corpora)) for corpora in (gold, system))
        if np.array_equal(bounds, own):
            return spans
        self.breaks_differ = True
        whole = spans.in_text(own)
        return whole.in_scopes(np.searchsorted(bounds, whole.start, side="right") - 1, bounds)

    def _read(self) -> bool:
        batch = next(self._batches, None)
        if batch is None:
            return False
        reading = batch.readings[self._layer]
        self.reading = self.reading.plus(reading) if self.reading else reading
        batch.spans(self._layer)  # raises an error if there are none
        self._unit = "tokens" if batch.tags(self._layer) is None else "tags"
        self._last = replace(batch, layers={name: batch[name] for name in self._layers if name in batch})
        self._waiting.append(self._last)
        return True

    def _size(self, corpus: Corpus) -> int:
        return corpus.token_count or 0 if self._by_token else corpus.sentences

    @property
    def _read_size(self) -> int:
        return sum(self._size(batch.corpus) for batch in self._waiting)

    @property
    def _ends(self) -> Ints:
        return _sentence_ends([batch.corpus for batch in self._waiting])

    def _taken(self, size: int, sentences: int) -> list[Annotation]:
        """Whole sentences of this size, which no longer wait; at the end, empty ones only up to `sentences`."""
        pieces: list[Annotation] = []
        while self._waiting:
            corpus = self._waiting[0].corpus
            here = self._size(corpus)
            if size < here or (not here and sentences < corpus.sentences):
                break
            pieces.append(self._waiting.pop(0))
            size, sentences = size - here, sentences - corpus.sentences
        if size or (self._waiting and sentences > 0):
            batch = self._waiting[0]
            last, bounds = size, batch.corpus.bounds
            if self._by_token and bounds is not None:
                low, high = np.searchsorted(bounds, size), np.searchsorted(bounds, size, side="right") - 1
                last = int(np.clip(sentences, low, high))
            pieces.append(batch.within(0, last))
            self._waiting[0] = batch.within(last, batch.corpus.sentences)
        return pieces

    def _compare(self, gold: Sequence[Corpus], *, is_complete: bool) -> None:
        """Raise an error at the first difference of the texts or, without tokens to compare, of sentence lengths."""
        if not self._by_token:
            return
        system = [batch.corpus for batch in self._waiting]
        if self._by_position or any(corpus.tokens is None for corpus in (*gold, *system)):
            self._compare_lengths(gold, system, is_complete=is_complete)
            return
        for row, first, other, begin, size in _common_stretches(gold, system, self._compared):
            check_tokens(gold[row], system[other], first, begin, size)
            self._compared += size

    def _compare_lengths(self, gold: Sequence[Corpus], system: Sequence[Corpus], *, is_complete: bool) -> None:
        ends, own_ends = _sentence_ends(gold), _sentence_ends(system)
        size = min(len(ends), len(own_ends) - (not is_complete))  # its last sentence may be cut off
        different = np.flatnonzero(ends[:size] != own_ends[:size])
        if not len(different):
            return
        sentence = int(different[0])
        token = int(ends[sentence - 1]) if sentence else 0
        expected, length = int(ends[sentence]) - token, int(own_ends[sentence]) - token
        (gold_corpus, gold_token), (corpus, own_token) = _at(gold, token), _at(system, token)
        line, location = corpus.line(own_token), gold_corpus.location(gold_token)
        finding = f"this sentence has {counted(length, 'token')} where the one at {location} has {expected}"
        if line is None:
            finding = other_length(sentence, expected, length, self._unit, self._sides)
        raise InputError(corpus.source, line, finding, SAME_SENTENCES, "text")

    def _ends_early(self, gold: Sequence[Corpus], has: int) -> InputError:
        assert self._last is not None
        corpus = self._last.corpus
        gold_corpus, position = _at(gold, has, self._size)
        unit = "character" if gold_corpus.atoms == "characters" else "token"
        tokens = gold_corpus.tokens if self._by_token else None
        what = f"the {unit} {tokens[position]!r}" if tokens else "a sentence"
        finding = f"{self._sides.here} ends here, but {gold_corpus.location(position)} has {what}"
        line = corpus.line((corpus.sentences if corpus.bounds is None else corpus.token_count or 0) - 1)
        if line is None and what == "a sentence":
            finding = shorter(gold_corpus, corpus, self._unit, self._sides)
        remedy = remedy_for(gold_corpus, by_position=self._by_position) if self._by_token else SAME_SENTENCES
        return InputError(corpus.source, line, finding, remedy, "text")

    def _continues(self, source: str, sentences: int, need: int) -> InputError:
        """The error for a system that continues after the end of the gold standard.

        `source` and `sentences` are those of its last batch; the system is longer from position `need` on.
        """
        system = [batch.corpus for batch in self._waiting]
        corpus, position = _at(system, need, self._size)
        unit = "character" if corpus.atoms == "characters" else "token"
        what = f"the {unit} {corpus.tokens[position]!r}" if corpus.tokens and self._by_token else "another sentence"
        finding = f"found {what} after the end of {self._sides.key} {source}"
        if corpus.tokens is None and corpus.line(position) is None:
            before = position if corpus.bounds is None else int(np.searchsorted(corpus.bounds, position))
            more = sum(other.sentences for other in system[system.index(corpus) :]) - before
            finding = other_number(sentences, sentences + more, self._sides)
        remedy = remedy_for(corpus, by_position=self._by_position)
        return InputError(corpus.source, corpus.line(position), finding, remedy, "text")


def _sentence_ends(corpora: Sequence[Corpus]) -> Ints:
    """The number of tokens up to the end of each sentence, counted from the first corpus."""
    lengths = [corpus.lengths for corpus in corpora if corpus.lengths is not None]
    return np.cumsum(np.concatenate(lengths)) if lengths else empty()


def _at(
    corpora: Sequence[Corpus], position: int, size: Callable[[Corpus], int] = lambda corpus: corpus.token_count or 0
) -> tuple[Corpus, int]:
    """The corpus at a position counted from the first one, and the position in it."""
    for corpus in corpora:
        if position < size(corpus):
            return corpus, position
        position -= size(corpus)
    raise IndexError(position)


def _common_stretches(
    left: Sequence[Corpus], right: Sequence[Corpus], position: int
) -> Iterator[tuple[int, int, int, int, int]]:
    """Stretches of tokens within one corpus of either side: the corpora, the first token in each, and the size."""
    edges, other_edges = (
        list(accumulate((corpus.token_count or 0 for corpus in side), initial=0)) for side in (left, right)
    )
    while position < min(edges[-1], other_edges[-1]):
        row, other = bisect_right(edges, position) - 1, bisect_right(other_edges, position) - 1
        end = min(edges[row + 1], other_edges[other + 1])
        yield row, position - edges[row], other, position - other_edges[other], end - position
        position = end


def _check_span_ends(gold: Sequence[Corpus], system: Sequence[Corpus], spans: Spans) -> None:
    """Raise an error if a span of a table ends after its sentence, if the gold standard has lengths of sentences."""
    lengths = join_columns([corpus.lengths for corpus in gold])
    if lengths is None:
        return
    beyond = np.flatnonzero(spans.end > lengths[spans.scope])
    if len(beyond):
        sentence, end = int(spans.scope[beyond[0]]), int(spans.end[beyond[0]])
        held = counted(int(lengths[sentence]), "token")
        corpus, line = _at(system, sentence, lambda corpus: corpus.sentences)
        finding = f"a span of this sentence ends at token {end}, but the sentence has {held}"
        raise InputError(corpus.source, corpus.line(line), finding, SAME_SENTENCES, "text")


def _gold_in_text(gold: Sequence[Corpus], system: Sequence[Corpus]) -> list[Corpus] | None:
    """The gold standard in the text of the system, if both have characters, but only the system has a text."""
    if any(corpus.atoms != "characters" or corpus.has_input_text for corpus in gold):
        return None
    if not all(corpus.has_input_text for corpus in system):
        return None
    parts: list[list[Corpus]] = [[] for _ in gold]
    for row, _, other, begin, size in _common_stretches(gold, system, 0):
        parts[row].append(system[other].atoms_within(begin, begin + size))
    return [corpus.with_text_of(texts) for corpus, texts in zip(gold, parts, strict=True)]


class LineFollower(Follower):
    """Reads a system line by line, allowing missing lines and different spellings."""

    def __init__(self, batches: Iterator[Annotation], layer: str = "spans") -> None:
        self._batches, self._layer = batches, layer
        self.issues: AlignmentIssues = AlignmentIssues()
        self._gold_file: str | None = None
        self._gold_lines = 0
        self._batch: Annotation | None = None
        self._after = next(batches, None)
        self._begin = 0
        """The first line of the batch that is not aligned with a gold line."""
        self._load()

    def take(self, gold: Batches) -> AlignedSpans:
        spans = [self._lines_of(batch.corpus) for batch in gold]
        return AlignedSpans(Spans.concatenate(spans, first_sentences(gold)))

    def _lines_of(self, gold: Corpus) -> Spans:
        if self._gold_file not in (None, gold.source) and self._after is not None:
            while self._goes_on:
                self._leave()
            self._leave()
        self._gold_file = gold.source
        if self._batch is not None and not self._begin and _are_equal(gold, self._batch.corpus):
            self._begin, self._gold_lines = gold.sentences, self._gold_lines + gold.sentences
            return self._batch.spans(self._layer)
        gold_lines, parts, first, missing = _lines(gold), list[Spans](), 0, np.ones(gold.sentences, dtype=np.bool_)
        while self._batch is not None:
            lines = _lines(self._batch.corpus)
            gold_line = _align_lines(gold_lines, first, lines, self._begin)
            matched = np.flatnonzero(gold_line >= 0)
            missing[gold_line[matched]] = False
            parts.append(self._moved(self._batch.spans(self._layer), gold_line, gold_lines, lines))
            if len(matched):
                self._begin, first = int(matched[-1]) + 1, int(gold_line[matched[-1]]) + 1
            if self._begin < len(lines) or not self._goes_on:
                break
            self._load()
        self.issues.missing += [str(self._gold_lines + line + 1) for line in np.flatnonzero(missing).tolist()]
        self._gold_lines += gold.sentences
        return Spans.concatenate(parts, [0] * len(parts)) if parts else Spans.of(Vocabulary(), *[empty()] * 4)

    def finish(self) -> None:
        while self._batch is not None:
            self._leave()

    @property
    def _goes_on(self) -> bool:
        batch, after = self._batch, self._after
        return batch is not None and after is not None and after.corpus.source == batch.corpus.source

    def _load(self) -> None:
        self._batch, self._after, self._begin = self._after, next(self._batches, None), 0
        if self._batch is not None:
            reading = self._batch.readings[self._layer]
            self.reading = self.reading.plus(reading) if self.reading else reading

    def _leave(self) -> None:
        """Continue with the next batch; remaining lines of this one are extra."""
        assert self._batch is not None
        self.issues.extra += [str(line + 1) for line in range(self._begin, self._batch.corpus.sentences)]
        self._load()

    def _moved(self, spans: Spans, gold_line: Ints, gold_lines: list[str], lines: list[str]) -> Spans:
        """Return spans in the gold lines that the system's lines are aligned with (-1: none); others are left out."""
        spans = spans.take(np.flatnonzero(gold_line[spans.scope] >= 0)) if len(spans) else spans
        aligned = np.flatnonzero(gold_line >= 0).tolist()
        texts = {line: (gold_lines[int(gold_line[line])], lines[line]) for line in aligned}
        texts = {line: both for line, both in texts.items() if both[0] != both[1]}
        self.issues.words += len(texts)
        return replace(_to_gold_spelling(spans, texts), scope=gold_line[spans.scope])


def _are_equal(gold: Corpus, system: Corpus) -> bool:
    if gold.tokens is None or system.tokens is None or gold.raw is None or system.raw is None:
        return False
    return np.array_equal(gold.raw, system.raw) and gold.tokens.data == system.tokens.data


def _lines(corpus: Corpus) -> list[str]:
    """Return the lines of a text without trailing spaces."""
    return [corpus.text(line).rstrip() for line in range(corpus.sentences)]


def _align_lines(gold_lines: list[str], first: int, lines: list[str], begin: int) -> Ints:
    """Return the gold line of each system line, -1 for none; earlier lines than `first` and `begin` do not count."""
    gold_line, line = np.full(len(lines), -1), begin
    for number in range(first, len(gold_lines)):
        if line == len(lines):
            break
        if gold_lines[number] == lines[line] or _plain(gold_lines[number]) == _plain(lines[line]):
            gold_line[line] = number
            line += 1
    return gold_line


def _plain(line: str) -> str:
    """Return the letters and digits of a line in lower case."""
    return "".join(filter(str.isalnum, line)).lower()


def _to_gold_spelling(spans: Spans, texts: dict[int, tuple[str, str]]) -> Spans:
    """Convert positions to the gold standard's spelling; `texts` are both spellings of lines that differ."""
    rows = np.flatnonzero(np.isin(spans.scope, list(texts)))
    if not len(rows):
        return spans
    start, end, shape = spans.start.copy(), spans.end.copy(), spans.shape.copy()
    for row, tokens in zip(rows.tolist(), spans.take(rows).token_sets(), strict=True):
        gold_text, text = texts[int(spans.scope[row])]
        offsets = [offset for offset, character in enumerate(text) if not character.isspace()]
        atoms = sorted({_atom(gold_text, offsets[token]) for token in tokens})
        start[row], end[row] = atoms[0], atoms[-1] + 1
        gaps = set(range(atoms[0], atoms[-1])).difference(atoms)
        shape[row] = spans.vocabulary.shapes.code(tuple(sorted(gap - atoms[0] for gap in gaps)))
    return replace(spans, start=start, end=end, shape=shape)


def _atom(text: str, offset: int) -> int:
    """Return the number of characters other than spaces before an offset; after the text, all characters count."""
    return sum(not character.isspace() for character in text[:offset]) + max(0, offset - len(text))
