"""Several annotators on the same text: their spans, portion by portion, and who has which documents."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from evenhand.agreement.documents import LAYER, MatchedDocuments, Naming
from evenhand.arrays import Bools, Ints
from evenhand.dataclass import dataclass
from evenhand.problems import InputError
from evenhand.settings import ScoreSettings
from evenhand.tasks.passage import Numbers
from evenhand.tasks.spans.portion import Portion, SideSpans
from evenhand.tasks.spans.question import Relabeling
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.characters import peeked, same_atoms
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.unequal import ANNOTATORS

_PORTION = 1 << 14
"""How many spans of one annotator are looked at together: fewer than where scores ask for nothing but counts."""
_LARGEST = 1 << 22
"""How many atoms a portion has at most."""


@dataclass(frozen=True)
class SharedText:
    """A portion of the text, with what every annotator has of it."""

    portion: Portion
    lengths: Ints
    """How many atoms each sentence has."""
    documents: Ints
    """The number of the document of each sentence."""
    has: Bools
    """Who has which sentences, (sentences, annotators)."""
    spans: Sequence[Spans]
    continued: Sequence[Spans | None]
    """What spans cover that begin in an earlier portion."""
    names: Sequence[str]
    """What documents are called, by number; empty where they have no names."""


class Annotators:
    """One pass over the files of all annotators."""

    def __init__(
        self,
        streams: Mapping[str, Iterator[Annotation]],
        folders: Sequence[str | None],
        settings: ScoreSettings,
        vocabulary: Vocabulary,
    ) -> None:
        """`folders` are those of annotators with several files, which name documents."""
        self._settings, self._vocabulary = settings, vocabulary
        self._relabel = [Relabeling(settings, "system", name) for name in streams]
        alike = same_atoms(list(streams.values()), settings.align)
        firsts, self._streams = zip(*map(peeked, alike), strict=True)
        for first in firsts:
            _check(first)
        self._namings = list(map(Naming, folders))
        self.by_name = all(Naming(folder).names(first) for folder, first in zip(folders, firsts, strict=True))
        """Whether documents are matched by name, else by their places."""
        self.atoms = firsts[0].corpus.atoms
        self.names: list[str] = []
        """What documents are called, by number; empty where they have no names."""
        self.documents = self.sentences = 0
        self.readings: list[Reading] = []

    def portions(self) -> Iterator[SharedText]:
        """All portions, in the order of the text."""
        yield from self._by_name() if self.by_name else self._by_place()

    def _feed(self, stream: Iterator[Annotation]) -> Feed:
        feed = Feed(stream, LAYER, by_position=self._settings.align == "position", sides=ANNOTATORS)
        feed.keeps_tags = False
        return feed

    def _by_name(self) -> Iterator[SharedText]:
        """Documents that go together by name; each feed gets what its annotator has of the next portion."""
        queues: list[deque[Annotation]] = [deque() for _ in self._streams]
        feeds = [self._feed(_emptied(queue)) for queue in queues]
        matched = MatchedDocuments(self._streams, self._namings)
        self.names = matched.names
        portion, has = self._portion(), list[Bools]()
        for each in matched:
            corpus = each.text.corpus
            of_sentence = corpus.document_of(np.arange(corpus.sentences))
            self._add(portion, each.text, each.numbers[of_sentence])
            has.append(each.has[of_sentence])
            for queue, side in zip(queues, each.sides, strict=True):
                queue.append(side)
            if _is_full(portion):
                yield self._shared(portion, [portion.take(feed) for feed in feeds], np.concatenate(has))
                portion, has = self._portion(), []
        if portion.sentences:
            yield self._shared(portion, [portion.take(feed) for feed in feeds], np.concatenate(has))
        self.documents = len(matched.names)
        self.readings = [feed.reading or Reading() for feed in feeds]

    def _by_place(self) -> Iterator[SharedText]:
        """The text of the first annotator, which all others must have, too."""
        first, *others = self._streams
        feeds, portion, corpus, reading = [self._feed(each) for each in others], self._portion(), None, Reading()
        for batch in first:
            corpus = batch.corpus
            reading = reading.plus(batch.readings[LAYER]) if self.documents else batch.readings[LAYER]
            before = self.documents - int(corpus.continues and self.documents > 0)
            numbers = corpus.document_of(np.arange(corpus.sentences)) + before
            self.documents = before + len(corpus.documents)
            self._add(portion, batch, numbers)
            if _is_full(portion):
                yield self._everybodys(portion, feeds)
                portion = self._portion()
        assert corpus is not None  # a reader yields one batch at least, or raises
        if portion.sentences:
            yield self._everybodys(portion, feeds)
        for feed in feeds:
            feed.finish(corpus)
        self.readings = [reading, *(feed.reading or Reading() for feed in feeds)]

    def _everybodys(self, portion: Portion, feeds: Sequence[Feed]) -> SharedText:
        sides = [portion.gold(keeps_tags=False), *(portion.take(feed) for feed in feeds)]
        return self._shared(portion, sides, np.ones((portion.sentences, len(sides)), dtype=np.bool_))

    def _portion(self) -> Portion:
        return Portion(self._vocabulary, LAYER)

    def _add(self, portion: Portion, batch: Annotation, documents: Ints) -> None:
        first = int(documents[0]) if len(documents) else 0
        portion.add(batch, Numbers(documents, documents, self.sentences, first))
        self.sentences += batch.corpus.sentences

    def _shared(self, portion: Portion, sides: Sequence[SideSpans], has: Bools) -> SharedText:
        lengths = portion.lengths
        assert lengths is not None  # all files were looked at
        portion.use_texts()
        both = list(zip(self._relabel, sides, strict=True))
        spans = [relabel(side.spans) for relabel, side in both]
        continued = [None if side.continued is None else relabel(side.continued) for relabel, side in both]
        return SharedText(portion, lengths, portion.groups, has, spans, continued, self.names)


def _is_full(portion: Portion) -> bool:
    return len(portion) >= _PORTION or portion.size >= _LARGEST


def _emptied(queue: deque[Annotation]) -> Iterator[Annotation]:
    """What is in a queue, and what comes into it later."""
    while True:
        yield queue.popleft()


def _check(first: Annotation) -> None:
    """Refuse files whose atoms cannot be counted."""
    corpus: Corpus = first.corpus
    if first.extractions is not None:
        finding = "holds answers of a language model, which have no text and no positions"
        raise InputError(corpus.source, None, finding, "place them in the text with evenhand ground first")
    if corpus.bounds is None:
        finding = "does not say how long sentences are, so that tokens without a label cannot be counted"
        raise InputError(corpus.source, None, finding, "give a format that has all tokens, or a text")
