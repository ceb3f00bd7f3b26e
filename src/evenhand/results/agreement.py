"""Agreement between annotators: what `agree` returns, saves and loads."""

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
from evenhand.data.overrides import VERDICTS, Override, OverrideFile
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, Problem, SettingError, counted
from evenhand.formats.jsonl import written as written_override_lines
from evenhand.parameters import check_whole_number
from evenhand.results.display import Framed, Shown, Tabled, written
from evenhand.results.display import written as written_to
from evenhand.version import __version__


@dataclass(frozen=True, repr=False)
class Adjudication(Shown, Tabled):
    """What files of overrides say of a gold standard: `adjudication.problems`, `adjudication.apply("better.conll")`."""

    gold: str
    """The name of the gold standard."""
    files: Sequence[OverrideFile]
    overrides: Sequence[Override]
    """All that fit, in the order of the text; what two files say alike is there once."""
    problems: Sequence[Problem]
    """What does not fit, in the order in which it was met."""
    before: Mapping[str, int]
    """How many spans of each label the gold standard has."""
    after: Mapping[str, int]
    """How many it has once it is corrected."""
    signature: str
    writer: Callable[[Path, str | None, str | None], None] = field(repr=False, compare=False)
    """Writes the corrected gold standard, given a path, a format and an encoding."""

    @property
    def verdicts(self) -> dict[str, int]:
        """How many spans have each verdict."""
        counted = Counter(override.verdict for override in self.overrides)
        return {verdict: counted[verdict] for verdict in VERDICTS}

    @property
    def labels(self) -> dict[str, dict[str, int]]:
        """For each label, how many spans have each verdict; missing ones count for the label that they should have."""
        names = sorted({*self.before, *self.after, *(override.subject.label for override in self.overrides)})
        counted = Counter((override.subject.label, override.verdict) for override in self.overrides)
        return {name: {verdict: counted[name, verdict] for verdict in VERDICTS} for name in names}

    @property
    def notes(self) -> tuple[str, ...]:
        unclear = self.verdicts["unclear"]
        if not unclear:
            return ()
        finding = f"{unclear:,} unclear span{'s are' if unclear > 1 else ' is'} not in the corrected gold standard"
        return (f"{finding}; only with --overrides, system spans that overlap unclear ones are left out, too.",)

    def merge(self, path: str | Path | None = None) -> str:
        """All overrides as one file, written to `path` too, where one is given."""
        self._refuse_problems()
        return written_to(written_override_lines(self.overrides), path)

    def apply(self, path: str | Path, format: str | None = None, encoding: str | None = None) -> None:
        """Write the corrected gold standard, in the format that is named or that the path shows."""
        self._refuse_problems()
        self.writer(Path(path), format, encoding)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain Python, in the form of its JSON."""
        return {
            "evenhand": __version__,
            "command": "adjudicate",
            "task": "spans",
            "signature": self.signature,
            "notes": list(self.notes),
            "gold": self.gold,
            "files": [{"name": file.name, "sha256": file.sha256} for file in self.files],
            "verdicts": self.verdicts,
            "labels": self.labels,
            "before": dict(self.before),
            "after": dict(self.after),
            "problems": [{"place": problem.place, "finding": problem.finding} for problem in self.problems],
        }

    def _refuse_problems(self) -> None:
        for problem in self.problems:
            raise InputError(problem.source, problem.line, problem.finding, problem.remedy, problem.kind)


class Coefficients(msgspec.Struct, frozen=True):
    """Agreement over the codes of atoms."""

    atoms: int
    """How many atoms two annotators have at least."""
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
    """The mean over pairs, and the population standard deviation."""

    mean: float | None
    sd: float | None


class LabelAgreement(msgspec.Struct, frozen=True):
    """Agreement on one label: binary codes, and exact F1 of pairs that use it."""

    kappa: float | None
    fleiss: float | None
    alpha: float | None
    f1: Spread


class Verdicts(msgspec.Struct, frozen=True):
    """The verdicts on a pair, as `score` has them with the first annotator as the gold standard."""

    counts: dict[str, int]
    """How many spans have which verdict; FN: only the first annotator has it, FP: only the second."""
    confusion: dict[str, dict[str, int]]
    """What is no TP, by the labels of the first and of the second annotator; "" stands for no span."""


class PairAgreement(msgspec.Struct, frozen=True):
    """Two annotators."""

    a: str
    b: str
    documents: int
    """How many documents both have."""
    codes: dict[str, Coefficients]
    """Over `all` atoms, over those that `any` of the two labels, and over those that `every` one labels."""
    f1: dict[str, float | None]
    labels: dict[str, float | None]
    """Exact F1 by label."""
    unitizing: Unitizing
    confusion: dict[str, dict[str, int]]
    """How many atoms have a code of the one and a code of the other annotator."""
    verdicts: Verdicts | None = None
    """None where the two have no document in common, and where spans are not compared."""


class DocumentAgreement(msgspec.Struct, frozen=True):
    """One document: how many annotators have it, their mean exact F1, and alpha."""

    name: str
    annotators: int
    exact: float | None
    alpha: float | None


class Annotator(msgspec.Struct, frozen=True):
    """What one annotator has."""

    name: str
    documents: int
    units: int
    labels: dict[str, int]


class Coverage(msgspec.Struct, frozen=True):
    """How many documents so many annotators have, and each annotator."""

    by_number: dict[str, int]
    by_annotator: dict[str, int]


class Interval(msgspec.Struct, frozen=True):
    low: float
    high: float


class Resampling(msgspec.Struct, frozen=True):
    """How intervals were made."""

    resamples: int
    of: str
    level: float
    seed: int


class Figures(msgspec.Struct, frozen=True):
    """All figures of an agreement, in the form of their JSON."""

    task: str
    signature: str
    notes: list[str]
    coding: str | None
    """What the codes of spans are; None where there are no spans."""
    annotators: list[Annotator]
    coverage: Coverage
    codes: dict[str, Coefficients]
    f1: dict[str, Spread]
    unitizing: Unitizing
    labels: dict[str, LabelAgreement]
    pairs: list[PairAgreement]
    documents: list[DocumentAgreement]
    undefined: dict[str, str]
    """Why a figure is undefined, by its path (`codes.all.alpha`)."""
    intervals: dict[str, Interval]
    resampling: Resampling


STATES = ("undecided", "decided", "agreed")
"""What a place can be: those that need a decision first."""


@dataclass(frozen=True)
class DrawnPlace:
    """A place in its sentence."""

    state: str
    start: int
    end: int
    answers: dict[str, list[Answer]]
    accepted: list[Answer]
    offsets: tuple[int, int] | None = None
    """Start and end in the text of the document, in characters, where there is a text."""


@dataclass
class DrawnPlaces:
    """Places that a page carries, and counts of all."""

    limit: int
    sentences: list[Sentence] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    by_state: Counter[str] = field(default_factory=Counter)
    by_label: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By label and state, of places where somebody gives it."""
    by_document: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By document and state."""
    by_pair: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often two annotators differ."""
    _kept: dict[str, list[tuple[int, DrawnPlace]]] = field(default_factory=lambda: {state: [] for state in STATES})

    def has_room(self, place: Region) -> bool:
        """Whether a place may be carried, as far as is known."""
        return len(self._kept[place.state]) < self.limit

    def add(self, place: Region, sentence: int, drawn: DrawnPlace) -> None:
        """Carry a place, in a sentence by its number here."""
        self._kept[place.state].append((sentence, drawn))

    def count(self, place: Region) -> None:
        self.by_state[place.state] += 1
        self.by_document[place.document, place.state] += 1
        for label in {answer[2] for given in place.answers.values() for answer in given}:
            self.by_label[label, place.state] += 1
        for a, b in combinations(place.answers, 2):
            self.by_pair[a, b] += place.answers[a] != place.answers[b]

    def carried(self) -> Iterator[tuple[int, DrawnPlace]]:
        """The places that a page has room for, with the number of the sentence of each."""
        ordered = [each for state in STATES for each in self._kept[state]]
        return iter(ordered[: self.limit])


