"""The counts of an agreement, by document, and the statistics of these counts, which can be resampled.

Counts are patterns of codes, lengths of units, and tallies of pairs. `DocumentCounter` counts annotators whose
positions have codes; `count_by_keys` scores annotators without codes, each of them in turn as the key for the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from evenhand.agreement import unitizing
from evenhand.agreement.annotators import SharedText
from evenhand.agreement.coefficients import (
    AC1,
    ALPHA,
    FLEISS,
    KAPPA,
    MISSING,
    OBSERVED,
    OUTSIDE,
    AnnotatorSpans,
    Codebook,
    Coefficient,
    Patterns,
    defined,
    exact_sums,
    mean_defined,
    ratio,
    units_of,
)
from evenhand.alignment.documents import ANNOTATORS
from evenhand.arrays import Bools, Ints, Values, empty, ints, ones, zeros
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.layers import Spans
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, LimitError
from evenhand.pipeline.inputs import Input, RunConfig, open_files
from evenhand.pipeline.run import Job, Run
from evenhand.scoring.measure import Formula, MeanOf, Scorer
from evenhand.scoring.tally import Tally
from evenhand.settings import Atoms, ScoreSettings, system_settings
from evenhand.tasks.spans.matching import Context, SpanPair

QUANTIFIERS = ("all", "any", "every")
JOINT = (OBSERVED, FLEISS, ALPHA, AC1)
"""The coefficients of any number of annotators at once."""
_MAX_PARTS = 16
"""Number of counts that are collected before they are added up."""


@dataclass(frozen=True)
class CountRows:
    """Sparse counts by document and code: a pattern, or an annotator."""

    document: Ints
    code: Ints
    count: Ints

    @staticmethod
    def merge(parts: Sequence[CountRows]) -> CountRows:
        """Add up rows with the same document and code."""
        document, code, count = (
            np.concatenate([empty(), *(getattr(part, name) for part in parts)])
            for name in ("document", "code", "count")
        )
        codes = int(code.max(initial=0)) + 1
        cell, index = np.unique(document * codes + code, return_inverse=True)
        return CountRows(*np.divmod(cell, codes), ints(np.bincount(index, count, minlength=len(cell))))

    def table(self, documents: int, codes: int) -> Values:
        """The counts, (documents, codes)."""
        counts = np.bincount(self.document * codes + self.code, self.count, minlength=documents * codes)
        return counts.reshape(documents, codes).astype(np.float64)


def _reversed_name(scorer: str) -> str:
    """The name of a scorer's counts with the second annotator of a pair as the key."""
    return f"{scorer} reversed"


def _stacked_name(scorer: str) -> str:
    """The name of a scorer's counts on parts in which spans of an annotator overlap."""
    return f"{scorer} of overlapping spans"


def _distinct_rows(codes: Ints) -> tuple[Ints, Ints]:
    """The number of each row among the distinct rows, and the first row of each number."""
    base = int(codes.max(initial=0)) + 2
    key, limit = np.zeros(len(codes), dtype=np.int64), 1
    for column in codes.T:
        if limit > 2**62 // base:  # the key would overflow with more annotators
            key = np.unique(key, return_inverse=True)[1]
            limit = int(key.max()) + 1
        key, limit = key * base + column + 1, limit * base
    _, first, index = np.unique(key, return_index=True, return_inverse=True)
    return index, first


@dataclass(frozen=True)
class AnnotatorCounts:
    """The counts of all annotators and of all their pairs."""

    names: tuple[str, ...]
    pairs: Sequence[tuple[int, int]]
    has: Bools
    """Whether each annotator has each document: an array of the shape (documents, annotators)."""
    patterns: Patterns
    pattern_rows: CountRows
    squares: CountRows
    """Σ l² by document and annotator."""
    crossing: Mapping[tuple[int, int], int]
    """Σ (positions of a unit that the other one labels)² by pair and label."""
    tallies: Mapping[tuple[int, str], Tally]
    """By pair and scorer, also with the second annotator as the key (`_reversed_name`); groups are documents.

    Parts without overlapping spans are not scored in reverse. So parts with overlapping spans are also counted
    separately (`_stacked_name`).
    """
    overlapping: Ints
    """Number of units of each annotator that overlap with another one."""
    units: Ints
    labels: Sequence[Mapping[str, int]]

    @property
    def documents(self) -> int:
        return len(self.has)

    def by_document(self, weights: Values) -> Values:
        """Sum `weights`, one row per pattern, over the positions of each document: an array (documents, columns)."""
        rows = self.pattern_rows
        columns = [np.bincount(rows.document, column[rows.code] * rows.count, self.documents) for column in weights.T]
        return np.stack(columns, axis=1)

    def total(self) -> Values:
        """The frequency of each pattern."""
        rows = self.pattern_rows
        return np.bincount(rows.code, rows.count, minlength=len(self.patterns)).astype(np.float64)


