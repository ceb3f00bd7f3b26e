"""From gold standard and systems to results: opens the files, runs the judges, and adds up what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evenhand.pipeline.inputs import Side, name_of
from evenhand.pipeline.options import Prepared
from evenhand.pipeline.run import Run
from evenhand.pipeline.work import Engine, Work, serial
from evenhand.result.notes import notes, notes_on_chains, notes_on_settings, notes_on_words
from evenhand.result.result import Gold, Result, Results
from evenhand.result.signature import signature
from evenhand.scores.match_model import MatchModel
from evenhand.scores.system_scores import Scores
from evenhand.scores.weights import Weights
from evenhand.settings import ARCS, Groups, ReadSettings, ScoreSettings
from evenhand.tally import Tally
from evenhand.tasks.models import match_model
from evenhand.text.annotation import Reading
from evenhand.text.chain_feed import Mismatches

Systems = Mapping[str, Side] | None


def scored(
    gold: Side,
    systems: Systems,
    prepared: Prepared,
    groups: Groups,
    engine: Engine = serial,
) -> Results:
    """Read, judge and score; the engine says where."""
    settings, read_as, weights = prepared.settings, prepared.read_as, prepared.weights
    models = [match_model(name, settings, weights) for name in settings.match]
    if groups == "finest":  # what only looks at spans one by one is left out
        models = [model.without("close", "missed") for model in models]
    judges = list(dict.fromkeys(model.judge for model in models))
    run = engine(Work(gold, systems, prepared, judges, groups))
    general = notes_on_settings(settings, run.labels)
    results = _results(name_of(gold), run, models, settings, read_as["gold"], weights, general)
    return Results({name: replace(result, groups=run.kept_apart(groups)) for name, result in results.items()})


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
            units=side.units,
            labels=dict(sorted(side.labels.items())),
            scores=Scores(
                models, tallies, run.supertags[name], run.levels[name], gold.labels, baselines=settings.baselines
            ),
            signature=signature(settings, read_as, weights, run.atoms, gold.reading, system_readings[name]),
            settings=settings,
            reading=system_readings[name],
            notes=general + _notes(gold, name, run, settings, read_as, tallies),
            tallies=tallies,
            models=tuple(models),
            chains=side.chains,
            weights=weights,
        )
    return Results(found)


def _notes(
    gold: Gold, name: str, run: Run, settings: ScoreSettings, read_as: ReadSettings, tallies: Mapping[str, Tally]
) -> tuple[str, ...]:
    side = run.systems[name]
    reading, identical = side.reading or Reading(), _is_perfect(tallies)
    if settings.task == "chains":
        return chain_notes(gold, name, run, identical=identical)
    if settings.task != "spans":
        return notes_on_words(gold, name, reading, side.labels, side.missing, identical=identical)
    return notes(
        gold, name, reading, side.labels, read_as.repair, breaks_differ=side.breaks_differ, identical=identical
    )


def chain_notes(gold: Gold, name: str, run: Run, *, identical: bool) -> tuple[str, ...]:
    side = run.systems[name]
    return notes_on_chains(
        gold, name, side.units, run.gold.repeated, side.repeated, side.mismatches or Mismatches(), identical=identical
    )


def _is_perfect(tallies: Mapping[str, Tally]) -> bool:
    """Whether all that was counted is right."""
    if "chains" in tallies:
        return _has_same_chains(tallies["chains"])
    judges = [judge for judge in ("exact", "fair", "tags", "trees", *ARCS) if judge in tallies]
    met = [judge for judge in judges if len(tallies[judge])]
    return bool(met) and all(tallies[judge].kinds_met <= {"TP", "right", "tp", "tn"} for judge in met)


def _has_same_chains(tally: Tally) -> bool:
    """Whether all counts of key and response are those of what is common."""
    counts = dict(zip(tally.kinds, tally.by_label().overall.tolist(), strict=True))
    common = [kind.removesuffix(".common") for kind in counts if kind.endswith(".common")]
    kinds = [kind for kind in common if f"{kind}.key" in counts]
    equal = [counts[f"{kind}.common"] == counts[f"{kind}.key"] == counts[f"{kind}.response"] for kind in kinds]
    return all(equal) and counts["mentions.key"] > 0
