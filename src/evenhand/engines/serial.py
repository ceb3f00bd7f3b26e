"""The whole path in this process: batches are read, judged and tallied one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evenhand.arrays import Ints
from evenhand.judge.exact import equal_spans, exact
from evenhand.judge.fair import fair
from evenhand.judge.verdicts import Verdicts
from evenhand.settings import Atoms, Groups, ScoreSettings
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
    atoms: Atoms = "tokens"
    size: int | None = 0
    """How many atoms there are, where the files know."""

    def add_text(self, corpus: Corpus, reading: Reading) -> None:
        self.gold.reading = self.gold.reading.plus(reading) if self.gold.reading else reading
        self.documents += len(corpus.documents) - int(corpus.continues)
        self.sentences += corpus.sentences
        self.atoms = corpus.atoms
        self.size = None if self.size is None or corpus.token_count is None else self.size + corpus.token_count


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


PORTION = 1 << 14
"""How many gold spans are judged at a time: enough that the cost of a call does not count."""


class Portion:
    """Batches that wait to be judged together: their spans, in sentences counted from the portion's first one."""

    def __init__(self, systems: Iterable[str]) -> None:
        self.gold: list[Spans] = []
        self.systems: dict[str, list[Spans]] = {name: [] for name in systems}
        self.first_sentences: list[int] = []
        self.sentences = 0
        self.groups: list[Ints] = []

    def add(self, corpus: Corpus, gold: Spans, systems: Mapping[str, Spans], groups: Ints) -> None:
        """Add a batch; `groups` is the group of each of its sentences."""
        self.gold.append(gold)
        for name, spans in systems.items():
            self.systems[name].append(spans)
        self.groups.append(groups)
        self.first_sentences.append(self.sentences)
        self.sentences += corpus.sentences

    def __len__(self) -> int:
        return sum(map(len, self.gold))

    def joined(self, parts: Sequence[Spans]) -> Spans:
        return Spans.concatenate(parts, self.first_sentences)


class Judging:
    """Judges portions and adds up their tallies."""

    def __init__(self, run: Run, settings: ScoreSettings) -> None:
        self._run = run
        self._settings = settings
        self._judges = tuple(dict.fromkeys(JUDGE_OF[model] for model in settings.match))
        self._relabel_gold = Relabeling(settings, "gold", "gold")
        self._relabel = {name: Relabeling(settings, "system", name) for name in run.systems}

    def __call__(self, portion: Portion) -> None:
        gold = self._relabel_gold(portion.joined(portion.gold))
        self._run.gold.add(gold)
        groups = np.concatenate(portion.groups)
        for name, parts in portion.systems.items():
            system = self._relabel[name](portion.joined(parts))
            self._run.systems[name].add(system)
            for judge, verdicts in self._verdicts(gold, system).items():
                tally = tally_spans(verdicts, gold, system, groups)
                before = self._run.tallies[name].get(judge)
                self._run.tallies[name][judge] = before + tally if before else tally

    def _verdicts(self, gold: Spans, system: Spans) -> dict[str, Verdicts]:
        """The verdicts of each judge; what is equal is found once for both."""
        if self._settings.levels == "separate":
            levels = max(int(gold.level.max(initial=0)), int(system.level.max(initial=0))) + 1
            gold, system = by_level(gold, levels), by_level(system, levels)
        equal = equal_spans(gold, system)
        return {judge: (exact if judge == "exact" else fair)(gold, system, equal) for judge in self._judges}


def run_serial(
    gold: Iterator[Annotation],
    systems: Mapping[str, Feed],
    vocabulary: Vocabulary,
    settings: ScoreSettings,
    groups: Groups = "total",
    gold_layer: str = "spans",
) -> Run:
    """Judge every system against the gold standard, in one pass over it."""
    run = Run(SideCount(), {name: SideCount() for name in systems}, {name: {} for name in systems})
    judge, portion = Judging(run, settings), Portion(systems)
    corpus = None
    for batch in gold:
        corpus = batch.corpus
        spans = batch.spans(gold_layer).into(vocabulary)
        theirs = {name: feed.take(corpus).into(vocabulary) for name, feed in systems.items()}
        portion.add(corpus, spans, theirs, _groups(groups, corpus, run))
        run.add_text(corpus, batch.readings[gold_layer])
        if len(portion) >= PORTION:
            judge(portion)
            portion = Portion(systems)
    assert corpus is not None  # a reader yields one batch at least, or raises
    if portion.gold:
        judge(portion)
    for name, feed in systems.items():
        feed.finish(corpus)
        run.systems[name].reading, run.systems[name].breaks_differ = feed.reading, feed.breaks_differ
    return run


def _groups(groups: Groups, corpus: Corpus, run: Run) -> Ints:
    """The number of the group that each sentence of a batch belongs to, over the whole run."""
    sentences = np.arange(corpus.sentences)
    if groups == "sentence":
        return sentences + run.sentences
    if groups == "document":
        return corpus.document_of(sentences) + run.documents - int(corpus.continues)
    return np.zeros_like(sentences)
