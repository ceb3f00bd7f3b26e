"""`score`: gold standard and systems in, results out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TypedDict, TypeVar, Unpack, overload

from evenhand.engines.inputs import Content, Side, content_of, named
from evenhand.engines.scored import scored
from evenhand.result.result import Result, Results
from evenhand.scores.weights import PRESETS, parse_weights
from evenhand.settings import (
    ATTACHMENT,
    CONLL18,
    DEFAULT_MATCH,
    SEMEVAL,
    Align,
    ColumnName,
    Focus,
    Groups,
    Levels,
    Offsets,
    Punctuation,
    ReadSettings,
    Repair,
    ScoreSettings,
    Supertag,
    Task,
    column_names,
    label_maps,
)
from evenhand.text.annotation import Annotation

T = TypeVar("T")
ColumnChoice = ColumnName | Sequence[ColumnName] | Mapping[str, ColumnName | Sequence[ColumnName]] | None
Choice = str | Mapping[str, str] | None
"""One value for all files, or one for each side: {"gold": …, "system": …}."""


class Options(TypedDict, total=False):
    """The keywords of `score`, for type checkers."""

    match: str | Sequence[str] | None
    task: Task | None
    labels: str | Sequence[str]
    exclude: str | Sequence[str]
    map: Mapping[str, str] | Sequence[str]
    align: Align | None
    punctuation: str
    subtypes: bool
    levels: Levels
    focus: Focus
    beta: float
    weights: str | None
    separator_weight: float
    token_weight: ColumnName | None
    supertag: str | Sequence[str]
    baselines: bool
    spurious: int
    missing: int
    iou: float
    format: Choice
    column: ColumnChoice
    encoding: Choice
    repair: Repair
    offsets: Offsets
    functions: bool
    groups: Groups


@overload
def score(  # type: ignore[overload-overlap]  # a text is a sequence of texts too, but the first signature wins
    gold: Side, systems: Side | None = None, **options: Unpack[Options]
) -> Result: ...
@overload
def score(gold: Side, systems: Sequence[Side] | Mapping[str, Side], **options: Unpack[Options]) -> Results: ...
def score(
    gold: Side,
    systems: Side | Sequence[Side] | Mapping[str, Side] | None = None,
    *,
    match: str | Sequence[str] | None = None,
    task: Task | None = None,
    labels: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    map: Mapping[str, str] | Sequence[str] = (),
    align: Align | None = None,
    punctuation: str = "keep",
    subtypes: bool = False,
    levels: Levels = "pooled",
    focus: Focus = "target",
    beta: float = 1.0,
    weights: str | None = None,
    separator_weight: float = 1.0,
    token_weight: ColumnName | None = None,
    supertag: str | Sequence[str] = (),
    baselines: bool = False,
    spurious: int = 1,
    missing: int = 1,
    iou: float = 0.5,
    format: Choice = None,
    column: ColumnChoice = None,
    encoding: Choice = None,
    repair: Repair = "begin",
    offsets: Offsets = "codepoints",
    functions: bool = False,
    groups: Groups = "total",
) -> Result | Results:
    """Score systems against a gold standard; files are read in bounded memory.

    With one system the answer is a `Result`, with a list or a mapping of systems a `Results`. Without any, `gold` is
    a column file whose last two columns are gold and prediction, as conlleval takes them (`column` names others:
    {"gold": 3, "system": 4}).

    task       "spans", "tags" or "trees"; without it, files in CoNLL-U are scored as trees, others as spans
    match      the match models of spans: "exact", "fair", "weighted", "ts", "t", "overlap", "contain", "constrained",
               "iou", "semeval" (or one of its four: "semeval-strict", …), "accuracy"; of tags: "accuracy"; of trees:
               "uas", "ls", "las", "conll18" (or one of its thirteen: "conll18-mlas", …)
    labels     only these labels; exclude: all but these; both after `map`
    map        new names for labels: {"MISC": "OTH"}; the key "system:MISC" acts on the systems only
    align      "strict": tokens must be equal; "position": as many, whatever they are; "characters": the same text,
               whatever its tokens are; without it, "characters" for words in CoNLL-U, else "strict"
    punctuation, subtypes
               of trees: which words are left out of "uas", "ls" and "las" ("keep", "relation", "form", "pos:TAG,TAG"),
               and whether relations keep their subtypes
    levels     "pooled", or "separate" to match nested spans within their level only
    focus      whether LE and LBE count for the gold ("target") or the "system" label
    beta       the weight of recall in F-beta
    weights    a preset or a formula for the model "weighted" (see `evenhand.scores.weights`)
    separator_weight, token_weight, supertag, baselines
               for "ts" and "t": what separators weigh (1), a column of the gold file with the weights of tokens,
               labels taken as one beside the others ("ENTITY", or "PLACE=LOC,GPE"; for all models), and whether to
               say what trivial systems get
    spurious, missing, iou
               how many tokens more and less "constrained" allows, and how much of their union two spans share in "iou"
    groups     what the tallies keep apart: "total", "document", "sentence", or "finest" (documents, or sentences where
               there is one document; then close and missed spans are not counted)

    For `format`, `column`, `encoding`, `repair`, `offsets` and `functions` see `read`. Where one side counts in
    characters (texts with offsets), all do.
    """
    sides = named(systems)
    supertags = [supertag] if isinstance(supertag, str) else supertag
    content = content_of(gold, by_side(format, "gold"), task)
    settings = ScoreSettings(
        match=_models(default_match(content) if match is None else match, weights),
        task=content.task,
        labels=_listed(labels),
        exclude=_listed(exclude),
        maps=label_maps(map, list(sides or ())),
        align=align or ("characters" if content.is_universal and content.task != "spans" else "strict"),
        punctuation=Punctuation.parse(punctuation),
        subtypes=subtypes,
        levels=levels,
        focus=focus,
        beta=beta,
        separator_weight=separator_weight,
        token_weight=token_weight,
        supertags=tuple(Supertag.parse(each) for each in supertags),
        baselines=baselines,
        spurious=spurious,
        missing=missing,
        iou=iou,
    )
    read_as = {
        side: ReadSettings(
            by_side(format, side),
            _columns_of(column, side),
            by_side(encoding, side),
            repair,
            offsets,
            functions,
            weight=token_weight if side == "gold" else None,
            task=content.task,
        )
        for side in ("gold", "system")
    }
    table = PRESETS["boundaries"] if weights is None else parse_weights(weights)
    results = scored(gold, sides, settings, read_as, table, groups)
    one = systems is None or isinstance(systems, str | PathLike | Annotation)
    return next(iter(results.values())) if one else results


def default_match(content: Content) -> tuple[str, ...]:
    """The match models of a task."""
    if content.task == "tags":
        return ("accuracy",)
    if content.task == "trees":
        return (*ATTACHMENT, *CONLL18) if content.is_universal else ATTACHMENT
    return DEFAULT_MATCH


def _models(match: str | Sequence[str], weights: str | None) -> tuple[str, ...]:
    """The names of match models; `semeval` and `conll18` are all of theirs, and weights ask for `weighted`."""
    families = {"semeval": SEMEVAL, "conll18": CONLL18}
    named = [each for name in _listed(match) for each in families.get(name, (name,))]
    return tuple(dict.fromkeys([*named, *(["weighted"] if weights is not None else [])]))


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    """Names as a user gives them: a sequence, or a text with commas."""
    parts = names.split(",") if isinstance(names, str) else names
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _columns_of(choice: ColumnChoice, side: str) -> tuple[ColumnName, ...]:
    return column_names(choice.get(side) if isinstance(choice, Mapping) else choice)


def by_side(choice: T | Mapping[str, T] | None, side: str) -> T | None:
    """The value for one side, or for both."""
    return choice.get(side) if isinstance(choice, Mapping) else choice
