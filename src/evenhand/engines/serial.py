"""The whole path in this process: batches are read, judged and tallied one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from evenhand.arrays import Ints
from evenhand.judge.exact import equal_spans, exact
from evenhand.judge.fair import fair
from evenhand.judge.verdicts import Verdicts
from evenhand.settings import Groups, ScoreSettings
from evenhand.tally import Tally, tally_spans
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, by_level

JUDGE_OF = {"exact": "exact", "fair": "fair", "weighted": "fair"}
"""The judge whose verdicts each match model scores."""


@dataclass
class SideCount:
    """One side in figures: its spans by label, and how its file was read."""

    labels: Counter[str] = field(default_factory=Counter)
    reading: Reading | None = None
    breaks_differ: bool = False

    def add(self, spans: Spans) -> None:
        names = spans.vocabulary.labels.values
        counts = np.bincount(spans.label, minlength=len(names)).tolist()
        self.labels.update({name: n for name, n in zip(names, counts, strict=True) if n})


@dataclass
class Run:
    """What a run adds up: the text in figures, and for every system its tallies by judge."""

    gold: SideCount
    systems: dict[str, SideCount]
    tallies: dict[str, dict[str, Tally]]
    documents: int = 0
    sentences: int = 0
    tokens: int | None = 0

    def add_text(self, corpus: Corpus) -> None:
        self.documents += len(corpus.documents) - int(corpus.continues)
        self.sentences += corpus.sentences
        self.tokens = None if self.tokens is None or corpus.token_count is None else self.tokens + corpus.token_count


class Relabeling:
    """`--map`, then `--labels` and `--exclude`, for one side: a new code for each label, -1 where it is left out."""

    def __init__(self, settings: ScoreSettings, side: str, name: str) -> None:
        self._map = {each.old: each.new for each in settings.maps if each.applies_to(side, name)}
        self._labels, self._exclude = frozenset(settings.labels), frozenset(settings.exclude)
        self._new: list[int] = []

    def __call__(self, spans: Spans) -> Spans:
        if not (self._map or self._labels or self._exclude):
            return spans
        labels = spans.vocabulary.labels
        while len(self._new) < len(labels):
            name = labels[len(self._new)]
            name = self._map.get(name, name)
            kept = (not self._labels or name in self._labels) and name not in self._exclude
            self._new.append(labels.code(name) if kept else -1)
        return spans.relabel(np.array(self._new, dtype=np.int64))


def run_serial(
    gold: Iterator[Annotation],
    systems: Mapping[str, Feed],
    vocabulary: Vocabulary,
    settings: ScoreSettings,
    groups: Groups = "total",
    gold_layer: str = "spans",
) -> Run:
    """Judge every system against the gold standard, in one pass over it."""
    judges = tuple(dict.fromkeys(JUDGE_OF[model] for model in settings.match))
    run = Run(SideCount(), {name: SideCount() for name in systems}, {name: {} for name in systems})
    relabel_gold = Relabeling(settings, "gold", "gold")
    relabel = {name: Relabeling(settings, "system", name) for name in systems}
    corpus = None
    for batch in gold:
        corpus = batch.corpus
        group_of = _grouping(groups, corpus, run)
        reading = batch.readings[gold_layer]
        run.gold.reading = run.gold.reading.plus(reading) if run.gold.reading else reading
        gold_spans = relabel_gold(batch.spans(gold_layer).into(vocabulary))
        run.gold.add(gold_spans)
        for name, feed in systems.items():
            spans = relabel[name](feed.take(corpus).into(vocabulary))
            run.systems[name].add(spans)
            for judge, verdicts in _judge(judges, gold_spans, spans, settings).items():
                tally = tally_spans(verdicts, gold_spans, spans, group_of)
                before = run.tallies[name].get(judge)
                run.tallies[name][judge] = before + tally if before else tally
        run.add_text(corpus)
    assert corpus is not None  # a reader yields one batch at least, or raises
    for name, feed in systems.items():
        feed.finish(corpus)
        run.systems[name].reading, run.systems[name].breaks_differ = feed.reading, feed.breaks_differ
    return run


def _judge(judges: tuple[str, ...], gold: Spans, system: Spans, settings: ScoreSettings) -> dict[str, Verdicts]:
    """The verdicts of each judge; what is equal is found once for both."""
    if settings.levels == "separate":
        levels = max(int(gold.level.max(initial=0)), int(system.level.max(initial=0))) + 1
        gold, system = by_level(gold, levels), by_level(system, levels)
    equal = equal_spans(gold, system)
    return {judge: (exact if judge == "exact" else fair)(gold, system, equal) for judge in judges}


def _grouping(groups: Groups, corpus: Corpus, run: Run) -> Callable[[Ints], Ints] | None:
    """The number of the group that each sentence of a batch belongs to, over the whole run."""
    if groups == "sentence":
        before = run.sentences
        return lambda sentence: sentence + before
    if groups == "document":
        first = run.documents - int(corpus.continues)
        return lambda sentence: corpus.document_of(sentence) + first
    return None
