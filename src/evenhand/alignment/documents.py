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
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Ints, ints, ranges
from evenhand.data.annotation import Annotation, Layer, ReadInfo, tags_layer
from evenhand.data.corpus import Corpus, complete
from evenhand.data.encodings import OUTSIDE_TAGS
from evenhand.data.layers import Tags
from evenhand.data.structures import no_spans
from evenhand.data.tokens import Tokens, equal, first_difference
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, counted

MAX_FINDINGS = 1000
SAME_WORDS = "give the same words, or --align position"


class SideNames(NamedTuple):
    """Names of the two sides of a comparison in messages."""

    key: str
    """The side whose text counts."""
    other: str
    here: str
    """The side that messages are about, because its text differs."""


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
"""A function that opens a side again, from its beginning."""


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
    """The rule by which documents of a task are named."""

    names: Callable[[Corpus], Tokens]
    is_loose: Callable[[Corpus], bool]
    """Whether names are optional: if no name occurs on both sides, documents are matched by order."""
    may_repeat: bool
    """Whether two documents may have the same name, because no reader refuses it."""
    remedy: str
    mismatch: Callable[[Counter[str], Counter[str]], InputError] | None = None
    """The error for names of system and gold standard of which none is shared, if the task has its own."""


@dataclass(frozen=True)
class BatchSlice:
    """Consecutive documents or sentences of a batch."""

    batch: Annotation
    first: int
    size: int


class DocumentsByName:
    """Yields a system's documents by the names of the gold standard's, and notes mismatches in `issues`."""

    def __init__(
        self, batches: Iterator[Annotation], sides: tuple[Open, Open], naming: Naming, issues: AlignmentIssues
    ) -> None:
        """`batches` are the system's; `sides` open system and gold standard again, if their order differs."""
        self._batches, self._sides, self._naming, self._issues = batches, sides, naming, issues
        self._batch: Annotation | None = None
        self._source = ""
        self._first_line: int | None = None
        self._batch_names, self._next = Tokens.of([]), 0
        self._waiting: dict[str, BatchSlice] = {}
        self._names: tuple[Counter[str], Counter[str]] | None = None
        """The names of all documents of the system and of the gold standard, collected if their order differs."""

    def pieces(self, names: Tokens) -> Iterator[BatchSlice | str]:
        """Yield documents by name, consecutive ones together, and the names of missing documents."""
        index = 0
        while index < len(names):
            piece = self._waiting.pop(names[index], None) if self._waiting else None
            if piece is None:
                left = names.slice(index, len(names))
                piece = self._run(left) or self._find(left)
            index += 1 if piece is None else piece.size
            if piece is None:
                self._issues.missing.append(names[index - 1])
            yield piece or names[index - 1]

    def finish(self) -> None:
        while self._more():
            self._issues.extra += self._batch_names.texts(self._next, len(self._batch_names))
            self._next = len(self._batch_names)

    def _run(self, names: Tokens) -> BatchSlice | None:
        """Return the next documents, if they have these names or are matched by order."""
        if not self._more():
            return None
        assert self._batch is not None
        size = min(len(self._batch_names) - self._next, len(names))
        if not self._issues.by_order:
            if self._batch_names[self._next] != names[0]:
                return None
            other = first_difference(self._batch_names.slice(self._next, self._next + size), names.slice(0, size))
            size = size if other is None else other
        self._next += size
        return BatchSlice(self._batch, self._next - size, size)

    def _find(self, names: Tokens) -> BatchSlice | None:
        """Return a document of the system that is out of order; None if it does not exist."""
        if self._names is None:
            self._names = self._collect_names()
            return self._run(names) or self._find(names)
        system, gold = self._names
        name = names[0]
        if name not in system:
            return None
        while self._more():
            assert self._batch is not None
            next_name = self._batch_names[self._next]
            piece = BatchSlice(self._batch, self._next, 1)
            self._next += 1
            if next_name == name:
                return piece
            if next_name in gold:
                self._waiting[next_name] = piece
            else:
                self._issues.extra.append(next_name)
        return None

    def _collect_names(self) -> tuple[Counter[str], Counter[str]]:
        """Read the names of both sides, and note whether documents are matched by order.

        They are if no name is shared and one side has no names; otherwise this is an error.
        """
        (system, is_loose), (gold, gold_is_loose) = (_all_names(read(), self._naming) for read in self._sides)
        key, remedy = self._issues.sides.key, self._naming.remedy
        if system.keys() & gold.keys():
            vague = next((name for names in (gold, system) for name in names if names[name] > 1 or not name), None)
            if self._naming.may_repeat and vague is not None:
                what = f"several records have the id {vague!r}" if vague else "some records have no id"
                finding = f"{what}, and the ids do not follow each other as in {key}"
                raise InputError(self._source, None, finding, remedy, "document")
        elif system and (is_loose or gold_is_loose) and system.total() == gold.total():
            self._issues.by_order = True
        elif system and self._naming.mismatch is not None:
            raise self._naming.mismatch(system, gold)
        elif system:
            here, there = next(iter(system)), next(iter(gold), "")
            finding = f"no document of {key} is here: the first one is {here!r}, there {there!r}"
            raise InputError(self._source, self._first_line, finding, remedy, "document")
        return system, gold

    def _more(self) -> bool:
        while self._batch is None or self._next == len(self._batch_names):
            self._batch, self._next = next(self._batches, None), 0
            if self._batch is None:
                return False
            corpus = self._batch.corpus
            self._source, self._first_line = corpus.source, mark(corpus, 0)
            self._batch_names = self._naming.names(corpus)
        return True


