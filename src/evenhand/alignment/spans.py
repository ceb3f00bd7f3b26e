"""Align a system's spans with the gold standard's text.

Documents and sentences are always the gold standard's; a system's span belongs to the sentence in which it begins. Both
sides must have the same tokens, or the same characters if these are the atoms. If one side has no tokens, or tokens are
aligned by position, sentences must have the same lengths. With a span table, which has no lengths, the number of
sentences must be the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.alignment.documents import (
    GOLD_AND_PREDICTION,
    AlignmentIssues,
    IdFeed,
    SideNames,
    other_length,
    other_number,
    shorter,
)
from evenhand.arrays import Ints, empty, ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus, complete
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


def check_tokens(gold: Corpus, system: Corpus, begin: int) -> None:
    """Raise an error at the first token of `system` that differs from the gold standard's, counted from `begin`."""
    if gold.tokens is None or system.tokens is None:
        return
    gold_tokens, tokens = gold.tokens.slice(begin, begin + len(system.tokens)), system.tokens
    if have_same_codes(gold_tokens, tokens) or have_same_lists(gold_tokens, tokens):
        return
    index = first_difference(gold_tokens, tokens)
    if index is None:
        return
    location = gold.location(begin + index)
    if gold.atoms == "characters":
        finding = f"found the text {_around(tokens, index)!r} where {location} has {_around(gold_tokens, index)!r}"
    else:
        finding = f"found the token {tokens[index]!r} where {location} has {gold_tokens[index]!r}"
    raise InputError(system.source, system.line(index), finding, remedy_for(gold), "text")


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


def check_ends(gold: Corpus, system: Corpus, spans: Spans) -> None:
    """Raise an error if a span of a table ends after its sentence, if the gold standard has lengths of sentences."""
    if gold.lengths is None:
        return
    beyond = np.flatnonzero(spans.end > gold.lengths[spans.scope])
    if len(beyond):
        sentence, end = int(spans.scope[beyond[0]]), int(spans.end[beyond[0]])
        held = counted(int(gold.lengths[sentence]), "token")
        finding = f"a span of this sentence ends at token {end}, but the sentence has {held}"
        raise InputError(system.source, system.line(sentence), finding, SAME_SENTENCES, "text")


class Feed:
    """Splits a system's batches to match the gold standard's."""

    def __init__(
        self,
        batches: Iterator[Annotation],
        layer: str = "spans",
        *,
        by_position: bool = False,
        by_id: IdFeed | None = None,
        sides: SideNames = GOLD_AND_PREDICTION,
    ) -> None:
        """With `by_position`, tokens may differ, but sentences must have the same lengths; `by_id` reorders these.

        `sides` are the names of the two sides in messages.
        """
        self._sides = sides
        self.reading: ReadInfo | None = None
        self.tags: Tags | None = None
        """The tags of the last portion, if the file has any."""
        self.keeps_tags = True
        """Whether tags are used; otherwise they are dropped at once."""
        self.breaks_differ = False
        self.reaching: Spans | None = None
        """Token ranges of spans that extend past the end of the last portion, relative to that end."""
        self.text: Corpus | None = None
        """The last portion in the text of this side, if the gold standard has only tokens."""
        self._batches = batches
        self._layer = layer
        self._by_position, self._by_id = by_position, by_id
        self._rest: _Portion | None = None
        self._last: _Portion | None = None
        """The last portion, if it was used up; needed if nothing follows."""

    def take(self, gold: Corpus) -> Spans:
        """Return the spans of the next portion, which must have the text `gold`, in its sentences."""
        portions: list[_Portion] = []
        done, need, beyond = 0, 1, 0
        if self._by_id is not None:
            self._batches = iter([self._by_id.take(gold)])
        while done < need:
            portion = self._rest or self._next(gold)
            if portion is None:
                self._check_lengths(gold, portions)
                remedy = remedy_for(gold, by_position=self._by_position)
                raise _ends_early(gold, self._last, done, remedy, self._sides)
            need = _size(gold, portion.by_token)
            beyond = _beyond(portion, need - done)
            cut, self._rest = portion.cut(need - done)
            if portion.by_token and not self._by_position:
                check_tokens(gold, cut.corpus, done)
            portions.append(cut)
            self._last = cut if self._rest is None else None
            done += len(cut)
        spans = _Portion.join(portions)
        corpora = [cut.corpus for cut in portions]
        lacks_text = gold.atoms == "characters" and not gold.has_input_text
        is_shown = lacks_text and all(corpus.has_input_text for corpus in corpora)
        self.text = gold.with_text_of(corpora) if is_shown else None
        tags = complete([cut.tags for cut in portions]) if self.keeps_tags else None
        self.tags = None if tags is None else Tags.concatenate(tags)
        if not portions[0].by_token:
            check_ends(gold, portions[0].corpus, spans)
            return spans
        assert gold.bounds is not None
        self.breaks_differ |= self._check_lengths(gold, portions, beyond)
        return spans.in_scopes(ints(gold.sentence_of[spans.start]), gold.bounds)

    def _check_lengths(self, gold: Corpus, portions: Sequence[_Portion], beyond: int = 0) -> bool:
        """Whether sentences have different lengths; an error without tokens to compare.

        The last sentence continues for `beyond` tokens after the end of the gold standard's.
        """
        if not portions or not portions[0].by_token:
            return False
        assert gold.bounds is not None
        starts = _sentence_starts(portions)
        complete = sum(map(len, portions)) == gold.token_count
        if not beyond and np.array_equal(gold.bounds[:-1] if complete else gold.bounds[: len(starts)], starts):
            return False
        if self._by_position or gold.tokens is None or portions[0].corpus.tokens is None:
            raise _other_length(gold, portions, starts, beyond, self._sides)
        return True

    def finish(self, gold: Corpus) -> None:
        """Raise an error if the system continues after the end of the gold standard."""
        if self._by_id is not None:
            self._by_id.finish()
            self.reading = self.reading.plus(self._by_id.reading()) if self.reading else None
        extra = self._rest or self._next(gold)
        if extra is None:
            return
        corpus = extra.corpus
        unit = "character" if corpus.atoms == "characters" else "token"
        what = f"the {unit} {corpus.tokens[0]!r}" if corpus.tokens else "another sentence"
        finding = f"found {what} after the end of {self._sides.key} {gold.source}"
        if corpus.tokens is None and corpus.line(0) is None:
            finding = other_number(gold.sentences, gold.sentences + corpus.sentences, self._sides)
        raise InputError(
            corpus.source, corpus.line(0), finding, remedy_for(corpus, by_position=self._by_position), "text"
        )

    @property
    def mismatches(self) -> AlignmentIssues | None:
        """Sentences that only one side has, if they are matched by id."""
        return None if self._by_id is None else self._by_id.found

    def _next(self, gold: Corpus) -> _Portion | None:
        batch = next(self._batches, None)
        if batch is None:
            return None
        reading = batch.readings[self._layer]
        self.reading = self.reading.plus(reading) if self.reading else reading
        return _Portion.of(batch, self._layer, by_token=gold.bounds is not None)