DEFAULT_LIMIT = 5_000
"""How many places a page carries."""


class Voters(Protocol):
    """Who can read the files of annotators again, and let them vote."""

    def conflicts(self, vote: Vote) -> list[Region]:
        """Places where they do not have the same spans."""

    def adjudicated(self, vote: Vote) -> Iterator[Annotation]:
        """What the vote accepts, in batches."""

    def places(self, vote: Vote, limit: int) -> DrawnPlaces:
        """All places, in their sentences; so many are kept, conflicts first."""


class Agreement(Shown, Framed, Tabled):
    """How far annotators agree: `agreement.alpha`, `agreement.pairs`, `agreement.labels["PER"].kappa`."""

    def __init__(
        self,
        figures: Figures,
        by: str | None = None,
        voters: Voters | None = None,
        listed: Sequence[Region] = (),
    ) -> None:
        """With `by`, "document", tables have a row a document; `voters` read the files again.

        Tables list the conflicts that are `listed`.
        """
        self.figures, self.by, self._voters, self.listed = figures, by, voters, listed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Agreement) and self.figures == other.figures

    __hash__ = None  # type: ignore[assignment]

    @property
    def annotators(self) -> tuple[str, ...]:
        return tuple(annotator.name for annotator in self.figures.annotators)

    @property
    def is_unitized(self) -> bool:
        """Whether annotators choose where units are, so that there are figures of units."""
        return self.figures.coding is not None

    @property
    def coverage(self) -> Coverage:
        return self.figures.coverage

    @property
    def codes(self) -> Mapping[str, Coefficients]:
        """Coefficients over `all` atoms, those that `any` annotator labels, and those that `every` one does."""
        return self.figures.codes

    @property
    def _over_all(self) -> Coefficients:
        """The coefficients over all atoms; undefined where these have no codes."""
        return self.codes.get("all", Coefficients(0))

    @property
    def observed(self) -> float | None:
        return self._over_all.observed

    @property
    def kappa(self) -> float | None:
        return self._over_all.kappa

    @property
    def fleiss(self) -> float | None:
        return self._over_all.fleiss

    @property
    def alpha(self) -> float | None:
        return self._over_all.alpha

    @property
    def ac1(self) -> float | None:
        return self._over_all.ac1

    @property
    def f1(self) -> Mapping[str, Spread]:
        """F1 of pairs by match model: mean and standard deviation."""
        return self.figures.f1

    @property
    def unitizing(self) -> Unitizing:
        return self.figures.unitizing

    @property
    def labels(self) -> Mapping[str, LabelAgreement]:
        return self.figures.labels

    @property
    def pairs(self) -> Mapping[tuple[str, str], PairAgreement]:
        return {(pair.a, pair.b): pair for pair in self.figures.pairs}

    @property
    def documents(self) -> Mapping[str, DocumentAgreement]:
        return {document.name: document for document in self.figures.documents}

    @property
    def undefined(self) -> Mapping[str, str]:
        """Why figures are undefined, by their paths in the JSON."""
        return self.figures.undefined

    @property
    def intervals(self) -> Mapping[str, Interval]:
        return self.figures.intervals

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self.figures.notes)

    @property
    def signature(self) -> str:
        return self.figures.signature

    def conflicts(self, vote: str | int = "majority") -> list[Region]:
        """Places where annotators do not have the same spans; the files are read again.

        vote       which spans are accepted there: those of the "majority", "unanimous" ones, or those that so many
                   annotators have
        """
        return self._asked("conflicts").conflicts(Vote.of(vote))

    def listing_conflicts(self, vote: str | int = "majority", limit: int | None = None) -> Agreement:
        """The same agreement, whose tables list conflicts, too: all of them, or the first ones."""
        most = None if limit is None else check_whole_number("limit", limit, 0)
        return Agreement(self.figures, self.by, self._voters, self.conflicts(vote)[:most])

    @property
    def adjudicated(self) -> Annotation:
        """The annotation that a majority makes of all annotators; the files are read again."""
        return self.adjudicate()

    def adjudicate(self, vote: str | int = "majority") -> Annotation:
        """The annotation that a vote makes of all annotators, as in `conflicts`; the files are read again.

        Documents of one annotator are taken over.
        """
        return Annotation.concatenate(list(self.adjudicated_batches(vote)))

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        vote: str | int = "majority",
        limit: int = DEFAULT_LIMIT,
    ) -> str:
        """One page with figures and all places, a lane for each annotator; written to `path` too, where one is given.

        title      of the page [the names of the annotators]
        vote       as in `conflicts`
        limit      how many places the page carries: conflicts before others

        The files are read again.
        """
        from evenhand.report.html.agreement import render

        places = self._asked("places").places(Vote.of(vote), check_whole_number("limit", limit, 0))
        names = ", ".join(self.annotators) if len(self.annotators) < 6 else counted(len(self.annotators), "annotator")
        return written(render(self, places, title or f"Agreement of {names}"), path)

    def adjudicated_batches(self, vote: str | int = "majority") -> Iterator[Annotation]:
        """The same in batches."""
        return self._asked("adjudicated spans").adjudicated(Vote.of(vote))

    def _asked(self, what: str) -> Voters:
        if self._voters is None:
            raise SettingError(f"A saved agreement has no {what}, as these are in the files; call agree again.")
        return self._voters

    def to_dict(self) -> dict[str, Any]:
        """The agreement as plain Python, in the form of its JSON."""
        return {"evenhand": __version__, "command": "agree", **msgspec.to_builtins(self.figures)}

    @staticmethod
    def from_json(source: str | Path) -> Agreement:
        """An agreement as `to_json` or `evenhand agree --as json` saved it: from a file, or from the text itself."""
        from evenhand.results.json import load_agreement

        return load_agreement(source)