class DocumentCounter:
    """Counts the parts of a text."""

    def __init__(
        self,
        names: Sequence[str],
        scorers: Sequence[Scorer],
        settings: ScoreSettings,
        book: Codebook,
        continuum: unitizing.Continuum | None = None,
        wholes: unitizing.Continuum | None = None,
        *,
        is_unitized: bool = True,
    ) -> None:
        """`continuum` collects units for alpha_U, and `wholes` spans with their gaps for gamma, if requested.

        Unless the text `is_unitized`, each position has a code, and positions without one are not counted.
        """
        self._continuum, self._wholes = continuum, wholes
        self._names, self._scorers, self._settings, self.book = names, scorers, settings, book
        self._is_unitized = is_unitized
        self._pairs = list(combinations(range(len(names)), 2))
        self._patterns: dict[bytes, int] = {}
        self._pattern_rows: list[CountRows] = []
        self._squares: list[CountRows] = []
        self._crossing: Counter[tuple[int, int]] = Counter()
        self._tallies: dict[tuple[int, str], list[Tally]] = {}
        self._overlapping, self._units = zeros(len(names)).copy(), zeros(len(names)).copy()
        self._has: dict[int, Bools] = {}
        self._labels: list[dict[str, int]] = [{} for _ in names]

    def add(self, text: SharedText) -> None:
        """Count a part."""
        first, size = np.cumsum(text.lengths) - text.lengths, int(text.lengths.sum())
        units = [units_of(spans, first, size) for spans in text.spans]
        self._count_sides(text, units)
        if self._continuum is not None:
            self._continuum.add(text.documents, text.lengths, units)
        if self._wholes is not None:
            filled = [replace(spans, shape=np.zeros_like(spans.shape)) for spans in text.spans]
            self._wholes.add(text.documents, text.lengths, [units_of(spans, first, size) for spans in filled])
        touched = np.zeros(size, dtype=np.bool_)
        for unit in units:
            touched[unit.atoms()[0]] = True
        atoms = np.flatnonzero(touched)
        rank = np.cumsum(touched) - 1
        self._count_codes(text, units, atoms, rank, first)
        if self._is_unitized:
            self._count_lengths(text, units, first, rank, len(atoms))
            self._count_pairs(text, units)

    def _count_sides(self, text: SharedText, units: Sequence[AnnotatorSpans]) -> None:
        document, first = np.unique(text.documents, return_index=True)
        self._has |= dict(zip(document.tolist(), text.has[first], strict=True))
        for side, (spans, unit) in enumerate(zip(text.spans, units, strict=True)):
            self._units[side] += len(spans)
            self._overlapping[side] += unit.overlapping()
            names, labels = spans.vocabulary.labels.values, self._labels[side]
            for code, count in enumerate(np.bincount(spans.label).tolist()):
                if count:
                    labels[names[code]] = labels.get(names[code], 0) + count

    def _count_codes(
        self, text: SharedText, units: Sequence[AnnotatorSpans], atoms: Ints, rank: Ints, first: Ints
    ) -> None:
        """Count the patterns of labeled positions and of all others, by document."""
        sentence = np.searchsorted(first, atoms, side="right") - 1
        codes = np.stack([self.book.of(unit, rank, len(atoms)) for unit in units], axis=1)
        has = text.has[sentence]
        if not has.all():
            codes = np.where(has, codes, MISSING)
        self._count_patterns(text.documents[sentence], codes, ones(len(codes)))
        if self._is_unitized:
            unlabeled = text.lengths - np.bincount(sentence, minlength=len(text.lengths))
            self._count_patterns(text.documents, np.where(text.has, OUTSIDE, MISSING), ints(unlabeled))

    def _count_patterns(self, document: Ints, codes: Ints, count: Ints) -> None:
        """Count the codes of positions, one row per `count` positions."""
        index, first = _distinct_rows(codes)
        rows = [row.tobytes() for row in codes[first].astype(np.int64)]
        number = ints([self._patterns.setdefault(row, len(self._patterns)) for row in rows])[index]
        _collect(self._pattern_rows, CountRows(document, number, count))

    def _count_lengths(
        self, text: SharedText, units: Sequence[AnnotatorSpans], first: Ints, rank: Ints, size: int
    ) -> None:
        """Add squares of lengths, and of the positions of a unit that the other annotator of a pair labels."""
        numbers = {pair: number for number, pair in enumerate(self._pairs)}
        for side, unit in enumerate(units):
            if not len(unit):
                continue
            document = text.documents[np.searchsorted(first, unit.start, side="right") - 1]
            _collect(self._squares, CountRows(document, np.full(len(unit), side), unit.length**2))
            partners = [other for other in range(len(units)) if other != side]
            crossed = unitizing.overlaps(unit, [units[other] for other in partners], rank, size)
            for other, square in zip(partners, crossed, strict=True):
                pair = numbers[min(side, other), max(side, other)]
                by_label = ints(np.bincount(unit.label, square)).tolist()
                self._crossing.update({(pair, label): squares for label, squares in enumerate(by_label)})

    def _count_pairs(self, text: SharedText, units: Sequence[AnnotatorSpans]) -> None:
        """Run the scorers on pairs, in documents that both annotators have."""
        context = Context(text.documents, text.lengths, None, self._settings)
        is_flat = [unit.overlapping() == 0 for unit in units]
        for number, (one, other) in enumerate(self._pairs):
            both = text.has[:, one] & text.has[:, other]
            if not both.any():
                continue
            sides = [_within(text.spans[side], both) for side in (one, other)]
            try:
                tallies = self._score(SpanPair(sides[0], sides[1], context))
                self._keep(number, str, tallies)
                if not (is_flat[one] and is_flat[other]):
                    self._keep(number, _stacked_name, tallies)
                    self._keep(number, _reversed_name, self._score(SpanPair(sides[1], sides[0], context)))
            except LimitError as error:
                raise InputError(text.part.gold[0].corpus.source, None, error.finding, error.remedy) from None

    def _score(self, pair: SpanPair) -> dict[str, Tally]:
        return {scorer.name: scorer.count(pair) for scorer in self._scorers if scorer.count is not None}

    def _keep(self, pair: int, rename: Callable[[str], str], tallies: Mapping[str, Tally]) -> None:
        for scorer, tally in tallies.items():
            _collect(self._tallies.setdefault((pair, rename(scorer)), []), tally)

    def finish(self, documents: int) -> AnnotatorCounts:
        has = np.zeros((documents, len(self._names)), dtype=np.bool_)
        for number, row in self._has.items():
            has[number] = row
        codes = np.frombuffer(b"".join(self._patterns), dtype=np.int64).reshape(-1, len(self._names))
        return AnnotatorCounts(
            tuple(self._names),
            self._pairs,
            has,
            Patterns(codes, len(self.book)),
            CountRows.merge(self._pattern_rows),
            CountRows.merge(self._squares),
            self._crossing,
            {key: Tally.merge(parts) for key, parts in self._tallies.items()},
            self._overlapping,
            self._units,
            self._labels,
        )


