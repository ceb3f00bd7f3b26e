"""The declaration of a task: everything that another room asks about it.

A task is declared once, in `tasks/<task>/task.py`. Declarations are light: what they name is imported on first use
(`registry.late`), so that the help of a command loads no arrays. Third parties declare tasks in packages of their own,
as entry points of the group `evenhand.tasks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from evenhand.dataclass import dataclass
from evenhand.parameters import Parameter
from evenhand.registry import lazy
from evenhand.scoring.measure import Measure
from evenhand.settings import Align, ScoreSettings
from evenhand.tables import Table

if TYPE_CHECKING:
    from evenhand.data.annotation import Annotation
    from evenhand.formats.read import OpenFiles
    from evenhand.results.comparison import Comparison, Differences, Pair
    from evenhand.results.result import Result, Results
    from evenhand.tasks.tables import ErrorBars

# == tasks/display.py: How the results of a task are shown: its tables, its figures


@dataclass(frozen=True)
class Confusion:
    """Which labels are confused with which: the scores that tell, and the words around it."""

    models: tuple[str, ...] = ()
    """The match models that have a matrix, the best one first; unless they are named, any that has one."""
    title: str = "confusion (errors only)"
    caption: str = "Errors only."
    """What stands below a figure."""
    one_sided: tuple[str, str] = ("missing", "extra")
    """What units are called that only the gold standard, and only the system, has."""


@dataclass(frozen=True)
class Display:
    """What a task shows."""

    summary: Callable[[Results], Iterable[Table]] = field(default=lazy("evenhand.tasks.tables:summary"))
    """All systems side by side."""
    details: Callable[..., Iterable[Table]] = field(default=lazy("evenhand.tasks.tables:details"))
    """All about one system, given its result, the style and whether it is `alone`."""
    listing: Callable[[Result], Iterable[Table]] = lambda result: ()
    """Further tables on one system, which are long and so stand in a page only."""
    errors: Callable[..., ErrorBars] = field(default=lazy("evenhand.tasks.tables:errors"))
    """How the errors of each system divide, given the results and, on a page, the score that is compared."""
    confusion: Confusion | None = Confusion()
    transitions: Callable[[Comparison, Pair, Differences], Table] | None = None
    """What units were and became in one class of differences; unless it is given, by gold label and both answers."""
    remarks: Mapping[str, str] = field(default_factory=dict)
    """Words that only this task needs in tables of comparisons.

    agreement  what two systems share [equal answers]
    moved      what the same answer may differ in [answer, but another match]
    oracle     a sentence below the oracle
    left_out   why units are not compared [not all systems are scored on their sentences]
    paired     what to know of scores with one system as the key for another
    """
    label: str = "label"
    """What its labels are called."""
    has_verdicts: bool = False
    """Whether answers are shown with their verdicts (`LE ORG`), not by their labels alone."""
    has_label_answers: bool = True
    """Whether systems answer with labels; else a page shows something finer, such as identifiers."""
    verdict_names: Mapping[str, str] = field(default_factory=dict)
    """What wrong verdicts are called in words; one without a name stands for itself."""
    absent: tuple[str, ...] = ("missing",)
    """The verdicts under which a system has nothing: it lacks a unit, or does not have what only others have."""
    unscored: tuple[str, ...] = ()
    """The verdicts under which a unit is not scored for a system; systems are not compared on such units."""
    drawing: Literal["spans", "mentions", "words", "links", "brackets"] = "spans"
    """What a page draws: rows of label, start, end and gaps; of chain, start and end; or of label and, maybe, head.

    `links` are spans with links between them (`tasks.units.LinkedDrawing`). `brackets` are trees: rows of label, start,
    end and a mark, in the order in which brackets open.
    """
    conlleval: tuple[str, str] | None = None
    """The match models of phrases and of tags, where results can be written in the layout of conlleval."""


# == tasks/agreed.py: How a task measures the agreement of annotators: by which sc


@dataclass(frozen=True)
class AgreementSpec:
    """What `agree` asks of a task."""

    by: tuple[str, ...]
    """The match models by which pairs of annotators are compared, the exact one first."""
    as_spans: Callable[..., Annotation] | None = None
    """Gives an annotation the spans whose labels are codes of atoms: (annotation, read settings, settings, vocabulary).

    None where nothing has a code; each annotator is then the key for all others.
    """
    from_spans: Callable[[Annotation], Annotation] = lambda annotation: annotation
    """The way back, for an annotation that a vote made."""
    is_unitized: bool = False
    """Whether annotators choose where units are, so that some atoms have none and may all agree on that.

    Else each atom has a code of its own, and the score of a pair is the share of equal ones.
    """
    verdicts: str | None = None
    """The match model whose verdicts on a pair are counted."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings that are other than those of `score`, unless a user gives them."""

    @property
    def has_codes(self) -> bool:
        return self.as_spans is not None


# == tasks/task.py (primary)


@dataclass(frozen=True)
class GoldProfile:
    """What a gold standard is for, and what it has beyond that."""

    task: str
    traits: frozenset[str] = frozenset()
    """What its format says of it: `universal` (the columns of Universal Dependencies), `conllu`, `pos`, `heads`."""
    files: OpenFiles | None = field(default=None, compare=False, repr=False)
    """Its files, which were recognised to know that."""

    def __reduce__(self) -> tuple[type[GoldProfile], tuple[str, frozenset[str]]]:
        """Other processes recognise the files that they read."""
        return GoldProfile, (self.task, self.traits)


