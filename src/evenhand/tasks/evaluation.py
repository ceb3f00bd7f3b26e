"""The way of a task through its files: opened, aligned, cut into portions, judged.

A task has a *passage*: it takes what the pipeline opened, aligns systems with the gold standard, and yields a
*judgement* for every portion. The pipeline adds up the tallies of judgements; comparisons, reports and recorders watch
the same judgements, which say on demand what every system has of every unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Protocol

import numpy as np

from evenhand.alignment.documents import GOLD_AND_PREDICTION, AlignmentIssues, SideNames
from evenhand.arrays import Ints, empty
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.grounding.grounder import GroundingCounts
from evenhand.scoring.measure import Scorer
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings, ScoreSettings
from evenhand.tasks.units import Locations, Predictions, SentenceView, Units

# == tasks/side_count.py: One side of a run in figures.


@dataclass
class SideSummary:
    """The units of one side by label, and how its file was read."""

    reading: ReadInfo | None = None
    breaks_differ: bool = False
    missing: int = 0
    """How many words of the gold standard the side does not have, where words are scored."""
    unlabeled: int = 0
    """How many units have no label: mentions in files without POS."""
    chains: int | None = None
    repeated: int = 0
    """How many mentions have a span that another one has."""
    mismatches: AlignmentIssues | None = None
    """Where the texts of chains differ."""
    noted: Counter[str] = field(default_factory=Counter)
    """What a task counts for its notes, by a name of its own."""
    grounding: GroundingCounts | None = None
    """What became of the strings of a language model."""
    _labels: Counter[str] = field(default_factory=Counter)
    _counts: Ints = field(default_factory=empty)
    _names: Sequence[str] = ()

    @property
    def units(self) -> int:
        return self.labels.total() + self.unlabeled

    def add(self, labels: Ints, names: Sequence[str]) -> None:
        """Count labels, which are codes of names; names may become more, but keep their codes."""
        counts = np.bincount(labels, minlength=len(self._counts))
        counts[: len(self._counts)] += self._counts
        self._counts, self._names = counts, names

    @property
    def labels(self) -> Counter[str]:
        """How many units have each label; computed on demand, as there may be many labels."""
        met = np.flatnonzero(self._counts)
        counted = zip(met.tolist(), self._counts[met].tolist(), strict=True)
        self._labels.update({self._names[code]: count for code, count in counted})
        self._counts = empty()
        return self._labels

    def join(self, other: SideSummary) -> None:
        """Add what the side has in the next part of the text."""
        self.labels.update(other.labels)
        self.reading = self.reading.plus(other.reading or ReadInfo()) if self.reading else other.reading
        self.breaks_differ |= other.breaks_differ
        self.missing += other.missing
        self.unlabeled += other.unlabeled
        self.repeated += other.repeated
        self.noted += other.noted
        if self.chains is not None:
            self.chains += other.chains or 0
        if self.grounding is not None and other.grounding is not None:
            self.grounding.add(other.grounding)
        if self.mismatches is not None:
            self.mismatches = self.mismatches.plus(other.mismatches or AlignmentIssues())


# == tasks/passage.py (primary)


OTHER_SENTENCES = ("tail_sentence",)
"""Further columns of verdicts that are sentences, in which the columns of the same name with start and end count."""
Open = Callable[..., Iterator[Annotation]]
"""Opens one side, as batches. A system can be told the encoding of its gold standard: `open(reference="iob2")`."""


@dataclass(frozen=True)
class Inputs:
    """What opens the gold standard and every system."""

    gold: Open
    systems: Mapping[str, Open]
    layers: tuple[str, str] = ("spans", "spans")
    """The layers of gold standard and systems, which differ where one file holds both."""


@dataclass(frozen=True)
class EvaluationRequest:
    """What is asked of a passage: the sides, the judges, and where to count what the sides have."""

    sides: Inputs
    settings: ScoreSettings
    read_as: Mapping[str, ReadSettings]
    scorers: Sequence[Scorer]
    vocabulary: Vocabulary
    gold_count: SideSummary
    system_counts: Mapping[str, SideSummary]
    keep_units: bool = False
    """Whether somebody will look at the verdicts themselves."""
    extra_layers: tuple[str, ...] = ()
    """Further layers of the gold standard that somebody will look at."""
    called: SideNames = GOLD_AND_PREDICTION
    """What messages call the sides."""

    def asks(self, judge: str) -> bool:
        return any(each.name == judge for each in self.scorers)


class LabelFilter:
    """Applies `--map` for one side, then `--labels` and `--exclude`."""

    def __init__(self, settings: ScoreSettings, side: str, name: str, *, chooses: bool = True) -> None:
        """Without `chooses`, no label is left out."""
        self._map = settings.new_names(side, name)
        self._chooses = settings.chooses if chooses and (settings.labels or settings.exclude) else None
        self._codes: list[int] = []

    def __call__(self, spans: Spans) -> Spans:
        if not self._map and self._chooses is None:
            return spans
        labels = spans.vocabulary.labels
        while len(self._codes) < len(labels):
            name = labels[len(self._codes)]
            name = self._map.get(name, name)
            kept = self._chooses is None or self._chooses(name)
            self._codes.append(labels.code(name) if kept else -1)
        return spans.relabel(np.array(self._codes, dtype=np.int64))


@dataclass(frozen=True)
class Offsets:
    """Where a batch of the gold standard stands in the whole run."""

    groups: Ints
    """The group of each sentence."""
    documents: Ints
    """The document of each sentence."""
    sentences: int
    """How many sentences stand before."""
    first_document: int
    """The number of the first document that begins in it, or goes on."""


Numbering = Callable[[Annotation], Offsets]
"""Numbers the next batch of the gold standard, and counts it."""


class Evaluation(Protocol):
    """What is said of one portion."""

    @property
    def groups(self) -> Ints:
        """The group of each sentence; of chains, of each document."""

    @property
    def tallies(self) -> Mapping[str, Mapping[str, Tally]]:
        """The counts of every system, by judge."""

    @property
    def places(self) -> Locations:
        """Where the units are."""

    def answers(self, by: str) -> Predictions:
        """What all systems say of the same units, for a comparison under this score."""

    def units(self, by: str) -> Units:
        """The units as an error browser shows them."""

    def drawing(self) -> SentenceView:
        """What all sides have in each sentence."""

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        """The verdicts of a judge on one system; with each, how many sentences stand before its text."""


class Evaluator(Protocol):
    """One pass over the gold standard and all systems."""

    def judgements(self, number: Numbering) -> Iterator[Evaluation]:
        """A judgement for every portion."""

    def finish(self) -> Outcome:
        """What is known at the end, when all sides have been checked to end together."""


@dataclass(frozen=True)
class Outcome:
    """What is known at the end of a pass."""

    document_names: Mapping[str, str] = field(default_factory=dict)
    """The named documents of chains, and the file of each."""
    by_position: bool = False
    """Whether words are compared by their places, as one side does not spell them."""
    ends_apart: bool = False
    """Whether the last words of both sides are not the same, so that what follows could change how they align."""
    shared: Mapping[str, Tally] = field(default_factory=dict)
    """Counts that all systems share."""
    supertags: Mapping[str, Mapping[str, Mapping[str, Tally]]] = field(default_factory=dict)
    """For every system and supertag, the tallies by judge."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """On how many levels each system's spans and the gold standard's are, where levels are separate."""
    before: UncorrectedScores | None = None
    """What was counted without overrides, where there are some."""


@dataclass(frozen=True)
class UncorrectedScores:
    """What is counted for the gold standard as it was read, where it is scored with overrides."""

    settings: ScoreSettings
    """Those of the run, without overrides."""
    gold: SideSummary
    tallies: Mapping[str, Mapping[str, Tally]]
    """The totals of every system, by judge."""
    levels: Mapping[str, int]


@dataclass(frozen=True)
class VerdictRows:
    """Some units of one text under one system, for a table of verdicts: columns; -1 stands for nothing."""

    corpus: Corpus
    sentence: Ints
    """The sentence in this text."""
    start: Ints
    """The first token of each unit in its sentence; -1 where it is no token of the gold standard."""
    end: Ints
    document: Ints
    """The number of the document in the whole file, from 0."""
    names: Mapping[int, str]
    """What documents are called, where that is known."""
    gold: Ints
    system: Ints
    kind: Ints
    more: dict[str, Ints] = field(default_factory=dict)
    """Further numbers."""
    other_text: Tokens | None = None
    """The text of units that are not in the gold standard's."""
    gaps: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """By row, the atoms that units with gaps leave out, counted from their start."""

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def first(self) -> Ints:
        """The place of the first token among all of the text; of the sentence, where tokens are not known."""
        if self.corpus.bounds is None:
            return self.sentence
        found: Ints = self.corpus.bounds[self.sentence] + self.start.clip(min=0)
        return found
