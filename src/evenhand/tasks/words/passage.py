"""The path of words in this process: tags and trees are read, aligned, judged and tallied, portion by portion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from evenhand.arrays import Bytes, Ints
from evenhand.pipeline.run import Run, SideCount
from evenhand.settings import UNIVERSAL_LAYERS, ColumnName, Groups, ScoreSettings
from evenhand.tasks.words.judging import WordJudging
from evenhand.tasks.words.verdicts import WordVerdicts
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary
from evenhand.text.word_feed import Aligned, Side, WordFeed
from evenhand.text.words import Words

Watch = Callable[[str, Aligned, WordVerdicts], None]
PORTION = 1 << 14
"""How many words are judged at a time: enough that the cost of a call does not count."""


def layers_of(settings: ScoreSettings, columns: Mapping[str, ColumnName | None]) -> tuple[str, ...]:
    """The layers that judges may look at."""
    if settings.task == "trees":
        return ("trees", *UNIVERSAL_LAYERS)
    return ("tags", "upos", "xpos", *(str(column) for column in columns.values()))


def portions(gold: Iterator[Annotation], side: Side, run: Run, groups: Groups) -> Iterator[tuple[Words, Bytes, Ints]]:
    """The gold standard in portions, which the run counts: words, their characters, the document of each sentence."""
    documents: list[Ints] = []
    waiting = 0
    for batch in gold:
        documents.append(run.documents_of(batch.corpus))
        words, text = side.words(batch, run.groups_of(batch.corpus, groups))
        side.add(words, text)
        run.add_text(batch.corpus, batch.reading)
        waiting += len(words)
        if waiting >= PORTION:
            yield *side.drain(), np.concatenate(documents)
            documents, waiting = [], 0
    if waiting:
        yield *side.drain(), np.concatenate(documents)


class WordRun:
    """One pass over the gold standard; every system has its own feed, as each shares other sentence ends with it."""

    def __init__(
        self,
        systems: Mapping[str, Iterator[Annotation]],
        vocabulary: Vocabulary,
        settings: ScoreSettings,
        judges: Sequence[str],
        columns: Mapping[str, ColumnName | None],
        *,
        by_position: bool,
    ) -> None:
        self._labels = vocabulary.labels
        layers = layers_of(settings, columns)
        self._feeds = {
            name: WordFeed(stream, settings.align, layers, by_position=by_position) for name, stream in systems.items()
        }
        self._judging = {name: WordJudging(settings, judges, vocabulary, name, columns) for name in systems}
        self._side = Side(layers, by_position=by_position)
        self.watch: Watch | None = None
        """Somebody who looks at the verdicts on all words."""
        self.run = Run(SideCount(), {name: SideCount() for name in systems}, by_position=by_position)

    def __call__(self, gold: Iterator[Annotation], groups: Groups) -> Run:
        run = self.run
        for words, text, _ in portions(gold, self._side, run, groups):
            self._judge(words, text)
        for place, (name, feed) in enumerate(self._feeds.items()):
            rest = feed.finish()
            if rest is not None:
                run.ends_apart = True
                self._count(name, rest, is_first=place == 0)
            side = run.systems[name]
            side.reading, side.missing = feed.reading, self._judging[name].missing
        run.tallies = {name: judging.tallies() for name, judging in self._judging.items()}
        run.supertags, run.levels = {name: {} for name in run.systems}, dict.fromkeys(run.systems, 1)
        return run

    def _judge(self, words: Words, text: Bytes) -> None:
        """Judge some words, as far as each system shares a sentence end with them."""
        for place, (name, feed) in enumerate(self._feeds.items()):
            aligned = feed.take(words, text)
            if aligned is not None:
                self._count(name, aligned, is_first=place == 0)

    def _count(self, name: str, aligned: Aligned, *, is_first: bool) -> None:
        gold, system = self._judging[name](aligned)
        found = self._judging[name].found
        if self.watch is not None and found is not None:
            self.watch(name, aligned, found)
        if is_first:  # every system meets all words of the gold standard
            self.run.gold.add(gold, self._labels.values)
        self.run.systems[name].add(system, self._labels.values)
