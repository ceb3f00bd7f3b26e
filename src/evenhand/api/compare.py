"""`compare`: gold standard and several systems in, what they differ in out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache, cached_property, cmp_to_key, partial
from itertools import combinations, pairwise
from math import isnan, nan
from os import PathLike
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np

from evenhand.arrays import Ints, Values, is_ones
from evenhand.comparison.counts import ComparisonCounts, GroupTables, Sought
from evenhand.comparison.differences import SLICES, PairCounts
from evenhand.comparison.units import Collection as UnitCollection
from evenhand.comparison.units import Unit, Wanted
from evenhand.data.annotation import ReadInfo, extra_layer
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, unknown
from evenhand.formats.paths import read_small_file
from evenhand.formats.storage import to_path
from evenhand.parameters import check_choice, check_number, check_whole_number, checked_arguments, quote, split_names
from evenhand.pipeline.inputs import (
    Input,
    RunConfig,
    content_for,
    known_options,
    name_of,
    prepare,
    side_of,
    systems_by_name,
)
from evenhand.pipeline.run import Job, Run
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
    notes_on_gold,
    notes_on_settings,
    nothing_to_resample,
    signature,
)
from evenhand.scoring.measure import Formula
from evenhand.scoring.scores import Row, headline, headline_of, score_tally
from evenhand.scoring.tally import Tally
from evenhand.settings import Resampled, column_names
from evenhand.statistics.bootstrap import ROUNDING, bca, bootstrap, interval, jackknife, table_types
from evenhand.statistics.significance import holm, least_p, mcnemar, randomization, trials_for
from evenhand.tasks.registry import TASKS, all_parameters, model, name_among
from evenhand.tasks.registry import model as declared_model
from evenhand.tasks.task import GoldProfile, Task

# == api/significance.py: Whether systems differ by more than chance: tests and interv


MOST_TRIALS = 10_000_000
MOST_RESAMPLES = 1_000_000
"""All of them are kept, for each system."""
MOST_SEED = 2**128 - 1
MOST_BY_DEFAULT = 100_000
"""How many trials a test has at most, unless a user asks for more: 1,250 pairs then take about a minute."""


@dataclass(frozen=True)
class Resampling:
    """How tests and intervals are made."""

    trials: int
    resamples: int
    interval: str
    level: float
    seed: int
    of: Resampled | None
    """What is resampled, if a user says so."""

    @staticmethod
    def checked(
        trials: object = 0,
        resamples: object = 0,
        interval: object = "percentile",
        level: object = 0.95,
        seed: object = 0,
        of: Resampled | None = None,
    ) -> Resampling:
        """From what a user gives; what cannot be is refused."""
        check_choice("of", of, get_args(Resampled), optional=True)
        if interval not in ("percentile", "bca"):
            raise SettingError(f"interval is {quote(interval)}; choose percentile or bca.")
        return Resampling(
            check_whole_number("trials", trials, 0, MOST_TRIALS),
            check_whole_number("resamples", resamples, 0, MOST_RESAMPLES),
            str(interval),
            check_number("level", level, lambda value: 0 < value < 1, "a number between 0 and 1"),
            check_whole_number("seed", seed, 0, MOST_SEED),
            of,
        )

    def check(self, task: Task) -> None:
        """Refuse to resample what scores of a task are no sums over, before files are read."""
        if task.evaluation.by_document and self.of == "sentences":
            raise SettingError(f"Scores of {task.name} are no sums over sentences; resample documents.")

    @property
    def is_wanted(self) -> bool:
        """Whether anything is resampled at all."""
        return bool(self.trials or self.resamples)

    def without(self) -> Resampling:
        """The same without tests and intervals."""
        return replace(self, trials=0, resamples=0)

    def may_take_sentences(self, task: Task, of: Resampled, documents: int, sentences: int) -> bool:
        """Whether tests may resample sentences if documents are too few: if the user leaves the choice, and if scores
        are sums over sentences, of which there are more than documents.
        """
        is_open = self.of is None and of == "documents" and not task.evaluation.by_document
        return is_open and bool(self.trials) and sentences > documents

    def groups(self, task: Task, documents: int, sentences: int) -> tuple[Resampled, int]:
        """What is resampled, and how many of them there are.

        Documents, or sentences where there is one document, unless a user says which. Where counts add up over
        documents only, always these. `too_few` tells whether documents can decide.
        """
        if self.of == "documents" and documents < 2:
            remedy = "leave it out" if task.evaluation.by_document else "resample sentences"
            raise SettingError(f"of is 'documents', but the gold standard has only one document; {remedy}.")
        of = self.of or ("documents" if documents > 1 or task.evaluation.by_document else "sentences")
        return of, documents if of == "documents" else sentences


def default_trials(pairs: int) -> int:
    """How many trials each of so many tests has where a user does not say."""
    return min(trials_for(pairs), MOST_BY_DEFAULT)


def too_few(tables: GroupTables, pairs: Sequence[tuple[str, str]], alpha: float) -> int | None:
    """In how many groups two systems differ at most, if that is too few for any p-value below alpha; else None.

    Two systems that differ in n groups have p >= 2 / 2ⁿ, which Holm's correction multiplies by the number of pairs.
    Pairs with equal scores do not matter: no test could tell them apart.
    """
    most, scores = 0, {name: tables.score(name) for name in tables.tables}
    for one, other in pairs:
        if abs(scores[one] - scores[other]) > ROUNDING:
            most = max(most, tables.differing(one, other))
            if len(pairs) * least_p(most) < alpha:
                return None
    return most or None


class Testing:
    """Tests and intervals of the differences between systems under one score.

    Systems are taken by their scores, the lowest first, and pairs from the lower to the higher. So draws do not depend
    on the order in which a user names systems, and a pair the other way round has the mirrored interval.
    """

    def __init__(self, counted: GroupTables, resampling: Resampling) -> None:
        self._counted, self._resampling = counted, resampling
        self._groups, self._columns = int(counted.sizes.sum()), counted.columns
        self._scores = {name: counted.score(name) for name in counted.tables}
        order = sorted(counted.tables, key=cmp_to_key(partial(self._compared, counted.tables)))
        self._tables = {name: counted.tables[name] for name in order}
        self._place = {name: place for place, name in enumerate(order)}

    def _compared(self, tables: Mapping[str, Values], one: str, other: str) -> int:
        """The order of two systems: by their scores or, where these are equal, by the first count that differs."""
        difference = self._scores[one] - self._scores[other]
        if difference == 0:
            apart = np.flatnonzero(tables[one] != tables[other])
            difference = float(tables[one].flat[apart[0]] - tables[other].flat[apart[0]]) if len(apart) else 0.0
        return int(difference > 0) - int(difference < 0)

    @cached_property
    def _types(self) -> tuple[dict[str, Values], Ints]:
        """The counts of each system by type of group, and how many groups there are of each type."""
        first, place = table_types(list(self._tables.values()))
        return {name: table[first] for name, table in self._tables.items()}, _added(self._counted.sizes, place)

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], ScoreChange]:
        tests = {pair: self._significance(*pair) for pair in pairs} if self._resampling.trials else {}
        corrected = dict(zip(tests, holm([test.p for test in tests.values()]), strict=True))
        samples = self._samples()
        found = {}
        for before, after in pairs:
            delta, test = self._scores[after] - self._scores[before], tests.get((before, after))
            found[before, after] = ScoreChange(
                delta,
                None if test is None else replace(test, p_holm=corrected[before, after]),
                self._interval(before, after, delta, samples) if samples else None,
            )
        return found

    def _significance(self, before: str, after: str) -> Significance:
        (rows, sizes), setting = self._types, self._resampling
        test = randomization(rows[before], rows[after], sizes, self._counted.statistic, setting.trials, setting.seed)
        name = "permutation" if test.exact else "approximate-randomization"
        return Significance(name, test.p, test.p, test.trials, setting.seed, test.groups, test.least, test.exact)

    def _samples(self) -> dict[str, Values]:
        """The scores of all systems in the same resamples."""
        setting = self._resampling
        if not setting.resamples or self._groups < 2:
            return {}
        rows, sizes = self._types
        sums = bootstrap(np.concatenate(list(rows.values()), axis=1), sizes, setting.resamples, setting.seed)
        return {
            name: self._counted.statistic(sums[:, number * self._columns : (number + 1) * self._columns])
            for number, name in enumerate(self._tables)
        }

    def _interval(self, before: str, after: str, delta: float, samples: Mapping[str, Values]) -> tuple[float, float]:
        if self._place[before] > self._place[after]:
            low, high = self._interval(after, before, -delta, samples)
            return 0.0 - high, 0.0 - low
        values, level = samples[after] - samples[before], self._resampling.level
        if self._resampling.interval == "percentile":
            return interval(values, level)
        both, size = np.concatenate((self._tables[before], self._tables[after]), axis=1), self._columns

        def difference(sums: Values) -> Values:
            return self._counted.statistic(sums[..., size:]) - self._counted.statistic(sums[..., :size])

        groups = self._counted.sizes
        return bca(values, delta, jackknife(both, groups, difference), groups, level)


def _added(sizes: Ints, place: Ints) -> Ints:
    """How many groups there are of each type, from how many each row stands for."""
    return np.bincount(place) if is_ones(sizes) else np.bincount(place, sizes).astype(np.int64)


# == api/comparison_run.py: A comparison that is prepared and run: its settings, the pas


@dataclass(frozen=True)
class ComparedRun:
    """What a run added up, and what was compared on the way."""

    gold_name: str
    run: Run
    counts: ComparisonCounts
    prepared: RunConfig
    resampling: Resampling
    few_documents: int | None = None
    """In how many documents two systems differ at most, if these are too few to decide and sentences are resampled."""

    @property
    def by(self) -> str:
        return self.counts.by

    @property
    def model(self) -> Formula:
        return model(self.prepared.task.name, self.by).prepare(self.prepared.settings)

    @cached_property
    def further(self) -> list[Formula]:
        """The scores whose differences are tested separately, where a comparison has several."""
        other = model(self.prepared.task.name, self.by).counterpart
        models = [each for each in self.prepared.models if each.name != other or self._differs(each)]
        return models if len(models) > 1 else []

    def _differs(self, other: Formula) -> bool:
        """Whether another model gives a system another score than the one that systems are compared by."""
        labels = list(self.figures().labels)
        scores = (
            [headline(each, tallies[each.scorer], labels) for each in (self.model, other)]
            for tallies in self.run.tallies.values()
        )
        return any(one != two and not (isnan(one) and isnan(two)) for one, two in scores)

    def figures(self) -> GoldSummary:
        """The gold standard in figures: of the units of the score that systems are compared by."""
        side = self.counts.gold_count if self.by in self.prepared.task.other_units else None
        return self.run.figures(self.gold_name, side)

    def tallies_of(self, model: Formula) -> dict[str, Tally]:
        """The counts of each system, by what is resampled."""
        return {name: found[model.scorer] for name, found in self._tallies.items()}

    @cached_property
    def _tallies(self) -> dict[str, dict[str, Tally]]:
        tallies = self.run.tallies
        return self.run.by_document(tallies) if self.groups[0] == "documents" else tallies

    @cached_property
    def groups(self) -> tuple[Resampled, int]:
        """What is resampled, and how many of them there are."""
        return self.resampling.groups(self.prepared.task, *self._sizes)

    @property
    def _sizes(self) -> tuple[int, int]:
        return self.run.documents, self.run.sentences

    @property
    def has_groups(self) -> bool:
        """Whether there is anything to resample: several groups, and a unit of the gold standard."""
        return self.groups[1] > 1 and bool(self.figures().units)

    def settled(self, pairs: Sequence[tuple[int, int]], alpha: float) -> ComparedRun:
        """The same with what is resampled in the end.

        Nothing if there is one group or no gold unit; sentences if documents are too few for any p-value below alpha.
        """
        if not self.has_groups:
            return replace(self, resampling=self.resampling.without())
        if self.resampling.may_take_sentences(self.prepared.task, self.groups[0], *self._sizes):
            tables = GroupTables.of(self.model, self.tallies_of(self.model), self.groups[1])
            names = self.counts.systems
            few = too_few(tables, [(names[one], names[other]) for one, other in pairs], alpha)
            if few is not None:
                return replace(self, resampling=replace(self.resampling, of="sentences"), few_documents=few)
        return self


def compared_by(task: Task, given: str | None, options: Mapping[str, Any]) -> str:
    """The score that systems are compared by: the one that is named or the task's first one, under the options."""
    found = name_among(task.name, given or task.selection.compared[0], task.selection.compared)
    if found is None:
        remedy = f"choose one of {', '.join(task.selection.compared)} for {task.name}"
        raise SettingError(unknown(f"by is {given!r}", str(given), task.selection.compared, remedy))
    return task.selection.resolve(found, options)


