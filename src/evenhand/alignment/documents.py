"""Match a system's documents and sentences to the gold standard's by name or id.

If no name occurs on both sides, documents are matched by order, provided that one side has no names and both have the
same number of documents; otherwise this is an error.

While both sides have the same documents in the same order, one batch of each side is in memory. Once the order differs,
the names of all documents of both sides are read. The system's documents that precede the wanted one then wait in
memory, if the gold standard has them at all.
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
SAME_WORDS = "use the same words, or --align position"


class SideNames(NamedTuple):
    """What messages call the two sides of an alignment."""

    key: str
    """The side whose text counts."""
    other: str
    """The side that is aligned with it."""
    here: str
    """The same side, as the subject of a message."""


GOLD_AND_PREDICTION = SideNames("the gold standard", "the prediction", "the system")
ANNOTATORS = SideNames("the first annotator", "another annotator", "this annotator")


# Messages for texts in memory, which have no line numbers, give sentence numbers.


def shorter(gold: Corpus, system: Corpus, unit: str, sides: SideNames) -> str:
    """Return the finding for a system that ends early: the first sentence of another length, or the sentence counts."""
    if gold.lengths is not None and system.lengths is not None:
        size = min(len(gold.lengths), len(system.lengths))
        different = np.flatnonzero(gold.lengths[:size] != system.lengths[:size])
        if len(different):
            row = int(different[0])
            return other_length(row, int(gold.lengths[row]), int(system.lengths[row]), unit, sides)
    return other_number(gold.sentences, system.sentences, sides)


def other_length(sentence: int, expected: int, length: int, unit: str, sides: SideNames = GOLD_AND_PREDICTION) -> str:
    """Return the finding for a sentence (counted from 0) that has different lengths on the two sides."""
    return f"sentence {sentence + 1} has {expected} {unit} in {sides.key}, {length} in {sides.other}"


def other_number(expected: int, number: int, sides: SideNames) -> str:
    """Return the finding for sides with different numbers of sentences."""
    return f"{sides.key} has {counted(expected, 'sentence')}, {sides.other} {number:,}"


@dataclass
class AlignmentIssues:
    """Differences between a system's text and the gold standard's."""

    sides: SideNames = GOLD_AND_PREDICTION
    missing: list[str] = field(default_factory=list)
    """Names of documents (ids of sentences) that only the gold standard has."""
    extra: list[str] = field(default_factory=list)
    """Names of documents (ids of sentences) that only the system has."""
    words: int = 0
    """Number of words that differ."""
    first_word: str | None = None
    """Location and content of the first word that differs."""
    nodes: int = 0
    """Number of empty nodes that only one side has."""
    findings: list[tuple[int | None, str]] = field(default_factory=list)
    """The first `MAX_FINDINGS` words that differ: line and finding."""
    by_order: bool = False
    """Whether documents were matched by order, because no name occurs on both sides."""

    def add_words(self, gold: Corpus, gold_rows: Ints, system: Corpus, rows: Ints, remedy: str | None) -> None:
        """Compare the gold tokens `gold_rows` with the system's tokens `rows`, and count the pairs that differ.

        With a `remedy`, the first difference is an error.
        """
        if gold.tokens is None or system.tokens is None:
            return
        different = np.flatnonzero(~equal(gold.tokens.take(gold_rows), system.tokens.take(rows)))
        if not len(different):
            return
        for pair in different[: MAX_FINDINGS - len(self.findings)].tolist():
            gold_token = gold.tokens[int(gold_rows[pair])]
            token = system.tokens[int(rows[pair])]
            finding = f"found {token!r} where {self.sides.key} has {gold_token!r}"
            self.findings.append((system.line(int(rows[pair])), finding))
        line, finding = self.findings[0]
        if remedy is not None:
            raise InputError(system.source, line, finding, remedy, "text")
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
    """How the documents of a task get the names by which they are matched."""

    names: Callable[[Corpus], Tokens]
    """Return the name of each document."""
    is_loose: Callable[[Corpus], bool]
    """Return whether names are optional: if no name occurs on both sides, documents are matched by order."""
    may_repeat: bool
    """Whether two documents may have the same name, because readers accept that."""
    remedy: str
    """The remedy in errors about names."""
    mismatch: Callable[[Counter[str], Counter[str]], InputError] | None = None
    """The error for names of system and gold standard of which none is shared, if the task has its own."""


Open = Callable[[], Iterator[Annotation]]
"""A function that reads a side again, from its beginning."""


@dataclass(frozen=True)
class BatchSlice:
    """Consecutive documents or sentences of a batch."""

    batch: Annotation
    first: int
    size: int


class DocumentsByName:
    """Finds a system's documents by the names of the gold standard's, and adds mismatches to `issues`."""

    def __init__(
        self, batches: Iterator[Annotation], sides: tuple[Open, Open], naming: Naming, issues: AlignmentIssues
    ) -> None:
        """`batches` are the system's. `sides` read the system and the gold standard again, if their order differs."""
        self._batches = batches
        self._sides = sides
        self._naming = naming
        self._issues = issues
        self._batch: Annotation | None = None
        """The system's current batch."""
        self._batch_names = Tokens.of([])
        self._next = 0
        """The first document of the batch that has not been read."""
        self._source = ""
        self._first_line: int | None = None
        """The line of the first document of the batch."""
        self._waiting: dict[str, BatchSlice] = {}
        """Documents of the system that precede the document looked for, by name."""
        self._names: tuple[Counter[str], Counter[str]] | None = None
        """The names of all documents of the system and of the gold standard, collected once their order differs."""

    def pieces(self, names: Tokens) -> Iterator[BatchSlice | str]:
        """Yield the system's documents with these names, in this order; for a missing document, its name.

        Documents that follow each other in a batch are yielded together.
        """
        index = 0
        while index < len(names):
            piece = self._waiting.pop(names[index], None) if self._waiting else None
            if piece is None:
                remaining = names.slice(index, len(names))
                piece = self._in_order(remaining) or self._out_of_order(remaining)
            if piece is None:
                name = names[index]
                self._issues.missing.append(name)
                yield name
                index += 1
            else:
                yield piece
                index += piece.size

    def finish(self) -> None:
        """Note all unread documents of the system as extra."""
        while self._has_next():
            self._issues.extra += self._batch_names.texts(self._next, len(self._batch_names))
            self._next = len(self._batch_names)

    def _in_order(self, names: Tokens) -> BatchSlice | None:
        """Return the system's next documents, as far as they have these names or are matched by order."""
        if not self._has_next():
            return None
        assert self._batch is not None
        size = min(len(self._batch_names) - self._next, len(names))
        if not self._issues.by_order:
            if self._batch_names[self._next] != names[0]:
                return None
            next_names = self._batch_names.slice(self._next, self._next + size)
            different = first_difference(next_names, names.slice(0, size))
            size = size if different is None else different
        self._next += size
        return BatchSlice(self._batch, self._next - size, size)

    def _out_of_order(self, names: Tokens) -> BatchSlice | None:
        """Return the system's document with the first of these names; None if it has none.

        Documents that are read on the way wait until the gold standard names them.
        """
        if self._names is None:
            self._names = self._collect_names()
            # Documents may be matched by order from now on.
            return self._in_order(names) or self._out_of_order(names)
        system, gold = self._names
        name = names[0]
        if name not in system:
            return None
        while self._has_next():
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
        """Read the names of all documents of both sides, and decide whether documents are matched by order.

        They are if no name occurs on both sides, names are optional on one side, and both have the same number of
        documents. Other sides without a common name are an error.
        """
        read_system, read_gold = self._sides
        system, is_loose = _all_names(read_system(), self._naming)
        gold, gold_is_loose = _all_names(read_gold(), self._naming)
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
            first = next(iter(system))
            gold_first = next(iter(gold), "")
            finding = f"no document of {key} is here: the first one is {first!r}, there {gold_first!r}"
            raise InputError(self._source, self._first_line, finding, remedy, "document")
        return system, gold

    def _has_next(self) -> bool:
        """Whether the system has another document; reads its next batch if the current one is used up."""
        while self._batch is None or self._next == len(self._batch_names):
            self._batch = next(self._batches, None)
            self._next = 0
            if self._batch is None:
                return False
            corpus = self._batch.corpus
            self._source = corpus.source
            self._first_line = mark(corpus, 0)
            self._batch_names = self._naming.names(corpus)
        return True


