"""`power`: whether a test set can show a difference, which one it can show, and how much text is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import isfinite, sqrt
from numbers import Real
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
from evenhand.api.score import score_inputs
from evenhand.comparison.counts import GroupTables
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted, unknown
from evenhand.parameters import FUNCTIONS, check_choice, check_whole_number, checked_arguments, quote
from evenhand.pipeline.inputs import Input, content_for, known_options, prepare, side_of, systems_by_name
from evenhand.results.power import ExpectedPower, PairPower, Power, SentencePower, TextSize
from evenhand.results.result import GoldSummary, Results
from evenhand.scoring.measure import Formula
from evenhand.scoring.tally import Tally
from evenhand.settings import Resampled, Swapped
from evenhand.statistics.bootstrap import ROUNDING, drawn_numbers
from evenhand.statistics.power import (
    DRAWS,
    FEWEST,
    TARGET,
    InfluenceSpread,
    Method,
    PowerCurve,
    groups_for_width,
    power_of_mcnemar,
    z_of,
)
from evenhand.statistics.significance import randomization
from evenhand.tasks.registry import TASKS, models_of, name_among
from evenhand.tasks.task import Task

if TYPE_CHECKING:
    from evenhand.keywords import Keywords, MatchFunction

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
    target: float = TARGET,
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

    by         the score: any measure of the task [as in `compare`]
    delta      a true difference, in points of 100 [the observed difference]; needed for one system
    target     the power that the test should have
    alpha      level of the test; with more than two systems it is divided by the number of pairs (Holm's first step)
    size       what-if: the number of documents or sentences [the present one]; `--groups` on the command line, because
               `groups` is a keyword of `score`
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
    alpha = _checked("alpha", alpha, lambda value: 0 < value < 1, "a number between 0 and 1")
    fits = f"a number above alpha ({alpha:g}) and below 1"
    request = _PowerRequest(
        _points("delta", delta),
        _checked("power", target, lambda value: alpha < value < 1, fits),
        alpha,
        None if size is None else int(_checked("groups", size, _is_enough, f"a whole number, {FEWEST} or more")),
        _points("width", width),
        method,
        check_whole_number("simulate", simulate, 0, 100_000),
        check_whole_number("seed", seed, 0, MAX_SEED),
    )
    sides = systems_by_name(systems if other is None else [side_of(systems), side_of(other)]) or {}
    if like is not None and len(sides) != 1:
        raise SettingError("--like needs a single system; remove it, or the second system.")
    if len(sides) == 1 and delta is None:
        raise SettingError("Power of one system needs a difference: specify --delta in points, or a second system.")
    if len(sides) == 1 and simulate:
        raise SettingError("--simulate needs the outputs of two systems; remove it, or add a second system.")
    if len(sides) > 1 and worst:
        raise SettingError("--worst needs a single system; remove it, or the second system.")
    if like is not None:
        sides = systems_by_name([*sides.values(), like]) or {}
    chosen = dict[str, Any](options)
    counts = _group_counts(side_of(gold), sides, one_measure(by, chosen), of, chosen)
    if counts.groups < FEWEST:
        raise counts.too_few()
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

    def curve(self, spread: InfluenceSpread, *, is_reversed: bool = False) -> PowerCurve:
        return PowerCurve(spread, self.alpha, self.target, self.seed, self.method, is_reversed)


def _is_enough(groups: float) -> bool:
    return groups >= FEWEST and groups == int(groups)


def _checked(option: str, value: float, fits: Callable[[float], bool], expected: str) -> float:
    """A number that fits; a message names it as the command line does."""
    if not isinstance(value, Real) or isinstance(value, bool) or not isfinite(value) or not fits(float(value)):
        got = f"{value:g}" if isinstance(value, Real) and not isinstance(value, bool) else quote(value)
        raise SettingError(f"--{option}: expected {expected}, got {got}.")
    return float(value)


def _points(option: str, value: float | None) -> float | None:
    """Points of 100 as a fraction."""
    if value is None:
        return None
    return _checked(option, value, lambda points: 0 < points <= 100, "points above 0 and at most 100") / 100


@dataclass(frozen=True)
class _GroupCounts:
    """The counts of all systems in each group; groups are documents or sentences."""

    gold: GoldSummary
    task: Task
    by: str
    of: Swapped
    groups: int
    tables: GroupTables
    sentences: GroupTables | None
    """The counts by sentence, if the groups are documents that have several sentences."""
    signature: str
    disagreements: Callable[[str, str], tuple[float, int]] | None = None
    """For scores that are the share of correct units: the share that one of two systems has right, and the units."""

    @property
    def systems(self) -> list[str]:
        return list(self.tables.tables)

    def too_few(self, reason: str = "") -> SettingError:
        can_take_sentences = self.of == "documents" and not self.task.evaluation.by_document
        hint = " Use --by-sentence if sentences can be treated as independent." if can_take_sentences else ""
        number = counted(self.groups, self.of.removesuffix("s"))
        verb = "is" if self.groups == 1 else "are"
        return SettingError(f"{number} {verb} too few to estimate power{reason}.{hint}")

    def size(self, groups: int) -> TextSize:
        """A number of groups, and the proportional number of sentences, tokens and gold units."""
        gold, share = self.gold, groups / self.groups
        sentences = None if gold.sentences == self.groups else gold.sentences
        sizes = (None if size is None else round(share * size) for size in (sentences, gold.tokens, gold.units))
        return TextSize(groups, *sizes)


def _group_counts(
    gold: Input, systems: Mapping[str, Input], by: str | None, of: Resampled | None, options: dict[str, Any]
) -> _GroupCounts:
    """The counts under any measure; those that `compare` does not know are scored only."""
    content = content_for(gold, options, systems)
    task = TASKS[content.task]
    known = [*task.selection.compared, *options.get(FUNCTIONS, ())]
    resampling = ResamplingSettings(of=of).checked()
    if by is None or name_among(task.name, by, known) is not None or by in known:
        pairs = list(combinations(range(len(systems)), 2))
        return _of_comparison(ComparisonJob(gold, systems, pairs, by, resampling, options, content=content)())
    measures = [measure.name for measure in models_of(task.name)]
    if name_among(task.name, by, measures) is None:
        remedy = f"choose one of {', '.join(measures)}, whose scores are functions of summed counts"
        raise SettingError(unknown(f"by is {by!r}", by, measures, remedy))
    resampling.check(task)
    prepared = prepare(gold, systems, {**options, "match": task.selection.resolve(by, options)}, content)
    return _of_results(score_inputs(gold, systems, prepared, "finest"), task, resampling)


def _of_comparison(run: ComparedRun) -> _GroupCounts:
    """The counts under a measure of `compare`."""
    (kind, number), labels, task = run.groups, list(run.gold.labels), run.prepared.task
    by_sentence = {name: by_scorer[run.model.scorer] for name, by_scorer in run.run.tallies.items()}
    _refuse_empty(run.gold, task)

    def disagreements(before: str, after: str) -> tuple[float, int]:
        one, other = run.counts.systems.index(before), run.counts.systems.index(after)
        counts = run.counts.differences.finish()[one, other]
        return (counts.counts["new_error"] + counts.counts["correction"]) / counts.units, counts.units

    return _GroupCounts(
        *(run.gold, task, run.by, kind, number),
        GroupTables.of(run.model, run.tallies_of(run.model), number, labels),
        _sentence_tables(run.model, by_sentence, run.gold, task, kind),
        comparison_signature(run),
        disagreements if run.model.headline == "accuracy" else None,
    )


def _of_results(results: Results, task: Task, resampling: ResamplingSettings) -> _GroupCounts:
    """The counts under the first measure of results."""
    gold, first = results.gold, next(iter(results.values()))
    model = first.models[0]
    _refuse_empty(gold, task)
    for name, result in results.items():
        if model.name in result.lacking:
            raise SettingError(f"System {name} lacks the annotation that {model.name} scores. Remove it.")
    kind, number = resampling.groups(task, gold.documents, gold.sentences)
    tallies = {name: result.tallies[model.scorer] for name, result in results.items()}
    by_sentence = {name: result.sentence_tallies.get(model.scorer) for name, result in results.items()}
    known = {name: tally for name, tally in by_sentence.items() if tally is not None}
    if kind == "sentences" and len(known) == len(results):
        tallies = known
    return _GroupCounts(
        *(gold, task, model.name, kind, number),
        GroupTables.of(model, tallies, number, list(gold.labels)),
        _sentence_tables(model, known, gold, task, kind) if len(known) == len(results) else None,
        f"{results.signature}|by:{model.name}|of:{kind}",
    )


def _sentence_tables(
    model: Formula, tallies: Mapping[str, Tally], gold: GoldSummary, task: Task, kind: Swapped
) -> GroupTables | None:
    if kind == "sentences" or task.evaluation.by_document or gold.sentences == gold.documents:
        return None
    return GroupTables.of(model, tallies, gold.sentences, list(gold.labels))


def _refuse_empty(gold: GoldSummary, task: Task) -> None:
    if not gold.units:
        raise SettingError(f"The gold standard {gold.name} has no {task.unit} that counts, so power is undefined.")


def _of_pairs(counts: _GroupCounts, request: _PowerRequest) -> Power:
    """All pairs of systems; alpha is divided by the number of pairs.

    Holm's correction compares the smallest p-value with this level, and the others with higher ones. So a difference
    that reaches this level is significant whatever the other pairs show, and the power after Holm is at least this.
    """
    pairs = list(combinations(counts.systems, 2))
    request = replace(request, alpha=request.alpha / len(pairs))
    resampling = ResamplingSettings(resamples=_RESAMPLES, level=_LEVEL, seed=request.seed)
    changes = Testing(counts.tables, resampling)(pairs)
    powers = {pair: _of_pair(counts, request, pair, changes[pair].interval) for pair in pairs}
    widths = {}
    if request.width is not None:
        widths = {
            f"{one} and {two}": counts.size(groups_for_width(powers[one, two].sd, request.width)) for one, two in pairs
        }
    return _result(counts, request, pairs=powers, needed_for_width=widths)


def _of_pair(
    counts: _GroupCounts, request: _PowerRequest, pair: tuple[str, str], interval: tuple[float, float] | None
) -> PairPower:
    before, after = pair
    scores = counts.tables.score(before), counts.tables.score(after)
    observed = 0.0 if abs(scores[1] - scores[0]) <= ROUNDING else scores[1] - scores[0]
    delta = observed if request.delta is None else request.delta
    if not counts.tables.differing(before, after):
        return PairPower(before, after, scores, interval, delta, request.alpha, None, None, None, 0.0)
    curve = request.curve(counts.tables.spread(before, after), is_reversed=observed < 0)
    if not curve.spread.sd:
        raise counts.too_few(f": {before} and {after} differ alike in all of them")
    planned = request.planned or counts.groups
    power, needed = curve.power(abs(delta), planned), curve.needed(abs(delta))
    by_sentence = None if counts.sentences is None else counts.sentences.spread(before, after)
    return PairPower(
        *(before, after, scores, interval, delta, request.alpha),
        power=power,
        detectable=curve.detectable(planned),
        needed_size=None if needed is None else counts.size(needed),
        sd=curve.spread.sd,
        by_sentence=None if by_sentence is None else _by_sentence(curve, by_sentence, planned, request),
        mcnemar=_mcnemar(counts, pair, delta, planned / counts.groups, request.alpha),
        exaggeration=curve.exaggeration(abs(delta), planned) if power < 0.5 else None,
        simulated=_simulated(counts.tables, pair, delta, planned, request) if request.simulations else None,
        curve_of=curve,
    )


def _by_sentence(
    by_document: PowerCurve, sentences: InfluenceSpread, planned: int, request: _PowerRequest
) -> SentencePower:
    """What the same text could show if its sentences were independent."""
    documents = by_document.spread
    error = documents.sd**2 / documents.groups
    planned = round(planned * sentences.groups / documents.groups)
    return SentencePower(
        sd=sentences.sd,
        detectable=request.curve(sentences, is_reversed=by_document.is_reversed).detectable(planned),
        design_effect=error * sentences.groups / sentences.sd**2 if sentences.sd else None,
    )


def _mcnemar(counts: _GroupCounts, pair: tuple[str, str], delta: float, size: float, alpha: float) -> float | None:
    """The power of McNemar's test on `size` times the units, for scores that are the share of correct units."""
    if counts.disagreements is None:
        return None
    disagreement, units = counts.disagreements(*pair)
    return power_of_mcnemar(delta, disagreement, round(size * units), alpha)


