"""Several annotators on the same text: documents matched by name or by position, and their spans part by part."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from evenhand.alignment.documents import ANNOTATORS, BatchSlice, gather
from evenhand.alignment.parts import Alignment, Batches, first_sentences, whole_documents
from evenhand.alignment.spans import AlignedSpans, SpanFollower
from evenhand.arrays import Bools, Ints, ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.characters import peek, same_atoms
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError
from evenhand.settings import ScoreSettings
from evenhand.tasks.evaluation import LabelFilter, Offsets, Part
from evenhand.tasks.units import Locations

LAYER = "spans"
_MANY_SPANS, _MANY_ATOMS = 1 << 12, 1 << 19
"""Spans or positions of the first annotator in a part: enough to make the cost of a call negligible."""


class DocumentNamer:
    """Names the documents of one annotator by ids, names or files or, if there are none of these, by their texts."""

    def __init__(self, folder: str | None) -> None:
        """`folder` contains the files of an annotator who has several."""
        self._folder, self._source, self._number = folder, "", 0
        self.by_text = False
        """Whether texts serve as names."""

    def names(self, annotation: Annotation) -> list[str] | None:
        """The names of the documents of a batch; None if there are none."""
        corpus = annotation.corpus
        number = len(corpus.documents)
        if corpus.ids is not None and number == corpus.sentences:
            return corpus.ids.texts(0, number)
        if corpus.names and not corpus.unnamed:
            return list(corpus.names)
        if self._folder is not None:
            return self._by_file(corpus.source, number)
        self.by_text = number == corpus.sentences and corpus.raw is not None and corpus.atoms == "characters"
        return [corpus.text(index) for index in range(number)] if self.by_text else None

    def _by_file(self, source: str, number: int) -> list[str]:
        """The path of the file in its folder; documents after the first one get numbers."""
        self._number = self._number if source == self._source else 0
        self._source = source
        path = os.path.splitext(os.path.relpath(source, self._folder))[0]
        first = self._number
        self._number += number
        return [path if index == 0 else f"{path}#{index + 1}" for index in range(first, first + number)]


@dataclass(frozen=True)
class _Piece:
    """One document of one annotator."""

    batch: Annotation
    document: int

    @property
    def sentences(self) -> tuple[int, int]:
        corpus = self.batch.corpus
        bounds = [*corpus.documents[self.document : self.document + 2].tolist(), corpus.sentences]
        return bounds[0], bounds[1]


@dataclass(frozen=True)
class Matched:
    """Some documents: the text of the first annotator who has each, and the annotation of every annotator."""

    text: Annotation
    sides: Sequence[Annotation]
    """An annotator who lacks a document has its text without spans. Annotators who are read separately are left out."""
    has: Bools
    """Whether each annotator has each document: an array of the shape (documents, annotators)."""
    numbers: Ints
    """The number of each document, in the order of first occurrence."""


class MatchedDocuments:
    """Documents by name, as they become complete."""

    def __init__(self, streams: Sequence[Iterator[Annotation]], namings: Sequence[DocumentNamer]) -> None:
        self._streams, self._namings = [whole_documents(stream) for stream in streams], namings
        self.names: list[str] = []
        """Names of documents, by number."""
        self._numbers: dict[str, int] = {}
        self._waiting: dict[int, dict[int, _Piece]] = {}

    def __iter__(self) -> Iterator[Matched]:
        reading = set(range(len(self._streams)))
        while reading:
            for side in sorted(reading):
                batch = next(self._streams[side], None)
                if batch is None:
                    reading.discard(side)
                else:
                    self._receive(side, batch)
            complete = [number for number, pieces in self._waiting.items() if len(pieces) == len(self._streams)]
            yield from self._ready(complete)
        yield from self._ready(list(self._waiting))

    def _receive(self, side: int, batch: Annotation) -> None:
        names = self._namings[side].names(batch)
        assert names is not None  # the first batch had some
        for document, name in enumerate(names):
            number = self._numbers.setdefault(name, len(self.names))
            if number == len(self.names):
                self.names.append(name)
            elif side in self._waiting.get(number, {}) or number not in self._waiting:
                finding = f"the document {name[:40]!r} occurs twice"
                raise InputError(batch.corpus.source, None, finding, "remove one of the two", "document")
            self._waiting.setdefault(number, {})[side] = _Piece(batch, document)

    def _ready(self, numbers: list[int]) -> Iterator[Matched]:
        if not numbers:
            return
        waiting = [self._waiting.pop(number) for number in numbers]
        texts = [pieces[min(pieces)] for pieces in waiting]
        sides = range(len(self._streams))
        text = _joined(texts, texts)
        sizes = [end - begin for begin, end in (piece.sentences for piece in texts)]
        documents = np.cumsum([0, *sizes[:-1]])
        names = [self.names[number] for number in numbers]
        corpus = replace(text.corpus, documents=documents)
        if not any(naming.by_text for naming in self._namings):
            corpus = replace(corpus, names=tuple(names))
        if len(corpus.names) == corpus.sentences:
            corpus = replace(corpus, ids=Tokens.of(names))
        has = np.array([[side in pieces for side in sides] for pieces in waiting], dtype=np.bool_)
        parts = [_joined([pieces.get(side) for pieces in waiting], texts) for side in sides]
        yield Matched(replace(text, corpus=corpus), parts, has, ints(numbers))


def _joined(pieces: Sequence[_Piece | None], texts: Sequence[_Piece]) -> Annotation:
    """Concatenate documents; a missing one has the text of another annotator and no spans."""
    bare = {id(text.batch): replace(text.batch, layers={}) for text in texts}
    sentences = []
    for piece, text in zip(pieces, texts, strict=True):
        first, end = (piece or text).sentences
        sentences.append(BatchSlice(bare[id(text.batch)] if piece is None else piece.batch, first, end - first))
    joined, batch = gather(sentences, LAYER), next((piece for piece in pieces if piece is not None), texts[0]).batch
    corpus = replace(joined.corpus, source=batch.corpus.source)
    return Annotation(corpus, {LAYER: joined[LAYER]}, {LAYER: batch.readings[LAYER]})


@dataclass(frozen=True)
class SharedText:
    """A part of the text, with the spans of every annotator."""

    part: Part
    lengths: Ints
    """Number of positions in each sentence."""
    documents: Ints
    """The number of the document of each sentence."""
    has: Bools
    """Whether each annotator has each sentence: an array of the shape (sentences, annotators)."""
    spans: Sequence[Spans]
    names: Sequence[str]
    """Names of documents, by number; empty if they have no names."""

    @cached_property
    def locations(self) -> Locations:
        return self.part.locations()


class Annotators:
    """One pass over the files of all annotators."""

    def __init__(
        self,
        streams: Mapping[str, Iterator[Annotation]],
        folders: Sequence[str | None],
        settings: ScoreSettings,
        vocabulary: Vocabulary,
    ) -> None:
        """`folders` belong to annotators with several files, whose names identify documents."""
        self._settings, self._vocabulary = settings, vocabulary
        self._relabel = [LabelFilter(settings, "system", name) for name in streams]
        firsts, self._streams = zip(*map(peek, same_atoms(list(streams.values()), settings.align)), strict=True)
        for first in firsts:
            _check(first)
        self._namings = list(map(DocumentNamer, folders))
        self.by_name = all(DocumentNamer(folder).names(first) for folder, first in zip(folders, firsts, strict=True))
        """Whether documents are matched by name, else by position."""
        self.atoms = firsts[0].corpus.atoms
        self.names: list[str] = []
        """Names of documents, by number; empty if they have no names."""
        self.documents = self.sentences = 0
        self.readings: list[ReadInfo] = []

    def parts(self) -> Iterator[SharedText]:
        """All parts, in the order of the text; followers of matched documents get these one after the other."""
        queues: list[deque[Annotation]] = [deque() for _ in self._streams]
        streams: list[Iterator[Annotation]] = list(map(_emptied, queues))
        matched: Iterable[Matched]
        if self.by_name:
            matched = documents = MatchedDocuments(self._streams, self._namings)
            self.names = documents.names
        else:
            matched, streams[1:] = self._by_position(), self._streams[1:]
        waiting = list[tuple[Ints, Bools]]()

        def texts() -> Iterator[Annotation]:
            for part in matched:
                corpus = part.text.corpus
                of_sentence = corpus.document_of(np.arange(corpus.sentences))
                waiting.append((part.numbers[of_sentence], part.has[of_sentence]))
                self.documents = max(self.documents, int(part.numbers.max(initial=-1)) + 1)
                for queue, side in zip(queues, part.sides, strict=False):
                    queue.append(side)
                yield part.text

        followers = {
            str(number): SpanFollower(
                stream,
                LAYER,
                by_position=self._settings.align == "position",
                keeps_tags=False,
                sides=ANNOTATORS,
            )
            for number, stream in enumerate(streams)
        }
        for gold, sides in Alignment(texts(), followers, _is_full).parts():
            numbers, has = (np.concatenate(columns) for columns in zip(*waiting, strict=True))
            size = sum(batch.corpus.sentences for batch in gold)
            waiting[:] = [(numbers[size:], has[size:])]
            yield self._shared(gold, sides, numbers[:size], has[:size])
        self.readings = [follower.reading or ReadInfo() for follower in followers.values()]

    def _by_position(self) -> Iterator[Matched]:
        """The documents of the first annotator, which all others must have, too."""
        for batch in self._streams[0]:
            corpus = batch.corpus
            first = self.documents - int(corpus.continues and self.documents > 0)
            size = len(corpus.documents)
            has = np.ones((size, len(self._streams)), dtype=np.bool_)
            yield Matched(batch, [batch], has, np.arange(first, first + size))

    def _shared(self, gold: Batches, sides: Mapping[str, AlignedSpans], documents: Ints, has: Bools) -> SharedText:
        offsets = list[Offsets]()
        for batch, first in zip(gold, first_sentences(gold), strict=True):
            numbers = documents[first : first + batch.corpus.sentences]
            offsets.append(Offsets(numbers, numbers, self.sentences, int(numbers[0]) if len(numbers) else 0))
            self.sentences += batch.corpus.sentences
        texts = next((side.texts for side in sides.values() if side.texts is not None), None)
        part = Part(gold, sides, offsets).in_texts(texts)
        assert part.lengths is not None  # all files were checked
        both = zip(self._relabel, sides.values(), strict=True)
        chosen = [relabel(side.spans.into(self._vocabulary)) for relabel, side in both]
        return SharedText(part, part.lengths, documents, has, chosen, self.names)


def _is_full(batches: Batches) -> bool:
    spans, atoms = (
        sum(len(batch.spans(LAYER)) for batch in batches),
        sum(batch.corpus.token_count or 0 for batch in batches),
    )
    return spans >= _MANY_SPANS or atoms >= _MANY_ATOMS


def _emptied(queue: deque[Annotation]) -> Iterator[Annotation]:
    """Batches of a queue, including those that are appended before it is empty."""
    while queue:
        yield queue.popleft()


def _check(first: Annotation) -> None:
    """Refuse files whose positions cannot be counted."""
    corpus: Corpus = first.corpus
    if first.extractions is not None:
        finding = "contains answers of a language model, which have no text and no positions"
        raise InputError(corpus.source, None, finding, "place them in the text with evenhand ground first")
    if corpus.bounds is None:
        finding = "does not have the lengths of sentences, so tokens without a label cannot be counted"
        raise InputError(corpus.source, None, finding, "use a format that has all tokens, or a text")
