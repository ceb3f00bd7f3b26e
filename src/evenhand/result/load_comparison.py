"""Comparisons from their saved form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec
import numpy as np

from evenhand.arrays import Values
from evenhand.comparison.differences import CLASSES
from evenhand.comparison.units import Unit
from evenhand.problems import SettingError
from evenhand.result.comparison import Comparison, OracleResult, Slice
from evenhand.result.comparison_schema import SavedComparison, SavedOracle, SavedPair, SavedSlice, tested
from evenhand.result.pairs import Differences, Pair
from evenhand.result.schema import bounds
from evenhand.tasks.registry import models_of

UnitsByClass = dict[tuple[tuple[str, str] | None, str], list[Unit]]
"""The units that were asked for, by pair and class of difference."""


def comparison_of(saved: SavedComparison) -> Comparison:
    systems = saved.systems
    scores = {name: saved.scores[name][saved.by] for name in systems}
    if len(scores) < len(systems) or not saved.pairs:
        raise ValueError("systems need names of their own, and there must be a pair of them")
    units, models = [each.unit(systems) for each in saved.units], _models(saved)
    shown = _by_class(units)
    return Comparison(
        gold=saved.gold.gold(saved.reading),
        task=saved.task,
        by=saved.by,
        systems=systems,
        scores=scores,
        pairs={(each.before, each.after): _pair(each, scores, shown, models) for each in saved.pairs},
        oracle=_oracle(saved.oracle, scores),
        difficulty=saved.difficulty,
        all_answers=_matrix(saved.agreement.all, len(systems)),
        correct_answers=_matrix(saved.agreement.correct, len(systems)),
        labels=_slices(saved.labels, systems),
        slices={name: _slices(found, systems) for name, found in saved.slices.items()},
        left_out=saved.gold.left_out,
        resampling=msgspec.structs.asdict(saved.resampling),
        signature=saved.signature,
        notes=saved.notes,
        show=saved.report.show,
        shown_units=tuple(units),
        top=saved.report.top,
        sort=saved.report.sort,
        further_scores={name: {model: saved.scores[name][model] for model in models} for name in systems if models},
        paired={name: _matrix(table, len(systems)) for name, table in saved.agreement.paired.items()},
    )


def _by_class(units: Sequence[Unit]) -> UnitsByClass:
    found: UnitsByClass = {}
    for unit in units:
        found.setdefault((unit.pair, unit.kind), []).append(unit)
    return found


def _pair(saved: SavedPair, systems: Mapping[str, float], units: UnitsByClass, models: Sequence[str]) -> Pair:
    unknown = {saved.before, saved.after} - systems.keys()
    if unknown:
        raise KeyError(min(unknown))
    return Pair(
        saved.before,
        saved.after,
        saved.units,
        saved.different,
        saved.moved,
        saved.delta,
        {name: _class(name, saved, units) for name in CLASSES},
        tested(saved.significance),
        None if saved.mcnemar is None else saved.mcnemar.p,
        bounds(saved.interval),
        {name: saved.further[name].change() for name in models},
    )


def _class(name: str, pair: SavedPair, units: UnitsByClass) -> Differences:
    found, own = pair.classes[name], units.get(((pair.before, pair.after), name), [])
    transitions = [each.transition() for each in found.transitions]
    return Differences(name, found.count, found.share, transitions, partial(_units, name, own, found.count))


def _units(kind: str, saved: list[Unit], count: int) -> list[Unit]:
    """The units of a class, if all of them were saved; else there are no files to look for them."""
    if len(saved) < count:
        few = f"{len(saved):,} of these {count:,} units were saved"
        raise SettingError(f"{few}; compare the files again, with show={kind!r} and no limit to save them all.")
    return list(saved)


def _oracle(saved: SavedOracle, scores: Mapping[str, float]) -> OracleResult:
    systems = list(scores)
    return OracleResult(
        saved.overall.bound(systems),
        {label: bound.bound(systems) for label, bound in saved.labels.items()},
        saved.sentences.bound(systems),
        max(range(len(systems)), key=lambda number: scores[systems[number]]),
        saved.exact,
    )


def _slices(saved: Mapping[str, SavedSlice], systems: Sequence[str]) -> dict[str, Slice]:
    return {value: Slice(each.units, {name: each.systems[name] for name in systems}) for value, each in saved.items()}


def _matrix(rows: list[list[float]], size: int) -> Values:
    table: Values = np.array(rows, dtype=np.float64).reshape(size, size)
    return table


def _models(saved: SavedComparison) -> list[str]:
    """The further scores, in the order in which reports list them."""
    known = saved.scores[saved.systems[0]]
    further = any(each.further for each in saved.pairs)
    return [model.name for model in models_of(saved.task) if model.name in known] if further else []
