"""`compare`: gold standard and several systems in, what they differ in out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations, pairwise
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from evenhand.api.comparison import comparison
from evenhand.api.pairs import ComparedRun
from evenhand.api.significance import Resampling, default_trials
from evenhand.arguments import checked_arguments, shown, whole_number
from evenhand.comparison.counts import ComparisonCounts, Sought
from evenhand.comparison.slices import SLICES
from evenhand.comparison.units import Unit, Wanted
from evenhand.formats.addresses import place
from evenhand.formats.short_text import short_text
from evenhand.parameters import names
from evenhand.pipeline.groups import check_resampled
from evenhand.pipeline.inputs import Input, name_of, named
from evenhand.pipeline.options import Prepared, content_for, known_options, prepare
from evenhand.pipeline.work import Work
from evenhand.problems import SettingError
from evenhand.result.comparison import Comparison
from evenhand.settings import Resampled, choose, column_names
from evenhand.tasks.registry import TASKS, all_parameters, name_among
from evenhand.tasks.task import Content, Task
from evenhand.text.annotation import extra_layer
from evenhand.text.labels import Vocabulary


def without_effect() -> list[str]:
    """Options of `score` that change nothing that is compared."""
    parameters = [each for each in all_parameters().values() if not each.compares]
    return ["match", "groups", "jobs", "engine", *(name for each in parameters for name in (each.name, *each.former))]


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

    by         what is compared: "fair" or "exact" for spans, "accuracy" for tags, "las", "uas" or "ls" for trees,
               "arcs_any" or "arcs_nom" for chains
    baseline   compare each system with this one only; sequence: each with the one before; without both, all pairs
    trials     of the approximate randomization; 0 for no tests; without it 10,000, or 80 for each pair, if that is more
               (100,000 at most)
    resamples  of the bootstrap, for the intervals of differences; 0 for none
    interval   "percentile", or "bca" (bias-corrected and accelerated)
    level      confidence level of intervals
    seed       of the random numbers: the same seed and systems give the same figures
    of         what tests and intervals resample: "documents" or "sentences"; without it, documents, or sentences where
               there is one document; chains always by document
    slices     "length", "sentence-length", "vocabulary", "document", or columns of the gold standard; of chains also
               "pronoun", which is there wherever the gold standard has POS
    vocabulary a file with a word or phrase a line, or these themselves, for the slice "vocabulary"
    show       units to keep in `shown_units`: "correction", "new_error", "changed_error", "unsolved", "solved_once"
    limit      how many of them
    top        how many transitions of each class a report lists; `transitions` has them all
    sort       how a report lists labels: by "frequency", or by "gain" of the oracle; without it, the oracle's by
               frequency, and those of pairs by the size of the difference

    The other keywords are those of `score`. Tags and trees are compared on the words that all systems have.
    """
    sides = named(systems) or {}
    run = ComparisonRun(gold, sides, by, baseline, sequence, _word_list(vocabulary), names(slices), options, of)
    trials = default_trials(len(run.pairs)) if trials is None else trials
    resampling = Resampling.checked(trials, resamples, interval, level, seed)
    top = whole_number("top", top, 0)
    limit = None if limit is None else whole_number("limit", limit, 0)
    choose("sort", sort, ("frequency", "gain"), optional=True)
    if limit is not None and show is None:
        raise SettingError("A limit is one of units; say which ones with show.")
    wanted = None if show is None else Wanted(show, run.pairs, limit)
    compared = run(wanted)
    found = run.figures(compared, resampling, wanted.found if wanted is not None else ())
    return replace(found, show=show, top=top, sort=sort)


