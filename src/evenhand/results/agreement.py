"""Agreement and adjudication: what `agree` and `adjudicate` return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import combinations
from pathlib import Path
from typing import Any, Protocol

import msgspec

from evenhand.agreement.disagreements import Answer, Region, Vote
from evenhand.comparison.units import Sentence
from evenhand.data.annotation import Annotation
from evenhand.data.overrides import OVERRIDE_STATES, VERDICTS, Override, OverrideFile
from evenhand.data.vocabulary import names_or_number
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, Problem, SettingError
from evenhand.parameters import check_whole_number
from evenhand.results.display import Displayed, WithRows, WithTables, present, written

# Figures, in the form of their JSON


class Coefficients(msgspec.Struct, frozen=True):
    """Agreement over the codes of atoms."""

    atoms: int
    """The number of atoms of at least two annotators."""
    observed: float | None = None
    kappa: float | None = None
    fleiss: float | None = None
    alpha: float | None = None
    ac1: float | None = None


class Unitizing(msgspec.Struct, frozen=True):
    """Agreement on units, in documents that all annotators have."""

    atoms: int
    u_alpha: float | None = None
    u_alpha_binary: float | None = None
    cu_alpha: float | None = None
    ku_alpha: dict[str, float | None] = {}
    alpha_u: float | None = msgspec.field(default=None, name="alpha_U")
    alpha_u_labels: dict[str, float | None] = msgspec.field(default_factory=dict, name="alpha_U_labels")
    gamma: float | None = None
    gamma_pairs: float | None = None
    """The mean of the pairs' gammas, of more than two annotators."""


class Spread(msgspec.Struct, frozen=True):
    """The mean over pairs of annotators, and the population standard deviation."""

    mean: float | None
    sd: float | None


class LabelAgreement(msgspec.Struct, frozen=True):
    """Agreement on one label: binary codes, and exact F1 of pairs that use it."""

    kappa: float | None
    fleiss: float | None
    alpha: float | None
    f1: Spread


class PairErrors(msgspec.Struct, frozen=True):
    """The error types of a pair, as in `score` with the first annotator as the gold standard."""

    counts: dict[str, int]
    """Numbers of spans by error type; FN: only the first annotator has the span, FP: only the second."""
    confusion: dict[str, dict[str, int]]
    """All spans but TP, by the labels of the first and of the second annotator; "" means no span."""


class PairAgreement(msgspec.Struct, frozen=True):
    """The agreement of two annotators."""

    a: str
    b: str
    documents: int
    """The number of documents that both have."""
    codes: dict[str, Coefficients]
    """Coefficients by atoms: `all`; those that `any` of the two labels; those that `every` one of them labels."""
    f1: dict[str, float | None]
    labels: dict[str, float | None]
    """Exact F1 by label."""
    unitizing: Unitizing
    confusion: dict[str, dict[str, int]]
    """Numbers of atoms by the codes of the first and of the second annotator."""
    verdicts: PairErrors | None = None
    """None if the two have no document in common, or spans are not compared."""


class DocumentAgreement(msgspec.Struct, frozen=True):
    """One document: the number of its annotators, their mean exact F1, and alpha."""

    name: str
    annotators: int
    exact: float | None
    alpha: float | None


class Annotator(msgspec.Struct, frozen=True):
    """How much one annotator annotated."""

    name: str
    documents: int
    units: int
    labels: dict[str, int]


class Coverage(msgspec.Struct, frozen=True):
    """Numbers of documents, by number of annotators and by annotator."""

    by_number: dict[str, int]
    by_annotator: dict[str, int]


class Interval(msgspec.Struct, frozen=True):
    low: float
    high: float


class Resampling(msgspec.Struct, frozen=True):
    """The settings of intervals."""

    resamples: int
    of: str
    level: float
    seed: int


class SavedFigures(msgspec.Struct, frozen=True):
    """All figures of an agreement, in the form of their JSON."""

    task: str
    signature: str
    notes: list[str]
    coding: str | None
    """How spans become codes of atoms (`label` or `iob2`); None without spans."""
    annotators: list[Annotator]
    coverage: Coverage
    codes: dict[str, Coefficients]
    f1: dict[str, Spread]
    unitizing: Unitizing
    labels: dict[str, LabelAgreement]
    pairs: list[PairAgreement]
    documents: list[DocumentAgreement]
    undefined: dict[str, str]
    """Reasons for undefined figures, by path (`codes.all.alpha`)."""
    intervals: dict[str, Interval]
    resampling: Resampling


# Regions of a page


STATES = ("undecided", "decided", "agreed")
"""States of regions, in the order of a page."""


@dataclass(frozen=True)
class DrawnRegion:
    """A region of annotated text in its sentence."""

    state: str
    start: int
    end: int
    answers: dict[str, list[Answer]]
    accepted: list[Answer]
    offsets: tuple[int, int] | None = None
    """Start and end in the text of the document, in characters, if there is a text."""


