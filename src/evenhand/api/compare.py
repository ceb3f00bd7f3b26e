"""`compare`: differences between systems, with tests, intervals, oracle, agreement and slices.

A `ComparisonJob` evaluates the files in one pass, and returns the counts as a `ComparedRun`. `comparison` makes the
result of them; `Testing` has the tests and intervals. The function `compare` is at the end of this module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property, cmp_to_key, partial
from itertools import combinations, pairwise
from math import isnan, nan
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast, get_args

import numpy as np

from evenhand.api.score import lacking_layers, skipping_broken
from evenhand.api.slices import SliceOptions, TrainingFiles, counts_of_slices
from evenhand.arrays import Ints, Values, is_ones
from evenhand.comparison.causes import AttributeCollector, AttributedUnits, UnitSide
from evenhand.comparison.counts import ComparisonCounts, Extras, GroupTables
from evenhand.comparison.differences import CodedTransition
from evenhand.comparison.ranking import Detectable
from evenhand.comparison.slices import SliceCounts, SliceRequest, Slices, notes_on_metadata
from evenhand.comparison.units import ChosenUnits, Unit, UnitSearch
from evenhand.comparison.units import Collection as UnitCollection
from evenhand.data.annotation import ReadInfo, extra_layer
from evenhand.data.vocabulary import Vocabulary, list_names
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, plural, unknown
from evenhand.parameters import (
    FUNCTIONS,
    TRAIN,
    check_choice,
    check_number,
    check_whole_number,
    checked_arguments,
    quote,
    split_names,
)
from evenhand.pipeline.inputs import (
    Input,
    RunConfig,
    Side,
    content_for,
    known_options,
    name_of,
    prepare,
    side_of,
    systems_by_name,
)
from evenhand.pipeline.run import Job, Observer, Run
from evenhand.results.comparison import (
    Comparison,
    Differences,
    OracleResult,
    Pair,
    ResamplingInfo,
    ScoreChange,
    Significance,
    Slice,
    Transition,
)
from evenhand.results.result import GoldSummary
from evenhand.results.signature import (
    ALPHA,
    joint_signature,
    notes_on_comparison,
    notes_on_confidences,
    notes_on_gold,
    notes_on_settings,
    notes_on_skipped,
    nothing_to_resample,
    signature,
)
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import headline, headline_of, score_tally
from evenhand.scoring.tally import Tally
from evenhand.settings import Resampled, Swapped
from evenhand.statistics.bootstrap import ROUNDING, bca, bootstrap, interval, jackknife, table_types
from evenhand.statistics.significance import holm, least_p, mcnemar, randomization, trials_for
from evenhand.tasks.evaluation import Evaluation, SideSummary, SwappableGroups
from evenhand.tasks.registry import TASKS, all_parameters, check_functions, model, name_among
from evenhand.tasks.task import GoldProfile, Task

if TYPE_CHECKING:
    from evenhand.keywords import Keywords, MatchFunction
    from evenhand.statistics.power import PowerCurve

_CAN_SWAP = "--of groups tests within the document, which says nothing about other documents."
MAX_TRIALS = 10_000_000
MAX_RESAMPLES = 1_000_000
"""The maximum number of resamples; all of their scores are in memory, for each system."""
MAX_SEED = 2**128 - 1
MAX_DEFAULT_TRIALS = 100_000
"""Maximum number of trials by default; 1,250 pairs then take about a minute."""
NOT_COMPARED = ("match", "groups", "jobs", "engine")
"""Keywords of `score` that do nothing in a comparison."""


@dataclass(frozen=True)
class ResamplingSettings:
    """Settings of tests and intervals."""

    trials: int = 0
    resamples: int = 0
    interval: str = "percentile"
    level: float = 0.95
    seed: int = 0
    of: Resampled | None = None
    """What is resampled: documents or sentences. None: decided by their numbers (see `groups`)."""

    def checked(self) -> ResamplingSettings:
        """Return these settings; values out of range are an error."""
        check_choice("of", self.of, get_args(Resampled), optional=True)
        if self.interval not in ("percentile", "bca"):
            raise SettingError(f"interval is {quote(self.interval)}; choose percentile or bca.")
        return replace(
            self,
            trials=check_whole_number("trials", self.trials, 0, MAX_TRIALS),
            resamples=check_whole_number("resamples", self.resamples, 0, MAX_RESAMPLES),
            level=check_number("level", self.level, lambda value: 0 < value < 1, "a number between 0 and 1"),
            seed=check_whole_number("seed", self.seed, 0, MAX_SEED),
        )

    def check(self, task: Task) -> None:
        """Refuse to resample sentences if scores of a task are not sums over them, before files are read."""
        if task.evaluation.by_document and self.of == "sentences":
            raise SettingError(f"Scores of {task.name} are not sums over sentences; resample documents.")

    @property
    def is_requested(self) -> bool:
        """Whether there are tests or intervals."""
        return bool(self.trials or self.resamples)

    def without(self) -> ResamplingSettings:
        """The same settings, but without tests and intervals."""
        return replace(self, trials=0, resamples=0)

    def may_take_sentences(self, task: Task, of: Swapped, documents: int, sentences: int) -> bool:
        """Whether tests may resample sentences if there are too few documents; `of` is what they resample so far.

        They may if the user does not specify what is resampled, scores are sums over sentences, and there are more
        sentences than documents.
        """
        is_undecided = self.of is None and of == "documents" and not task.evaluation.by_document
        return is_undecided and bool(self.trials) and sentences > documents

    def groups(self, task: Task, documents: int, sentences: int) -> tuple[Resampled, int]:
        """What is resampled, and its number.

        By default, documents or, if there is only one document, sentences. Always documents if counts do not add up
        over sentences. `ComparedRun.settled` checks whether the documents are enough for a test.
        """
        if self.of == "documents" and documents < 2:
            remedy = "remove it" if task.evaluation.by_document else "resample sentences"
            raise SettingError(f"of is 'documents', but the gold standard has only one document; {remedy}.")
        of = self.of or ("documents" if documents > 1 or task.evaluation.by_document else "sentences")
        return of, documents if of == "documents" else sentences


def default_trials(pairs: int) -> int:
    """The default number of trials of each of `pairs` tests."""
    return min(trials_for(pairs), MAX_DEFAULT_TRIALS)


def too_few(tables: GroupTables, pairs: Sequence[tuple[str, str]], alpha: float) -> int | None:
    """Return None if there are enough groups for a p-value below alpha, or if no two systems have different scores.

    Otherwise return the largest number of groups in which the systems of a pair differ. Two systems that differ in n
    groups have p >= 2 / 2ⁿ, which Holm's correction multiplies by the number of pairs. Pairs with equal scores are left
    out: no test could distinguish them.
    """
    scores = {name: tables.score(name) for name in tables.tables}
    maximum = 0
    for one, other in pairs:
        if abs(scores[one] - scores[other]) > ROUNDING:
            maximum = max(maximum, tables.differing(one, other))
            if len(pairs) * least_p(maximum) < alpha:
                return None
    return maximum or None


class Testing:
    """Tests and intervals of the differences between systems under one score.

    Systems are ordered by their scores, the lowest first. So the draws do not depend on the order in which a user names
    systems. A pair from the higher to the lower score has the mirrored interval of the reversed pair.
    """

    def __init__(self, counts: GroupTables, resampling: ResamplingSettings) -> None:
        self._resampling = resampling
        self._statistic = counts.statistic
        self._columns = counts.columns
        self._sizes = counts.sizes
        """How many groups each row of the tables represents."""
        self._scores = {name: counts.score(name) for name in counts.tables}
        order = sorted(counts.tables, key=cmp_to_key(partial(self._compare, counts.tables)))
        self._tables = {name: counts.tables[name] for name in order}
        self._position = {name: position for position, name in enumerate(order)}

    def _compare(self, tables: Mapping[str, Values], one: str, other: str) -> int:
        """Compare two systems by their scores or, if these are equal, by the first count that differs."""
        difference = self._scores[one] - self._scores[other]
        if difference == 0:
            cells = np.flatnonzero(tables[one] != tables[other])
            difference = float(tables[one].flat[cells[0]] - tables[other].flat[cells[0]]) if len(cells) else 0.0
        return int(difference > 0) - int(difference < 0)

    @cached_property
    def _types(self) -> tuple[dict[str, Values], Ints]:
        """The counts of each system by type of group, and the number of groups of each type (see `bootstrap`)."""
        first, type_of = table_types(list(self._tables.values()))
        rows = {name: table[first] for name, table in self._tables.items()}
        if is_ones(self._sizes):
            return rows, np.bincount(type_of)
        return rows, np.bincount(type_of, self._sizes).astype(np.int64)

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], ScoreChange]:
        """The difference of each pair with its test, corrected for the number of pairs, and its interval."""
        tests = {pair: self._significance(*pair) for pair in pairs} if self._resampling.trials else {}
        corrected = dict(zip(tests, holm([test.p for test in tests.values()]), strict=True))
        samples = self._samples()
        changes = {}
        for before, after in pairs:
            delta = self._scores[after] - self._scores[before]
            test = tests.get((before, after))
            changes[before, after] = ScoreChange(
                delta,
                None if test is None else replace(test, p_holm=corrected[before, after]),
                self._interval(before, after, delta, samples) if samples else None,
            )
        return changes

    def _significance(self, before: str, after: str) -> Significance:
        """The test of a pair; its p-value is not corrected yet."""
        rows, sizes = self._types
        trials, seed = self._resampling.trials, self._resampling.seed
        test = randomization(rows[before], rows[after], sizes, self._statistic, trials, seed)
        name = "permutation" if test.exact else "approximate-randomization"
        return Significance(name, test.p, test.p, test.trials, seed, test.groups, test.least, test.exact)

    def _samples(self) -> dict[str, Values]:
        """By system: its scores in the resamples, which all systems share. Empty without intervals."""
        resamples, seed = self._resampling.resamples, self._resampling.seed
        if not resamples or int(self._sizes.sum()) < 2:
            return {}
        rows, sizes = self._types
        sums = bootstrap(np.concatenate(list(rows.values()), axis=1), sizes, resamples, seed)
        return {
            name: self._statistic(sums[:, number * self._columns : (number + 1) * self._columns])
            for number, name in enumerate(self._tables)
        }

    def _interval(self, before: str, after: str, delta: float, samples: Mapping[str, Values]) -> tuple[float, float]:
        """The interval of the difference of a pair."""
        if self._position[before] > self._position[after]:
            low, high = self._interval(after, before, -delta, samples)
            return 0.0 - high, 0.0 - low
        values = samples[after] - samples[before]
        level = self._resampling.level
        if self._resampling.interval == "percentile":
            return interval(values, level)
        both = np.concatenate((self._tables[before], self._tables[after]), axis=1)

        def difference(sums: Values) -> Values:
            of_before, of_after = sums[..., : self._columns], sums[..., self._columns :]
            return self._statistic(of_after) - self._statistic(of_before)

        return bca(values, delta, jackknife(both, self._sizes, difference), self._sizes, level)


def detectable_of(
    tables: GroupTables, pair: tuple[str, str], delta: float, pairs: int, alpha: float, seed: int
) -> Detectable | None:
    """What the groups can show of two systems, in the direction of their difference; None if all counts are equal.

    The level of the test is divided by the number of pairs, the first step of Holm's correction.
    """
    from evenhand.statistics.power import ROUGH_BELOW, TARGET  # loaded if it is needed

    if not tables.differing(*pair):
        return None
    level, groups = alpha / pairs, tables.groups
    curve = curve_of(tables, pair, delta, level, seed)
    if curve is None:
        return Detectable(None, TARGET, level, groups, "refused")
    return Detectable(curve.detectable(groups), TARGET, level, groups, "rough" if groups < ROUGH_BELOW else "drawn")


def curve_of(tables: GroupTables, pair: tuple[str, str], delta: float, alpha: float, seed: int) -> PowerCurve | None:
    """The power of the test of a pair; None with too few groups, or if the systems differ alike in all of them."""
    from evenhand.statistics.power import FEWEST, PowerCurve

    spread = tables.spread(*pair) if tables.groups >= FEWEST else None
    return PowerCurve(spread, alpha, seed=seed, is_reversed=delta < -ROUNDING) if spread and spread.sd else None


def with_detectable(
    changes: Mapping[tuple[str, str], ScoreChange], tables: GroupTables, alpha: float, seed: int
) -> dict[tuple[str, str], ScoreChange]:
    """The changes, with what the test set can show where a difference is not significant."""
    return {
        pair: replace(change, detectable=detectable_of(tables, pair, change.delta, len(changes), alpha, seed))
        if change.significance is not None and change.significance.p_holm >= alpha
        else change
        for pair, change in changes.items()
    }


@dataclass(frozen=True)
class ComparedRun:
    """The counts of an evaluation, and the counts of the comparison of its systems."""

    gold_name: str
    run: Run
    counts: ComparisonCounts
    prepared: RunConfig
    resampling: ResamplingSettings
    few_documents: int | None = None
    """The largest number of documents in which two systems differ, if sentences are resampled because it is too low."""
    slice_counts: SliceCounts | None = None
    """The counts of the slices of scores (for a report)."""
    within: Mapping[tuple[str, str], SwappableGroups] | None = None
    """By pair, the groups that tests swap within the only document, if the user chooses these."""
    scored: RunConfig | None = None
    """The settings of scores, with those of training data (for a report)."""

    @property
    def by(self) -> str:
        """The name of the measure that systems are compared by."""
        return self.counts.by

    @cached_property
    def units(self) -> AttributedUnits:
        """The units with their attributes, if a side was requested for a search of slices."""
        assert self.counts.extras.attributes is not None
        return self.counts.extras.attributes.finish()

    @cached_property
    def model(self) -> Formula:
        return model(self.prepared.settings.task, self.by).prepare(self.prepared.settings)

    @cached_property
    def further(self) -> list[Formula]:
        """All measures whose differences are tested, if there are several.

        The counterpart of the compared measure is left out if no system's score differs between the two.
        """
        counterpart = model(self.prepared.settings.task, self.by).counterpart
        models = [measure for measure in self.prepared.models if measure.name != counterpart or self._differs(measure)]
        return models if len(models) > 1 else []

    def _differs(self, other: Formula) -> bool:
        """Whether any system has another score under this measure than under the compared one."""
        labels = list(self.gold.labels)
        scores = (
            [headline(measure, tallies[measure.scorer], labels) for measure in (self.model, other)]
            for tallies in self.run.tallies.values()
        )
        return any(one != two and not (isnan(one) and isnan(two)) for one, two in scores)

    @cached_property
    def gold(self) -> GoldSummary:
        """Sizes and label counts of the gold standard, in the units of the compared measure."""
        side = self.counts.gold_count if self.by in self.prepared.task.other_units else None
        return self.run.figures(self.gold_name, side)

    def tallies_of(self, model: Formula) -> dict[str, Tally]:
        """By system: its tally for a measure, by the groups that are resampled."""
        return {name: tallies[model.scorer] for name, tallies in self._tallies.items()}

    @cached_property
    def _tallies(self) -> dict[str, dict[str, Tally]]:
        tallies = self.run.tallies
        return self.run.by_document(tallies) if self.groups[0] == "documents" else tallies

    @cached_property
    def groups(self) -> tuple[Swapped, int]:
        """What is resampled, and its number."""
        if self.within is not None:
            return "groups", max(of_pair.groups for of_pair in self.within.values())
        return self.resampling.groups(self.prepared.task, *self._sizes)

    @property
    def _sizes(self) -> tuple[int, int]:
        return self.run.documents, self.run.sentences

    @property
    def has_groups(self) -> bool:
        """Whether resampling is possible: there are several groups, and at least one gold unit."""
        return self.groups[1] > 1 and bool(self.gold.units)

    def settled(self, pairs: Sequence[tuple[int, int]], alpha: float) -> ComparedRun:
        """The same run with the final choice of what is resampled.

        Nothing is resampled if there is only one group, or no gold unit. Sentences are resampled instead of documents
        if these are too few for any p-value below alpha.
        """
        if not self.has_groups:
            return replace(self, resampling=self.resampling.without())
        if self.within is None and self.resampling.may_take_sentences(self.prepared.task, self.groups[0], *self._sizes):
            tables = GroupTables.of(self.model, self.tallies_of(self.model), self.groups[1])
            names = self.counts.systems
            few_documents = too_few(tables, [(names[one], names[other]) for one, other in pairs], alpha)
            if few_documents is not None:
                by_sentence = replace(self.resampling, of="sentences")
                return replace(self, resampling=by_sentence, few_documents=few_documents)
        return self


def compared_by(task: Task, by: str | None, options: Mapping[str, Any]) -> str:
    """The name of the measure to compare by: the named one, or the first one of the task."""
    if by is not None and by in options.get(FUNCTIONS, ()):
        check_functions(task.name, [by])
        return by
    name = name_among(task.name, by or task.selection.compared[0], task.selection.compared)
    if name is None:
        remedy = f"choose one of {', '.join(task.selection.compared)} for {task.name}"
        raise SettingError(unknown(f"by is {by!r}", str(by), task.selection.compared, remedy))
    return task.selection.resolve(name, options)


def one_measure(by: Any, options: dict[str, Any]) -> str | None:
    """The measure that a user names as `by` or as `match`; None if neither is specified.

    `match` is removed from the options.
    """
    matches = split_names(options.pop("match", None) or ())
    if len(matches) > 1 or (matches and by not in (None, matches[0])):
        several = " and ".join(dict.fromkeys(filter(None, (by, *matches))))
        raise SettingError(f"Systems are compared by one measure, got {several}; choose one of them.")
    return matches[0] if matches else by


def without_effect() -> list[str]:
    """Options of `score` that do not affect comparisons."""
    parameters = [parameter for parameter in all_parameters().values() if not parameter.effect.compares]
    return [*NOT_COMPARED, *(name for parameter in parameters for name in parameter.names)]


def compared_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that affect comparisons."""
    others = without_effect()
    return {name: value for name, value in options.items() if name not in others}