@dataclass
class ComparisonRun:
    """A comparison that can be run more than once: for its counts, and for the units behind them."""

    gold: Input
    systems: Mapping[str, Input]
    by: str | None
    baseline: str | None
    sequence: bool
    vocabulary: Collection[str] | None
    slices: tuple[str, ...]
    options: Mapping[str, Any]
    of: Resampled | None = None
    """What is to be resampled, if a user says so."""
    content: Content | None = None
    """What the gold standard is, if that is known."""

    def __post_init__(self) -> None:
        if len(self.systems) < 2:
            raise SettingError("A comparison takes two systems at least.")
        _check_effect(self.options)
        if self.vocabulary is not None and "vocabulary" not in self.slices:
            raise SettingError("A word list is for the slice 'vocabulary'; name that too.")
        self.prepared, self.by = prepare_comparison(
            self.gold, self.systems, self.by, self.of, self.options, self.content
        )
        asked = self.slices
        for name in asked:
            others = [task.name for task in TASKS.values() if name in task.slices]
            if others and self._task.name not in others:
                raise SettingError(f"The slice {name!r} is for {others[0]}; leave it out.")
        self.slices = (
            *asked,
            *(each for each in self._task.default_slices(self.prepared.content) if each not in asked),
        )
        self.pairs = self._pairs()

    @property
    def _task(self) -> Task:
        return self.prepared.task

    def _pairs(self) -> list[tuple[int, int]]:
        numbers = range(len(self.systems))
        if self.baseline is not None and self.sequence:
            raise SettingError("Systems are compared with a baseline or in a sequence, but not both.")
        if self.sequence:
            return list(pairwise(numbers))
        if self.baseline is None:
            return list(combinations(numbers, 2))
        names = list(self.systems)
        if self.baseline not in names:
            raise SettingError(f"There is no system {self.baseline!r}; choose one of {', '.join(names)}.")
        first = names.index(self.baseline)
        return [(first, other) for other in numbers if other != first]

    def __call__(self, wanted: Wanted | None) -> ComparedRun:
        prepared = self._with_slices()
        vocabulary, task, by = Vocabulary(), self._task, str(self.by)
        sought = Sought(self.slices, self.vocabulary, wanted)
        counts = ComparisonCounts(
            task, prepared.settings, by, list(self.systems), self.pairs, vocabulary.labels, sought
        )
        models = () if task.compares_shared else prepared.settings.match
        work = Work(self.gold, self.systems, prepared, models, "finest")
        layers = (*self.slices, *map(extra_layer, prepared.read_as["gold"].extra))
        run = work.run([counts], vocabulary, layers)
        return ComparedRun(name_of(self.gold), run, counts, prepared, self.of)

    def _with_slices(self) -> Prepared:
        """The settings, with the columns of the gold standard that are slices."""
        known = (*SLICES, *self._task.slices)
        columns = column_names([name for name in self.slices if name not in known])
        read_as = self.prepared.read_as
        changed = {"gold": replace(read_as["gold"], extra=columns), "system": read_as["system"]}
        return replace(self.prepared, read_as=changed)

    def figures(self, compared: ComparedRun, resampling: Resampling, shown: Sequence[Unit] = ()) -> Comparison:
        """All figures of a run, with what reads the files again."""
        found = comparison(compared, resampling, self.units, shown)
        return replace(found, page=partial(self.page, resampling))

    def units(self, kind: str, pair: tuple[int, int]) -> list[Unit]:
        """A second pass, for the units of one class of one pair."""
        asked = Wanted(kind, [pair])
        self(asked)
        return asked.found

    def page(self, resampling: Resampling, path: str | Path | None) -> str:
        """A report on the same systems, which is loaded late as it compares them itself."""
        from evenhand.api.report import report

        by = self.by if self.by in self._task.reported_by else None
        return report(self.gold, self.systems, by=by, of=self.of, **asdict(resampling), **self.options).to_html(path)


def prepare_comparison(
    gold: Input,
    systems: Mapping[str, Input],
    by: str | None,
    of: Resampled | None,
    options: Mapping[str, Any],
    content: Content | None = None,
) -> tuple[Prepared, str]:
    """The settings of a comparison, and what systems are compared by."""
    content = content or content_for(gold, options)
    task = TASKS[content.task]
    check_resampled(of, task.name)
    score = name_among(task.name, by or task.compared_by[0], task.compared_by)
    if score is None:
        raise SettingError(f"by is {by!r}; choose one of {', '.join(task.compared_by)} for {task.name}.")
    chosen = {**options, "match": task.compared_models(score, content)}
    return prepare(gold, systems, chosen, content), score


def _check_effect(options: Mapping[str, Any]) -> None:
    """Refuse options that change nothing that is compared."""
    parameters = all_parameters()
    for name in without_effect():
        value = options.get(name)
        default = parameters[name].default if name in parameters else None
        if value is not None and value is not False and value not in ("", (), [], default):
            raise SettingError(f"{name} does nothing in a comparison; leave it out.")


def _word_list(given: str | PathLike[str] | Collection[str] | None) -> Collection[str] | None:
    """The lines of a file, or the words themselves."""
    if given is not None and not isinstance(given, str | PathLike | Iterable):
        raise SettingError(f"vocabulary is {shown(given)}; give a text file with a word a line, or a list of words.")
    if not isinstance(given, str | PathLike):
        return None if given is None else frozenset(given)
    lines = short_text(place(given), "word list").splitlines()
    return frozenset(line.strip() for line in lines if line.strip())