def _collect(parts: list[Any], part: Any) -> None:
    """Append rows or a tally to a list of the same type, and add them up if there are many."""
    parts.append(part.merge([part]))
    if len(parts) > _MAX_PARTS:
        parts[:] = [part.merge(parts)]


def _within(spans: Spans, kept: Bools) -> Spans:
    return spans if kept.all() else spans.take(np.flatnonzero(kept[spans.scope]))


@dataclass(frozen=True)
class Counted:
    """Result of reading the annotators' files: counts and file metadata."""

    counts: AnnotatorCounts
    book: Codebook
    labels: Sequence[str]
    """All labels, by code."""
    names: Sequence[str]
    """Names of documents, by number; empty if they have no names."""
    readings: Sequence[ReadInfo]
    """How the files of each annotator were read."""
    atoms: Atoms = "tokens"
    by_name: bool = True
    """Whether documents were matched by name, else by their order."""

    def notes(self) -> list[str]:
        """Notes on the figures."""
        notes, has = [], self.counts.has
        alone = int((has.sum(axis=1) < 2).sum())
        if alone:
            what, count = ("1 document has", "counts") if alone == 1 else (f"{alone:,} documents have", "count")
            notes.append(f"{what} only one annotator and {count} for the coverage only.")
        if self.book.stacked:
            stacked = self.book.stacked
            codes = "1 code is a set of labels" if stacked == 1 else f"{stacked:,} codes are sets of labels"
            notes.append(f"{codes} because an annotator has spans of several labels there.")
        for name, reading in zip(self.counts.names, self.readings, strict=True):
            skipped = ", ".join(f"{what} ({count:,})" for what, count in reading.skipped.items())
            notes += [f"left out of {name}: {skipped}."] if skipped else []
        if not self.by_name and len(has) > 1:
            notes.append("not all annotators name their documents, so texts are matched by order.")
        return notes


