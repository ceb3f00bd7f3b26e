"""What tasks declare, as tests go through it, and passes over what is in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evenhand.data.vocabulary import Vocabulary
from evenhand.parameters import parameter_values
from evenhand.pipeline.run import Run, RunAccumulator, one_pass
from evenhand.scoring.measure import Formula
from evenhand.settings import Groups, ReadSettings, ScoreSettings
from evenhand.tasks.evaluation import EvaluationRequest, Inputs, Open
from evenhand.tasks.registry import TASKS, model, models_of, parameters_of
from evenhand.tasks.task import GoldProfile

SPAN_MODELS = tuple(model.name for model in models_of("spans"))
CHAIN_MODELS = tuple(model.name for model in models_of("chains") if "heads" not in model.requires)
"""Those of all formats."""
EXAMPLES = {
    name: (TASKS[name].example.folder, TASKS[name].example.gold, TASKS[name].example.systems)
    for name in ("spans", "tags", "trees", "chains", "relations", "links")
}
"""For each task a folder of bundled examples, the gold standard in it, and three systems."""


def score_settings(task: str, match: Iterable[str], align: Any = "strict", **given: Any) -> ScoreSettings:
    """Settings with the defaults of a task, but for what is given."""
    chosen = parameter_values(parameters_of(task), given)
    TASKS[task].rules.resolve(chosen, GoldProfile(task))
    return ScoreSettings(tuple(match), task, align=align, parameters=chosen)


def match_model(name: str, task: str = "spans", **given: Any) -> Formula:
    """A match model with the defaults of its task, but for what is given."""
    return model(task, name).prepare(score_settings(task, (name,), **given))


def run_of(
    gold: Open, systems: Mapping[str, Open], chosen: ScoreSettings, vocabulary: Vocabulary, groups: Groups = "total"
) -> Run:
    """One pass over streams of batches."""
    task = TASKS[chosen.task]
    counting = RunAccumulator(task, list(systems), groups, "spans")
    judges = {each.name: each for each in (model(task.name, name).scorer for name in chosen.match)}
    read_as = {"gold": ReadSettings(), "system": ReadSettings()}
    request = EvaluationRequest(Inputs(gold, systems), chosen, read_as, tuple(judges.values()), vocabulary)
    return one_pass(task, request, counting)
