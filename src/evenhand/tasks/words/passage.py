"""The way of words through their files: tags and trees are aligned and judged, portion by portion.

A portion ends where a sentence ends for the gold standard and for all systems, so that all are judged on the same
words; no number depends on where that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import reduce
from typing import Protocol

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints
from evenhand.dataclass import dataclass
from evenhand.tally import Tally
from evenhand.tasks.answers import Answers
from evenhand.tasks.passage import Numbering, Outcome, Question, VerdictRows
from evenhand.tasks.places import Places
from evenhand.tasks.units import Rows, Units
from evenhand.tasks.words.answers import answers_on_words, word_units
from evenhand.tasks.words.edge_rows import drawn_edges, edge_rows
from evenhand.tasks.words.verdicts import Heads, JudgedUnits, UnitVerdicts, sentence_of
from evenhand.text.characters import peeked
from evenhand.text.word_feed import Aligned, WaitingWords, WordFeed
from evenhand.text.words import Words

PORTION = 1 << 14
"""How many words are judged at a time: enough that the cost of a call does not count."""


class WordJudge(Protocol):
    """Judges the words of one system; tags and trees have one each."""

    def labels(self, words: Words, side: str) -> Ints:
        """The codes of the labels of words on one side."""

    def counted(self, words: Words, labels: Ints) -> Bools:
        """Which words count."""

    def heads(self, aligned: Aligned) -> Heads | None:
        """The heads of both sides; None where there are no trees."""

    def judge(self, words: JudgedUnits) -> tuple[dict[str, Tally], UnitVerdicts | None]:
        """The counts of all judges that are asked, and the verdicts on all words."""


class WordPassage:
    """One pass over the gold standard and all systems."""

    def __init__(self, asked: Question, layers: Sequence[str], judges: Mapping[str, WordJudge]) -> None:
        """`layers` are those of annotations that judges look at, and `judges` those of each system."""
        self._asked, self._judges = asked, judges
        align = asked.settings.align
        firsts, (self._gold, *streams) = zip(
            *(peeked(open_side()) for open_side in (asked.sides.gold, *asked.sides.systems.values())), strict=True
        )
        without = any(first is not None and first.corpus.tokens is None for first in firsts)
        self._by_position = align == "position" or without
        kept = (*layers, *asked.extra_layers)
        self._feeds = {
            name: WordFeed(stream, align, kept, by_position=self._by_position)
            for name, stream in zip(asked.sides.systems, streams, strict=True)
        }
        self._side = WaitingWords(kept, by_position=self._by_position)
        self._documents: list[Ints] = []
        self._judged, self._ends_apart = 0, False
        self._names: dict[int, str] = {}

    def judgements(self, number: Numbering) -> Iterator[WordJudgement]:
        for words, text in self._portions(number):
            shared = reduce(np.intersect1d, [feed.offer(words, text) for feed in self._feeds.values()])
            if len(shared):
                yield self._judge({name: feed.cut(int(shared[-1])) for name, feed in self._feeds.items()})
        rests = {name: feed.finish() for name, feed in self._feeds.items()}
        left = {name: rest for name, rest in rests.items() if rest is not None}
        if left:  # all systems were cut at the same places, so that all have as much left
            self._ends_apart = True
            yield self._judge(left)
        for name, feed in self._feeds.items():
            self._asked.system_counts[name].reading = feed.reading

    def finish(self) -> Outcome:
        return Outcome(by_position=self._by_position, ends_apart=self._ends_apart)

    def _portions(self, number: Numbering) -> Iterator[tuple[Words, Bytes]]:
        """The gold standard in portions: words and their characters."""
        waiting = 0
        for batch in self._gold:
            numbers = number(batch)
            self._documents.append(numbers.documents)
            self._names |= dict(enumerate(batch.corpus.names, numbers.first_document))
            words, _ = self._side.read(batch, numbers.groups)
            waiting += len(words)
            if waiting >= PORTION:
                yield self._side.drain()
                waiting = 0
        if waiting:
            yield self._side.drain()

    def _judge(self, aligned: Mapping[str, Aligned]) -> WordJudgement:
        asked, names = self._asked, self._asked.vocabulary.labels.values
        found = WordJudgement(self._places(next(iter(aligned.values())).gold), aligned, self._names)
        for place, (name, each) in enumerate(aligned.items()):
            side, words = asked.system_counts[name], _side_by_side(each, self._judges[name])
            found.tallies[name], verdicts = self._judges[name].judge(words)
            found.words[name] = words
            if verdicts is not None and asked.is_watched:
                found.verdicts[name] = verdicts
            if place == 0:  # every system meets all words of the gold standard
                asked.gold_count.add(words.gold[words.counted], names)
            side.add(words.system[words.kept], names)
            side.missing += len(each.gold) - len(each.rows[0])
        return found

    def _places(self, words: Words) -> Places:
        """Where the next words stand."""
        document_of = np.concatenate(self._documents)
        size, before = words.corpus.sentences, self._judged
        self._judged += size
        self._documents = [document_of[size:]]
        return Places([words.annotation], before, document_of[:size])


def _side_by_side(aligned: Aligned, judge: WordJudge) -> JudgedUnits:
    words, others = aligned.gold, aligned.system
    gold, system, sentence = judge.labels(words, "gold"), judge.labels(others, "system"), words.sentence
    start = np.arange(len(words)) - words.bounds[sentence]
    return JudgedUnits(
        aligned.rows,
        gold,
        system,
        judge.counted(words, gold),
        judge.counted(others, system),
        sentence,
        start,
        start + 1,
        sentence_of(aligned),
        words.groups,
        judge.heads(aligned),
    )


@dataclass
class WordJudgement:
    """What is said of some words of the gold standard."""

    places: Places
    aligned: Mapping[str, Aligned]
    names: Mapping[int, str]
    """What documents are called."""
    words: dict[str, JudgedUnits] = field(default_factory=dict)
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    verdicts: dict[str, UnitVerdicts] = field(default_factory=dict)
    _shown: str = ""
    """The score whose units were asked for."""

    @property
    def _first(self) -> JudgedUnits:
        return next(iter(self.words.values()))

    @property
    def groups(self) -> Ints:
        return self._first.groups

    def answers(self, by: str) -> Answers:
        return answers_on_words(by, self._judged(by))

    def units(self, by: str) -> Units:
        self._shown = by
        return word_units(by, self._judged(by))

    def _judged(self, by: str) -> list[JudgedUnits]:
        """The words of all systems or, where a score is about edges, these."""
        return [each.edges.get(by, each) for each in self.words.values()]

    def drawing(self) -> WordDrawing:
        """All words that count, also those that not all systems have."""
        first, systems = self._first, self.words.values()
        labels = [first.gold, *(each.predicted for each in systems)]
        heads = None
        if first.heads is not None:
            heads = [first.heads.gold, *(each.heads.in_gold(each.partner) for each in systems if each.heads)]
        bounds = next(iter(self.aligned.values())).gold.bounds
        return WordDrawing(bounds, labels, heads, drawn_edges(self._shown, list(systems)))

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        edges = self.words[system].edge_verdicts.get(judge)
        if edges is not None:
            yield edge_rows(self.aligned[system], edges, self.places, self.names), self.places.before
            return
        aligned, found = self.aligned[system], self.verdicts[system]
        gold, is_extra = aligned.gold, found.gold < 0
        order = np.lexsort((found.system, found.gold, is_extra, found.sentence))
        mine, theirs, sentence = (column[order] for column in (found.gold, found.system, found.sentence))
        is_extra = is_extra[order]
        start = np.where(is_extra, -1, mine - gold.bounds[sentence])
        more = {"side": is_extra.astype(np.int64)}
        if self._first.heads is not None:  # as files have them
            more["gold_head"] = np.append(gold.annotation.trees().head, -1)[mine]
            more["system_head"] = np.append(aligned.system.annotation.trees().head, -1)[theirs]
        other = aligned.system.corpus.tokens
        rows = VerdictRows(
            gold.corpus,
            sentence,
            start,
            start + 1,
            self.places.document_of[sentence],
            self.names,
            found.gold_label[order],
            found.system_label[order],
            found.kind[order],
            more,
            other.take(theirs) if other is not None and is_extra.any() else None,
        )
        yield rows, self.places.before


class WordDrawing:
    """A row a word of the gold standard: its label and, of trees, the head's place in the sentence.

    -1 is the root and -2 a head that is elsewhere; None stands for a word that a side does not have. Where edges of
    enhanced dependencies are drawn, label and head of each stand behind.
    """

    def __init__(
        self,
        bounds: Ints,
        labels: Sequence[Ints],
        heads: Sequence[Ints] | None,
        edges: Sequence[Mapping[int, Sequence[tuple[int, int]]]] = (),
    ) -> None:
        """`labels` and `heads` of each side, for all words; labels are -1 where there is no word.

        `edges` are labels and heads of all edges of words, by side and word.
        """
        self._bounds, self._labels, self._heads, self._edges = bounds.tolist(), labels, heads, edges

    def sides(self, sentence: int) -> list[Rows]:
        begin, end = self._bounds[sentence : sentence + 2]
        found: list[Rows] = []
        for side, labels in enumerate(self._labels):
            columns = [labels[begin:end]]
            if self._heads is not None:
                head = self._heads[side][begin:end]
                is_here = (begin <= head) & (head < end)
                columns.append(np.where(is_here, head - begin, np.where(head < 0, head, -2)))
            rows: Iterable[tuple[int, ...]] = zip(*(column.tolist() for column in columns), strict=True)
            if self._edges:
                rows = [(*row, *self._further(side, begin + at, begin, end)) for at, row in enumerate(rows)]
            found.append(tuple(None if row[0] < 0 else row for row in rows))
        return found

    def _further(self, side: int, word: int, begin: int, end: int) -> list[int]:
        """Labels and heads of the edges of a word."""
        edges = self._edges[side].get(word, ())
        heads = (head - begin if begin <= head < end else head if head < 0 else -2 for _, head in edges)
        return [number for (label, _), head in zip(edges, heads, strict=True) for number in (label, head)]
