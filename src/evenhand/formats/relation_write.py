"""Writing relations as JSON: of SpERT, of DyGIE++, and of our own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from evenhand.formats.json_spans import records, to_write
from evenhand.formats.related import links_by_sentence, relations_of
from evenhand.formats.relation_lines import NamedSpan, Record, Relation
from evenhand.text.annotation import Annotation
from evenhand.text.characters import to_tokens
from evenhand.text.relations import LAYER

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion


def write_spert(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """A list of records, one on each line."""
    opened = False
    for batch in _in_tokens(batches, conversion):
        for record in _spert(batch, conversion):
            yield (",\n" if opened else "[\n") + msgspec.json.encode(record).decode()
            opened = True
    yield "\n]\n" if opened else "[]\n"


def _spert(batch: Annotation, conversion: Conversion) -> Iterator[dict[str, Any]]:
    found = links_by_sentence(batch)
    conversion.lose(found.across, "relations across sentences")
    for sentence, spans in to_write(batch):
        entities = [{"type": span.label, "start": span.start, "end": span.end} for span in spans]
        links = found.links.get(sentence, ())
        relations = [{"type": link.label, "head": link.head, "tail": link.tail} for link in links]
        yield {"tokens": _tokens(batch, sentence), "entities": entities, "relations": relations}


def write_dygie(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """A line a document."""
    for batch in _in_tokens(batches, conversion):
        conversion.lose(_hidden(batch), "ends of relations with the bounds of an earlier span of another label")
        corpus = batch.corpus
        limits = np.append(corpus.documents, corpus.sentences).tolist()
        written = _Document(batch)
        for number, (first, last) in enumerate(pairwise(limits)):
            name = corpus.names[number] if corpus.names else str(number + 1)
            yield msgspec.json.encode({"doc_key": name, **written.of(first, last)}).decode() + "\n"


class _Document:
    """The documents of a batch, whose tokens count from the first of each."""

    def __init__(self, batch: Annotation) -> None:
        spans, bounds = batch.spans(), batch.corpus.bounds
        assert bounds is not None
        self._batch, self._bounds = batch, bounds
        self._labels = [label for label, *_ in spans.rows()]
        first = bounds[spans.scope]
        self._start, self._last = (first + spans.start).tolist(), (first + spans.end - 1).tolist()
        self._spans, self._links = dict[int, list[int]](), dict[int, list[tuple[str, int, int]]]()
        for row, scope in enumerate(spans.scope.tolist()):
            self._spans.setdefault(scope, []).append(row)
        for label, head, tail in relations_of(batch).rows():
            self._links.setdefault(int(spans.scope[head]), []).append((label, head, tail))

    def of(self, first: int, last: int) -> dict[str, Any]:
        """What stands in some sentences."""
        begin, sentences = int(self._bounds[first]), range(first, last)
        ner = [[[*self._place(row, begin), self._labels[row]] for row in self._spans.get(s, ())] for s in sentences]
        relations = [
            [
                [*self._place(head, begin), *self._place(tail, begin), label]
                for label, head, tail in self._links.get(s, ())
            ]
            for s in sentences
        ]
        return {"sentences": [_tokens(self._batch, s) for s in sentences], "ner": ner, "relations": relations}

    def _place(self, row: int, begin: int) -> tuple[int, int]:
        return self._start[row] - begin, self._last[row] - begin


def _hidden(batch: Annotation) -> int:
    """How many relations have an end whose label bounds alone do not tell."""
    spans, first = batch.spans(), dict[tuple[int, int, int], str]()
    labels = [label for label, *_ in spans.rows()]
    for label, *bounds in spans.rows():
        first.setdefault((bounds[0], bounds[1], bounds[2]), label)
    told = [first[scope, start, end] for _, scope, start, end in spans.rows()]
    return sum(told[end] != labels[end] for _, *ends in relations_of(batch).rows() for end in ends)


def write_lines(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """A record a sentence (or text)."""
    for batch in batches:
        found = links_by_sentence(batch)
        conversion.lose(found.across, "relations across sentences")
        for sentence, (words, spans) in enumerate(records(batch)):
            named = [
                NamedSpan(span.start, span.end, span.label, span.parts, span.level, number)
                for number, span in enumerate(spans, 1)
            ]
            links = found.links.get(sentence, ())
            relations = [Relation(link.head + 1, link.tail + 1, link.label, link.is_symmetric) for link in links]
            text: dict[str, Any] = {"text": words} if isinstance(words, str) else {"tokens": words}
            yield msgspec.json.encode(Record(**text, spans=named, relations=relations)).decode() + "\n"


def _tokens(batch: Annotation, sentence: int) -> list[str]:
    corpus = batch.corpus
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    return corpus.tokens.texts(*corpus.bounds[sentence : sentence + 2].tolist())


def _in_tokens(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[Annotation]:
    """Batches whose atoms are tokens, without gaps; what that loses is counted."""
    for batch in batches:
        layer = relations_of(batch)
        if layer.symmetric:
            conversion.not_carried.add("which types are symmetric (name them with --symmetric)")
        batch, misfits = to_tokens(batch)
        conversion.lose(len(misfits), "spans beginning or ending inside a token, which would grow")
        spans = batch.spans()
        conversion.lose(int(np.count_nonzero(spans.shape)), "spans with gaps, which would be filled")
        spans = replace(spans, shape=np.zeros_like(spans.shape))
        yield replace(batch, layers={LAYER: layer, "spans": spans})
