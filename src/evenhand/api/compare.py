"""`compare`: gold standard and several systems in, what they differ in out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations, pairwise
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Unpack

from evenhand.api.comparison import comparison
from evenhand.api.pairs import Compared
from evenhand.api.significance import Resampling, default_trials
from evenhand.arguments import checked_arguments, shown, whole_number
from evenhand.comparison.collection import Collecting
from evenhand.comparison.counts import Comparing
from evenhand.comparison.slices import SLICES
from evenhand.comparison.units import Unit, Wanted
from evenhand.formats.addresses import place
from evenhand.formats.short_text import short_text
from evenhand.pipeline.groups import check_resampled
from evenhand.pipeline.inputs import Side, name_of, named, open_chains, open_inputs, open_words, same_positions
from evenhand.pipeline.options import Options, Prepared, content_for, listed, prepare, with_pos
from evenhand.pipeline.serial import run_serial
from evenhand.problems import SettingError
from evenhand.result.comparison import Comparison
from evenhand.settings import CHAIN_MODELS, COMPARED_BY, ReadSettings, Resampled, ScoreSettings, choose, column_names
from evenhand.tasks.chains.comparison import ChainComparing
from evenhand.tasks.chains.judging import ChainRun
from evenhand.tasks.spans.comparison import SpanComparing
from evenhand.tasks.words.comparison import WordComparing
from evenhand.text.annotation import extra_layer
from evenhand.text.labels import Vocabulary

WITHOUT_EFFECT = (
    *("match", "groups", "jobs", "engine", "supertag", "baselines", "weights", "token_weight"),
    *("separator_weight", "spurious", "missing", "iou"),
)
"""Options of `score` that change nothing that is compared."""


@checked_arguments(Options.__optional_keys__)
def compare(
    gold: Side,
    systems: Sequence[Side] | Mapping[str, Side],
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
    **options: Unpack[Options],
) -> Comparison:
    """Compare systems, in one pass over the gold standard: what changes from one to the other, and who is right.

    by         what is compared: "fair" or "exact" for spans, "accuracy" for tags, "las", "uas" or "ls" for trees,
               "arcs_any" or "arcs_nom" for chains
    baseline   compare each system with this one only; sequence: each with the one before; without both, all pairs
    trials     of the approximate randomization; 0 for no tests; without it 10,000, or 80 for each pair, if that is more
               (100,000 at most)
    resamples  of the bootstrap, for the intervals of differences; 0 for none
    interval   "percentile", or "bca" (bias-corrected and accelerated)
    level      what share of the resamples an interval holds
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
    run = ComparisonRun(gold, sides, by, baseline, sequence, _word_list(vocabulary), listed(slices), options, of)
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

    gold: Side
    systems: Mapping[str, Side]
    by: str | None
    baseline: str | None
    sequence: bool
    vocabulary: Collection[str] | None
    slices: tuple[str, ...]
    options: Options
    of: Resampled | None = None
    """What is to be resampled, if a user says so."""

    least: int = 2
    """How many systems there must be."""

    def __post_init__(self) -> None:
        if len(self.systems) < self.least:
            raise SettingError("A comparison takes two systems at least.")
        content = content_for(self.gold, self.options)
        task = content.task
        check_resampled(self.of, task)
        choices = COMPARED_BY[task]
        self.by = self.by or choices[0]
        if self.by not in choices:
            raise SettingError(f"by is {self.by!r}; choose one of {', '.join(choices)} for {task}.")
        given: Mapping[str, Any] = self.options
        for name in WITHOUT_EFFECT:
            value = given.get(name)
            if (
                value is not None
                and value is not False
                and value not in ("", (), [], getattr(ScoreSettings, name, None))
            ):
                raise SettingError(f"{name} does nothing in a comparison; leave it out.")
        if self.vocabulary is not None and "vocabulary" not in self.slices:
            raise SettingError("A word list is for the slice 'vocabulary'; name that too.")
        chosen: Any = {**self.options, "match": (self.by,)}
        if task == "chains":
            chosen["match"] = with_pos(CHAIN_MODELS, content) if self.by == "arcs_any" else CHAIN_MODELS
            if content.has_pos and "pronoun" not in self.slices:
                self.slices = (*self.slices, "pronoun")
        self.prepared: Prepared = prepare(self.gold, self.systems, chosen)
        self.pairs = self._pairs()

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

    def __call__(self, wanted: Wanted | None, collecting: Collecting | None = None) -> Compared:
        task = self.prepared.settings.task
        vocabulary = Vocabulary()
        comparing = Comparing(
            list(self.systems),
            self.pairs,
            vocabulary.labels,
            task=task,
            slices=self.slices,
            vocabulary=self.vocabulary,
            wanted=wanted,
            collecting=collecting,
        )
        return {"spans": self._spans, "chains": self._chains}.get(task, self._words)(comparing, vocabulary)

    def figures(self, compared: Compared, resampling: Resampling, shown: Sequence[Unit] = ()) -> Comparison:
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

        by = None if self.by == "exact" else self.by
        return report(self.gold, self.systems, by=by, of=self.of, **asdict(resampling), **self.options).to_html(path)

    def _spans(self, comparing: Comparing, vocabulary: Vocabulary) -> Compared:
        settings, by = self.prepared.settings, str(self.by)
        read_as = self._with_slices()
        inputs = open_inputs(self.gold, self.systems, read_as, settings.align, vocabulary)
        watch = SpanComparing(comparing, by)
        run = run_serial(inputs.gold, inputs.feeds, vocabulary, settings, [by], "finest", inputs.gold_layer, watch)
        return Compared(name_of(self.gold), run, comparing, self.prepared, by, of=self.of)

    def _chains(self, comparing: Comparing, vocabulary: Vocabulary) -> Compared:
        settings, by = self.prepared.settings, str(self.by)
        key, streams = open_chains(self.gold, self.systems, self._with_slices(), vocabulary)
        chains = ChainRun(streams, key, vocabulary, settings)
        watch = ChainComparing(comparing, by, settings, chains.types)
        run = chains("finest", watch)
        return Compared(name_of(self.gold), run, comparing, self.prepared, by, paired=watch.paired(), of=self.of)

    def _words(self, comparing: Comparing, vocabulary: Vocabulary) -> Compared:
        settings, by = self.prepared.settings, str(self.by)
        read_as = self._with_slices()
        golds, streams = open_words(self.gold, self.systems, read_as, vocabulary)
        golds, streams, by_position = same_positions(golds, streams, settings.align)
        columns = {side: next(iter(read_as[side].columns), None) for side in ("gold", "system")}
        layers = (*self.slices, *map(extra_layer, read_as["gold"].extra))
        words = WordComparing(streams, vocabulary, settings, columns, comparing, by, layers, by_position=by_position)
        run = words(golds, "finest")
        return Compared(name_of(self.gold), run, comparing, self.prepared, by, words.left_out, of=self.of)

    def _with_slices(self) -> dict[str, ReadSettings]:
        """How sides are read, with the columns of the gold standard that are slices."""
        columns = column_names([name for name in self.slices if name not in SLICES])
        read_as = self.prepared.read_as
        return {"gold": replace(read_as["gold"], extra=columns), "system": read_as["system"]}


def _word_list(given: str | PathLike[str] | Collection[str] | None) -> Collection[str] | None:
    """The lines of a file, or the words themselves."""
    if given is not None and not isinstance(given, str | PathLike | Iterable):
        raise SettingError(f"vocabulary is {shown(given)}; give a text file with a word a line, or a list of words.")
    if not isinstance(given, str | PathLike):
        return None if given is None else frozenset(given)
    lines = short_text(place(given), "word list").splitlines()
    return frozenset(line.strip() for line in lines if line.strip())
