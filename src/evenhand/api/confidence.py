"""`confidence`: curves, thresholds and calibration of systems; `accept`: a threshold with a guarantee."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from evenhand.api.compare import MAX_SEED, one_measure
from evenhand.api.score import totals_of
from evenhand.arrays import Ints, Values
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError, counted, plural
from evenhand.parameters import check_number, check_whole_number, checked_arguments
from evenhand.pipeline.inputs import (
    Input,
    RunConfig,
    content_for,
    is_same_file,
    known_options,
    name_of,
    open_files,
    paths_of,
    prepare,
    side_of,
    systems_by_name,
)
from evenhand.pipeline.run import Job
from evenhand.results.confidence import (
    RELIABLE_FROM,
    Acceptance,
    ApDifference,
    BestThreshold,
    Calibration,
    Confidence,
    SystemConfidence,
    best_threshold,
    calibration_of,
)
from evenhand.results.result import Result, Results
from evenhand.scoring.measure import Formula, Measure
from evenhand.statistics.bootstrap import bootstrap, interval
from evenhand.statistics.calibration import mass_edges, width_edges
from evenhand.statistics.guarantees import GRID, control_missed, learn_then_test, units_needed
from evenhand.statistics.precision_recall import Answers, Changes, Curve, ap_randomization, aurc, scores_of
from evenhand.statistics.significance import holm
from evenhand.tasks.evaluation import Evaluation, check_confidences, transformed
from evenhand.tasks.registry import TASKS, model, parameters_of
from evenhand.tasks.thresholds import OVERALL, PartChanges, changes_of_rows, check_curve, threshold_changes

if TYPE_CHECKING:
    from evenhand.keywords import Keywords

LEVEL = 0.95
_CONFIDENCE = 0.9
OWN_THRESHOLD = 50
"""Number of units from which a label may have its own threshold."""
MAX_BINS = 1_000


@checked_arguments(known_options)
def confidence(
    gold: Input,
    systems: Input | Sequence[Input] | Mapping[str, Input],
    *,
    bins: int | str = 15,
    by_label: bool = False,
    threshold_from: tuple[Input, Input] | None = None,
    resamples: int = 1_000,
    trials: int = 1_000,
    seed: int = 0,
    **options: Unpack[Keywords],
) -> Confidence:
    """Precision-recall curves, thresholds, selective prediction and calibration of systems with confidences.

    bins       of calibration: a number of bins of equal mass, or "width:10" for bins of equal width
    by_label   show the figures of each label, with intervals
    threshold_from
               gold standard and system of other data, such as the development set, that chooses the threshold;
               otherwise the score at the threshold is cross-fitted
    resamples  of the bootstrap of documents, for intervals; 0 for none
    trials     of the test of each pair of systems for a difference in AP; 0 for no tests
    seed       of the random numbers

    Other keywords are as in `score`: `match` is one measure, by default exact for spans and strict for relations, and
    `beta` is the weight of recall in F-beta, which chooses the threshold. Returns a `Confidence` with `curve`, `ap`,
    `reach`, `best(beta)`, `recall_at(precision=0.95)`, `aurc`, `calibration` and `labels` of the system, or of each:
    `confidence["crf"]`.
    """
    chosen = dict[str, Any](options)
    beta = check_number("beta", chosen.get("beta", 1.0), lambda value: value > 0, "a number above 0")
    resamples = check_whole_number("resamples", resamples, 0, 100_000)
    trials = check_whole_number("trials", trials, 0, 100_000)
    seed, kind_of_bins = check_whole_number("seed", seed, 0, MAX_SEED), _Bins.of(bins)
    sides = systems_by_name(systems) or {}
    if not sides:
        raise SettingError("Nothing to score: give at least one system.")
    measured = _measured(side_of(gold), sides, chosen, by_label=by_label)
    chosen_on: _Units | None = None
    if threshold_from is not None:
        if len(sides) != 1:
            raise SettingError("threshold_from needs a single system; remove it, or pass only one system.")
        other_gold, other_system = map(side_of, threshold_from)
        (name,) = sides
        chosen_on = replace(_measured(other_gold, {name: other_system}, chosen).units[name], name=name_of(other_system))
        if best_threshold(chosen_on.changes.curve(), beta).threshold is None:
            raise SettingError(f"No threshold can be chosen on {chosen_on.name}: {_why_constant(chosen_on.score)}.")
    request, figures, notes = _Request(beta, kind_of_bins, resamples, seed, chosen_on), {}, list(measured.results.notes)
    for name, units in measured.units.items():
        figures[name] = system = _system(measured, units, request, by_label=by_label)
        notes += [f"system {name}: {note}" if len(sides) > 1 else note for note in _notes(measured, units, system)]
    if measured.groups < RELIABLE_FROM and resamples and any(one.best_threshold.interval for one in figures.values()):
        notes.append(f"Too few {measured.of} for a reliable interval.")
    changes = {name: units.changes for name, units in measured.units.items()}
    differences = _differences(changes, trials, seed) if trials and measured.groups > 1 else ()
    tests = f"|trials:{trials}" if len(sides) > 1 else ""
    settings = f"bins:{bins}|bs:{resamples}{tests}|seed:{seed}"
    if chosen_on is not None:
        settings += f"|threshold-from:{chosen_on.name}"
    return Confidence(
        gold=measured.results.gold,
        task=measured.prepared.task.name,
        unit=measured.prepared.task.unit_of(measured.measure.name),
        match=measured.measure.name,
        of=measured.of,
        groups=measured.groups,
        systems=figures,
        signature=f"{measured.results.signature}|{settings}",
        notes=tuple(notes),
        by_label=bool(by_label),
        differences=differences,
    )


def _differences(changes: Mapping[str, Changes], trials: int, seed: int) -> tuple[ApDifference, ...]:
    """The tested differences in AP of all pairs of systems."""
    pairs = list(combinations(changes, 2))
    tests = [ap_randomization(changes[first], changes[second], trials, seed) for first, second in pairs]
    corrected = holm([p for _, p in tests])
    return tuple(
        ApDifference(*pair, difference, p, p_holm)
        for pair, (difference, p), p_holm in zip(pairs, tests, corrected, strict=True)
    )


@checked_arguments(known_options)
def accept(
    gold: Input,
    system: Input | Mapping[str, Input],
    *,
    risk: float | None = None,
    miss: float | None = None,
    confidence: float = _CONFIDENCE,
    independent: bool = False,
    thresholds_from: Input | None = None,
    **options: Unpack[Keywords],
) -> Acceptance:
    """Find a threshold with a guarantee: `accept(gold, system, risk=0.01)` or `accept(gold, system, miss=0.1)`.

    risk         at most this share of the accepted units is wrong
    miss         at most this share of a document's gold units is missed, in expectation
    confidence   with which `risk` holds [0.9]
    independent  treat units as independent, without the design effect of documents
    thresholds_from
                 confidences outside [0, 1]: another file of the system, whose quantiles are the thresholds

    Other keywords are as in `score`. Units are matched exactly, unless a measure is named with `match`.
    """
    if (risk is None) == (miss is None):
        raise SettingError("Specify either risk or miss, such as risk=0.01.")
    level = check_number("risk" if miss is None else "miss", risk if miss is None else miss, _is_share, _SHARE)
    confidence = check_number("confidence", confidence, _is_share, _SHARE)
    sides = systems_by_name(system) or {}
    if len(sides) != 1:
        raise SettingError(f"accept needs a single system, got {len(sides)}.")
    (name,), chosen = sides, dict[str, Any](options)
    if chosen.get("min_score"):
        raise SettingError("accept finds the lowest score of accepted units; remove min_score.")
    if miss is not None and (independent or confidence != _CONFIDENCE):
        other = "independent" if independent else "confidence"
        raise SettingError(f"{other} is for risk; the guarantee of miss needs exchangeable documents only.")
    if thresholds_from is not None and is_same_file(side_of(thresholds_from), sides[name]):
        raise SettingError(
            "thresholds_from is the system itself; use other output, because thresholds must not depend on it."
        )
    measured = _measured(side_of(gold), sides, chosen)
    answers = measured.units[name].answers
    if answers is None:
        raise SettingError(f"{measured.measure.name} does not count units with confidences; remove match.")
    grid = _grid(measured, answers, thresholds_from, chosen)
    task, common = measured.prepared.task, dict[str, Any](units=len(answers), documents=measured.groups)
    notes = list(measured.results.notes)
    if miss is None:
        delta = round(1 - confidence, 12)
        tested = learn_then_test(
            *(answers.score, answers.hit, answers.group, answers.groups, level, delta),
            independent=independent,
            grid=grid,
        )
        common |= {"threshold": tested.threshold, "accepted": tested.accepted, "wrong": tested.wrong, "missed": None}
        common |= {"design_effect": tested.design_effect, "needed": units_needed(level, delta)}
    elif not measured.measure.scorer.is_independent:
        raise SettingError(f"miss needs exact match, and {task.name} have {measured.measure.name}; use risk.")
    else:
        hits = answers.take(answers.hit)
        expected = measured.units[name].changes.base[:, 2]
        threshold, missed = control_missed(hits.score, hits.group, expected, level, grid)
        accepted = 0 if threshold is None else int(np.count_nonzero(answers.score >= threshold))
        common |= {"threshold": threshold, "accepted": accepted, "wrong": None, "missed": missed}
        common |= {"design_effect": None, "needed": None}
    kind = "risk" if miss is None else "miss"
    settings = f"{kind}:{level:g}" + (f"|confidence:{confidence:g}" if miss is None else "")
    settings += "|independent:yes" if independent else ""
    settings += "" if thresholds_from is None else f"|thresholds-from:{name_of(side_of(thresholds_from))}"
    return Acceptance(
        gold=measured.results.gold,
        task=task.name,
        unit=task.unit_of(measured.measure.name),
        system=name,
        of=measured.of,
        kind=kind,
        level=level,
        confidence=confidence,
        independent=bool(independent),
        signature=f"{measured.results.signature}|{settings}",
        notes=tuple(notes),
        **common,
    )


_SHARE = "a number between 0 and 1"


def _is_share(value: float) -> bool:
    return 0 < value < 1


def _grid(measured: _Measured, answers: Answers, other: Input | None, options: Mapping[str, Any]) -> Values:
    """The thresholds to test, which must not depend on the data."""
    if other is not None:
        return np.unique(np.quantile(_scores_of(other, measured, options), GRID))[::-1]
    if len(answers) and not (answers.score.min() >= 0 and answers.score.max() <= 1):
        found = f"Scores range from {answers.score.min():.4g} to {answers.score.max():.4g}"
        raise SettingError(
            f"{found}, so thresholds from 1.00 to 0.00 do not fit. Use --score-transform, or "
            "specify other data of the system with --thresholds-from."
        )
    return GRID


def _scores_of(side: Input, measured: _Measured, options: Mapping[str, Any]) -> Values:
    """The confidences of another file of a system, read as the system is."""
    side = side_of(side)
    settings = prepare(side, {}, {**options, "match": measured.measure.name}, content_for(side, options))
    reads = replace(settings.read_as["system"], needs_scores=True)
    batches = [side] if isinstance(side, Annotation) else open_files(side, reads).batches(Vocabulary())
    scores = [getattr(layer, "score", None) for batch in batches for layer in batch.layers.values()]
    score: Values = np.concatenate([np.zeros(0), *(own for own in scores if own is not None)])
    score = transformed(score[~np.isnan(score)], options.get("score_transform"))
    if not len(score):
        raise InputError(name_of(side), None, "no unit has a score", "Specify the score field with --score")
    return score


@dataclass(frozen=True)
class _Bins:
    number: int
    of_width: bool

    @staticmethod
    def of(bins: int | str) -> _Bins:
        text = str(bins)
        of_width = text.startswith("width:")
        number = text.removeprefix("width:")
        if not number.isdecimal() or not 2 <= int(number) <= MAX_BINS:
            raise SettingError(f"bins is {bins!r}; expected a number from 2 to {MAX_BINS:,}, or width:NUMBER.")
        return _Bins(int(number), of_width)

    def edges(self, score: Values) -> Values:
        return width_edges(self.number) if self.of_width else mass_edges(score, self.number)


@dataclass(frozen=True)
class _Units:
    """The units of a system, or of a label of it, and the changes of their counts."""

    name: str
    changes: Changes
    score: Values
    answers: Answers | None
    labels: Mapping[str, _Units]


@dataclass(frozen=True)
class _Measured:
    """The units of all systems."""

    prepared: RunConfig
    measure: Measure
    results: Results
    of: str
    groups: int
    units: Mapping[str, _Units]


def _measured(
    gold: Input,
    systems: Mapping[str, Input],
    options: Mapping[str, Any],
    *,
    by_label: bool = False,
) -> _Measured:
    """Read and match all systems; the counts of labels are kept by group if they are needed `by_label`."""
    options = dict(options)
    content = content_for(gold, options, systems)
    task = TASKS[content.task]
    if "min_score" not in {parameter.name for parameter in parameters_of(task.name)}:
        raise SettingError(f"Units of {task.name} have no confidences.")
    by = one_measure(None, options) or task.measures[0].name
    prepared = prepare(gold, systems, {**options, "match": (by,)}, content)
    if len(prepared.settings.match) != 1:
        raise SettingError(f"{by} is ambiguous; choose one of {', '.join(prepared.settings.match)}.")
    measure = model(task.name, prepared.settings.match[0])
    (formula,) = prepared.models
    check_curve(measure, formula, prepared.settings)
    read_as = {
        side: settings if side == "gold" else replace(settings, needs_scores=True)
        for side, settings in prepared.read_as.items()
    }
    prepared = replace(prepared, read_as=read_as)
    vocabulary = Vocabulary()
    collected = _Collected(measure, formula, vocabulary.labels)
    job = Job(gold, systems, prepared, prepared.settings.match, "finest")
    run = job.run([collected], vocabulary)
    for system, other in systems.items():
        paths = paths_of([other])
        source = str(paths[0]) if paths else system
        check_confidences(source, system, run.systems, prepared.settings, are_needed=True)
    document_of = np.concatenate(run.document_of) if run.document_of and run.documents > 1 else None
    kind = run.kept_apart("finest")
    run.settle_groups("finest")
    groups = run.documents if kind == "document" else run.sentences
    labels = list(vocabulary.labels.values)
    units = {
        system: _units(system, parts, document_of, groups, labels, keeps_groups=by_label)
        for system, parts in collected.parts.items()
    }
    results = without_hints(totals_of(name_of(gold), run, prepared))
    if not results.gold.units:
        unit = task.unit_of(measure.name)
        finding = f"the gold standard has no {unit} that counts, so recall is undefined"
        raise InputError(results.gold.name, None, finding, f"use a gold standard with {plural(unit)}")
    return _Measured(prepared, measure, results, plural(kind), groups, units)


def without_hints(results: Results) -> Results:
    """The results without notes that confidences are not used."""

    def used(result: Result) -> Result:
        notes = tuple(note for note in result.notes if "has scores, which are not used" not in note)
        return replace(result, notes=notes)

    return Results({name: used(result) for name, result in results.items()})


class _Collected:
    """Collects the changes of all parts: an observer of evaluations."""

    def __init__(self, measure: Measure, formula: Formula, labels: StringIndex[str]) -> None:
        self._measure, self._formula, self._labels = measure, formula, labels
        self.parts: dict[str, list[PartChanges]] = {}

    def __call__(self, evaluation: Evaluation) -> None:
        for system in evaluation.tallies:
            pair, labels = evaluation.pairs[system], self._labels.values
            if self._measure.scorer.count is None:
                rows = evaluation.unit_rows(system, self._measure, self._formula)
                part = changes_of_rows(rows, evaluation.groups, labels)
            else:
                part = threshold_changes(pair, self._measure, self._formula, labels)
            self.parts.setdefault(system, []).append(part)


def _finite(score: Values) -> Values:
    """Confidences in which plus and minus infinity (`--missing-score`) are the highest and the lowest one."""
    finite = score[np.isfinite(score)]
    return np.clip(score, finite.min(), finite.max()) if len(finite) else score


def _units(
    name: str,
    parts: Sequence[PartChanges],
    document_of: Ints | None,
    groups: int,
    labels: Sequence[str],
    *,
    keeps_groups: bool,
) -> _Units:
    """The units of all parts, overall and by label. Labels have one group unless their groups are kept."""

    def column(field: str) -> Any:
        values = np.concatenate([getattr(part, field) for part in parts])
        return document_of[values] if field.endswith("group") and document_of is not None else values

    event = [_finite(column("score")), column("group"), column("change")]
    base = [column("base_group"), column("base")]
    events, bases = (_by_label(column(field), len(labels)) for field in ("label", "base_label"))

    def changes_of(code: int, groups: int) -> Changes:
        score, group, change = (values[events[code]] for values in event)
        base_group, counts = (values[bases[code]] for values in base)
        group, base_group = (np.minimum(numbers, groups - 1) for numbers in (group, base_group))
        table = [np.bincount(base_group, counted, minlength=groups) for counted in counts.T]
        return Changes.of(score, group, change, np.stack(table, axis=-1))

    score, label, answers = _finite(column("unit_score")), column("unit_label"), None
    if all(part.hit is not None for part in parts):
        answers = Answers(score, column("hit"), column("unit_group"), groups)
    of_label, rows = {}, _by_label(label, len(labels))
    for code, text in enumerate(labels):
        if len(events[code]) or len(bases[code]):
            own = None if answers is None else answers.take(rows[code])
            changes = changes_of(code, groups if keeps_groups else 1)
            of_label[text] = _Units(text, changes, score[rows[code]], own, {})
    return _Units(name, changes_of(OVERALL, groups), score, answers, of_label)


def _by_label(label: Ints, labels: int) -> dict[int, Ints]:
    """The rows of each label, and of all together."""
    order = np.argsort(label, kind="stable")
    edges = np.searchsorted(label[order], np.arange(OVERALL, labels + 1))
    return {code: order[edges[code - OVERALL] : edges[code - OVERALL + 1]] for code in range(OVERALL, labels)}


@dataclass(frozen=True)
class _Request:
    """What is asked of the figures of each system."""

    beta: float
    bins: _Bins
    resamples: int
    seed: int
    chosen_on: _Units | None
    """The other data that chooses the threshold."""


def _system(measured: _Measured, units: _Units, request: _Request, *, by_label: bool) -> SystemConfidence:
    """The figures of a system and its labels."""
    other, reason = request.chosen_on, _why_uncalibrated(measured, units)
    common = None if other is None else best_threshold(other.changes.curve(), request.beta).threshold
    of_label = request if by_label else replace(request, resamples=0)
    labels = {}
    for name, own in sorted(units.labels.items()):
        choosing = own if other is None else other.labels.get(name)
        is_small = choosing is None or len(choosing.score) < OWN_THRESHOLD
        threshold = common
        if other is not None and choosing is not None and not is_small:
            threshold = best_threshold(choosing.changes.curve(), request.beta).threshold
        labels[name] = replace(_figures(own, of_label, reason, threshold), shares_threshold=is_small)
    of_gold = [labels[label].ap for label in measured.results.gold.labels if label in labels]
    macro_ap = float(np.mean(of_gold)) if of_gold else None
    return replace(_figures(units, request, reason, common), labels=labels, macro_ap=macro_ap)


def _figures(units: _Units, request: _Request, reason: str | None, threshold: float | None) -> SystemConfidence:
    """The figures of some units, with `threshold` if other data has chosen one."""
    changes, answers, score = units.changes, units.answers, units.score
    curve = changes.curve()
    area = excess = calibration = edges = None
    if answers is not None and len(answers):
        area, excess = aurc(answers.score, answers.hit)
        if reason is None:
            edges = request.bins.edges(score)
            calibration = _calibration(answers, edges, request.resamples, request.seed)
    return SystemConfidence(
        name=units.name,
        beta=request.beta,
        units=len(score),
        scores=(float(score.min()), float(score.max())) if len(score) else None,
        curve=curve,
        ap=curve.ap,
        best_threshold=_best(changes, curve, request, threshold),
        aurc=area,
        eaurc=excess,
        calibration=calibration,
        uncalibrated=reason if reason is not None or len(score) else "there are no units",
        changes=changes,
        answers=answers,
        edges=edges,
    )


def _notes(measured: _Measured, units: _Units, system: SystemConfidence) -> Iterator[str]:
    """Notes on the figures of a system."""
    scores, best, beta = units.score, system.best_threshold, system.beta
    if not len(scores):
        return
    if best.threshold is None:
        yield f"No threshold: {_why_constant(scores)}."
    elif best.cross_fitted is not None:
        what = "F1" if beta == 1 else f"F{beta:g}"
        yield (
            f"Threshold {best.threshold:.3g} was chosen on the test data: {what} is {100 * best.f:.2f} there, "
            f"{100 * best.cross_fitted:.2f} cross-fitted."
        )
    values, number = np.unique(scores, return_counts=True)
    if len(values) > 1 < number.max() and 2 * number.max() >= len(scores):
        tied = f"{int(number.max()):,} of {counted(len(scores), 'unit')} have the score {values[number.argmax()]:g}"
        yield f"{tied}; they enter the curve together."
    if system.uncalibrated is not None:
        yield f"No calibration: {system.uncalibrated}."
        if scores.min() >= 0 and 1 < scores.max() <= 100:
            yield "All scores are from 0 to 100; use --score-transform percent if they are percentages."
    elif system.calibration is not None:
        measure = measured.measure
        is_exact = measure.scorer.is_independent or measure.scorer.count is None
        hits = "" if is_exact else f" Hits are the units that {measure.name} counts as fully correct."
        yield f"Calibration does not include recall.{hits}"


def _best(changes: Changes, curve: Curve, request: _Request, threshold: float | None) -> BestThreshold:
    """The best threshold with the interval of its cross-fitted score, or the score at a threshold of other data."""
    groups, beta = len(changes.base), request.beta
    if threshold is None:
        best = best_threshold(curve, beta, changes)
        if best.cross_fitted is None or not request.resamples:
            return best
        table, _ = changes.cross_fitted(beta)
    else:
        figures = scores_of(curve.counts_at(threshold), beta)
        point = (float(figures.precision), float(figures.recall), float(figures.f_beta))
        best = BestThreshold(
            beta, threshold, *point, chosen_on=None if request.chosen_on is None else request.chosen_on.name
        )
        if groups < 2 or not request.resamples:
            return best
        table = changes.at(np.full(groups, threshold))
    sums = bootstrap(table, np.ones(groups, dtype=np.int64), request.resamples, request.seed)
    return replace(best, interval=interval(scores_of(sums, beta).f_beta, LEVEL))


def _calibration(answers: Answers, edges: Values, resamples: int, seed: int) -> Calibration:
    calibration, binned = calibration_of(answers, edges)
    if answers.groups < 2 or not resamples:
        return calibration
    sums = bootstrap(binned.table, np.ones(answers.groups, dtype=np.int64), resamples, seed)
    used = np.flatnonzero(binned.sums()[: binned.bins])
    hits = sums[:, 2 * binned.bins + used] / np.maximum(sums[:, used], 1)
    of_bins = [interval(column, LEVEL) for column in hits.T]
    return replace(calibration, ece_interval=interval(binned.figures(sums).ece, LEVEL), bin_intervals=of_bins)


def _why_uncalibrated(measured: _Measured, units: _Units) -> str | None:
    scores = units.score
    if not len(scores):
        return "the system has no units"
    if units.answers is None:
        return f"{measured.measure.name} does not count the units that have scores"
    if scores.min() < 0 or scores.max() > 1:
        found = f"scores range from {scores.min():.4g} to {scores.max():.4g} and are not probabilities"
        return f"{found}; use --score-transform logistic for logits, percent for 0 to 100"
    return None


def _why_constant(scores: Values) -> str:
    return f"all scores are {scores[0]:g}" if len(scores) else "the system has no units"