def _simulated(tables: GroupTables, pair: tuple[str, str], delta: float, planned: int, request: _PowerRequest) -> float:
    """The share of significant tests on samples of groups, drawn with replacement.

    Only the observed difference can be simulated, because counts exist for no other one.
    """
    if request.delta is not None:
        raise SettingError("simulate needs the observed difference; remove delta.")
    a, b = tables.tables[pair[0]], tables.tables[pair[1]]
    samples = (
        row.astype(np.int64)
        for numbers in drawn_numbers(tables.sizes, request.simulations, request.seed, 0, planned)
        for row in numbers
    )
    tests = (
        randomization(a, b, sizes, tables.statistic, _TRIALS, (request.seed, number))
        for number, sizes in enumerate(samples)
    )
    return sum(test.p <= request.alpha for test in tests) / request.simulations


def _of_one_system(counts: _GroupCounts, request: _PowerRequest, *, worst: bool) -> Power:
    """One system and a planned one, given the correlation of their influences."""
    assert request.delta is not None
    system, *older = counts.systems
    influence = InfluenceSpread(counts.tables.influence(system), counts.tables.sizes)
    correlations = CORRELATIONS | ({0.0: "the worst case: no correlation"} if worst else {})
    if not influence.sd:
        raise counts.too_few(f": {system} is as good in all of them")
    if older:
        other = counts.tables.influence(older[0])
        spread = InfluenceSpread(other, counts.tables.sizes)
        if not spread.sd:
            raise counts.too_few(f": {older[0]} is as good in all of them")
        both = float(counts.tables.sizes @ (influence.values * other)) / (counts.groups - 1)
        is_same = not counts.tables.differing(system, older[0])
        correlations = {1.0 if is_same else both / (influence.sd * spread.sd): f"as of {older[0]}"}
    planned = request.planned or counts.groups
    rows = []
    for correlation, reason in correlations.items():
        # Only the standard deviation is known, so the formula is used.
        scaled = replace(influence, values=influence.values * sqrt(2 * (1 - correlation)))
        curve = replace(request.curve(scaled), method="formula")
        if not curve.spread.sd:
            rows.append(ExpectedPower(correlation, f"{reason}: identical outputs", None, None, None))
            continue
        reached, needed = curve.power(request.delta, planned), curve.needed(request.delta)
        needed_size = None if needed is None else counts.size(needed)
        rows.append(ExpectedPower(correlation, reason, curve.detectable(planned), reached, needed_size, curve))
    widths = {} if request.width is None else {system: counts.size(groups_for_width(influence.sd, request.width))}
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
    planned = request.planned or counts.groups
    settings = {
        "alpha": f"{request.alpha:g}",
        "power": f"{request.target:g}",
        "groups": planned,
        "method": request.method,
    }
    settings |= {"draws": DRAWS} if request.method == "drawing" else {}
    settings |= {} if request.delta is None else {"delta": f"{100 * request.delta:g}"}
    settings |= {} if request.width is None else {"width": f"{100 * request.width:g}"}
    settings |= {"simulate": request.simulations} if request.simulations else {}
    notes = []
    if request.delta is not None and request.delta <= 0.0005:
        points = f"{100 * request.delta:g}"
        notes.append(f"--delta {points} means {points} points. Did you mean --delta {float(points) * 100:g}?")
    return Power(
        gold=counts.gold,
        task=counts.task.name,
        by=counts.by,
        of=counts.of,
        groups=counts.groups,
        planned=planned,
        alpha=request.alpha,
        target=request.target,
        method=request.method,
        seed=request.seed,
        delta=request.delta,
        width=request.width,
        signature="|".join([counts.signature, *(f"{key}:{value}" for key, value in settings.items())]),
        notes=tuple(notes),
        **figures,
    )
