"""The result of `germeval`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.dataclass import dataclass
from evenhand.problems import Problem
from evenhand.result.display import Shown
from evenhand.scores.germeval import LEVELS, ByLevel, Metric, Score
from evenhand.settings import Repair
from evenhand.version import __version__


@dataclass(frozen=True)
class Repairs:
    """The ill-formed spans of both sides: how many there are, and the first ones of each file."""

    policy: Repair
    gold: int
    prediction: int
    first: tuple[Problem, ...]

    @property
    def count(self) -> int:
        return self.gold + self.prediction


@dataclass(frozen=True, repr=False)
class GermEval(Shown):
    """The metrics of GermEval 2014: `result.strict.f1`, `result.inner.recall`, `result.labels["LOCderiv"].outer.f1`."""

    name: str
    """What the prediction is called."""
    gold_name: str
    sentences: int
    tokens: int
    metrics: Mapping[str, Metric]
    labels: Mapping[str, ByLevel]
    """Strict, by label and level."""
    classes: Mapping[str, ByLevel]
    """Loose, by class and level."""
    other_level: int
    """Predictions that are not correct, and would be on the other level."""
    repairs: Repairs
    script: Mapping[str, Metric]
    """What the task's script says, by the rules of `scores.germeval_script`."""
    as_script: bool
    """Whether `metrics`, `labels` and `classes` are the script's, too."""
    notes: tuple[str, ...]
    signature: str

    @property
    def strict(self) -> Metric:
        """Metric 1, which ranks systems."""
        return self.metrics["strict"]

    @property
    def loose(self) -> Metric:
        """Metric 2."""
        return self.metrics["loose"]

    @property
    def outer(self) -> Metric:
        """Metric 3 on the first level."""
        return self.metrics["outer"]

    @property
    def inner(self) -> Metric:
        """Metric 3 on the second level."""
        return self.metrics["inner"]

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract, as plain Python: scores are fractions, counts integers."""
        return {
            "evenhand": __version__,
            "command": "germeval",
            "signature": self.signature,
            "notes": list(self.notes),
            "gold": {
                "name": self.gold_name,
                "sentences": self.sentences,
                "tokens": self.tokens,
                "units": self.strict.gold,
                "labels": {label: levels.outer.gold + levels.inner.gold for label, levels in self.labels.items()},
            },
            "prediction": {"name": self.name, "units": self.strict.found},
            "metrics": _metrics(self.metrics),
            "script": _metrics(self.script),
            "labels": _by_level(self.labels),
            "classes": _by_level(self.classes),
            "other_level": self.other_level,
            "repaired": {
                "gold": self.repairs.gold,
                "prediction": self.repairs.prediction,
                "first": [
                    {"file": problem.source, "line": problem.line, "finding": problem.finding}
                    for problem in self.repairs.first
                ],
            },
        }

    def __str__(self) -> str:
        from evenhand.report.germeval import text  # a result shows itself: the report is loaded when asked for

        return text(self)


def _score(score: Score) -> dict[str, float]:
    counts = {"gold": score.gold, "found": score.found, "correct": score.correct}
    return {**counts, "precision": score.precision, "recall": score.recall, "f1": score.f1}


def _metrics(metrics: Mapping[str, Metric]) -> dict[str, Any]:
    return {name: {"accuracy": metric.accuracy, **_score(metric)} for name, metric in metrics.items()}


def _by_level(scores: Mapping[str, ByLevel]) -> dict[str, Any]:
    return {name: dict(zip(LEVELS, map(_score, levels), strict=True)) for name, levels in scores.items()}