@dataclass
class ComparisonJob:
    """A comparison that can be run more than once: first for its counts, later for units that a user requests."""

    gold: Input
    systems: Mapping[str, Input]
    pairs: Sequence[tuple[int, int]]
    """Indices of the systems that are compared with each other."""
    by: str | None
    resampling: ResamplingSettings
    options: Mapping[str, Any]
    slices: SliceOptions = SliceOptions()
    """The slices and training data that the user names."""
    slices_differences: bool = True
    """Whether the compared units are sliced, not only those of scores."""
    content: GoldProfile | None = None
    """What the gold standard contains; it is read if None."""
    searched: SliceRequest = SliceRequest()
    """The attributes of units whose slices are searched for errors."""
    optional: Collection[str] = ()
    """Those of them that are left out if the gold standard does not have them."""
    is_within: bool = False
    """Whether tests swap groups of units within one document."""

    def __post_init__(self) -> None:
        _check_effect(self.options)
        content = self.content or content_for(self.gold, self.options, self.systems)
        task = TASKS[content.task]
        self.resampling.check(task)
        self.by = compared_by(task, self.by, self.options)
        if self.is_within and (task.comparison.groups is None or self.by not in task.compared_units):
            names = [name for other in TASKS.values() if other.comparison.groups for name in other.compared_units]
            raise SettingError(
                f"Groups within a document are for {', '.join(names)}, got {self.by}; resample documents."
            )
        chosen = {**self.options, "match": task.selection.tested(self.by, content), TRAIN: self.slices.train or None}
        prepared = prepare(self.gold, self.systems, chosen, content)
        options = replace(self.slices, request=self.slices.request.joined(self.searched))
        self.data = options.read(self.gold, self.systems, prepared)
        self.prepared = self.data.prepared
        request = self.slices.request if self.slices_differences else SliceRequest()
        self.all_slices = request.adding(task.comparison.default_slices(self.by, content))

    def __call__(
        self,
        search: UnitSearch | ChosenUnits | None = None,
        collection: UnitCollection | None = None,
        scored: RunConfig | None = None,
        sliced: SliceRequest | None = None,
        side: UnitSide | None = None,
        observers: Sequence[Observer] = (),
    ) -> ComparedRun:
        """Evaluate the systems in one pass.

        `search` looks for units, and `collection` collects those that a report shows. A report also needs totals of
        other measures, whose settings are `scored`, counts of their slices, `sliced`, and further `observers`. For a
        search of slices, the units of a `side` get attributes.
        """
        compared = self.prepared
        task = compared.task
        by = str(self.by)
        vocabulary = Vocabulary()
        context = self.data.context(vocabulary.labels)
        attributes = None
        if side is not None:
            slicings = self.searched.slicings(task, context, self.gold)
            attributes = AttributeCollector(task, by, slicings, self.optional, vocabulary.labels, side, self.gold)
        extras = Extras(self.all_slices.slicings(task, context, self.gold), search, collection, attributes)
        counts = ComparisonCounts(
            task, compared.settings, by, list(self.systems), self.pairs, vocabulary.labels, extras
        )
        observers = [*([] if attributes is None else [attributes]), counts, *observers]
        within = _WithinDocument(task, list(self.systems), self.pairs) if self.is_within else None
        if within is not None:
            observers.append(within)
        job = Job(self.gold, self.systems, compared, compared.settings.match, "finest")
        if scored is not None:
            scored = self._with_data(scored)
            models = tuple(dict.fromkeys((*scored.settings.match, *job.models)))
            prepared = replace(scored, settings=replace(scored.settings, match=models))
            job = replace(job, prepared=prepared, models=models, with_totals=True)
        columns = compared.read_as["gold"].extra
        slice_counts = None
        if sliced and scored is not None:
            data = replace(self.data, prepared=scored, request=sliced)
            slice_counts = counts_of_slices(self.gold, data, vocabulary.labels)
            observers.append(slice_counts)
            job = replace(job, models=(*job.models, task.unit_measure))
        layers = (*self.all_slices.names, *self.searched.names, *map(extra_layer, columns))
        run = job.run(observers, vocabulary, layers)
        _check_annotation(task, by, run)
        if within is not None and run.documents > 1:
            finding = f"of is 'groups', but the gold standard has {run.documents:,} documents"
            raise SettingError(f"{finding}; resample documents.")
        return ComparedRun(
            *(name_of(self.gold), run, counts, compared, self.resampling),
            slice_counts=slice_counts,
            within=None if within is None else within.groups,
            scored=scored,
        )

    def _with_data(self, scored: RunConfig) -> RunConfig:
        """The settings of further measures, with the columns of slices and the training data of the comparison."""
        own = self.data.prepared
        settings = replace(scored.settings, train=own.settings.train, drop_leaked=own.settings.drop_leaked)
        read_as = {**scored.read_as, "gold": replace(scored.read_as["gold"], extra=own.read_as["gold"].extra)}
        return replace(scored, settings=settings, read_as=read_as, dropped=own.dropped)

    def units(self, kind: str, pair: tuple[int, int]) -> list[Unit]:
        """The units of one class of differences of one pair, from a second pass."""
        search = UnitSearch(kind, [pair])
        self(search)
        return search.units

    def page(self, path: str | Path | None) -> str:
        """The page of a report on the same systems, which is written to `path`, if specified."""
        from evenhand.api.report import report  # which imports this module

        options = self.slices
        slicing: dict[str, Any] = {"slices": options.request, "vocabulary": options.words}
        slicing |= {"train": options.train or None, "drop_leaked": options.drop_leaked}
        settings = {**asdict(self.resampling), **slicing, **self.options}
        return report(self.gold, self.systems, by=self.by, **settings).to_html(path)


