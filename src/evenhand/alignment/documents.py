"""Match a system's documents and sentences to the gold standard's by name or id.

If no name occurs on both sides, documents are matched by order, provided that one side has no names and both have the
same number of documents; otherwise this is an error. While both sides have the same documents in the same order, only
one batch of each is in memory. Otherwise the names of both sides are collected, so only documents that come too early
have to wait.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Ints, empty
from evenhand.data.annotation import Annotation, Layer, ReadInfo, tags_layer
from evenhand.data.corpus import Corpus
from evenhand.data.encodings import OUTSIDE_TAGS
from evenhand.data.layers import Spans, Tags
from evenhand.data.structures import no_spans, to_documents
from evenhand.data.tokens import PADDING, ListedTokens, Tokens, equal, first_difference, with_lists
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, counted, counted_phrase
from evenhand.settings import LINKS

MAX_FINDINGS = 1000
_MAX_BYTES_PER_TOKEN = 64
"""Tokens are copied without the bytes between them if they are further apart than this on average."""


class SideNames(NamedTuple):
    """Names of the two sides of a comparison in messages."""

    key: str
    """The side whose text counts."""
    other: str
    here: str
    """The other side, as the one whose file a message is about."""


GOLD_AND_PREDICTION = SideNames("the gold standard", "the prediction", "the system")
ANNOTATORS = SideNames("the first annotator", "another annotator", "this annotator")


# Messages for texts in memory, which have no line numbers, give sentence numbers.


def other_length(sentence: int, expected: int, length: int, unit: str, sides: SideNames = GOLD_AND_PREDICTION) -> str:
    """Return the finding for a sentence, counted from 0, of a different length."""
    return f"sentence {sentence + 1} has {expected} {unit} in {sides.key}, {length} in {sides.other}"


def other_number(expected: int, number: int, sides: SideNames) -> str:
    return f"{sides.key} has {counted(expected, 'sentence')}, {sides.other} {number:,}"


def shorter(gold: Corpus, system: Corpus, unit: str, sides: SideNames) -> str:
    """Return the finding for a system that ends early: the first different length, or the number of sentences."""
    if gold.lengths is not None and system.lengths is not None:
        size = min(len(gold.lengths), len(system.lengths))
        different = np.flatnonzero(gold.lengths[:size] != system.lengths[:size])
        if len(different):
            row = int(different[0])
            return other_length(row, int(gold.lengths[row]), int(system.lengths[row]), unit, sides)
    return other_number(gold.sentences, system.sentences, sides)


Open = Callable[[], Iterator[Annotation]]
"""Opens a side again."""


@dataclass
class AlignmentIssues:
    """Differences between a system's text and the gold standard's."""

    sides: SideNames = GOLD_AND_PREDICTION
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    words: int = 0
    """Number of different words."""
    first_word: str | None = None
    """Location and content of the first one."""
    nodes: int = 0
    """Number of empty nodes that only one side has."""
    findings: list[tuple[int | None, str]] = field(default_factory=list)
    """Lines and findings, up to `MAX_FINDINGS`."""
    by_order: bool = False
    """Whether documents were matched by order, because no name occurs on both sides."""

    def add_words(self, gold: Corpus, gold_rows: Ints, system: Corpus, rows: Ints, refusal: str | None) -> None:
        """Count pairs of tokens that differ. With a `refusal`, they are an error."""
        if gold.tokens is None or system.tokens is None:
            return
        different = np.flatnonzero(~equal(gold.tokens.take(gold_rows), system.tokens.take(rows)))
        if not len(different):
            return
        for pair in different[: MAX_FINDINGS - len(self.findings)].tolist():
            gold_token, token = gold.tokens[int(gold_rows[pair])], system.tokens[int(rows[pair])]
            finding = f"found {token!r} where {self.sides.key} has {gold_token!r}"
            self.findings.append((system.line(int(rows[pair])), finding))
        line, finding = self.findings[0]
        if refusal is not None:
            raise InputError(system.source, line, finding, refusal, "text")
        self.words += len(different)
        location = system.source if line is None else f"{system.source}:{line}"
        self.first_word = self.first_word or f"{location}: {finding}"

    def plus(self, other: AlignmentIssues) -> AlignmentIssues:
        return AlignmentIssues(
            self.sides,
            self.missing + other.missing,
            self.extra + other.extra,
            self.words + other.words,
            self.first_word or other.first_word,
            self.nodes + other.nodes,
            (self.findings + other.findings)[:MAX_FINDINGS],
            self.by_order or other.by_order,
        )


@dataclass(frozen=True)
class Naming:
    """How documents are named."""

    names: Callable[[Corpus], Tokens]
    is_loose: Callable[[Corpus], bool]
    """Whether only one side may have names; if no name occurs on both sides, the order counts."""
    may_repeat: bool
    """Whether two documents may have the same name, because no reader refuses it."""
    remedy: str


@dataclass(frozen=True)
class Piece:
    """Consecutive documents of a batch."""

    batch: Annotation
    first: int
    size: int


@dataclass(frozen=True)
class _AllNames:
    """The names of all documents of a side, collected if the order of documents differs."""

    all: Counter[str]
    is_loose: bool

    @staticmethod
    def of(batches: Iterable[Annotation], naming: Naming) -> _AllNames:
        counts, is_loose = Counter[str](), True
        for batch in batches:
            names = naming.names(batch.corpus)
            counts.update(names.texts(0, len(names)))
            is_loose &= naming.is_loose(batch.corpus)
        return _AllNames(counts, is_loose)

    @property
    def first(self) -> str:
        return next(iter(self.all), "")

    @property
    def vague(self) -> str | None:
        """A repeated or empty name."""
        return next((name for name, count in self.all.items() if count > 1 or not name), None)


class DocumentFeed:
    """Yields a system's documents by the names of the gold standard's; mismatches are noted in `found`."""

    def __init__(
        self,
        sides: tuple[Open, Open],
        naming: Naming,
        found: AlignmentIssues,
        received: Callable[[Annotation], None],
        stream: Iterator[Annotation] | None = None,
    ) -> None:
        """`sides` open the system and the gold standard, and `received` is called with every batch of the system.

        `stream` are the system's batches, if they are open already.
        """
        (self._read, self._gold), self._naming, self.found, self._received = sides, naming, found, received
        self._stream = self._read() if stream is None else stream
        self._batch: Annotation | None = None
        self._corpus: Corpus | None = None
        """The corpus of the last batch."""
        self._batch_names, self._next = Tokens.of([]), 0
        self._waiting: dict[str, Piece] = {}
        self._names: _AllNames | None = None
        self._gold_names: _AllNames | None = None

    def pieces(self, names: Tokens) -> Iterator[Piece | str]:
        """Yield documents by name, consecutive ones together, and the names of missing documents."""
        index = 0
        while index < len(names):
            waiting = self._waiting.pop(names[index], None) if self._waiting else None
            left = names.slice(index, len(names))
            piece = waiting or self._run(left) or self._find(left)
            index += 1 if piece is None else piece.size
            if piece is None:
                self.found.missing.append(names[index - 1])
            yield piece or names[index - 1]

    def finish(self) -> None:
        while self._more():
            self.found.extra += self._batch_names.texts(self._next, len(self._batch_names))
            self._next = len(self._batch_names)

    def _run(self, names: Tokens) -> Piece | None:
        """Return the next documents, if they have these names or are matched by order."""
        if not self._more():
            return None
        assert self._batch is not None
        size = min(len(self._batch_names) - self._next, len(names))
        if not self.found.by_order:
            if self._batch_names[self._next] != names[0]:
                return None
            other = first_difference(self._batch_names.slice(self._next, self._next + size), names.slice(0, size))
            size = size if other is None else other
        self._next += size
        return Piece(self._batch, self._next - size, size)

    def _find(self, names: Tokens) -> Piece | None:
        """Return a document that is not the next one, if it exists."""
        if self._names is None or self._gold_names is None:
            self._names = _AllNames.of(self._read(), self._naming)
            self._gold_names = _AllNames.of(self._gold(), self._naming)
            self.found.by_order = self._must_go_by_order(self._names, self._gold_names)
            return self._run(names) or self._find(names)
        name = names[0]
        if name not in self._names.all:
            return None
        while self._more():
            assert self._batch is not None
            next_name = self._batch_names[self._next]
            piece = Piece(self._batch, self._next, 1)
            self._next += 1
            if next_name == name:
                return piece
            if next_name in self._gold_names.all:
                self._waiting[next_name] = piece
            else:
                self.found.extra.append(next_name)
        return None

    def _must_go_by_order(self, names: _AllNames, gold: _AllNames) -> bool:
        """Whether documents are matched by order: no name is shared, and one side has no names; otherwise an error."""
        if not names.all:
            return False
        assert self._corpus is not None  # there are names
        corpus = self._corpus
        if names.all.keys() & gold.all.keys():
            vague = names.vague if gold.vague is None else gold.vague
            if self._naming.may_repeat and vague is not None:
                what = f"several records have the id {vague!r}" if vague else "some records have no id"
                finding = f"{what}, and the ids do not follow each other as in {self.found.sides.key}"
                raise InputError(corpus.source, None, finding, self._naming.remedy, "document")
            return False
        if (names.is_loose or gold.is_loose) and names.all.total() == gold.all.total():
            return True
        key = self.found.sides.key
        finding = f"no document of {key} is here: the first one is {names.first!r}, there {gold.first!r}"
        raise InputError(corpus.source, mark(corpus, 0), finding, self._naming.remedy, "document")

    def _more(self) -> bool:
        while self._batch is None or self._next == len(self._batch_names):
            self._batch, self._next = next(self._stream, None), 0
            if self._batch is None:
                return False
            self._corpus = self._batch.corpus
            self._batch_names = self._naming.names(self._corpus)
            self._received(self._batch)
        return True


def mark(corpus: Corpus, document: int) -> int | None:
    """Return the first line of a document."""
    return corpus.first_line + int(corpus.marks[document]) if len(corpus.marks) else None


def _ids(corpus: Corpus) -> Tokens:
    """Return the ids of sentences, which are empty if the corpus has none."""
    return Tokens.of([""] * corpus.sentences) if corpus.ids is None else corpus.ids


_BY_ID = Naming(
    _ids, lambda corpus: True, may_repeat=True, remedy="give every record a distinct id, the same on both sides"
)


class IdFeed:
    """Matches a system's sentences or texts to the gold standard's by id."""

    def __init__(self, stream: Iterator[Annotation], sides: tuple[Open, Open], layer: str) -> None:
        """`sides` open system and gold standard again."""
        self.found = AlignmentIssues()
        self._layer, self._source = layer, ""
        self._reading, self._unreported = ReadInfo(), ReadInfo()
        self._documents = DocumentFeed(sides, _BY_ID, self.found, self._receive, stream)

    def take(self, gold: Corpus) -> Annotation:
        """Return the system's sentences with the ids of the gold standard's."""
        pieces = list(self._documents.pieces(_ids(gold)))
        if len(pieces) == 1 and isinstance(pieces[0], Piece) and pieces[0].size == pieces[0].batch.corpus.sentences:
            return replace(pieces[0].batch, readings={self._layer: self.reading()})
        parts, begin = list[TextPart](), 0
        for piece in pieces:
            parts.append(
                TextPart(cut_out(gold, begin, begin + 1)) if isinstance(piece, str) else part_of(piece, self._layer)
            )
            begin += parts[-1].corpus.sentences
        corpus = Corpus.concatenate([part.corpus for part in parts])
        if corpus.tokens is not None and corpus.bounds is not None:
            tokens = with_lists(corpus.tokens, [part.corpus.tokens for part in parts], corpus.bounds)
            corpus = replace(corpus, tokens=tokens)
        if (np.asarray(corpus.lines) < 0).any():
            corpus = replace(corpus, lines=empty())
        layers: dict[str, Layer] = {self._layer: join_spans(parts)}
        tags = _join_tags(parts)
        if tags is not None:
            layers[tags_layer(self._layer)] = tags
        return Annotation(replace(corpus, source=self._source), layers, {self._layer: self.reading()}, self._source)

    def finish(self) -> None:
        self._documents.finish()

    def reading(self) -> ReadInfo:
        unreported = self._unreported
        self._unreported = replace(self._reading, repaired=0, first_repair=None, skipped={}, kept={})
        return unreported

    def _receive(self, batch: Annotation) -> None:
        self._reading, self._source = batch.readings[self._layer], batch.corpus.source
        self._unreported = self._reading.plus(self._unreported)


@dataclass(frozen=True)
class TextPart:
    """Some sentences with a system's spans and tags; None if the system lacks the sentences."""

    corpus: Corpus
    spans: Spans | None = None
    tags: Tags | None = None


