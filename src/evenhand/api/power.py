"""`power`: whether a test set can show a difference, which one it can show, and how much text is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any, Unpack, get_args

import numpy as np

from evenhand.api.compare import (
    MAX_SEED,
    ComparedRun,
    ComparisonJob,
    ResamplingSettings,
    Testing,
    comparison_signature,
    one_measure,
)
from evenhand.arrays import Values
from evenhand.comparison.counts import GroupTables
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted
from evenhand.parameters import check_choice, check_number, check_whole_number, checked_arguments
from evenhand.pipeline.inputs import Input, known_options, side_of, systems_by_name
from evenhand.results.power import ExpectedPower, Method, PairPower, Power, PowerCurve
from evenhand.settings import Resampled, Swapped
from evenhand.statistics.bootstrap import stream
from evenhand.statistics.power import InfluenceSpread, groups_for_width, influences, power_of_mcnemar, z_of
from evenhand.statistics.significance import randomization

if TYPE_CHECKING:
    from evenhand.keywords import Keywords, MatchFunction

FEWEST = 10
"""Number of groups below which nothing is estimated."""
CORRELATIONS = {
    0.9: "a variant of the system: another seed, a small change",
    0.7: "a system of the same kind",
    0.5: "a dissimilar system",
}
"""Assumed correlations of the influences of two systems. Measured: 0.5 to 0.88, by document, for the pairs of the
sixteen systems of CoNLL-2003."""
_RESAMPLES, _LEVEL = 1_000, 0.95
_TRIALS = 299
"""Trials of each simulated test."""


@checked_arguments(known_options)
def power(
    gold: Input,
    systems: Input | Sequence[Input] | Mapping[str, Input],
    other: Input | None = None,
    *,
    by: str | MatchFunction | None = None,
    delta: float | None = None,
    target: float = 0.8,
    alpha: float = 0.05,
    size: int | None = None,
    width: float | None = None,
    of: Resampled | None = None,
    like: Input | None = None,
    worst: bool = False,
    method: Method = "drawing",
    simulate: int = 0,
    seed: int = 0,
    **options: Unpack[Keywords],
) -> Power:
    """Estimate what a test set can show: `power(gold, a, b)`, or `power(gold, a, delta=1)` before b exists.

    by         the score, as in `compare`
    delta      a true difference, in points of 100 [the observed difference]; needed for one system
    target     the power that the test should have
    alpha      level of the test; with more than two systems it is divided by the number of pairs
    size       what-if: the number of documents or sentences [the present one]
    width      also report how many groups an interval of ± this many points needs
    of         "documents" or "sentences" [documents, or sentences if there is one document]
    like       with one system: an older one; the next system is assumed to be as similar to it as this older one
    worst      with one system: add a row for a planned system that is not correlated with it
    method     "drawing" from the groups, or "formula" (normal approximation)
    simulate   number of full simulations of the test, as a check of the power
    seed       of the random numbers

    Other keywords are as in `score`. Returns a `Power` with `observed`, `power`, `detectable`, `needed(delta)` and
    `curve(groups)`.
    """
    check_choice("method", method, get_args(Method))
    request = _PowerRequest(
        _points("delta", delta),
        check_number("target", target, lambda value: 0 < value < 1, "a number between 0 and 1"),
        check_number("alpha", alpha, lambda value: 0 < value < 1, "a number between 0 and 1"),
        None if size is None else check_whole_number("size", size, FEWEST),
        _points("width", width),
        method,
        check_whole_number("simulate", simulate, 0, 100_000),
        check_whole_number("seed", seed, 0, MAX_SEED),
    )
    sides = systems_by_name(systems if other is None else [side_of(systems), side_of(other)]) or {}
    if like is not None and len(sides) != 1:
        raise SettingError("like is for one system; leave it out, or leave the second system out.")
    if len(sides) == 1 and delta is None:
        raise SettingError("Power of one system needs a difference: give delta in points, or a second system.")
    if like is not None:
        sides = systems_by_name([*sides.values(), like]) or {}
    pairs = list(combinations(range(len(sides)), 2))
    chosen = dict[str, Any](options)
    run = ComparisonJob(
        side_of(gold), sides, pairs, one_measure(by, chosen), ResamplingSettings(of=of).checked(), chosen
    )()
    counts = _GroupCounts.from_run(run)
    if counts.groups < FEWEST:
        can_take_sentences = counts.of == "documents" and not run.prepared.task.evaluation.by_document
        hint = " Use --of sentences if sentences can be treated as independent." if can_take_sentences else ""
        number = counted(counts.groups, counts.of.removesuffix("s"))
        raise SettingError(f"{number} are too few to estimate power.{hint}")
    if len(sides) == 1 or like is not None:
        return _of_one_system(counts, request, worst=worst)
    return _of_pairs(counts, request)


@dataclass(frozen=True)
class _PowerRequest:
    """The checked arguments of `power`; differences and widths are fractions."""

    delta: float | None
    target: float
    alpha: float
    planned: int | None
    width: float | None
    method: Method
    simulations: int
    seed: int

    def curve(self, spread: InfluenceSpread) -> PowerCurve:
        return PowerCurve(spread, self.alpha, self.target, self.seed, self.method)


def _points(name: str, value: float | None) -> float | None:
    """Points of 100 as a fraction."""
    expected = "points above 0 and at most 100"
    return None if value is None else check_number(name, value, lambda points: 0 < points <= 100, expected) / 100


@dataclass(frozen=True)
class _GroupCounts:
    """The counts of all systems in each group; groups are documents or sentences."""

    run: ComparedRun
    of: Swapped
    groups: int
    tables: GroupTables
    sentences: GroupTables | None
    """The counts by sentence, if the groups are documents that have sentences."""

    @staticmethod
    def from_run(run: ComparedRun) -> _GroupCounts:
        (kind, number), labels = run.groups, list(run.gold.labels)
        tables = GroupTables.of(run.model, run.tallies_of(run.model), number, labels)
        sentences = None
        if kind == "documents" and not run.prepared.task.evaluation.by_document:
            tallies = {name: by_scorer[run.model.scorer] for name, by_scorer in run.run.tallies.items()}
            sentences = GroupTables.of(run.model, tallies, run.run.sentences, labels)
        return _GroupCounts(run, kind, number, tables, sentences)

    @property
    def systems(self) -> list[str]:
        return list(self.tables.tables)


def _influence(tables: GroupTables, system: str) -> Values:
    """How much each group moves the score of a system (`statistics.power.influences`)."""
    return influences(tables.tables[system], tables.sizes, tables.statistic)


def _difference(tables: GroupTables, before: str, after: str) -> InfluenceSpread:
    return InfluenceSpread.of(_influence(tables, after) - _influence(tables, before), tables.sizes)


def _of_pairs(counts: _GroupCounts, request: _PowerRequest) -> Power:
    """All pairs of systems; alpha is divided by the number of pairs (Bonferroni)."""
    pairs = list(combinations(counts.systems, 2))
    request = replace(request, alpha=request.alpha / len(pairs))
    resampling = ResamplingSettings(resamples=_RESAMPLES, level=_LEVEL, seed=request.seed)
    changes = Testing(counts.tables, resampling)(pairs)
    powers = {pair: _of_pair(counts, request, pair, changes[pair].interval) for pair in pairs}
    widths = {}
    if request.width is not None:
        spreads = (_difference(counts.tables, *pair) for pair in pairs)
        widths = {
            f"{one} and {two}": groups_for_width(spread.sd, request.width)
            for (one, two), spread in zip(pairs, spreads, strict=True)
        }
    return _result(counts, request, pairs=powers, needed_for_width=widths)


def _of_pair(
    counts: _GroupCounts, request: _PowerRequest, pair: tuple[str, str], interval: tuple[float, float] | None
) -> PairPower:
    before, after = pair
    scores = counts.tables.score(before), counts.tables.score(after)
    delta = scores[1] - scores[0] if request.delta is None else request.delta
    if not counts.tables.differing(before, after):
        return PairPower(before, after, scores, interval, delta, None, None, None, 0.0)
    curve = request.curve(_difference(counts.tables, before, after))
    planned = request.planned or counts.groups
    power, by_sentence = curve.power(delta, planned), None
    if counts.sentences is not None:
        others = _difference(counts.sentences, before, after)
        by_sentence = request.curve(others).detectable(others.groups)
    return PairPower(
        *(before, after, scores, interval, delta),
        power=power,
        detectable=curve.detectable(planned),
        needed_groups=curve.needed(delta),
        sd=curve.spread.sd,
        by_sentence=by_sentence,
        mcnemar=_mcnemar(counts.run, pair, delta, planned / counts.groups, request.alpha),
        exaggeration=curve.exaggeration(delta, planned) if power < 0.5 else None,
        simulated=_simulated(counts.tables, pair, delta, planned, request) if request.simulations else None,
        curve_of=curve,
    )


def _mcnemar(run: ComparedRun, pair: tuple[str, str], delta: float, size: float, alpha: float) -> float | None:
    """The power of McNemar's test on `size` times the units, for scores that are the share of correct units."""
    if run.model.headline != "accuracy":
        return None
    numbers = tuple(run.counts.systems.index(name) for name in pair)
    counts = run.counts.differences.finish()[numbers[0], numbers[1]]
    disagreement = (counts.counts["new_error"] + counts.counts["correction"]) / counts.units
    return power_of_mcnemar(delta, disagreement, round(size * counts.units), alpha)


