"""Confidences: what `confidence` and `accept` return."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, unknown
from evenhand.results.display import Displayed, WithRows, WithTables, present
from evenhand.results.result import GoldSummary
from evenhand.statistics.bootstrap import series_sizes, stream
from evenhand.statistics.calibration import BinnedUnits, chance_level
from evenhand.statistics.precision_recall import Answers, Changes, Curve, aurc, risks, scores_of

Interval = tuple[float, float]
RELIABLE_FROM = 50
"""Number of documents below which intervals are not reliable."""
MOST_POINTS = 10_000
"""Maximum number of points of a saved curve."""
CONDITIONS: Mapping[str, str] = {
    "recall": "precision",
    "precision": "recall",
    "f1": "threshold",
    "coverage": "risk",
    "risk": "coverage",
}
"""The figures at a condition, such as `recall@precision-0.95`."""
CALIBRATED = ("ece", "over", "under", "mce", "overconfidence", "brier")
PLAIN = ("ap", "macro_ap", "reach", "best_f", "aurc", "eaurc", *CALIBRATED)
LOW_IS_GOOD = frozenset(("aurc", "eaurc", "ece", "over", "under", "mce", "brier", "risk"))
_AT = re.compile(r"([a-z0-9]+)@([a-z]+)-(\d*\.?\d+)")
_LIKE_AT = re.compile(r"[a-z0-9_]+@[a-z][a-z0-9._-]*")


@dataclass(frozen=True)
class FigureName:
    """A figure of confidences: `ap`, `ece`, `recall@precision-0.95`."""

    text: str
    figure: str
    at: float | None = None

    @staticmethod
    def of(text: str) -> FigureName | None:
        """Parse a name; None if it is not a figure of confidences."""
        if text in PLAIN:
            return FigureName(text, text)
        match = _AT.fullmatch(text)
        if match is None or CONDITIONS.get(match[1]) != match[2]:
            if _LIKE_AT.fullmatch(text):
                forms = ", ".join(f"{figure}@{condition}-NUMBER" for figure, condition in CONDITIONS.items())
                raise SettingError(f"Unknown figure {text!r}; expected one of {forms}.")
            return None
        if float(match[3]) > 1 and match[2] != "threshold":
            raise SettingError(f"{text} has the condition {match[3]}; expected a fraction from 0 to 1.")
        return FigureName(text, match[1], float(match[3]))


@dataclass(frozen=True)
class BestThreshold:
    """The threshold with the highest F-beta."""

    beta: float
    threshold: float | None
    """None if all units have the same confidence, or if there are none."""
    precision: float
    recall: float
    f: float
    """The score on the data that the threshold was chosen on or, if it was chosen on other data, on this data."""
    cross_fitted: float | None = None
    """F-beta with thresholds that other folds choose; None if the threshold was chosen on other data."""
    interval: Interval | None = None
    """The interval of the cross-fitted score or, with a threshold from other data, of the score."""
    folds: tuple[float, float] | None = None
    """The lowest and the highest threshold of the folds."""
    chosen_on: str | None = None
    """The other data that the threshold was chosen on."""


@dataclass(frozen=True)
class Calibration:
    """Calibration of confidences that are probabilities; see `statistics.calibration`."""

    units: int
    accuracy: float
    """The share of hits."""
    mean: float
    """The mean confidence."""
    ece: float
    over: float
    under: float
    mce: float
    overconfidence: float
    brier: float
    by_chance: float
    bins: Sequence[tuple[int, float, float]]
    """Number of units, mean confidence and share of hits of each bin."""
    ece_interval: Interval | None = None
    bin_intervals: Sequence[Interval] = ()
    """The intervals of the shares of hits."""


@dataclass(frozen=True)
class SystemConfidence:
    """The confidences of one system, or of the units of one label of it."""

    name: str
    """Of the system or label."""
    beta: float
    units: int
    scores: tuple[float, float] | None
    """The lowest and the highest confidence; None without units."""
    curve: Curve = field(repr=False, compare=False)
    ap: float
    """Average precision."""
    best_threshold: BestThreshold
    aurc: float | None
    eaurc: float | None
    calibration: Calibration | None
    uncalibrated: str | None
    """The reason why calibration is undefined."""
    macro_ap: float | None = None
    """None for a label."""
    labels: Mapping[str, SystemConfidence] = field(default_factory=dict)
    """The same by label of the gold standard or of the system."""
    shares_threshold: bool = False
    """Whether this label has too few units for its own threshold; the common one is used."""
    changes: Changes | None = field(default=None, repr=False, compare=False)
    answers: Answers | None = field(default=None, repr=False, compare=False)
    edges: Values | None = field(default=None, repr=False, compare=False)
    """The upper edges of all bins but the last one."""

    @property
    def gold(self) -> float:
        """Number of gold units, as the measure counts them."""
        return self.curve.expected

    @property
    def best_f(self) -> float:
        """F-beta at the best threshold."""
        return self.best_threshold.f

    @property
    def threshold(self) -> float | None:
        """The best threshold; None for a label that has too few units."""
        return None if self.shares_threshold else self.best_threshold.threshold

    @property
    def ece(self) -> float | None:
        return None if self.calibration is None else self.calibration.ece

    @property
    def overconfidence(self) -> float | None:
        return None if self.calibration is None else self.calibration.overconfidence

    @property
    def reach(self) -> float:
        """Recall of all units."""
        return self.curve.reach

    def best(self, beta: float | None = None) -> BestThreshold:
        """The threshold with the highest F-beta, with cross-fitted F-beta but without an interval."""
        if beta is None or beta == self.beta:
            return self.best_threshold
        return best_threshold(self.curve, beta, self.changes)

    def recall_at(self, precision: float) -> float:
        """The highest recall with at least this precision."""
        return self.curve.recall_at(precision)

    def precision_at(self, recall: float) -> float:
        """The highest precision with at least this recall."""
        return self.curve.precision_at(recall)

    @cached_property
    def risk_coverage(self) -> tuple[Values, Values, Values]:
        """Thresholds, coverage and risk."""
        answers = self._answers()
        return risks(answers.score, answers.hit)

    def _answers(self) -> Answers:
        if self.answers is None:
            raise SettingError(
                "This needs the units, which saved results and some measures lack; use eh.confidence on files."
            )
        return self.answers

    def label(self, name: str) -> SystemConfidence:
        """The figures of a label."""
        if name not in self.labels:
            listed = ", ".join(self.labels)
            raise SettingError(unknown(f"Unknown label {name!r}", name, list(self.labels), f"there are {listed}"))
        return self.labels[name]

    def figure(self, name: FigureName) -> float:
        """The value of a figure; NaN if it is undefined."""
        if name.at is not None:
            return self._at(name.figure, name.at, self.curve, None)
        source = self.calibration if name.figure in CALIBRATED else self
        value = getattr(source, name.figure, None)
        return nan if value is None else float(value)

    def _at(self, figure: str, at: float, curve: Curve, times: Values | None) -> float:
        if figure == "recall":
            return curve.recall_at(at)
        if figure == "precision":
            return curve.precision_at(at)
        if figure == "f1":
            return float(scores_of(curve.counts_at(at)).f1)
        answers = self._answers()
        weight = None if times is None else times[answers.group]
        _, coverage, risk = risks(answers.score, answers.hit, weight)
        if figure == "coverage":
            return float(coverage[risk <= at].max(initial=0.0))
        return float(risk[coverage >= at].min(initial=1.0)) if len(risk) else nan

    def interval(self, name: FigureName, resamples: int, seed: int, level: float) -> Interval | None:
        """The interval of a figure from a bootstrap of documents; None if it cannot be resampled."""
        figure, draws = name.figure, self._times(resamples, seed)
        if figure == "macro_ap" or self.changes is None or len(self.changes.base) < 2:
            return None
        if figure in CALIBRATED and name.at is None:
            if self.answers is None or self.edges is None:
                return None
            binned = binned_units(self.answers, self.edges)
            values = [getattr(binned.figures(times @ binned.table), figure) for times in draws]
        elif figure in ("aurc", "eaurc"):
            answers = self._answers()
            copies = (np.repeat(np.arange(len(answers)), times[answers.group].astype(np.int64)) for times in draws)
            values = [aurc(answers.score[rows], answers.hit[rows])[figure == "eaurc"] for rows in copies if len(rows)]
        else:
            values = []
            for times in draws:
                curve = self.changes.curve(times)
                if name.at is not None:
                    values.append(self._at(figure, name.at, curve, times))
                elif figure == "best_f":
                    best = curve.best(self.beta)
                    values.append(0.0 if best is None else float(curve.f_beta(self.beta)[best]))
                else:
                    values.append(getattr(curve, figure))
        low, high = np.quantile(np.array(values, dtype=np.float64), [(1 - level) / 2, (1 + level) / 2]).tolist()
        return low, high

    def _times(self, resamples: int, seed: int) -> Iterator[Values]:
        """How often each group is drawn, resample by resample."""
        assert self.changes is not None
        groups = len(self.changes.base)
        for series, size in enumerate(series_sizes(resamples)):
            random = stream(seed, series)
            for _ in range(size):
                drawn = random.integers(0, groups, groups)
                yield np.bincount(drawn, minlength=groups).astype(np.float64)

    def saved(self) -> dict[str, Any]:
        curve, kept = self.curve, saved_points(self.curve)
        columns = {"threshold": curve.threshold, "precision": curve.precision, "recall": curve.recall, "f1": curve.f1}
        points = {name: column[kept].tolist() for name, column in columns.items()}
        points["counts"] = curve.counts[kept].tolist()
        return {
            "units": self.units,
            "scores": self.scores,
            "ap": self.ap,
            "macro_ap": self.macro_ap,
            "reach": self.reach,
            "best": self.best_threshold,
            **{f"recall@precision-{at:g}": self.recall_at(at) for at in SHOWN_PRECISIONS},
            "aurc": self.aurc,
            "eaurc": self.eaurc,
            "calibration": self.calibration,
            **present(uncalibrated=self.uncalibrated),
            "labels": {
                name: {key: getattr(label, key) for key in _LABEL_FIGURES} | label.saved()
                for name, label in self.labels.items()
            },
            "curve": {**points, "base": curve.base.tolist(), "points": len(curve)},
        }


SHOWN_PRECISIONS = (0.8, 0.9, 0.95)
_LABEL_FIGURES = ("gold", "best_f", "threshold", "ece", "overconfidence")


def saved_points(curve: Curve) -> Ints:
    """At most `MOST_POINTS` points evenly, and all points that no other one exceeds in precision and recall.

    The latter decide on the best F-beta, on recall at a precision and on precision at a recall.
    """
    even = thinned(len(curve), MOST_POINTS)
    if len(even) == len(curve):
        return even
    order = np.lexsort((np.arange(len(curve)), -curve.precision, -curve.recall))
    precision = curve.precision[order]
    highest = np.append(-1.0, np.maximum.accumulate(precision)[:-1])
    return np.union1d(even, order[precision > highest])


def thinned(points: int, most: int) -> Ints:
    """At most this many of some points, evenly, with the first and the last one."""
    if points <= most:
        return np.arange(points)
    return np.unique(np.linspace(0, points - 1, most).round().astype(np.int64))


def binned_units(answers: Answers, edges: Values) -> BinnedUnits:
    return BinnedUnits.of(answers.score, answers.hit, answers.group, answers.groups, edges)


def best_threshold(curve: Curve, beta: float, changes: Changes | None = None) -> BestThreshold:
    """The best threshold of a curve; with `changes`, also the cross-fitted score."""
    best = curve.best(beta)
    if best is None:
        return BestThreshold(beta, None, 0.0, 0.0, 0.0)
    threshold = float(curve.threshold[best]) if len(curve) > 1 else None
    point = (float(curve.precision[best]), float(curve.recall[best]), float(curve.f_beta(beta)[best]))
    if changes is None or threshold is None or len(changes.base) < 2:
        return BestThreshold(beta, threshold, *point)
    table, chosen = changes.cross_fitted(beta)
    cross_fitted = float(scores_of(table.sum(axis=0), beta).f_beta)
    chosen = chosen[np.isfinite(chosen)]  # other folds without units accept nothing
    return BestThreshold(beta, threshold, *point, cross_fitted, None, (float(chosen.min()), float(chosen.max())))


def calibration_of(answers: Answers, edges: Values) -> tuple[Calibration, BinnedUnits]:
    """The calibration of some units, without intervals, and its sums."""
    binned = binned_units(answers, edges)
    sums, units = binned.sums(), len(answers)
    figures: dict[str, Any] = {name: float(value) for name, value in binned.figures(sums)._asdict().items()}
    accuracy = float(answers.hit.mean())
    mean, bins = float(answers.score.mean()), binned.rows(sums)
    chance = chance_level(units, accuracy, len(bins))
    return Calibration(units, accuracy, mean, **figures, by_chance=chance, bins=bins), binned


@dataclass(frozen=True)
class ApDifference:
    """The difference in AP of two systems, `ap` of `second` minus that of `first`."""

    first: str
    second: str
    difference: float
    p: float
    """Of approximate randomization; see `statistics.precision_recall`."""
    p_holm: float
    """Corrected for the number of pairs."""


@dataclass(frozen=True, repr=False)
class Confidence(Displayed, WithTables, WithRows):
    """The confidences of systems: curves, thresholds, selective prediction and calibration, by system.

    With one system, its figures are attributes: `confidence.ap`, `confidence.curve`, `confidence.best(beta)`.
    """

    gold: GoldSummary
    task: str
    unit: str
    match: str
    of: str
    """The groups that folds and intervals consist of: documents or sentences."""
    groups: int
    systems: Mapping[str, SystemConfidence]
    signature: str
    notes: tuple[str, ...] = ()
    by_label: bool = False
    """Whether tables of labels are shown."""
    differences: Sequence[ApDifference] = ()
    """The tested differences in AP of all pairs of systems."""

    def __getitem__(self, name: str) -> SystemConfidence:
        if name not in self.systems:
            remedy = f"choose one of {', '.join(self.systems)}"
            raise SettingError(unknown(f"Unknown system {name!r}", name, list(self.systems), remedy))
        return self.systems[name]

    @property
    def system(self) -> SystemConfidence:
        """The system, if there is one."""
        if len(self.systems) != 1:
            raise SettingError(f"There are {len(self.systems)} systems; choose one: confidence[NAME].")
        return next(iter(self.systems.values()))

    @property
    def curve(self) -> Curve:
        return self.system.curve

    @property
    def ap(self) -> float:
        return self.system.ap

    @property
    def macro_ap(self) -> float | None:
        return self.system.macro_ap

    @property
    def reach(self) -> float:
        return self.system.reach

    @property
    def aurc(self) -> float | None:
        return self.system.aurc

    @property
    def eaurc(self) -> float | None:
        return self.system.eaurc

    @property
    def calibration(self) -> Calibration | None:
        return self.system.calibration

    @property
    def labels(self) -> Mapping[str, SystemConfidence]:
        return self.system.labels

    def best(self, beta: float | None = None) -> BestThreshold:
        return self.system.best(beta)

    def recall_at(self, precision: float) -> float:
        return self.system.recall_at(precision)

    def precision_at(self, recall: float) -> float:
        return self.system.precision_at(recall)

    @property
    def is_reliable(self) -> bool:
        """Whether there are enough groups for intervals."""
        return self.groups >= RELIABLE_FROM

    def plot(
        self,
        kind: str = "pr",
        path: str | Path | None = None,
        *,
        width: float | None = None,
        height: float | None = None,
    ) -> Any:
        """Draw precision and recall (`pr`), F by `threshold`, `calibration` or `risk` as a Matplotlib figure.

        path     write it to this file, as SVG, PDF or PNG
        width    in inches, likewise height
        """
        from evenhand.report.figures.canvas import Size, check_matplotlib

        check_matplotlib()
        from evenhand.report.figures.confidence import plot

        return plot(self, kind, path, Size(width, height))

    def to_html(self, path: str | Path | None = None, *, title: str = "") -> str:
        """Return one self-contained page, with a slider for the threshold, and write it to `path`, if given."""
        from evenhand.report.html.confidence import render
        from evenhand.results.display import written

        return written(render(self, title), path)

    @staticmethod
    def from_json(source: str | Path) -> Confidence:
        """Load a saved result; it has no units, so intervals and other bins cannot be computed."""
        from evenhand.results.json import load_confidence

        return load_confidence(source)

    def saved(self) -> dict[str, Any]:
        return {
            "command": "confidence",
            "task": self.task,
            "match": self.match,
            "signature": self.signature,
            "notes": self.notes,
            "unit": self.unit,
            "of": self.of,
            "groups": self.groups,
            "gold": {
                "name": self.gold.name,
                **self.gold.sizes(),
                "labels": self.gold.labels,
            },
            "reading": self.gold.reading,
            "by_label": self.by_label,
            "systems": [{"name": name, **system.saved()} for name, system in self.systems.items()],
            "differences": self.differences,
        }


@dataclass(frozen=True, repr=False)
class Acceptance(Displayed, WithTables):
    """A threshold for automatic acceptance, with its guarantee."""

    gold: GoldSummary
    task: str
    unit: str
    system: str
    of: str
    """The groups in which errors cluster: documents or, if there is one document, sentences."""
    kind: str
    """`risk`: the share of wrong units among accepted ones; `miss`: the share of a document's gold units missed."""
    level: float
    """The share that is allowed."""
    confidence: float
    threshold: float | None
    """None without such a threshold."""
    units: int
    accepted: int
    wrong: int | None
    """The number of wrong units among accepted ones; None for `miss`."""
    missed: float | None
    """The mean missed share of documents; None for `risk`."""
    documents: int
    design_effect: float | None
    independent: bool
    needed: int | None
    """The number of accepted units without an error that a guarantee needs at least."""
    signature: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_found(self) -> bool:
        return self.threshold is not None

    def saved(self) -> dict[str, Any]:
        names = ("system", "of", "kind", "level", "confidence", "threshold", "units", "accepted", "wrong", "missed")
        more = ("documents", "design_effect", "independent", "needed")
        return {
            "command": "accept",
            "task": self.task,
            "signature": self.signature,
            "notes": self.notes,
            **{name: getattr(self, name) for name in (*names, *more)},
        }