def _check_effect(options: Mapping[str, Any]) -> None:
    """Refuse options that do not affect comparisons."""
    parameters = all_parameters()
    for name in without_effect():
        value = options.get(name)
        default = parameters[name].default if name in parameters else None
        if value is not None and value is not False and value not in ("", (), [], default):
            raise SettingError(f"{name} has no effect in a comparison; remove it.")


def _check_annotation(task: Task, by: str, run: Run) -> None:
    """Refuse systems without the annotation that is compared; `score` leaves their scores undefined."""
    lacking = {name: lacking_layers(task.name, [by], side.annotated).get(by) for name, side in run.systems.items()}
    names = [name for name, layer in lacking.items() if layer is not None]
    if names:
        layer = str(lacking[names[0]]).upper()
        subject = f"System {names[0]} has" if len(names) == 1 else f"Systems {list_names(names)} have"
        others = [other for other in task.selection.compared if not model(task.name, other).annotation]
        remedy = f"remove {'it' if len(names) == 1 else 'them'}" + (f", or compare by {others[0]}" if others else "")
        raise SettingError(f"{subject} no {layer}, so {by} cannot be compared; {remedy}.")


def _compared_pairs(job: ComparisonJob, run: ComparedRun, alpha: float) -> dict[tuple[str, str], Pair]:
    """By the names of two systems: their differences, with tests and intervals."""
    names = run.counts.systems
    counts_of_pairs = run.counts.differences.finish()
    pairs = {pair: (names[pair[0]], names[pair[1]]) for pair in counts_of_pairs}
    transitions = (
        transition
        for counts in counts_of_pairs.values()
        for of_class in counts.transitions.values()
        for transition in of_class
    )
    answers = run.counts.answer_texts({code for change in transitions for code in (change.before, change.after)})
    changes = _tests(run, run.model, list(pairs.values()), alpha)
    further = {model.name: _tests(run, model, list(pairs.values())) for model in run.further}
    tallies, parts = run.run.tallies, run.prepared.task.comparison.parts
    results = {}
    for pair, counts in counts_of_pairs.items():
        before, after = pairs[pair]
        change = changes[before, after]
        different = sum(counts.counts.values())
        # McNemar's test needs a score that is the share of correct units.
        has_mcnemar = run.model.headline == "accuracy" and change.significance is not None
        differences = {
            name: Differences(
                name,
                size,
                size / different if different else 0.0,
                _transitions(run, answers, counts.transitions[name], size, different),
                partial(job.units, name, pair),
            )
            for name, size in counts.counts.items()
        }
        results[before, after] = Pair(
            before,
            after,
            counts.units,
            counts.different,
            counts.moved,
            change.delta,
            differences,
            change.significance,
            mcnemar(counts.counts["new_error"], counts.counts["correction"]) if has_mcnemar else None,
            change.interval,
            change.detectable,
            {name: further_changes[before, after] for name, further_changes in further.items()},
            {} if parts is None else parts(run.prepared.settings, tallies[before], tallies[after]),
        )
    return results


