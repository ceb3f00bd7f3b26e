"""The links of a system in the documents of the gold standard; `document_feed` matches the documents.

Documents are matched by their names: those that a table or a record gives, or the name of the file. Tokens must be as
many on both sides, and characters the same. A system that does not divide its tokens into documents is cut as the gold
standard is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from evenhand.arrays import Ints
from evenhand.problems import InputError, counted, counted_phrase
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.document_feed import DocumentFeed, Mismatches, Naming, Open, Piece, mark
from evenhand.text.layers import Spans
from evenhand.text.link_names import LAYER
from evenhand.text.links import in_documents, no_spans
from evenhand.text.tokens import Tokens, equal

_SAME_TOKENS = "give the same tokens in all files"
_SAME_WORDS = "give the same words, or --align position"
_SAME_TEXT = "give the same text in all files, spaces aside"


def names_of(corpus: Corpus) -> Tokens:
    """What the documents of a text are matched by; empty where nothing says."""
    if len(corpus.names) == len(corpus.documents):
        return Tokens.of(corpus.names)
    return corpus.ids if corpus.ids is not None else Tokens.of([""] * len(corpus.documents))


_NAMING = Naming(
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
        self._strict, self.found = strict, Mismatches()
        self.reading: Reading | None = None
        first = next(stream, None)
        self._undivided = _Undivided(first) if first is not None and _is_undivided(first.corpus) else None
        if first is not None and self._undivided is not None:
            self._receive(first)
        self._documents = DocumentFeed((read, gold), _NAMING, self.found, self._receive, _behind(first, stream))

    def take(self, gold: Annotation) -> Spans:
        """The spans in the gold standard's documents, counted from the first token of each."""
        if self._undivided is not None:
            spans, mine, theirs = self._undivided.take(gold.corpus)
            self._compare(gold.corpus, mine, self._undivided.corpus, theirs)
            return spans
        parts, begin = [no_spans(gold.spans(LAYER).vocabulary)], 0
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
        batch.spans(LAYER)  # raises an error where there are none
        reading = batch.readings[LAYER]
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
        self._spans = in_documents(annotation.spans(LAYER), self.corpus.documents, self.corpus.bounds)
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
    spans = in_documents(piece.batch.spans(LAYER), corpus.documents, corpus.bounds)
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