NOT_COMPARED = ("match", "groups", "jobs", "engine")
"""Keywords of `score` that have no place where systems are compared."""


def without_effect() -> list[str]:
    """Options of `score` that change nothing that is compared."""
    parameters = [parameter for parameter in all_parameters().values() if not parameter.effect.compares]
    return [*NOT_COMPARED, *(name for parameter in parameters for name in parameter.names)]


def compared_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options without those that change nothing that is compared."""
    others = without_effect()
    return {name: value for name, value in options.items() if name not in others}


@dataclass
class ComparisonRun:
    """A comparison that can be run more than once: for its counts, and for the units behind them."""

    gold: Input
    systems: Mapping[str, Input]
    pairs: Sequence[tuple[int, int]]
    """The numbers of systems that are compared with each other."""
    by: str | None
    resampling: Resampling
    options: Mapping[str, Any]
    slices: tuple[str, ...] = ()
    vocabulary: Collection[str] | None = None
    content: GoldProfile | None = None
    """What the gold standard is, if that is known."""

    def __post_init__(self) -> None:
        _check_effect(self.options)
        content = self.content or content_for(self.gold, self.options)
        task = TASKS[content.task]
        self.resampling.check(task)
        self.by = compared_by(task, self.by, self.options)
        for name in self.slices:
            others = [each.name for each in TASKS.values() if name in each.comparison.slices]
            if others and task.name not in others:
                raise SettingError(f"The slice {name!r} is for {others[0]}; leave it out.")
        known = (*SLICES, *task.comparison.slices)
        columns = column_names([name for name in self.slices if name not in known])
        chosen = {**self.options, "match": task.selection.tested(self.by, content)}
        prepared = prepare(self.gold, self.systems, chosen, content)
        gold = replace(prepared.read_as["gold"], extra=columns)
        self.prepared = replace(prepared, read_as={**prepared.read_as, "gold": gold})
        self.slices = tuple(dict.fromkeys((*self.slices, *task.comparison.default_slices(content))))

    def __call__(
        self,
        wanted: Wanted | None = None,
        collection: UnitCollection | None = None,
        scored: RunConfig | None = None,
    ) -> ComparedRun:
        """One pass; `scored` are the settings of scores that come from it, too, with their totals."""
        compared, vocabulary, by = self.prepared, Vocabulary(), str(self.by)
        task, systems = compared.task, list(self.systems)
        sought = Sought(self.slices, self.vocabulary, wanted, collection)
        counts = ComparisonCounts(task, compared.settings, by, systems, self.pairs, vocabulary.labels, sought)
        models = compared.settings.match
        work = Job(self.gold, self.systems, compared, models, "finest")
        if scored is not None:
            models = tuple(dict.fromkeys((*scored.settings.match, *models)))
            prepared = replace(scored, settings=replace(scored.settings, match=models))
            work = replace(work, prepared=prepared, models=models, with_totals=True)
        layers = (*self.slices, *map(extra_layer, compared.read_as["gold"].extra))
        run = work.run([counts], vocabulary, layers)
        return ComparedRun(name_of(self.gold), run, counts, compared, self.resampling)

    def units(self, kind: str, pair: tuple[int, int]) -> list[Unit]:
        """A second pass, for the units of one class of one pair."""
        wanted = Wanted(kind, [pair])
        self(wanted)
        return wanted.found

    def page(self, path: str | Path | None) -> str:
        """A report on the same systems, which is loaded late as it compares them itself."""
        from evenhand.api.report import report

        return report(self.gold, self.systems, by=self.by, **asdict(self.resampling), **self.options).to_html(path)


def _check_effect(options: Mapping[str, Any]) -> None:
    """Refuse options that change nothing that is compared."""
    parameters = all_parameters()
    for name in without_effect():
        value = options.get(name)
        default = parameters[name].default if name in parameters else None
        if value is not None and value is not False and value not in ("", (), [], default):
            raise SettingError(f"{name} does nothing in a comparison; leave it out.")


# == api/pairs.py: The figures of pairs of systems: differences, tests and inte


class Pairs:
    """Every pair with its differences, test and interval."""

    def __init__(self, run: ComparisonRun, found: ComparedRun) -> None:
        self._run, self._found = run, found
        self._shown = cache(found.counts.shown)

    def __call__(self) -> dict[tuple[str, str], Pair]:
        counted, names = self._found.counts.differences.finish(), self._found.counts.systems
        pairs = {pair: (names[pair[0]], names[pair[1]]) for pair in counted}
        tested = self._tested(self._found.model, list(pairs.values()))
        further = {model.name: self._tested(model, list(pairs.values())) for model in self._found.further}
        found = {}
        for pair, counts in counted.items():
            before, after = pairs[pair]
            changed = tested[before, after]
            found[before, after] = Pair(
                before,
                after,
                counts.units,
                counts.different,
                counts.moved,
                changed.delta,
                {name: self._class(name, pair, counts) for name in counts.transitions},
                changed.significance,
                self._mcnemar(counts) if changed.significance is not None else None,
                changed.interval,
                {name: each[before, after] for name, each in further.items()},
            )
        return found

    def _tested(self, model: Formula, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], ScoreChange]:
        found = self._found
        if not found.figures().units:
            return dict.fromkeys(pairs, ScoreChange(nan, None, None))
        counted = GroupTables.of(model, found.tallies_of(model), found.groups[1])
        return Testing(counted, found.resampling)(pairs)

    def _mcnemar(self, counts: PairCounts) -> float | None:
        """Where the score is the share of right units; corrections and new errors are the discordant ones."""
        if self._found.model.headline != "accuracy":
            return None
        return mcnemar(counts.counts["new_error"], counts.counts["correction"])

    def _class(self, name: str, pair: tuple[int, int], counts: PairCounts) -> Differences:
        labels, size, different = self._found.counts.labels, counts.counts[name], counts.different
        rows = [
            Transition(
                gold="" if each.gold < 0 else labels[each.gold],
                before=self._shown(each.before),
                after=self._shown(each.after),
                change=each.change,
                count=count,
                share_of_class=count / size,
                share_of_differences=count / different,
            )
            for each, count in counts.transitions[name].items()
        ]
        rows.sort(key=lambda row: (-row.count, row.gold, row.before, row.after, row.change))
        share = size / different if different else 0.0
        return Differences(name, size, share, rows, partial(self._run.units, name, pair))


# == api/comparison.py: What a comparison adds up to: scores, pairs, bounds, agreeme


def comparison(run: ComparisonRun, found: ComparedRun, alpha: float = ALPHA) -> Comparison:
    """All figures of a comparison; `run` reads the files again for units and pages.

    Tests resample sentences if documents are too few for any p-value below alpha (see `ComparedRun.settled`).
    """
    asked, found = found, found.settled(run.pairs, alpha)
    counts, model, task = found.counts, found.model, found.prepared.task
    gold, settings, groups = found.figures(), found.prepared.settings, found.groups
    scores = _headlines(found, model, gold)
    pairs = Pairs(run, found)()
    paired, on_shared = counts.agreement.paired(), counts.on_shared()
    shared = None if on_shared is None else Slice(*on_shared)
    return Comparison(
        gold=gold,
        task=settings.task,
        by=found.by,
        systems=counts.systems,
        scores=scores,
        pairs=pairs,
        oracle=_oracle(found, scores),
        difficulty=counts.oracle.difficulty(),
        all_answers=paired[found.by] if paired else counts.agreement.all_answers(),
        correct_answers=counts.agreement.correct_answers(),
        labels=_labels(model, found.tallies_of(model), gold.labels),
        slices={name: _slices(model, *each) for name, each in counts.slices().items()},
        left_out=counts.left_out,
        shared=shared,
        resampling=cast(
            "ResamplingInfo",
            {
                **asdict(found.resampling),
                "of": groups[0] if found.has_groups else None,
                "few_documents": found.few_documents,
            },
        ),
        signature=_signature(found, gold.reading),
        notes=(
            *notes_on_gold(gold, task.unit_of(found.by)),
            *_notes_on_groups(asked, gold),
            *notes_on_settings(settings, counts.labels.values),
            *task.rules.notes(settings),
            *notes_on_comparison(counts.left_out, pairs, groups[0], settings.task, found.by, shared),
            *_notes_on_files(found),
        ),
        further_scores=_further(found, gold),
        paired=dict(paired),
        before=_before(found),
        page=run.page,
    )


def _headlines(found: ComparedRun, model: Formula, gold: GoldSummary) -> dict[str, float]:
    """The score of every system under a match model."""
    labels, is_empty = list(gold.labels), not gold.units
    return {name: headline(model, tally, labels, is_empty=is_empty) for name, tally in found.tallies_of(model).items()}


def _before(found: ComparedRun) -> dict[str, float]:
    """The score of every system on the gold standard as it was read, where it has overrides."""
    before = found.run.before
    if before is None:
        return {}
    model = declared_model(found.prepared.task.name, found.by).prepare(before.settings)
    labels, is_empty = list(before.gold.labels), not before.gold.units
    return {
        name: headline(model, tallies[model.scorer], labels, is_empty=is_empty)
        for name, tallies in before.tallies.items()
    }


def _further(found: ComparedRun, gold: GoldSummary) -> dict[str, dict[str, float]]:
    """Every system's other scores, beside the one that it is compared by."""
    scores = {model.name: _headlines(found, model, gold) for model in found.further}
    return {name: {model: score[name] for model, score in scores.items()} for name in found.run.systems if scores}