def part_of(piece: Piece, layer: str) -> TextPart:
    batch, end = piece.batch, piece.first + piece.size
    spans, tags, bounds = batch.spans(layer), batch.tags(layer), batch.corpus.bounds
    spans = spans.take(np.flatnonzero((spans.scope >= piece.first) & (spans.scope < end)))
    if tags is not None and bounds is not None:
        tags = tags.slice(*bounds[[piece.first, end]].tolist())
    return TextPart(cut_out(batch.corpus, piece.first, end), replace(spans, scope=spans.scope - piece.first), tags)


def cut_out(corpus: Corpus, first: int, last: int) -> Corpus:
    """Return some sentences with their lines and only the bytes of their tokens."""
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
    """Return some sentences of a corpus with the bytes of their texts, including spaces."""
    texts, tokens = corpus.text_bounds, part.tokens
    assert texts is not None
    assert tokens is not None
    begin, end = (texts if corpus.raw is None else corpus.raw)[[first, last]].tolist()
    low = int(np.searchsorted(texts, begin, side="right")) - 1
    high = max(low, int(np.searchsorted(texts, end)))  # several empty texts begin at the same byte
    begin, end = texts[[low, high]].tolist()
    alone = Tokens(tokens.data[begin:end] + PADDING, tokens.start - begin, tokens.end - begin)
    return replace(
        part,
        tokens=alone,
        raw=None if corpus.raw is None else corpus.raw[first : last + 1] - begin,
        texts=None if corpus.texts is None else corpus.texts[low : high + 1] - begin,
        spaced=None if corpus.spaced is None else corpus.spaced[first : last + 1] - begin,
    )


