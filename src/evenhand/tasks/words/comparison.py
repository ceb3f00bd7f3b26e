"""Comparing taggers and parsers: what they say of the words that all of them have, portion by portion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints
from evenhand.comparison.counts import WORD_KINDS, Comparing
from evenhand.pipeline.run import Run, SideCount
from evenhand.settings import ColumnName, Groups, ScoreSettings
from evenhand.tally import Tally
from evenhand.tasks.answers import Answers, WordAnswers, answers_on_words
from evenhand.tasks.drawings import DrawnWords
from evenhand.tasks.places import Places
from evenhand.tasks.trees.judge import heads
from evenhand.tasks.units import heads_of, judged_words
from evenhand.tasks.words.judging import WordJudging
from evenhand.tasks.words.passage import layers_of, portions
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary
from evenhand.text.word_feed import Aligned, Side, WordFeed
from evenhand.text.words import Words


class WordComparing:
    """One pass over the gold standard and all systems, in steps of the sentence ends that all of them share."""

    def __init__(
        self,
        systems: Mapping[str, Iterator[Annotation]],
        vocabulary: Vocabulary,
        settings: ScoreSettings,
        columns: Mapping[str, ColumnName | None],
        comparing: Comparing,
        by: str,
        extra_layers: tuple[str, ...] = (),
        *,
        by_position: bool,
    ) -> None:
        self._settings, self._comparing, self._by, self._labels = settings, comparing, by, vocabulary.labels
        layers = (*layers_of(settings, columns), *extra_layers)
        self._feeds = {
            name: WordFeed(stream, settings.align, layers, by_position=by_position) for name, stream in systems.items()
        }
        self._judging = {name: WordJudging(settings, (), vocabulary, name, columns) for name in systems}
        self._side = Side(layers, by_position=by_position)
        self._tallies: dict[str, list[Tally]] = {name: [] for name in systems}
        self.run = Run(SideCount(), {name: SideCount() for name in systems})
        self._judged_sentences = 0
        self._documents: list[Ints] = []
        self.left_out = 0
        """How many words that count are not in all systems."""

    def __call__(self, gold: Iterator[Annotation], groups: Groups) -> Run:
        run = self.run
        for words, text, documents in portions(gold, self._side, run, groups):
            self._documents.append(documents)
            self._judge(words, text)
        rests = {name: feed.finish() for name, feed in self._feeds.items()}
        left = {name: rest for name, rest in rests.items() if rest is not None}
        if left:  # all systems were cut at the same places, so that all have as much left
            self._compare(left)
        for name, feed in self._feeds.items():
            run.systems[name].reading = feed.reading
        run.tallies = {name: {"words": Tally.merge(parts)} for name, parts in self._tallies.items()}
        return run

    def _judge(self, words: Words, text: Bytes) -> None:
        """Compare as far as all systems share a sentence end."""
        shared = reduce(np.intersect1d, [feed.offer(words, text) for feed in self._feeds.values()])
        if len(shared):
            self._compare({name: feed.cut(int(shared[-1])) for name, feed in self._feeds.items()})

    def _compare(self, aligned: Mapping[str, Aligned]) -> None:
        """Compare what systems say of the same words of the gold standard."""
        first = next(iter(aligned))
        words, judging = aligned[first].gold, self._judging[first]
        label = judging.labels(words, "gold")
        counted = judging.counted(words, label)
        head, answers = None, []
        for name, each in aligned.items():
            system_head = None
            if self._settings.task == "trees":
                head, system_head = heads(each)
            answers.append(WordAnswers(each, self._judging[name].labels(each.system, "system"), system_head))
            self.run.systems[name].missing += len(words) - len(each.rows[0])
        found = answers_on_words(label, head, self._by, answers, counted)
        self.left_out += int(np.count_nonzero(counted)) - len(found)
        self._count(found, words.groups)
        places = self._places(words)
        self._comparing.add(found, places)
        if self._comparing.collecting is not None:
            self._collect(label, head, answers, counted, places)

    def _collect(
        self, label: Ints, head: Ints | None, answers: Sequence[WordAnswers], counted: Bools, places: Places
    ) -> None:
        """Keep units for an error browser: all words that count, also those that not all systems have."""
        judged, partner = judged_words(label, head, self._by, answers, counted)
        labels = [label, *(np.append(each.label, -1)[row] for each, row in zip(answers, partner, strict=True))]
        heads = None
        if head is not None:
            heads = [head, *(heads_of(each, row) for each, row in zip(answers, partner, strict=True))]
        assert self._comparing.collecting is not None
        self._comparing.collecting.add(judged, places, DrawnWords(answers[0].aligned.gold.bounds, labels, heads))

    def _count(self, found: Answers, groups: Ints) -> None:
        self.run.gold.add(found.label, self._labels.values)
        group, nothing = groups[found.sentence], np.full(len(found), -1)
        for row, name in enumerate(self._tallies):
            kind = np.where(found.right[row], 0, 1)
            tally = Tally.of(self._labels.values, WORD_KINDS, group, found.label, nothing, kind)
            self._tallies[name].append(tally)
            self.run.systems[name].add(found.shown[row], self._labels.values)

    def _places(self, words: Words) -> Places:
        document_of = np.concatenate(self._documents)
        size, before = words.corpus.sentences, self._judged_sentences
        self._judged_sentences += size
        self._documents = [document_of[size:]]
        return Places([words.annotation], before, document_of[:size])
