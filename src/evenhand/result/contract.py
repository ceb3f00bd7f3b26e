"""The JSON contract: results as plain dictionaries, lists and numbers. New keys may be added, these stay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import msgspec

from evenhand.grounding.counts import BOUND, GroundingCounts
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import ModelScore
from evenhand.scores.row import Average, Row
from evenhand.settings import ScoreSettings
from evenhand.tasks.registry import TASKS, models_of
from evenhand.version import __version__

if TYPE_CHECKING:
    from evenhand.result.result import Gold, Result, Results


def to_contract(results: Results) -> dict[str, Any]:
    gold = results.gold
    return {
        "evenhand": __version__,
        "command": "score",
        "task": results.task,
        "signature": results.signature,
        "notes": list(results.notes),
        "gold": {
            "name": gold.name,
            "format": gold.reading.format,
            "encoding": gold.reading.encoding,
            **sizes(gold),
            **chains(gold.chains),
            "labels": dict(gold.labels),
        },
        "systems": [_system(result) for result in results.values()],
        **_set(results),
    }


def sizes(gold: Gold) -> dict[str, int | None]:
    """How much there is of everything."""
    return {name: getattr(gold, name) for name in ("documents", "sentences", "tokens", "characters", "units")}


def _set(results: Results) -> dict[str, Any]:
    """What was set and how the gold standard was read: what only loading needs."""
    first = next(iter(results.values()))
    return {"settings": saved_settings(first.settings), "reading": plain(results.gold.reading)}


def saved_settings(settings: ScoreSettings) -> dict[str, Any]:
    """The settings, with the parameters of the task and of the match models that are scored, in one mapping."""
    found: dict[str, Any] = plain(replace(settings, parameters={}))
    del found["parameters"]
    scored = [model for model in models_of(settings.task) if model.name in settings.match]
    wanted = (*TASKS[settings.task].parameters, *(each for model in scored for each in model.parameters))
    return found | {each.name: plain(settings[each.name]) for each in wanted}


def plain(value: object) -> Any:
    """Data classes, tuples and the like as JSON has them."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _system(result: Result) -> dict[str, Any]:
    return {
        "name": result.name,
        "format": result.reading.format,
        "encoding": result.reading.encoding,
        "units": result.units,
        **chains(result.chains),
        **({} if result.grounding is None else {"grounding": plain_grounding(result.grounding)}),
        "labels": dict(result.labels),
        "scores": {name: plain_score(score) for name, score in result.scores.items()},
        **({"before": {name: plain_score(score) for name, score in result.before.items()}} if result.before else {}),
        "signature": result.signature,
        "notes": list(result.notes),
        "reading": plain(result.reading),
    }


def plain_grounding(grounding: GroundingCounts) -> dict[str, Any]:
    """What became of the strings of a language model. The upper bound is no score, and stands apart from these."""
    bound = {"of": "exact", **{name: grounding.bound[name] for name in BOUND}, "f1": grounding.upper_bound}
    listed = [each._asdict() for each in grounding.listed]
    return {**grounding, "labels": dict(grounding.labels), "upper_bound": bound, "listed": listed}


def chains(count: int | None) -> dict[str, int]:
    return {} if count is None else {"chains": count}


def plain_score(score: ModelScore) -> dict[str, Any]:
    """What a match model says of a system, as the JSON has it."""

    def rows(found: Mapping[str, Row]) -> dict[str, Any]:
        return {name: _row(score.model, row) for name, row in found.items()}

    details = score.model.details
    headline = defined(score.headline)
    if details == "accuracy":
        return {"headline": headline, "overall": {**score.overall.counts, "accuracy": headline}}
    found: dict[str, Any] = {"headline": headline, "overall": _row(score.model, score.overall)}
    found |= {"further": dict(score.further)} if score.further else {}
    if details == "overall":
        return found | ({"parts": rows(score.overall.parts)} if score.overall.parts else {})
    if details == "labels":
        return found | {"labels": rows(score.labels)}
    found |= {"macro": _average(score.macro, score.beta), "support": _average(score.support, score.beta)}
    found |= {"labels": rows(score.labels)}
    if score.sentences is not None:
        found["overall"]["accuracy"] = headline
        found["sentences"] = {**asdict(score.sentences), "share": defined(score.sentences.share)}
    lists = {"distances": rows(score.distances), "supertags": rows(score.supertags), "baselines": dict(score.baselines)}
    found |= {name: each for name, each in lists.items() if each}
    tables = {"confusion": score.confusion, "edges": score.edges}
    return found | {
        name: {kind: dict(row) for kind, row in table.items()} for name, table in tables.items() if table is not None
    }


def _row(model: MatchModel, row: Row) -> dict[str, float | None]:
    scores = {} if model.is_measured else _average(row, model.beta)
    return {**row.counts, **scores, **{name: defined(value) for name, value in row.more.items()}}


def _average(average: Average, beta: float) -> dict[str, float | None]:
    names = ("precision", "recall", "f1", *(["f_beta"] if beta != 1 else []))
    return {name: defined(getattr(average, name)) for name in names}


def defined(value: float | None) -> float | None:
    """A score as JSON has it: null if it is undefined (NaN) or unknown."""
    return None if value is None or isnan(value) else value


def undefined(saved: float | None) -> float:
    """The inverse of `defined` for scores that are always known: NaN for null."""
    return nan if saved is None else saved
