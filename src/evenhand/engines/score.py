"""`score`: gold standard and systems in, results out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import tee
from os import PathLike
from pathlib import Path
from typing import TypedDict, TypeVar, Unpack, overload

from evenhand.engines.serial import JUDGE_OF, Run, run_serial
from evenhand.formats.read import batches
from evenhand.problems import SettingError
from evenhand.result.notes import notes
from evenhand.result.result import Gold, Result, Results
from evenhand.result.signature import signature
from evenhand.scores.spans import ModelScore, exact_score, fair_score
from evenhand.scores.weights import PRESETS, Weights, parse_weights
from evenhand.settings import (
    DEFAULT_MATCH,
    ColumnName,
    Focus,
    Groups,
    Levels,
    ReadSettings,
    Repair,
    ScoreSettings,
    column_names,
    label_maps,
)
from evenhand.tally import Tally
from evenhand.text.align import Feed
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.labels import Vocabulary

T = TypeVar("T")
Side = str | PathLike[str] | Annotation
"""A file or an annotation."""
ColumnChoice = ColumnName | Sequence[ColumnName] | Mapping[str, ColumnName | Sequence[ColumnName]] | None
Choice = str | Mapping[str, str] | None
"""One value for all files, or one for each side: {"gold": …, "system": …}."""


class Options(TypedDict, total=False):
    """The keywords of `score`, for type checkers."""

    match: str | Sequence[str]
    labels: str | Sequence[str]
    exclude: str | Sequence[str]
    map: Mapping[str, str] | Sequence[str]
    levels: Levels
    focus: Focus
    beta: float
    weights: str | None
    format: Choice
    column: ColumnChoice
    encoding: Choice
    repair: Repair
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
    levels: Levels = "pooled",
    focus: Focus = "target",
    beta: float = 1.0,
    weights: str | None = None,
    format: Choice = None,
    column: ColumnChoice = None,
    encoding: Choice = None,
    repair: Repair = "begin",
    groups: Groups = "total",
) -> Result | Results:
    """Score systems against a gold standard; files are read in bounded memory.

    With one system the answer is a `Result`, with a list or a mapping of systems a `Results`. Without any, `gold` is
    a column file whose last two columns are gold and prediction, as conlleval takes them (`column` names others:
    {"gold": 3, "system": 4}).

    match      the match models: "exact", "fair", "weighted"
    labels     only these labels; exclude: all but these; both after `map`
    map        new names for labels: {"MISC": "OTH"}; the key "system:MISC" acts on the systems only
    levels     "pooled", or "separate" to match nested spans within their level only
    focus      whether LE and LBE count for the gold ("target") or the "system" label
    beta       the weight of recall in F-beta
    weights    a preset or a formula for the model "weighted" (see `evenhand.scores.weights`)
    groups     what the tallies keep apart: "total", "document" or "sentence"

    For `format`, `column`, `encoding` and `repair` see `read`.
    """
    named, single = _named(gold, systems)
    match = _listed(match)
    if weights is not None and "weighted" not in match:
        match = (*match, "weighted")
    table = PRESETS["boundaries"] if weights is None else parse_weights(weights)
    settings = ScoreSettings(
        match, _listed(labels), _listed(exclude), label_maps(map, list(named)), levels, focus, beta
    )
    read_as = {
        side: ReadSettings(_of(format, side), _columns_of(column, side), _of(encoding, side), repair)
        for side in ("gold", "system")
    }
    vocabulary = Vocabulary()
    if systems is None:
        golds, feeds, layer = _two_columns(gold, next(iter(named)), read_as, vocabulary)
    else:
        golds, layer = _batches(gold, read_as["gold"], vocabulary), "spans"
        feeds = {name: Feed(_batches(side, read_as["system"], vocabulary)) for name, side in named.items()}
    run = run_serial(golds, feeds, vocabulary, settings, groups, layer)
    results = _results(_name(gold), run, settings, repair, table)
    return next(iter(results.values())) if single else results


def _two_columns(
    side: Side, name: str, read_as: Mapping[str, ReadSettings], vocabulary: Vocabulary
) -> tuple[Iterator[Annotation], dict[str, Feed], str]:
    """Gold and system from two columns of one file, which is read once."""
    if isinstance(side, Annotation):
        raise SettingError("One annotation cannot be scored alone; give a system, or a file with two columns of tags.")
    columns = {name: settings.columns for name, settings in read_as.items()}
    golds, systems = tee(batches(Path(side), read_as["gold"], vocabulary, columns))
    return golds, {name: Feed(systems, "system")}, "gold"


def _batches(side: Side, settings: ReadSettings, vocabulary: Vocabulary) -> Iterator[Annotation]:
    return iter([side]) if isinstance(side, Annotation) else batches(Path(side), settings, vocabulary)


def _results(gold_name: str, run: Run, settings: ScoreSettings, repair: Repair, weights: Weights) -> Results:
    support = dict(sorted(run.gold.labels.items()))
    reading = run.gold.reading or Reading()
    gold = Gold(gold_name, run.documents, run.sentences, run.tokens, run.gold.labels.total(), support, reading)
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
            signature=signature(settings, repair, weights, reading, system_readings[name]),
            settings=settings,
            reading=system_readings[name],
            notes=notes(gold, name, system_readings[name], repair, breaks_differ=side.breaks_differ),
            tallies=tallies,
        )
    return Results(found)


def _model(
    model: str, tallies: Mapping[str, Tally], support: Mapping[str, int], settings: ScoreSettings, weights: Weights
) -> ModelScore:
    tally = tallies[JUDGE_OF[model]]
    if model == "exact":
        return exact_score(tally, support, settings.beta)
    table = weights if model == "weighted" else PRESETS["fair"]
    return fair_score(tally, support, name=model, weights=table, focus=settings.focus, beta=settings.beta)


def _named(gold: Side, systems: Side | Sequence[Side] | Mapping[str, Side] | None) -> tuple[dict[str, Side], bool]:
    """The systems by name, and whether there is just one that was not in a list."""
    if isinstance(systems, Mapping):
        named = dict(systems)
    elif systems is None or isinstance(systems, str | PathLike | Annotation):
        side = gold if systems is None else systems
        return {_name(side): side}, True
    else:
        named = dict(zip(unique_names(list(systems)), systems, strict=True))
    if not named:
        raise SettingError("There is no system to score; give one at least.")
    return named, False


def _name(side: Side) -> str:
    return side.name if isinstance(side, Annotation) else Path(side).stem


def unique_names(sides: Sequence[Side]) -> list[str]:
    """Names of files without their last extension; with the folder where two are equal, and a number if need be."""
    names = [_name(side) for side in sides]
    repeated = {name for name, count in Counter(names).items() if count > 1}
    for i, side in enumerate(sides):
        if names[i] in repeated and not isinstance(side, Annotation):
            names[i] = str(Path(Path(side).absolute().parent.name, names[i]))
    seen: Counter[str] = Counter()
    for i, name in enumerate(names):
        seen[name] += 1
        names[i] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return names


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    """Names as a user gives them: a sequence, or a text with commas."""
    parts = names.split(",") if isinstance(names, str) else names
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _columns_of(choice: ColumnChoice, side: str) -> tuple[ColumnName, ...]:
    return column_names(choice.get(side) if isinstance(choice, Mapping) else choice)


def _of(choice: T | Mapping[str, T] | None, side: str) -> T | None:
    return choice.get(side) if isinstance(choice, Mapping) else choice
