"""Sentences or texts with spans and relations between them, as JSON formats have them, made into an annotation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from itertools import accumulate, chain

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.dataclass import dataclass
from evenhand.formats.json_records import PROBLEM
from evenhand.formats.json_spans import Ground, Span, misquoting, on_texts, on_tokens, spans_of
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings
from evenhand.text.annotation import Annotation, Layer, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.listed_parts import ListedParts
from evenhand.text.relations import LAYER, Relations
from evenhand.text.tokens import Tokens

NO_LABEL = "_"
"""The label of an argument that no span has the bounds of."""


@dataclass(frozen=True)
class Link:
    """A relation, whose ends are places in a list of spans."""

    label: str
    head: int
    tail: int
    is_symmetric: bool = False


@dataclass(frozen=True)
class Related:
    """A sentence of tokens or a text, and what stands in it."""

    line: int
    words: list[str] | str
    spans: Sequence[Span]
    links: Sequence[Link] = ()
    """Ends are places in `spans`, or behind these in those of sentences that follow."""
    identifier: str | None = None


@dataclass(frozen=True)
class Documents:
    """The first sentence of each document, and their names, if they have any."""

    first: Sequence[int] = (0,)
    names: Sequence[str | None] = field(default=())
    continues: bool = False
    """Whether the first one is the last of the batch before."""


class Reader:
    """Makes annotations of sentences, batch by batch."""

    def __init__(self, name: str, source: Source, settings: ReadSettings, vocabulary: Vocabulary) -> None:
        self._name, self._source, self._settings, self._vocabulary = name, source, settings, vocabulary

    def annotation(self, found: Sequence[Related], documents: Documents | None = None) -> Annotation:
        """Some sentences, which are all of tokens or all texts; without `documents`, each is one of its own."""
        lines = ints([each.line for each in found])
        texts = [each.words for each in found if isinstance(each.words, str)]
        if texts:
            atoms, ground = on_texts(texts, self._settings.unit)
            for at, each in enumerate(found):
                if fault := misquoting(str(each.words), each.spans, self._settings.unit):
                    self._report(found)(at, *fault)
            corpus = atoms.corpus(self._source.shown, lines)
        else:
            corpus = _of_tokens(self._source, found, lines)
            assert corpus.lengths is not None
            ground = on_tokens(corpus.lengths)
        corpus = _in_documents(corpus, found, documents)
        good = self._good(found, ground)
        lists = _chosen([each.spans for each in found], good)
        spans = spans_of(lists, ground, self._vocabulary, self._report(found))
        relations = self._relations(found, good, texts)
        reading = Reading(self._name)
        layers: dict[str, Layer] = {LAYER: relations, "spans": spans}
        return Annotation(corpus, layers, dict.fromkeys(layers, reading), self._source.name)

    def _report(self, found: Sequence[Related]) -> Callable[[int, str, str], None]:
        return lambda at, finding, remedy: self._source.report(found[at].line, finding, remedy, PROBLEM)

    def _good(self, found: Sequence[Related], ground: Ground) -> Bools:
        """Which spans cover something; the others are reported."""
        flat = list(chain.from_iterable(each.spans for each in found))
        scope = np.repeat(np.arange(len(found)), ints([len(each.spans) for each in found]))
        start = ground.place(scope, ints([span.start for span in flat]))
        end = ground.place(scope, ints([span.end for span in flat]))
        good: Bools = (start >= 0) & (end > start)
        for row in np.flatnonzero(~good).tolist():
            self._report(found)(int(scope[row]), *ground.fault(int(scope[row]), flat[row]))
        return good

    def _relations(self, found: Sequence[Related], good: Bools, texts: Sequence[str]) -> Relations:
        """The relations between spans that can be read."""
        place, rows = np.cumsum(good) - 1, list[tuple[int, int, int]]()
        symmetric, code = set[str](), self._vocabulary.labels.code
        for first, each in zip(accumulate((len(each.spans) for each in found), initial=0), found, strict=False):
            for link in each.links:
                head, tail = first + link.head, first + link.tail
                if good[head] and good[tail]:
                    rows.append((code(link.label), int(place[head]), int(place[tail])))
                    symmetric |= {link.label} if link.is_symmetric else set()
        label, head_row, tail_row = ints(rows).reshape(-1, 3).T
        parts = _listed(found, good, texts) if texts else None
        return Relations(self._vocabulary, label, head_row, tail_row, frozenset(symmetric), parts)


def _of_tokens(source: Source, found: Sequence[Related], lines: Ints) -> Corpus:
    bounds = np.append(0, np.cumsum(ints([len(each.words) for each in found])))
    return Corpus(source.shown, len(found), bounds, Tokens.of([word for each in found for word in each.words]), lines)


def _in_documents(corpus: Corpus, found: Sequence[Related], documents: Documents | None) -> Corpus:
    """The corpus with its documents and ids."""
    if documents is None:
        ids = [each.identifier for each in found if each.identifier is not None]
        known = Tokens.of(ids) if len(ids) == len(found) else None
        return replace(corpus, documents=np.arange(len(found)), ids=known)
    names = tuple(name or "" for name in documents.names)
    first = ints(documents.first)
    return replace(corpus, documents=first, names=names, unnamed=not any(names), continues=documents.continues)


def _chosen(lists: Sequence[Sequence[Span]], good: Bools) -> Sequence[Sequence[Span]]:
    """Lists of spans without those that are not good."""
    if good.all():
        return lists
    first = accumulate(map(len, lists), initial=0)
    return [
        [span for at, span in enumerate(each, begin) if good[at]] for begin, each in zip(first, lists, strict=False)
    ]


def _listed(found: Sequence[Related], good: Bools, texts: Sequence[str]) -> ListedParts:
    """The parts of spans in characters of all texts, one behind the other."""
    begins = accumulate(map(len, texts), initial=0)
    spans = [(span, begin) for begin, each in zip(begins, found, strict=False) for span in each.spans]
    spans = [each for each, is_good in zip(spans, good.tolist(), strict=True) if is_good]
    parts = [(span.parts or [(span.start, span.end)], begin) for span, begin in spans]
    first = list(accumulate((len(each) for each, _ in parts), initial=0))
    start, end = ints([(a + begin, b + begin) for each, begin in parts for a, b in each]).reshape(-1, 2).T
    return ListedParts.of("".join(texts), ints(first), start, end, ints([begin for _, begin in spans]))