@dataclass(frozen=True)
class _Portion:
    """A part of a system's text. By token, spans count from its first token, otherwise in its sentences."""

    corpus: Corpus
    spans: Spans
    tags: Tags | None
    by_token: bool

    def __len__(self) -> int:
        return _size(self.corpus, self.by_token)

    @property
    def unit(self) -> str:
        return "tokens" if self.tags is None else "tags"

    @staticmethod
    def of(batch: Annotation, layer: str, by_token: bool) -> _Portion:
        spans, bounds = batch.spans(layer), batch.corpus.bounds
        if bounds is None or not by_token:
            return _Portion(batch.corpus, spans, None, by_token=False)
        return _Portion(batch.corpus, spans.in_text(bounds), batch.tags(layer), by_token=True)

    def cut(self, size: int) -> tuple[_Portion, _Portion | None]:
        """Split after `size` tokens (or sentences)."""
        if size >= len(self):
            return self, None
        before, after = _cut(self.corpus, size, self.by_token)
        spans = self.spans
        position = spans.start if self.by_token else spans.scope
        first, second = spans.take(np.flatnonzero(position < size)), spans.take(np.flatnonzero(position >= size))
        second, tags, other_tags = _moved(second, -size, self.by_token), None, None
        if self.tags is not None:
            tags, other_tags = self.tags.slice(0, size), self.tags.slice(size, len(self))
        return _Portion(before, first, tags, self.by_token), _Portion(after, second, other_tags, self.by_token)

    @staticmethod
    def join(portions: Sequence[_Portion]) -> Spans:
        """Concatenate the spans of portions, counted from the beginning of the first one."""
        moved, before = [], 0
        for cut in portions:
            moved.append(_moved(cut.spans, before, cut.by_token))
            before += len(cut)
        return Spans.concatenate(moved, [0] * len(moved))


def _size(corpus: Corpus, by_token: bool) -> int:
    return corpus.token_count or 0 if by_token else corpus.sentences


def _moved(spans: Spans, by: int, by_token: bool) -> Spans:
    if by == 0:
        return spans
    if by_token:
        return replace(spans, start=spans.start + by, end=spans.end + by)
    return replace(spans, scope=spans.scope + by)


