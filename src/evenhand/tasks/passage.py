"""The way of a task through its files: opened, aligned, cut into portions, judged.

A task has a *passage*: it takes what the pipeline opened, aligns systems with the gold standard, and yields a
*judgement* for every portion. The pipeline adds up the tallies of judgements; comparisons, reports and recorders watch
the same judgements, which say on demand what every system has of every unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Protocol

from evenhand.arrays import Ints
from evenhand.dataclass import dataclass
from evenhand.scores.model import Judge
from evenhand.settings import ReadSettings, ScoreSettings
from evenhand.tally import Tally
from evenhand.tasks.answers import Answers
from evenhand.tasks.places import Places
from evenhand.tasks.side_count import SideCount
from evenhand.tasks.units import Drawing, Units
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.tokens import Tokens
from evenhand.text.unequal import GOLD_AND_PREDICTION, SideNames

OTHER_SENTENCES = ("tail_sentence",)
"""Further columns of verdicts that are sentences, in which the columns of the same name with start and end count."""
Open = Callable[..., Iterator[Annotation]]
"""Opens one side, as batches. A system can be told the encoding of its gold standard: `open(reference="iob2")`."""


@dataclass(frozen=True)
class Sides:
    """What opens the gold standard and every system."""

    gold: Open
    systems: Mapping[str, Open]
    layers: tuple[str, str] = ("spans", "spans")
    """The layers of gold standard and systems, which differ where one file holds both."""


@dataclass(frozen=True)
class Question:
    """What is asked of a passage: the sides, the judges, and where to count what the sides have."""

    sides: Sides
    settings: ScoreSettings
    read_as: Mapping[str, ReadSettings]
    judges: Sequence[Judge]
    vocabulary: Vocabulary
    gold_count: SideCount
    system_counts: Mapping[str, SideCount]
    is_watched: bool = False
    """Whether somebody will look at the verdicts themselves."""
    extra_layers: tuple[str, ...] = ()
    """Further layers of the gold standard that somebody will look at."""
    called: SideNames = GOLD_AND_PREDICTION
    """What messages call the sides."""

    def asks(self, judge: str) -> bool:
        return any(each.name == judge for each in self.judges)


@dataclass(frozen=True)
class Numbers:
    """Where a batch of the gold standard stands in the whole run."""

    groups: Ints
    """The group of each sentence."""
    documents: Ints
    """The document of each sentence."""
    sentences: int
    """How many sentences stand before."""
    first_document: int
    """The number of the first document that begins in it, or goes on."""


Numbering = Callable[[Annotation], Numbers]
"""Numbers the next batch of the gold standard, and counts it."""


class Judgement(Protocol):
    """What is said of one portion."""

    @property
    def groups(self) -> Ints:
        """The group of each sentence; of chains, of each document."""

    @property
    def tallies(self) -> Mapping[str, Mapping[str, Tally]]:
        """The counts of every system, by judge."""

    @property
    def places(self) -> Places:
        """Where the units are."""

    def answers(self, by: str) -> Answers:
        """What all systems say of the same units, for a comparison under this score."""

    def units(self, by: str) -> Units:
        """The units as an error browser shows them."""

    def drawing(self) -> Drawing:
        """What all sides have in each sentence."""

    def rows(self, system: str, judge: str) -> Iterator[tuple[VerdictRows, int]]:
        """The verdicts of a judge on one system; with each, how many sentences stand before its text."""


class Passage(Protocol):
    """One pass over the gold standard and all systems."""

    def judgements(self, number: Numbering) -> Iterator[Judgement]:
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
    before: Before | None = None
    """What was counted without overrides, where there are some."""


@dataclass(frozen=True)
class Before:
    """What is counted for the gold standard as it was read, where it is scored with overrides."""

    settings: ScoreSettings
    """Those of the run, without overrides."""
    gold: SideCount
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