def _alone(tokens: Tokens) -> Tokens:
    """Copy tokens to their own data, with the bytes between them if these are few."""
    start, end = tokens.start, tokens.end
    first, last = int(start[0]), int(end[-1])
    if last - first > _MAX_BYTES_PER_TOKEN * len(start) or (start[1:] < end[:-1]).any():
        # Unescaped tokens follow all other tokens of their block.
        text, edges = tokens.spaced()
        return Tokens(text.tobytes() + PADDING, edges[:-1], edges[1:] - 1)
    return Tokens(tokens.data[first:last] + PADDING, start - first, end - first)


def join_spans(parts: Sequence[TextPart]) -> Spans:
    first = np.cumsum([0, *(part.corpus.sentences for part in parts)]).tolist()
    known = [(part.spans, begin) for part, begin in zip(parts, first, strict=False) if part.spans is not None]
    if not known:
        return Spans.of(Vocabulary(), empty(), empty(), empty(), empty())
    return Spans.concatenate([spans for spans, _ in known], [begin for _, begin in known])


def _join_tags(parts: Sequence[TextPart]) -> Tags | None:
    """Concatenate the tags of all parts, if the system has tags; the longest table has all tags."""
    known = [part.tags for part in parts if part.tags is not None]
    if not known or len(known) < sum(part.spans is not None for part in parts):
        return None
    names = max((tags.names for tags in known), key=len)
    outside = next((code for code, name in enumerate(names) if name in OUTSIDE_TAGS), len(names))
    names = names if outside < len(names) else (*names, "O")
    codes = [np.full(part.corpus.token_count or 0, outside) if part.tags is None else part.tags.code for part in parts]
    return Tags(np.concatenate(codes), names)


