"""The documents of a system, in the order of the gold standard's.

Documents are matched by their names. As long as both sides have the same ones in the same order, one batch of each is
in memory. Where they have not, the names of both sides are looked up, so that only documents that come too early wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from evenhand.arrays import Ints
from evenhand.problems import InputError
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus
from evenhand.text.tokens import equal

SAME_WORDS = "give the same words, or --align position"
_MOST_FINDINGS = 1000
Open = Callable[[], Iterator[Annotation]]
"""Begins to read a side anew."""


@dataclass
class Mismatches:
    """What a system's text has otherwise than the gold standard's."""

    missing: list[str] = field(default_factory=list)
    """Documents that it does not have."""
    extra: list[str] = field(default_factory=list)
    words: int = 0
    """How many words differ."""
    first_word: str | None = None
    """Where the first one is, and what it is."""
    findings: list[tuple[int | None, str]] = field(default_factory=list)
    """Lines and what was found there, of as many as anybody reads."""

    def plus(self, other: Mismatches) -> Mismatches:
        """Those of two parts that follow each other."""
        return Mismatches(
            self.missing + other.missing,
            self.extra + other.extra,
            self.words + other.words,
            self.first_word or other.first_word,
            (self.findings + other.findings)[:_MOST_FINDINGS],
        )


@dataclass(frozen=True)
class _Piece:
    """Some documents that follow each other in a batch."""

    batch: Annotation
    first: int
    size: int


def repeated_name(source: str, name: str) -> InputError:
    finding = f"the document {name} stands in another file already"
    return InputError(source, None, finding, "give every document a name of its own", "document")


class SeenNames:
    """The names of all documents so far; files of a folder must not share any."""

    def __init__(self) -> None:
        self.sources: dict[str, str] = {}

    def add(self, batch: Annotation) -> None:
        for name in batch.corpus.names:
            if name in self.sources:
                raise repeated_name(batch.corpus.source, name)
            self.sources[name] = batch.corpus.source


class ChainFeed:
    """Hands out a system's mentions for each batch of the gold standard."""

    def __init__(self, read: Open, gold: Open, *, strict: bool) -> None:
        self._read, self._gold, self._strict = read, gold, strict
        self._stream = read()
        self._batch: Annotation | None = None
        self._next = 0
        self._waiting: dict[str, _Piece] = {}
        self._names: set[str] | None = None
        self._gold_names: set[str] = set()
        self._seen = SeenNames()
        self.reading: Reading | None = None
        self.found = Mismatches()

    def take(self, gold: Annotation) -> Chains:
        """The mentions of the gold standard's documents, numbered as these are; none for a missing one."""
        pieces = self._pieces(gold.corpus.names)
        parts, documents, begin = [], [], 0
        for piece in pieces:
            if isinstance(piece, str):
                self.found.missing.append(piece)
                begin += 1
                continue
            self._check(gold.corpus, begin, piece)
            rows = np.arange(piece.first, piece.first + piece.size)
            parts.append(piece.batch.chains().documents(rows))
            documents.append(begin)
            begin += piece.size
        return Chains.concatenate(parts, documents) if parts else Chains.none(gold.chains().vocabulary)

    def finish(self) -> None:
        """At the end: documents that are left are extra."""
        while self._more():
            assert self._batch is not None
            self.found.extra += self._batch.corpus.names[self._next :]
            self._batch = None

    def _pieces(self, names: Sequence[str]) -> Iterator[_Piece | str]:
        """Documents by name, together where they follow each other; the names of missing ones."""
        place = 0
        while place < len(names):
            piece = self._waiting.pop(names[place], None) or self._run(names[place:])
            if piece is None:
                piece = self._find(names[place])
            place += piece.size if isinstance(piece, _Piece) else 1
            yield piece or names[place - 1]

    def _run(self, names: Sequence[str]) -> _Piece | None:
        """The next documents, as long as they have these names."""
        if not self._more():
            return None
        assert self._batch is not None
        mine = self._batch.corpus.names[self._next :]
        size = next((at for at, (a, b) in enumerate(zip(mine, names, strict=False)) if a != b), None)
        size = min(len(mine), len(names)) if size is None else size
        if not size:
            return None
        self._next += size
        return _Piece(self._batch, self._next - size, size)

    def _find(self, name: str) -> _Piece | None:
        """A document that is not the next one, if it is there at all."""
        if self._names is None:
            self._names, self._gold_names = _all_names(self._read), _all_names(self._gold)
        if name not in self._names:
            return None
        while self._more():
            assert self._batch is not None
            mine = self._batch.corpus.names[self._next]
            piece = _Piece(self._batch, self._next, 1)
            self._next += 1
            if mine == name:
                return piece
            if mine in self._gold_names:
                self._waiting[mine] = piece
            else:
                self.found.extra.append(mine)
        return None

    def _more(self) -> bool:
        """Whether there is another document."""
        while self._batch is None or self._next == len(self._batch.corpus.names):
            self._batch, self._next = next(self._stream, None), 0
            if self._batch is None:
                return False
            self._batch.chains()  # raises an error where there are none
            self._seen.add(self._batch)
            reading = self._batch.reading
            self.reading = self.reading.plus(reading) if self.reading else reading
        return True

    def _check(self, gold: Corpus, first: int, piece: _Piece) -> None:
        """Raise an error if documents have other numbers of tokens; count words that differ, or raise an error."""
        corpus = piece.batch.corpus
        if gold.bounds is None or corpus.bounds is None:
            return
        mine, theirs = _edges(gold, first, piece.size), _edges(corpus, piece.first, piece.size)
        if not np.array_equal(np.diff(mine), np.diff(theirs)):
            document = int((np.diff(mine) != np.diff(theirs)).argmax())
            bounds = mine[document : document + 2], theirs[document : document + 2]
            raise _length_error(piece.first + document, gold, corpus, *bounds)
        if gold.tokens is None or corpus.tokens is None:
            return
        one = gold.tokens.slice(*mine[[0, -1]].tolist())
        other = corpus.tokens.slice(*theirs[[0, -1]].tolist())
        different = np.flatnonzero(~equal(one, other))
        if not len(different):
            return
        for token in different[: _MOST_FINDINGS - len(self.found.findings)].tolist():
            line = corpus.line(int(theirs[0]) + token)
            self.found.findings.append((line, f"found {other[token]!r} where the gold standard has {one[token]!r}"))
        line, finding = self.found.findings[0]
        if self._strict:
            raise InputError(corpus.source, line, finding, SAME_WORDS, "text")
        self.found.words += len(different)
        place = corpus.source if line is None else f"{corpus.source}:{line}"
        self.found.first_word = self.found.first_word or f"{place}: {finding}"