def _tests(
    run: ComparedRun, model: Formula, pairs: list[tuple[str, str]], alpha: float | None = None
) -> dict[tuple[str, str], ScoreChange]:
    """The difference of each pair under a measure, with test and interval; undefined without gold units.

    With alpha, a difference that is not significant has what the test set can show.
    """
    if not run.gold.units:
        return dict.fromkeys(pairs, ScoreChange(nan, None, None))
    if run.within is not None:
        return _tests_within(run, model, pairs)
    tables = GroupTables.of(model, run.tallies_of(model), run.groups[1])
    changes = Testing(tables, run.resampling)(pairs)
    return changes if alpha is None else with_detectable(changes, tables, alpha, run.resampling.seed)


def _tests_within(run: ComparedRun, model: Formula, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], ScoreChange]:
    """The same with tests within one document: every pair has groups of its own. Without tests, if groups lack counts.

    Holm's correction is over the pairs, as for documents.
    """
    assert run.within is not None
    scores = _headlines(model, run.tallies_of(model), run.gold)
    changes = {}
    for before, after in pairs:
        groups, test = run.within[before, after], None
        tallies = dict(zip((before, after), (side.get(model.scorer) for side in groups.tallies), strict=True))
        known = {name: tally for name, tally in tallies.items() if tally is not None}
        is_counted = len(known) == 2 and all(_has_counts(model, tally) for tally in known.values())
        if is_counted and groups.groups > 1 and run.resampling.trials:
            testing = Testing(GroupTables.of(model, known, groups.groups), run.resampling)
            test = testing([(before, after)])[before, after].significance
        changes[before, after] = ScoreChange(scores[after] - scores[before], test, None)
    tested = {pair: change.significance for pair, change in changes.items() if change.significance is not None}
    corrected = dict(zip(tested, holm([test.p for test in tested.values()]), strict=True))
    return {
        pair: replace(change, significance=replace(tested[pair], p_holm=corrected[pair])) if pair in tested else change
        for pair, change in changes.items()
    }