def count_by_keys(sides: Mapping[str, Input], prepared: RunConfig) -> Counted:
    """Score all annotators with each of them as the key; documents that an annotator lacks do not count."""
    documents = _documents(sides, prepared)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(name for side in documents for name in side))}
    rows = [ints([numbers[name] for name in side]) for side in documents]
    has = np.zeros((len(numbers), len(sides)), dtype=np.bool_)
    for side, row in enumerate(rows):
        has[row, side] = True
    runs = [_run(key, sides, prepared, has) for key in range(len(sides))]
    pairs, names = list(combinations(range(len(sides)), 2)), tuple(sides)
    tallies: dict[tuple[int, str], Tally] = {}
    for number, (one, other) in enumerate(pairs):
        common = np.flatnonzero(has[:, one] & has[:, other])
        for key, response, rename in ((one, other, str), (other, one, _reversed_name)):
            for scorer, tally in runs[key].tallies.get(names[response], {}).items():
                tallies[number, rename(scorer)] = tally.regroup(rows[key]).select(common)
    units, labels = ints([run.gold.units for run in runs]), [dict(run.gold.labels) for run in runs]
    nothing, patterns = CountRows.merge([]), Patterns(ints([]).reshape(0, len(names)), 1)
    counts = AnnotatorCounts(
        names, pairs, has, patterns, nothing, nothing, {}, tallies, np.zeros_like(units), units, labels
    )
    return Counted(counts, Codebook(), (), list(numbers), [run.gold.reading or ReadInfo() for run in runs])


def _documents(sides: Mapping[str, Input], prepared: RunConfig) -> list[list[str]]:
    """The names by which documents are matched; numbers if a side has no names, and all sides have the same number."""
    named = [_names(side, _with_key(prepared, name)) for name, side in sides.items()]
    documents = [names for names, _ in named]
    if all(is_named for _, is_named in named) or len(set(map(len, documents))) > 1:
        return documents
    return [[str(number) for number in range(1, len(names) + 1)] for names in documents]


def _names(side: Input, prepared: RunConfig) -> tuple[list[str], bool]:
    """The names of an annotator's documents, and whether they are more than numbers."""
    batches = (
        [side] if isinstance(side, Annotation) else open_files(side, prepared.read_as["gold"]).batches(Vocabulary())
    )
    names, is_named = list[str](), False
    for batch in batches:
        names += batch.corpus.names[int(batch.corpus.continues) :]
        is_named |= not batch.corpus.unnamed
    return names, is_named


def _run(key: int, sides: Mapping[str, Input], prepared: RunConfig, has: Bools) -> Run:
    """Score with one annotator as the key for all who share a document; against itself if none does."""
    name = list(sides)[key]
    shared = [bool((has[:, key] & column).any()) and index != key for index, column in enumerate(has.T)]
    others = {other: sides[other] for other, is_shared in zip(sides, shared, strict=True) if is_shared}
    config = _with_key(prepared, name)
    systems = others or {name: sides[name]}
    return Job(sides[name], systems, config, prepared.settings.match, "document", called=ANNOTATORS).run()


