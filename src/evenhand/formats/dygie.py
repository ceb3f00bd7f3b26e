"""JSON lines as DyGIE++ and SciERC have them: a document a line, with its sentences, entities and relations.

`{"doc_key": "name", "sentences": [["Ada", "left"]], "ner": [[[0, 0, "PER"]]], "relations": [[[0, 0, 1, 1, "does"]]]}`:
entities are first token, last token and label, relations the first and last tokens of head and tail and the type, in a
list a sentence; tokens count through the document. If the first documents show that tokens are counted anew in each
sentence, they are read like this. Values after a label are ignored. A system's file may
have `predicted_ner` and `predicted_relations`; `--column` names `relations` or `predicted_relations`. An argument has
the label of the first entity with its bounds, or `_`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import Any

import msgspec

from evenhand.formats.json_records import PROBLEM, UNREADABLE, decoded_lines
from evenhand.formats.json_spans import Span
from evenhand.formats.relation_formats import DYGIE
from evenhand.formats.relation_records import NO_LABEL, Documents, Link, Reader, Related
from evenhand.formats.source import Source
from evenhand.problems import SettingError, counted
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

RELATIONS = ("relations", "predicted_relations")
RESTARTED = "tokens-of-each-sentence"
"""How tokens count that do not count through the document."""
_BLOCKS, _SAMPLE = 4, 1 << 14
_ENTITY = "write entities as [first token, last token, label]"
_RELATION = "write relations as [first, last, first, last, type]: tokens of head and tail, and the type"
Rows = list[list[list[Any]]]


class Document(msgspec.Struct, gc=False):
    """One line. What is not named here is not looked at."""

    sentences: list[list[str]]
    doc_key: str | None = None
    ner: Rows | None = None
    relations: Rows | None = None
    predicted_ner: Rows | None = None
    predicted_relations: Rows | None = None


_DECODER = msgspec.json.Decoder(Document)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole documents."""
    reader, prefix = Reader(DYGIE.name, source, settings, vocabulary), _prefix(settings)
    restarts, is_predicted = _restarts(source, prefix), False
    for block in source.blocks(_BLOCKS * settings.block_size, cut_behind="line"):
        found, first, names = list[Related](), list[int](), list[str | None]()
        for line, document in decoded_lines(source, block, _DECODER.decode):
            fault = _through_document(document, prefix) if restarts else None
            fault = fault or _fault(document, prefix)
            if fault is not None:
                source.report(line, *fault, PROBLEM)
                continue
            is_predicted |= document.predicted_ner is not None or document.predicted_relations is not None
            first.append(len(found))
            names.append(document.doc_key)
            found += _Related(document, line, prefix).sentences()
        if found:
            batch = reader.annotation(found, Documents(first, names))
            batch = _naming_layer(batch, prefix, is_predicted)
            if restarts:
                readings = {layer: replace(each, offsets=RESTARTED) for layer, each in batch.readings.items()}
                batch = replace(batch, readings=readings)
            yield batch


def _naming_layer(batch: Annotation, prefix: str | None, is_predicted: bool) -> Annotation:
    """The same, with the layer of predictions named where documents have one and it is read."""
    if not prefix or not is_predicted:
        return batch
    readings = {name: replace(each, column=RELATIONS[1]) for name, each in batch.readings.items()}
    return replace(batch, readings=readings)


def _restarts(source: Source, prefix: str | None) -> bool:
    """Whether tokens are counted anew in each sentence: the entities of the first documents fit only so."""
    sample, is_document, is_sentence = source.sample(_SAMPLE), True, True
    for line in sample.data[: sample.size].split(b"\n"):
        try:
            document = _DECODER.decode(line)
        except UNREADABLE:
            continue
        ends = list(accumulate(map(len, document.sentences), initial=0))
        for at, row in _rows(document, prefix):
            is_document &= at < len(document.sentences) and ends[at] <= row[0] <= row[1] < ends[at + 1]
            is_sentence &= at < len(document.sentences) and 0 <= row[0] <= row[1] < len(document.sentences[at])
    return is_sentence and not is_document


def _rows(document: Document, prefix: str | None) -> Iterator[tuple[int, list[Any]]]:
    """The entities of a document with the numbers of their sentences."""
    ner, _ = _keys(document, prefix)
    return ((at, row) for at, rows in enumerate(ner or ()) for row in rows if _is_row(row, 2))


def _through_document(document: Document, prefix: str | None) -> tuple[str, str] | None:
    """Count the tokens of a document through it, where they were counted in each sentence; what is wrong, or None."""
    begins = list(accumulate(map(len, document.sentences), initial=0))
    for rows, width in zip(_keys(document, prefix), (2, 4), strict=True):
        for at, row in ((at, row) for at, some in enumerate(rows or ()) for row in some):
            if not _is_row(row, width) or at >= len(document.sentences):
                continue  # which is reported in any case
            size = len(document.sentences[at])
            if min(row[:width]) < 0 or max(row[:width]) >= size:
                finding = f"{row!r} is outside its sentence, which has {counted(size, 'token')}"
                return f"{finding}, and tokens are counted anew in each sentence of this file", _ENTITY
            row[:width] = [token + begins[at] for token in row[:width]]
    return None