def _all_names(batches: Iterable[Annotation], naming: Naming) -> tuple[Counter[str], bool]:
    """Return how often each name occurs on a side, and whether names are optional in all of its batches."""
    counts = Counter[str]()
    is_loose = True
    for batch in batches:
        names = naming.names(batch.corpus)
        counts.update(names.texts(0, len(names)))
        is_loose &= naming.is_loose(batch.corpus)
    return counts, is_loose


def mark(corpus: Corpus, document: int) -> int | None:
    """Return the line in which a document begins; None if it is unknown."""
    return corpus.first_line + int(corpus.marks[document]) if len(corpus.marks) else None


def _ids(corpus: Corpus) -> Tokens:
    """Return the ids of sentences; empty strings if the corpus has none."""
    return Tokens.of([""] * corpus.sentences) if corpus.ids is None else corpus.ids


_BY_ID = Naming(
    _ids, lambda corpus: True, may_repeat=True, remedy="give every record a distinct id, the same on both sides"
)


def no_row_of(document: str, source: str) -> InputError:
    """Return the error for a document of the system `source` that the gold standard, a table of spans, lacks."""
    finding = f"has spans in the document {document!r}, which has no row in the gold standard"
    remedy = "if it has no gold spans, add a row there with this document, and without start, end and label"
    return InputError(source, None, finding, remedy, "document")


