"""From gold standard and systems to results: runs the work, and makes scores of what it adds up."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.pipeline.inputs import Input, name_of
from evenhand.pipeline.options import Prepared
from evenhand.pipeline.run import Run
from evenhand.pipeline.work import Engine, Work, serial
from evenhand.result.notes import notes_on_settings
from evenhand.result.result import Gold, Result, Results
from evenhand.result.signature import signature
from evenhand.scores.match_model import MatchModel
from evenhand.scores.system_scores import SystemScores
from evenhand.settings import Groups
from evenhand.tasks.registry import model
from evenhand.text.annotation import Reading

Systems = Mapping[str, Input] | None


def scored(gold: Input, systems: Systems, prepared: Prepared, groups: Groups, engine: Engine = serial) -> Results:
    """Read, judge and score; the engine says where."""
    run = engine(Work(gold, systems, prepared, prepared.settings.match, groups))
    return results_of(name_of(gold), run, prepared, groups)


def prepared_models(prepared: Prepared, groups: Groups) -> list[MatchModel]:
    """The match models of a run; what is counted for totals only is not shown where groups are kept apart."""
    settings = prepared.settings
    models = [model(settings.task, name).prepare(settings) for name in settings.match]
    return [each.without("close", "missed") for each in models] if groups == "finest" else models


def results_of(gold_name: str, run: Run, prepared: Prepared, groups: Groups) -> Results:
    """The results of a run."""
    settings, task = prepared.settings, prepared.task
    models = prepared_models(prepared, groups)
    gold = run.figures(gold_name)
    general = (*notes_on_settings(settings, run.labels), *task.setting_notes(settings))
    found = {}
    for name, side in run.systems.items():
        tallies, reading = run.tallies[name], side.reading or Reading()
        found[name] = Result(
            name=name,
            gold=gold,
            units=side.units,
            labels=dict(sorted(side.labels.items())),
            scores=SystemScores(models, tallies, run.supertags[name], run.levels[name], gold.labels, settings),
            signature=signature(settings, prepared.read_as["gold"], run.atoms, gold.reading, reading),
            settings=settings,
            reading=reading,
            notes=(*general, *notes_on_files(gold, name, run, prepared, identical=task.is_perfect(tallies))),
            tallies=tallies,
            models=tuple(models),
            chains=side.chains,
            groups=run.kept_apart(groups),
        )
    return Results(found)


def notes_on_files(gold: Gold, name: str, run: Run, prepared: Prepared, *, identical: bool) -> tuple[str, ...]:
    """What a reader should know about the files of a system and of the gold standard."""
    side, read_as = run.systems[name], prepared.read_as["gold"]
    return prepared.task.notes(gold, run.gold, name, side, read_as, identical=identical)
