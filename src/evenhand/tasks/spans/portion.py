"""Batches that are judged together: some of the gold standard, and as much of each system when its turn comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.dataclass import dataclass
from evenhand.tasks.passage import OTHER_SENTENCES, Numbering, Numbers, Question, VerdictRows
from evenhand.tasks.places import Places
from evenhand.tasks.spans.feeds import Feeds
from evenhand.tasks.spans.strings import Nowhere, Strings
from evenhand.tasks.spans.values import GoldValues, PortionValues
from evenhand.tasks.spans.wording import words_in_lower_case, words_without_gaps
from evenhand.tasks.units import Units
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation
from evenhand.text.characters import same_atoms
from evenhand.text.corpus import Corpus, complete, join_columns
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags
from evenhand.text.tokens import Tokens

if TYPE_CHECKING:
    from evenhand.tasks.spans.grounded_feed import GroundedFeed

PORTION = 1 << 16
"""How many gold spans are judged at a time: enough that the cost of a call does not count."""
_LARGEST = 1 << 22
"""How many atoms a portion has at most, where there are few spans."""


@dataclass(frozen=True)
class SideSpans:
    """The spans of one side in a portion, and its tags where the file has one a token."""

    spans: Spans
    tags: Tags | None
    continued: Spans | None = None
    """What spans that begin in an earlier portion cover of this one."""
    unplaced: Spans | None = None
    """What a language model wrote that has no place in the text, at positions that no sentence has."""
    items: Strings | None = None
    """All that it wrote, wherever it stands."""
    best: Spans | None = None
    """The same where it would score best, with what has no place: an upper bound."""


class Portion:
    """Batches of the gold standard that are judged together; sentences are counted from the first one."""

    def __init__(self, vocabulary: Vocabulary, layer: str) -> None:
        self.sentences = self.size = 0
        """How many sentences and atoms there are."""
        self._vocabulary, self._layer = vocabulary, layer
        self.batches: list[Annotation] = []
        self.numbers: list[Numbers] = []
        """Where each batch stands."""
        self._texts: dict[int, Corpus] = {}
        """By batch: its characters in the text of the first system that has one, where it has tokens only."""

    def add(self, batch: Annotation, numbers: Numbers) -> None:
        """Add a batch."""
        self.batches.append(batch)
        self.numbers.append(numbers)
        self.sentences += batch.corpus.sentences
        self.size += batch.corpus.token_count or 0

    def gold(self, *, keeps_tags: bool = True) -> SideSpans:
        """The gold standard's side, with tags if somebody asks for them."""
        return self.side(self._layer, keeps_tags=keeps_tags)

    def side(self, layer: str, *, keeps_tags: bool = False) -> SideSpans:
        """What a layer of the gold standard has."""
        batches = self.batches
        tags = [each.tags(layer) if keeps_tags else None for each in batches]
        return self._side([each.spans(layer) for each in batches], tags)

    def take(self, feed: Feed | GroundedFeed) -> SideSpans:
        """The same sentences of a system."""
        if not isinstance(feed, Feed):
            return self._grounded(feed)
        spans, tags = [], []
        for number, corpus in enumerate(self._corpora):
            spans.append(feed.take(corpus))
            tags.append(feed.tags)
            if feed.text is not None:
                self._texts.setdefault(number, feed.text)
        side, lengths = self._side(spans, tags), self.lengths
        return side if lengths is None else _carried(side, feed, lengths)

    def use_texts(self) -> None:
        """Show units in the text of a system, where the gold standard has none; all systems must have been taken."""
        for number, corpus in self._texts.items():
            self.batches[number] = replace(self.batches[number], corpus=corpus)

    def _grounded(self, feed: GroundedFeed) -> SideSpans:
        """The same of a system whose strings get their places here."""
        taken, first = [feed.take(batch.corpus, batch.spans(self._layer)) for batch in self.batches], self._firsts
        best = Spans.concatenate([each.best for each in taken], first)
        missed = self.nowhere.spans(Strings.concatenate([each.best_unplaced for each in taken], first))
        return SideSpans(
            Spans.concatenate([each.spans for each in taken], first),
            None,
            unplaced=self.nowhere.spans(Strings.concatenate([each.unplaced for each in taken], first)),
            items=Strings.concatenate([each.items for each in taken], first),
            best=Spans.concatenate([best, missed], [0, 0]),
        )

    @cached_property
    def nowhere(self) -> Nowhere:
        """The positions of what the text does not have."""
        assert self.lengths is not None
        return Nowhere(self.lengths)

    @property
    def _firsts(self) -> list[int]:
        """The first sentence of each batch."""
        first: list[int] = np.cumsum([0, *(corpus.sentences for corpus in self._corpora)])[:-1].tolist()
        return first

    def _side(self, spans: Sequence[Spans], tags: Sequence[Tags | None]) -> SideSpans:
        joined = Spans.concatenate([each.into(self._vocabulary) for each in spans], self._firsts)
        known = complete(tags)
        return SideSpans(joined, None if known is None else Tags.concatenate(known))

    @property
    def _corpora(self) -> list[Corpus]:
        return [batch.corpus for batch in self.batches]

    def text_of(self, *, by_document: bool) -> Ints:
        """For each sentence the first one of its text, which is its document or itself."""
        if not by_document:
            return np.arange(self.sentences)
        firsts = [corpus.documents + first for corpus, first in zip(self._corpora, self._firsts, strict=True)]
        begins = np.concatenate(firsts)
        found: Ints = begins[np.searchsorted(begins, np.arange(self.sentences), side="right") - 1]
        return found

    def strings(self, spans: Spans) -> Strings:
        """The words of spans, without those that they leave out."""
        words = [self.places.words(scope, start, end) or "" for _, scope, start, end in spans.rows()]
        for row in np.flatnonzero(spans.shape).tolist():
            words[row] = words_without_gaps(spans, row, self.places)
        return Strings(spans.vocabulary, spans.scope, spans.label, tuple(words))

    def values(self, gold: Spans, seen: GoldValues) -> PortionValues:
        """The values of gold spans, which may have been seen before; without words there are documents only."""
        documents = np.concatenate([each.documents for each in self.numbers])
        words = words_in_lower_case(self.batches, gold, self.places)
        return seen.take(documents[gold.scope], gold.label, words, int(documents[-1]) if len(documents) else -1)

    def __len__(self) -> int:
        return sum(len(batch.spans(self._layer)) for batch in self.batches)

    @property
    def groups(self) -> Ints:
        """The group of each sentence."""
        return np.concatenate([each.groups for each in self.numbers])

    @cached_property
    def places(self) -> Places:
        """Where its sentences are."""
        documents = np.concatenate([each.documents for each in self.numbers])
        first = int(documents[0]) if len(documents) else 0
        nowhere = self.__dict__.get("nowhere")
        return Places(self.batches, self.numbers[0].sentences, documents, first, nowhere)

    @property
    def lengths(self) -> Ints | None:
        """How many tokens each sentence has, where the files say."""
        return join_columns([corpus.lengths for corpus in self._corpora])

    @property
    def weights(self) -> Values | None:
        """What each token weighs, where a column says."""
        return join_columns([corpus.weights for corpus in self._corpora])

    def _nowhere_texts(self, start: Ints) -> Tokens:
        """The texts of units that stand nowhere; empty for others."""
        return Tokens.of([self.places.nowhere_text(each) or "" for each in start.tolist()])

    def rows(self, units: Units, more: Mapping[str, Ints] | None = None) -> Iterator[tuple[VerdictRows, int]]:
        """The units under one system, batch by batch in the order of the text, for a table of verdicts."""
        order = np.lexsort((units.surplus, units.end, units.start, units.sentence))
        first = 0
        for batch, numbers in zip(self.batches, self.numbers, strict=True):
            corpus, document = batch.corpus, numbers.first_document
            bounds = np.searchsorted(units.sentence[order], (first, first + corpus.sentences))
            rows = order[slice(*bounds)]
            sentence = units.sentence[rows] - first
            nowhere = self.places.is_nowhere(units.start[rows])
            table = VerdictRows(
                corpus,
                sentence,
                np.where(nowhere, -1, units.start[rows]),
                np.where(nowhere, -1, units.end[rows]),
                corpus.document_of(sentence) + document,
                dict(enumerate(corpus.document_names, document)),
                units.gold[0, rows],
                units.predicted[0, rows],
                units.kind[0, rows],
                {
                    name: column[rows] - (first if name in OTHER_SENTENCES else 0)
                    for name, column in (more or {}).items()
                },
                self._nowhere_texts(units.start[rows]) if nowhere.any() else None,
                units.gaps(rows),
            )
            yield table, numbers.sentences
            first += corpus.sentences