def _edges(corpus: Corpus, first: int, size: int) -> Ints:
    """Where documents begin, in tokens, and where the last one ends."""
    assert corpus.bounds is not None
    starts = np.append(corpus.document_starts, corpus.bounds[-1])
    found: Ints = starts[first : first + size + 1]
    return found


def _length_error(document: int, gold: Corpus, corpus: Corpus, mine: Ints, theirs: Ints) -> InputError:
    """What is wrong with a document that has another number of tokens, and where that begins, if words can tell."""
    (begin, end), (other_begin, other_end) = mine.tolist(), theirs.tolist()
    token = other_begin
    if gold.tokens is not None and corpus.tokens is not None:
        size = min(end - begin, other_end - other_begin)
        same = equal(gold.tokens.slice(begin, begin + size), corpus.tokens.slice(other_begin, other_begin + size))
        token = other_begin + (size if same.all() else int((~same).argmax()))
    name, size = corpus.names[document], other_end - other_begin
    finding = f"the document {name} has {size:,} tokens, in the gold standard {end - begin:,}"
    line = corpus.line(min(token, other_end - 1))
    if other_end == other_begin:
        line = corpus.first_line + int(corpus.marks[document]) if len(corpus.marks) else None
    return InputError(corpus.source, line, finding, "give the same tokens in all files", "text")


def _all_names(read: Open) -> set[str]:
    return {name for batch in read() for name in batch.corpus.names}