def _cut(corpus: Corpus, size: int, by_token: bool) -> tuple[Corpus, Corpus]:
    """Split a system's text before a token or sentence; its documents are not used and dropped."""
    if not by_token:
        return corpus.part(0, size), corpus.part(size, corpus.sentences)
    assert corpus.bounds is not None
    end, within = np.searchsorted(corpus.bounds, size), np.searchsorted(corpus.bounds, size, side="right") - 1
    return corpus.part(0, int(end), end=size), corpus.part(int(within), corpus.sentences, begin=size)


def _sentence_starts(portions: Sequence[_Portion]) -> Ints:
    """Return the first token of each sentence of portions, counted from the beginning of the first one."""
    starts, before = [], 0
    for cut in portions:
        assert cut.corpus.bounds is not None
        starts.append(cut.corpus.bounds[:-1] + before)
        before += len(cut)
    return np.concatenate(starts)


def _beyond(portion: _Portion, size: int) -> int:
    """Return the number of tokens after a cut in the sentence that it splits; 0 if it splits none."""
    bounds = portion.corpus.bounds
    if bounds is None or not portion.by_token or size >= len(portion):
        return 0
    return int(bounds[np.searchsorted(bounds, size)]) - size


def _other_length(
    gold: Corpus, portions: Sequence[_Portion], starts: Ints, beyond: int, sides: SideNames
) -> InputError:
    assert gold.bounds is not None
    ends, others = gold.bounds[1:], np.append(starts[1:], gold.bounds[-1] + beyond)
    shared = min(len(ends), len(others))
    sentence = int((ends[:shared] != others[:shared]).argmax())
    token = int(starts[sentence])
    expected, length, location = int(ends[sentence]) - token, int(others[sentence]) - token, gold.location(token)
    cut = portions[0]
    for cut in portions:
        if token < len(cut):
            break
        token -= len(cut)
    line = cut.corpus.line(token)
    finding = f"this sentence has {counted(length, 'token')} where the one at {location} has {expected}"
    if line is None:
        finding = other_length(sentence, expected, length, cut.unit, sides)
    return InputError(cut.corpus.source, line, finding, SAME_SENTENCES, "text")


def _ends_early(gold: Corpus, last: _Portion | None, done: int, remedy: str, sides: SideNames) -> InputError:
    if last is None:  # a reader yields at least one batch, so this is an annotation without any
        return InputError(sides.here, None, "it is empty", SAME_SENTENCES)
    unit = "character" if gold.atoms == "characters" else "token"
    what = f"the {unit} {gold.tokens[done]!r}" if last.by_token and gold.tokens else "a sentence"
    finding = f"{sides.here} ends here, but {gold.location(done)} has {what}"
    corpus = last.corpus
    line = corpus.line(_size(corpus, corpus.bounds is not None) - 1)
    if line is None and what == "a sentence":
        finding = shorter(gold, corpus, last.unit, sides)
    return InputError(corpus.source, line, finding, remedy if last.by_token else SAME_SENTENCES, "text")


class LineFeed(Feed):
    """Aligns texts line by line, allowing missing lines and different spellings."""

    def __init__(self, batches: Iterator[Annotation], layer: str = "spans") -> None:
        super().__init__(batches, layer)
        self._found = AlignmentIssues()
        self._gold_file: str | None = None
        self._gold_lines = 0
        self._batch: Annotation | None = None
        self._after = next(batches, None)
        self._begin = 0
        """The first line of the batch that is not aligned with a gold line."""
        self._load()

    def take(self, gold: Corpus) -> Spans:
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
        self._found.missing += [str(self._gold_lines + line + 1) for line in np.flatnonzero(missing).tolist()]
        self._gold_lines += gold.sentences
        return Spans.concatenate(parts, [0] * len(parts)) if parts else Spans.of(Vocabulary(), *[empty()] * 4)

    def finish(self, gold: Corpus) -> None:
        while self._batch is not None:
            self._leave()

    @property
    def mismatches(self) -> AlignmentIssues:
        return self._found

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
        self._found.extra += [str(line + 1) for line in range(self._begin, self._batch.corpus.sentences)]
        self._load()

    def _moved(self, spans: Spans, gold_line: Ints, gold_lines: list[str], lines: list[str]) -> Spans:
        """Return spans in the gold lines that the system's lines are aligned with (-1: none); others are left out."""
        spans = spans.take(np.flatnonzero(gold_line[spans.scope] >= 0)) if len(spans) else spans
        aligned = np.flatnonzero(gold_line >= 0).tolist()
        texts = {line: (gold_lines[int(gold_line[line])], lines[line]) for line in aligned}
        texts = {line: both for line, both in texts.items() if both[0] != both[1]}
        self._found.words += len(texts)
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