def _has_counts(model: Formula, tally: Tally) -> bool:
    """Whether a tally has all counts that a measure divides."""
    return {kind for counts in model.columns() for kind in counts} <= set(tally.kinds)


class _WithinDocument:
    """Collects the groups of every pair: an observer of evaluations."""

    def __init__(self, task: Task, systems: Sequence[str], pairs: Sequence[tuple[int, int]]) -> None:
        self._find = task.comparison.groups
        self._pairs = [(systems[one], systems[other]) for one, other in pairs]
        self.groups: dict[tuple[str, str], SwappableGroups] = {}

    def __call__(self, evaluation: Evaluation) -> None:
        assert self._find is not None
        self.groups |= {pair: self._find(evaluation, *pair) for pair in self._pairs}


def _transitions(
    run: ComparedRun, answers: Mapping[int, str], counts: Mapping[CodedTransition, int], size: int, different: int
) -> list[Transition]:
    """The transitions of a class, the most frequent first.

    `answers` has the text of each prediction by its code. `size` units are in the class, and `different` units in all
    classes of the pair.
    """
    labels = run.counts.labels.values
    rows = [
        Transition(
            gold="" if transition.gold < 0 else labels[transition.gold],
            before=answers[transition.before],
            after=answers[transition.after],
            change=transition.change,
            count=count,
            share_of_class=count / size,
            share_of_differences=count / different,
        )
        for transition, count in counts.items()
    ]
    return sorted(rows, key=lambda row: (-row.count, row.gold, row.before, row.after, row.change))