_SAME_TOKENS = "give the same tokens in all files"
_SAME_WORDS = "give the same words, or --align position"
_SAME_TEXT = "give the same text in all files, spaces aside"


def names_of(corpus: Corpus) -> Tokens:
    """Return the names or ids of documents, which are empty if the corpus has none."""
    if len(corpus.names) == len(corpus.documents):
        return Tokens.of(corpus.names)
    return corpus.ids if corpus.ids is not None else Tokens.of([""] * len(corpus.documents))


_BY_NAME_OR_ID = Naming(
    names_of,
    lambda corpus: corpus.unnamed or not corpus.names or corpus.ids is not None,
    may_repeat=True,
    remedy="give documents the same names in all files",
)


class LinkFeed:
    """Matches a system's links to the documents of the gold standard."""

    def __init__(self, read: Open, gold: Open, *, strict: bool, stream: Iterator[Annotation] | None = None) -> None:
        """`read` and `gold` open system and gold standard; `strict` refuses words that differ.

        `stream` are the system's batches, if they are open already.
        """
        stream = read() if stream is None else stream
        self._strict, self.found = strict, AlignmentIssues()
        self.reading: ReadInfo | None = None
        first = next(stream, None)
        self._undivided = _Undivided(first) if first is not None and _is_undivided(first.corpus) else None
        if first is not None and self._undivided is not None:
            self._receive(first)
        batches = stream if first is None else chain([first], stream)
        self._documents = DocumentFeed((read, gold), _BY_NAME_OR_ID, self.found, self._receive, batches)

    def take(self, gold: Annotation) -> Spans:
        if self._undivided is not None:
            spans, gold_rows, rows = self._undivided.take(gold.corpus)
            self._compare(gold.corpus, gold_rows, self._undivided.corpus, rows)
            return spans
        parts, shifts, begin = [no_spans(gold.spans(LINKS).vocabulary)], [0], 0
        for piece in self._documents.pieces(names_of(gold.corpus)):
            if isinstance(piece, str):
                begin += 1
                continue
            self._check(gold.corpus, begin, piece)
            parts.append(_spans(piece))
            shifts.append(begin)
            begin += piece.size
        return Spans.concatenate(parts, shifts)

    def finish(self) -> None:
        if self._undivided is not None:
            self._undivided.finish()
        else:
            self._documents.finish()

    def _receive(self, batch: Annotation) -> None:
        batch.spans(LINKS)  # raises an error if there are none
        reading = batch.readings[LINKS]
        self.reading = self.reading.plus(reading) if self.reading else reading

    def _check(self, gold: Corpus, first: int, piece: Piece) -> None:
        corpus = piece.batch.corpus
        if gold.bounds is None or corpus.bounds is None:
            if gold.atoms == "characters" and (gold.bounds is None) != (corpus.bounds is None):
                finding = "one side has a text, and the other one has offsets without it"
                raise InputError(corpus.source, None, finding, "give a text on both sides, or on none", "text")
            return
        gold_bounds = gold.document_bounds[first : first + piece.size + 1]
        bounds = corpus.document_bounds[piece.first : piece.first + piece.size + 1]
        other = np.flatnonzero(np.diff(gold_bounds) != np.diff(bounds)).tolist()
        if other:
            raise _length_error(gold, gold_bounds[other[0] :], corpus, bounds[other[0] :], piece.first + other[0])
        self._compare(gold, np.arange(gold_bounds[0], gold_bounds[-1]), corpus, np.arange(bounds[0], bounds[-1]))

    def _compare(self, gold: Corpus, gold_rows: Ints, corpus: Corpus, rows: Ints) -> None:
        """Count words that differ, or refuse them; different characters are always refused."""
        refusal = _SAME_TEXT if gold.atoms == "characters" else _SAME_WORDS if self._strict else None
        self.found.add_words(gold, gold_rows, corpus, rows, refusal)


