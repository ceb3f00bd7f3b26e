"""The evaluation protocol that every task implements: read, align, evaluate.

A task has an `Evaluator`. It receives what the pipeline opened (`EvaluationRequest`), aligns systems with the gold
standard, and yields an `Evaluation` for every part of the files. The pipeline adds up the tallies of evaluations.
Comparisons, reports and unit tables observe the same evaluations, which compute units and predictions on demand.
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
from evenhand.tasks.units import Locations, Predictions, SentenceView, Units, matched_columns


@dataclass
class SideSummary:
    """The units of one side by label, and how its file was read."""

    reading: ReadInfo | None = None
    breaks_differ: bool = False
    missing: int = 0
    """Number of gold words that the side lacks, if words are scored."""
    unlabeled: int = 0
    """Number of units without a label: mentions in files without POS."""
    chains: int | None = None
    repeated: int = 0
    """Number of mentions with the span of another mention."""
    mismatches: AlignmentIssues | None = None
    """Documents and texts that do not match."""
    noted: Counter[str] = field(default_factory=Counter)
    """Counts for the notes of a task, by name."""
    grounding: GroundingCounts | None = None
    """How the strings of a language model were placed."""
    _labels: Counter[str] = field(default_factory=Counter)
    _counts: Ints = field(default_factory=empty)
    _names: Sequence[str] = ()

    @property
    def units(self) -> int:
        return self.labels.total() + self.unlabeled

    def add(self, labels: Ints, names: Sequence[str]) -> None:
        """Count labels, given as codes of `names`; names may be appended between calls."""
        counts = np.bincount(labels, minlength=len(self._counts))
        counts[: len(self._counts)] += self._counts
        self._counts, self._names = counts, names

    @property
    def labels(self) -> Counter[str]:
        """The number of units by label, computed on demand because there may be many labels."""
        seen = np.flatnonzero(self._counts)
        counted = zip(seen.tolist(), self._counts[seen].tolist(), strict=True)
        self._labels.update({self._names[code]: count for code, count in counted})
        self._counts = empty()
        return self._labels

    def join(self, other: SideSummary) -> None:
        """Add the summary of the next part."""
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


OTHER_SENTENCES = ("tail_sentence",)
"""Additional sentence columns of unit tables; start and end columns of the same name are relative to them."""
Open = Callable[..., Iterator[Annotation]]
"""Opens one side as batches. A system may get the encoding of the gold standard: `open(reference="iob2")`."""


@dataclass(frozen=True)
class Inputs:
    """Functions that open the gold standard and every system."""

    gold: Open
    systems: Mapping[str, Open]
    layers: tuple[str, str] = ("spans", "spans")
    """The layers of gold standard and systems; they differ if one file contains both."""


@dataclass(frozen=True)
class EvaluationRequest:
    """What to evaluate: the inputs, the settings, the scorers, and the summaries to fill in."""

    sides: Inputs
    settings: ScoreSettings
    read_as: Mapping[str, ReadSettings]
    scorers: Sequence[Scorer]
    vocabulary: Vocabulary
    gold_count: SideSummary
    system_counts: Mapping[str, SideSummary]
    keep_units: bool = False
    """Whether to keep per-unit results (needed by `compare` and `report`)."""
    extra_layers: tuple[str, ...] = ()
    """Additional layers of the gold standard that observers need."""
    called: SideNames = GOLD_AND_PREDICTION
    """The names of the sides in messages."""

    def asks(self, scorer: str) -> bool:
        return any(requested.name == scorer for requested in self.scorers)


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
    """The numbers of sentences and documents before a batch of the gold standard."""

    groups: Ints
    """The group of each sentence."""
    documents: Ints
    """The document of each sentence."""
    sentences: int
    """Number of preceding sentences."""
    first_document: int
    """The number of its first document, which may continue from the preceding batch."""


Numbering = Callable[[Annotation], Offsets]
"""Numbers the next batch of the gold standard, and counts it."""


class Evaluation(Protocol):
    """Tallies and units of one part."""

    @property
    def groups(self) -> Ints:
        """The group of each sentence; of chains, of each document."""

    @property
    def tallies(self) -> Mapping[str, Mapping[str, Tally]]:
        """The counts of every system by scorer."""

    @property
    def locations(self) -> Locations:
        """The locations of units."""

    def answers(self, by: str) -> Predictions:
        """The predictions of all systems for the same units, compared under a measure."""

    def units(self, by: str) -> Units:
        """The units for the error browser."""

    def drawing(self) -> SentenceView:
        """The annotation of all sides by sentence."""

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        """The units of one system under a scorer, with the number of preceding sentences."""


class Evaluator(Protocol):
    """One pass over the gold standard and all systems."""

    def evaluations(self, number: Numbering) -> Iterator[Evaluation]:
        """An evaluation for every part."""

    def finish(self) -> Outcome:
        """Results known after the last part, when all sides have been checked to end together."""


@dataclass(frozen=True)
class Outcome:
    """Results of a pass that are known only at its end."""

    document_names: Mapping[str, str] = field(default_factory=dict)
    """Named documents with chains, and the file of each."""
    by_position: bool = False
    """Whether words are compared by position because one side has no word forms."""
    ends_apart: bool = False
    """Whether the sides end with different words, so the next part could change their alignment."""
    shared: Mapping[str, Tally] = field(default_factory=dict)
    """Counts that all systems share."""
    supertags: Mapping[str, Mapping[str, Mapping[str, Tally]]] = field(default_factory=dict)
    """The tallies by system, label group and scorer."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """The number of levels of gold and system spans by system, if levels are separate."""
    before: UncorrectedScores | None = None
    """The counts without overrides, if there are overrides."""


@dataclass(frozen=True)
class UncorrectedScores:
    """Counts against the gold standard without overrides."""

    settings: ScoreSettings
    """The settings of the run without overrides."""
    gold: SideSummary
    tallies: Mapping[str, Mapping[str, Tally]]
    """The totals of every system by scorer."""
    levels: Mapping[str, int]


@dataclass(frozen=True)
class VerdictRows:
    """Columns of a unit table: some units of one text under one system; -1 means none."""

    corpus: Corpus
    sentence: Ints
    """The sentence in this text."""
    start: Ints
    """The first token of each unit in its sentence; -1 if it is not a token of the gold standard."""
    end: Ints
    document: Ints
    """The number of the document in the whole file, from 0."""
    names: Mapping[int, str]
    """The names of documents, if known."""
    gold: Ints
    system: Ints
    kind: Ints
    more: dict[str, Ints] = field(default_factory=dict)
    """Additional columns."""
    other_text: Tokens | None = None
    """The text of units that are not in the gold text."""
    gaps: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """The atoms in the gaps of units by row, counted from the start of the unit."""

    @staticmethod
    def of(units: Units, corpus: Corpus, first_document: int, names: Mapping[int, str]) -> VerdictRows:
        """The units of one system in the order of the text, with what they were matched with."""
        order = np.lexsort((units.surplus, units.end, units.start, units.sentence))
        sentence, start, end = (column[order] for column in (units.sentence, units.start, units.end))
        gold, predicted, kind = (column[0][order] for column in (units.gold, units.predicted, units.kind))
        more = {name: column[order] for name, column in matched_columns(units).items()}
        document = corpus.document_of(sentence) + first_document
        columns = (sentence, start, end, document, names, gold, predicted, kind, more)
        return VerdictRows(corpus, *columns, gaps=units.gaps(order))

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def first(self) -> Ints:
        """The index of the first token in the text; of the sentence if tokens are unknown."""
        if self.corpus.bounds is None:
            return self.sentence
        first: Ints = self.corpus.bounds[self.sentence] + self.start.clip(min=0)
        return first
