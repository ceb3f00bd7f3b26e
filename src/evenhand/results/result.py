"""Scores of one system (`Result`) or several systems (`Results`): what `score` returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, field, replace
from math import isnan
from pathlib import Path
from typing import Any

import msgspec

from evenhand import __version__
from evenhand.arrays import Count
from evenhand.data.annotation import ReadInfo
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.grounding.grounder import BOUND, GroundingCounts
from evenhand.results.display import Displayed, WithFigures, WithRows, WithTables, WithTallies
from evenhand.results.signature import joint_signature
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import Average, MeasureScore, Row
from evenhand.scoring.tally import Tally
from evenhand.settings import Groups, ScoreSettings
from evenhand.tasks.registry import TASKS, models_of, name_among
from evenhand.tasks.registry import model as declared_model
from evenhand.tasks.tables import ErrorGroup, error_groups


@dataclass(frozen=True)
class GoldSummary:
    """The gold standard in figures."""

    name: str
    documents: Count
    sentences: Count
    tokens: Count | None
    characters: Count | None
    """The number of characters without spaces, if the positions are characters."""
    units: Count
    labels: Mapping[str, Count]
    reading: ReadInfo
    chains: Count | None = None
    """The number of coreference chains, if chains are scored."""
    document_names: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """The names of documents, if tallies are grouped by document and documents have names."""

    def sizes(self) -> dict[str, int | None]:
        """The counts, as the JSON of scores and comparisons has them."""
        return {name: getattr(self, name) for name in ("documents", "sentences", "tokens", "characters", "units")}


@dataclass(frozen=True, repr=False)
class Result(Displayed, WithRows, WithFigures, WithTables, WithTallies):
    """The scores of one system: `result["fair"].f1`, `result["fair"].labels["ORG"].recall`."""

    name: str
    gold: GoldSummary
    units: int
    labels: Mapping[str, int]
    """The system's number of spans, by label."""
    scores: Mapping[str, MeasureScore]
    signature: str
    settings: ScoreSettings
    reading: ReadInfo
    notes: tuple[str, ...] = ()
    tallies: Mapping[str, Tally] = field(default_factory=dict, repr=False, compare=False)
    """The counts that scores are computed from, by scorer (`exact`, `fair`); a saved result has none."""

    models: tuple[Formula, ...] = ()
    """The measures of the scores."""
    chains: int | None = None
    grounding: GroundingCounts | None = None
    """For a language model: how its answers were read, and where its strings were found."""
    groups: Groups = "total"
    """The groups of the tallies: documents, sentences, or one total."""
    before: Mapping[str, MeasureScore] = field(default_factory=dict)
    """The scores on the gold standard without overrides, if it has overrides."""
    sentence_tallies: Mapping[str, Tally] = field(default_factory=dict, repr=False, compare=False)
    """Tallies by sentence, for tests if documents are too few; only if the groups are documents."""

    def __getitem__(self, model: str) -> MeasureScore:
        if model not in self.scores:
            raise KeyError(f"no measure {model!r} was scored; there are {', '.join(self.scores)}")
        return self.scores[model]

    def __iter__(self) -> Iterator[str]:
        """The names of the measures."""
        return iter(self.scores)

    def __contains__(self, model: object) -> bool:
        return model in self.scores

    @property
    def beta(self) -> float:
        return self.settings.beta

    def metrics(self) -> dict[str, float]:
        """The scores under flat names, for experiment trackers: `f1`, `fair_f1`, `PER_f1`.

        Scores of the first measure have bare names, and labels are scored by it. Scores of other measures have the
        name of the measure as a prefix.
        """
        metrics: dict[str, float] = {}
        for number, (name, score) in enumerate(self.scores.items()):
            metrics |= _overall_metrics(_key(name), score, f"{_key(name)}_" if number else "")
        first = next(iter(self.scores.values()))
        for label, row in first.labels.items() if first.model.breakdown.details in ("all", "labels") else ():
            label_metrics = _row_metrics(first.model, f"{_key(label)}_", row)
            if not metrics.keys().isdisjoint(label_metrics):
                label_metrics = _row_metrics(first.model, f"{_code(label[0])}{_key(label[1:])}_", row)
            metrics |= label_metrics
        return metrics

    def fix_first(self, by: str | None = None, most: int = 5) -> list[ErrorGroup]:
        """The groups of errors with the largest gain if they were fixed (see `tasks.tables`).

        by      the measure of the score; it must distinguish error types [the task's first such measure]
        most    the maximum number of groups [5]
        """
        task = TASKS[self.settings.task]
        name = by or task.selection.reported[0]
        if name_among(task.name, name, task.selection.reported) is None:
            measures = " or ".join(task.selection.reported)
            raise SettingError(f"by is {name!r}; use {measures} for the errors of {task.name}.")
        measure = declared_model(task.name, name).prepare(self.settings)
        if measure.scorer not in self.tallies:
            remedy = f"score the files with match={measure.name!r}"
            raise SettingError(f"The result of {self.name} has no counts of errors by {measure.name}; {remedy}.")
        return error_groups(task, measure, self.tallies[measure.scorer])[:most]

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, as plain Python."""
        return Results({self.name: self}).to_dict()

    @staticmethod
    def from_json(source: str | Path) -> Result:
        """Load the result of one system that `to_json` saved, from a file or from its JSON text."""
        from evenhand.results.json import load_result

        return load_result(source)


class Results(Displayed, WithRows, WithFigures, WithTables, WithTallies, Mapping[str, Result]):
    """The scores of several systems on one gold standard, by name."""

    def __init__(self, results: Mapping[str, Result]) -> None:
        self._results = dict(results)
        self._first = next(iter(self._results.values()))

    @property
    def gold(self) -> GoldSummary:
        return self._first.gold

    @property
    def task(self) -> str:
        return self._first.settings.task

    @property
    def beta(self) -> float:
        return self._first.beta

    @property
    def unit(self) -> str:
        """The name of the task's unit: span, token, …"""
        return TASKS[self.task].unit

    @property
    def signature(self) -> str:
        return joint_signature(result.signature for result in self.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings and repairs, without repetitions."""
        return tuple(dict.fromkeys(note for result in self.values() for note in result.notes))

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self._first.scores)

    def __getitem__(self, name: str) -> Result:
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, as plain Python."""
        gold = self.gold
        return {
            "evenhand": __version__,
            "command": "score",
            "task": self.task,
            "signature": self.signature,
            "notes": list(self.notes),
            "gold": {
                "name": gold.name,
                "format": gold.reading.format,
                "encoding": gold.reading.encoding,
                **gold.sizes(),
                **({} if gold.chains is None else {"chains": gold.chains}),
                "labels": dict(gold.labels),
            },
            "systems": [_plain_system(result) for result in self.values()],
            "settings": _plain_settings(self._first.settings),
            "reading": plain(gold.reading),
        }

    @staticmethod
    def from_json(source: str | Path) -> Results:
        """Load results that `to_json` or `evenhand score --as json` saved, from a file or from its JSON text."""
        from evenhand.results.json import load_results

        return load_results(source)


# Flat metrics


def _overall_metrics(name: str, score: MeasureScore, prefix: str) -> dict[str, float]:
    model = score.model
    if model.breakdown.details == "accuracy":
        return {name: float(score.headline)}
    if model.has_ratios_only:
        return _row_metrics(model, prefix, score.overall)
    if model.headline == "accuracy":
        metrics = {name: float(score.headline)}
    else:
        metrics = _prf_metrics(prefix, Average(score.precision, score.recall, score.f1, score.headline), model.beta)
    if model.breakdown.details == "all":
        metrics |= _prf_metrics(f"{prefix}macro_", score.macro, model.beta)
    return metrics


def _row_metrics(model: Formula, prefix: str, row: Row) -> dict[str, float]:
    """The scores of a row, without unknown ones."""
    if not model.has_ratios_only:
        return _prf_metrics(prefix, row, model.beta)
    return {f"{prefix}{name}": float(value) for name, value in row.more.items() if value is not None}


def _prf_metrics(prefix: str, average: Average, beta: float) -> dict[str, float]:
    names = ("precision", "recall", "f1") if beta == 1 else ("precision", "recall", "f1", "f_beta")
    return {f"{prefix}{name}": float(getattr(average, name)) for name in names}


def _key(text: str) -> str:
    return "".join(char if char.isalnum() or char in "_-" else _code(char) for char in text)


def _code(char: str) -> str:
    return f".{ord(char):X}."


# JSON contract


def _plain_settings(settings: ScoreSettings) -> dict[str, Any]:
    """The settings and the parameters of the task and of the requested measures, in one mapping."""
    saved: dict[str, Any] = plain(replace(settings, parameters={}))
    del saved["parameters"]
    measures = [model for model in models_of(settings.task) if model.name in settings.match]
    parameters = list(TASKS[settings.task].parameters)
    parameters += [parameter for measure in measures for parameter in measure.parameters]
    return saved | {parameter.name: plain(settings[parameter.name]) for parameter in parameters}


def plain(value: object) -> Any:
    """Data classes, tuples and the like as JSON types."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _plain_system(result: Result) -> dict[str, Any]:
    return {
        "name": result.name,
        "format": result.reading.format,
        "encoding": result.reading.encoding,
        "units": result.units,
        **({} if result.chains is None else {"chains": result.chains}),
        **({} if result.grounding is None else {"grounding": _plain_grounding(result.grounding)}),
        "labels": dict(result.labels),
        "scores": {name: plain_score(score) for name, score in result.scores.items()},
        **({"before": {name: plain_score(score) for name, score in result.before.items()}} if result.before else {}),
        "signature": result.signature,
        "notes": list(result.notes),
        "reading": plain(result.reading),
    }


def _plain_grounding(grounding: GroundingCounts) -> dict[str, Any]:
    """The counts of a language model's strings. The upper bound is not a score of the system, so it is separate."""
    bound = {"of": "exact", **{name: grounding.bound[name] for name in BOUND}, "f1": grounding.upper_bound}
    listed = [item._asdict() for item in grounding.listed]
    return {**grounding, "labels": dict(grounding.labels), "upper_bound": bound, "listed": listed}


def plain_score(score: MeasureScore) -> dict[str, Any]:
    """The score of a system under one measure."""

    def plain_rows(rows: Mapping[str, Row]) -> dict[str, Any]:
        return {name: _plain_row(score.model, row) for name, row in rows.items()}

    details = score.model.breakdown.details
    headline = defined(score.headline)
    if details == "accuracy":
        return {"headline": headline, "overall": {**score.overall.counts, "accuracy": headline}}
    saved: dict[str, Any] = {"headline": headline, "overall": _plain_row(score.model, score.overall)}
    saved |= {"further": dict(score.further)} if score.further else {}
    if details == "overall":
        return saved | ({"parts": plain_rows(score.overall.parts)} if score.overall.parts else {})
    if details == "labels":
        return saved | {"labels": plain_rows(score.labels)}
    saved |= {name: _plain_average(getattr(score, name), score.beta) for name in ("macro", "support")}
    saved |= {"labels": plain_rows(score.labels)}
    if score.sentences is not None:
        saved["overall"]["accuracy"] = headline
        saved["sentences"] = {**asdict(score.sentences), "share": defined(score.sentences.share)}
    lists = {
        "distances": plain_rows(score.distances),
        "supertags": plain_rows(score.supertags),
        "baselines": dict(score.baselines),
    }
    saved |= {name: rows for name, rows in lists.items() if rows}
    tables = {"confusion": score.confusion, "edges": score.edges}
    return saved | {
        name: {key: dict(row) for key, row in table.items()} for name, table in tables.items() if table is not None
    }


def _plain_row(model: Formula, row: Row) -> dict[str, float | None]:
    scores = {} if model.has_ratios_only else _plain_average(row, model.beta)
    return {**row.counts, **scores, **{name: defined(value) for name, value in row.more.items()}}


def _plain_average(average: Average, beta: float) -> dict[str, float | None]:
    names = ("precision", "recall", "f1", *(["f_beta"] if beta != 1 else []))
    return {name: defined(getattr(average, name)) for name in names}


def defined(value: float | None) -> float | None:
    """A score as JSON has it: null if it is undefined (NaN) or unknown."""
    return None if value is None or isnan(value) else value
