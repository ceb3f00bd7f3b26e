"""The declaration of a task: everything that other rooms need to know about it.

Each task is declared once, in `tasks/<task>/task.py`. Declarations are light: functions are named by their addresses
and imported on first use (`registry.lazy`), so the help of a command does not load NumPy. Other packages declare tasks
as entry points of the group `evenhand.tasks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from evenhand.dataclass import dataclass
from evenhand.parameters import Allowed, CommandLine, Effect, Parameter, ParameterConversion
from evenhand.registry import lazy
from evenhand.scoring.measure import Measure
from evenhand.settings import Align, MinScore, ScoreSettings, min_scores
from evenhand.tables import DisplayTable

if TYPE_CHECKING:
    from evenhand.data.annotation import Annotation
    from evenhand.formats.read import OpenFiles
    from evenhand.results.comparison import Comparison, Differences, Pair
    from evenhand.results.result import Result, Results
    from evenhand.tasks.tables import ErrorBars, ErrorGroup


@dataclass(frozen=True)
class GoldProfile:
    """The task of a gold standard, and the traits of its format."""

    task: str
    traits: frozenset[str] = frozenset()
    """Features of the format: `universal` (the columns of Universal Dependencies), `conllu`, `pos`, `heads`."""
    files: OpenFiles | None = field(default=None, compare=False, repr=False)
    """Its files, opened to detect the format."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The layer to read, and options whose defaults differ for the format."""
    notes: tuple[str, ...] = ()
    """Notes on the choice of the layer."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the files: other processes open their own."""
        return GoldProfile, (self.task, self.traits, None, self.options, self.notes)


def choice(name: str, values: tuple[str, ...], description: str, **options: Any) -> Parameter:
    """A parameter that is one of these values, by default the first."""
    return Parameter(name, "text", values[0], description, allowed=Allowed(choices=values), **options)


CONFIDENCES = (
    Parameter(
        "score",
        "column",
        None,
        "Field or column with the confidence of each unit [score, confidence, probability or prob].",
        allowed=Allowed(optional=True),
        conversion=ParameterConversion(key="score"),
        cli=CommandLine(metavar="FIELD"),
        effect=Effect(on="systems", reads=True),
    ),
    choice(
        "score_of_span",
        ("min", "mean", "product", "first"),
        "How a span gets its confidence from those of its tokens: min, mean, product or first.",
        effect=Effect(on="systems", reads=True),
    ),
    Parameter(
        "score_transform",
        "text",
        None,
        "Transform confidences: logistic for logits, percent for 0 to 100.",
        allowed=Allowed(choices=("logistic", "percent"), optional=True),
        effect=Effect(on="systems"),
    ),
    Parameter(
        "missing_score",
        "text",
        None,
        "Units without a confidence, if others have one: lowest, highest or drop.",
        allowed=Allowed(choices=("lowest", "highest", "drop"), optional=True),
        effect=Effect(on="systems"),
    ),
    Parameter(
        "min_score",
        "thresholds",
        (),
        "Score only units with at least this confidence; NAME is a system or a label. Repeatable.",
        conversion=ParameterConversion(
            parse=min_scores,
            stored=tuple[MinScore, ...],
            spell=lambda scores: ",".join(map(str, scores)) or "none",
        ),
        cli=CommandLine(metavar="[NAME:]NUMBER", repeatable=True),
        effect=Effect(on="systems", labels=lambda scores: [score.name for score in scores if score.name]),
    ),
)
"""Parameters of tasks whose units may have a confidence (a `score`)."""


@dataclass(frozen=True)
class Example:
    """Files that come with the package: a folder of `evenhand/examples`, its gold standard and its systems."""

    folder: str
    gold: str
    systems: tuple[str, ...]
    package: str = "evenhand"
    options: str = ""
    """Options that a command needs in addition to the files."""


@dataclass(frozen=True, kw_only=True)
class MeasureSelection:
    """The measures that each command uses."""

    scored: Callable[[GoldProfile], tuple[str, ...]]
    """Default measures of `score`."""
    ranked: Callable[[GoldProfile], tuple[str, ...]]
    """Default measures of `rank`."""
    compared: tuple[str, ...]
    """Measures that systems can be compared by; the first is the default."""
    reported: tuple[str, ...]
    """Measures of a report, whose units must have error types; the first is the default."""
    resolve: Callable[[str, Mapping[str, Any]], str] = lambda name, options: name
    """The measure that `rank`, `compare`, `gate` and `report` use for a named one, given the options."""
    leaves_out: Callable[[str, Mapping[str, Any]], bool] = lambda name, options: False
    """Whether the options remove a default measure of `score`."""
    tested: Callable[[str, GoldProfile], tuple[str, ...]] = lambda by, content: (by,)
    """The measures that a comparison scores and tests, one by one."""

    @staticmethod
    def of(*measures: str) -> MeasureSelection:
        """The same measures for all commands; the first is the default of comparisons and reports."""
        return MeasureSelection(
            scored=lambda content: measures, ranked=lambda content: measures, compared=measures, reported=measures
        )


