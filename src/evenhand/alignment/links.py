"""Align a system's entity links with the documents and tokens of the gold standard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from evenhand.alignment.documents import (
    SAME_WORDS,
    AlignmentIssues,
    BatchSlice,
    DocumentsByName,
    Naming,
    Open,
    mark,
    names_of,
)
from evenhand.alignment.parts import Batches, Follower
from evenhand.arrays import Ints
from evenhand.data.annotation import Annotation
from evenhand.data.characters import peek
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.structures import no_spans, to_documents
from evenhand.data.tokens import equal
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import InputError, counted, counted_phrase
from evenhand.settings import LINKS

_SAME_TOKENS = "use the same tokens in all files"
_SAME_TEXT = "use the same text in all files (spaces may differ)"
_BY_NAME_OR_ID = Naming(
    names_of,
    lambda corpus: corpus.unnamed or not corpus.names or corpus.ids is not None,
    may_repeat=True,
    remedy="give documents the same names in all files",
)


class LinkFollower(Follower):
    """Reads a system's links by the documents of the gold standard."""

    issues: AlignmentIssues

    def __init__(self, batches: Iterator[Annotation], sides: tuple[Open, Open], *, strict: bool) -> None:
        """`sides` open system and gold standard again; `strict` refuses words that differ."""
        self._strict, self.issues = strict, AlignmentIssues()
        first, batches = peek(batches)
        batches = map(self._receive, batches)
        self._undivided = _Undivided(batches) if first is not None and _is_undivided(first.corpus) else None
        self._documents = DocumentsByName(batches, sides, _BY_NAME_OR_ID, self.issues)

    def take(self, gold: Batches) -> Spans:
        """The spans in the next documents; missing documents have none."""
        parts, shifts, begin = [no_spans(gold[0].spans(LINKS).vocabulary)], [0], 0
        for batch in gold:
            for document, spans in self._spans(batch.corpus):
                parts.append(spans)
                shifts.append(begin + document)
            begin += len(batch.corpus.documents)
        return Spans.concatenate(parts, shifts)

    def finish(self) -> None:
        if self._undivided is not None:
            self._undivided.finish()
        else:
            self._documents.finish()

    def _spans(self, gold: Corpus) -> Iterator[tuple[int, Spans]]:
        """Yield documents of the gold standard and the spans from there on, counted from this document."""
        if gold.bounds is None:
            self._undivided = None  # it cannot be split without the lengths of documents
        if self._undivided is not None:
            spans, gold_rows, rows = self._undivided.take(gold)
            self._compare(gold, gold_rows, self._undivided.corpus, rows)
            yield 0, spans
            return
        document = 0
        for piece in self._documents.pieces(names_of(gold)):
            if isinstance(piece, str):
                document += 1
                continue
            self._check(gold, document, piece)
            yield document, _spans_of(piece)
            document += piece.size

    def _receive(self, batch: Annotation) -> Annotation:
        batch.spans(LINKS)  # raises an error if there are none
        reading = batch.readings[LINKS]
        self.reading = self.reading.plus(reading) if self.reading else reading
        return batch

    def _check(self, gold: Corpus, first: int, piece: BatchSlice) -> None:
        corpus = piece.batch.corpus
        if gold.bounds is None or corpus.bounds is None:
            if gold.atoms == "characters" and (gold.bounds is None) != (corpus.bounds is None):
                finding = "one side has a text, and the other has offsets without a text"
                raise InputError(corpus.source, None, finding, "use a text on both sides, or on neither", "text")
            return
        gold_bounds = gold.document_bounds[first : first + piece.size + 1]
        bounds = corpus.document_bounds[piece.first : piece.first + piece.size + 1]
        other = np.flatnonzero(np.diff(gold_bounds) != np.diff(bounds)).tolist()
        if other:
            raise _length_error(gold, gold_bounds[other[0] :], corpus, bounds[other[0] :], piece.first + other[0])
        self._compare(gold, np.arange(gold_bounds[0], gold_bounds[-1]), corpus, np.arange(bounds[0], bounds[-1]))

    def _compare(self, gold: Corpus, gold_rows: Ints, corpus: Corpus, rows: Ints) -> None:
        """Count words that differ, or refuse them; different characters are always refused."""
        refusal = _SAME_TEXT if gold.atoms == "characters" else SAME_WORDS if self._strict else None
        self.issues.add_words(gold, gold_rows, corpus, rows, refusal)


class _Undivided:
    """Texts without documents, one per file, which are split like the gold standard."""

    def __init__(self, batches: Iterator[Annotation]) -> None:
        self._batches = batches
        self.corpus = Corpus("", 0)
        self._spans = no_spans(Vocabulary())
        self._done = self._before = 0
        """Numbers of tokens of this file and of earlier files that have been taken."""

    def take(self, gold: Corpus) -> tuple[Spans, Ints, Ints]:
        """Return the spans of the next documents, and the tokens of both sides."""
        if not self._left:
            self._load()
        begin, size = self._done, gold.token_count or 0
        if size > self._left:
            total = self.corpus.token_count or 0
            finding = f"the file has {counted(total, 'token')}, but the gold standard has more"
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
        if self._left or (self._load() and self._left):
            finding = f"the gold standard ends before this token, with {counted(self._before + self._done, 'token')}"
            raise InputError(self.corpus.source, self.corpus.line(self._done), finding, _SAME_TOKENS, "text")

    @property
    def _left(self) -> int:
        """Number of tokens of the file that have not been taken."""
        return (self.corpus.token_count or 0) - self._done

    def _load(self) -> bool:
        """Read the next file, if there is one."""
        batch = next(self._batches, None)
        if batch is not None:
            self.corpus, self._done, self._before = batch.corpus, 0, self._before + self._done
            self._spans = to_documents(batch.spans(LINKS), self.corpus.documents, self.corpus.bounds)
        return batch is not None


def _is_undivided(corpus: Corpus) -> bool:
    return corpus.unnamed and not corpus.names and corpus.bounds is not None and corpus.atoms == "tokens"


def _spans_of(piece: BatchSlice) -> Spans:
    """Return the spans of some documents, renumbered from the first one."""
    corpus, spans = piece.batch.corpus, piece.batch.spans(LINKS)
    low, high = np.append(corpus.documents, corpus.sentences)[[piece.first, piece.first + piece.size]].tolist()
    spans = spans.take(np.flatnonzero((spans.scope >= low) & (spans.scope < high)))
    return to_documents(spans, corpus.documents, corpus.bounds).shifted(-piece.first)


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