def _prefix(settings: ReadSettings) -> str | None:
    """What stands before the keys that a user names; None where nobody does, and the side decides."""
    for column in settings.columns:
        if column not in RELATIONS:
            raise SettingError(f"{column!r} holds no relations; choose one of {', '.join(RELATIONS)}.")
    named = next(map(str, settings.columns), "predicted_relations" if settings.side == "system" else None)
    return None if named is None else named.removesuffix("relations")


def _keys(document: Document, prefix: str | None) -> tuple[Rows | None, Rows | None]:
    """The entities and relations that are wanted, or those that there are."""
    ner, relations = (document.ner, document.predicted_ner), (document.relations, document.predicted_relations)
    if prefix:
        ner, relations = ner[::-1], relations[::-1]
    return ner[0] if ner[0] is not None else ner[1], relations[0] if relations[0] is not None else relations[1]


def _fault(document: Document, prefix: str | None) -> tuple[str, str] | None:
    """What is wrong with a document, and what to do."""
    ner, relations = _keys(document, prefix)
    if ner is None and relations is None:
        return "the document has neither ner nor relations", "give its relations, or an empty list a sentence"
    size, sentences = sum(map(len, document.sentences)), len(document.sentences)
    for name, rows, width, remedy in (("ner", ner, 2, _ENTITY), ("relations", relations, 4, _RELATION)):
        if rows is None:
            continue
        if len(rows) != sentences:
            return (
                f"got {counted(len(rows), 'list')} of {name} for {counted(sentences, 'sentence')}",
                "give a list for each sentence",
            )
        for row in chain.from_iterable(rows):
            if not _is_row(row, width):
                return f"{row!r} is no entry of {name}", remedy
            if any(not 0 <= a <= b < size for a, b in zip(row[:width:2], row[1:width:2], strict=True)):
                return f"{row!r} is outside the document, which has {counted(size, 'token')}", f"count from 0; {remedy}"
    return _elsewhere(document, prefix) or _torn(document, ner, relations)


def _elsewhere(document: Document, prefix: str | None) -> tuple[str, str] | None:
    """Whether an entity is not in the sentence that lists it."""
    ends = list(accumulate(map(len, document.sentences), initial=0))
    for at, row in _rows(document, prefix):
        if not ends[at] <= row[0] < ends[at + 1]:
            finding = (
                f"{row!r} is listed with sentence {at + 1}, which has the tokens {ends[at]:,} to {ends[at + 1] - 1:,}"
            )
            return finding, "count tokens through the document, in all documents or in none"
    return None


def _is_row(row: Sequence[Any], width: int) -> bool:
    return len(row) > width and all(type(each) is int for each in row[:width]) and isinstance(row[width], str)


def _torn(document: Document, ner: Rows | None, relations: Rows | None) -> tuple[str, str] | None:
    """Whether a span reaches over the end of its sentence."""
    begins = list(accumulate(map(len, document.sentences), initial=0))
    pairs = [(row[0], row[1]) for row in chain.from_iterable(ner or ())]
    pairs += [pair for row in chain.from_iterable(relations or ()) for pair in ((row[0], row[1]), (row[2], row[3]))]
    torn = next((pair for pair in pairs if bisect_right(begins, pair[0]) != bisect_right(begins, pair[1])), None)
    if torn is None:
        return None
    return f"the span [{torn[0]}, {torn[1]}] reaches over the end of its sentence", "mend its tokens"


class _Related:
    """A document, whose spans are those of its entities and of arguments that are none."""

    def __init__(self, document: Document, line: int, prefix: str | None) -> None:
        self._document, self._line = document, line
        ner, relations = _keys(document, prefix)
        self._begins = list(accumulate(map(len, document.sentences), initial=0))
        self._spans: list[list[Span]] = [[] for _ in document.sentences]
        self._places: dict[tuple[int, int], tuple[int, int]] = {}
        for first, last, label, *_ in chain.from_iterable(ner or ()):
            self._add(first, last, label)
        self._links = [
            (row[4], self._place(row[0], row[1]), self._place(row[2], row[3]))
            for row in chain.from_iterable(relations or ())
        ]

    def _add(self, first: int, last: int, label: str) -> tuple[int, int]:
        sentence = bisect_right(self._begins, first) - 1
        begin = self._begins[sentence]
        spans = self._spans[sentence]
        spans.append(Span(first - begin, last + 1 - begin, label))
        return self._places.setdefault((first, last), (sentence, len(spans) - 1))

    def _place(self, first: int, last: int) -> tuple[int, int]:
        """The sentence of a span and its place there; it is added if there is none."""
        return self._places.get((first, last)) or self._add(first, last, NO_LABEL)

    def sentences(self) -> Iterator[Related]:
        """The sentences; relations stand in that of the first of their ends."""
        before = list(accumulate(map(len, self._spans), initial=0))
        links: list[list[Link]] = [[] for _ in self._spans]
        for label, (sentence, at), (other, place) in self._links:
            here = min(sentence, other)
            ends = (before[sentence] + at - before[here], before[other] + place - before[here])
            links[here].append(Link(label, *ends))
        for words, spans, own in zip(self._document.sentences, self._spans, links, strict=True):
            yield Related(self._line, words, spans, own)
