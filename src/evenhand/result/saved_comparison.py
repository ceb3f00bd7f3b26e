"""What a saved comparison looks like: how it is written, and the comparison that it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

from evenhand.arrays import Values
from evenhand.comparison.oracle import Bound
from evenhand.comparison.units import SavedUnit, Unit
from evenhand.ranges import Count, Share
from evenhand.result.comparison import Comparison, OracleResult, Slice
from evenhand.result.contract import chains, defined, plain, sizes, undefined
from evenhand.result.saved_pairs import SavedPair, pair_of, plain_pair
from evenhand.result.schema import SavedGold
from evenhand.tasks.registry import models_of
from evenhand.text.annotation import Reading
from evenhand.version import __version__


class SavedBound(Struct):
    units: Count
    systems: dict[str, Share | None]
    upper_bound: Share | None

    def bound(self, systems: Sequence[str]) -> Bound:
        """Shares of units as counts; what is rounded away is the error of two roundings, far below a half."""
        right = tuple(round((self.systems[name] or 0) * self.units) for name in systems)
        return Bound(self.units, right, round((self.upper_bound or 0) * self.units))


class SavedOracle(Struct):
    overall: SavedBound
    sentences: SavedBound
    labels: dict[str, SavedBound]
    exact: dict[str, Share | None] | None = None


class SavedAgreement(Struct):
    all: list[list[Share]]
    correct: list[list[Share]]
    paired: dict[str, list[list[Share]]] = {}


class SavedSlice(Struct):
    units: Count
    systems: dict[str, Share]


class SavedTests(Struct):
    """How the tests and intervals of a comparison were made."""

    trials: Count
    resamples: Count
    interval: str
    level: Share
    seed: int
    of: str | None
    few_documents: Count | None = None


class SavedView(Struct):
    """How a report shows a comparison."""

    show: str | None
    top: Count
    sort: str | None


class SavedComparison(Struct):
    task: str
    by: str
    signature: str
    notes: tuple[str, ...]
    gold: SavedGold
    reading: Reading
    systems: tuple[str, ...]
    scores: dict[str, dict[str, Share | None]]
    pairs: list[SavedPair]
    oracle: SavedOracle
    difficulty: dict[Count, Count]
    agreement: SavedAgreement
    labels: dict[str, SavedSlice]
    slices: dict[str, dict[str, SavedSlice]]
    units: list[SavedUnit]
    resampling: SavedTests
    report: SavedView
    before: dict[str, Share | None] = {}
    shared: SavedSlice | None = None


def plain_comparison(comparison: Comparison) -> dict[str, Any]:
    gold = comparison.gold
    agreement = {"all": comparison.all_answers.tolist(), "correct": comparison.correct_answers.tolist()}
    paired = {name: table.tolist() for name, table in comparison.paired.items()}
    return {
        "evenhand": __version__,
        "command": "compare",
        "task": comparison.task,
        "by": comparison.by,
        "signature": comparison.signature,
        "notes": list(comparison.notes),
        "gold": {
            "name": gold.name,
            **sizes(gold),
            "left_out": comparison.left_out,
            "labels": dict(gold.labels),
            **chains(gold.chains),
        },
        "systems": list(comparison.systems),
        "scores": {
            name: _plain_scores({comparison.by: score, **comparison.further_scores.get(name, {})})
            for name, score in comparison.scores.items()
        },
        "pairs": [plain_pair(comparison, pair) for pair in comparison.pairs.values()],
        "oracle": _plain_oracle(comparison),
        "difficulty": {str(number): units for number, units in comparison.difficulty.items()},
        "agreement": agreement | ({"paired": paired} if paired else {}),
        "labels": _plain_slices(comparison.labels),
        "slices": {name: _plain_slices(found) for name, found in comparison.slices.items()},
        "units": [unit.to_dict() for unit in comparison.shown_units],
        "resampling": dict(comparison.resampling),
        "report": {"show": comparison.show, "top": comparison.top, "sort": comparison.sort},
        "reading": plain(gold.reading),
        **({"before": _plain_scores(comparison.before)} if comparison.before else {}),
        **({} if comparison.shared is None else {"shared": _plain_slice(comparison.shared)}),
    }


def _plain_scores(scores: Mapping[str, float]) -> dict[str, float | None]:
    return {name: defined(score) for name, score in scores.items()}


def _plain_oracle(comparison: Comparison) -> dict[str, Any]:
    oracle = comparison.oracle

    def plain_bound(bound: Bound) -> dict[str, Any]:
        return {
            "units": bound.units,
            "systems": _plain_scores(dict(zip(comparison.systems, bound.scores, strict=True))),
            "upper_bound": defined(bound.upper_bound),
            "gain": defined(bound.gain(oracle.best)),
            "gain_over_best": defined(bound.gain_over_best),
        }

    found: dict[str, Any] = {"overall": plain_bound(oracle.overall), "sentences": plain_bound(oracle.sentences)}
    found["labels"] = {label: plain_bound(bound) for label, bound in oracle.labels.items()}
    return found if oracle.exact is None else {**found, "exact": _plain_scores(oracle.exact)}


def _plain_slices(slices: Mapping[str, Slice]) -> dict[str, Any]:
    return {value: _plain_slice(each) for value, each in slices.items()}


def _plain_slice(found: Slice) -> dict[str, Any]:
    return {"units": found.units, "systems": dict(found.scores)}


def comparison_of(saved: SavedComparison) -> Comparison:
    systems = saved.systems
    scores = {name: undefined(saved.scores[name][saved.by]) for name in systems}
    if len(scores) < len(systems) or not saved.pairs:
        raise ValueError("systems need names of their own, and there must be a pair of them")
    units, models = [each.unit(systems) for each in saved.units], _models(saved)
    shown: dict[tuple[tuple[str, str] | None, str], list[Unit]] = {}
    for unit in units:
        shown.setdefault((unit.pair, unit.kind), []).append(unit)
    return Comparison(
        gold=saved.gold.gold(saved.reading),
        task=saved.task,
        by=saved.by,
        systems=systems,
        scores=scores,
        pairs={(each.before, each.after): pair_of(each, scores, shown, models) for each in saved.pairs},
        oracle=_oracle(saved.oracle, scores),
        difficulty=saved.difficulty,
        all_answers=_matrix(saved.agreement.all, len(systems)),
        correct_answers=_matrix(saved.agreement.correct, len(systems)),
        labels=_slices(saved.labels, systems),
        slices={name: _slices(found, systems) for name, found in saved.slices.items()},
        left_out=saved.gold.left_out,
        resampling=asdict(saved.resampling),
        signature=saved.signature,
        notes=saved.notes,
        show=saved.report.show,
        shown_units=tuple(units),
        top=saved.report.top,
        sort=saved.report.sort,
        further_scores={
            name: {model: undefined(saved.scores[name][model]) for model in models} for name in systems if models
        },
        paired={name: _matrix(table, len(systems)) for name, table in saved.agreement.paired.items()},
        before={name: undefined(saved.before[name]) for name in systems if saved.before},
        shared=None if saved.shared is None else _slice(saved.shared, systems),
    )


def _oracle(saved: SavedOracle, scores: Mapping[str, float]) -> OracleResult:
    systems = list(scores)
    return OracleResult(
        saved.overall.bound(systems),
        {label: bound.bound(systems) for label, bound in saved.labels.items()},
        saved.sentences.bound(systems),
        max(range(len(systems)), key=lambda number: scores[systems[number]]),
        None if saved.exact is None else {name: undefined(value) for name, value in saved.exact.items()},
    )


def _slices(saved: Mapping[str, SavedSlice], systems: Iterable[str]) -> dict[str, Slice]:
    return {value: _slice(each, systems) for value, each in saved.items()}


def _slice(saved: SavedSlice, systems: Iterable[str]) -> Slice:
    return Slice(saved.units, {name: saved.systems[name] for name in systems})


def _matrix(rows: list[list[float]], size: int) -> Values:
    table: Values = np.array(rows, dtype=np.float64).reshape(size, size)
    return table


def _models(saved: SavedComparison) -> list[str]:
    """The further scores, in the order in which reports list them."""
    known = saved.scores[saved.systems[0]]
    further = any(each.further for each in saved.pairs)
    return [model.name for model in models_of(saved.task) if model.name in known] if further else []
