"""What is counted of agreement, by document: rows that add up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from evenhand.agreement.annotators import SharedText
from evenhand.agreement.coefficients import MISSING, OUTSIDE, Codebook, Patterns, Units, units_of
from evenhand.agreement.unitizing import Continuum, overlaps, squares
from evenhand.alignment.documents import ANNOTATORS
from evenhand.arrays import Bools, Ints, Values, empty, ints, ones, zeros
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.layers import Spans
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, LimitError
from evenhand.pipeline.inputs import Input, RunConfig, open_files
from evenhand.pipeline.run import Job, Run
from evenhand.scoring.measure import Scorer
from evenhand.scoring.tally import Tally
from evenhand.settings import Atoms, ScoreSettings, system_settings
from evenhand.tasks.spans.matching import Context, SpanPair

_MOST = 1 << 16
"""How many rows wait until they are added up."""


@dataclass(frozen=True)
class CountRows:
    """Sparse counts: a document, who or what, a code, and a number."""

    document: Ints
    key: Ints
    code: Ints
    count: Ints

    def table(self, key: int, documents: int, codes: int) -> Values:
        """The counts of one key, (documents, codes)."""
        mine = self.key == key
        cell = self.document[mine] * codes + self.code[mine]
        found = np.bincount(cell, self.count[mine], minlength=documents * codes)
        return found.reshape(documents, codes).astype(np.float64)


def reversed_judge(judge: str) -> str:
    """What the verdicts of a judge are called where the second annotator of a pair is the key."""
    return f"{judge} reversed"


def stacked_judge(judge: str) -> str:
    """What the verdicts of a judge are called on portions in which spans of an annotator overlap."""
    return f"{judge} of overlapping spans"


class CountSums:
    """Rows that are added up."""

    def __init__(self) -> None:
        self._parts: list[tuple[Ints, Ints, Ints, Ints]] = []
        self._waiting = 0

    def add(self, document: Ints, key: Ints, code: Ints, count: Ints) -> None:
        self._parts.append((document, key, code, count))
        self._waiting += len(document)
        if self._waiting > _MOST:
            self._add_up()

    def _add_up(self) -> None:
        columns = [np.concatenate(each) for each in zip(*self._parts, strict=True)]
        codes, keys = int(columns[2].max(initial=0)) + 1, int(columns[1].max(initial=0)) + 1
        cell, place = np.unique((columns[0] * keys + columns[1]) * codes + columns[2], return_inverse=True)
        count = np.bincount(place, columns[3], minlength=len(cell))
        key, code = np.divmod(cell, codes)
        self._parts = [(key // keys, key % keys, code, ints(count))]
        self._waiting = 0

    def finish(self) -> CountRows:
        if not self._parts:
            return CountRows(empty(), empty(), empty(), empty())
        self._add_up()
        return CountRows(*self._parts[0])


class PatternCounts:
    """Patterns that are met, and how often each occurs in which document."""

    def __init__(self, annotators: int) -> None:
        self._annotators = annotators
        self._numbers: dict[bytes, int] = {}
        self._sums = CountSums()

    def add(self, document: Ints, codes: Ints, count: Ints | None = None) -> None:
        """Add atoms, a row each, or rows that stand for `count` of them."""
        if not len(codes):
            return
        place, first = distinct_rows(codes)
        rows = [each.tobytes() for each in codes[first].astype(np.int64)]
        number = ints([self._numbers.setdefault(row, len(self._numbers)) for row in rows])[place]
        self._sums.add(document, np.zeros_like(number), number, ones(len(number)) if count is None else count)

    def finish(self, size: int) -> tuple[Patterns, CountRows]:
        """All patterns, of so many codes, and the counts of each by document."""
        table = np.frombuffer(b"".join(self._numbers), dtype=np.int64).reshape(-1, self._annotators)
        return Patterns(table, size), self._sums.finish()


def distinct_rows(codes: Ints) -> tuple[Ints, Ints]:
    """The number of the distinct row that each row is, and the first row of each."""
    base = int(codes.max(initial=0)) + 2
    key, limit = np.zeros(len(codes), dtype=np.int64), 1
    for column in codes.T:
        if limit > 2**62 // base:  # numbers would not hold more annotators
            key = np.unique(key, return_inverse=True)[1]
            limit = int(key.max()) + 1
        key, limit = key * base + column + 1, limit * base
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return place, first


@dataclass(frozen=True)
class Counts:
    """All that is counted of some annotators."""

    names: tuple[str, ...]
    pairs: Sequence[tuple[int, int]]
    has: Bools
    """Who has which documents, (documents, annotators)."""
    patterns: Patterns
    pattern_rows: CountRows
    squares: CountRows
    """Σ l² by document, annotator and label."""
    crossing: CountRows
    """Σ (atoms of a unit that the other one labels)² by document, pair and label."""
    tallies: Mapping[tuple[int, str], Tally]
    """By pair and judge, also with the second annotator as the key (`reversed_judge`); groups are documents.

    Where portions without overlapping spans are not judged in reverse, those with such are there for themselves, too
    (`stacked_judge`).
    """
    overlapping: Ints
    """How many units of each annotator share atoms with another one."""
    units: Ints
    labels: Sequence[Mapping[str, int]]

    @staticmethod
    def without_codes(
        names: tuple[str, ...],
        pairs: Sequence[tuple[int, int]],
        has: Bools,
        tallies: Mapping[tuple[int, str], Tally],
        units: Ints,
        labels: Sequence[Mapping[str, int]],
    ) -> Counts:
        """Counts of annotators whose atoms have no codes."""
        nothing = CountRows(empty(), empty(), empty(), empty())
        patterns = Patterns(ints([]).reshape(0, len(names)), 1)
        overlapping = np.zeros_like(units)
        return Counts(names, pairs, has, patterns, nothing, nothing, nothing, tallies, overlapping, units, labels)

    @property
    def documents(self) -> int:
        return len(self.has)

    def by_document(self, weights: Values) -> Values:
        """The sums of `weights`, a row a pattern, over the atoms of each document, (documents, columns)."""
        rows = self.pattern_rows
        columns = [np.bincount(rows.document, column[rows.code] * rows.count, self.documents) for column in weights.T]
        return np.stack(columns, axis=1)

    def total(self) -> Values:
        """How often each pattern occurs."""
        rows = self.pattern_rows
        return np.bincount(rows.code, rows.count, minlength=len(self.patterns)).astype(np.float64)


_MOST_COUNTING = 16
"""How many tallies wait until they are added up."""


class DocumentCounter:
    """Adds up what portions have."""

    def __init__(
        self,
        names: Sequence[str],
        judges: Sequence[Scorer],
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
        self._squares, self._crossing, self._sizes = CountSums(), CountSums(), CountSums()
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
        for unit in units:
            touched[unit.atoms()[0]] = True
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
        for side, (spans, unit) in enumerate(zip(text.spans, units, strict=True)):
            self._units[side] += len(spans)
            self._overlapping[side] += unit.overlapping()
            names, found = spans.vocabulary.labels.values, self._labels[side]
            for code, count in enumerate(np.bincount(spans.label).tolist()):
                if count:
                    found[names[code]] = found.get(names[code], 0) + count

    def _count_codes(self, text: SharedText, units: Sequence[Units], atoms: Ints, rank: Ints, first: Ints) -> None:
        """The patterns of atoms that somebody labels, and of all others, by document."""
        sentence = np.searchsorted(first, atoms, side="right") - 1
        codes = np.stack([self.book.of(unit, rank, len(atoms)) for unit in units], axis=1)
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
        for side, unit in enumerate(units):
            if not len(unit):
                continue
            document = text.documents[np.searchsorted(first, unit.start, side="right") - 1]
            self._squares.add(document, np.full(len(unit), side), unit.label, squares(unit))
            partners = [other for other in range(len(units)) if other != side]
            crossed = overlaps(unit, [units[other] for other in partners], rank, size)
            for other, square in zip(partners, crossed, strict=True):
                pair = places[min(side, other), max(side, other)]
                self._crossing.add(document, np.full(len(unit), pair), unit.label, square)

    def _count_pairs(self, text: SharedText, units: Sequence[Units]) -> None:
        """What the judges say of pairs, in documents that both annotators have."""
        context = Context(text.documents, text.lengths, None, self._settings)
        is_flat = [unit.overlapping() == 0 for unit in units]
        for number, (one, other) in enumerate(self._pairs):
            both = text.has[:, one] & text.has[:, other]
            if not both.any():
                continue
            sides = [_within(text.spans[side], both) for side in (one, other)]
            try:
                found = self._judged(SpanPair(sides[0], sides[1], context))
                self._keep(number, str, found)
                if not (is_flat[one] and is_flat[other]):
                    self._keep(number, stacked_judge, found)
                    self._keep(number, reversed_judge, self._judged(SpanPair(sides[1], sides[0], context)))
            except LimitError as error:
                source = text.portion.batches[0].corpus.source
                raise InputError(source, None, error.finding, error.remedy) from None

    def _judged(self, question: SpanPair) -> dict[str, Tally]:
        """What each judge counts."""
        return {judge.name: judge.count(question) for judge in self._judges if judge.count is not None}

    def _keep(self, pair: int, spell: Callable[[str], str], found: Mapping[str, Tally]) -> None:
        for judge, tally in found.items():
            waiting = self._tallies.setdefault((pair, spell(judge)), [])
            waiting.append(tally)
            if len(waiting) > _MOST_COUNTING:
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


@dataclass(frozen=True)
class Counted:
    """All that figures are made of."""

    counts: Counts
    book: Codebook
    """What codes stand for."""
    labels: Sequence[str]
    """All labels, by code."""
    names: Sequence[str]
    """What documents are called, by number; empty where they have no names."""
    readings: Sequence[ReadInfo]
    """How the files of each annotator were read."""
    atoms: Atoms = "tokens"
    by_name: bool = True
    """Whether documents were matched by name, else by their order."""

    def notes(self) -> list[str]:
        """What a reader of the figures should know."""
        notes, has = [], self.counts.has
        alone = int((has.sum(axis=1) < 2).sum())
        if alone:
            what = "1 document has" if alone == 1 else f"{alone:,} documents have"
            notes.append(f"{what} one annotator only, and no part in any figure but the coverage.")
        if self.book.stacked:
            stacked = self.book.stacked
            codes = "1 code is a set of labels" if stacked == 1 else f"{stacked:,} codes are sets of labels"
            notes.append(f"{codes}, as an annotator has spans of several labels there.")
        for name, reading in zip(self.counts.names, self.readings, strict=True):
            skipped = ", ".join(f"{what} ({count:,})" for what, count in reading.skipped.items())
            notes += [f"left out of {name}: {skipped}."] if skipped else []
        if not self.by_name and len(has) > 1:
            notes.append("documents have no names on all sides, so that texts are matched by their order.")
        return notes


def count_by_keys(sides: Mapping[str, Input], prepared: RunConfig) -> Counted:
    """Score all annotators with each of them as the key; documents that a side lacks do not count."""
    had = _documents(sides, prepared)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(name for each in had for name in each))}
    places = [ints([numbers[name] for name in names]) for names in had]
    has = np.zeros((len(numbers), len(sides)), dtype=np.bool_)
    for at, mine in enumerate(places):
        has[mine, at] = True
    runs = [_run(key, sides, prepared, has) for key in range(len(sides))]
    pairs, names = list(combinations(range(len(sides)), 2)), tuple(sides)
    tallies: dict[tuple[int, str], Tally] = {}
    for number, (one, other) in enumerate(pairs):
        common = np.flatnonzero(has[:, one] & has[:, other])
        for key, response, spell in ((one, other, str), (other, one, reversed_judge)):
            for judge, tally in runs[key].tallies.get(names[response], {}).items():
                tallies[number, spell(judge)] = tally.regroup(places[key]).select(common)
    units, labels = ints([run.gold.units for run in runs]), [dict(run.gold.labels) for run in runs]
    counts = Counts.without_codes(names, pairs, has, tallies, units, labels)
    return Counted(counts, Codebook(), (), list(numbers), [run.gold.reading or ReadInfo() for run in runs])


def _documents(sides: Mapping[str, Input], prepared: RunConfig) -> list[list[str]]:
    """What the documents of annotators are matched by: names; numbers where a side has none, and all have as many."""
    found = [_names(side, _with_key(prepared, name)) for name, side in sides.items()]
    names = [each for each, _ in found]
    if all(is_named for _, is_named in found) or len(set(map(len, names))) > 1:
        return names
    return [[str(number) for number in range(1, len(name) + 1)] for name in names]


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
    """One annotator as the key for all who share a document; for itself where nobody does."""
    name = list(sides)[key]
    shares = {side: bool((has[:, key] & has[:, at]).any()) for at, side in enumerate(sides) if at != key}
    others = {each: sides[each] for each, is_shared in shares.items() if is_shared} or {name: sides[name]}
    work = Job(sides[name], others, _with_key(prepared, name), prepared.settings.match, "document", called=ANNOTATORS)
    return work.run()


def _with_key(prepared: RunConfig, name: str) -> RunConfig:
    """Settings under which the file of an annotator is the key."""
    read_as = prepared.read_as
    return replace(prepared, read_as={**read_as, "gold": system_settings(read_as, name)})
