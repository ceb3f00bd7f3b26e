"""The documents of a system, in the order of the gold standard's.

Documents are matched by their names. Where no name is on both sides, they are matched by their order if those of one
side have no names, and there are as many; else that is an error. As long as both sides have the same documents in the
same order, one batch of each is in memory. Where they have not, the names of both sides are looked up, so that only
documents that come too early wait.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field

import numpy as np

from evenhand.arrays import Ints
from evenhand.dataclass import dataclass
from evenhand.problems import InputError
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.tokens import Tokens, equal, first_difference
from evenhand.text.unequal import GOLD_AND_PREDICTION, SideNames

MOST_FINDINGS = 1000
Open = Callable[[], Iterator[Annotation]]
"""Begins to read a side anew."""


@dataclass
class Mismatches:
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

    def plus(self, other: Mismatches) -> Mismatches:
        """Those of two parts that follow each other."""
        return Mismatches(
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
        found: Mismatches,
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