def _with_key(prepared: RunConfig, name: str) -> RunConfig:
    """Settings under which the file of an annotator is the key."""
    read_as = prepared.read_as
    return replace(prepared, read_as={**read_as, "gold": system_settings(read_as, name)})


@dataclass(frozen=True)
class Statistic:
    """Sums by document, (documents, columns), and the function that maps sums (…, columns) to values (…)."""

    table: Values
    value: Callable[[Values], Values]

    def total(self) -> float | None:
        """The value of all documents together; None if it is undefined."""
        return defined(self.value(self.table.sum(axis=0)))

    def by_document(self) -> list[float | None]:
        return list(map(defined, self.value(self.table)))


def mean_of(statistics: Sequence[Statistic]) -> Statistic:
    """The mean of the defined statistics."""
    bounds = np.cumsum([statistic.table.shape[1] for statistic in statistics])[:-1]

    def value(sums: Values) -> Values:
        parts = np.split(sums, bounds, axis=-1)
        return mean_defined(
            np.stack([statistic.value(part) for statistic, part in zip(statistics, parts, strict=True)])
        )

    return Statistic(np.concatenate([statistic.table for statistic in statistics], axis=1), value)


class Statistics:
    """The statistics of some of the annotators that were counted."""

    def __init__(self, counts: AnnotatorCounts, annotators: Sequence[int], patterns: Patterns | None = None) -> None:
        """`patterns` replaces the counted patterns, row by row: binary codes."""
        self._counts, self._annotators = counts, annotators
        self._all_patterns = counts.patterns if patterns is None else patterns
        chosen = self._all_patterns.only(annotators)
        self._index, first = _distinct_rows(chosen.codes)
        self.patterns = Patterns(chosen.codes[first], chosen.size)
        self.totals = np.bincount(self._index, counts.total(), minlength=len(first)).astype(np.float64)
        """The frequency of each pattern."""

    def coefficient(self, coefficient: Coefficient, quantifier: str = "all") -> float | None:
        """A coefficient over the positions that a quantifier selects."""
        return coefficient.of(self.patterns, self.totals * self.patterns.labeled_by(quantifier))

    def kappa(self, quantifier: str = "all") -> float | None:
        """Cohen's kappa of a pair; for more annotators the mean of pairs, each over its positions."""
        if len(self._annotators) == 2:
            return self.coefficient(KAPPA, quantifier)
        kappas = [pair.coefficient(KAPPA, quantifier) for pair in self._pairs()]
        return defined(mean_defined(np.array([np.nan if kappa is None else kappa for kappa in kappas])))

    def by_document(self, coefficient: Coefficient, quantifier: str = "all") -> Statistic:
        """A coefficient as a statistic of documents."""
        rows = coefficient.rows(self.patterns) * self.patterns.labeled_by(quantifier)[:, None]
        return Statistic(self.sums(rows), coefficient.value)

    def sums(self, rows: Values) -> Values:
        """The sums of rows, one per pattern, over the positions of each document."""
        return self._counts.by_document(rows[self._index])

    def kappa_by_document(self, quantifier: str = "all") -> Statistic:
        pairs = [self] if len(self._annotators) == 2 else self._pairs()
        return mean_of([pair.by_document(KAPPA, quantifier) for pair in pairs])

    def _pairs(self) -> list[Statistics]:
        return [Statistics(self._counts, pair, self._all_patterns) for pair in self._counts.pairs]

    def atoms(self, quantifier: str) -> int:
        """Number of positions that are counted."""
        return int(self.totals[self.patterns.labeled_by(quantifier) & self.patterns.pairable].sum())

    @property
    def common(self) -> Bools:
        """The documents that all of these annotators have."""
        common: Bools = np.all(self._counts.has[:, list(self._annotators)], axis=1)
        return common

    @property
    def is_shared(self) -> bool:
        """Whether two of these annotators have a document in common."""
        return bool((self._counts.has[:, list(self._annotators)].sum(axis=1) > 1).any())

    def _continuum(self) -> Values:
        """The sums for u-alpha, in the documents that all have."""
        table = self.sums(unitizing.continuum_rows(self.patterns))
        squares = self._counts.squares.table(self._counts.documents, len(self._counts.names))
        table[:, unitizing.SQUARES] += squares[:, list(self._annotators)].sum(axis=1)
        table[~self.common] = 0
        return table

    def u_alphas(self) -> tuple[Statistic, Statistic]:
        """u-alpha, and |u-alpha."""
        table = self._continuum()
        return Statistic(table, unitizing.u_alpha_of), Statistic(table, unitizing.u_alpha_binary_of)


