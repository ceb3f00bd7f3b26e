"""From gold standard and systems to results: runs the work, and makes scores of what it adds up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evenhand.pipeline.inputs import Input, name_of
from evenhand.pipeline.options import Prepared
from evenhand.pipeline.run import Run
from evenhand.pipeline.work import Engine, Work, serial
from evenhand.problems import WARNING, warn_caller
from evenhand.result.notes import notes_on_gold, notes_on_settings
from evenhand.result.result import Result, Results
from evenhand.result.signature import signature
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import ModelScore
from evenhand.scores.system_scores import SystemScores
from evenhand.settings import Groups
from evenhand.tasks.passage import Before
from evenhand.tasks.registry import model
from evenhand.text.annotation import Reading

Systems = Mapping[str, Input] | None


def scored(gold: Input, systems: Systems, prepared: Prepared, groups: Groups, engine: Engine = serial) -> Results:
    """Read, judge and score; the engine says where."""
    run = engine(Work(gold, systems, prepared, prepared.settings.match, groups))
    return results_of(name_of(gold), run, prepared, groups)


def results_of(gold_name: str, run: Run, prepared: Prepared, groups: Groups) -> Results:
    """The results of a run."""
    settings, task = prepared.settings, prepared.task
    models, read_as, gold = shown_models(prepared.models, groups), prepared.read_as["gold"], run.figures(gold_name)
    general = notes_on_gold(gold, task.unit), notes_on_settings(settings, run.labels), task.setting_notes(settings)
    found = {}
    for name, side in run.systems.items():
        tallies, reading = run.tallies[name], side.reading or Reading()
        notes = task.notes(gold, run.gold, name, side, read_as, identical=task.is_perfect(tallies))
        if side.grounding is not None and side.grounding.has_nothing:
            warn_caller(next(note for note in notes if note.startswith(WARNING)).removeprefix(WARNING))
        found[name] = Result(
            name=name,
            gold=gold,
            units=side.units,
            labels=dict(sorted(side.labels.items())),
            scores=SystemScores(
                *(models, tallies, run.supertags[name], run.levels[name], gold.labels, settings),
                is_empty=not gold.units,
                other_units=task.other_units,
            ),
            signature=signature(settings, read_as, run.atoms, gold.reading, reading),
            settings=settings,
            reading=reading,
            notes=tuple(note for each in (*general, notes) for note in each),
            tallies=tallies,
            models=tuple(models),
            chains=side.chains,
            grounding=side.grounding,
            groups=run.kept_apart(groups),
            before=_scores_before(run.before, name, groups),
            sentence_tallies=run.sentence_tallies.get(name, {}),
        )
    return Results(found)


def _scores_before(before: Before | None, name: str, groups: Groups) -> Mapping[str, ModelScore]:
    """The scores of a system on the gold standard as it was read, where it has overrides."""
    if before is None:
        return {}
    settings = before.settings
    models = shown_models([model(settings.task, each).prepare(settings) for each in settings.match], groups)
    gold, levels = before.gold, before.levels[name]
    return SystemScores(models, before.tallies[name], {}, levels, gold.labels, settings, is_empty=not gold.units)


def shown_models(models: Sequence[MatchModel], groups: Groups) -> Sequence[MatchModel]:
    """What is counted for totals only is not shown where groups are kept apart."""
    return [each.without("close", "missed") for each in models] if groups == "finest" else models


def totals_of(gold_name: str, run: Run, prepared: Prepared) -> Results:
    """The results of a run that keeps groups apart, as totals."""
    totals = {name: {judge: tally.total() for judge, tally in each.items()} for name, each in run.tallies.items()}
    return results_of(gold_name, replace(run, tallies=totals), prepared, "total")