class Portions:
    """One pass over the gold standard, portion by portion; every system has its own feed."""

    def __init__(self, asked: Question, streams: Sequence[Iterator[Annotation]], layers: tuple[str, str]) -> None:
        """`streams` are the gold standard and all systems, and `layers` hold the spans of each."""
        self._asked, self._layer = asked, layers[0]
        gold, *systems = same_atoms(streams, asked.settings.align)
        feeds = Feeds(asked, gold, dict(zip(asked.sides.systems, systems, strict=True)), layers)
        self._gold, self.feeds, self.texts_are_documents = feeds.gold, feeds.systems, feeds.texts_are_documents

    def take(self, number: Numbering, check: Callable[[Corpus], None] = lambda corpus: None) -> Iterator[Portion]:
        """All portions; `check` may refuse a batch, and systems must end where the gold standard does."""
        portion, corpus = self._portion(), None
        for batch in self._gold:
            corpus = batch.corpus
            check(corpus)
            portion.add(batch, number(batch))
            if len(portion) >= PORTION or portion.size >= _LARGEST:
                yield portion
                portion = self._portion()
        assert corpus is not None  # a reader yields one batch at least, or raises
        if portion.sentences:
            yield portion
        for name, feed in self.feeds.items():
            feed.finish(corpus)
            side = self._asked.system_counts[name]
            side.reading, side.breaks_differ, side.mismatches = feed.reading, feed.breaks_differ, feed.mismatches
            side.grounding = None if isinstance(feed, Feed) else feed.grounding

    def _portion(self) -> Portion:
        return Portion(self._asked.vocabulary, self._layer)