def f1_of(sums: Values) -> Values:
    """F1 from correct, predicted, expected and matched; undefined if neither side has any."""
    correct, predicted, expected, matched = (sums[..., column] for column in range(4))
    precision, recall = np.nan_to_num(ratio(correct, predicted)), np.nan_to_num(ratio(matched, expected))
    values = np.nan_to_num(ratio(2 * precision * recall, precision + recall))
    return np.where(predicted + expected > 0, values, np.nan)


def pair_f1(counts: AnnotatorCounts, pair: int, model: Formula, label: str | None = None) -> Statistic:
    """F1 of a pair of annotators; the mean of both directions if these may differ, and of parts."""
    if isinstance(model.divided, MeanOf):
        return mean_of([pair_f1(counts, pair, part, label) for part in model.divided.parts])
    sums = [model.divided.correct, model.divided.predicted, model.divided.expected, model.divided.matched]
    labels = None if label is None else [label]

    def table(scorer: str) -> Values:
        """Correct, predicted, expected and matched, by document."""
        tally = counts.tallies.get((pair, scorer))
        return (
            np.zeros((counts.documents, 4)) if tally is None else tally.by_group(counts.documents, sums, labels)[:, 0]
        )

    stacked, backwards = _stacked_name(model.scorer), _reversed_name(model.scorer)
    forward, backward = table(model.scorer), table(backwards)
    if (pair, stacked) in counts.tallies:  # all other parts are the same in both directions
        backward = backward + (forward - table(stacked))[:, ::-1]
    elif (pair, backwards) not in counts.tallies:
        return Statistic(forward, f1_of)
    return mean_of([Statistic(forward, f1_of), Statistic(backward, f1_of)])


def equal_codes(counts: AnnotatorCounts, pair: int) -> Statistic:
    """The share of positions with the same code of both annotators of a pair."""
    return Statistics(counts, counts.pairs[pair]).by_document(OBSERVED)


def code_f1(counts: AnnotatorCounts, pair: int, code: int) -> Statistic:
    """F1 of one code of a pair: positions with this code of both annotators, and of either."""
    statistics = Statistics(counts, counts.pairs[pair])
    one, other = (statistics.patterns.codes == code).T * statistics.patterns.pairable
    rows = np.stack((one & other, other, one, one & other), axis=1).astype(np.float64)
    return Statistic(statistics.sums(rows), f1_of)


def cu_alphas(counts: AnnotatorCounts, book: Codebook, pair: int) -> tuple[float | None, dict[int, float | None]]:
    """cu-alpha of a pair, and (k)u-alpha by the code of the label, for labels that either annotator uses."""
    labels = sorted({label for key in book.members for label in key if label >= 0})
    if not labels:
        return None, {}
    statistics = Statistics(counts, counts.pairs[pair], _by_label(counts.patterns, book, labels))
    sums = exact_sums(statistics.totals, unitizing.shared_rows(statistics.patterns))
    sums[2 * len(labels) :] += [counts.crossing.get((pair, label), 0) for label in labels]
    used = np.bincount(statistics.patterns.codes[statistics.totals > 0].ravel() + 1, minlength=len(labels) + 2)[2:] > 0
    values = zip(labels, unitizing.ku_alpha_of(sums), used, strict=True)
    by_label = {label: defined(value) for label, value, is_used in values if is_used}
    return defined(unitizing.cu_alpha_of(sums)), by_label


def _by_label(patterns: Patterns, book: Codebook, labels: list[int]) -> Patterns:
    """Patterns whose codes are indices of labels, from 1, in any coding; no position has two labels."""
    index = {label: number for number, label in enumerate(labels, 1)}
    new = np.array([*(index[key[0]] if key else 0 for key in book.members), -1])
    return Patterns(new[patterns.codes], len(labels) + 1)