class SentencesById:
    """Matches a system's sentences (or texts) to the gold standard's by id."""

    def __init__(
        self, batches: Iterator[Annotation], sides: tuple[Open, Open], layer: str, *, all_known: bool = True
    ) -> None:
        """`batches` are the system's, `sides` read the system and the gold standard again.

        With `all_known=False`, the gold standard lists only some documents, and any other document is an error.
        """
        self.issues = AlignmentIssues()
        self.reading: ReadInfo | None = None
        """How the batches were read, with their repairs."""
        self._layer = layer
        self._source = ""
        self._all_known = all_known
        self._documents = DocumentsByName(map(self._received, batches), sides, _BY_ID, self.issues)

    def take(self, gold: Corpus) -> Annotation:
        """Return the system's sentence for each sentence of a gold batch, by id; a missing one has no spans."""
        pieces = list[BatchSlice]()
        without_spans = Annotation(gold, {})
        taken_sentences = 0
        for piece in self._documents.pieces(_ids(gold)):
            pieces.append(BatchSlice(without_spans, taken_sentences, 1) if isinstance(piece, str) else piece)
            taken_sentences += pieces[-1].size
        first = pieces[0].batch if pieces else without_spans
        if len(pieces) == 1 and first is not without_spans and taken_sentences == first.corpus.sentences:
            system = first
        else:
            system = gather(pieces or [BatchSlice(without_spans, 0, 0)], self._layer)
            system = replace(system, corpus=replace(system.corpus, source=self._source))
        # Repairs are counted when a batch is read (`reading`), not when its sentences are taken.
        reading = self.reading or ReadInfo()
        reading = replace(reading, repaired=0, first_repair=None, repeated=0, merged=0, skipped={}, kept={})
        return replace(system, readings={self._layer: reading})

    def finish(self) -> None:
        """Note the system's sentences that were not taken; they are an error unless all documents are known."""
        self._documents.finish()
        if self.issues.extra and not self._all_known:
            raise no_row_of(self.issues.extra[0], self._source)

    def _received(self, batch: Annotation) -> Annotation:
        """Note how a batch of the system was read."""
        self._source = batch.corpus.source
        reading = batch.readings[self._layer]
        self.reading = self.reading.plus(reading) if self.reading else reading
        return batch


def gather(pieces: Sequence[BatchSlice], layer: str) -> Annotation:
    """Concatenate the sentences of all pieces, with their spans and, if all batches have them, their tags.

    There may be many short pieces in any order. So all sentences of a batch are taken at once, and then put in order.
    """
    batches = {id(piece.batch): piece.batch for piece in pieces}
    number_of = {key: number for number, key in enumerate(batches)}
    sizes = ints([piece.size for piece in pieces])
    batch_of = np.repeat(ints([number_of[id(piece.batch)] for piece in pieces]), sizes)
    sentences = ranges(ints([piece.first for piece in pieces]), sizes)
    same_layers = _with_same_layers(list(batches.values()), layer)
    parts = [batch.take(sentences[batch_of == number]) for number, batch in enumerate(same_layers)]
    by_batch = np.argsort(batch_of, kind="stable")
    return Annotation.concatenate(parts).take(np.argsort(by_batch))


def _with_same_layers(batches: Sequence[Annotation], layer: str) -> Iterator[Annotation]:
    """Yield all batches with the same layers: a layer of spans and, if all batches with it have them, its tags.

    A batch without the layer is the text of missing sentences. It gets no spans, and its tags are all O.
    """
    with_layer = [batch for batch in batches if layer in batch]
    tags = complete([batch.tags(layer) for batch in with_layer]) or []
    names = max((column.names for column in tags), key=len, default=())
    outside = next((code for code, name in enumerate(names) if name in OUTSIDE_TAGS), len(names))
    for batch in batches:
        layers: dict[str, Layer] = {name: batch[name] for name in (layer, tags_layer(layer)) if name in batch}
        if layer not in batch:
            layers[layer] = no_spans(with_layer[0].spans(layer).vocabulary if with_layer else Vocabulary())
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