def _notes_on_groups(asked: ComparedRun, gold: GoldSummary) -> list[str]:
    """Why nothing is resampled though the user asks for it."""
    if asked.has_groups or not gold.units or not asked.resampling.is_wanted:
        return []
    return [nothing_to_resample(*asked.groups)]


def _notes_on_files(found: ComparedRun) -> tuple[str, ...]:
    """What a score of each system would say of the files, each said once."""
    gold = found.run.figures(found.gold_name)
    said: dict[str, None] = {}
    for name in found.run.systems:
        side, read_as = found.run.systems[name], found.prepared.read_as["gold"]
        each = found.prepared.task.evaluation.notes(gold, found.run.gold, name, side, read_as, identical=False)
        said |= dict.fromkeys(each)
    return tuple(said)


def _signature(found: ComparedRun, reading: ReadInfo) -> str:
    prepared, run, setting = found.prepared, found.run, found.resampling
    signatures = [
        signature(prepared.settings, prepared.read_as["gold"], run.atoms, reading, side.reading or ReadInfo())
        for side in run.systems.values()
    ]
    of = found.groups[0] if found.has_groups else "none"
    parts = [joint_signature(signatures), f"by:{found.by}", f"of:{of}", f"trials:{setting.trials}"]
    parts += [f"resamples:{setting.resamples}", f"interval:{setting.interval}"]
    return "|".join([*parts, f"level:{setting.level:g}", f"seed:{setting.seed}"])