def comparison(job: ComparisonJob, run: ComparedRun, alpha: float = ALPHA) -> Comparison:
    """The result of a comparison; `job` reads the files again for units and pages.

    Tests resample sentences if there are too few documents for any p-value below alpha (see `ComparedRun.settled`).
    """
    unsettled, run = run, run.settled(job.pairs, alpha)
    counts = run.counts
    model = run.model
    task = run.prepared.task
    settings = run.prepared.settings
    gold = run.gold
    groups = run.groups
    scores = _headlines(model, run.tallies_of(model), gold)
    further = {other.name: _headlines(other, run.tallies_of(other), gold) for other in run.further}
    pairs = _compared_pairs(job, run, alpha)
    resampling = asdict(run.resampling) | {"few_documents": run.few_documents}
    resampling["of"] = groups[0] if run.has_groups else None
    lacks_groups = bool(gold.units) and unsettled.resampling.is_requested and not unsettled.has_groups
    paired = counts.agreement.paired()
    are_shares = run.by in task.compared_units
    slices = {
        name: _exact_shares(task, run.by, units, tallies) if are_shares else _slices(model, units, tallies)
        for name, (units, tallies) in counts.slices().items()
    }
    on_shared = counts.on_shared()
    shared = None if on_shared is None else Slice(*on_shared)
    return Comparison(
        gold=gold,
        task=settings.task,
        by=run.by,
        systems=counts.systems,
        scores=scores,
        pairs=pairs,
        oracle=_oracle(run, scores),
        difficulty=counts.oracle.difficulty(),
        all_answers=paired[run.by] if paired else counts.agreement.all_answers(),
        correct_answers=counts.agreement.correct_answers(),
        labels=_labels(model, run.tallies_of(model), gold.labels),
        slices=slices,
        left_out=counts.left_out,
        shared=shared,
        resampling=cast("ResamplingInfo", resampling),
        signature=comparison_signature(run),
        notes=(
            *notes_on_gold(gold, task.other_units.get(run.by, task.unit)),
            *([nothing_to_resample(*unsettled.groups)] if lacks_groups else []),
            *([_CAN_SWAP] if lacks_groups and task.comparison.groups and run.by in task.compared_units else []),
            *notes_on_settings(settings, counts.labels.values, counts.systems),
            *task.rules.notes(settings),
            *_notes_on_groups(run),
            *job.data.notes,
            *notes_on_comparison(counts.left_out, pairs, groups[0], settings.task, run.by, shared),
            *_notes_on_files(run),
            *notes_on_metadata(counts.extras.slicings, job.gold),
            *counts.slice_notes,
        ),
        further_scores={
            name: {model: score[name] for model, score in further.items()} for name in run.run.systems if further
        },
        paired=dict(paired),
        before=_uncorrected(run),
        page=job.page,
    )