@dataclass(frozen=True, kw_only=True)
class InputSpec:
    """How annotations of a task are recognised, read and aligned."""

    detects: Callable[[Annotation], bool] = lambda annotation: False
    """Whether an annotation in memory is for this task."""
    detects_any: bool = False
    """Whether it accepts any annotation, and is therefore tried last."""
    traits: Callable[[Annotation], frozenset[str]] = lambda annotation: frozenset()
    """Traits of an annotation in memory, like a format's (`pos`, `universal`)."""
    alignments: tuple[Align, ...] = ("strict", "position", "characters")
    default_alignment: Callable[[GoldProfile], Align] = lambda content: "strict"
    has_encoding: bool = False
    """Whether its units are encoded as tags."""
    has_labels: bool = True
    """Whether labels can be selected and renamed."""
    single_file: bool = False
    """Whether gold standard and prediction may be two columns of one file."""
    matches_documents: bool = False
    """Whether documents are matched by name, so the sides may be divided into different files."""
    unit_columns: tuple[str, ...] = ()
    """Additional columns of the gold standard that are read if units are kept, from files that have them."""
    rejects_same_layer: bool = False
    """Whether scoring a layer of a file against itself is an error, not just worth a note."""


@dataclass(frozen=True, kw_only=True)
class SettingRules:
    """How settings are checked, completed and written to the signature."""

    check: Callable[[ScoreSettings, GoldProfile], None] = lambda settings, content: None
    """Reject settings that contradict each other."""
    resolve: Callable[[dict[str, Any], GoldProfile], None] = lambda values, content: None
    """Set parameters whose default depends on the content."""
    notes: Callable[[ScoreSettings], tuple[str, ...]] = lambda settings: ()
    """Notes on the settings for readers of the scores."""
    signature: tuple[str, ...] = ("align", "gold", "system", "repair", "map", "labels", "exclude", "macro", "beta")
    """The keys of the signature between `match` and the parameters of measures, in order."""
    constants: Mapping[str, str] = field(default_factory=dict)
    """Keys of the signature whose values never change."""


@dataclass(frozen=True, kw_only=True)
class EvaluationSpec:
    """How a task is evaluated."""

    align: Callable[..., Any]
    """Opens the inputs: (`tasks.evaluation.EvaluationRequest`) -> `alignment.parts.Alignment`."""
    evaluate: Callable[..., Any]
    """Evaluates a part: (`tasks.evaluation.Part`, request) -> `tasks.evaluation.Evaluation`."""
    by_document: bool = False
    """Whether counts add up over documents only, not over sentences."""
    check_inputs: Callable[..., None] = lambda gold, systems: None
    """Reject inputs that cannot be compared, at the end of a run."""
    notes: Callable[..., tuple[str, ...]] = lambda *arguments, **keywords: ()
    """Notes on the files for readers of the scores."""
    facts: Callable[[Mapping[str, Any]], Mapping[str, Mapping[str, Any]]] = lambda tallies: {}
    """Further facts about a system, from its tallies."""
    entities: Callable[..., Any] | None = None
    """Makes the observer of `score --entities`: its method `facts` returns the facts about each system."""
    fact_names: tuple[str, ...] = ()
    """The names of these facts, which are entries of a system in the JSON."""
    is_perfect: Callable[[Mapping[str, Any]], bool] = lambda tallies: False
    """Whether everything counted is correct."""


def labeled_units(units: Callable[..., Any], **options: Any) -> EvaluationSpec:
    """The evaluation of predefined units with one label each (`tasks.labeled_units`).

    `units` returns the units of an annotation as spans: (`Annotation`, `Vocabulary`) -> `Spans`. `options` are the
    other fields of `EvaluationSpec`.
    """
    align = partial(lazy("evenhand.tasks.labeled_units:align"), units=units)
    return EvaluationSpec(align=align, evaluate=lazy("evenhand.tasks.labeled_units:evaluate"), **options)