class _Undivided:
    """A text without documents, which is split like the gold standard."""

    def __init__(self, annotation: Annotation) -> None:
        self.corpus = annotation.corpus
        self._spans = to_documents(annotation.spans(LINKS), self.corpus.documents, self.corpus.bounds)
        self._done = 0

    def take(self, gold: Corpus) -> tuple[Spans, Ints, Ints]:
        """Return the spans of the next documents, and the tokens of both sides."""
        begin, size, total = self._done, gold.token_count or 0, self.corpus.token_count or 0
        if begin + size > total:
            finding = f"the file has {counted(total, 'token')}, and the gold standard more"
            raise InputError(self.corpus.source, self.corpus.line(total - 1), finding, _SAME_TOKENS, "text")
        self._done += size
        edges = gold.document_bounds + begin
        # A span that continues in the next document is split, like its tags would be.
        parts, spans = [], self._spans
        for low, high in pairwise(edges.tolist()):
            rows = slice(np.searchsorted(spans.end, low, side="right"), np.searchsorted(spans.start, high))
            document = spans.take(rows)
            start, end = np.maximum(document.start, low) - low, np.minimum(document.end, high) - low
            parts.append(replace(document, scope=np.zeros_like(start), start=start, end=end))
        gold_rows = np.arange(size)
        return Spans.concatenate(parts, range(len(parts))), gold_rows, gold_rows + begin

    def finish(self) -> None:
        if self._done < (self.corpus.token_count or 0):
            finding = f"the gold standard ends before this token, with {counted(self._done, 'token')}"
            raise InputError(self.corpus.source, self.corpus.line(self._done), finding, _SAME_TOKENS, "text")


