"""Scores by name, as criteria name them: `fair`, `fair.recall`, `PER:recall`, `exact.macro.f1`, `FP`.

A name is LABEL:MODEL.FIGURE. Without a label it is the score of all labels together, without a match model that of the
one that systems are compared by, and without a figure the headline. Figures are those that the JSON of `score` has.

Where a figure without a match model is a measure that only one model declares (`leak_rate`), that model is meant by all
names without one, unless a user says what to compare by: `recall` beside `leak_rate` is the recall of `leak`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan
from typing import Any, Literal

from evenhand.dataclass import dataclass
from evenhand.problems import SettingError
from evenhand.result.contract import plain_score
from evenhand.result.result import Result
from evenhand.scores.match_model import MatchModel
from evenhand.scores.model_score import ModelScore
from evenhand.settings import ScoreSettings
from evenhand.tasks.registry import TASKS, models_of, name_among, parameters_of
from evenhand.tasks.registry import model as declared_model

_MOST_LISTED = 20
Unit = Literal["fraction", "ratio", "count"]
"""A score from 0 to 1, a measure that may be above 1, or a count."""
_TABLES = ("confusion", "edges")
"""Tables of counts, which floats may be if tokens have weights."""
_SCORES = ("precision", "recall", "f1")
"""Figures that most match models have."""


@dataclass(frozen=True)
class Figure:
    """The number that a result has under a name."""

    name: str
    value: float
    unit: Unit
    is_best_low: bool = False
    """Whether a lower value is better."""
    shares: tuple[str, ...] = ()
    """For a count, the names of its shares, as a criterion spells them."""


@dataclass(frozen=True)
class ScoreName:
    """Which score of a result a user means."""

    given: str
    label: str | None
    model: str
    path: tuple[str, ...]
    """Where its figure stands below the match model."""
    by: str
    """The match model that sentences need not name."""
    is_other: bool = False
    """Whether it is another match model than the name says, so that sentences must name it."""

    @staticmethod
    def read(given: str, task: str, default: str, by: str, options: Mapping[str, Any]) -> ScoreName:
        """What a name means for a task whose systems are compared by a match model; `default` is that of bare names."""
        label, colon, rest = given.rpartition(":")
        first, *path = rest.split(".")
        model = name_among(task, first, [each.name for each in models_of(task)]) if first else default
        if model is None:
            model, path = default, [first, *path]
        decided = TASKS[task].decided_by(model, options)
        is_other = first != "" and decided != model
        return ScoreName(given, label if colon else None, decided, tuple(path), by, is_other)

    @property
    def shown(self) -> str:
        """What sentences call it: as it is given, or with its match model where nobody would expect that one."""
        if (self.model == self.by and not self.is_other) or not self.given:
            return self.given or self.model
        return ("" if self.label is None else f"{self.label}:") + ".".join((self.model, *self.path))

    def figure(self, result: Result) -> Figure:
        """The figure that a result has under this name; an error if it has none."""
        score = result[self.model]
        found: Any = self._row(plain_score(score))
        rest, name, beside = self.path or (self._headline(score),), "", found
        while rest:  # names of figures may have full stops
            sizes = range(len(rest), 0, -1) if isinstance(found, Mapping) else ()
            size = next((size for size in sizes if ".".join(rest[:size]) in found), None)
            if size is None:
                raise SettingError(f"{self.given!r} is no score: {self._missing(found, rest[0])}.")
            name, rest, beside = ".".join(rest[:size]), rest[size:], found
            found = found[name]
        if found is None:
            raise SettingError(f"{self.given!r} is not known: files do not tell it, or there is nothing to divide by.")
        if isinstance(found, Mapping):
            names = ", ".join(f"{self.given}.{each}" for each in list(found)[:_MOST_LISTED])
            raise SettingError(f"{self.given!r} stands for several numbers; choose one of {names}.")
        unit = _unit(score.model, name, found, is_tabled=self.path[:1] in [(each,) for each in _TABLES])
        is_best_low = any(each.is_best_low for each in score.model.measures if each.name == name)
        return Figure(name, float(found), unit, is_best_low, self._shares(score.model, name, beside))

    def declared(self, task: str) -> Figure | None:
        """The figure without its value, where the match model declares it: known before any file is read."""
        model = declared_model(task, self.model).prepare(_default_settings(task, self.by))
        scores = ["accuracy"] if model.details == "accuracy" else [] if model.is_measured else list(_SCORES)
        row = dict.fromkeys((*model.counts, *scores, *(each.name for each in model.measures)), nan)
        name = ".".join(self.path) if self.path else "headline"
        if self.path and name not in row:
            return None
        is_best_low = any(each.is_best_low for each in model.measures if each.name == name)
        unit = _unit(model, name, nan, is_tabled=False)
        return Figure(name, nan, unit, is_best_low, self._shares(model, name, row))

    def _shares(self, model: MatchModel, count: str, row: Mapping[str, Any]) -> tuple[str, ...]:
        """The names of a count's shares: the measures that divide it or, without one, the scores beside it."""
        sums = model.counts.get(count)
        shares = [each.name for each in model.measures if each.is_share and sums is not None and each.above == sums]
        scores = ("share",) if "share" in row else (*_SCORES, "accuracy")
        known = [each for each in shares or scores if row.get(each) is not None]
        return tuple(self.given.removesuffix(count) + each for each in known)

    def _row(self, scores: Mapping[str, Any]) -> Mapping[str, Any]:
        """The figures of the label or, without one, of all labels together and what stands beside them."""
        labels = scores.get("labels")
        if self.label is None:
            return {**{name: each for name, each in scores.items() if name != "labels"}, **scores["overall"]}
        if not labels:
            raise SettingError(f"{self.given!r} is no score: {self.model} has no scores of labels.")
        if self.label not in labels:
            raise SettingError(f"{self.given!r} is no score: there is no label {self.label!r}, only {_listed(labels)}.")
        found: Mapping[str, Any] = labels[self.label]
        return found

    def _headline(self, score: ModelScore) -> str:
        """The one figure of the model, or what stands for it in the row of a label."""
        if self.label is None:
            return "headline"
        if score.model.is_measured:
            return score.model.measures[0].name
        return "recall" if score.model.headline == "accuracy" else "f1" if score.beta == 1 else "f_beta"

    def _missing(self, found: Any, name: str) -> str:
        """What there is instead of a figure that there is not."""
        if not isinstance(found, Mapping):
            return f"there is nothing below a number, such as {name!r}"
        figures = [each for each, value in found.items() if not isinstance(value, Mapping)]
        hint = f"; for a label write {name}:f1" if self.label is None and self.path[0] == name else ""
        return f"{self.model} has no figure {name!r}, only {_listed(figures)}{hint}"


def model_of_names(names: Iterable[str], task: str, by: str) -> str:
    """The match model of names without one: what systems are compared by, or the owner of a measure among them."""
    prepared = [each.prepare(_default_settings(task, by)) for each in models_of(task)]
    for figure in (name.rpartition(":")[2] for name in names):
        owners = [each.name for each in prepared if figure in (measure.name for measure in each.measures)]
        if len(owners) != 1 or figure in _SCORES:
            continue
        if name_among(task, figure, [each.name for each in prepared]) is None:
            return owners[0]
    return by


def _default_settings(task: str, by: str) -> ScoreSettings:
    return ScoreSettings((by,), task, parameters={each.name: each.default for each in parameters_of(task)})


def _unit(model: MatchModel, name: str, value: float, *, is_tabled: bool) -> Unit:
    if any(each.name == name and not each.is_share for each in model.measures):
        return "ratio"
    return "count" if isinstance(value, int) or is_tabled or name in model.counts else "fraction"


def _listed(names: Any) -> str:
    shown = list(names)
    return ", ".join(shown[:_MOST_LISTED]) + (" and others" if len(shown) > _MOST_LISTED else "")
