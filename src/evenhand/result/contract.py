"""The JSON contract: results as plain dictionaries, lists and numbers. New keys may be added, these stay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from evenhand.scores.model_score import Average, ModelScore, Row
from evenhand.settings import ScoreSettings
from evenhand.tasks.registry import TASKS, models_of
from evenhand.version import __version__

if TYPE_CHECKING:
    from evenhand.result.result import Result, Results


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
            "documents": gold.documents,
            "sentences": gold.sentences,
            "tokens": gold.tokens,
            "characters": gold.characters,
            "units": gold.units,
            **_chains(gold.chains),
            "labels": dict(gold.labels),
        },
        "systems": [_system(result) for result in results.values()],
        **_set(results),
    }


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
        **_chains(result.chains),
        "labels": dict(result.labels),
        "scores": {name: _model(score) for name, score in result.scores.items()},
        "signature": result.signature,
        "notes": list(result.notes),
        "reading": plain(result.reading),
    }


def _chains(count: int | None) -> dict[str, int]:
    return {} if count is None else {"chains": count}


def _model(score: ModelScore) -> dict[str, Any]:
    overall: dict[str, Any] = {"headline": score.headline, "overall": _row(score.overall, score.beta)}
    labels = {label: _row(row, score.beta) for label, row in score.labels.items()}
    if score.model.details == "accuracy":
        return {"headline": score.headline, "overall": {**score.overall.counts, "accuracy": score.headline}}
    if score.model.details == "overall":
        parts = {name: _row(row, score.beta) for name, row in score.overall.parts.items()}
        return overall | ({"parts": parts} if parts else {})
    if score.model.details == "labels":
        return {**overall, "labels": labels}
    found: dict[str, Any] = {
        **overall,
        "macro": _average(score.macro, score.beta),
        "support": _average(score.support, score.beta),
        "labels": labels,
    }
    if score.sentences is not None:
        sentences = score.sentences
        found["overall"]["accuracy"] = score.headline
        found["sentences"] = {"correct": sentences.correct, "total": sentences.total, "share": sentences.share}
    if score.distances:
        found["distances"] = {name: _row(row, score.beta) for name, row in score.distances.items()}
    if score.supertags:
        found["supertags"] = {name: _row(row, score.beta) for name, row in score.supertags.items()}
    if score.baselines:
        found["baselines"] = dict(score.baselines)
    if score.confusion is not None:
        found["confusion"] = {gold: dict(row) for gold, row in score.confusion.items()}
    if score.edges is not None:
        found["edges"] = {kind: dict(row) for kind, row in score.edges.items()}
    return found


def _row(row: Row, beta: float) -> dict[str, float | None]:
    return {**row.counts, **_average(row, beta), **row.more}


def _average(average: Average, beta: float) -> dict[str, float]:
    found = {"precision": average.precision, "recall": average.recall, "f1": average.f1}
    if beta != 1:
        found["f_beta"] = average.f_beta
    return found
