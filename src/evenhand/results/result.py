"""Results: what `score` returns, for one system or for many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, field, replace
from math import isnan, nan
from pathlib import Path
from typing import Any

import msgspec

from evenhand.data.annotation import ReadInfo
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.grounding.grounder import BOUND, GroundingCounts
from evenhand.results.display import Framed, Plotted, Shown, Tabled, Tallied
from evenhand.results.signature import joint_signature
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import Average, MeasureScore, Row
from evenhand.scoring.tally import Tally
from evenhand.settings import Groups, ScoreSettings
from evenhand.tasks.registry import TASKS, models_of, name_among
from evenhand.tasks.registry import model as declared_model
from evenhand.tasks.tables import ErrorGroup, error_groups
from evenhand.version import __version__

# == result/metrics.py: Scores as one flat dictionary of plain floats, as trackers o


def flat_metrics(scores: Mapping[str, MeasureScore]) -> dict[str, float]:
    metrics: dict[str, float] = {}
    for place, (name, score) in enumerate(scores.items()):
        metrics |= _of_model(_spelled(name), score, f"{_spelled(name)}_" if place else "")
    first = next(iter(scores.values()))
    for label, row in first.labels.items() if first.model.details in ("all", "labels") else ():
        of_label = _row_metrics(first.model, f"{_spelled(label)}_", row)
        if not metrics.keys().isdisjoint(of_label):
            of_label = _row_metrics(first.model, f"{_code(label[0])}{_spelled(label[1:])}_", row)
        metrics |= of_label
    return metrics


def _of_model(name: str, score: MeasureScore, prefix: str) -> dict[str, float]:
    """The scores of a model over all labels."""
    model = score.model
    if model.details == "accuracy":
        return {name: float(score.headline)}
    if model.is_measured:
        return _row_metrics(model, prefix, score.overall)
    if model.headline == "accuracy":
        found = {name: float(score.headline)}
    else:
        head = Average(score.precision, score.recall, score.f1, score.headline)
        found = _measures(prefix, head, model.beta)
    return found | (_measures(f"{prefix}macro_", score.macro, model.beta) if model.details == "all" else {})


def _row_metrics(model: Formula, prefix: str, row: Row) -> dict[str, float]:
    """The scores of a row; those that are unknown are left out."""
    if not model.is_measured:
        return _measures(prefix, row, model.beta)
    return {f"{prefix}{name}": float(value) for name, value in row.more.items() if value is not None}


def _measures(prefix: str, average: Average, beta: float) -> dict[str, float]:
    names = ("precision", "recall", "f1") if beta == 1 else ("precision", "recall", "f1", "f_beta")
    return {f"{prefix}{name}": float(getattr(average, name)) for name in names}


def _spelled(text: str) -> str:
    return "".join(each if each.isalnum() or each in "_-" else _code(each) for each in text)


def _code(character: str) -> str:
    return f".{ord(character):X}."


# == result/contract.py: The JSON contract: results as plain dictionaries, lists and


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


def sizes(gold: GoldSummary) -> dict[str, int | None]:
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
    wanted = (*TASKS[settings.task].parameters, *(parameter for model in scored for parameter in model.parameters))
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


def plain_score(score: MeasureScore) -> dict[str, Any]:
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


def _row(model: Formula, row: Row) -> dict[str, float | None]:
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


# == result/result.py (primary)


@dataclass(frozen=True)
class GoldSummary:
    """The gold standard in figures."""

    name: str
    documents: int
    sentences: int
    tokens: int | None
    characters: int | None
    """The number of characters without spaces, where these are the atoms."""
    units: int
    labels: Mapping[str, int]
    reading: ReadInfo
    chains: int | None = None
    """How many coreference chains there are, where these are scored."""
    document_names: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """What documents are called, where they are groups of the tallies and have names."""


@dataclass(frozen=True, repr=False)
class Result(Shown, Framed, Plotted, Tabled, Tallied):
    """The scores of one system: `result["fair"].f1`, `result["fair"].labels["ORG"].recall`."""

    name: str
    gold: GoldSummary
    units: int
    labels: Mapping[str, int]
    """How many spans of each label the system has."""
    scores: Mapping[str, MeasureScore]
    signature: str
    settings: ScoreSettings
    reading: ReadInfo
    notes: tuple[str, ...] = ()
    tallies: Mapping[str, Tally] = field(default_factory=dict, repr=False, compare=False)
    """The counts behind the scores, by judge (`exact`, `fair`); a saved result has none."""

    models: tuple[Formula, ...] = ()
    """The match models behind the scores."""
    chains: int | None = None
    grounding: GroundingCounts | None = None
    """Of a language model: how its answers were read, and where its strings were found."""
    groups: Groups = "total"
    """What the tallies keep apart: documents, sentences, or nothing."""
    before: Mapping[str, MeasureScore] = field(default_factory=dict)
    """The scores on the gold standard as it was read, where it has overrides."""
    sentence_tallies: Mapping[str, Tally] = field(default_factory=dict, repr=False, compare=False)
    """The tallies by sentence, where those of the finest groups are by document: for tests that documents cannot
    decide."""

    def __getitem__(self, model: str) -> MeasureScore:
        if model not in self.scores:
            raise KeyError(f"no match model {model!r} was scored; there are {', '.join(self.scores)}")
        return self.scores[model]

    def __iter__(self) -> Iterator[str]:
        """The names of the match models."""
        return iter(self.scores)

    def __contains__(self, model: object) -> bool:
        return model in self.scores

    @property
    def beta(self) -> float:
        return self.settings.beta

    def metrics(self) -> dict[str, float]:
        """The scores under flat names, for trackers of experiments: `f1`, `fair_f1`, `PER_f1`.

        The first match model has bare names, and the labels are its own; other models stand before their measures.
        """
        return flat_metrics(self.scores)

    def fix_first(self, by: str | None = None, most: int = 5) -> list[ErrorGroup]:
        """The groups of errors from which most points can be gained (see `tasks.recoverable`).

        by      the match model of the score, one whose verdicts tell the kinds of errors [the task's first of these]
        most    how many groups [5]
        """
        task = TASKS[self.settings.task]
        name = by or task.reported_by[0]
        if name_among(task.name, name, task.reported_by) is None:
            raise SettingError(f"by is {name!r}; errors of {task.name} are told by {' or '.join(task.reported_by)}.")
        model = declared_model(task.name, name).prepare(self.settings)
        if model.judge not in self.tallies:
            remedy = f"score the files with match={model.name!r}"
            raise SettingError(f"The result of {self.name} has no counts of errors by {model.name}; {remedy}.")
        return error_groups(task, model, self.tallies[model.judge])[:most]

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, as plain Python."""
        return Results({self.name: self}).to_dict()

    @staticmethod
    def from_json(source: str | Path) -> Result:
        """The result of one system, as `to_json` saved it: from a file, or from the text itself."""
        from evenhand.results.json import load_result

        return load_result(source)


class Results(Shown, Framed, Plotted, Tabled, Tallied, Mapping[str, Result]):
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
        """What is counted."""
        return TASKS[self.task].unit

    @property
    def signature(self) -> str:
        return joint_signature(result.signature for result in self.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found and mended, each said once."""
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
        return to_contract(self)

    @staticmethod
    def from_json(source: str | Path) -> Results:
        """Results as `to_json` or `evenhand score --as json` saved them: from a file, or from the text itself."""
        from evenhand.results.json import load_results

        return load_results(source)
