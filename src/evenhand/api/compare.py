"""`compare`: gold standard and several systems in, what they differ in out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from os import PathLike
from typing import Any, Literal

from evenhand.api.comparison import comparison
from evenhand.api.comparison_run import ComparisonRun
from evenhand.api.significance import Resampling, default_trials
from evenhand.arguments import checked_arguments, shown, whole_number
from evenhand.comparison.units import Wanted
from evenhand.formats.addresses import place
from evenhand.formats.short_text import short_text
from evenhand.parameters import names
from evenhand.pipeline.inputs import Input, named, side_of
from evenhand.pipeline.options import known_options
from evenhand.problems import SettingError
from evenhand.result.comparison import Comparison
from evenhand.settings import Resampled, choose
from evenhand.suggestion import unknown


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
    sides, gold = named(systems) or {}, side_of(gold)
    slices, words = names(slices), _word_list(vocabulary)
    if len(sides) < 2:
        raise SettingError("A comparison takes two systems at least.")
    if words is not None and "vocabulary" not in slices:
        raise SettingError("A word list is for the slice 'vocabulary'; name that too.")
    pairs = _pairs(list(sides), baseline, in_sequence=sequence)
    trials = default_trials(len(pairs)) if trials is None else trials
    resampling = Resampling.checked(trials, resamples, interval, level, seed, of)
    top = whole_number("top", top, 0)
    limit = None if limit is None else whole_number("limit", limit, 0)
    choose("sort", sort, ("frequency", "gain"), optional=True)
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
        raise SettingError(f"vocabulary is {shown(given)}; give a text file with a word a line, or a list of words.")
    if not isinstance(given, str | PathLike):
        return None if given is None else frozenset(given)
    lines = short_text(place(given), "word list").splitlines()
    return frozenset(line.strip() for line in lines if line.strip())
