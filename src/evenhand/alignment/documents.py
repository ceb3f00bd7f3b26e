"""The documents of a system, in the order of the gold standard's.

Documents are matched by their names. Where no name is on both sides, they are matched by their order if those of one
side have no names, and there are as many; else that is an error. As long as both sides have the same documents in the
same order, one batch of each is in memory. Where they have not, the names of both sides are looked up, so that only
documents that come too early wait.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Ints, empty
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.encodings import OUTSIDE_TAGS
from evenhand.data.layers import Spans, Tags
from evenhand.data.names import LINKS
from evenhand.data.structures import no_spans, to_documents
from evenhand.data.tokens import PADDING, ListedTokens, Tokens, equal, first_difference, with_lists
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, counted, counted_phrase

# == text/unequal.py: Words for texts from no file whose sentences do not match: t


class SideNames(NamedTuple):
    """What messages call the two sides of a comparison."""

    key: str
    """The side whose text counts."""
    other: str
    here: str
    """The other one, in whose file something was found."""


GOLD_AND_PREDICTION = SideNames("the gold standard", "the prediction", "the system")
ANNOTATORS = SideNames("the first annotator", "another annotator", "this annotator")


def other_length(sentence: int, wanted: int, found: int, unit: str, sides: SideNames = GOLD_AND_PREDICTION) -> str:
    """What is said of a sentence, counted from 0, where there are no lines: the text is from no file."""
    return f"sentence {sentence + 1} has {wanted} {unit} in {sides.key}, {found} in {sides.other}"


def other_number(wanted: int, found: int, sides: SideNames) -> str:
    sentences = counted(wanted, "sentence")
    return f"{sides.key} has {sentences}, {sides.other} {found:,}"


def shorter(gold: Corpus, system: Corpus, unit: str, sides: SideNames) -> str:
    """What is said of a system that ends early: its first sentence of another length, or how many there are."""
    mine, theirs = gold.lengths, system.lengths
    if mine is not None and theirs is not None:
        size = min(len(mine), len(theirs))
        different = np.flatnonzero(mine[:size] != theirs[:size])
        if len(different):
            sentence = int(different[0])
            return other_length(sentence, int(mine[sentence]), int(theirs[sentence]), unit, sides)
    return other_number(gold.sentences, system.sentences, sides)


# == text/document_feed.py (primary)


MOST_FINDINGS = 1000
Open = Callable[[], Iterator[Annotation]]
"""Begins to read a side anew."""


@dataclass
class AlignmentIssues:
    """What a system's text has otherwise than the gold standard's."""

    sides: SideNames = GOLD_AND_PREDICTION
    """What messages call the two."""
    missing: list[str] = field(default_factory=list)
    """Documents that it does not have."""
    extra: list[str] = field(default_factory=list)
    words: int = 0
    """How many words differ."""
    first_word: str | None = None
    """Where the first one is, and what it is."""
    nodes: int = 0
    """How many empty nodes only one side has."""
    findings: list[tuple[int | None, str]] = field(default_factory=list)
    """Lines and what was found there, of as many as anybody reads."""
    by_order: bool = False
    """Whether documents were matched by their order, as no name is on both sides."""

    def add_words(self, gold: Corpus, mine: Ints, system: Corpus, theirs: Ints, refusal: str | None) -> None:
        """Count words that differ; `mine` and `theirs` are tokens, in pairs. With a `refusal`, they are an error."""
        if gold.tokens is None or system.tokens is None:
            return
        different = np.flatnonzero(~equal(gold.tokens.take(mine), system.tokens.take(theirs)))
        if not len(different):
            return
        for pair in different[: MOST_FINDINGS - len(self.findings)].tolist():
            one, other = gold.tokens[int(mine[pair])], system.tokens[int(theirs[pair])]
            finding = f"found {other!r} where {self.sides.key} has {one!r}"
            self.findings.append((system.line(int(theirs[pair])), finding))
        line, finding = self.findings[0]
        if refusal is not None:
            raise InputError(system.source, line, finding, refusal, "text")
        self.words += len(different)
        place = system.source if line is None else f"{system.source}:{line}"
        self.first_word = self.first_word or f"{place}: {finding}"

    def plus(self, other: AlignmentIssues) -> AlignmentIssues:
        """Those of two parts that follow each other."""
        return AlignmentIssues(
            self.sides,
            self.missing + other.missing,
            self.extra + other.extra,
            self.words + other.words,
            self.first_word or other.first_word,
            self.nodes + other.nodes,
            (self.findings + other.findings)[:MOST_FINDINGS],
            self.by_order or other.by_order,
        )


@dataclass(frozen=True)
class Naming:
    """What documents are matched by, and how messages call it."""

    names: Callable[[Corpus], Tokens]
    is_loose: Callable[[Corpus], bool]
    """Whether names may be those of one side only: then the order counts where none is on both sides."""
    may_repeat: bool
    """Whether nobody else refuses names that two documents have."""
    remedy: str


@dataclass(frozen=True)
class Piece:
    """Some documents that follow each other in a batch."""

    batch: Annotation
    first: int
    size: int


@dataclass(frozen=True)
class _AllNames:
    """The names of all documents of a side, which are looked up where the two sides do not go together."""

    all: Counter[str]
    is_loose: bool

    @staticmethod
    def of(batches: Iterable[Annotation], naming: Naming) -> _AllNames:
        found, is_loose = Counter[str](), True
        for batch in batches:
            names = naming.names(batch.corpus)
            found.update(names.texts(0, len(names)))
            is_loose &= naming.is_loose(batch.corpus)
        return _AllNames(found, is_loose)

    @property
    def first(self) -> str:
        return next(iter(self.all), "")

    @property
    def vague(self) -> str | None:
        """A name that does not say which document is meant: one of several, or none at all."""
        return next((name for name, count in self.all.items() if count > 1 or not name), None)


class DocumentFeed:
    """Hands out a system's documents by the names of the gold standard's; what does not fit is noted in `found`."""

    def __init__(
        self,
        sides: tuple[Open, Open],
        naming: Naming,
        found: AlignmentIssues,
        received: Callable[[Annotation], None],
        stream: Iterator[Annotation] | None = None,
    ) -> None:
        """`sides` open the system and the gold standard, and `received` is called with every batch of the system.

        `stream` are the system's batches, where they were opened already.
        """
        (self._read, self._gold), self._naming, self.found, self._received = sides, naming, found, received
        self._stream = self._read() if stream is None else stream
        self._batch: Annotation | None = None
        self._corpus: Corpus | None = None
        """That of the last batch."""
        self._batch_names, self._next = Tokens.of([]), 0
        self._waiting: dict[str, Piece] = {}
        self._names: _AllNames | None = None
        self._gold_names: _AllNames | None = None

    def pieces(self, names: Tokens) -> Iterator[Piece | str]:
        """Documents by name, together where they follow each other; the names of missing ones."""
        place = 0
        while place < len(names):
            waiting = self._waiting.pop(names[place], None) if self._waiting else None
            left = names.slice(place, len(names))
            piece = waiting or self._run(left) or self._find(left)
            place += 1 if piece is None else piece.size
            if piece is None:
                self.found.missing.append(names[place - 1])
            yield piece or names[place - 1]

    def finish(self) -> None:
        """At the end: documents that are left are extra."""
        while self._more():
            self.found.extra += self._batch_names.texts(self._next, len(self._batch_names))
            self._next = len(self._batch_names)

    def _run(self, names: Tokens) -> Piece | None:
        """The next documents, as long as they have these names, or are matched by their order."""
        if not self._more():
            return None
        assert self._batch is not None
        size = min(len(self._batch_names) - self._next, len(names))
        if not self.found.by_order:
            if self._batch_names[self._next] != names[0]:
                return None
            mine = self._batch_names.slice(self._next, self._next + size)
            other = first_difference(mine, names.slice(0, size))
            size = size if other is None else other
        self._next += size
        return Piece(self._batch, self._next - size, size)

    def _find(self, names: Tokens) -> Piece | None:
        """A document that is not the next one, if it is there at all."""
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
            mine = self._batch_names[self._next]
            piece = Piece(self._batch, self._next, 1)
            self._next += 1
            if mine == name:
                return piece
            if mine in self._gold_names.all:
                self._waiting[mine] = piece
            else:
                self.found.extra.append(mine)
        return None

    def _must_go_by_order(self, names: _AllNames, gold: _AllNames) -> bool:
        """Whether no name is that of a document on the other side, as one side has none; else that is an error."""
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
        """Whether there is another document."""
        while self._batch is None or self._next == len(self._batch_names):
            self._batch, self._next = next(self._stream, None), 0
            if self._batch is None:
                return False
            self._corpus = self._batch.corpus
            self._batch_names = self._naming.names(self._corpus)
            self._received(self._batch)
        return True


def mark(corpus: Corpus, document: int) -> int | None:
    """The line in which a document begins."""
    return corpus.first_line + int(corpus.marks[document]) if len(corpus.marks) else None


# == text/id_feed.py: Sentences or texts of a system by their ids, in the order of


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
        self.found = AlignmentIssues()
        self._layer, self._source = layer, ""
        self._reading, self._unsaid = ReadInfo(), ReadInfo()
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

    def reading(self) -> ReadInfo:
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


# == text/link_feed.py: The links of a system in the documents of the gold standard;


_SAME_TOKENS = "give the same tokens in all files"
_SAME_WORDS = "give the same words, or --align position"
_SAME_TEXT = "give the same text in all files, spaces aside"


def names_of(corpus: Corpus) -> Tokens:
    """What the documents of a text are matched by; empty where nothing says."""
    if len(corpus.names) == len(corpus.documents):
        return Tokens.of(corpus.names)
    return corpus.ids if corpus.ids is not None else Tokens.of([""] * len(corpus.documents))


_NAMING_LINK_FEED = Naming(
    names_of,
    lambda corpus: corpus.unnamed or not corpus.names or corpus.ids is not None,
    may_repeat=True,
    remedy="give documents the same names in all files",
)


class LinkFeed:
    """Hands out a system's links for each batch of the gold standard."""

    def __init__(self, read: Open, gold: Open, *, strict: bool, stream: Iterator[Annotation] | None = None) -> None:
        """`read` and `gold` open system and gold standard; `strict` refuses words that differ.

        `stream` are the system's batches, where they were opened already.
        """
        stream = read() if stream is None else stream
        self._strict, self.found = strict, AlignmentIssues()
        self.reading: ReadInfo | None = None
        first = next(stream, None)
        self._undivided = _Undivided(first) if first is not None and _is_undivided(first.corpus) else None
        if first is not None and self._undivided is not None:
            self._receive(first)
        self._documents = DocumentFeed(
            (read, gold), _NAMING_LINK_FEED, self.found, self._receive, _behind(first, stream)
        )

    def take(self, gold: Annotation) -> Spans:
        """The spans in the gold standard's documents, counted from the first token of each."""
        if self._undivided is not None:
            spans, mine, theirs = self._undivided.take(gold.corpus)
            self._compare(gold.corpus, mine, self._undivided.corpus, theirs)
            return spans
        parts, begin = [no_spans(gold.spans(LINKS).vocabulary)], 0
        shifts = [0]
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
        """At the end: documents that are left are extra."""
        if self._undivided is not None:
            self._undivided.finish()
        else:
            self._documents.finish()

    def _receive(self, batch: Annotation) -> None:
        batch.spans(LINKS)  # raises an error where there are none
        reading = batch.readings[LINKS]
        self.reading = self.reading.plus(reading) if self.reading else reading

    def _check(self, gold: Corpus, first: int, piece: Piece) -> None:
        """Refuse documents with other texts."""
        corpus = piece.batch.corpus
        if gold.bounds is None or corpus.bounds is None:
            if gold.atoms == "characters" and (gold.bounds is None) != (corpus.bounds is None):
                finding = "one side has a text, and the other one has offsets without it"
                raise InputError(corpus.source, None, finding, "give a text on both sides, or on none", "text")
            return
        mine = gold.document_bounds[first : first + piece.size + 1]
        theirs = corpus.document_bounds[piece.first : piece.first + piece.size + 1]
        other = np.flatnonzero(np.diff(mine) != np.diff(theirs)).tolist()
        if other:
            raise _length_error(gold, mine[other[0] :], corpus, theirs[other[0] :], piece.first + other[0])
        self._compare(gold, np.arange(mine[0], mine[-1]), corpus, np.arange(theirs[0], theirs[-1]))

    def _compare(self, gold: Corpus, mine: Ints, corpus: Corpus, theirs: Ints) -> None:
        """Count words that differ, or refuse them; characters that differ leave nothing to go by."""
        refusal = _SAME_TEXT if gold.atoms == "characters" else _SAME_WORDS if self._strict else None
        self.found.add_words(gold, mine, corpus, theirs, refusal)