@dataclass(frozen=True)
class Example:
    """Files that come with the package: a folder of `evenhand/examples`, the gold standard and systems in it."""

    folder: str
    gold: str
    systems: tuple[str, ...]
    package: str = "evenhand"
    options: str = ""
    """What a command needs beside the files."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is scored: its units, its match models, and how they are read, judged, compared and shown."""

    name: str
    title: str
    """What it is about, in a few words for the help."""
    unit: str
    """What gets a verdict, in the singular."""
    other_units: Mapping[str, str] = field(default_factory=dict)
    """What gets one under the match models where it is something else."""
    example: Example
    models: tuple[Measure, ...]
    match: Callable[[GoldProfile], tuple[str, ...]]
    """The match models of `score` unless others are named."""
    ranked: Callable[[GoldProfile], tuple[str, ...]]
    """Those of `rank`."""
    compared_by: tuple[str, ...]
    """What systems can be compared by; the first is the default."""
    reported_by: tuple[str, ...]
    """Those of a report, whose verdicts must tell the kinds of errors."""
    decided_by: Callable[[str, Mapping[str, Any]], str] = lambda name, options: name
    """The match model that `rank`, `compare`, `gate` and `report` use for one that is named, under the options."""
    leaves_out: Callable[[str, Mapping[str, Any]], bool] = lambda name, options: False
    """Whether the options leave a match model out that `score` has by default."""
    compared_models: Callable[[str, GoldProfile], tuple[str, ...]] = lambda by, content: (by,)
    """The match models that a comparison scores; several are tested each for itself."""

    # What a user can set
    parameters: tuple[Parameter, ...] = ()
    aligns: tuple[Align, ...] = ("strict", "position", "characters")
    align: Callable[[GoldProfile], Align] = lambda content: "strict"
    """How texts are aligned unless a user says."""
    has_encoding: bool = False
    """Whether tags spell its units in some encoding."""
    has_labels: bool = True
    """Whether labels can be chosen and renamed."""
    signature: tuple[str, ...] = ("align", "gold", "system", "repair", "map", "labels", "exclude", "macro", "beta")
    """The keys of the signature, in their order, between `match` and the parameters of match models."""
    constants: Mapping[str, str] = field(default_factory=dict)
    """Keys of the signature whose values never change."""
    check: Callable[[ScoreSettings, GoldProfile], None] = lambda settings, content: None
    """Refuse settings that do not go together."""
    adjust: Callable[[dict[str, Any], GoldProfile], None] = lambda values, content: None
    """Settle parameters whose default depends on the content."""

    # How it goes through the pipeline
    shows: Callable[[Annotation], bool] = lambda annotation: False
    """Whether an annotation in memory is for this task."""
    traits: Callable[[Annotation], frozenset[str]] = lambda annotation: frozenset()
    """What an annotation in memory has for its match models, as formats say of their files (`pos`, `universal`)."""
    shows_any: bool = False
    """Whether it can take any annotation, and so is asked last."""
    passage: Callable[..., Any]
    """Open, align, portion and judge: a `tasks.passage.Passage`, given a `tasks.passage.Question`."""
    is_one_file: bool = False
    """Whether gold standard and prediction may be two columns of one file."""
    matches_documents: bool = False
    """Whether documents of both sides are matched by name, so that files need not be the same ones."""
    by_document: bool = False
    """Whether counts add up over documents only, not over sentences."""
    notes: Callable[..., tuple[str, ...]] = lambda *arguments, **keywords: ()
    """What a reader of the numbers should know about the files."""
    setting_notes: Callable[[ScoreSettings], tuple[str, ...]] = lambda settings: ()
    """What a reader should know about the settings."""
    check_sides: Callable[..., None] = lambda gold, systems: None
    """Refuse sides that cannot be compared, at the end of a run."""
    is_perfect: Callable[[Mapping[str, Any]], bool] = lambda tallies: False
    """Whether all that was counted is right."""
    refuses_itself: bool = False
    """Whether a system that is the gold standard's own layer of the same file is an error, and not only a note."""

    # How systems are compared
    kinds: tuple[str, ...] = ()
    """The verdicts on units."""
    right: Callable[[str], tuple[str, ...]] = lambda by: ()
    """Those that count as right under a score."""
    surplus_kinds: tuple[str, ...] = ()
    """Further verdicts of a table, on units that only the system has and that no score of a comparison counts."""
    verdict_judges: tuple[str, ...] = ()
    """The judges whose verdicts can be written to a table, the first one that is asked."""
    verdict_columns: tuple[tuple[str, str], ...] = ()
    """Further columns of that table: names and Arrow types."""
    answer: Callable[[int, Sequence[str]], str] = lambda code, labels: labels[code]
    """What a system says of a unit, in words, given its code and all labels; a unit that it lacks has words already."""
    agreement: Callable[..., Any] | None = None
    """How alike systems are, whoever is right; unless it is given, by their equal answers."""
    agreed: AgreementSpec | None = None
    """How the agreement of annotators is measured; None: it is not."""
    slices: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Slices of its own, by name."""
    default_slices: Callable[[GoldProfile], tuple[str, ...]] = lambda content: ()
    """Slices that a comparison has unasked."""

    display: Display = field(default_factory=Display)
    """How its results are shown: tables, figures, and units in a page."""

    def unit_of(self, by: str) -> str:
        """What gets a verdict under a match model, in the singular."""
        return self.other_units.get(by, self.unit)

    @property
    def verdict_kinds(self) -> tuple[str, ...]:
        """All verdicts that a table of them may have."""
        return (*self.kinds, *self.surplus_kinds)