def _notes_on_groups(run: ComparedRun) -> list[str]:
    """The size of the largest group of each pair, if groups are swapped within one document."""
    return [
        f"groups of {one} and {other}: the largest of {groups.groups:,} has {groups.largest:,} of {groups.units:,} "
        f"{plural(run.prepared.task.unit)} ({groups.largest / groups.units:.0%}); p is about this document only."
        for (one, other), groups in (run.within or {}).items()
        if groups.units
    ]


def _headlines(model: Formula, tallies: Mapping[str, Tally], gold: GoldSummary | SideSummary) -> dict[str, float]:
    """The score of every system under a measure."""
    labels = list(gold.labels)
    return {name: headline(model, tally, labels, is_empty=not gold.units) for name, tally in tallies.items()}


def _uncorrected(run: ComparedRun) -> dict[str, float]:
    """The score of every system on the gold standard without overrides, if it has overrides."""
    before = run.run.before
    if before is None:
        return {}
    formula = model(run.prepared.task.name, run.by).prepare(before.settings)
    return _headlines(formula, {name: rows[formula.scorer] for name, rows in before.tallies.items()}, before.gold)


def _notes_on_files(run: ComparedRun) -> tuple[str, ...]:
    """The notes of `score` on the files of each system, without duplicates."""
    gold = run.run.figures(run.gold_name)
    task = run.prepared.task
    read_as = run.prepared.read_as["gold"]
    notes: dict[str, None] = {}
    for name, side in run.run.systems.items():
        notes |= dict.fromkeys(task.evaluation.notes(gold, run.run.gold, name, side, read_as, identical=False))
        settings = run.prepared.settings
        notes |= dict.fromkeys(notes_on_confidences(settings, run.run.gold, name, side, task.unit))
    return tuple(notes)


def comparison_signature(run: ComparedRun) -> str:
    """The settings of a comparison: of its scores, and of its tests and intervals."""
    settings = run.prepared.settings
    read_as = run.prepared.read_as["gold"]
    resampling = run.resampling
    of_systems = [
        signature(settings, read_as, run.run.atoms, run.gold.reading, side.reading or ReadInfo())
        for side in run.run.systems.values()
    ]
    parts = [
        joint_signature(of_systems),
        f"by:{settings.spelled(run.by)}",
        f"of:{run.groups[0] if run.has_groups else 'none'}",
        f"trials:{resampling.trials}",
        f"resamples:{resampling.resamples}",
        f"interval:{resampling.interval}",
        f"level:{resampling.level:g}",
        f"seed:{resampling.seed}",
    ]
    return "|".join(parts)


def _oracle(run: ComparedRun, scores: Mapping[str, float]) -> OracleResult:
    """The bounds of the oracle; `scores` show the best system."""
    counts = run.counts
    oracle = counts.oracle
    exact = counts.agreement.bound(run.run.gold.labels.total())
    best = max(range(len(scores)), key=lambda number: scores[counts.systems[number]])
    return OracleResult(oracle.overall(), oracle.labels(counts.labels.values), oracle.sentences(), best, exact)


def _labels(model: Formula, tallies: Mapping[str, Tally], support: Mapping[str, int]) -> dict[str, Slice]:
    """The score of every system on every label, the most frequent first."""
    slices = _by_label(model, tallies, support)
    if model.headline == "accuracy":  # a share of the gold standard's units, which other labels do not have
        slices = {label: piece for label, piece in slices.items() if label in support}
    return dict(sorted(slices.items(), key=lambda item: (-item[1].units, item[0])))


def _slices(model: Formula, units: Mapping[str, int], tallies: Mapping[str, Tally]) -> dict[str, Slice]:
    """The score of every system on every slice, in the order of `units`, which has the gold units of each slice.

    The tallies have slices in place of labels.
    """
    # A slice that no tally has scores 0.
    without_counts = {value: Slice(units[value], dict.fromkeys(tallies, 0.0)) for value in units if units[value]}
    scored = without_counts | _by_label(model, tallies, units)
    return {value: scored[value] for value in units if value in scored}


def _exact_shares(task: Task, by: str, units: Mapping[str, int], tallies: Mapping[str, Tally]) -> dict[str, Slice]:
    """The share of the gold units of each slice that each system has right, if the score does not count units."""
    right = task.error_types.correct(by)[0]
    sums = {
        name: Counter({gold: count for (_, gold, _, kind), count in tally.cells().items() if kind == right})
        for name, tally in tallies.items()
    }
    return {
        value: Slice(size, {name: counts[value] / size for name, counts in sums.items()})
        for value, size in units.items()
        if size
    }


def _by_label(model: Formula, tallies: Mapping[str, Tally], units: Mapping[str, int]) -> dict[str, Slice]:
    """By label of any tally: the score of every system, and the number of gold units."""
    rows = {name: score_tally(model, tally, {}).labels for name, tally in tallies.items()}
    scores = {name: {label: headline_of(model, row) for label, row in labels.items()} for name, labels in rows.items()}
    return {
        label: Slice(units.get(label, 0), {name: by_label.get(label, 0.0) for name, by_label in scores.items()})
        for label in dict.fromkeys(label for by_label in scores.values() for label in by_label)
    }