class _Undivided:
    """A text without documents, which is cut as the gold standard is."""

    def __init__(self, annotation: Annotation) -> None:
        self.corpus = annotation.corpus
        self._spans = to_documents(annotation.spans(LINKS), self.corpus.documents, self.corpus.bounds)
        self._done = 0

    def take(self, gold: Corpus) -> tuple[Spans, Ints, Ints]:
        """The spans of the next documents, and the tokens of both sides."""
        begin, size = self._done, gold.token_count or 0
        if begin + size > (self.corpus.token_count or 0):
            own = self.corpus.token_count or 0
            finding = f"the file has {counted(own, 'token')}, and the gold standard more"
            raise InputError(self.corpus.source, self.corpus.line(own - 1), finding, _SAME_TOKENS, "text")
        self._done += size
        edges = gold.document_bounds + begin
        # A span that goes on in the next document is cut there, as its tags would be.
        parts, spans = [], self._spans
        for low, high in pairwise(edges.tolist()):
            rows = slice(np.searchsorted(spans.end, low, side="right"), np.searchsorted(spans.start, high))
            some = spans.take(rows)
            start, end = np.maximum(some.start, low) - low, np.minimum(some.end, high) - low
            parts.append(replace(some, scope=np.zeros_like(start), start=start, end=end))
        mine = np.arange(size)
        return Spans.concatenate(parts, range(len(parts))), mine, mine + begin

    def finish(self) -> None:
        if self._done < (self.corpus.token_count or 0):
            finding = f"the gold standard ends before this token, with {counted(self._done, 'token')}"
            raise InputError(self.corpus.source, self.corpus.line(self._done), finding, _SAME_TOKENS, "text")


