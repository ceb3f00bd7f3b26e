"""Counts of agreement that add up over documents: patterns of codes, lengths of units, and verdicts on pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from evenhand.agreement.annotators import SharedText
from evenhand.agreement.codes import Codebook
from evenhand.agreement.continuum import Continuum
from evenhand.agreement.counts import Counts, PatternCounts, Sums, reversed_judge, stacked_judge
from evenhand.agreement.patterns import MISSING, OUTSIDE
from evenhand.agreement.unitizing import overlaps, squares
from evenhand.agreement.units import Units, units_of
from evenhand.arrays import Bools, Ints, ints, zeros
from evenhand.limits import LimitError
from evenhand.problems import InputError
from evenhand.scores.model import Judge
from evenhand.settings import ScoreSettings
from evenhand.tally import Tally
from evenhand.tasks.spans.question import Context, Question
from evenhand.text.layers import Spans

_MOST = 16
"""How many tallies wait until they are added up."""


class Counting:
    """Adds up what portions have."""

    def __init__(
        self,
        names: Sequence[str],
        judges: Sequence[Judge],
        settings: ScoreSettings,
        book: Codebook,
        continuum: Continuum | None = None,
        wholes: Continuum | None = None,
        *,
        is_unitized: bool = True,
    ) -> None:
        """Where somebody asks, `continuum` collects units for alpha_U, and `wholes` spans with their gaps for gamma.

        Unless the text `is_unitized`, each atom has its own code, and atoms without one have no part in anything.
        """
        self._continuum, self._wholes = continuum, wholes
        self._names, self._judges, self._settings, self.book = names, judges, settings, book
        self._is_unitized = is_unitized
        self._pairs = list(combinations(range(len(names)), 2))
        self._patterns = PatternCounts(len(names))
        self._squares, self._crossing, self._sizes = Sums(), Sums(), Sums()
        self._tallies: dict[tuple[int, str], list[Tally]] = {}
        self._overlapping, self._units = zeros(len(names)).copy(), zeros(len(names)).copy()
        self._has: dict[int, Bools] = {}
        self._labels: list[dict[str, int]] = [{} for _ in names]

    def add(self, text: SharedText) -> None:
        """Add a portion."""
        first, size = np.cumsum(text.lengths) - text.lengths, int(text.lengths.sum())
        units = [units_of(_with(*both), first, size) for both in zip(text.spans, text.continued, strict=True)]
        self._count_sides(text, units)
        if self._continuum is not None:
            self._continuum.add(text.documents, text.lengths, units)
        if self._wholes is not None:
            filled = [replace(spans, shape=np.zeros_like(spans.shape)) for spans in text.spans]
            self._wholes.add(text.documents, text.lengths, [units_of(spans, first, size) for spans in filled])
        touched = np.zeros(size, dtype=np.bool_)
        for each in units:
            touched[each.atoms()[0]] = True
        atoms = np.flatnonzero(touched)
        rank = np.cumsum(touched) - 1
        self._count_codes(text, units, atoms, rank, first)
        if self._is_unitized:
            self._count_lengths(text, units, first, rank, len(atoms))
            self._count_pairs(text, units)

    def _count_sides(self, text: SharedText, units: Sequence[Units]) -> None:
        """Who has which documents, how many spans, and how many that overlap."""
        document, place = np.unique(text.documents, return_index=True)
        self._has |= dict(zip(document.tolist(), text.has[place], strict=True))
        for side, (spans, each) in enumerate(zip(text.spans, units, strict=True)):
            self._units[side] += len(spans)
            self._overlapping[side] += each.overlapping()
            names, found = spans.vocabulary.labels.values, self._labels[side]
            for code, count in enumerate(np.bincount(spans.label).tolist()):
                if count:
                    found[names[code]] = found.get(names[code], 0) + count

    def _count_codes(self, text: SharedText, units: Sequence[Units], atoms: Ints, rank: Ints, first: Ints) -> None:
        """The patterns of atoms that somebody labels, and of all others, by document."""
        sentence = np.searchsorted(first, atoms, side="right") - 1
        codes = np.stack([self.book.of(each, rank, len(atoms)) for each in units], axis=1)
        has = text.has[sentence]
        if not has.all():
            codes = np.where(has, codes, MISSING)
        self._patterns.add(text.documents[sentence], codes)
        if not self._is_unitized:
            return
        rest = text.lengths - np.bincount(sentence, minlength=len(text.lengths))
        self._patterns.add(text.documents, np.where(text.has, OUTSIDE, MISSING), ints(rest))

    def _count_lengths(self, text: SharedText, units: Sequence[Units], first: Ints, rank: Ints, size: int) -> None:
        """Squares of lengths, and of what the other annotator of a pair labels of a unit; by document and label."""
        places = {pair: number for number, pair in enumerate(self._pairs)}
        for side, each in enumerate(units):
            if not len(each):
                continue
            document = text.documents[np.searchsorted(first, each.start, side="right") - 1]
            self._squares.add(document, np.full(len(each), side), each.label, squares(each))
            partners = [other for other in range(len(units)) if other != side]
            crossed = overlaps(each, [units[other] for other in partners], rank, size)
            for other, square in zip(partners, crossed, strict=True):
                pair = places[min(side, other), max(side, other)]
                self._crossing.add(document, np.full(len(each), pair), each.label, square)

    def _count_pairs(self, text: SharedText, units: Sequence[Units]) -> None:
        """What the judges say of pairs, in documents that both annotators have."""
        context = Context(text.documents, text.lengths, None, self._settings)
        is_flat = [each.overlapping() == 0 for each in units]
        for number, (one, other) in enumerate(self._pairs):
            both = text.has[:, one] & text.has[:, other]
            if not both.any():
                continue
            sides = [_within(text.spans[side], both) for side in (one, other)]
            try:
                found = self._judged(Question(sides[0], sides[1], context))
                self._keep(number, str, found)
                if not (is_flat[one] and is_flat[other]):
                    self._keep(number, stacked_judge, found)
                    self._keep(number, reversed_judge, self._judged(Question(sides[1], sides[0], context)))
            except LimitError as error:
                source = text.portion.batches[0].corpus.source
                raise InputError(source, None, error.finding, error.remedy) from None

    def _judged(self, question: Question) -> dict[str, Tally]:
        """What each judge counts."""
        return {judge.name: judge.count(question) for judge in self._judges if judge.count is not None}

    def _keep(self, pair: int, spell: Callable[[str], str], found: Mapping[str, Tally]) -> None:
        for judge, tally in found.items():
            waiting = self._tallies.setdefault((pair, spell(judge)), [])
            waiting.append(tally)
            if len(waiting) > _MOST:
                waiting[:] = [Tally.merge(waiting)]

    def finish(self, documents: int) -> Counts:
        """All that was counted."""
        has = np.zeros((documents, len(self._names)), dtype=np.bool_)
        for number, row in self._has.items():
            has[number] = row
        tallies = {key: Tally.merge(parts) for key, parts in self._tallies.items()}
        return Counts(
            tuple(self._names),
            self._pairs,
            has,
            *self._patterns.finish(len(self.book)),
            self._squares.finish(),
            self._crossing.finish(),
            tallies,
            self._overlapping,
            self._units,
            self._labels,
        )


def _with(spans: Spans, continued: Spans | None) -> Spans:
    return spans if continued is None else Spans.concatenate([spans, continued], [0, 0])


def _within(spans: Spans, kept: Bools) -> Spans:
    """The spans in some sentences."""
    return spans if kept.all() else spans.take(np.flatnonzero(kept[spans.scope]))
