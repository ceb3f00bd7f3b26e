"""The whole path in this process: batches are read, judged and tallied one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evenhand.arrays import Ints
from evenhand.engines.judging import Judging, Watch
from evenhand.engines.portion import PORTION, Portion
from evenhand.problems import InputError, SettingError
from evenhand.result.result import Gold
from evenhand.settings import Atoms, Groups, ScoreSettings
from evenhand.tally import Tally
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.chain_feed import Mismatches
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary


@dataclass
class SideCount:
    """One side in figures: its spans by label, and how its file was read."""

    labels: Counter[str] = field(default_factory=Counter)
    reading: Reading | None = None
    breaks_differ: bool = False
    missing: int = 0
    """How many words of the gold standard the side does not have, where words are scored."""
    unlabeled: int = 0
    """How many units have no label: mentions in files without POS."""
    chains: int | None = None
    repeated: int = 0
    """How many mentions have a span that another one has."""
    mismatches: Mismatches | None = None
    """Where the texts of chains differ."""

    @property
    def units(self) -> int:
        return self.labels.total() + self.unlabeled

    def add(self, labels: Ints, names: Sequence[str]) -> None:
        """Count labels, which are codes of names."""
        counts = np.bincount(labels, minlength=len(names)).tolist()
        self.labels.update({name: n for name, n in zip(names, counts, strict=True) if n})


@dataclass
class Run:
    """What a run adds up: the text in figures, and for every system its tallies by judge."""

    gold: SideCount
    systems: dict[str, SideCount]
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    supertags: dict[str, dict[str, dict[str, Tally]]] = field(default_factory=dict)
    """For every system and supertag, the tallies by judge."""
    documents: int = 0
    sentences: int = 0
    atoms: Atoms = "tokens"
    levels: dict[str, int] = field(default_factory=dict)
    """On how many levels each system's spans and the gold standard's are, where levels are separate."""
    document_of: list[Ints] = field(default_factory=list)
    """The document of each sentence, batch by batch, where these may become the groups."""
    size: int | None = 0
    """How many atoms there are, where the files know."""

    def add_text(self, corpus: Corpus, reading: Reading) -> None:
        if not corpus.sentences and not corpus.names:
            raise InputError(corpus.source, None, "there is no sentence in it", "give a gold standard that has some")
        self.gold.reading = self.gold.reading.plus(reading) if self.gold.reading else reading
        self.documents += len(corpus.documents) - int(corpus.continues)
        self.sentences += corpus.sentences
        self.atoms = corpus.atoms
        self.size = None if self.size is None or corpus.token_count is None else self.size + corpus.token_count

    def figures(self, name: str) -> Gold:
        """The gold standard in figures, under its name."""
        tokens, characters = (self.size, None) if self.atoms == "tokens" else (None, self.size)
        labels = dict(sorted(self.gold.labels.items()))
        reading = self.gold.reading or Reading()
        side = self.gold
        return Gold(name, self.documents, self.sentences, tokens, characters, side.units, labels, reading, side.chains)

    def groups_of(self, corpus: Corpus, groups: Groups) -> Ints:
        """The number of the group that each sentence of the next batch belongs to, over the whole run.

        The finest groups are documents, or sentences where there is one document, which is known at the end.
        """
        sentences, of_document = np.arange(corpus.sentences), self.documents_of(corpus)
        if groups == "finest":
            self.document_of.append(of_document)
        if groups in ("sentence", "finest"):
            return sentences + self.sentences
        return of_document if groups == "document" else np.zeros_like(sentences)

    def documents_of(self, corpus: Corpus) -> Ints:
        """The document of each sentence of the next batch, over the whole run."""
        found: Ints = corpus.document_of(np.arange(corpus.sentences)) + self.documents - int(corpus.continues)
        return found

    def settle_groups(self, groups: Groups) -> None:
        """At the end: where the finest groups are documents, those of sentences become these."""
        if groups == "finest" and self.documents > 1:
            of_document = np.concatenate(self.document_of)
            self.tallies = {
                name: {judge: tally.regroup(of_document) for judge, tally in tallies.items()}
                for name, tallies in self.tallies.items()
            }


def run_serial(
    gold: Iterator[Annotation],
    systems: Mapping[str, Feed],
    vocabulary: Vocabulary,
    settings: ScoreSettings,
    judges: Sequence[str],
    groups: Groups = "total",
    gold_layer: str = "spans",
    watch: Watch | None = None,
) -> Run:
    """Ask the judges about every system, in one pass over the gold standard; `watch` looks at every portion."""
    judging = Judging(settings, judges, list(systems))
    judging.watch = watch
    run = Run(SideCount(), {name: SideCount() for name in systems})
    portion, corpus = Portion(vocabulary, gold_layer), None
    for batch in gold:
        corpus = batch.corpus
        if settings.token_weight is not None and corpus.weights is None:
            raise SettingError(f"{corpus.source} has no columns, and so no weights of tokens.")
        if "accuracy" in judges and (corpus.atoms == "characters" or corpus.bounds is None):
            raise SettingError(
                f"The accuracy of tags counts tokens, which {corpus.source} and its systems do not share."
            )
        if settings.token_weight is not None and corpus.atoms == "characters":
            raise SettingError("Weights are those of tokens; they cannot be used where characters are compared.")
        portion.add(batch, run.groups_of(corpus, groups))
        run.add_text(corpus, batch.readings[gold_layer])
        if len(portion) >= PORTION:
            _judge(judging, portion, run, systems)
            portion = Portion(vocabulary, gold_layer)
    assert corpus is not None  # a reader yields one batch at least, or raises
    if portion.sentences:
        _judge(judging, portion, run, systems)
    run.tallies, run.supertags, run.levels = judging.tallies(), judging.supertags(), judging.levels
    run.settle_groups(groups)
    for name, feed in systems.items():
        feed.finish(corpus)
        run.systems[name].reading, run.systems[name].breaks_differ = feed.reading, feed.breaks_differ
    return run


def _judge(judging: Judging, portion: Portion, run: Run, systems: Mapping[str, Feed]) -> None:
    """Judge a portion and count what it holds."""
    judged = judging(portion, systems, run.gold.reading.encoding if run.gold.reading else None)
    for name, spans in judged.items():
        side = run.systems[name] if name else run.gold
        side.add(spans.label, spans.vocabulary.labels.values)
