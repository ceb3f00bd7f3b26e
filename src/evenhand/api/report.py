"""`report`: gold standard and systems in, one page with scores, differences and the units behind them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from evenhand.api.compare import ComparisonRun, prepare_comparison, without_effect
from evenhand.api.pairs import ComparedRun
from evenhand.api.rank import ranked
from evenhand.api.results import results_of
from evenhand.api.significance import Resampling, default_trials
from evenhand.arguments import checked_arguments, whole_number
from evenhand.comparison.collection import Collection
from evenhand.comparison.counts import ComparisonCounts, Sought
from evenhand.pipeline.groups import resampled_groups
from evenhand.pipeline.inputs import Input, name_of, named
from evenhand.pipeline.options import content_for, known_options, prepare
from evenhand.pipeline.run import Run
from evenhand.pipeline.work import Work
from evenhand.problems import SettingError
from evenhand.result.comparison import Comparison
from evenhand.result.ranking import Ranking
from evenhand.result.report import Report
from evenhand.result.result import Results
from evenhand.settings import Groups, Resampled, choose
from evenhand.tasks.registry import TASKS, name_among
from evenhand.text.labels import Vocabulary

DEFAULT_LIMIT = 50_000
_MOST_TRANSITIONS = 50
"""How many transitions of each class a page lists."""


@checked_arguments(known_options)
def report(
    gold: Input,
    systems: Input | Sequence[Input] | Mapping[str, Input],
    *,
    title: str | None = None,
    by: str | None = None,
    limit: int = DEFAULT_LIMIT,
    trials: int | None = None,
    resamples: int = 1_000,
    interval: Literal["percentile", "bca"] = "percentile",
    level: float = 0.95,
    seed: int = 0,
    of: Resampled | None = None,
    **options: Any,
) -> Report:
    """Score, rank and compare systems, and collect the units behind the figures; `to_html` writes one page.

    title      of the page [the names of the systems, or how many they are]
    by         what units are compared by, as in `compare`; spans always by "fair"
    limit      how many units the page carries: those that systems have wrong or treat differently before others
    trials, resamples, interval, level, seed, of
               of tests and intervals, as in `compare`

    The other keywords are those of `score`.
    """
    limit = whole_number("limit", limit, 0)
    sides = named(systems) or {}
    number = len(sides) * (len(sides) - 1) // 2
    trials = default_trials(max(number, 1)) if trials is None else trials
    resampling = Resampling.checked(trials, resamples, interval, level, seed)
    found = _Pass(gold, sides, by, of, options, limit)
    comparison = found.comparison(resampling) if len(sides) > 1 else None
    return Report(
        title=title or f"{', '.join(sides) if len(sides) < 6 else f'{len(sides)} systems'} on {name_of(gold)}",
        results=found.results(),
        ranking=found.ranking(resampling),
        comparison=comparison,
        by=found.by,
        units=found.units,
        labels=tuple(found.counts.labels.values),
    )


class _Pass:
    """One pass over all files, from which scores, ranks, differences and units come."""

    def __init__(
        self,
        gold: Input,
        systems: Mapping[str, Input],
        by: str | None,
        of: Resampled | None,
        options: Mapping[str, Any],
        limit: int,
    ) -> None:
        self._gold, self._of, self.units = gold, of, Collection(limit)
        content = content_for(gold, options)
        task = TASKS[content.task]
        if by is not None and name_among(task.name, by, task.reported_by) is None:
            names = " or ".join(task.reported_by)
            raise SettingError(f"A report compares {task.name} by {names}, whose verdicts tell the kinds of errors.")
        match = options.get("match") or task.match(content)
        choose("groups", options.get("groups", "total"), get_args(Groups))
        if options.get("groups", "total") != "total":
            raise SettingError("groups does nothing in a report; say with `of` what is resampled.")
        self._scoring = prepare(gold, systems, {**options, "match": match}, content)
        compared = {name: value for name, value in options.items() if name not in without_effect()}
        self._comparing, self.by = prepare_comparison(gold, systems, by, of, compared, content)
        self._comparison: ComparisonRun | None = None
        pairs: Sequence[tuple[int, int]] = ()
        slices: tuple[str, ...] = ()
        if len(systems) > 1:
            self._comparison = ComparisonRun(gold, systems, self.by, None, False, None, (), compared, of, content)
            pairs, slices = self._comparison.pairs, self._comparison.slices
        vocabulary = Vocabulary()
        self.counts = ComparisonCounts(
            *(task, self._comparing.settings, self.by, list(systems), pairs, vocabulary.labels),
            Sought(slices, collection=self.units),
        )
        self._run = self._pass(gold, systems, vocabulary)

    def _pass(self, gold: Input, systems: Mapping[str, Input], vocabulary: Vocabulary) -> Run:
        settings, compared = self._scoring.settings, self._comparing.settings.match
        asked = () if self._scoring.task.compares_shared else compared
        models = tuple(dict.fromkeys((*settings.match, *asked)))
        prepared = replace(self._scoring, settings=replace(settings, match=models))
        return Work(gold, systems, prepared, models, "finest", with_totals=True).run([self.counts], vocabulary)

    def results(self) -> Results:
        """The scores, as totals."""
        totals = {
            name: {judge: tally.total() for judge, tally in tallies.items()}
            for name, tallies in self._run.tallies.items()
        }
        return results_of(name_of(self._gold), replace(self._run, tallies=totals), self._scoring, "total")

    def ranking(self, resampling: Resampling) -> Ranking:
        run = self._run
        kind, _ = resampled_groups(self._of, self._scoring.settings.task, run.documents, run.sentences)
        tallies = run.by_document(run.tallies) if kind == "documents" else run.tallies
        results = results_of(name_of(self._gold), replace(run, tallies=tallies), self._scoring, "finest")
        return ranked(results, resampling.resamples, resampling.level, resampling.seed, self._of)[0]

    def comparison(self, resampling: Resampling) -> Comparison:
        assert self._comparison is not None
        compared = ComparedRun(name_of(self._gold), self._run, self.counts, self._comparing, self._of)
        return replace(self._comparison.figures(compared, resampling), top=_MOST_TRANSITIONS)
