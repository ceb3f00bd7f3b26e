"""`score`: gold standard and systems in, results out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TypedDict, TypeVar, Unpack, overload

import numpy as np

from evenhand.engines.inputs import Side, name_of, named, open_inputs
from evenhand.engines.serial import Run, run_serial
from evenhand.result.notes import notes, notes_on_settings
from evenhand.result.result import Gold, Result, Results
from evenhand.result.signature import signature
from evenhand.scores.models import MatchModel, match_model
from evenhand.scores.on_demand import Scores
from evenhand.scores.weights import PRESETS, Weights, parse_weights
from evenhand.settings import (
    DEFAULT_MATCH,
    SEMEVAL,
    Align,
    ColumnName,
    Focus,
    Groups,
    Levels,
    Offsets,
    ReadSettings,
    Repair,
    ScoreSettings,
    Supertag,
    column_names,
    label_maps,
)
from evenhand.tally import Tally
from evenhand.text.annotation import Annotation, Reading

T = TypeVar("T")
ColumnChoice = ColumnName | Sequence[ColumnName] | Mapping[str, ColumnName | Sequence[ColumnName]] | None
Choice = str | Mapping[str, str] | None
"""One value for all files, or one for each side: {"gold": …, "system": …}."""


class Options(TypedDict, total=False):
    """The keywords of `score`, for type checkers."""

    match: str | Sequence[str]
    labels: str | Sequence[str]
    exclude: str | Sequence[str]
    map: Mapping[str, str] | Sequence[str]
    align: Align
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
    match: str | Sequence[str] = DEFAULT_MATCH,
    labels: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    map: Mapping[str, str] | Sequence[str] = (),
    align: Align = "strict",
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

    match      the match models: "exact", "fair", "weighted", "ts", "t", "overlap", "contain", "constrained", "iou",
               "semeval" (or one of its four: "semeval-strict", …), "accuracy"
    labels     only these labels; exclude: all but these; both after `map`
    map        new names for labels: {"MISC": "OTH"}; the key "system:MISC" acts on the systems only
    align      "strict": tokens must be equal; "position": as many, whatever they are; "characters": the same text,
               whatever its tokens are
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
    settings = ScoreSettings(
        match=_models(match, weights),
        labels=_listed(labels),
        exclude=_listed(exclude),
        maps=label_maps(map, list(sides or ())),
        align=align,
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
            _of(format, side),
            _columns_of(column, side),
            _of(encoding, side),
            repair,
            offsets,
            functions,
            weight=token_weight if side == "gold" else None,
        )
        for side in ("gold", "system")
    }
    table = PRESETS["boundaries"] if weights is None else parse_weights(weights)
    results = _scored(gold, sides, settings, read_as, table, groups)
    one = systems is None or isinstance(systems, str | PathLike | Annotation)
    return next(iter(results.values())) if one else results


def _scored(
    gold: Side,
    systems: Mapping[str, Side] | None,
    settings: ScoreSettings,
    read_as: Mapping[str, ReadSettings],
    weights: Weights,
    groups: Groups,
) -> Results:
    """Read, judge and score; what only looks at spans one by one is left out where groups are the finest."""
    models = [match_model(name, settings, weights) for name in settings.match]
    judges = list(dict.fromkeys(model.judge for model in models))
    if groups == "finest":
        models = [model.without("close", "missed") for model in models]
    elif "units" in judges:
        judges.append("near")
    inputs, vocabulary = open_inputs(gold, systems, read_as, settings.align)
    run = run_serial(inputs.gold, inputs.feeds, vocabulary, settings, judges, groups, inputs.gold_layer)
    general = notes_on_settings(settings, vocabulary.labels.values)
    return _results(name_of(gold), run, models, settings, read_as["gold"], weights, general)


def _results(
    gold_name: str,
    run: Run,
    models: Sequence[MatchModel],
    settings: ScoreSettings,
    read_as: ReadSettings,
    weights: Weights,
    general: tuple[str, ...],
) -> Results:
    """The results of a run; `general` are notes that concern all systems."""
    support = dict(sorted(run.gold.labels.items()))
    reading = run.gold.reading or Reading()
    tokens, characters = (run.size, None) if run.atoms == "tokens" else (None, run.size)
    units = run.gold.labels.total()
    gold = Gold(gold_name, run.documents, run.sentences, tokens, characters, units, support, reading)
    system_readings = {name: side.reading or Reading() for name, side in run.systems.items()}
    found = {}
    for name, side in run.systems.items():
        tallies = run.tallies[name]
        found[name] = Result(
            name=name,
            gold=gold,
            units=side.labels.total(),
            labels=dict(sorted(side.labels.items())),
            scores=Scores(
                models, tallies, run.supertags[name], run.levels[name], support, baselines=settings.baselines
            ),
            signature=signature(settings, read_as, weights, run.atoms, reading, system_readings[name]),
            settings=settings,
            reading=system_readings[name],
            notes=general
            + notes(
                gold,
                name,
                system_readings[name],
                side.labels,
                read_as.repair,
                breaks_differ=side.breaks_differ,
                identical=_is_perfect(tallies),
            ),
            tallies=tallies,
            models=tuple(models),
        )
    return Results(found)


def _is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all that was counted is right."""
    judges = [judge for judge in ("exact", "fair") if judge in tallies]
    found = [(tallies[judge].kinds, np.flatnonzero(np.bincount(tallies[judge].kind))) for judge in judges]
    return {kinds[kind] for kinds, present in found for kind in present.tolist()} == {"TP"}


def _models(match: str | Sequence[str], weights: str | None) -> tuple[str, ...]:
    """The names of match models; `semeval` is all four of its measures, and weights ask for `weighted`."""
    named = [each for name in _listed(match) for each in (SEMEVAL if name == "semeval" else (name,))]
    return tuple(dict.fromkeys([*named, *(["weighted"] if weights is not None else [])]))


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    """Names as a user gives them: a sequence, or a text with commas."""
    parts = names.split(",") if isinstance(names, str) else names
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _columns_of(choice: ColumnChoice, side: str) -> tuple[ColumnName, ...]:
    return column_names(choice.get(side) if isinstance(choice, Mapping) else choice)


def _of(choice: T | Mapping[str, T] | None, side: str) -> T | None:
    return choice.get(side) if isinstance(choice, Mapping) else choice