@dataclass(frozen=True, kw_only=True)
class ErrorTypes:
    """The results that a unit can have: correct, or one of several error types."""

    all: tuple[str, ...] = ("right", "wrong", "missing")
    correct: Callable[[str], tuple[str, ...]] = lambda by: ("right",)
    """Those that count as correct under a measure."""
    extra: tuple[str, ...] = ()
    """Additional types in unit tables, of units that only the system has and that no compared measure counts."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Error types in words; the others are shown by their codes."""
    absent: tuple[str, ...] = ("missing",)
    """The types of units that a system does not have: it misses the unit, or correctly omits it."""
    unscored: tuple[str, ...] = ()
    """The types of units that are not scored for a system; systems are not compared on them."""
    sections: Mapping[str, str] = field(default_factory=dict)
    """The sections of a page that list errors of these types, if it is not the list of units."""
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The types of measures that have others than `all`."""

    def of(self, by: str) -> tuple[str, ...]:
        """All types under a measure."""
        return self.others.get(by, self.all)

    @property
    def of_tables(self) -> tuple[str, ...]:
        """All types that a unit table may contain."""
        return (*self.all, *self.extra)


COMMON_ATTRIBUTES = ("length", "sentence-length", "vocabulary", "document")
"""Attributes of all tasks."""
WORD_ATTRIBUTES = (
    *COMMON_ATTRIBUTES,
    *("document-length", "position", "part", "capitals", "digits", "script", "oov", "leaked"),
)
"""Attributes of units that consist of words."""
TEXT_ATTRIBUTES = (*WORD_ATTRIBUTES, "oov-density")
"""The same, and the density of words."""
STRING_ATTRIBUTES = ("seen", "consistency", "frequency", "ambiguity")
"""Attributes of strings with labels."""
SPAN_ATTRIBUTES = ("density", "nested", "neighbour")
"""Attributes that depend on all gold spans of a sentence."""


@dataclass(frozen=True, kw_only=True)
class ComparisonSpec:
    """How systems are compared unit by unit."""

    unit_scorers: tuple[str, ...] = ()
    """The scorers whose units can be written to a table; of several in use, the first counts. Default: all scorers."""
    unit_columns: tuple[tuple[str, str], ...] = ()
    """Additional columns of that table: names and Arrow types."""
    answer_text: Callable[[int, Sequence[str]], str] = lambda code, labels: labels[code]
    """The prediction for a unit in words, from its code and all labels."""
    similarity: Callable[..., Any] | None = None
    """Similarity of systems, regardless of the gold standard. Default: the share of equal predictions."""
    slices: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Additional slices by name."""
    attributes: tuple[str, ...] = COMMON_ATTRIBUTES
    """The attributes of its units by which they can be sliced (`comparison.attributes`)."""
    labeled_units: Callable[..., Any] | None = None
    """The strings that training data have with a label, if there are attributes that need them.

    (annotation, layer, read settings, settings, vocabulary) -> spans, or the heads and the tails of relations.
    """
    default_slices: Callable[[str, GoldProfile], tuple[str, ...]] = lambda by, content: ()
    """Slices that every comparison by a measure has."""
    page_slices: tuple[str, ...] = ("sentence-length", "document")
    """Slices that every page has, if at least two and at most `slices.MOST_TEXTS` of them have gold units."""
    parts: Callable[..., Any] | None = None
    """The parts of differences of scores, which add up to them, from the counts of both systems.

    (settings, tallies, tallies) -> by measure, a list of `tasks.evaluation.DifferencePart`. Tallies are by scorer.
    """
    groups: Callable[..., Any] | None = None
    """The counts of two systems by groups of units that can be swapped within a document (`--of groups`).

    (evaluation, first system, second system) -> `tasks.evaluation.SwappableGroups`.
    """
    has_causes: bool = False
    """Whether `causes` searches slices of its units for errors."""
    has_suspects: bool = False
    """Whether evaluations have the annotations that `suspects` searches (`Evaluation.annotations`)."""
    one_label: bool = False
    """Whether every unit has exactly one label, so a wrong gold label always has another one instead."""

    @property
    def all_slices(self) -> tuple[str, ...]:
        """The names of its slices that are not columns."""
        return *self.attributes, *self.slices


@dataclass(frozen=True)
class AgreementSpec:
    """How `agree` measures the agreement of annotators."""

    by: tuple[str, ...]
    """The measures by which pairs of annotators are compared, exact match first."""
    as_spans: Callable[..., Annotation] | None = None
    """Turns an annotation into spans whose labels are codes: (annotation, read settings, settings, vocabulary).

    None if units have no codes; each annotator is then the reference for all others.
    """
    from_spans: Callable[[Annotation], Annotation] = lambda annotation: annotation
    """The inverse of `as_spans`, for the result of a vote."""
    is_unitized: bool = False
    """Whether annotators choose the units, so some tokens may have no code, which can also be agreed on.

    Otherwise every token has a code, and the score of a pair is the share of equal codes.
    """
    error_types: str | None = None
    """The measure whose error types are counted for each pair."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Defaults that differ from `score`."""

    @property
    def has_codes(self) -> bool:
        return self.as_spans is not None