def _is_undivided(corpus: Corpus) -> bool:
    return corpus.unnamed and not corpus.names and corpus.bounds is not None and corpus.atoms == "tokens"


def _behind(first: Annotation | None, stream: Iterator[Annotation]) -> Iterator[Annotation]:
    if first is not None:
        yield first
    yield from stream


def _spans(piece: Piece) -> Spans:
    """The spans of some documents, counted from the first one."""
    corpus = piece.batch.corpus
    spans = to_documents(piece.batch.spans(LINKS), corpus.documents, corpus.bounds)
    mine = spans.take(np.flatnonzero((spans.scope >= piece.first) & (spans.scope < piece.first + piece.size)))
    return replace(mine, scope=mine.scope - piece.first)


def _length_error(gold: Corpus, mine: Ints, corpus: Corpus, theirs: Ints, document: int) -> InputError:
    """What is wrong with a document of another length, and where that begins, if words can tell."""
    sizes = int(mine[1] - mine[0]), int(theirs[1] - theirs[0])
    place, size = 0, min(sizes)
    if gold.tokens is not None and corpus.tokens is not None:
        ranges = np.arange(mine[0], mine[0] + size), np.arange(theirs[0], theirs[0] + size)
        same = equal(gold.tokens.take(ranges[0]), corpus.tokens.take(ranges[1]))
        place = size if same.all() else int((~same).argmax())
    name = repr(names_of(corpus)[document]) if len(names_of(corpus)[document]) else f"number {document + 1}"
    unit = "characters apart from spaces" if corpus.atoms == "characters" else "tokens"
    finding = f"the document {name} has {counted_phrase(sizes[1], unit)}, in the gold standard {sizes[0]:,}"
    line = corpus.line(int(theirs[0]) + min(place, sizes[1] - 1)) if sizes[1] else mark(corpus, document)
    remedy = _SAME_TEXT if corpus.atoms == "characters" else _SAME_TOKENS
    return InputError(corpus.source, line, finding, remedy, "text")
