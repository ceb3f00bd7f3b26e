"""The documents of several annotators, matched by name: what each of them has, and what it lacks.

Annotators are read in turns, a batch at a time. A document is complete when all have it, and goes on at once; one that
somebody lacks waits until all files are read. So memory is bounded where everybody has the same documents.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.dataclass import dataclass
from evenhand.problems import InputError
from evenhand.tasks.spans.feeds import whole_documents
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.id_feed import TextPart, cut_out, joined_spans
from evenhand.text.tokens import Tokens

LAYER = "spans"


class Naming:
    """What the documents of one annotator are called: by ids, names, files or, where there is nothing else, texts."""

    def __init__(self, folder: str | None) -> None:
        """`folder` is the one that files are in, where an annotator has several."""
        self._folder, self._source, self._number = folder, "", 0
        self.by_text = False
        """Whether texts are their own names."""

    def names(self, annotation: Annotation) -> list[str] | None:
        """The names of the documents of a batch; None where nothing names them."""
        corpus = annotation.corpus
        number = len(corpus.documents)
        if corpus.ids is not None and number == corpus.sentences:
            return corpus.ids.texts(0, number)
        if corpus.names and not corpus.unnamed:
            return list(corpus.names)
        if self._folder is not None:
            return self._by_file(corpus.source, number)
        self.by_text = number == corpus.sentences and corpus.raw is not None and corpus.atoms == "characters"
        return [corpus.text(at) for at in range(number)] if self.by_text else None

    def _by_file(self, source: str, number: int) -> list[str]:
        """The path of the file in its folder; documents behind its first have numbers."""
        self._number = self._number if source == self._source else 0
        self._source = source
        path = os.path.splitext(os.path.relpath(source, self._folder))[0]
        first = self._number
        self._number += number
        return [path if at == 0 else f"{path}#{at + 1}" for at in range(first, first + number)]


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
    """Some documents: the text of the first annotator who has each, and what every annotator put on it."""

    text: Annotation
    sides: Sequence[Annotation]
    """Who lacks a document has its text without spans."""
    has: Bools
    """Who has which, (documents, annotators)."""
    numbers: Ints
    """The number of each document, in the order in which they are first met."""


class MatchedDocuments:
    """Documents by name, as they become complete."""

    def __init__(self, streams: Sequence[Iterator[Annotation]], namings: Sequence[Naming]) -> None:
        self._streams, self._namings = [whole_documents(stream) for stream in streams], namings
        self.names: list[str] = []
        """What documents are called, by number."""
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
            yield from self._ready([each for each, had in self._waiting.items() if len(had) == len(self._streams)])
        yield from self._ready(list(self._waiting))

    def _receive(self, side: int, batch: Annotation) -> None:
        names = self._namings[side].names(batch)
        assert names is not None  # the first batch had some
        for document, name in enumerate(names):
            number = self._numbers.setdefault(name, len(self.names))
            if number == len(self.names):
                self.names.append(name)
            elif side in self._waiting.get(number, {}) or number not in self._waiting:
                finding = f"the document {name[:40]!r} is there twice"
                raise InputError(batch.corpus.source, None, finding, "leave one of the two out", "document")
            self._waiting.setdefault(number, {})[side] = _Piece(batch, document)

    def _ready(self, numbers: list[int]) -> Iterator[Matched]:
        if not numbers:
            return
        found = [self._waiting.pop(number) for number in numbers]
        texts = [had[min(had)] for had in found]
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
        has = np.array([[side in had for side in sides] for had in found], dtype=np.bool_)
        parts = [_joined([had.get(side) for had in found], texts) for side in sides]
        yield Matched(replace(text, corpus=corpus), parts, has, ints(numbers))


def _joined(pieces: Sequence[_Piece | None], texts: Sequence[_Piece]) -> Annotation:
    """Documents one after the other; one that is lacking has the text of another annotator and no spans."""
    parts = list[TextPart]()
    runs = groupby(enumerate(zip(pieces, texts, strict=True)), key=_run_of)
    for _, run in runs:
        both = [pair for _, pair in run]
        first, last = (both[at][0] or both[at][1] for at in (0, -1))
        parts.append(_part(first.batch, first.sentences[0], last.sentences[1], has_spans=both[0][0] is not None))
    corpus = Corpus.concatenate([part.corpus for part in parts])
    batch = next((piece for piece in pieces if piece is not None), texts[0]).batch
    readings = {LAYER: batch.readings[LAYER]}
    return Annotation(replace(corpus, source=batch.corpus.source), {LAYER: joined_spans(parts)}, readings)


def _run_of(numbered: tuple[int, tuple[_Piece | None, _Piece]]) -> tuple[int, bool, int]:
    """What documents that follow each other in one batch have in common."""
    place, (piece, text) = numbered
    chosen = piece or text
    return id(chosen.batch), piece is not None, chosen.document - place


def _part(batch: Annotation, first: int, end: int, *, has_spans: bool) -> TextPart:
    corpus = cut_out(batch.corpus, first, end)
    if not has_spans:
        return TextPart(corpus)
    spans = batch.spans(LAYER)
    mine = spans.take(np.flatnonzero((spans.scope >= first) & (spans.scope < end)))
    return TextPart(corpus, replace(mine, scope=mine.scope - first))