def _all_names(batches: Iterable[Annotation], naming: Naming) -> tuple[Counter[str], bool]:
    """Return the names of all documents of a side, and whether none of its files must have names."""
    counts, is_loose = Counter[str](), True
    for batch in batches:
        names = naming.names(batch.corpus)
        counts.update(names.texts(0, len(names)))
        is_loose &= naming.is_loose(batch.corpus)
    return counts, is_loose


def mark(corpus: Corpus, document: int) -> int | None:
    """Return the first line of a document."""
    return corpus.first_line + int(corpus.marks[document]) if len(corpus.marks) else None


def _ids(corpus: Corpus) -> Tokens:
    """Return the ids of sentences; empty strings if the corpus has none."""
    return Tokens.of([""] * corpus.sentences) if corpus.ids is None else corpus.ids


_BY_ID = Naming(
    _ids, lambda corpus: True, may_repeat=True, remedy="give every record a distinct id, the same on both sides"
)


def no_row_of(document: str, source: str) -> InputError:
    """Return the error for a document of a system that a gold table of spans does not list."""
    finding = f"has spans in the document {document!r}, of which the gold standard has no row"
    remedy = "if it has no gold spans, add a row there with this document, and without start, end and label"
    return InputError(source, None, finding, remedy, "document")


class SentencesById:
    """Matches a system's sentences or texts to the gold standard's by id."""

    def __init__(
        self, batches: Iterator[Annotation], sides: tuple[Open, Open], layer: str, *, all_known: bool = True
    ) -> None:
        """`sides` open system and gold standard again; `all_known` is whether the latter has all documents."""
        self.issues = AlignmentIssues()
        self.reading: ReadInfo | None = None
        self._layer, self._source, self._all_known = layer, "", all_known
        self._documents = DocumentsByName(map(self._receive, batches), sides, _BY_ID, self.issues)

    def take(self, gold: Corpus) -> Annotation:
        """Return the system's sentences with the ids of the gold standard's; missing ones have no spans."""
        pieces, missing, begin = list[BatchSlice](), Annotation(gold, {}), 0
        for piece in self._documents.pieces(_ids(gold)):
            pieces.append(BatchSlice(missing, begin, 1) if isinstance(piece, str) else piece)
            begin += pieces[-1].size
        if len(pieces) == 1 and pieces[0].batch is not missing and begin == pieces[0].batch.corpus.sentences:
            taken = pieces[0].batch
        else:
            taken = gather(pieces or [BatchSlice(missing, 0, 0)], self._layer)
            taken = replace(taken, corpus=replace(taken.corpus, source=self._source))
        # Repairs are counted when a batch is read, not when its sentences are taken.
        reading = self.reading or ReadInfo()
        reading = replace(reading, repaired=0, first_repair=None, repeated=0, merged=0, skipped={}, kept={})
        return replace(taken, readings={self._layer: reading})

    def finish(self) -> None:
        self._documents.finish()
        if self.issues.extra and not self._all_known:
            raise no_row_of(self.issues.extra[0], self._source)

    def _receive(self, batch: Annotation) -> Annotation:
        reading, self._source = batch.readings[self._layer], batch.corpus.source
        self.reading = self.reading.plus(reading) if self.reading else reading
        return batch


def gather(pieces: Sequence[BatchSlice], layer: str) -> Annotation:
    """Concatenate sentences with their spans and, if all have them, their tags.

    There may be many short pieces in any order, so the sentences of each batch are taken together, then put in order.
    """
    batches = {id(piece.batch): piece.batch for piece in pieces}
    number_of = {key: number for number, key in enumerate(batches)}
    sizes = ints([piece.size for piece in pieces])
    source = np.repeat(ints([number_of[id(piece.batch)] for piece in pieces]), sizes)
    rows = ranges(ints([piece.first for piece in pieces]), sizes)
    same_layers = _with_same_layers(list(batches.values()), layer)
    parts = [batch.take(rows[source == number]) for number, batch in enumerate(same_layers)]
    return Annotation.concatenate(parts).take(np.argsort(np.argsort(source, kind="stable")))


def _with_same_layers(batches: Sequence[Annotation], layer: str) -> Iterator[Annotation]:
    """Yield annotations with a layer and its tags; one without the layer is a text without spans."""
    known = [batch for batch in batches if layer in batch]
    tags = complete([batch.tags(layer) for batch in known]) or []
    names = max((column.names for column in tags), key=len, default=())
    outside = next((code for code, name in enumerate(names) if name in OUTSIDE_TAGS), len(names))
    for batch in batches:
        layers: dict[str, Layer] = {name: batch[name] for name in (layer, tags_layer(layer)) if name in batch}
        if layer not in batch:
            layers[layer] = no_spans(known[0].spans(layer).vocabulary if known else Vocabulary())
            codes = np.full(batch.corpus.token_count or 0, outside)
            layers[tags_layer(layer)] = Tags(codes, names if outside < len(names) else (*names, "O"))
        if not tags:
            layers.pop(tags_layer(layer), None)
        yield Annotation(batch.corpus, layers, {})


def names_of(corpus: Corpus) -> Tokens:
    """Return the names or ids of documents; empty strings if the corpus has none."""
    if len(corpus.names) == len(corpus.documents):
        return Tokens.of(corpus.names)
    return corpus.ids if corpus.ids is not None else Tokens.of([""] * len(corpus.documents))
