"""What the pairs of a saved comparison look like: how they are written, and the pairs that they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from msgspec import Struct, convert, field, to_builtins

from evenhand.comparison.differences import CLASSES
from evenhand.comparison.units import Unit
from evenhand.problems import SettingError, counted
from evenhand.ranges import Count, Difference, Share
from evenhand.result.comparison import Comparison
from evenhand.result.contract import defined, undefined
from evenhand.result.pairs import Differences, Pair, ScoreChange, Significance, Transition
from evenhand.result.schema import SavedInterval, bounds

UnitsByClass = Mapping[tuple[tuple[str, str] | None, str], list[Unit]]
"""The units that were asked for, by pair and class of difference."""


class SavedTransition(Struct, kw_only=True, omit_defaults=True):
    gold: str
    before: str = field(name="from")
    after: str = field(name="to")
    change: str = ""
    count: Count
    share_of_class: Share
    share_of_differences: Share


class SavedClass(Struct):
    count: Count
    share: Share
    transitions: list[SavedTransition]


class SavedP(Struct):
    p: Share


class SavedChange(Struct):
    """The difference under one score."""

    delta: Difference | None
    significance: Significance | None = None
    interval: SavedInterval | None = None


class SavedPair(Struct):
    before: str = field(name="from")
    after: str = field(name="to")
    units: Count
    different: Count
    delta: Difference | None
    classes: dict[str, SavedClass]
    moved: Count = 0
    significance: Significance | None = None
    interval: SavedInterval | None = None
    mcnemar: SavedP | None = None
    further: dict[str, SavedChange] = {}


def plain_pair(comparison: Comparison, pair: Pair) -> dict[str, Any]:
    found: dict[str, Any] = {
        "from": pair.before,
        "to": pair.after,
        "units": pair.size,
        "different": pair.different,
        "difference": pair.difference,
        "delta": defined(pair.delta),
        "classes": {
            name: to_builtins(convert(each, SavedClass, from_attributes=True)) for name, each in pair.classes.items()
        },
    }
    if pair.mcnemar is None:  # a unit that is right or wrong has not moved
        found["moved"] = pair.moved
    found |= _tested(comparison, pair)
    if pair.mcnemar is not None:
        found["mcnemar"] = {"p": pair.mcnemar}
    if pair.further:
        found["further"] = {
            name: {"delta": defined(each.delta), **_tested(comparison, each)} for name, each in pair.further.items()
        }
    return found


def _tested(comparison: Comparison, found: Pair | ScoreChange) -> dict[str, Any]:
    """The test and the interval of a difference, as far as they were made."""
    tested: dict[str, Any] = {}
    if found.significance is not None:
        tested["significance"] = asdict(found.significance)
    if found.interval is not None:
        low, high = found.interval
        level, kind = comparison.resampling["level"], comparison.resampling["interval"]
        tested["interval"] = {"of": "delta", "kind": kind, "level": level, "low": low, "high": high}
    return tested


def pair_of(saved: SavedPair, systems: Mapping[str, float], units: UnitsByClass, models: Sequence[str]) -> Pair:
    """The pair, of these systems with their scores, with the units that were saved and the scores of these models."""
    unknown = {saved.before, saved.after} - systems.keys()
    if unknown:
        raise KeyError(min(unknown))
    return Pair(
        saved.before,
        saved.after,
        saved.units,
        saved.different,
        saved.moved,
        undefined(saved.delta),
        {name: _class(name, saved, units) for name in CLASSES},
        saved.significance,
        None if saved.mcnemar is None else saved.mcnemar.p,
        bounds(saved.interval),
        {name: _change(saved.further[name]) for name in models},
    )


def _change(saved: SavedChange) -> ScoreChange:
    return ScoreChange(undefined(saved.delta), saved.significance, bounds(saved.interval))


def _class(name: str, pair: SavedPair, units: UnitsByClass) -> Differences:
    found, own = pair.classes[name], units.get(((pair.before, pair.after), name), [])
    transitions = convert(found.transitions, list[Transition], from_attributes=True)
    return Differences(name, found.count, found.share, transitions, partial(_units, name, own, found.count))


def _units(kind: str, saved: list[Unit], count: int) -> list[Unit]:
    """The units of a class, if all of them were saved; else there are no files to look for them."""
    if len(saved) < count:
        few = f"{len(saved):,} of these {counted(count, 'unit')} were saved"
        raise SettingError(f"{few}; compare the files again, with show={kind!r} and no limit to save them all.")
    return list(saved)
