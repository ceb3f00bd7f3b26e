"""`score`: gold standard and systems in, results out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TypedDict, TypeVar, Unpack, overload

from evenhand.engines.inputs import Side, name_of, named, open_inputs
from evenhand.engines.serial import JUDGE_OF, Run, run_serial
from evenhand.result.notes import notes, notes_on_settings
from evenhand.result.result import Gold, Result, Results
from evenhand.result.signature import signature
from evenhand.scores.spans import ModelScore, exact_score, fair_score
from evenhand.scores.weights import PRESETS, Weights, parse_weights
from evenhand.settings import (
    DEFAULT_MATCH,
    Align,
    ColumnName,
    Focus,
    Groups,
    Levels,
    Offsets,
    ReadSettings,
    Repair,
    ScoreSettings,
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

    match      the match models: "exact", "fair", "weighted"
    labels     only these labels; exclude: all but these; both after `map`
    map        new names for labels: {"MISC": "OTH"}; the key "system:MISC" acts on the systems only
    align      "strict": tokens must be equal; "position": as many, whatever they are; "characters": the same text,
               whatever its tokens are
    levels     "pooled", or "separate" to match nested spans within their level only
    focus      whether LE and LBE count for the gold ("target") or the "system" label
    beta       the weight of recall in F-beta
    weights    a preset or a formula for the model "weighted" (see `evenhand.scores.weights`)
    groups     what the tallies keep apart: "total", "document" or "sentence"

    For `format`, `column`, `encoding`, `repair`, `offsets` and `functions` see `read`. Where one side counts in
    characters (texts with offsets), all do.
    """
    match = _listed(match)
    if weights is not None and "weighted" not in match:
        match = (*match, "weighted")
    table = PRESETS["boundaries"] if weights is None else parse_weights(weights)
    sides = named(systems)
    maps = label_maps(map, list(sides or ()))
    settings = ScoreSettings(match, _listed(labels), _listed(exclude), maps, align, levels, focus, beta)
    read_as = {
        side: ReadSettings(
            _of(format, side), _columns_of(column, side), _of(encoding, side), repair, offsets, functions
        )
        for side in ("gold", "system")
    }
    inputs, vocabulary = open_inputs(gold, sides, read_as, align)
    run = run_serial(inputs.gold, inputs.feeds, vocabulary, settings, groups, inputs.gold_layer)
    general = notes_on_settings(settings, vocabulary.labels.values)
    results = _results(name_of(gold), run, settings, read_as["gold"], table, general)
    one = systems is None or isinstance(systems, str | PathLike | Annotation)
    return next(iter(results.values())) if one else results


def _results(
    gold_name: str,
    run: Run,
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
            scores={model: _model(model, tallies, support, settings, weights) for model in settings.match},
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
        )
    return Results(found)


def _is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all that was counted is right."""
    return all(kind == "TP" for tally in tallies.values() for *_, kind in tally.cells())


def _model(
    model: str, tallies: Mapping[str, Tally], support: Mapping[str, int], settings: ScoreSettings, weights: Weights
) -> ModelScore:
    tally = tallies[JUDGE_OF[model]]
    if model == "exact":
        return exact_score(tally, support, settings.beta)
    table = weights if model == "weighted" else PRESETS["fair"]
    return fair_score(tally, support, name=model, weights=table, focus=settings.focus, beta=settings.beta)


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    """Names as a user gives them: a sequence, or a text with commas."""
    parts = names.split(",") if isinstance(names, str) else names
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _columns_of(choice: ColumnChoice, side: str) -> tuple[ColumnName, ...]:
    return column_names(choice.get(side) if isinstance(choice, Mapping) else choice)


def _of(choice: T | Mapping[str, T] | None, side: str) -> T | None:
    return choice.get(side) if isinstance(choice, Mapping) else choice
