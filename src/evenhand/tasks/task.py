"""The declaration of a task: everything that another room asks about it.

A task is declared once, in `tasks/<task>/task.py`. Declarations are light: what they name is imported on first use
(`registry.late`), so that the help of a command loads no arrays. Third parties declare tasks in packages of their own,
as entry points of the group `evenhand.tasks`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from evenhand.dataclass import dataclass
from evenhand.parameters import Parameter
from evenhand.scores.model import Model
from evenhand.settings import Align, ScoreSettings
from evenhand.tasks.agreed import Agreed
from evenhand.tasks.display import Display

if TYPE_CHECKING:
    from evenhand.formats.read import OpenFiles
    from evenhand.text.annotation import Annotation


@dataclass(frozen=True)
class Content:
    """What a gold standard is for, and what it has beyond that."""

    task: str
    traits: frozenset[str] = frozenset()
    """What its format says of it: `universal` (the columns of Universal Dependencies), `conllu`, `pos`, `heads`."""
    files: OpenFiles | None = field(default=None, compare=False, repr=False)
    """Its files, which were recognised to know that."""

    def __reduce__(self) -> tuple[type[Content], tuple[str, frozenset[str]]]:
        """Other processes recognise the files that they read."""
        return Content, (self.task, self.traits)


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
    models: tuple[Model, ...]
    match: Callable[[Content], tuple[str, ...]]
    """The match models of `score` unless others are named."""
    ranked: Callable[[Content], tuple[str, ...]]
    """Those of `rank`."""
    compared_by: tuple[str, ...]
    """What systems can be compared by; the first is the default."""
    reported_by: tuple[str, ...]
    """Those of a report, whose verdicts must tell the kinds of errors."""
    decided_by: Callable[[str, Mapping[str, Any]], str] = lambda name, options: name
    """The match model that `rank`, `compare`, `gate` and `report` use for one that is named, under the options."""
    leaves_out: Callable[[str, Mapping[str, Any]], bool] = lambda name, options: False
    """Whether the options leave a match model out that `score` has by default."""
    compared_models: Callable[[str, Content], tuple[str, ...]] = lambda by, content: (by,)
    """The match models that a comparison scores; several are tested each for itself."""

    # What a user can set
    parameters: tuple[Parameter, ...] = ()
    aligns: tuple[Align, ...] = ("strict", "position", "characters")
    align: Callable[[Content], Align] = lambda content: "strict"
    """How texts are aligned unless a user says."""
    has_encoding: bool = False
    """Whether tags spell its units in some encoding."""
    has_labels: bool = True
    """Whether labels can be chosen and renamed."""
    signature: tuple[str, ...] = ("align", "gold", "system", "repair", "map", "labels", "exclude", "macro", "beta")
    """The keys of the signature, in their order, between `match` and the parameters of match models."""
    constants: Mapping[str, str] = field(default_factory=dict)
    """Keys of the signature whose values never change."""
    check: Callable[[ScoreSettings, Content], None] = lambda settings, content: None
    """Refuse settings that do not go together."""
    adjust: Callable[[dict[str, Any], Content], None] = lambda values, content: None
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
    agreed: Agreed | None = None
    """How the agreement of annotators is measured; None: it is not."""
    slices: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Slices of its own, by name."""
    default_slices: Callable[[Content], tuple[str, ...]] = lambda content: ()
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
