"""Keywords of the public functions, for type checkers and editors: a misspelt keyword is an error before anything runs.

Functions check their keywords by the declarations of tasks and measures (`parameters.py`); `tests/test_keywords.py`
checks that these classes have the same names and kinds. Nothing imports this module at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TypedDict

from evenhand.settings import Align, ColumnName, Groups, Repair

if TYPE_CHECKING:
    from evenhand.api.slices import TrainingFiles
    from evenhand.comparison.slices import Slices
    from evenhand.pipeline.run import Engine
    from evenhand.tasks.spans.custom import Span

    MatchFunction = Callable[[Span, Span], bool | float]
    """A function of a gold span and a system span that is a measure."""
    Match = str | MatchFunction | Sequence[str | MatchFunction] | None

Names = str | Sequence[str]
"""Names in a list, or in a text with commas."""
BySide = str | Mapping[str, str] | None
"""One value for all files, or one per side: {"gold": …, "system": …}."""
Columns = ColumnName | Sequence[ColumnName] | Mapping[str, ColumnName | Sequence[ColumnName] | Mapping[str, ColumnName]]


class FileKeywords(TypedDict, total=False):
    """How files are read."""

    format: BySide
    column: Columns | None
    layer: BySide
    encoding: BySide
    repair: Repair
    offsets: BySide
    functions: bool


class ReadParameters(TypedDict, total=False):
    """Parameters of tasks that affect reading."""

    shape: str | None
    sentences: str
    newlines: str
    quotes: str
    score: ColumnName | None
    score_of_span: str


class TaskKeywords(ReadParameters, total=False):
    """Parameters of tasks and measures."""

    score_transform: str | None
    missing_score: str | None
    min_score: float | Sequence[float | str] | Mapping[str, float] | str

    levels: str
    focus: str
    supertag: Names
    baselines: bool
    occurrences: str
    fuzzy: int | str
    snap: str
    unplaced: str
    unknown_labels: str
    overrides: str | PathLike[str] | None
    overrides_as: str
    accept_proposed: bool
    weights: str | None
    separator_weight: float
    token_weight: ColumnName | None
    constrained_spurious: int
    constrained_missing: int
    iou: float
    punctuation: str
    subtypes: bool
    empty_nodes: str
    enhancements: str
    mention_match: str | None
    zeros: str | None
    singletons: bool
    repeats: str | None
    antecedents: str
    preset: str | None
    nominal: Names | None
    symmetric: Names
    unannotated: str
    ehealthkd_counts: str
    same_ids: Names
    nil_labels: Names
    prm: str
    cutoff: int | None
    errors: str
    fields: str | Mapping[str, Any]
    schema: str | Mapping[str, Any] | None
    absent: Names
    empty: str
    at: str | None
    tool: str | None
    unknown_fields: str
    root: str | None
    ontology: str | PathLike[str] | None


class EvaluationKeywords(FileKeywords, TaskKeywords, total=False):
    """How annotations are read, aligned and evaluated."""

    task: str | None
    labels: Names
    exclude: Names
    map: Mapping[str, str] | Sequence[str]
    align: Align | None
    beta: float
    numbers: int | None


class AnnotatorKeywords(EvaluationKeywords, total=False):
    """Keywords of all functions that score, also without a gold standard."""

    match: Match
    groups: Groups
    jobs: int | None
    engine: Engine | None


class Keywords(AnnotatorKeywords, total=False):
    """Keywords of functions that score systems against a gold standard."""

    annotator: BySide


class ScoreKeywords(Keywords, total=False):
    """All keywords of `score`."""

    show: str | None
    limit: int | None
    entities: bool
    shares: bool
    slices: Slices
    vocabulary: str | PathLike[str] | Collection[str] | None
    skip_broken: bool
    train: TrainingFiles
    drop_leaked: bool


class QueryKeywords(TypedDict, total=False):
    """Which units are listed."""

    type: Names
    label: Names
    text: str | None
    slice: str | None
    slices: Slices
    train: TrainingFiles
    drop_leaked: bool
    sample: int | None
    seed: int
    context: int


class ErrorsKeywords(QueryKeywords, EvaluationKeywords, total=False):
    """Keywords of `errors`, which runs in one process and lists the units of one measure."""

    annotator: BySide


class AdjudicateKeywords(FileKeywords, total=False):
    annotator: BySide


class LayerKeywords(TypedDict, total=False):
    """Keywords of `score` for all layers of documents."""

    task: str | None
    format: BySide
    labels: Names
    exclude: Names
    map: Mapping[str, str] | Sequence[str]
    align: Align | None
    beta: float
    groups: Groups
    jobs: int | None
    engine: Engine | None
    numbers: int | None
