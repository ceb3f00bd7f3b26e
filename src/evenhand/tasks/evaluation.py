"""What every task implements: align the inputs, and evaluate a part.

A task declares two functions. `align(request)` opens the inputs, to be read in step (`alignment.parts`).
`evaluate(part, request)` is a plain function: it compares a part of the gold standard with the same part of every
system, all in memory, and returns an `Evaluation`. The pipeline adds up the tallies of evaluations. Comparisons,
reports and unit tables observe the same evaluations, which compute units and predictions on demand.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from evenhand.alignment.documents import GOLD_AND_PREDICTION, AlignmentIssues, SideNames
from evenhand.alignment.parts import first_sentences
from evenhand.arrays import Ints, Values, empty
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus, complete, join_columns
from evenhand.data.encodings import SETTLE
from evenhand.data.layers import Spans, Tags
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError
from evenhand.grounding.grounder import GroundingCounts
from evenhand.scoring.measure import Formula, Measure, Scorer
from evenhand.scoring.tally import Tally
from evenhand.settings import ReadSettings, ScoreSettings
from evenhand.tasks.task import CONFIDENCES
from evenhand.tasks.unit_rows import UnitRows, without_units
from evenhand.tasks.units import Locations, Predictions, SentenceView, UnplacedPositions


@dataclass
class SideSummary:
    """The units of one side by label, and how its file was read."""

    reading: ReadInfo | None = None
    breaks_differ: bool = False
    missing: int = 0
    """Number of gold words that the side lacks, if words are scored."""
    unlabeled: int = 0
    """Number of units without a label: mentions in files without POS."""
    scored: int = 0
    """Number of units with a confidence, before any is left out by it."""
    unscored: int = 0
    """Number of units without a confidence."""
    chains: int | None = None
    repeated: int = 0
    """Number of mentions with the span of another mention."""
    mismatches: AlignmentIssues | None = None
    """Documents and texts that do not match."""
    noted: Counter[str] = field(default_factory=Counter)
    """Counts for the notes of a task, by name."""
    grounding: GroundingCounts | None = None
    """How the strings of a language model were placed."""
    annotated: frozenset[str] = frozenset()
    """The optional layers that the side has; see `Measure.annotation`."""
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
        self.scored += other.scored
        self.unscored += other.unscored
        self.repeated += other.repeated
        self.noted += other.noted
        self.annotated |= other.annotated
        if other.chains is not None:
            self.chains = (self.chains or 0) + other.chains
        if other.grounding is not None:
            self.grounding = self.grounding or GroundingCounts()
            self.grounding.add(other.grounding)
        if self.mismatches is not None:
            self.mismatches = self.mismatches.plus(other.mismatches or AlignmentIssues())


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
    """What to evaluate, and how: the inputs, the settings and the scorers."""

    sides: Inputs
    settings: ScoreSettings
    read_as: Mapping[str, ReadSettings]
    scorers: Sequence[Scorer]
    vocabulary: Vocabulary
    keep_units: bool = False
    """Whether to keep per-unit results (needed by `compare` and `report`)."""
    extra_layers: tuple[str, ...] = ()
    """Additional layers of the gold standard that observers need."""
    called: SideNames = GOLD_AND_PREDICTION
    """The names of the sides in messages."""

    def asks(self, scorer: str) -> bool:
        return any(requested.name == scorer for requested in self.scorers)

    def needs(self, what: str) -> bool:
        """Whether a scorer needs something: `token_tags`, `strings`, `document_text`."""
        return any(what in scorer.needs for scorer in self.scorers)

    @cached_property
    def tables(self) -> dict[str, Any]:
        """Tables of names that a task looks up in every part, by name; they grow, and only save time."""
        return {}


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


class ScoreFilter:
    """Applies `--score-transform`, `--missing-score` and `--min-score` to the units of a system.

    A unit is scored if its confidence is at least the threshold of its label, otherwise of its system, otherwise of all
    units. With `lowest`, a unit without a confidence has minus infinity, with `highest` infinity.
    """

    def __init__(self, request: EvaluationRequest, name: str) -> None:
        parameters, self._labels = request.settings.parameters, request.vocabulary.labels
        self._transform = parameters.get("score_transform")
        self._missing = parameters.get("missing_score")
        thresholds = parameters.get("min_score", ())
        of_systems = {each.name: each.threshold for each in thresholds if each.name in ("", *request.sides.systems)}
        self._threshold = of_systems.get(name, of_systems.get(""))
        self._of_labels = {each.name: each.threshold for each in thresholds if each.name not in of_systems}
        self._systems = [each for each in of_systems if each]

    def __call__(self, score: Values | None, label: Ints, summary: SideSummary) -> tuple[Values | None, Ints | None]:
        """Return the confidences of units with these labels, and the rows that are scored (None: all).

        The confidences are those of all units. Units are counted in the summary of their system.
        """
        missing = len(label) if score is None else int(np.count_nonzero(np.isnan(score)))
        summary.scored += len(label) - missing
        summary.unscored += missing
        score = None if score is None else transformed(score, self._transform)
        kept = None
        if self._missing is not None and missing:
            score = np.full(len(label), np.nan) if score is None else score
            if self._missing == "drop":
                kept = ~np.isnan(score)
            else:
                score = np.where(np.isnan(score), -np.inf if self._missing == "lowest" else np.inf, score)
        if self._threshold is None and not self._of_labels:
            return score, None if kept is None else np.flatnonzero(kept)
        score = np.full(len(label), np.nan) if score is None else score
        least = np.full(len(label), -np.inf if self._threshold is None else self._threshold)
        for name, threshold in self._of_labels.items():
            code = self._labels.find(name)
            least[label == (-1 if code is None else code)] = threshold
        self._refuse_ambiguous()
        is_kept = score >= least
        return score, np.flatnonzero(is_kept if kept is None else is_kept & kept)

    def spans(self, spans: Spans, summary: SideSummary) -> Spans:
        """Return the spans that are scored, with their confidences."""
        score, rows = self(spans.score, spans.label, summary)
        spans = spans if score is spans.score else replace(spans, score=score)
        return spans if rows is None else spans.take(rows)

    def _refuse_ambiguous(self) -> None:
        for name in self._systems:
            if self._labels.find(name) is not None:
                finding = f"{name} is a system and a label, so --min-score {name}:NUMBER is ambiguous"
                raise SettingError(f"{finding}; rename the system with NAME=FILE.")


def transformed(score: Values, transform: str | None) -> Values:
    """Confidences after `--score-transform`."""
    if transform == "logistic":
        logistic: Values = 1 / (1 + np.exp(-np.clip(score, -700, 700)))
        return logistic
    return score / 100 if transform == "percent" else score


def uses_confidences(parameters: Mapping[str, Any]) -> bool:
    """Whether the parameters of a task use the confidences of units, so these must be good."""
    return any(
        parameters.get(parameter.name, parameter.default) != parameter.default
        for parameter in CONFIDENCES
        if parameter.name != "score_of_span"
    )


def check_confidences(
    source: str, name: str, run: Mapping[str, SideSummary], settings: ScoreSettings, *, are_needed: bool = False
) -> None:
    """Raise an error if the confidences of a system are needed, or used by settings, but some units have none.

    They are not used if all thresholds are those of other systems.
    """
    side, thresholds = run[name], settings.parameters.get("min_score", ())
    units = side.scored + side.unscored
    is_filtered = not thresholds or any(each.name == name or each.name not in run for each in thresholds)
    if not units or not (are_needed or (is_filtered and uses_confidences(settings.parameters))):
        return
    if not side.scored:
        raise InputError(source, None, "no unit has a score", "Specify the score field with --score")
    if side.unscored and settings.parameters["missing_score"] is None:
        raise InputError(source, None, f"{side.unscored:,} of {units:,} units have no score", "Set --missing-score")


@dataclass(frozen=True)
class Offsets:
    """The numbers of sentences and documents before a batch of the gold standard."""

    groups: Ints
    """The group of each sentence."""
    documents: Ints
    """The document of each sentence."""
    sentences: int = 0
    """Number of preceding sentences."""
    first_document: int = 0
    """The number of its first document, which may continue from the preceding batch."""


@dataclass(frozen=True)
class Part:
    """Aligned annotations that are evaluated together; sentences are numbered from the first one of the part."""

    gold: Sequence[Annotation]
    """Consecutive batches of the gold standard: blocks of a file, or small files."""
    systems: Mapping[str, Any]
    """What each system has in these sentences: the result of its follower (`alignment.parts`)."""
    offsets: Sequence[Offsets]
    """The offsets of each batch."""
    texts_are_documents: bool = False
    """Whether strings are compared by document, not by sentence."""

    @cached_property
    def sentences(self) -> int:
        return sum(batch.corpus.sentences for batch in self.gold)

    @cached_property
    def groups(self) -> Ints:
        """The group of each sentence."""
        return np.concatenate([offsets.groups for offsets in self.offsets])

    @cached_property
    def documents(self) -> Ints:
        """The document of each sentence, numbered over the whole input."""
        return np.concatenate([offsets.documents for offsets in self.offsets])

    @property
    def lengths(self) -> Ints | None:
        """The number of tokens of each sentence, if known."""
        return join_columns([batch.corpus.lengths for batch in self.gold])

    @property
    def weights(self) -> Values | None:
        """The weights of tokens, if a column has them."""
        return join_columns([batch.corpus.weights for batch in self.gold])

    def spans(self, layer: str, vocabulary: Vocabulary) -> Spans:
        """The spans of the gold standard."""
        spans = [batch.spans(layer).into(vocabulary) for batch in self.gold]
        return Spans.concatenate(spans, first_sentences(self.gold))

    def tags(self, layer: str) -> Tags | None:
        """The tags of the gold standard, if all files have one per token."""
        tags = complete([batch.tags(layer) for batch in self.gold])
        return None if tags is None else Tags.concatenate(tags)

    def locations(self, unplaced: UnplacedPositions | None = None) -> Locations:
        """The locations of its sentences; `unplaced` has the texts of units that are not in the text."""
        offsets = self.offsets[0]
        return Locations(self.gold, offsets.sentences, self.documents, offsets.first_document, unplaced)

    def in_texts(self, texts: Sequence[Corpus] | None) -> Part:
        """The same part with the texts of a system, if the gold standard has only tokens."""
        if texts is None:
            return self
        gold = [replace(batch, corpus=corpus) for batch, corpus in zip(self.gold, texts, strict=True)]
        return replace(self, gold=gold)


@dataclass(kw_only=True)
class Evaluation:
    """The counts of one part and, on demand, its units. Each task has a subclass."""

    part: Part
    gold_count: SideSummary = field(default_factory=SideSummary)
    system_counts: dict[str, SideSummary] = field(default_factory=lambda: defaultdict(SideSummary))
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    """The counts of every system by scorer."""
    shared: dict[str, Tally] = field(default_factory=dict)
    """Counts that all systems share, by scorer."""
    supertags: dict[str, dict[str, dict[str, Tally]]] = field(default_factory=dict)
    """The tallies by system, label group and scorer."""
    levels: dict[str, int] = field(default_factory=dict)
    """The number of levels of gold and system spans by system, if levels are separate."""
    before: UncorrectedScores | None = None
    """The counts without overrides, if there are overrides."""
    pairs: dict[str, Any] = field(default_factory=dict)
    """The gold standard and each system side by side, by system, if units are kept."""

    @property
    def groups(self) -> Ints:
        """The group of each sentence; of chains and links, of each document."""
        return self.part.groups

    @cached_property
    def locations(self) -> Locations:
        """The locations of units."""
        return self.part.locations()

    def predictions(self, by: str, pairs: Sequence[Any]) -> Predictions:
        """All units under a measure, with the predictions of some systems, given as values of `pairs`."""
        raise NotImplementedError

    def units(self, by: str) -> Predictions:
        """All units with the predictions of all systems, for the error browser."""
        return self.predictions(by, list(self.pairs.values()))

    def answers(self, by: str) -> Predictions:
        """The units that systems are compared on under a measure, with their predictions."""
        return self.units(by)

    def annotations(self, vocabulary: Vocabulary) -> tuple[Spans, dict[str, Spans]]:
        """The labeled spans of the gold standard and of every system, for `suspects`."""
        raise NotImplementedError

    def drawing(self, by: str) -> SentenceView:
        """The annotation of all sides by sentence; `by` is the measure that systems are compared by."""
        raise NotImplementedError

    def unit_rows(self, system: str, measure: Measure, formula: Formula) -> UnitRows:
        """The units that a measure counts for one system."""
        if measure.scorer.units is None:
            raise without_units(measure)
        rows: UnitRows = measure.scorer.units(self.pairs[system])
        return rows.under(formula)


@dataclass(frozen=True)
class DifferencePart:
    """A part of the difference of two systems under a measure."""

    name: str
    value: float
    """As a fraction."""
    text: str
    """What it comes from, as it follows `by` in a sentence: `fewer chains (170 instead of 286)`."""


@dataclass(frozen=True)
class SwappableGroups:
    """The counts of two systems in groups of units of one document."""

    tallies: tuple[dict[str, Tally], dict[str, Tally]]
    """By scorer."""
    groups: int
    units: int
    largest: int
    """Numbers of units: of all groups, and of the largest one."""


@dataclass(frozen=True)
class UncorrectedScores:
    """Counts against the gold standard without overrides."""

    settings: ScoreSettings
    """The settings of the run without overrides."""
    gold: SideSummary
    tallies: dict[str, dict[str, Tally]]
    """The totals of every system by scorer."""
    levels: dict[str, int]

    def plus(self, other: UncorrectedScores) -> UncorrectedScores:
        """Add the counts of the next part."""
        self.gold.join(other.gold)
        tallies = {
            name: {scorer: Tally.merge([tally, other.tallies[name][scorer]]).total() for scorer, tally in both.items()}
            for name, both in self.tallies.items()
        }
        levels = {name: max(level, other.levels[name]) for name, level in self.levels.items()}
        return UncorrectedScores(self.settings, self.gold, tallies, levels)


def check_kinds(gold: SideSummary, systems: Mapping[str, SideSummary]) -> None:
    """Raise an error if labels without prefixes were taken for spans by their looks, and may be something else.

    So they may if they do not look like labels, or if the other side's spans have another form: then they may be in the
    wrong column.
    """
    for name, system in systems.items():
        sides = {"gold": gold, "system": system}
        readings = {which: side.reading or ReadInfo() for which, side in sides.items()}
        for reading in readings.values():
            if reading.doubt is not None:
                what, advice = reading.doubt
                finding = f"expected tags such as B-PER and O, got {what}"
                raise InputError(name, None, finding, "; ".join(filter(None, (advice, SETTLE))))
        plain = [which for which, reading in readings.items() if reading.encoding == "plain"]
        if len(plain) != 1 or readings[plain[0]].is_named or not all(side.units for side in sides.values()):
            continue
        (which,) = plain
        other = "system" if which == "gold" else "gold"
        finding = f"the {which} file ({readings[which]}) and the {other} file ({readings[other]}) differ in kind"
        remedy = f"choose the column of tags with --column {which}:N, or set --encoding {which}:plain"
        raise InputError(name, None, finding, remedy)
