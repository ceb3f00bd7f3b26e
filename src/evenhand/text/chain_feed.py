"""The documents of a system, in the order of the gold standard's.

Documents are matched by their names. Where no name is on both sides, they are matched by their order if those of one
side have no names, and there are as many; else that is an error. As long as both sides have the same documents in the
same order, one batch of each is in memory. Where they have not, the names of both sides are looked up, so that only
documents that come too early wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from evenhand.arrays import Ints
from evenhand.problems import InputError
from evenhand.text.all_names import AllNames, all_names
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus
from evenhand.text.empty_nodes import NodeAlignment, TokenKinds, have_same_nodes
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
    nodes: int = 0
    """How many empty nodes only one side has."""
    findings: list[tuple[int | None, str]] = field(default_factory=list)
    """Lines and what was found there, of as many as anybody reads."""

    def plus(self, other: Mismatches) -> Mismatches:
        """Those of two parts that follow each other."""
        return Mismatches(
            self.missing + other.missing,
            self.extra + other.extra,
            self.words + other.words,
            self.first_word or other.first_word,
            self.nodes + other.nodes,
            (self.findings + other.findings)[:_MOST_FINDINGS],
        )


@dataclass(frozen=True)
class _Piece:
    """Some documents that follow each other in a batch."""

    batch: Annotation
    first: int
    size: int

    @property
    def chains(self) -> Chains:
        return self.batch.chains().documents(np.arange(self.first, self.first + self.size))


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
        self._names: AllNames | None = None
        self._gold_names = AllNames()
        self._by_order = False
        self._seen = SeenNames()
        self._unnamed = self._gold_unnamed = True
        self._source = ""
        self.reading: Reading | None = None
        self.found = Mismatches()

    def take(self, gold: Annotation) -> Chains:
        """The mentions of the gold standard's documents, numbered as these are; none for a missing one."""
        self._gold_unnamed &= gold.corpus.unnamed
        pieces = self._pieces(gold.corpus.names)
        parts, documents, begin = [], [], 0
        for piece in pieces:
            if isinstance(piece, str):
                self.found.missing.append(piece)
                begin += 1
                continue
            for size, chains in self._aligned(gold.corpus, begin, piece):
                parts.append(chains)
                documents.append(begin)
                begin += size
        return Chains.concatenate(parts, documents) if parts else Chains.none(gold.chains().vocabulary)

    def finish(self) -> None:
        """At the end: documents that are left are extra."""
        while self._more():
            assert self._batch is not None
            self.found.extra += self._batch.corpus.names[self._next :]
            self._next = len(self._batch.corpus.names)
        if self._unnamed and self._gold_unnamed and (self.found.missing or self.found.extra):
            finding = "documents have no names, and are not as many as in the gold standard"
            raise InputError(self._source, None, finding, "name them, or give as many in all files", "document")

    def _pieces(self, names: Sequence[str]) -> Iterator[_Piece | str]:
        """Documents by name, together where they follow each other; the names of missing ones."""
        place = 0
        while place < len(names):
            piece = self._waiting.pop(names[place], None) or self._run(names[place:])
            if piece is None:
                piece = self._find(names[place:])
            place += piece.size if isinstance(piece, _Piece) else 1
            yield piece or names[place - 1]

    def _run(self, names: Sequence[str]) -> _Piece | None:
        """The next documents, as long as they have these names, or are matched by their order."""
        if not self._more():
            return None
        assert self._batch is not None
        mine = self._batch.corpus.names[self._next :]
        size = next((at for at, (a, b) in enumerate(zip(mine, names, strict=False)) if a != b), None)
        size = min(len(mine), len(names)) if size is None or self._by_order else size
        if not size:
            return None
        self._next += size
        return _Piece(self._batch, self._next - size, size)

    def _find(self, names: Sequence[str]) -> _Piece | None:
        """A document that is not the next one, if it is there at all."""
        if self._names is None:
            self._names, self._gold_names = all_names(self._read()), all_names(self._gold())
            self._by_order = self._must_go_by_order(self._names, self._gold_names)
            return self._run(names) or self._find(names)
        name = names[0]
        if name not in self._names.all:
            return None
        while self._more():
            assert self._batch is not None
            mine = self._batch.corpus.names[self._next]
            piece = _Piece(self._batch, self._next, 1)
            self._next += 1
            if mine == name:
                return piece
            if mine in self._gold_names.all:
                self._waiting[mine] = piece
            else:
                self.found.extra.append(mine)
        return None

    def _must_go_by_order(self, names: AllNames, gold: AllNames) -> bool:
        """Whether no name is that of a document on the other side, as one side has none; else that is an error."""
        if not names.all or names.all & gold.all:
            return False
        if (names.unnamed or gold.unnamed) and len(names.all) == len(gold.all):
            return True
        assert self._batch is not None  # there are names
        finding = f"no document of the gold standard is here: the first one is {names.first!r}, there {gold.first!r}"
        remedy = "give documents the same names in all files"
        raise InputError(self._batch.corpus.source, _mark(self._batch.corpus, 0), finding, remedy, "document")

    def _more(self) -> bool:
        """Whether there is another document."""
        while self._batch is None or self._next == len(self._batch.corpus.names):
            self._batch, self._next = next(self._stream, None), 0
            if self._batch is None:
                return False
            self._batch.chains()  # raises an error where there are none
            self._seen.add(self._batch)
            self._unnamed &= self._batch.corpus.unnamed
            self._source = self._batch.corpus.source
            reading = self._batch.reading
            self.reading = self.reading.plus(reading) if self.reading else reading
        return True

    def _aligned(self, gold: Corpus, first: int, piece: _Piece) -> Iterator[tuple[int, Chains]]:
        """The mentions of documents in tokens of the gold standard, and of how many documents they are."""
        corpus = piece.batch.corpus
        if gold.bounds is None or corpus.bounds is None:
            yield piece.size, piece.chains
            return
        mine = gold.document_bounds[first : first + piece.size + 1]
        theirs = corpus.document_bounds[piece.first : piece.first + piece.size + 1]

        def tokens(begin: int, end: int) -> tuple[TokenKinds, TokenKinds]:
            """Those of some documents, on both sides."""
            return TokenKinds(gold, *mine[[begin, end]].tolist()), TokenKinds(corpus, *theirs[[begin, end]].tolist())

        whole = tokens(0, piece.size)
        if not have_same_nodes(*whole):
            for number in range(piece.size):
                yield 1, self._with_nodes(_Piece(piece.batch, piece.first + number, 1), *tokens(number, number + 1))
            return
        other = np.flatnonzero(np.diff(mine) != np.diff(theirs)).tolist()
        if other:
            raise _length_error(piece.first + other[0], *tokens(other[0], other[0] + 1))
        self._compare(gold, whole[0].words, corpus, whole[1].words)
        yield piece.size, piece.chains

    def _with_nodes(self, piece: _Piece, gold: TokenKinds, system: TokenKinds) -> Chains:
        """The mentions of one document, whose empty nodes are aligned by themselves."""
        if len(gold.words) == len(system.words) and (len(gold) or not len(system)):
            alignment = NodeAlignment(gold, system)
            self._compare(gold.corpus, gold.words, system.corpus, system.words)
            self.found.nodes += alignment.one_sided
            return alignment.moved(piece.chains)
        # In formats that know none, empty nodes are words.
        if len(gold) == len(system) and not (len(gold.nodes) and len(system.nodes)):
            self._compare(gold.corpus, gold.all, system.corpus, system.all)
            return piece.chains
        raise _length_error(piece.first, gold, system)

    def _compare(self, gold: Corpus, mine: Ints, corpus: Corpus, theirs: Ints) -> None:
        """Count words that differ, or raise an error; `mine` and `theirs` are tokens, in pairs."""
        if gold.tokens is None or corpus.tokens is None:
            return
        different = np.flatnonzero(~equal(gold.tokens.take(mine), corpus.tokens.take(theirs)))
        if not len(different):
            return
        for pair in different[: _MOST_FINDINGS - len(self.found.findings)].tolist():
            one, other = gold.tokens[int(mine[pair])], corpus.tokens[int(theirs[pair])]
            finding = f"found {other!r} where the gold standard has {one!r}"
            self.found.findings.append((corpus.line(int(theirs[pair])), finding))
        line, finding = self.found.findings[0]
        if self._strict:
            raise InputError(corpus.source, line, finding, SAME_WORDS, "text")
        self.found.words += len(different)
        place = corpus.source if line is None else f"{corpus.source}:{line}"
        self.found.first_word = self.found.first_word or f"{place}: {finding}"


def _length_error(document: int, gold: TokenKinds, system: TokenKinds) -> InputError:
    """What is wrong with a document that has another number of words, and where that begins, if words can tell."""
    corpus, place = system.corpus, 0
    mine, theirs, unit = gold.words, system.words, "words, empty nodes aside"
    if len(mine) == len(theirs) or not (len(gold.nodes) or len(system.nodes)):
        mine, theirs, unit = gold.all, system.all, "tokens"
    if gold.corpus.tokens is not None and corpus.tokens is not None:
        size = min(len(mine), len(theirs))
        same = equal(gold.corpus.tokens.take(mine[:size]), corpus.tokens.take(theirs[:size]))
        place = size if same.all() else int((~same).argmax())
    finding = f"the document {corpus.names[document]} has {len(theirs):,} {unit}, in the gold standard {len(mine):,}"
    line = corpus.line(int(theirs[min(place, len(theirs) - 1)])) if len(theirs) else _mark(corpus, document)
    return InputError(corpus.source, line, finding, "give the same tokens in all files", "text")


def _mark(corpus: Corpus, document: int) -> int | None:
    """The line in which a document begins."""
    return corpus.first_line + int(corpus.marks[document]) if len(corpus.marks) else None