@checked_arguments(known_options)
def compare(
    gold: Side,
    systems: Sequence[Side] | Mapping[str, Side],
    *,
    by: str | MatchFunction | None = None,
    baseline: str | None = None,
    sequence: bool = False,
    trials: int | None = None,
    resamples: int = 1_000,
    interval: Literal["percentile", "bca"] = "percentile",
    level: float = 0.95,
    seed: int = 0,
    of: Swapped | None = None,
    slices: Slices = (),
    vocabulary: str | PathLike[str] | Collection[str] | None = None,
    train: TrainingFiles = None,
    drop_leaked: bool = False,
    show: str | None = None,
    limit: int | None = None,
    top: int = 5,
    sort: Literal["frequency", "gain"] | None = None,
    skip_broken: bool = False,
    **options: Unpack[Keywords],
) -> Comparison:
    """Compare systems in one pass over the gold standard: which units they treat differently, and which is correct.

    by         what is compared (also as `match`): "fair" or "exact" for spans, "accuracy" for tags, "las", "uas", "ls",
               "elas" or "eulas" for trees; "mela", "lea", "ceaf_e", "b_cubed" or "muc" for chains, whose units are
               entities, or "arcs_any" or "arcs_nom", whose units are mentions
    baseline   compare each system with this one only; sequence: each with the one before; without both, all pairs
    trials     of the approximate randomization; 0 for no tests; without it 10,000, or 80 for each pair, if that is more
               (100,000 at most)
    resamples  of the bootstrap, for the intervals of differences; 0 for none
    interval   "percentile", or "bca" (bias-corrected and accelerated)
    level      confidence level of intervals
    seed       of the random numbers: the same seed and systems give the same figures
    of         what tests and intervals resample: "documents" or "sentences"; without it, documents, or sentences if
               there is one document, or if systems differ in too few documents for any p-value below 0.05 (Holm);
               chains and links always by document. "groups", for one document of chains: the test swaps groups of
               entities within it, so it says nothing about other documents; there are no intervals
    slices     "length", "sentence-length", "vocabulary", "document", or columns of the gold standard; of chains also
               "pronoun", which is included by default if the gold standard has POS; metadata as in `score`
    vocabulary a file with one word or phrase per line, or a list of these, for the slice "vocabulary"
    train, drop_leaked
               training data, as in `score`
    show       units to keep in `shown_units`: "correction", "new_error", "changed_error", "unsolved", "solved_once"
    limit      maximum number of these units
    top        number of transitions of each class in a report; `transitions` has them all
    sort       order of labels in a report: by "frequency", or by "gain" of the oracle; without it, the oracle by
               frequency, and pairs by the size of the difference
    skip_broken
               compare the systems that can be read; `comparison.skipped` has the problem of each of the others

    Other keywords and the scores are as in `score`. A word of the gold standard that a system lacks is wrong for that
    system; `shared` has the scores on the words that all systems have.
    """
    sides = systems_by_name(systems) or {}
    gold = side_of(gold)
    chosen = dict[str, Any](options)
    measure = one_measure(by, chosen)
    of_slices = SliceOptions.of(slices, vocabulary, train, drop_leaked)
    if len(sides) < 2:
        raise SettingError("A comparison needs at least two systems.")
    check_choice("of", of, get_args(Swapped), optional=True)
    is_within = of == "groups"
    resampled = None if of == "groups" else of
    resampling = ResamplingSettings(
        0 if trials is None else trials, 0 if is_within else resamples, interval, level, seed, resampled
    ).checked()
    top = check_whole_number("top", top, 0)
    limit = None if limit is None else check_whole_number("limit", limit, 0)
    check_choice("sort", sort, ("frequency", "gain"), optional=True)
    if limit is not None and show is None:
        raise SettingError("limit needs show.")

    def job_of(valid: Mapping[str, Input]) -> ComparisonJob:
        pairs = _pairs(list(valid), baseline, in_sequence=sequence)
        tests = replace(resampling, trials=default_trials(len(pairs)) if trials is None else resampling.trials)
        return ComparisonJob(gold, valid, pairs, measure, tests, chosen, of_slices, is_within=is_within)

    def compute(valid: Mapping[str, Input]) -> Comparison:
        job = job_of(valid)
        search = None if show is None else UnitSearch(show, job.pairs, limit)
        result = comparison(job, job(search))
        return replace(result, show=show, top=top, sort=sort, shown_units=() if search is None else tuple(search.units))

    if not skip_broken:
        return compute(sides)
    result, skipped = skipping_broken(gold, sides, job_of(sides).prepared, compute, least=2)
    return replace(result, skipped=skipped, notes=(*notes_on_skipped(skipped, len(result.systems)), *result.notes))


def _pairs(systems: list[str], baseline: str | None, *, in_sequence: bool) -> list[tuple[int, int]]:
    """The indices of the systems that are compared with each other."""
    numbers = range(len(systems))
    if baseline is not None and in_sequence:
        raise SettingError("Systems are compared with a baseline or in a sequence, but not both.")
    if in_sequence:
        return list(pairwise(numbers))
    if baseline is None:
        return list(combinations(numbers, 2))
    if baseline not in systems:
        remedy = f"choose one of {', '.join(systems)}"
        raise SettingError(unknown(f"Unknown system {baseline!r}", baseline, systems, remedy))
    first = systems.index(baseline)
    return [(first, other) for other in numbers if other != first]