def _oracle(found: ComparedRun, scores: Mapping[str, float]) -> OracleResult:
    oracle, counts = found.counts.oracle, found.counts
    exact = counts.agreement.bound(found.run.gold.labels.total())
    best = max(range(len(scores)), key=lambda number: scores[counts.systems[number]])
    return OracleResult(oracle.overall(), oracle.labels(counts.labels.values), oracle.sentences(), best, exact)


def _labels(model: Formula, tallies: Mapping[str, Tally], support: Mapping[str, int]) -> dict[str, Slice]:
    """The score of every system on every label, the most frequent first."""
    scored = _scored(model, tallies)
    labels = {label for rows in scored.values() for label in rows}
    if model.headline == "accuracy":  # a share of the gold standard's units, which other labels do not have
        labels &= support.keys()
    order = sorted(labels, key=lambda label: (-support.get(label, 0), label))
    return {label: _slice(model, label, support.get(label, 0), scored) for label in order}


def _slices(model: Formula, units: Mapping[str, int], tallies: Mapping[str, Tally]) -> dict[str, Slice]:
    """The score of every system on every slice, those first on which scores differ most."""
    scored = _scored(model, tallies)
    met = [value for value in units if units[value] or any(value in rows for rows in scored.values())]
    found = {value: _slice(model, value, units[value], scored) for value in met}
    spread = {value: max(each.scores.values()) - min(each.scores.values()) for value, each in found.items()}
    return dict(sorted(found.items(), key=lambda item: (-spread[item[0]], item[0])))


