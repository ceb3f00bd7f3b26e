"""What a user can choose, as the settings of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, TypeVar, get_args

from evenhand.arguments import SIDES, shown
from evenhand.formats.registry import format_named
from evenhand.pipeline.inputs import Content, Side, content_of
from evenhand.problems import SettingError
from evenhand.relabeling import Supertag, label_maps
from evenhand.scores.weights import PRESETS, Weights, parse_weights
from evenhand.settings import (
    ARCS,
    ATTACHMENT,
    CHAIN_MODELS,
    CONLL18,
    DEFAULT_MATCH,
    NOMINAL,
    SEMEVAL,
    TASKS,
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
    Task,
    choose,
    column_names,
)

if TYPE_CHECKING:
    from evenhand.pipeline.work import Engine

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
    singletons: bool
    nominal: str | Sequence[str] | None
    groups: Groups
    jobs: int | None
    engine: Engine | None


@dataclass(frozen=True)
class Prepared:
    """All settings of a run."""

    settings: ScoreSettings
    read_as: Mapping[str, ReadSettings]
    """How each side is read."""
    weights: Weights


def content_for(gold: Side, options: Options) -> Content:
    """What a gold standard is for, read as options say; these are checked before."""
    choose("task", options.get("task"), TASKS, optional=True)
    choose("align", options.get("align"), get_args(Align), optional=True)
    for side in ("gold", "system"):
        if (name := by_side(options.get("format"), side)) is not None:
            format_named(name)
    columns = _columns_of(options.get("column"), "gold")
    return content_of(gold, by_side(options.get("format"), "gold"), options.get("task"), columns)


def prepare(gold: Side, systems: Mapping[str, Side] | None, options: Options) -> Prepared:
    """The settings that options ask for; what is not among them has its default."""
    content = content_for(gold, options)
    align, weights = options.get("align"), options.get("weights")
    supertags = options.get("supertag", ())
    supertags = [supertags] if isinstance(supertags, str) else supertags
    match, nominal = options.get("match"), options.get("nominal")
    keeps_subtypes = options.get("subtypes", False) or (content.task == "trees" and not content.is_conllu)
    same = ("levels", "focus", "beta", "separator_weight", "token_weight", "baselines")
    settings = ScoreSettings(
        match=_models(default_match(content) if match is None else match, weights),
        task=content.task,
        labels=listed(options.get("labels", ())),
        exclude=listed(options.get("exclude", ())),
        maps=label_maps(options.get("map", ()), list(systems or ())),
        align=align or _default_align(content),
        punctuation=Punctuation.parse(options.get("punctuation", "keep")),
        subtypes=keeps_subtypes,
        supertags=tuple(Supertag.parse(each) for each in supertags),
        singletons=options.get("singletons", True),
        nominal=NOMINAL if nominal is None else listed(nominal),
        **{name: options[name] for name in (*same, "spurious", "missing", "iou") if name in options},  # type: ignore[literal-required]
    )
    if "arcs_nom" in settings.match and not content.has_pos:
        raise SettingError("arcs_nom takes the POS of words, which the gold standard does not have; leave it out.")
    read_as = {side: _read_settings(side, options, content) for side in SIDES}
    return Prepared(settings, read_as, PRESETS["boundaries"] if weights is None else parse_weights(weights))


def _read_settings(side: str, options: Options, content: Content) -> ReadSettings:
    return ReadSettings(
        by_side(options.get("format"), side),
        _columns_of(options.get("column"), side),
        by_side(options.get("encoding"), side),
        options.get("repair", "begin"),
        options.get("offsets", "codepoints"),
        options.get("functions", False),
        weight=options.get("token_weight") if side == "gold" else None,
        task=content.task,
        side="gold" if side == "gold" else "system",
    )


def _default_align(content: Content) -> Align:
    if content.task == "chains":
        return "position"
    return "characters" if content.is_universal and content.task != "spans" else "strict"


def default_match(content: Content) -> tuple[str, ...]:
    """The match models of a task."""
    if content.task == "chains":
        return with_pos(CHAIN_MODELS, content)
    if content.task == "tags":
        return ("accuracy",)
    if content.task == "trees":
        return (*ATTACHMENT, *CONLL18) if content.is_universal else ATTACHMENT
    return DEFAULT_MATCH


def with_pos(models: tuple[str, ...], content: Content) -> tuple[str, ...]:
    """The match models that can be scored: without POS, all but one."""
    return tuple(model for model in models if content.has_pos or model != "arcs_nom")


def _models(match: str | Sequence[str], weights: str | None) -> tuple[str, ...]:
    """The names of match models; `semeval`, `conll18` and `arcs` are all of theirs, and weights ask for `weighted`."""
    families = {"semeval": SEMEVAL, "conll18": CONLL18, "arcs": ARCS}
    named = [each for name in listed(match) for each in families.get(name, (name,))]
    return tuple(dict.fromkeys([*named, *(["weighted"] if weights is not None else [])]))


def listed(names: str | Sequence[str]) -> tuple[str, ...]:
    """Names as a user gives them: a sequence, or a text with commas."""
    parts = names.split(",") if isinstance(names, str) else list(names) if isinstance(names, Iterable) else [None]
    if not all(isinstance(part, str) for part in parts):
        raise SettingError(f"{shown(names)} is no list of names; write a text with commas, or a list of texts.")
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _columns_of(choice: ColumnChoice, side: str) -> tuple[ColumnName, ...]:
    return column_names(choice.get(side) if isinstance(choice, Mapping) else choice)


def by_side(choice: T | Mapping[str, T] | None, side: str) -> T | None:
    """The value for one side, or for both."""
    return choice.get(side) if isinstance(choice, Mapping) else choice
