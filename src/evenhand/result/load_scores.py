"""Scores from a saved result. Counts and scores are taken as they stand; what was not saved says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf, nan
from typing import Any, NoReturn

import msgspec
import numpy as np

from evenhand.parameters import Parameter
from evenhand.problems import SettingError
from evenhand.ranges import MOST
from evenhand.result.result import Gold, Result, Results
from evenhand.result.schema import SavedResults, SavedRow, SavedScore, SavedSystem
from evenhand.scores.contingency import contingency
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import ModelScore
from evenhand.scores.prf import prf
from evenhand.scores.row import Average, Row, averages, measured_row
from evenhand.settings import ScoreSettings
from evenhand.tally import Tally
from evenhand.tasks.registry import TASKS, model, model_names, parameters_of, without_overrides

_NEAR = ("close", "missed")
"""Counts of `ts` and `t` that are made only where nothing is resampled."""
_LEAST = {"kappa": -MOST}
"""The scores that may be below 0."""
_CONTINGENCY = tuple(contingency(dict.fromkeys(("TP", "FP", "FN", "TN"), np.zeros(1))))


class NoTallies(Mapping[str, Tally]):
    """The tallies of a saved result, which holds sums alone."""

    def _refuse(self, *_: object) -> NoReturn:
        raise SettingError("A saved result has no tallies, which are counts by group; score the files again.")

    __getitem__ = __iter__ = __len__ = _refuse

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoTallies)

    __hash__ = None  # type: ignore[assignment]


def results_of(saved: SavedResults) -> Results:
    gold = saved.gold.gold(saved.reading)
    settings = settings_of(saved.settings | ({"weights": {"mixtures": saved.weights}} if saved.weights else {}))
    found = {each.name: _result(each, gold, settings) for each in saved.systems}
    if not found or len(found) < len(saved.systems):
        raise ValueError("systems need names of their own, and there must be one at least")
    return Results(found)


def settings_of(saved: Mapping[str, Any]) -> ScoreSettings:
    """The settings of a saved result, also of one that an earlier version saved."""
    common = msgspec.convert(saved, ScoreSettings)
    if common.task not in TASKS:
        raise ValueError(f"there is no task {common.task!r}")
    given = {each.name: _parameter(each, saved) for each in parameters_of(common.task)}
    return replace(common, match=model_names(common.task, common.match), parameters=given)


def _parameter(parameter: Parameter, saved: Mapping[str, Any]) -> Any:
    """The value of a parameter, under its name or one that it had; the default where it was not saved."""
    names = (parameter.name, *parameter.former, parameter.signature_key)
    name = next((name for name in names if name in saved), None)
    if name is None:
        return parameter.default
    if parameter.stored is not None:
        return msgspec.convert(saved[name], parameter.stored)
    return parameter.value(saved[name])


def _result(saved: SavedSystem, gold: Gold, settings: ScoreSettings) -> Result:
    if set(saved.scores) != set(settings.match):
        raise ValueError(f"the scores of {saved.name} are not those of its settings")
    scores = _scores_of(saved.scores, gold, settings)
    return Result(
        name=saved.name,
        gold=gold,
        units=saved.units,
        labels=saved.labels,
        scores=scores,
        signature=saved.signature,
        settings=settings,
        reading=saved.reading,
        notes=saved.notes,
        tallies=NoTallies(),
        models=tuple(score.model for score in scores.values()),
        chains=saved.chains,
        grounding=saved.grounded(),
        before=_scores_of(saved.before, gold, without_overrides(settings)),
    )


def _scores_of(saved: Mapping[str, SavedScore], gold: Gold, settings: ScoreSettings) -> dict[str, ModelScore]:
    return {name: _score(model(settings.task, name).prepare(settings), each, gold) for name, each in saved.items()}


def _score(model: MatchModel, saved: SavedScore, gold: Gold) -> ModelScore:
    model = model.without(*(name for name in _NEAR if name not in saved.overall))
    labels = _rows(model.of_labels(), saved.labels)
    macro, support = averages(labels, gold.labels)
    return ModelScore(
        model,
        _overall(model, saved),
        macro if saved.macro is None else Average(*_scores(saved.macro)),
        support if saved.support is None else Average(*_scores(saved.support)),
        labels,
        saved.confusion,
        saved.edges,
        _rows(model.of_labels(), saved.supertags),
        saved.baselines,
        saved.sentences,
        _rows(model, saved.distances),
        saved.further,
    )


def _overall(model: MatchModel, saved: SavedScore) -> Row:
    """The row of all labels; an accuracy is all that was saved of tokens."""
    if model.details == "accuracy":
        correct, tokens = _number(saved.overall, "correct"), _number(saved.overall, "tokens")
        if correct > tokens:
            raise ValueError(f"{correct:g} of {tokens:g} tokens are correct")
        is_undefined = "accuracy" in saved.overall and saved.overall["accuracy"] is None
        scores = [nan] * 4 if is_undefined else map(float, prf(correct, tokens, correct, tokens, model.beta))
        precision, recall, f1, f_beta = scores
        return Row(precision, recall, f1, f_beta, {name: saved.overall[name] for name in model.counts})
    return _row(model, saved.overall, {part.name: _row(part, saved.parts[part.name]) for part in model.parts})


def _rows(model: MatchModel, saved: Mapping[str, SavedRow]) -> dict[str, Row]:
    return {name: _row(model, row) for name, row in saved.items()}


def _row(model: MatchModel, saved: SavedRow, parts: Mapping[str, Row] | None = None) -> Row:
    """Counts and scores; some may be unknown, such as true negatives and what follows from them."""
    nullable = {"TN", *model.known}
    counts = {name: None if name in nullable and saved[name] is None else _number(saved, name) for name in model.counts}
    further = _CONTINGENCY if model.contingency else ()
    more = {name: None if saved[name] is None else _share(saved, name, _LEAST.get(name, 0)) for name in further}
    for each in model.measures:
        if saved[each.name] is None:
            more[each.name] = None if each.name in nullable else nan
        else:
            more[each.name] = float(_number(saved, each.name, 0, MOST if each.is_share else inf))
    if model.is_measured:
        return measured_row(counts, more)
    return Row(*_scores(saved), counts, more, parts or {})


def _scores(saved: SavedRow) -> tuple[float, float, float, float]:
    """Precision, recall, F1 and F-beta, which is F1 where it was not saved; all undefined, or none."""
    if all(name in saved and saved[name] is None for name in ("precision", "recall", "f1")):
        return nan, nan, nan, nan
    precision, recall, f1 = (_share(saved, name) for name in ("precision", "recall", "f1"))
    return precision, recall, f1, _share(saved, "f_beta") if "f_beta" in saved else f1


def _share(saved: SavedRow, name: str, least: float = 0) -> float:
    """A score, or a part of a whole."""
    return float(_number(saved, name, least, MOST))


def _number(saved: SavedRow, name: str, least: float = 0, most: float = inf) -> float:
    """A number within these bounds; without any, a count."""
    found = saved[name]
    if found is None:
        raise ValueError(f"{name} is null")
    if not least <= found <= most:
        raise ValueError(f"{name} is {found:g}")
    return found
