"""From gold standard and systems to results: opens the files, runs the judges, and adds up what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evenhand.engines.inputs import Side, name_of, open_inputs, open_words, same_positions
from evenhand.engines.options import Prepared
from evenhand.engines.serial import Run, SideCount, run_serial
from evenhand.engines.words import WordRun
from evenhand.result.notes import notes, notes_on_settings, notes_on_words
from evenhand.result.result import Gold, Result, Results
from evenhand.result.signature import signature
from evenhand.scores.match_model import MatchModel
from evenhand.scores.models import match_model
from evenhand.scores.on_demand import Scores
from evenhand.scores.weights import Weights
from evenhand.settings import Groups, ReadSettings, ScoreSettings
from evenhand.tally import Tally
from evenhand.text.annotation import Reading
from evenhand.text.labels import Vocabulary

ReadAs = Mapping[str, ReadSettings]
"""How each side is read."""


def scored(
    gold: Side,
    systems: Mapping[str, Side] | None,
    prepared: Prepared,
    groups: Groups,
) -> Results:
    """Read, judge and score."""
    settings, read_as, weights = prepared.settings, prepared.read_as, prepared.weights
    models = [match_model(name, settings, weights) for name in settings.match]
    if groups == "finest":  # what only looks at spans one by one is left out
        models = [model.without("close", "missed") for model in models]
    judges = list(dict.fromkeys(model.judge for model in models))
    run, labels = (_run_spans if settings.task == "spans" else _run_words)(
        gold, systems, settings, read_as, judges, groups
    )
    general = notes_on_settings(settings, labels)
    return _results(name_of(gold), run, models, settings, read_as["gold"], weights, general)


def _run_spans(
    gold: Side,
    systems: Mapping[str, Side] | None,
    settings: ScoreSettings,
    read_as: ReadAs,
    judges: Sequence[str],
    groups: Groups,
) -> tuple[Run, Sequence[str]]:
    """What judges say of spans, and all labels that were met."""
    if groups != "finest" and "units" in judges:
        judges = [*judges, "near"]
    vocabulary = Vocabulary()
    inputs = open_inputs(gold, systems, read_as, settings.align, vocabulary)
    run = run_serial(inputs.gold, inputs.feeds, vocabulary, settings, judges, groups, inputs.gold_layer)
    return run, vocabulary.labels.values


def _run_words(
    gold: Side,
    systems: Mapping[str, Side] | None,
    settings: ScoreSettings,
    read_as: ReadAs,
    judges: Sequence[str],
    groups: Groups,
) -> tuple[Run, Sequence[str]]:
    """What judges say of words, and all labels that were met."""
    vocabulary = Vocabulary()
    golds, streams = open_words(gold, systems, read_as, vocabulary)
    golds, streams, by_position = same_positions(golds, streams, settings.align)
    columns = {side: next(iter(read_as[side].columns), None) for side in ("gold", "system")}
    words = WordRun(streams, vocabulary, settings, judges, columns, by_position=by_position)
    return words(golds, groups), vocabulary.labels.values


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
    gold = run.figures(gold_name)
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
                models, tallies, run.supertags[name], run.levels[name], gold.labels, baselines=settings.baselines
            ),
            signature=signature(settings, read_as, weights, run.atoms, gold.reading, system_readings[name]),
            settings=settings,
            reading=system_readings[name],
            notes=general + _notes(gold, name, side, settings, read_as, tallies),
            tallies=tallies,
            models=tuple(models),
        )
    return Results(found)


def _notes(
    gold: Gold, name: str, side: SideCount, settings: ScoreSettings, read_as: ReadSettings, tallies: Mapping[str, Tally]
) -> tuple[str, ...]:
    reading, identical = side.reading or Reading(), _is_perfect(tallies)
    if settings.task != "spans":
        return notes_on_words(gold, name, reading, side.labels, side.missing, identical=identical)
    return notes(
        gold, name, reading, side.labels, read_as.repair, breaks_differ=side.breaks_differ, identical=identical
    )


def _is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all that was counted is right."""
    judges = [judge for judge in ("exact", "fair", "tags", "trees") if judge in tallies]
    found = [(tallies[judge].kinds, np.flatnonzero(np.bincount(tallies[judge].kind))) for judge in judges]
    kinds = {kinds[kind] for kinds, present in found for kind in present.tolist()}
    return bool(kinds) and kinds <= {"TP", "right"}