def _is_undivided(corpus: Corpus) -> bool:
    return corpus.unnamed and not corpus.names and corpus.bounds is not None and corpus.atoms == "tokens"


def _spans(piece: Piece) -> Spans:
    """Return the spans of some documents, renumbered from the first one."""
    corpus = piece.batch.corpus
    spans = to_documents(piece.batch.spans(LINKS), corpus.documents, corpus.bounds)
    spans = spans.take(np.flatnonzero((spans.scope >= piece.first) & (spans.scope < piece.first + piece.size)))
    return replace(spans, scope=spans.scope - piece.first)


def _length_error(gold: Corpus, gold_bounds: Ints, corpus: Corpus, bounds: Ints, document: int) -> InputError:
    """Return the error for a document of a different length, at the first different word if there are words."""
    expected, length = int(gold_bounds[1] - gold_bounds[0]), int(bounds[1] - bounds[0])
    index, size = 0, min(expected, length)
    if gold.tokens is not None and corpus.tokens is not None:
        rows = np.arange(size)
        same = equal(gold.tokens.take(gold_bounds[0] + rows), corpus.tokens.take(bounds[0] + rows))
        index = size if same.all() else int((~same).argmax())
    name = repr(names_of(corpus)[document]) if len(names_of(corpus)[document]) else f"number {document + 1}"
    unit = "characters apart from spaces" if corpus.atoms == "characters" else "tokens"
    finding = f"the document {name} has {counted_phrase(length, unit)}, in the gold standard {expected:,}"
    line = corpus.line(int(bounds[0]) + min(index, length - 1)) if length else mark(corpus, document)
    remedy = _SAME_TEXT if corpus.atoms == "characters" else _SAME_TOKENS
    return InputError(corpus.source, line, finding, remedy, "text")
