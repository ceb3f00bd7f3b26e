"""The units that a measure counts, as rows: the source of unit tables, lists of errors and verdicts.

Every scorer that counts units can list them: one row per unit, with the count type under which the tally counts it. So
the number of rows of an error type is the count of the score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Ints, Values, ints
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, join_scores
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.scoring.measure import Formula, Measure
from evenhand.scoring.tally import HIT_KINDS


class Bounded(Protocol):
    """Spans, or units with the same columns."""

    @property
    def scope(self) -> Ints: ...
    @property
    def start(self) -> Ints: ...
    @property
    def end(self) -> Ints: ...
    @property
    def label(self) -> Ints: ...


@dataclass(frozen=True)
class Places:
    """Positions of units, in atoms of their sentences; -1 for a unit that is not in the gold text."""

    sentence: Ints
    start: Ints
    end: Ints
    shape: Ints
    """The code of their gaps (0: none)."""

    def __len__(self) -> int:
        return len(self.sentence)

    @staticmethod
    def of(sentence: Ints, start: Ints, end: Ints, shape: Ints | None = None) -> Places:
        return Places(sentence, start, end, np.zeros_like(start) if shape is None else shape)

    @staticmethod
    def at(units: Bounded, rows: Ints) -> Places:
        """The positions of some spans; none for the row -1."""
        shape = getattr(units, "shape", None)
        columns = (units.scope, units.start, units.end, np.zeros_like(units.start) if shape is None else shape)
        return Places(*(np.append(column, none)[rows] for column, none in zip(columns, (-1, -1, -1, 0), strict=True)))

    def take(self, rows: Ints) -> Places:
        return Places(*(column[rows] for column in vars(self).values()))

    def joined(self, other: Places) -> Places:
        columns = zip(vars(self).values(), vars(other).values(), strict=True)
        return Places(*(np.append(one, two) for one, two in columns))

    def where(self, chosen: Bools, other: Places) -> Places:
        """These positions where `chosen`, else the others."""
        columns = zip(vars(self).values(), vars(other).values(), strict=True)
        return Places(*(np.where(chosen, one, two) for one, two in columns))

    def in_sentences(self, corpus: Corpus) -> Places:
        """Convert positions in documents to positions in the sentences in which units begin."""
        known = np.flatnonzero(self.start >= 0)
        sentence, start = self.sentence.copy(), self.start.copy()
        sentence[known], start[known] = corpus.in_sentences(self.sentence[known], self.start[known])
        return Places(sentence, start, np.where(self.start < 0, -1, self.end - self.start + start), self.shape)


@dataclass(frozen=True)
class UnitRows:
    """The units that a measure counts for one system in a part: columns of equal length."""

    types: tuple[str, ...]
    """The names of error types; before `under`, the count types of the scorer."""
    type: Ints
    position: Places
    gold_label: Ints
    """-1 if the gold standard has no such unit, or units have no labels."""
    predicted: Ints
    is_extra: Bools
    """Which units only the system has."""
    is_error: Bools
    matched: Places
    """The unit of the other side that a unit is matched with; -1 for none."""
    score: Values | None = None
    """The confidence of the system's unit, NaN without one."""
    shapes: Sequence[tuple[int, ...]] = ((),)
    strings: Mapping[int, str] = field(default_factory=dict)
    """The strings of units that are not in the gold text, by row."""
    matched_strings: Mapping[int, str] = field(default_factory=dict)
    """The strings of matched units that are not in the gold text, by row."""
    places: Mapping[str, Places] = field(default_factory=dict)
    """Further positions: the arguments of relations, the antecedents of mentions."""
    numbers: Mapping[str, Ints] = field(default_factory=dict)
    """Further numbers, such as heads; -1 for none."""
    names: Mapping[str, Ints] = field(default_factory=dict)
    """Further names, as codes of labels; -1 for none."""
    texts: Mapping[str, npt.NDArray[np.object_]] = field(default_factory=dict)
    """Further columns of text; None for none."""
    system_row: Ints | None = None
    """The row of each unit among those of the system, -1 for none, if the scorer has it."""

    def __len__(self) -> int:
        return len(self.type)

    # Slices use these names, which `Predictions` has, too.

    @property
    def sentence(self) -> Ints:
        return self.position.sentence

    @property
    def start(self) -> Ints:
        return self.position.start

    @property
    def end(self) -> Ints:
        return self.position.end

    @property
    def label(self) -> Ints:
        """The gold label, or the label of a unit that only the system has."""
        return np.where(self.gold_label >= 0, self.gold_label, self.predicted)

    @staticmethod
    def of(
        types: Sequence[str],
        type: Ints,
        position: Places,
        gold_label: Ints | None = None,
        predicted: Ints | None = None,
        is_extra: Bools | None = None,
        matched: Places | None = None,
        **columns: object,
    ) -> UnitRows:
        """Units with the count types of a scorer; columns are empty by default."""
        none, nothing = np.full(len(type), -1), np.zeros(len(type), dtype=np.bool_)
        return UnitRows(
            tuple(types),
            type,
            position,
            none if gold_label is None else gold_label,
            none if predicted is None else predicted,
            nothing if is_extra is None else is_extra,
            nothing,
            Places.of(none, none, none) if matched is None else matched,
            **columns,  # type: ignore[arg-type]  # of this class
        )

    @staticmethod
    def of_pairs(
        types: Sequence[str],
        type: Ints,
        gold_row: Ints,
        system_row: Ints,
        gold: Bounded,
        system: Bounded,
        is_extra: Bools | None = None,
    ) -> UnitRows:
        """Units that are a gold span, a system span (-1 if absent), or both.

        `is_extra` are units of the system that are matched with a gold span of another unit. Without it, only spans
        without a gold span are units of the system.
        """
        is_extra = gold_row < 0 if is_extra is None else is_extra
        one, other = Places.at(gold, gold_row), Places.at(system, system_row)
        shapes = gold.vocabulary.shapes.values if isinstance(gold, Spans) else ((),)
        labels = np.append(gold.label, -1)[gold_row], np.append(system.label, -1)[system_row]
        known: Values | None = getattr(system, "score", None)
        score = None if known is None else np.append(known, np.nan)[system_row]
        matched = one.where(is_extra, other)
        return UnitRows.of(
            *(types, type, other.where(is_extra, one), *labels, is_extra, matched),
            score=score,
            shapes=shapes,
            system_row=system_row,
        )

    @staticmethod
    def of_hits(gold: Bounded, system: Bounded, gold_partner: Ints, system_partner: Ints) -> UnitRows:
        """The units of both sides, for measures in which a unit may hit several: each with one that it hits, or -1."""
        sizes = len(gold_partner), len(system_partner)
        type = np.concatenate((np.where(gold_partner >= 0, 0, 1), np.where(system_partner >= 0, 2, 3)))
        rows = np.append(np.arange(sizes[0]), system_partner), np.append(gold_partner, np.arange(sizes[1]))
        return UnitRows.of_pairs(HIT_KINDS, type, *rows, gold, system, np.arange(len(type)) >= sizes[0])

    def take(self, rows: Ints) -> UnitRows:
        has_strings = self.strings or self.matched_strings
        new = {row: number for number, row in enumerate(rows.tolist())} if has_strings else {}
        return replace(
            self,
            type=self.type[rows],
            gold_label=self.gold_label[rows],
            predicted=self.predicted[rows],
            is_extra=self.is_extra[rows],
            is_error=self.is_error[rows],
            position=self.position.take(rows),
            matched=self.matched.take(rows),
            score=None if self.score is None else self.score[rows],
            strings={new[row]: string for row, string in self.strings.items() if row in new},
            matched_strings={new[row]: string for row, string in self.matched_strings.items() if row in new},
            places={name: place.take(rows) for name, place in self.places.items()},
            numbers={name: column[rows] for name, column in self.numbers.items()},
            names={name: column[rows] for name, column in self.names.items()},
            texts={name: column[rows] for name, column in self.texts.items()},
            system_row=None if self.system_row is None else self.system_row[rows],
        )

    def joined(self, other: UnitRows) -> UnitRows:
        """Append the units of another part, which have the same count types."""
        size = len(self)
        nowhere, missing = (Places.of(*[np.full(len(rows), -1)] * 3) for rows in (self, other))
        return replace(
            self,
            system_row=None,
            type=np.append(self.type, other.type),
            gold_label=np.append(self.gold_label, other.gold_label),
            predicted=np.append(self.predicted, other.predicted),
            is_extra=np.append(self.is_extra, other.is_extra),
            is_error=np.append(self.is_error, other.is_error),
            position=self.position.joined(other.position),
            matched=self.matched.joined(other.matched),
            score=join_scores([(self.score, size), (other.score, len(other))]),
            strings={**self.strings, **{size + row: string for row, string in other.strings.items()}},
            places={
                name: self.places.get(name, nowhere).joined(other.places.get(name, missing))
                for name in {**self.places, **other.places}
            },
        )

    def hits(self, formula: Formula, units: int) -> Bools | None:
        """Which of the system's units are correct under a measure, from rows with its count types."""
        if self.system_row is None:
            return None
        counts = [kind in formula.error_types and not formula.is_error(kind) for kind in self.types]
        hit = np.zeros(units + 1, dtype=np.bool_)
        hit[self.system_row[np.array(counts, dtype=np.bool_)[self.type]]] = True
        return hit[:-1]

    def in_text_order(self) -> UnitRows:
        """Sorted by position; units that only the system has, and those without a position, come after others."""
        position = self.position
        unplaced = position.start < 0
        return self.take(np.lexsort((self.is_extra, position.end, position.start, unplaced, position.sentence)))

    def under(self, formula: Formula) -> UnitRows:
        """The units with the error types of a measure, without those that it does not count."""
        type_of, is_error = formula.error_types, formula.is_error
        types = tuple(dict.fromkeys(type_of.values()))
        new = ints([types.index(type_of[kind]) if kind in type_of else -1 for kind in self.types])[self.type]
        wrong = np.array([is_error(kind) for kind in self.types], dtype=np.bool_)[self.type]
        rows = np.flatnonzero(new >= 0)
        return replace(self, types=types, type=new, is_error=wrong).take(rows)

    def in_sentences(self, corpus: Corpus) -> UnitRows:
        """Convert positions that count from the beginning of the document to positions in sentences."""
        places = {name: position.in_sentences(corpus) for name, position in self.places.items()}
        position, matched = self.position.in_sentences(corpus), self.matched.in_sentences(corpus)
        return replace(self, position=position, matched=matched, places=places)


def without_units(measure: Measure) -> SettingError:
    """The error for a measure that does not count units."""
    remedy = measure.instead_of_units or "choose another measure"
    return SettingError(f"The measure {measure.name} has no units to list; {remedy}.")