def _simulated(tables: GroupTables, pair: tuple[str, str], delta: float, planned: int, request: _PowerRequest) -> float:
    """The share of significant tests on samples of groups, drawn with replacement.

    Only the observed difference can be simulated, because counts exist for no other one.
    """
    if request.delta is not None:
        raise SettingError("simulate needs the observed difference; leave delta out.")
    a, b = (np.repeat(tables.tables[name], tables.sizes, axis=0) for name in pair)
    significant, ones = 0, np.ones(planned, dtype=np.int64)
    for number in range(request.simulations):
        rows = stream(request.seed, number).integers(0, len(a), planned)
        test = randomization(a[rows], b[rows], ones, tables.statistic, _TRIALS, (request.seed, number))
        significant += test.p <= request.alpha
    return significant / request.simulations


def _of_one_system(counts: _GroupCounts, request: _PowerRequest, *, worst: bool) -> Power:
    """One system and a planned one, given the correlation of their influences."""
    assert request.delta is not None
    system, *older = counts.systems
    influence = InfluenceSpread(_influence(counts.tables, system), counts.tables.sizes)
    correlations = CORRELATIONS | ({0.0: "the worst case: no correlation"} if worst else {})
    if older:
        other = _influence(counts.tables, older[0])
        both = counts.tables.sizes @ (influence.values * other)
        size = (counts.tables.sizes @ influence.values**2) * (counts.tables.sizes @ other**2)
        correlations = {float(both / sqrt(size)) if size else 0.0: f"as of {older[0]}"}
    planned = request.planned or counts.groups
    rows = []
    for correlation, reason in correlations.items():
        # Only the standard deviation is known, so the formula is used.
        scaled = replace(influence, values=influence.values * sqrt(2 * (1 - correlation)))
        curve = replace(request.curve(scaled), method="formula")
        reached, needed = curve.power(request.delta, planned), curve.needed(request.delta)
        rows.append(ExpectedPower(correlation, reason, curve.detectable(planned), reached, needed))
    widths = {} if request.width is None else {system: groups_for_width(influence.sd, request.width)}
    half_width = z_of(1 - _LEVEL) * influence.sd / sqrt(planned)
    return _result(
        *(counts, replace(request, method="formula")),
        pairs={},
        system=system,
        half_width=half_width,
        expected=rows,
        needed_for_width=widths,
    )


def _result(counts: _GroupCounts, request: _PowerRequest, **figures: Any) -> Power:
    run, planned = counts.run, request.planned or counts.groups
    settings = f"alpha:{request.alpha:g}|power:{request.target:g}|groups:{planned}|method:{request.method}"
    notes = []
    if request.delta is not None and request.delta <= 0.0005:
        points = f"{100 * request.delta:g}"
        notes.append(f"--delta {points} means {points} points. Did you mean --delta {float(points) * 100:g}?")
    return Power(
        gold=run.gold,
        task=run.prepared.task.name,
        by=run.by,
        of=counts.of,
        groups=counts.groups,
        planned=planned,
        alpha=request.alpha,
        target=request.target,
        method=request.method,
        seed=request.seed,
        delta=request.delta,
        width=request.width,
        signature=f"{comparison_signature(run)}|{settings}",
        notes=tuple(notes),
        **figures,
    )