def _scored(model: Formula, tallies: Mapping[str, Tally]) -> dict[str, Mapping[str, Row]]:
    """For every system, the scores of all labels, or of the slices that stand for them."""
    return {name: score_tally(model, tally, {}).labels for name, tally in tallies.items()}


def _slice(model: Formula, label: str, units: int, scored: Mapping[str, Mapping[str, Row]]) -> Slice:
    rows = {name: found.get(label) for name, found in scored.items()}
    return Slice(units, {name: headline_of(model, row) if row else 0.0 for name, row in rows.items()})


# == api/compare.py (primary)


@checked_arguments(known_options)
def compare(
    gold: Input,
    systems: Sequence[Input] | Mapping[str, Input],
    *,
    by: str | None = None,
    baseline: str | None = None,
    sequence: bool = False,
    trials: int | None = None,
    resamples: int = 1_000,
    interval: Literal["percentile", "bca"] = "percentile",
    level: float = 0.95,
    seed: int = 0,
    of: Resampled | None = None,
    slices: str | Sequence[str] = (),
    vocabulary: str | PathLike[str] | Collection[str] | None = None,
    show: str | None = None,
    limit: int | None = None,
    top: int = 5,
    sort: Literal["frequency", "gain"] | None = None,
    **options: Any,
) -> Comparison:
    """Compare systems, in one pass over the gold standard: what changes from one to the other, and who is right.

    by         what is compared: "fair" or "exact" for spans, "accuracy" for tags, "las", "uas", "ls",
               "elas" or "eulas" for trees, "arcs_any" or "arcs_nom" for chains
    baseline   compare each system with this one only; sequence: each with the one before; without both, all pairs
    trials     of the approximate randomization; 0 for no tests; without it 10,000, or 80 for each pair, if that is more
               (100,000 at most)
    resamples  of the bootstrap, for the intervals of differences; 0 for none
    interval   "percentile", or "bca" (bias-corrected and accelerated)
    level      confidence level of intervals
    seed       of the random numbers: the same seed and systems give the same figures
    of         what tests and intervals resample: "documents" or "sentences"; without it, documents, or sentences if
               there is one document, or if systems differ in too few documents for any p-value below 0.05 (Holm);
               chains and links always by document
    slices     "length", "sentence-length", "vocabulary", "document", or columns of the gold standard; of chains also
               "pronoun", which is there wherever the gold standard has POS
    vocabulary a file with a word or phrase a line, or these themselves, for the slice "vocabulary"
    show       units to keep in `shown_units`: "correction", "new_error", "changed_error", "unsolved", "solved_once"
    limit      how many of them
    top        how many transitions of each class a report lists; `transitions` has them all
    sort       how a report lists labels: by "frequency", or by "gain" of the oracle; without it, the oracle's by
               frequency, and those of pairs by the size of the difference

    The other keywords are those of `score`, and so are the scores. A word of the gold standard that a system lacks is
    wrong for that system; `shared` has the scores on the words that all systems have.
    """
    sides, gold = systems_by_name(systems) or {}, side_of(gold)
    slices, words = split_names(slices), _word_list(vocabulary)
    if len(sides) < 2:
        raise SettingError("A comparison takes two systems at least.")
    if words is not None and "vocabulary" not in slices:
        raise SettingError("A word list is for the slice 'vocabulary'; name that too.")
    pairs = _pairs(list(sides), baseline, in_sequence=sequence)
    trials = default_trials(len(pairs)) if trials is None else trials
    resampling = Resampling.checked(trials, resamples, interval, level, seed, of)
    top = check_whole_number("top", top, 0)
    limit = None if limit is None else check_whole_number("limit", limit, 0)
    check_choice("sort", sort, ("frequency", "gain"), optional=True)
    if limit is not None and show is None:
        raise SettingError("A limit is one of units; say which ones with show.")
    wanted = None if show is None else Wanted(show, pairs, limit)
    run = ComparisonRun(gold, sides, pairs, by, resampling, options, slices, words)
    found = comparison(run, run(wanted))
    return replace(found, show=show, top=top, sort=sort, shown_units=() if wanted is None else tuple(wanted.found))


def _pairs(systems: list[str], baseline: str | None, *, in_sequence: bool) -> list[tuple[int, int]]:
    """The numbers of the systems that are compared with each other."""
    numbers = range(len(systems))
    if baseline is not None and in_sequence:
        raise SettingError("Systems are compared with a baseline or in a sequence, but not both.")
    if in_sequence:
        return list(pairwise(numbers))
    if baseline is None:
        return list(combinations(numbers, 2))
    if baseline not in systems:
        remedy = f"choose one of {', '.join(systems)}"
        raise SettingError(unknown(f"There is no system {baseline!r}", baseline, systems, remedy))
    first = systems.index(baseline)
    return [(first, other) for other in numbers if other != first]


def _word_list(given: str | PathLike[str] | Collection[str] | None) -> Collection[str] | None:
    """The lines of a file, or the words themselves."""
    if given is not None and not isinstance(given, str | PathLike | Iterable):
        raise SettingError(f"vocabulary is {quote(given)}; give a text file with a word a line, or a list of words.")
    if not isinstance(given, str | PathLike):
        return None if given is None else frozenset(given)
    lines = read_small_file(to_path(given), "word list").splitlines()
    return frozenset(line.strip() for line in lines if line.strip())