def _carried(side: SideSpans, feed: Feed, lengths: Ints) -> SideSpans:
    """The side with what reaches into it from before; what reaches beyond it is left to the next portion."""
    spans, before = side.spans, feed.reaching
    first, size = np.cumsum(lengths) - lengths, int(lengths.sum())
    if before is None and not (first[spans.scope] + spans.end > size).any():
        return side
    whole = spans.in_text(first)
    if before is not None:
        whole = Spans.concatenate([whole, before], [0, 0])
        inside = before.take(np.flatnonzero(before.start < size))
        scope = np.searchsorted(first, inside.start, side="right") - 1
        side = replace(side, continued=inside.in_scopes(scope, first))
    feed.reaching = overhang(whole, size) if (whole.end > size).any() else None
    return side


def overhang(spans: Spans, size: int) -> Spans:
    """What spans cover behind the first `size` tokens, counted from there; they are counted from the first token.

    A system may break sentences elsewhere, so that a span of its own goes on in the next portion of the gold standard.
    It belongs where it begins; but models that count tokens count the rest, too, where it is.
    """
    rest = spans.take(np.flatnonzero(spans.end > size))
    start, end = np.maximum(rest.start - size, 0), rest.end - size
    shape = rest.shape.copy()
    shapes = rest.vocabulary.shapes
    for row in np.flatnonzero(shape).tolist():
        first = int(rest.start[row]) - size
        gaps = {first + gap for gap in shapes[int(shape[row])]}
        covered = [token for token in range(int(start[row]), int(end[row])) if token not in gaps]
        start[row] = covered[0]
        shape[row] = shapes.code(tuple(gap - covered[0] for gap in sorted(gaps) if gap > covered[0]))
    return replace(rest, scope=np.zeros_like(start), start=start, end=end, shape=shape)