@dataclass
class DrawnRegions:
    """The regions of a page, and counts of all regions."""

    limit: int
    sentences: list[Sentence] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    by_state: Counter[str] = field(default_factory=Counter)
    by_label: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By label and state; a region counts for every label that an annotator gives it."""
    by_document: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By document and state."""
    by_pair: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By pair of annotators, the regions where they differ."""
    _included: dict[str, list[tuple[int, DrawnRegion]]] = field(default_factory=lambda: {state: [] for state in STATES})

    def has_room(self, region: Region) -> bool:
        return len(self._included[region.state]) < self.limit

    def add(self, region: Region, sentence: int, drawn: DrawnRegion) -> None:
        """Include a region; `sentence` is an index of `sentences`."""
        self._included[region.state].append((sentence, drawn))

    def count(self, region: Region) -> None:
        self.by_state[region.state] += 1
        self.by_document[region.document, region.state] += 1
        for label in {span[2] for spans in region.answers.values() for span in spans}:
            self.by_label[label, region.state] += 1
        for a, b in combinations(region.answers, 2):
            self.by_pair[a, b] += region.answers[a] != region.answers[b]

    def included(self) -> list[tuple[int, DrawnRegion]]:
        """The regions of the page, with the indexes of their sentences."""
        return [region for state in STATES for region in self._included[state]][: self.limit]


# Agreement


DEFAULT_LIMIT = 5_000
"""Maximum number of regions of a page."""


class Voters(Protocol):
    """Reads the files of annotators again, to apply a vote to their spans."""

    def conflicts(self, vote: Vote) -> list[Region]:
        """Regions where annotators have different spans."""

    def adjudicated(self, vote: Vote) -> Iterator[Annotation]:
        """The annotation that the vote accepts, in batches."""

    def places(self, vote: Vote, limit: int) -> DrawnRegions:
        """All regions in their sentences; at most `limit` are included, conflicts first."""


class Agreement(Displayed, WithRows, WithTables):
    """The agreement of annotators: `agreement.alpha`, `agreement.pairs`, `agreement.labels["PER"].kappa`.

    codes       coefficients over `all` atoms, atoms that `any` annotator labels, and atoms that `every` one labels
    observed, kappa, fleiss, alpha, ac1
                the coefficients over all atoms; None if undefined
    f1          F1 of pairs by measure: mean and standard deviation
    undefined   reasons for undefined figures, by path in the JSON
    """

    def __init__(
        self, figures: SavedFigures, by: str | None = None, voters: Voters | None = None, listed: Sequence[Region] = ()
    ) -> None:
        """If `by` is "document", tables have one row per document; tables also list the conflicts in `listed`."""
        self.figures, self.by, self._voters, self.listed = figures, by, voters, listed
        self.annotators = tuple(annotator.name for annotator in figures.annotators)
        self.coverage, self.unitizing, self.codes = figures.coverage, figures.unitizing, figures.codes
        overall = figures.codes.get("all", Coefficients(0))
        self.observed, self.ac1 = overall.observed, overall.ac1
        self.kappa, self.fleiss, self.alpha = overall.kappa, overall.fleiss, overall.alpha
        self.f1, self.labels, self.intervals = figures.f1, figures.labels, figures.intervals
        self.pairs = {(pair.a, pair.b): pair for pair in figures.pairs}
        self.documents = {document.name: document for document in figures.documents}
        self.undefined, self.signature, self.notes = figures.undefined, figures.signature, tuple(figures.notes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Agreement) and self.figures == other.figures

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_unitized(self) -> bool:
        """Whether annotators choose the boundaries of units."""
        return self.figures.coding is not None

    def conflicts(self, vote: str | int = "majority") -> list[Region]:
        """Regions where annotators have different spans; reads the files again.

        vote       the spans to accept: of the "majority", "unanimous" ones, or of at least this number of annotators
        """
        return self._voters_for("conflicts").conflicts(Vote.of(vote))

    def listing_conflicts(self, vote: str | int = "majority", limit: int | None = None) -> Agreement:
        """The same agreement with conflicts in its tables: all of them, or the first ones."""
        end = None if limit is None else check_whole_number("limit", limit, 0)
        return Agreement(self.figures, self.by, self._voters, self.conflicts(vote)[:end])

    @property
    def adjudicated(self) -> Annotation:
        """The annotation by the majority of all annotators; reads the files again."""
        return self.adjudicate()

    def adjudicate(self, vote: str | int = "majority") -> Annotation:
        """The annotation by a vote of all annotators, as in `conflicts`; reads the files again.

        Documents of a single annotator are unchanged.
        """
        return Annotation.concatenate(list(self.adjudicated_batches(vote)))

    def adjudicated_batches(self, vote: str | int = "majority") -> Iterator[Annotation]:
        """The same in batches."""
        return self._voters_for("adjudicated spans").adjudicated(Vote.of(vote))

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        vote: str | int = "majority",
        limit: int = DEFAULT_LIMIT,
    ) -> str:
        """Return one page with figures and all regions, and write it to `path`, if given; reads the files again.

        title      of the page [the names of the annotators]
        vote       as in `conflicts`
        limit      maximum number of regions, conflicts first
        """
        from evenhand.report.html.agreement import render

        places = self._voters_for("places").places(Vote.of(vote), check_whole_number("limit", limit, 0))
        names = names_or_number(self.annotators, "annotator")
        return written(render(self, places, title or f"Agreement of {names}"), path)

    def _voters_for(self, what: str) -> Voters:
        if self._voters is None:
            raise SettingError(f"A saved agreement has no {what}, as these are in the files; call agree again.")
        return self._voters

    def saved(self) -> dict[str, Any]:
        return {"command": "agree", **msgspec.to_builtins(self.figures)}

    @staticmethod
    def from_json(source: str | Path) -> Agreement:
        """Load an agreement that `to_json` or `evenhand agree --as json` saved, from a file or from its JSON text."""
        from evenhand.results.json import load_agreement

        return load_agreement(source)


# Adjudication


@dataclass(frozen=True, repr=False)
class Adjudication(Displayed, WithTables):
    """Overrides of a gold standard: `adjudication.problems`, `adjudication.apply("better.conll")`."""

    gold: str
    """The name of the gold standard."""
    files: Sequence[OverrideFile]
    overrides: Sequence[Override]
    """All valid overrides, in the order of the text and without repetitions."""
    problems: Sequence[Problem]
    """Overrides that do not fit the gold standard, in the order of the files."""
    before: Mapping[str, int]
    """The number of gold spans, by label."""
    after: Mapping[str, int]
    """The number of spans of the corrected gold standard, by label."""
    signature: str
    writer: Callable[[Path, str | None, str | None], None] = field(repr=False, compare=False)
    """Writes the corrected gold standard, given a path, a format and an encoding."""

    @property
    def verdicts(self) -> dict[str, int]:
        """Numbers of spans, by verdict."""
        counts = Counter(override.verdict for override in self.overrides)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    @property
    def states(self) -> dict[str, int]:
        """Numbers of overrides by state: proposed, accepted, or right; empty without proposals of `suspects`."""
        if not any("status" in override.record for override in self.overrides):
            return {}
        counts = Counter(override.state for override in self.overrides)
        return {state: counts[state] for state in OVERRIDE_STATES}

    @property
    def labels(self) -> dict[str, dict[str, int]]:
        """Numbers of spans, by label and verdict; missing spans count for the label that they should have."""
        names = sorted({*self.before, *self.after, *(override.subject.label for override in self.overrides)})
        counts = Counter((override.subject.label, override.verdict) for override in self.overrides)
        return {name: {verdict: counts[name, verdict] for verdict in VERDICTS} for name in names}

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self._notes_on_states(), *self._notes_on_unclear())

    def _notes_on_states(self) -> tuple[str, ...]:
        if not self.states:
            return ()
        states = ", ".join(f"{number:,} {state}" for state, number in self.states.items())
        return (f"Review: {states}.",)

    def _notes_on_unclear(self) -> tuple[str, ...]:
        unclear = self.verdicts["unclear"]
        if not unclear:
            return ()
        finding = f"{unclear:,} unclear span{'s are' if unclear > 1 else ' is'} not in the corrected gold standard"
        return (f"{finding}; only with --overrides, system spans that overlap unclear ones are also left out.",)

    def merge(self, path: str | Path | None = None) -> str:
        """Return all overrides as one file, and write it to `path`, if given."""
        self._refuse_problems()
        from evenhand.formats.overrides import to_lines

        return written(to_lines(self.overrides), path)

    def apply(self, path: str | Path, format: str | None = None, encoding: str | None = None) -> None:
        """Write the corrected gold standard; without a format, the path decides."""
        self._refuse_problems()
        self.writer(Path(path), format, encoding)

    def saved(self) -> dict[str, Any]:
        return {
            "command": "adjudicate",
            "task": "spans",
            "signature": self.signature,
            "notes": self.notes,
            "gold": self.gold,
            "files": [{"name": file.name, "sha256": file.sha256} for file in self.files],
            "verdicts": self.verdicts,
            **present(states=self.states),
            "labels": self.labels,
            "before": self.before,
            "after": self.after,
            "problems": [{"place": problem.place, "finding": problem.finding} for problem in self.problems],
        }

    def _refuse_problems(self) -> None:
        for problem in self.problems:
            raise InputError(problem.source, problem.line, problem.finding, problem.remedy, problem.kind)