@dataclass(frozen=True)
class Confusion:
    """Which labels are confused with each other: the measures with a matrix, and its wording."""

    measures: tuple[str, ...] = ()
    """The measures with a matrix, the preferred one first; empty: any that has one."""
    title: str = "confusion (errors only)"
    caption: str = "Errors only."
    """Text below a figure."""
    diagonal: str = ""
    """Errors with the correct label, which are on the diagonal."""
    one_sided: tuple[str, str] = ("missing", "extra")
    """Names of units that only the gold standard, and only the system, has."""


@dataclass(frozen=True)
class Display:
    """How results are shown: tables, figures, and units in a page."""

    summary: Callable[[Results], Iterable[DisplayTable]] = field(default=lazy("evenhand.tasks.tables:summary"))
    """All systems side by side."""
    details: Callable[..., Iterable[DisplayTable]] = field(default=lazy("evenhand.tasks.tables:details"))
    """One system, given its result, the style and whether it is `alone`."""
    listing: Callable[[Result], Iterable[DisplayTable]] = lambda result: ()
    """Long tables on one system, shown in a page only."""
    errors: Callable[..., ErrorBars] = field(default=lazy("evenhand.tasks.tables:errors"))
    """The error distribution of each system, given the results and, on a page, the measure that is compared."""
    error_groups: Callable[..., list[ErrorGroup] | None] = lambda result, by: None
    """What a system should fix first under a measure; None: the groups of its counts (`tasks.tables`)."""
    contrast: Callable[[Results, str, str], str] = lambda results, best, other: ""
    """A sentence on how the errors of the best system differ from those of another one, below its lead on a page."""
    beside: tuple[str, ...] = ()
    """The measures that a page shows beside the one that systems are compared by."""
    confusion: Confusion | None = Confusion()
    transitions: Callable[[Comparison, Pair, Differences], DisplayTable] | None = None
    """How units changed in one class of differences. Default: by gold label and both predictions."""
    remarks: Mapping[str, str] = field(default_factory=dict)
    """Wording of this task in tables of comparisons.

    agreement  what two systems share [equal answers]
    moved      what the same answer may differ in [answer, but another match]
    oracle     a sentence below the oracle
    left_out   why units are not compared [not all systems are scored on their sentences]
    paired     what to know of scores with one system as the key for another
    """
    label: str = "label"
    """The name of its labels."""
    shows_error_types: bool = False
    """Whether predictions are shown with their error types (`LE ORG`), not by their labels alone."""
    has_label_answers: bool = True
    """Whether systems predict labels; if not, a page shows something finer, such as identifiers."""
    lists_all_gold: bool = True
    """Whether a page lists every unit of the gold standard."""
    drawing: Literal["spans", "mentions", "words", "links", "brackets", "records"] = "spans"
    """What a page draws: rows of label, start, end and gaps; of chain, start and end; or of label and, maybe, head.

    `links` are spans with links between them (`tasks.units.LinkedDrawing`). `brackets` are trees: rows of label, start,
    end and a mark, in the order in which brackets open. `records` are values: rows of a string and the position of the
    gold value; the string of a system has its verdict, a tab, its path and value.
    """
    conlleval: tuple[str, str] | None = None
    """The measures of phrases and of tags, if results can be written in the layout of conlleval."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """A kind of annotation: its units, its measures, and how it is read, evaluated, compared and shown."""

    name: str
    title: str
    """A short description for the help."""
    aliases: tuple[str, ...] = ()
    """Other names; case, hyphens, underscores and blanks do not matter."""
    unit: str
    """The unit of evaluation, in the singular."""
    other_units: Mapping[str, str] = field(default_factory=dict)
    """The units of measures that evaluate something else."""
    compared_units: Mapping[str, str] = field(default_factory=dict)
    """The units that systems are compared on under a measure, if they are not the units of its scores."""
    example: Example
    measures: tuple[Measure, ...]
    selection: MeasureSelection
    custom: Callable[[str], Measure] | None = None
    """Makes a measure of a function of the user, from its name; None if functions cannot be measures."""
    parameters: tuple[Parameter, ...] = ()
    input: InputSpec = InputSpec()
    rules: SettingRules = SettingRules()
    evaluation: EvaluationSpec
    units_expected_by: str | None = None
    """The measure that expects every gold unit once. Default: the first one."""
    error_types: ErrorTypes = ErrorTypes()
    comparison: ComparisonSpec = ComparisonSpec()
    agreement: AgreementSpec | None = None
    """None if the agreement of annotators is not measured."""
    display: Display = Display()

    @property
    def unit_measure(self) -> str:
        """The measure that expects every gold unit once."""
        return self.units_expected_by or self.measures[0].name

    def unit_of(self, by: str) -> str:
        """The unit of a measure, in the singular."""
        return self.compared_units.get(by, self.other_units.get(by, self.unit))
